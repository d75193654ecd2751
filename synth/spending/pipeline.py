"""A whole release without a screen: `synthesize`.

>>> from fractions import Fraction
>>> from tempfile import TemporaryDirectory
>>> from synth.lessons.survey import survey_domain, write_example
>>> plan = Plan(domain=survey_domain().project(("sex", "smoker")), epsilon=Fraction(1))
>>> with TemporaryDirectory() as folder:
...     result = synthesize(plan, write_example(folder)[0])
>>> result.synthetic.rows
20000
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypedDict, TypeVar, Unpack

from synth import estimate, limits
from synth.bundle import ReleaseCertificate, Result, SpendOfRelease, make_certificate
from synth.door import Door, Entry, Ledger, Preparation, note_standing
from synth.errors import ArgumentError
from synth.estimate import (
    Account,
    NoisyCounts,
    Spend,
)
from synth.noise import DiscreteLaplace
from synth.plans import ALONE, Plan
from synth.privacy import Guarantee
from synth.private import queries
from synth.private.counting import (
    ENGINES,
    Counts,
    Engine,
    Needs,
    Rows,
    count_and_add,
    read_rows,
)
from synth.private.table import TableLike, open_any
from synth.rows import draw_rows, measured_laws
from synth.spending.beginning import BegunRelease, OpenedRelease, begin_release
from synth.spending.purchase import RELEASE_STAGES, Progress, Purchase, SpendSetting
from synth.util import Watch

if TYPE_CHECKING:
    from synth.bundle import PartedResult
    from synth.estimate import (
        HistogramRecord,
        MarginalsRecord,
        MomentSum,
        PublicTable,
        RowStore,
        Rules,
    )
    from synth.private.counting import AddedMoments


Counted = TypeVar("Counted", Counts, Rows)
RecordOf = TypeVar("RecordOf", "HistogramRecord", "MarginalsRecord")


class ReleaseOptions(TypedDict, total=False):
    """Options of a release, in addition to its plan and table.

    Attributes:
        ledger, progress, watch: See `Purchase`; a repeated request returns its release.
        measured: Called with each measurement of a model, right after its payment.
        preparations: Paid checks (`synth.spending.fit`) that neither ledger nor domain knows.
        public: The plan's public table (`synth.spending.public_file`).
    """

    ledger: Ledger | None
    progress: Progress | None
    measured: Progress | None
    engine: str
    watch: Watch | None
    preparations: Sequence[Preparation]
    public: PublicTable | None


@note_standing("the same call")  # errors then say what was spent
def synthesize(plan: Plan, source: TableLike, **options: Unpack[ReleaseOptions]) -> Result:
    """Release a synthetic table: count, spend, draw noise, repair counts, draw rows.

    Args:
        plan: What to release, and how.
        source: The confidential table in memory, or the path of its file.
        options: See `ReleaseOptions`.

    Raises:
        SynthError: The request is refused, in one sentence. Before noise is drawn nothing was
            spent.
    """
    if plan.by_model:
        return synthesize_parts(plan, source, **options).join_parts()
    return _Run.begin(plan, source, options).release_histogram()


@note_standing("the same call")  # errors then say what was spent
def synthesize_parts(
    plan: Plan,
    source: TableLike,
    *,
    place: RowStore | None = None,
    **options: Unpack[ReleaseOptions],
) -> PartedResult:
    """Release by a model whose rows stay in parts, which can be written one by one.

    Args:
        plan: What to release, and how.
        source: The confidential table in memory, or the path of its file.
        place: It draws and repairs many rows, from public numbers only; None to do so in
            this process.
        options: See `ReleaseOptions`.

    Raises:
        SynthError: With one sentence, also if the plan asks for a histogram, whose rows have
            no parts.
    """
    refuse_one_piece(plan)
    return _Run.begin(plan, source, options).release_model(place or estimate.place_here)


def refuse_one_piece(plan: Plan) -> None:
    """Refuse a histogram, whose rows have no parts, by an `ArgumentError`."""
    if not plan.by_model:
        raise ArgumentError(
            f"The rows of '{plan.method}' are drawn in one piece here; parts are for models "
            "of several histograms, such as the method one-shot."
        )


def place_of(engine: str, master: str = "", folder: Path | None = None) -> RowStore:
    """Return the place that draws a large table's rows: this process, or Spark's workers.

    Args:
        engine: The name of the engine that counts rows.
        master: The cluster, if the engine is Spark; '' for the current session.
        folder: The folder of the parts of the rows; None if no parts are written there.

    Raises:
        ArgumentError: Spark is missing, or its workers cannot draw rows.
    """
    return ENGINES[engine].place(master, folder)


class _Certified(TypedDict, Generic[RecordOf]):
    """The fields that all results have, with their rows in one table or in parts."""

    plan: Plan
    record: RecordOf
    certificate: ReleaseCertificate
    entry: Entry
    repeated: bool


@dataclass(frozen=True)
class _Run:
    """A release that has begun.

    Attributes:
        rules: What a model has to keep to; None for a histogram.
    """

    rules: Rules | None
    begun: BegunRelease[Plan]
    options: ReleaseOptions

    @classmethod
    def begin(cls, plan: Plan, source: TableLike, options: ReleaseOptions) -> _Run:
        """Check the plan, open the table and begin its release; nothing is counted yet.

        Args:
            plan: What to release, and how.
            source: The confidential table in memory, or the path of its file.
            options: The ledger and the like, as in `ReleaseOptions`.
        """
        rules = plan.check_size()
        limits.workers()  # refuses an invalid setting of the server before the spend
        # The public table at hand must be the one that the plan names, or both are missing.
        public = options.get("public")
        if plan.public is not None or public is not None:
            from synth.estimate import check_named

            check_named(plan.public, public)
        table = open_any(source, (*plan.domain.names, plan.unit.person))
        begun = begin_release(
            plan,
            {ALONE: table},
            setting=SpendSetting(
                ledger=options.get("ledger"),
                progress=options.get("progress"),
                watch=options.get("watch"),
            ),
            preparations=options.get("preparations", ()),
        )
        return cls(rules, begun, options)

    @property
    def plan(self) -> Plan:
        """The plan, with all facts that are known before counting."""
        return self.begun.plan

    @property
    def purchase(self) -> Purchase[Plan]:
        """The spend of the release."""
        return self.begun.purchase

    @property
    def engine(self) -> str:
        """The engine that counts rows."""
        return self.options.get("engine", Engine.DUCKDB)

    def count(
        self, work: Callable[[], tuple[Counted, AddedMoments | None]]
    ) -> tuple[Counted, AddedMoments | None]:
        """Count the rows, and add up the numbers for measured sums. PRIVATE.

        Args:
            work: It reads the rows: by the cells of all columns, or as rows for a model.

        Returns the result of ``work``: what it counted, and the exact sums of numbers.
        """
        counted, moments = self.purchase.count(work, lambda counts: counts[0].rows)
        self.plan.check_public_rows(counted.rows)
        return counted, moments

    def needs(self) -> Needs:
        """Return what the release needs of the rows, with all sums that may be measured.

        These are sums of values' distances from the middles of bins, or of products of two
        columns.
        """
        plan = self.plan
        if not plan.moments:
            return Needs(plan.domain, unit=plan.unit)
        from synth.estimate import moment_queries, ranged_forms

        # All sums that may be measured: beside a histogram of all columns, or without it.
        queried_sums = [
            *_moments_of_all_columns(plan),
            *moment_queries(plan.moments, plan.domain),
        ]
        sums: dict[MomentSum, None] = {}
        for summed_together in queried_sums:
            for moment_sum in summed_together:
                # With the form that counts from the middle of the range, if it has one.
                sums |= dict.fromkeys(ranged_forms(moment_sum))
        return Needs(plan.domain, tuple(sums), plan.unit)

    def release_histogram(self) -> Result:
        """Release noisy counts of all cells, and rows drawn from the repaired counts."""
        from synth.estimate import HistogramRecord, repair_counts

        plan = self.plan
        purchase = self.purchase
        counts, moments = self.count(
            lambda: count_and_add(purchase.table, self.needs(), engine=self.engine)
        )
        purpose = f"histogram of {plan.domain.size} cells"
        opened = self.begun.open_door(Guarantee.pure(plan.epsilon), purpose)
        plan = opened.plan  # notes also looks at the table since the beginning
        door = opened.door
        noisy_counts = _measure_counts(plan, door, counts)
        spends = [] if moments is None else _pay_for_moments(plan, door, moments)
        purchase.report(RELEASE_STAGES[2])  # repairing counts
        record = HistogramRecord(
            noisy=noisy_counts,
            distribution=repair_counts(noisy_counts, plan.repair),
            spends=tuple(spends),
        )
        purchase.report(RELEASE_STAGES[3])  # drawing rows
        seed = door.seed()
        rows = draw_rows(
            record.distribution, plan.rows, seed=seed, laws=measured_laws(record)
        )
        certified = _certify(opened, record, rows=rows.rows, seed=seed)
        return Result(**certified, synthetic=rows)

    def release_model(self, place: RowStore) -> PartedResult:
        """Release noisy marginals, and rows drawn from a model that was fitted to them.

        Args:
            place: It draws and repairs the rows, in this process or on a cluster.
        """
        from synth.bundle import PartedResult
        from synth.private.methods import ModelTask, draw_model

        plan = self.plan
        purchase = self.purchase
        rules = self.rules
        assert rules is not None  # `check_size` gives them for a plan by a model
        # Gives all marginals that may be measured. They are counted at once if the rows do
        # not fit in memory.
        measurable = partial(plan.marginals, plan.domain)
        rows, moments = self.count(
            lambda: read_rows(purchase.table, self.needs(), measurable, engine=self.engine)
        )
        purpose = f"synthetic table of {len(plan.domain.columns)} columns"
        claim = plan.guarantee(plan.epsilon)
        # The spend is in the unit of the dataset's budget, such as a rho.
        opened = self.begun.open_door(purchase.charge(claim, gaussian=True), purpose)
        plan = opened.plan  # notes also looks at the table since the beginning
        public = self.options.get("public")
        task = ModelTask(
            rows=plan.rows,
            claim=claim,
            rules=rules,
            progress=self.options.get("measured"),
            public=None if public is None else public.guess,
            place=place,
            moments=moments,
        )
        record, drawn_rows, seed = draw_model(plan, rows, opened.door, task=task)
        purchase.report(RELEASE_STAGES[3])  # drawing rows
        # The rows were counted before the last look, so their domain may not tell of it.
        record = replace(record, domain=plan.domain)
        certified = _certify(opened, record, rows=drawn_rows.rows, seed=seed)
        return PartedResult(**certified, drawn=drawn_rows, order=rules.order)


def _moments_of_all_columns(plan: Plan) -> list[tuple[MomentSum, ...]]:
    """Return the sums of numbers to measure with a histogram of all columns.

    The sums of one tuple are measured together.
    """
    from synth.estimate import moment_queries

    return moment_queries(plan.moments, plan.domain, [_column_numbers(plan)])


def _column_numbers(plan: Plan) -> tuple[int, ...]:
    """Return the numbers of all columns."""
    return tuple(range(len(plan.domain.columns)))


def _measure_counts(plan: Plan, door: Door, counts: Counts) -> NoisyCounts:
    """Return noisy counts of all cells, or of a large domain those above a threshold.

    The number of rows is measured too if the plan spends a share of epsilon on it.

    Args:
        plan: The release.
        door: The one place where noise is added; the spend is recorded.
        counts: The exact counts.
    """
    is_large = plan.domain.size > limits.LISTED_CELLS
    histogram = queries.large_histogram if is_large else queries.histogram
    cells = door.measure(histogram(counts, plan.neighbors), DiscreteLaplace(plan.scale))
    total = None
    if plan.total_epsilon:
        noise = DiscreteLaplace(plan.unit.max_rows / plan.total_epsilon)
        total = door.measure(queries.rows(counts, plan.neighbors), noise)
    return NoisyCounts.read(plan.domain, cells, total)


def _pay_for_moments(plan: Plan, door: Door, moments: AddedMoments) -> list[Spend]:
    """Measure sums of numbers after a histogram of all columns, and return the payments.

    Args:
        plan: The release, with the epsilon for the sums.
        door: The one place where noise is added; the spend is recorded.
        moments: The exact sums.
    """
    from synth.private.methods import pay_for_moments, price_moments

    account = Account(door.guarantee, plan.neighbors, plan.unit)
    # How sharply the histogram was measured decides from where numbers are best counted.
    cell_variance = DiscreteLaplace(plan.scale).variance
    priced = price_moments(
        account,
        moments.domain,
        _moments_of_all_columns(plan),
        budget=plan.moments_epsilon,
        measured=[(_column_numbers(plan), cell_variance)],
    )
    return pay_for_moments(door, account, moments, priced=priced)


def _certify(
    opened: OpenedRelease[Plan], record: RecordOf, *, rows: int, seed: int
) -> _Certified[RecordOf]:
    """Certify a release, and return the fields that all results have.

    Args:
        opened: The release whose spend is in the ledger.
        record: The public part of the release, with the noisy numbers.
        rows: The number of synthetic rows.
        seed: The seed of their draw.
    """
    door = opened.door
    certificate = make_certificate(
        opened.plan,
        record,
        rows,
        spend=SpendOfRelease(
            entry=door.entry, head=opened.head, preparations=opened.preparations
        ),
        seed=seed,
    )
    return {
        "plan": opened.plan,
        "record": record,
        "certificate": certificate,
        "entry": door.entry,
        "repeated": door.repeated,
    }

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

from synth import limits
from synth.bundle import PartedResult, ReleaseCertificate, Result, make_certificate
from synth.door import Ledger, Preparation, note_standing
from synth.errors import ArgumentError
from synth.estimate import (
    Account,
    HistogramRecord,
    MarginalsRecord,
    NoisyCounts,
    PublicTable,
    RowStore,
    Rules,
    check_named,
    moment_queries,
    place_here,
    ranged_forms,
    repair_counts,
)
from synth.noise import DiscreteLaplace
from synth.plans import ALONE, Plan
from synth.privacy import Guarantee
from synth.private import queries
from synth.private.counting import (
    ENGINES,
    AddedMoments,
    Counts,
    Engine,
    Rows,
    add_moments,
    count,
    rows_for,
)
from synth.private.methods import draw_model, pay_for_moments
from synth.private.table import TableLike, open_any
from synth.rows import draw_rows, value_laws
from synth.spending.beginning import BegunRelease, OpenedRelease, begin_release
from synth.spending.purchase import RELEASE_STAGES, Progress, Purchase
from synth.util import Watch

Counted = TypeVar("Counted", Counts, Rows)


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


@note_standing("the same call")
def synthesize(plan: Plan, source: TableLike, **options: Unpack[ReleaseOptions]) -> Result:
    """Count, release, repair and draw.

    ``source`` is the confidential table in memory, or the path of its file.

    Raises:
        SynthError: With one sentence; before the second stage nothing was spent.
    """
    if plan.by_model:
        return synthesize_parts(plan, source, **options).join_parts()
    return _Run.begin(plan, source, options).release_histogram()


@note_standing("the same call")
def synthesize_parts(
    plan: Plan,
    source: TableLike,
    *,
    place: RowStore | None = None,
    **options: Unpack[ReleaseOptions],
) -> PartedResult:
    """Release by a model whose rows stay in parts, which can be written one by one.

    Args:
        place: It draws and repairs many rows, by default here. It gets public numbers only.

    Raises:
        SynthError: With one sentence; the plan asks for a histogram, whose rows have no
        parts.
    """
    refuse_one_piece(plan)
    return _Run.begin(plan, source, options).release_model(place or place_here)


def refuse_one_piece(plan: Plan) -> None:
    """Refuse a histogram, whose rows have no parts, by an `ArgumentError`."""
    if not plan.by_model:
        raise ArgumentError(
            f"The rows of '{plan.method}' are drawn in one piece here; parts are for models "
            "of several histograms, such as the method one-shot."
        )


def place_of(engine: str, master: str = "", folder: Path | None = None) -> RowStore:
    """Return the place that draws a large table's rows: here, or Spark's workers.

    Args:
        master: The cluster, if the engine is Spark; '' for the current session.
        folder: The folder of the parts.

    Raises:
        ArgumentError: Spark is missing, or its workers cannot draw rows.
    """
    return ENGINES[engine].place(master, folder)


@dataclass(frozen=True)
class _Run:
    """A release that has begun."""

    rules: Rules | None
    begun: BegunRelease[Plan]
    options: ReleaseOptions

    @classmethod
    def begin(cls, plan: Plan, source: TableLike, options: ReleaseOptions) -> "_Run":
        rules = plan.check_size()
        limits.workers()
        check_named(plan.public, options.get("public"))
        table = open_any(source, (*plan.domain.names, plan.unit.person))
        begun = begin_release(
            plan,
            {ALONE: table},
            ledger=options.get("ledger"),
            progress=options.get("progress"),
            watch=options.get("watch"),
            preparations=options.get("preparations", ()),
        )
        return cls(rules, begun, options)

    @property
    def plan(self) -> Plan:
        """The plan, with all facts that are known before counting."""
        return self.begun.plan

    @property
    def purchase(self) -> Purchase[Plan]:
        return self.begun.purchase

    @property
    def engine(self) -> str:
        return self.options.get("engine", Engine.DUCKDB)

    def count(self, work: Callable[[], Counted]) -> tuple[Counted, AddedMoments | None]:
        plan = self.plan
        found = self.purchase.count(
            lambda: (work(), self.add_moments()), lambda both: both[0].rows
        )
        plan.check_public_rows(found[0].rows)
        return found

    def add_moments(self) -> AddedMoments | None:
        plan = self.plan
        everything = tuple(range(len(plan.domain.columns)))
        wanted = [
            *moment_queries(plan.moments, plan.domain, [everything]),
            *moment_queries(plan.moments, plan.domain),
        ]
        each = (form for some in wanted for one in some for form in ranged_forms(one))
        sums = list(dict.fromkeys(each))
        if not sums:
            return None
        return add_moments(
            self.purchase.table, plan.domain, sums, unit=plan.unit, engine=self.engine
        )

    def certify(
        self,
        opened: OpenedRelease[Plan],
        record: HistogramRecord | MarginalsRecord,
        rows: int,
        *,
        seed: int,
    ) -> ReleaseCertificate:
        return make_certificate(
            opened.plan,
            record,
            rows,
            entry=opened.door.entry,
            head=opened.head,
            seed=seed,
            preparations=opened.preparations,
        )

    def release_histogram(self) -> Result:
        plan, purchase = self.plan, self.purchase
        counts, moments = self.count(
            lambda: count(purchase.table, plan.domain, plan.unit, self.engine)
        )
        purpose = f"histogram of {plan.domain.size} cells"
        opened = self.begun.open_door(Guarantee.pure(plan.epsilon), purpose)
        plan, door = opened.plan, opened.door
        large = plan.domain.size > limits.LISTED_CELLS
        ask = queries.large_histogram if large else queries.histogram
        cells = door.measure(ask(counts, plan.neighbors), DiscreteLaplace(plan.scale))
        total = None
        if share := plan.total_epsilon:
            noise = DiscreteLaplace(plan.unit.max_rows / share)
            total = door.measure(queries.rows(counts, plan.neighbors), noise)
        noisy, spends = NoisyCounts.read(plan.domain, cells, total), []
        if moments is not None:
            account = Account(door.guarantee, plan.neighbors, plan.unit)
            everything = tuple(range(len(plan.domain.columns)))
            wanted = moment_queries(plan.moments, plan.domain, [everything])
            known = [(everything, DiscreteLaplace(plan.scale).variance)]
            spends = pay_for_moments(
                door,
                account,
                moments,
                what=wanted,
                budget=plan.moments_epsilon,
                measured=known,
            )
        purchase.report(RELEASE_STAGES[2])
        record = HistogramRecord(
            noisy=noisy, distribution=repair_counts(noisy, plan.repair), spends=tuple(spends)
        )
        purchase.report(RELEASE_STAGES[3])
        seed = door.seed()
        rows = draw_rows(record.distribution, plan.rows, seed=seed, laws=value_laws(record))
        certificate = self.certify(opened, record, rows.rows, seed=seed)
        return Result(
            plan=plan,
            record=record,
            certificate=certificate,
            entry=door.entry,
            repeated=door.repeated,
            synthetic=rows,
        )

    def release_model(self, place: RowStore) -> PartedResult:
        plan, purchase, rules = self.plan, self.purchase, self.rules
        assert rules is not None
        measurable = partial(plan.marginals, plan.domain)
        # A counter of marginals if the rows do not fit in memory.
        rows, moments = self.count(
            lambda: rows_for(
                purchase.table, plan.domain, measurable, unit=plan.unit, engine=self.engine
            )
        )
        purpose = f"synthetic table of {len(plan.domain.columns)} columns"
        claim = plan.guarantee(plan.epsilon)
        opened = self.begun.open_door(purchase.charge(claim, gaussian=True), purpose)
        plan, door = opened.plan, opened.door
        public = self.options.get("public")
        record, drawn, seed = draw_model(
            plan,
            rows,
            door,
            rules=rules,
            claim=claim,
            wanted=plan.rows,
            measured=self.options.get("measured"),
            public=None if public is None else public.guess,
            place=place,
            moments=moments,
        )
        purchase.report(RELEASE_STAGES[3])
        record = replace(
            record, domain=plan.domain
        )  # the rows were counted before the last look
        certificate = self.certify(opened, record, drawn.rows, seed=seed)
        return PartedResult(
            plan=plan,
            record=record,
            certificate=certificate,
            entry=door.entry,
            repeated=door.repeated,
            drawn=drawn,
            order=rules.order,
        )

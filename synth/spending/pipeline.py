"""A whole release without a screen: `synthesize`.

>>> from fractions import Fraction
>>> from tempfile import TemporaryDirectory
>>> from synth.lessons.survey import survey_domain, write_example
>>> plan = Plan(survey_domain().project(("sex", "smoker")), Fraction(1))
>>> with TemporaryDirectory() as folder:
...     result = synthesize(plan, write_example(folder)[0])
>>> result.synthetic.rows
20000
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from synth import limits
from synth.bundle import Result, certify_model, make_certificate
from synth.door import Ledger, note_standing
from synth.errors import ArgumentError, TableError
from synth.estimate import (
    Account,
    HistogramRecord,
    NoisyCounts,
    Preparation,
    PublicTable,
    check_named,
    moment_queries,
    ranged_forms,
    repair_counts,
)
from synth.noise import DiscreteLaplace
from synth.plans import Plan
from synth.privacy import Guarantee
from synth.private import queries
from synth.private.counting import ENGINES, AddedMoments, Engine, Rows, add_moments, count, rows_for
from synth.private.table import PrivateTable, TableLike, open_any
from synth.rows import draw_rows, value_laws
from synth.spending.fit import collect
from synth.spending.purchase import Progress, Purchase, mark_of
from synth.util import Watch

if TYPE_CHECKING:
    from synth.bundle import PartedResult
    from synth.estimate import PublicGuess, RowStore, Rules

# The stages of `synthesize`; the budget is spent between the first two.
RELEASE_STAGES = ("Counting rows", "Drawing noise", "Repairing counts", "Drawing rows")


@note_standing("the same call")
def synthesize(
    plan: Plan,
    source: TableLike,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    measured: Progress | None = None,
    engine: str = Engine.DUCKDB,
    watch: Watch | None = None,
    preparations: Sequence[Preparation] = (),
    public: PublicTable | None = None,
) -> Result:
    """Count, release, repair and draw.

    Args:
        source: The confidential table in memory, or the path of its file.
        ledger, progress, watch: See `Purchase`; a repeated request returns its release.
        measured: Called with each measurement of a model, right after its payment.
        preparations: Paid checks (`synth.spending.fit`) that neither ledger nor domain knows.
        public: The plan's public table (`synth.spending.public_file`).

    Raises:
        SynthError: With one sentence; before the second stage nothing was spent.
    """
    ledger = ledger or Ledger()
    if plan.by_model:
        made = synthesize_parts(
            plan, source, ledger=ledger, progress=progress, measured=measured, engine=engine,
            watch=watch, preparations=preparations, public=public,
        )  # fmt: skip
        return made.join_parts()
    _check(plan, public)
    purchase, plan, paid = _begin(plan, source, ledger, preparations, progress, watch)
    return _release_histogram(purchase, plan, engine, paid)


@note_standing("the same call")
def synthesize_parts(
    plan: Plan,
    source: TableLike,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    measured: Progress | None = None,
    engine: str = Engine.DUCKDB,
    watch: Watch | None = None,
    preparations: Sequence[Preparation] = (),
    public: PublicTable | None = None,
    place: "RowStore | None" = None,
) -> "PartedResult":
    """Release by a model whose rows stay in parts, which can be written one by one.

    Other arguments are those of `synthesize`.

    Args:
        place: It draws and repairs many rows, by default here. It gets public numbers only.

    Raises:
        SynthError: With one sentence; the plan asks for a histogram, whose rows have no parts.
    """
    refuse_one_piece(plan)
    rules = _check(plan, public)
    purchase, plan, paid = _begin(plan, source, ledger or Ledger(), preparations, progress, watch)
    assert rules is not None
    guess = None if public is None else public.guess.fresh()
    return _release_model(purchase, plan, rules, engine, paid, measured, guess, place)


def refuse_one_piece(plan: Plan) -> None:
    """Refuse a histogram, whose rows have no parts, by an `ArgumentError`."""
    if not plan.by_model:
        raise ArgumentError(
            f"The rows of '{plan.method}' are drawn in one piece here; parts are for models of "
            "several histograms, such as the method one-shot."
        )


def place_of(engine: str, master: str = "", folder: Path | None = None) -> "RowStore":
    """Return the place that draws a large table's rows: here, or Spark's workers.

    Args:
        master: The cluster, if the engine is Spark; '' for the current session.
        folder: The folder of the parts.

    Raises:
        ArgumentError: Spark is missing, or its workers cannot draw rows.
    """
    return ENGINES[engine].place(master, folder)


def _check(plan: Plan, public: PublicTable | None) -> "Rules | None":
    rules = plan.check_size()
    limits.workers()
    check_named(plan.public, public)
    return rules


def _begin(
    plan: Plan,
    source: TableLike,
    ledger: Ledger,
    preparations: Sequence[Preparation],
    progress: Progress | None,
    watch: Watch | None,
) -> tuple[Purchase, Plan, tuple[Preparation, ...]]:
    # The plan with all facts that are known before counting.
    table = open_any(source, (*plan.domain.names, plan.unit.person))
    try:
        mark = mark_of(table, ledger)
    except TableError:  # the engine says why it cannot be read
        mark = ""
    plan = replace(plan, reading=table.reading)
    if mark and ledger.was_looked_at(plan.dataset, mark):
        plan = replace(plan, domain=replace(plan.domain, looked=True))
    paid = collect(plan, ledger, mark, *preparations)
    return Purchase(plan, table, ledger, progress, watch, RELEASE_STAGES), plan, paid


def _release_histogram(
    purchase: Purchase, plan: Plan, engine: str, preparations: Sequence[Preparation]
) -> Result:
    counts, moments = purchase.count(
        lambda: (
            count(purchase.table, plan.domain, plan.unit, engine),
            _moments(plan, purchase.table, engine),
        ),
        lambda found: found[0].rows,
    )
    plan.check_public_rows(counts.rows)
    purpose = f"histogram of {plan.domain.size} cells"
    door = purchase.open_door(Guarantee.pure(plan.epsilon), purpose)
    large = plan.domain.size > limits.LISTED_CELLS
    ask = queries.large_histogram if large else queries.histogram
    cells = door.measure(ask(counts, plan.neighbors), DiscreteLaplace(plan.scale))
    total = None
    if share := plan.total_epsilon:
        noise = DiscreteLaplace(plan.unit.max_rows / share)
        total = door.measure(queries.rows(counts, plan.neighbors), noise)
    noisy, spends = NoisyCounts.read(plan.domain, cells, total), []
    if moments is not None:
        from synth.private.methods import pay_for_moments

        account = Account(door.guarantee, plan.neighbors, plan.unit)
        everything = tuple(range(len(plan.domain.columns)))
        wanted = moment_queries(plan.moments, plan.domain, [everything])
        known = [(everything, DiscreteLaplace(plan.scale).variance)]
        spends = pay_for_moments(door, account, moments, wanted, plan.moments_epsilon, known)
    purchase.report(RELEASE_STAGES[2])
    record = HistogramRecord(noisy, repair_counts(noisy, plan.repair), tuple(spends))
    purchase.report(RELEASE_STAGES[3])
    seed = door.seed()
    synthetic = draw_rows(record.distribution, plan.rows, seed=seed, laws=value_laws(record))
    certificate = make_certificate(
        plan,
        record,
        synthetic.rows,
        entry=door.entry,
        head=purchase.head_of(door),
        seed=seed,
        preparations=preparations,
    )
    return Result(plan, record, synthetic, certificate, door.entry, door.repeated)


def _release_model(
    purchase: Purchase,
    plan: Plan,
    rules: "Rules",
    engine: str,
    preparations: Sequence[Preparation],
    measured: Progress | None,
    guess: "PublicGuess | None",
    place: "RowStore | None",
) -> "PartedResult":
    from synth.bundle import PartedResult
    from synth.estimate import place_here
    from synth.private.methods import draw_model

    rows, moments = purchase.count(
        lambda: (_rows(plan, purchase.table, engine), _moments(plan, purchase.table, engine)),
        lambda found: found[0].rows,
    )
    plan.check_public_rows(rows.rows)
    purpose = f"synthetic table of {len(plan.domain.columns)} columns"
    claim = plan.guarantee(plan.epsilon)
    door = purchase.open_door(purchase.charge(claim, gaussian=True), purpose)
    record, drawn, seed = draw_model(
        plan,
        rows,
        door,
        rules=rules,
        claim=claim,
        wanted=plan.rows,
        measured=measured,
        public=guess,
        place=place or place_here,
        moments=moments,
    )
    purchase.report(RELEASE_STAGES[3])
    certificate = certify_model(
        plan,
        record,
        drawn.rows,
        entry=door.entry,
        head=purchase.head_of(door),
        seed=seed,
        preparations=preparations,
    )
    return PartedResult(plan, record, drawn, rules.order, certificate, door.entry, door.repeated)


def _rows(plan: Plan, table: PrivateTable, engine: str) -> Rows:
    # A counter of marginals if the rows do not fit in memory.
    return rows_for(table, plan.domain, partial(plan.marginals, plan.domain), plan.unit, engine)


def _moments(plan: Plan, table: PrivateTable, engine: str) -> AddedMoments | None:
    wanted = moment_queries(plan.moments, plan.domain, [tuple(range(len(plan.domain.columns)))])
    sums = list(
        dict.fromkeys(each for some in wanted for one in some for each in ranged_forms(one))
    )
    return add_moments(table, plan.domain, sums, plan.unit, engine) if sums else None

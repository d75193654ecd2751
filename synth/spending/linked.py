"""A release of linked tables: settle, spend, measure, draw. DOOR.

>>> from synth.domain import Domain, LinkedPackage, LinkedTable
>>> from fractions import Fraction
>>> import pyarrow as pa
>>> key = (("id", "integer"),)
>>> package = LinkedPackage("p", (LinkedTable("people", "", Domain(sex=["f", "m"]), ("id", "sex"),
...     key, "id"), LinkedTable("visits", "", Domain(late=bool), ("id", "late"), key, "id",
...     parent=0, most=2)))
>>> tables = {"people": pa.table({"id": [1, 2], "sex": ["f", "m"]}),
...           "visits": pa.table({"id": [1, 1], "late": ["true", "false"]})}
>>> made = synthesize_linked(LinkedPlan(package, Fraction(8)), tables)
>>> made.tables["visits"].column_names, made.certificate.guarantee.epsilon
(['id', 'late'], Fraction(8, 1))
"""

from collections.abc import Mapping
from dataclasses import replace

from synth import limits
from synth.bundle import LinkedResult, certify_linked
from synth.domain import LinkedPackage
from synth.door import Door, Ledger, note_standing
from synth.errors import LimitError, TableError
from synth.estimate import LinkedCodes, LinkedRequest, add_noise_to, check_linked_noise
from synth.plans import LinkedPlan
from synth.privacy import Guarantee
from synth.private import queries
from synth.private.counting import ENGINES, Engine, settle_tables
from synth.private.table import PrivateTable, TableLike, open_any
from synth.rows import linked_tables
from synth.spending.pipeline import RELEASE_STAGES
from synth.spending.purchase import Progress, mark_of
from synth.util import Ints, Watch


@note_standing("the same call")
def synthesize_linked(
    plan: LinkedPlan,
    sources: Mapping[str, TableLike],
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    engine: str = Engine.DUCKDB,
) -> LinkedResult:
    """Release all tables of a package together: one spend, one certificate.

    Args:
        sources: The tables by name, with joined public ones, in memory or as paths.
        ledger, progress, engine: See `Purchase`; a repeated request returns its release.

    Raises:
        SynthError: With one sentence; before the second stage nothing was spent.
    """
    book, report = ledger or Ledger(), progress or (lambda _stage: None)
    tables = open_package(plan.package, sources)
    plan = replace(plan, reading=tables[plan.package.root.name].reading)
    budget = book.balance(plan.dataset).budget
    charged = plan.guarantee
    if budget is not None:
        charged = budget.charge(charged, gaussian=bool(plan.delta))
    account = plan.account(charged)
    check_linked_noise(plan.package, account)
    report(RELEASE_STAGES[0])
    rows = _count_rows(plan, tables, engine)
    report(RELEASE_STAGES[1])
    door = _open_door(plan, tables, charged, book)

    def answer(request: LinkedRequest) -> Ints:
        if request.guesses:
            asked = (request.marginals, request.guesses, plan.neighbors)
            query = queries.linked_distances(rows, *asked)
        else:
            query = queries.linked_counts(rows, request.marginals[0], plan.neighbors)
        return door.measure(query, request.noise, account.claim(request.cost)).values

    model, spends = add_noise_to(plan.package, account, answer)
    report(RELEASE_STAGES[3])
    seed = door.seed()
    made = linked_tables(plan.package, model.draw(seed), seed)
    head = door.head if book.path else None
    certificate = certify_linked(plan, spends, made, entry=door.entry, head=head, seed=seed)
    return LinkedResult(plan, tuple(spends), made, certificate, door.entry, door.repeated)


def _count_rows(
    plan: LinkedPlan, tables: Mapping[str, PrivateTable], engine: str
) -> LinkedCodes:
    with Watch().watch():
        rows = settle_tables(plan.package, tables, ENGINES[engine].link)
    if sum(level.rows for level in rows.levels) > limits.table_rows():
        raise LimitError(
            f"The tables have more than {limits.table_rows():,} rows, the limit (SYNTH_ROWS)."
        )
    return rows


def _open_door(
    plan: LinkedPlan, tables: Mapping[str, PrivateTable], charged: Guarantee, book: Ledger
) -> Door:
    # The spend is in the ledger when the door is open.
    marks = [mark_of(one, book) for one in tables.values()]
    asked = [str(one.asked) for one in tables.values() if one.asked]
    return Door(
        ledger=book,
        dataset=plan.dataset,
        neighbors=plan.neighbors,
        guarantee=charged,
        purpose=f"{len(plan.package.tables)} linked tables",
        unit=plan.unit,
        table=book.keyed_digest([mark.encode() for mark in marks]) if all(marks) else "",
        request=plan.request + "".join(asked),
    )


def open_package(
    package: LinkedPackage, sources: Mapping[str, TableLike]
) -> dict[str, PrivateTable]:
    """Open the tables of a package, by name.

    Raises:
        TableError: One is not given, is not declared, or is no table.
    """
    declared = [*package.paths]
    for name in sources:
        if name not in declared:
            raise TableError(f"The package needs no table '{name}'; leave it out.")
    for name in declared:
        if name not in sources:
            raise TableError(f"The package declares the table '{name}', which is not given.")
    return {name: open_any(sources[name]) for name in declared}

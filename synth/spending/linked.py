"""A release of linked tables: begin, count, spend, measure, draw. DOOR.

>>> from synth.domain import Domain, LinkedTable
>>> from fractions import Fraction
>>> import pyarrow as pa
>>> key = (("id", "integer"),)
>>> package = LinkedPackage(
...     "p",
...     (
...         LinkedTable(
...             name="people",
...             path="",
...             domain=Domain(sex=["f", "m"]),
...             order=("id", "sex"),
...             keys=key,
...             root_key="id",
...         ),
...         LinkedTable(
...             name="visits",
...             path="",
...             domain=Domain(late=bool),
...             order=("id", "late"),
...             keys=key,
...             root_key="id",
...             parent=0,
...             most=2,
...         ),
...     ),
... )
>>> tables = {
...     "people": pa.table({"id": [1, 2], "sex": ["f", "m"]}),
...     "visits": pa.table({"id": [1, 1], "late": ["true", "false"]}),
... }
>>> result = synthesize_linked(LinkedPlan(package=package, epsilon=Fraction(8)), tables)
>>> result.tables["visits"].column_names, result.certificate.guarantee.epsilon
(['id', 'late'], Fraction(8, 1))
"""

from collections.abc import Mapping, Sequence

from synth.bundle import LinkedResult, SpendOfRelease, certify_linked
from synth.domain import LinkedPackage
from synth.door import Ledger, Preparation, note_standing
from synth.errors import TableError
from synth.linked import LinkedCodes, LinkedRequest, add_noise_to, check_linked_noise
from synth.plans import LinkedPlan
from synth.private import queries
from synth.private.counting import ENGINES, Engine, settle_tables
from synth.private.table import PrivateTable, TableLike, open_any
from synth.rows import linked_tables
from synth.spending.beginning import BegunRelease, begin_release
from synth.spending.purchase import RELEASE_STAGES, Progress, SpendSetting
from synth.util import Ints, Watch


@note_standing("the same call")  # errors then say what was spent
def synthesize_linked(  # noqa: PLR0913 - the options of a spend, each by name
    plan: LinkedPlan,
    sources: Mapping[str, TableLike],
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    engine: str = Engine.DUCKDB,
    watch: Watch | None = None,
    preparations: Sequence[Preparation] = (),
) -> LinkedResult:
    """Release all tables of a package together: one spend, one certificate.

    Args:
        plan: The package of tables, the budget and the relation of the guarantee.
        sources: The tables by name, with joined public ones, in memory or as paths.
        ledger: It records the spend; None for one in memory only. A release that it has
            recorded already comes again, at no cost.
        progress: Called with the name of each stage as it starts; None for none.
        engine: The name of the engine that counts rows.
        watch: It may stop the work before the spend; None for the usual time limit.
        preparations: Paid checks that neither the ledger nor a declaration knows.

    Raises:
        SynthError: The request is refused, in one sentence. Before noise is drawn nothing was
            spent.
    """
    public_tables = [
        lookup.table for table in plan.package.tables for lookup in table.lookups
    ]
    begun = begin_release(
        plan,
        open_package(plan.package, sources),
        setting=SpendSetting(ledger=ledger, progress=progress, watch=watch),
        preparations=preparations,
        public=public_tables,
    )
    return _release(begun, engine)


def _release(begun: BegunRelease[LinkedPlan], engine: str) -> LinkedResult:
    """Count, spend, measure with noise, draw rows and certify a release of linked tables.

    Args:
        begun: The release, before anything was counted or spent.
        engine: The name of the engine that counts rows.
    """
    plan = begun.plan
    purchase = begun.purchase
    charged = purchase.charge(plan.guarantee, gaussian=bool(plan.delta))
    account = plan.account(charged)
    check_linked_noise(plan.package, account)  # refuses too loud noise before the spend
    rows = purchase.count(
        lambda: settle_tables(plan.package, purchase.tables, ENGINES[engine].link),
        _count_rows,
    )
    opened = begun.open_door(charged, f"{len(plan.package.tables)} linked tables")
    plan = opened.plan  # notes also looks at the tables since the beginning
    door = opened.door

    def answer(request: LinkedRequest) -> Ints:
        """Return noisy counts, or noisy distances from guesses, measured at the door.

        The door is the one place where noise is added. A request with guesses asks how far
        these are from the counts, to choose what to measure next.
        """
        if request.guesses:
            query = queries.linked_distances(
                rows, request.marginals, request.guesses, neighbors=plan.neighbors
            )
        else:
            query = queries.linked_counts(rows, request.marginals[0], plan.neighbors)
        return door.measure(query, request.noise, account.claim(request.cost)).values

    model, spends = add_noise_to(plan.package, account, answer)
    purchase.report(RELEASE_STAGES[3])  # drawing rows
    seed = door.seed()
    tables = linked_tables(plan.package, model.draw(seed), seed)
    certificate = certify_linked(
        plan,
        spends,
        tables,
        spend=SpendOfRelease(
            entry=door.entry, head=opened.head, preparations=opened.preparations
        ),
        seed=seed,
    )
    return LinkedResult(
        plan=plan,
        spends=tuple(spends),
        tables=tables,
        certificate=certificate,
        entry=door.entry,
        repeated=door.repeated,
    )


def _count_rows(rows: LinkedCodes) -> int:
    """Return the number of rows of all tables together."""
    return sum(level.rows for level in rows.levels)


def open_package(
    package: LinkedPackage, sources: Mapping[str, TableLike]
) -> dict[str, PrivateTable]:
    """Open the tables of a package; no rows are read yet.

    Args:
        package: The declared tables.
        sources: The tables by name, in memory or as paths.

    Returns:
        The tables by name, in declared order: the root first, joined public ones last.

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

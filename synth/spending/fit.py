"""The number of rows that fit a domain: a check through the one door, and a private look.
DOOR.

>>> from fractions import Fraction
>>> from tempfile import TemporaryDirectory
>>> from synth.lessons.survey import survey_domain, write_example
>>> from synth.privacy.guarantee import ROW, Neighbors
>>> asked = FitCheck(
...     domain=survey_domain(), epsilon=Fraction(1), neighbors=Neighbors.REPLACE_ONE, unit=ROW
... )
>>> with TemporaryDirectory() as folder:
...     found = check_fit(asked, write_example(folder)[0])
>>> found.kind, found.said["rows"], said_by(found).is_few
('check', 20000, False)
"""

from collections.abc import Iterator, Mapping, Sequence

from synth.bundle import last_check
from synth.domain import Domain
from synth.door import (
    Ledger,
    Preparation,
    drafts_of,
    keep_preparation,
    note_standing,
    preparations_of,
)
from synth.errors import ArgumentError, ReleaseError
from synth.estimate import FitCheck, FitCount, FitsSaid, digest_of
from synth.plans import ALONE, LinkedPlan, Plan
from synth.private import queries
from synth.private.counting import Engine, FitShares, count_fitting, fit_shares
from synth.private.table import TableLike, open_any
from synth.spending.purchase import Progress, Purchase, mark_of
from synth.util import Watch

PURPOSE = "check whether rows fit the declaration"


@note_standing("the same call")
def check_fit(
    asked: FitCheck,
    source: TableLike,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    engine: str = Engine.DUCKDB,
) -> Preparation:
    """Measure how many rows fit: count, spend, draw noise.

    Arguments are those of `synth.spending.asking.ask`.

    Raises:
        SynthError: With one sentence; before the second stage nothing was spent.
    """
    table = open_any(source, (*asked.domain.names, asked.unit.person))
    purchase = Purchase.begin(asked, {ALONE: table}, ledger, progress)
    counts = purchase.count(
        lambda: [
            count_fitting(table, asked.domain.project(columns), asked.unit, engine=engine)
            for columns in asked.column_sets
        ],
        lambda found: found[0].rows,
    )
    noise = asked.noise  # refused, if at all, before the spend
    door = purchase.open_door(asked.guarantee, PURPOSE)
    measured = [
        door.measure(queries.fitting_rows(one, asked.neighbors), noise) for one in counts
    ]
    said = _state_fits(asked, [int(one.values[0]) for one in measured], measured[0].rows)
    made = Preparation(
        kind="check",
        guarantee=asked.guarantee,
        neighbors=asked.neighbors,
        unit=asked.unit,
        entry=door.entry.hash,
        said=said.to_json(),
    )
    return keep_preparation(purchase.ledger, door.entry, made)


def _state_fits(asked: FitCheck, noisy: list[int], public: int | None) -> FitsSaid:
    pairs = zip(asked.column_sets, noisy, strict=True)
    return FitsSaid(
        declaration=digest_of(asked.domain),
        counts=tuple(FitCount(columns, number, asked.epsilon) for columns, number in pairs),
        max_rows=asked.unit.max_rows,
        rows=asked.rows if public is None else public,
        is_public=public is not None,
    )


def said_by(preparation: Preparation) -> FitsSaid:
    """Return the numbers of a check.

    Raises:
        ArgumentError: The preparation is not a check.
    """
    if preparation.kind != "check":
        raise ArgumentError("A draft of a declaration is no check of it.")
    return FitsSaid.from_json(preparation.to_json()["said"])  # type: ignore[arg-type]


def look_at(
    domain: Domain, source: TableLike, *, ledger: Ledger | None, dataset: str
) -> FitShares:
    """Return exact numbers of rows that fit, for the steward only. PRIVATE.

    A ledger file remembers that a domain may now depend on the dataset.

    Raises:
        SynthError: With one sentence.
    """
    table = open_any(source, domain.names)
    if ledger is not None and ledger.path is not None:
        ledger.note_look(dataset, mark_of(table, ledger))
    with Watch().watch():
        return fit_shares(table, domain)


def collect(
    plan: Plan | LinkedPlan, ledger: Ledger, marks: Mapping[str, str], *more: Preparation
) -> tuple[Preparation, ...]:
    """Return all paid preparations of a release: drafts that its declarations name, drafts
    and checks that the ledger knows of its dataset or of its tables, and ``more``.

    Args:
        marks: The ledger's mark of each table by name; empty if unknown.
        more: Preparations that no ledger file holds.

    Raises:
        ArgumentError: One protects another unit or relation, so that costs cannot be added.
    """
    found: dict[str, Preparation] = {}
    for domain, person in plan.declarations.values():
        for draft in drafts_of(domain):
            _check_same(draft, plan, person)
            found[draft.entry] = draft
    for preparation in _recorded_preparations(plan, ledger, marks):
        found.setdefault(preparation.entry, preparation)
    for preparation in more:
        _check_same(preparation, plan, plan.unit.person)
        found[preparation.entry] = preparation
    return tuple(found.values())


def _recorded_preparations(
    plan: Plan | LinkedPlan, ledger: Ledger, marks: Mapping[str, str]
) -> Iterator[Preparation]:
    # The ledger refuses a release that protects another unit or relation than the spends of
    # its dataset. So all that is left out here was paid under another name.
    persons = {plan.unit.person, *(person for _, person in plan.declarations.values())}
    for recorded in preparations_of(ledger, plan.dataset, marks.values()):
        preparation = recorded.preparation
        if preparation.neighbors is plan.neighbors and preparation.unit.person in persons:
            yield preparation


def refuse_few(plan: Plan | LinkedPlan, known: Sequence[Preparation], anyway: str) -> None:
    """Refuse a release if the last check of a table found few rows that fit, or none.

    Args:
        anyway: How to release anyway.

    Raises:
        ReleaseError: The check found too few.
    """
    for name, (domain, _) in plan.declarations.items():
        said = last_check(domain, known)
        if said is not None and said.is_few:
            of_table = "" if name == ALONE else f" of '{name}'"
            raise ReleaseError(
                f"Not released: by the check{of_table}, {said.sentence}, so a release would "
                f"be mostly noise. Correct the declaration, or release anyway with {anyway}."
            )


def _check_same(one: Preparation, plan: Plan | LinkedPlan, person: str) -> None:
    if (one.neighbors, one.unit.person) != (plan.neighbors, person):
        raise ArgumentError(
            f"The {one.kind} of the declaration protects {one.unit} under "
            f"{one.neighbors.value}, this release {plan.unit} under {plan.neighbors.value}; "
            "they cannot be added up. Choose the same for both."
        )

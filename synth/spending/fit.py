"""The number of rows that fit a domain: a check through the one door, and a private look.
DOOR.

>>> from fractions import Fraction
>>> from tempfile import TemporaryDirectory
>>> from synth.lessons.survey import survey_domain, write_example
>>> from synth.privacy.guarantee import ROW, Neighbors
>>> check = FitCheck(
...     domain=survey_domain(), epsilon=Fraction(1), neighbors=Neighbors.REPLACE_ONE, unit=ROW
... )
>>> with TemporaryDirectory() as folder:
...     preparation = check_fit(check, write_example(folder)[0])
>>> preparation.kind, preparation.said["rows"], said_by(preparation).is_few
('check', 20000, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

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
from synth.plans import ALONE, Plan
from synth.private import counting, queries
from synth.private.counting import Engine
from synth.private.table import TableLike, open_any
from synth.spending.purchase import Progress, Purchase, SpendSetting, mark_of
from synth.util import Watch

if TYPE_CHECKING:
    from synth.plans import LinkedPlan
    from synth.private.counting import FitShares


PURPOSE = "check whether rows fit the declaration"


@note_standing("the same call")  # errors then say what was spent
def check_fit(
    check: FitCheck,
    source: TableLike,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    engine: str = Engine.DUCKDB,
) -> Preparation:
    """Measure how many rows fit a declaration: count, spend, draw noise.

    Args:
        check: The declaration, the columns to count, and the cost of each number.
        source: The confidential table in memory, or the path of its file.
        ledger: It records the spend; None for one in memory only.
        progress: Called with the name of each stage as it starts; None for none.
        engine: The name of the engine that counts rows.

    Returns:
        The paid check with its noisy numbers, which a later release adds to its guarantee.

    Raises:
        SynthError: The request is refused, in one sentence. Before noise is drawn nothing was
            spent.
    """
    table = open_any(source, (*check.domain.names, check.unit.person))
    setting = SpendSetting(ledger=ledger, progress=progress)
    purchase = Purchase.begin(check, {ALONE: table}, setting=setting)
    # One count for each set of columns; the first set is of all columns.
    counts = purchase.count(
        lambda: [
            counting.count_fitting(
                table, check.domain.project(columns), check.unit, engine=engine
            )
            for columns in check.column_sets
        ],
        lambda counted: counted[0].rows,
    )
    noise = check.noise  # refused, if at all, before the spend
    door = purchase.open_door(check.guarantee, PURPOSE)
    measured_fits = [
        door.measure(queries.fitting_rows(count, check.neighbors), noise) for count in counts
    ]
    fits = _state_fits(
        check,
        [int(measured.values[0]) for measured in measured_fits],
        public_rows=measured_fits[0].rows,
    )
    preparation = Preparation(
        kind="check",
        guarantee=check.guarantee,
        neighbors=check.neighbors,
        unit=check.unit,
        entry=door.entry.hash,
        said=fits.to_json(),
    )
    return keep_preparation(purchase.ledger, door.entry, preparation)


def _state_fits(check: FitCheck, noisy: list[int], *, public_rows: int | None) -> FitsSaid:
    """Return the noisy numbers of rows that fit as a statement for the ledger.

    Args:
        check: The check, with the sets of columns that were counted.
        noisy: One number for each set of columns.
        public_rows: The public number of all rows; None if it is private. Then the rough
            number of the check is stated.
    """
    counts = [
        FitCount(columns, number, check.epsilon)
        for columns, number in zip(check.column_sets, noisy, strict=True)
    ]
    is_public = public_rows is not None
    return FitsSaid(
        declaration=digest_of(check.domain),
        counts=tuple(counts),
        max_rows=check.unit.max_rows,
        rows=check.rows if public_rows is None else public_rows,
        is_public=is_public,
    )


def said_by(preparation: Preparation) -> FitsSaid:
    """Return the noisy numbers of a paid check from its record.

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

    Args:
        domain: The declared columns.
        source: The confidential table in memory, or the path of its file.
        ledger: A ledger file notes the look before it happens, as the domain may depend on
            the rows from then on. None for none.
        dataset: The dataset's name in the ledger.

    Raises:
        SynthError: An argument is refused; the message is one sentence.
    """
    table = open_any(source, domain.names)
    if ledger is not None and ledger.path is not None:
        ledger.note_look(dataset, mark_of(table, ledger))
    with Watch().watch():
        return counting.fit_shares(table, domain)


def collect(
    plan: Plan | LinkedPlan,
    ledger: Ledger,
    marks: Mapping[str, str],
    *unrecorded: Preparation,
    before: int | None = None,
) -> tuple[Preparation, ...]:
    """Return all drafts and checks that were paid before a release, each once.

    The guarantee of the release covers them too. These are the drafts that its declarations
    name, the drafts and checks that the ledger knows of its dataset or of its tables, and
    unrecorded ones.

    Args:
        plan: The release.
        ledger: The ledger of the release.
        marks: By name of a table, the digest by which the ledger recognises it; empty if
            it cannot.
        unrecorded: Paid checks that no ledger file holds.
        before: The number of the event of the release's spend: only what the ledger stored
            before it counts. None for all.

    Raises:
        ArgumentError: One protects another unit or relation, so that costs cannot be added.
    """
    # Keys are the hashes of their lines in a ledger, so that each counts once.
    preparations: dict[str, Preparation] = {}
    for domain, person in plan.declarations.values():
        for draft in drafts_of(domain):
            _check_same(draft, plan, person)
            preparations[draft.entry] = draft
    for preparation in _recorded_preparations(plan, ledger, marks, before=before):
        preparations.setdefault(preparation.entry, preparation)
    for preparation in unrecorded:
        _check_same(preparation, plan, plan.unit.person)
        preparations[preparation.entry] = preparation
    return tuple(preparations.values())


def _recorded_preparations(
    plan: Plan | LinkedPlan,
    ledger: Ledger,
    marks: Mapping[str, str],
    *,
    before: int | None,
) -> Iterator[Preparation]:
    """Yield the ledger's paid drafts and checks under the unit and relation of a release.

    The ledger refuses a release that protects another unit or relation than the spends of
    its dataset. So all that is left out here was paid under another name.

    Args:
        plan: The release.
        ledger: The ledger of the release.
        marks: By name of a table, the digest by which the ledger recognises it.
        before: The number of an event, before which the result was stored; None for any.
    """
    persons = {plan.unit.person, *(person for _, person in plan.declarations.values())}
    for recorded in preparations_of(ledger, plan.dataset, marks.values(), before=before):
        preparation = recorded.preparation
        if preparation.neighbors is plan.neighbors and preparation.unit.person in persons:
            yield preparation


def refuse_few(
    plan: Plan | LinkedPlan, preparations: Sequence[Preparation], anyway: str
) -> None:
    """Refuse a release if the last check of a table found few rows that fit, or none.

    Args:
        plan: The release.
        preparations: Earlier paid drafts and checks of the tables.
        anyway: The option that releases anyway, in the words of the steward's place.

    Raises:
        ReleaseError: The check found too few.
    """
    for name, (domain, _) in plan.declarations.items():
        fits = last_check(domain, preparations)
        if fits is not None and fits.is_few:
            of_table = "" if name == ALONE else f" of '{name}'"
            raise ReleaseError(
                f"Not released: by the check{of_table}, {fits.sentence}, so a release would "
                f"be mostly noise. Correct the declaration, or release anyway with {anyway}."
            )


def _check_same(preparation: Preparation, plan: Plan | LinkedPlan, person: str) -> None:
    """Refuse a paid draft or check whose cost cannot be added to a release's.

    Args:
        preparation: The draft or check.
        plan: The release.
        person: The column that identifies persons in the table; empty if rows are protected.

    Raises:
        ArgumentError: They protect different units, or under different relations.
    """
    neighbors = preparation.neighbors
    if (neighbors, preparation.unit.person) != (plan.neighbors, person):
        raise ArgumentError(
            f"The {preparation.kind} of the declaration protects {preparation.unit} under "
            f"{neighbors.value}, this release {plan.unit} under {plan.neighbors.value}; "
            "they cannot be added up. Choose the same for both."
        )

"""The check whether rows fit, and the private look: what they cost, say, and leave behind."""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from synth.door import Door, Ledger, Preparation, Query, preparations_of
from synth.door.ledger.ledger import READY
from synth.errors import ArgumentError, LedgerError, TableError
from synth.estimate import FitCheck, suggested_epsilon
from synth.noise import DiscreteLaplace
from synth.plans import ALONE, Method, Plan
from synth.privacy import ROW, Guarantee, Neighbors, Unit, parse_budget
from synth.private import queries
from synth.spending import STAGES, check_fit, collect, look_at, said_by, synthesize
from synth.util import Ints
from tests.audit.mutate import catch
from tests.conftest import Report
from tests.fit_tables import write_dates
from tests.tables import MIXED, ROWS, write

EPSILON = Fraction(1, 10)


def make_check(neighbors: Neighbors = Neighbors.REPLACE_ONE, **options: Any) -> FitCheck:
    """A check of the declaration `MIXED` for epsilon 1/10, by default of rows under
    replace-one.
    """
    return FitCheck(
        domain=MIXED, epsilon=EPSILON, neighbors=neighbors, **{"unit": ROW, **options}
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A CSV table of the 11 rows of `ROWS`, of which three fit the declaration `MIXED`."""
    return write(tmp_path / "t.csv", list(MIXED.names), ROWS)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger file with a budget of epsilon 3 for the dataset 'table'."""
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("table", parse_budget("3", Neighbors.REPLACE_ONE))
        yield ledger


def test_it_spends_before_it_draws_and_only_what_was_said(table: Path, book: Ledger) -> None:
    """A check is paid in one spend, after its rows are counted.

    The numbers of rows that fit all columns, the age and the sex are three, for epsilon 1/10
    each. Nothing is spent yet when each of the two stages begins.
    """
    stages: list[str] = []
    spends: list[int] = []

    def stage(name: str) -> None:
        stages.append(name)
        spends.append(len(book.balance("table").spends))

    check = check_fit(make_check(columns=("age", "sex")), table, ledger=book, progress=stage)

    (spend,) = book.balance("table").spends

    assert (stages, spends) == (list(STAGES), [0, 0])
    assert spend.guarantee == check.guarantee == Guarantee.pure(3 * EPSILON)
    assert (check.kind, check.entry, book.state(spend)) == ("check", spend.hash, READY)
    assert [count.columns for count in said_by(check).counts] == [
        MIXED.names,
        ("age",),
        ("sex",),
    ]


def test_asked_again_it_costs_nothing_and_says_the_same(table: Path, book: Ledger) -> None:
    """The same check is found in the ledger, although another number of rows is assumed."""
    first = check_fit(make_check(), table, ledger=book)
    assert check_fit(make_check(rows=5), table, ledger=book) == first
    assert len(book.balance("table").spends) == 1


def test_no_budget_no_check(table: Path, book: Ledger) -> None:
    """A check for epsilon 4 of a budget of 3 is refused, and nothing is spent."""
    with pytest.raises(LedgerError, match="only 3 is left"):
        check_fit(
            FitCheck(
                domain=MIXED, epsilon=Fraction(4), neighbors=Neighbors.REPLACE_ONE, unit=ROW
            ),
            table,
            ledger=book,
        )

    assert not book.balance("table").spends


def test_nothing_is_spent_on_a_table_without_rows(tmp_path: Path, book: Ledger) -> None:
    """A check of an empty table is refused before the spend, where the number of rows is
    public.

    Under add-remove the number is private, so the check goes on. It compares with the 100
    rows that the steward assumes.
    """
    empty = write(tmp_path / "empty.csv", list(MIXED.names), [])

    with pytest.raises(TableError, match=r"'empty.csv' has a header but no rows"):
        check_fit(make_check(), empty, ledger=book)
    assert not book.balance("table").spends

    with Ledger() as empty_ledger:
        check = check_fit(
            make_check(Neighbors.ADD_REMOVE, rows=100), empty, ledger=empty_ledger
        )
    assert (check.said["rows"], check.said["is_public"]) == (100, False)


@pytest.mark.slow
def test_it_is_exact_laplace_noise_on_the_number(table: Path) -> None:
    """A check adds Laplace noise to the number of rows that fit, 3 of the 11.

    At epsilon 100 nearly all noise is 0, so the median of 40 checks is 3. For persons with at
    most four rows each the noise scale is 4 / epsilon.
    """
    repeated_check = FitCheck(
        domain=MIXED, epsilon=Fraction(100), neighbors=Neighbors.REPLACE_ONE, unit=ROW
    )
    noisy = [said_by(check_fit(repeated_check, table)).counts[0].noisy for _ in range(40)]

    assert np.median(noisy) == 3

    assert make_check(unit=Unit("sex", 4)).noise == DiscreteLaplace(4 / EPSILON)


class Frozen:
    """Noise that is always the same, and what it was to hide."""

    def __init__(self) -> None:
        self.inputs: list[int] = []

    def release(self, values: Ints) -> Ints:
        self.inputs += values.tolist()
        return values * 0 + 7


NEIGHBOURS = {
    Neighbors.ADD_REMOVE: [ROWS[1:], [*ROWS, ["F", "1", "1", "", "no"]], [*ROWS, ["x"] * 5]],
    Neighbors.REPLACE_ONE: [[["x"] * 5, *ROWS[1:]], [*ROWS[:-1], ["F", "1", "1", "", "no"]]],
}


def replay_neighbours(
    tmp_path: Path, neighbors: Neighbors
) -> tuple[list[dict[str, Any]], list[int]]:
    """Check the table and its neighbours while all noise is replaced by one fixed value.

    Returns what each check says without its ledger entry, and the exact numbers behind the
    noise.
    """
    frozen = Frozen()
    outcomes = []
    with patch.object(DiscreteLaplace, "release", lambda _, values: frozen.release(values)):
        for rows in (ROWS, *NEIGHBOURS[neighbors]):
            source = write(tmp_path / "table.csv", list(MIXED.names), rows)
            check = check_fit(make_check(neighbors, columns=("age",), rows=11), source)
            outcomes.append({**check.to_json(), "entry": ""})
    return outcomes, frozen.inputs


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_only_the_noise_tells_neighbours_apart(neighbors: Neighbors, tmp_path: Path) -> None:
    """With the same noise, neighbouring tables lead to the same check.

    The exact numbers behind the noise differ by at most 1, which the noise is made for. Each
    table gives two numbers: the rows that fit all columns, and those that fit the age.
    """
    outcomes, inputs = replay_neighbours(tmp_path, neighbors)

    assert all(outcome == outcomes[0] for outcome in outcomes)
    for first in (0, 1):  # all columns, then the age alone
        numbers = inputs[first::2]
        assert max(abs(number - numbers[0]) for number in numbers) == 1


def _measure_exactly(
    self: Door, query: Query, mechanism: DiscreteLaplace, claim: Any = None
) -> Any:
    """Measure as the door does, but let the exact values out instead of noisy ones."""
    real = MEASURE(self, query, mechanism, claim)
    return replace(real, values=query.values(), mechanism=mechanism)


MEASURE = Door.measure


def _count_twice(counts: Any, neighbors: Neighbors) -> Query:
    """The query of the rows that fit, with every row counted twice."""
    right = FITTING(counts, neighbors)
    return Query(
        name=right.name,
        proof=right.proof,
        neighbors=neighbors,
        unit=right.unit,
        sensitivity=right.sensitivity,
        size=1,
        exact=lambda: 2 * right.values(),
        subject=right.subject,
        rows=right.rows,
    )


FITTING = queries.fitting_rows


@pytest.mark.mutant
@pytest.mark.parametrize(
    ("name", "place", "change"),
    [
        ("a check without noise", (Door, "measure"), _measure_exactly),
        ("every row that fits counted twice", (queries, "fitting_rows"), _count_twice),
    ],
)
def test_a_check_that_leaks_is_caught(
    name: str, place: tuple[Any, str], change: Any, tmp_path: Path, report: Report
) -> None:
    """The replay on neighbouring tables catches a check without noise, or with doubled
    counts.

    It is caught if what the check says differs between neighbours, or if an exact number
    moves by more than 1.
    """

    def is_caught() -> bool:
        with patch.object(*place, change):
            outcomes, inputs = replay_neighbours(tmp_path, Neighbors.REPLACE_ONE)
        moved = max(abs(n - inputs[0]) for n in inputs[::2])
        return moved > 1 or any(outcome != outcomes[0] for outcome in outcomes)

    catch(name, "5 (replay)", is_caught, report)


@pytest.mark.mutant
def test_a_check_that_spends_nothing_is_caught(
    table: Path, book: Ledger, report: Report
) -> None:
    """A check that is not in the steward's ledger is caught by the entry that it names.

    The planted fault records the spend in another ledger.
    """
    elsewhere = Ledger()
    right = Ledger.spend

    def is_caught() -> bool:
        with patch.object(Ledger, "spend", lambda _, **request: right(elsewhere, **request)):
            check = check_fit(make_check(), table, ledger=book)
        return check.entry not in {entry.hash for entry in book.entries()}

    catch("a check that is in no ledger", "3 (ledger)", is_caught, report)


def test_the_ledger_finds_checks_again_and_others_not(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """The ledger finds a check by its dataset's name, or by the fingerprint of its table.

    A check that is given as well is not counted twice. Another table under another name has
    no check.
    """
    check = check_fit(make_check(), table, ledger=book)

    plan = Plan(domain=MIXED, epsilon=Fraction(1), method=Method.DENSE)
    mark = book.fingerprint(table)
    assert collect(plan, book, {ALONE: mark}) == (check,)
    assert collect(plan, book, {ALONE: mark}, check) == (check,)

    other_table = write(tmp_path / "other.csv", list(MIXED.names), ROWS[1:])
    (recorded,) = preparations_of(book, "table")
    assert recorded.preparation == check
    assert preparations_of(book, "else", [mark]) == [recorded]
    assert preparations_of(book, "else", [book.fingerprint(other_table), ""]) == []


def test_what_protects_something_else_is_not_added_up(table: Path) -> None:
    """A check under add-remove cannot be added to a release under replace-one."""
    check = check_fit(make_check(Neighbors.ADD_REMOVE), table)

    message = (
        "The check of the declaration protects one row under add-remove, this release one row"
    )

    with pytest.raises(ArgumentError, match=message):
        synthesize(
            Plan(domain=MIXED, epsilon=Fraction(1), method=Method.DENSE),
            table,
            preparations=(check,),
        )


def test_a_draft_is_no_check(table: Path) -> None:
    """The record of a paid draft is refused where the result of a check is read."""
    check = check_fit(make_check(), table)
    draft = Preparation(
        kind="draft",
        guarantee=check.guarantee,
        neighbors=check.neighbors,
        unit=ROW,
        entry=check.entry,
        said={},
    )

    with pytest.raises(ArgumentError, match="no check"):
        said_by(draft)


def test_a_look_is_exact_and_the_ledger_remembers_it(table: Path, book: Ledger) -> None:
    """A look costs no epsilon, but every later release says that its declaration may depend
    on the rows.

    Exact numbers are not shown when the object is printed, and a second look is not recorded
    again.
    """
    shares = look_at(MIXED, table, ledger=book, dataset="table")
    assert (shares.rows, shares.together) == (len(ROWS), 3)
    # Of the 11 rows of `ROWS`, all sexes fit but X, and all smokers but "maybe". The ages 0,
    # 99, 20, 19, 40 and 39.5 fit, six weights from 0 to 2.5, and seven days with a blank.
    assert shares.columns == {"sex": 10, "age": 6, "weight": 6, "day": 7, "smoker": 10}
    assert "3" not in repr(shares)

    events = len(book.events())
    look_at(MIXED, table, ledger=book, dataset="table")
    assert len(book.events()) == events, "once is enough"
    assert book.verify() == events
    assert not book.balance("table").spends

    result = synthesize(
        Plan(domain=MIXED, epsilon=Fraction(1), method=Method.DENSE), table, ledger=book
    )
    assert "The declaration may depend on the table" in result.certificate.guarantee.statement
    assert result.plan.domain.looked


def test_the_model_case_is_few_by_noise_alone(tmp_path: Path) -> None:
    """Dates that are declared as a number are found not to fit, at the suggested epsilon.

    Of 9,357 rows none fits the wrong declaration and all fit the right one. The suggested
    epsilon makes three noise scales of 1 / epsilon about 5 % of the rows.
    """
    from synth.domain import read_schema
    from tests.fit_tables import DATE, NUMBER, SEX

    table = write_dates(tmp_path / "dates.csv")
    epsilon = suggested_epsilon(9_357)

    for day, few in ((NUMBER, True), (DATE, False)):
        domain = read_schema({"fields": [day, SEX]})
        check = check_fit(
            FitCheck(
                domain=domain, epsilon=epsilon, neighbors=Neighbors.REPLACE_ONE, unit=ROW
            ),
            table,
        )
        sentence = said_by(check)
        assert sentence.is_few is few
        assert math.isclose(float(epsilon), 3 / (0.05 * 9_357), rel_tol=0.05)

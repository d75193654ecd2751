"""Relations that all rows obey: what a look proposes, and what it does not."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest

from synth.domain import finish
from synth.drafting import Proposal, take_proposals
from synth.private.counting import DuckDB, profile_table
from synth.private.counting.column_rows import obeys, read_columns
from synth.private.table import open_table
from tests.counting.related_tables import write_cities, write_loans
from tests.tables import write

ROWS = 1500
DAY = timedelta(days=1)

Table = dict[str, list[object]]


def propose(path: Path, table: Mapping[str, Sequence[object]]) -> dict[str, Proposal]:
    """Write a table, and return what a look at it proposes, by name."""
    rows = [list(map(str, row)) for row in zip(*table.values(), strict=True)]
    write(path, list(table), rows)
    look = profile_table(open_table(path))
    return {proposal.name: proposal for proposal in look.proposals}


def make_patients(random: Random, rows: int = ROWS) -> Table:
    """Return dates of birth, onset and test, the age then, and a group and half of life."""
    births = [date(1935, 1, 1) + random.randrange(26_000) * DAY for _ in range(rows)]
    onsets = [date(2022, 1, 1) + random.randrange(700) * DAY for _ in range(rows)]
    tests = [onset + random.randrange(60) * DAY for onset in onsets]
    ages = [
        day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))
        for birth, day in zip(births, tests, strict=True)
    ]
    labels = ["under 30", "30 to 64", "65 and over"]
    groups = [labels[(age >= 30) + (age >= 65)] for age in ages]
    return {"born": births, "onset": onsets, "tested": tests, "age": ages, "group": groups}


def test_orders_ages_and_groups_are_proposed(tmp_path: Path) -> None:
    """An order of dates, an age between two dates and an age group are proposed.

    The order of birth and onset is none: the dates do not overlap, so it says nothing.
    """
    proposals = propose(tmp_path / "t.csv", make_patients(Random(1)))
    assert list(proposals) == [
        "age from born and tested",
        "group from age",
        "onset <= tested",
    ]
    assert proposals["onset <= tested"].rule == {"order": [["onset", "tested"]]}
    formula = proposals["group from age"].derivation["formula"]
    assert formula == "if(age < 30, 'under 30', if(age < 65, '30 to 64', '65 and over'))"
    assert str(proposals["age from born and tested"].derivation["formula"]).startswith(
        "year(tested) - year(born) - if("
    )


def test_sums_and_other_units_are_proposed(tmp_path: Path) -> None:
    """A total with decimals, a year counted back, a copy and a span of days are proposed."""
    random = Random(2)
    fares = [random.randrange(500, 9_000) / 100 for _ in range(ROWS)]
    tips = [random.randrange(10, 2_000) / 100 for _ in range(ROWS)]
    years = [random.randrange(1940, 2006) for _ in range(ROWS)]
    starts = [date(2020, 1, 1) + random.randrange(900) * DAY for _ in range(ROWS)]
    days = [random.randrange(1, 400) for _ in range(ROWS)]
    table = {
        "fare": fares,
        "tip": tips,
        "total": [f"{fare + tip:.2f}" for fare, tip in zip(fares, tips, strict=True)],
        "born": years,
        "age": [2024 - year for year in years],
        "start": starts,
        "end": [start + d * DAY for start, d in zip(starts, days, strict=True)],
        "stay": days,
        "total again": [f"{fare + tip:.2f}" for fare, tip in zip(fares, tips, strict=True)],
    }
    formulas = {
        name: proposal.derivation.get("formula")
        for name, proposal in propose(tmp_path / "t.csv", table).items()
    }
    assert formulas["total from fare and tip"] == "round(fare + tip, 2)"
    assert formulas["age from born"] == "2024 - born"
    assert formulas["stay from start and end"] == "end - start"
    assert formulas["total again from total"] == "total"
    assert not any(name.endswith("<= total") for name in formulas)


def test_long_totals_are_proposed(tmp_path: Path) -> None:
    """A score of five answers is proposed with all terms, and an income by its balance."""
    random = Random(10)
    answers = {f"q{n}": [random.randrange(700) for _ in range(ROWS)] for n in range(5)}
    parts = {
        name: [random.randrange(900) for _ in range(ROWS)] for name in ("in", "to", "by")
    }
    score = [sum(row) for row in zip(*answers.values(), strict=True)]
    balance = [a - b - c for a, b, c in zip(*parts.values(), strict=True)]
    table = {**answers, "score": score, **parts, "balance": balance}
    proposals = propose(tmp_path / "t.csv", table).values()
    formulas = {proposal.target: proposal.derivation.get("formula") for proposal in proposals}
    assert formulas["score"] == "q0 + q1 + q2 + q3 + q4"
    assert formulas["in"] == "to + by + balance"


def make_towns(random: Random, rows: int = ROWS) -> Table:
    """Return towns, their regions and countries, and a number without relation."""
    towns = [random.randrange(24) for _ in range(rows)]
    return {
        "town": [f"town {town:02}" for town in towns],
        "region": [f"region {town // 4}" for town in towns],
        "country": ["ABC"[town // 8] for town in towns],
        "income": [random.randrange(800, 9_000) for _ in range(rows)],
    }


def test_a_list_follows_from_the_nearest_that_decides_it(tmp_path: Path) -> None:
    """The region decides the country, and the town the region: not the town the country."""
    proposals = propose(tmp_path / "t.csv", make_towns(Random(3)))
    assert list(proposals) == ["country from region", "region from town"]
    assert proposals["country from region"].derivation["lookup"] == "region"


def test_a_column_with_gaps_keeps_its_cells(tmp_path: Path) -> None:
    """If a country is missing in some rows, the town does not decide that, so nothing is."""
    random = Random(4)
    table = make_towns(random)
    table["country"] = [
        "" if random.random() < 0.1 else country for country in table["country"]
    ]
    del table["region"]
    assert propose(tmp_path / "t.csv", table) == {}


def test_truths_are_fixed_by_a_rule(tmp_path: Path) -> None:
    """What decides a column of yes or no becomes a rule: a derived column would be a text."""
    table = make_towns(Random(5))
    table["coast"] = ["true" if town < "town 12" else "false" for town in table["town"]]
    table = {"town": table["town"], "coast": table["coast"]}
    (proposal,) = propose(tmp_path / "t.csv", table).values()
    (rule,) = proposal.rule["fixed"]
    assert (rule["given"], rule["then"], len(rule["values"])) == ("town", "coast", 24)


def make_independent(random: Random, rows: int) -> Table:
    """Return columns that have nothing to do with each other, whose ranges overlap."""
    return {
        "height": [random.randrange(140, 200) for _ in range(rows)],
        "weight": [random.randrange(40, 180) for _ in range(rows)],
        "visit": [date(2020, 1, 1) + random.randrange(900) * DAY for _ in range(rows)],
        "call": [date(2020, 1, 1) + random.randrange(900) * DAY for _ in range(rows)],
        "sex": [random.choice("fm") for _ in range(rows)],
        "town": [f"town {random.randrange(30)}" for _ in range(rows)],
    }


@pytest.mark.parametrize("seed", range(3))
def test_independent_columns_have_no_relation(seed: int, tmp_path: Path) -> None:
    assert propose(tmp_path / "t.csv", make_independent(Random(seed), ROWS)) == {}


@pytest.mark.parametrize("rows", [5, 40, 90])
def test_few_rows_have_none(rows: int, tmp_path: Path) -> None:
    """Of fewer than 100 rows that could have broken it, no relation is proposed."""
    assert propose(tmp_path / "t.csv", make_patients(Random(6), rows)) == {}
    assert propose(tmp_path / "u.csv", make_towns(Random(6), rows)) == {}


@pytest.mark.parametrize("place", [0, ROWS // 2, ROWS - 1])
def test_one_row_breaks_a_relation(place: int, tmp_path: Path) -> None:
    """What one row does not obey is not proposed, wherever the row is."""
    patients = make_patients(Random(7))
    patients["tested"][place] = patients["onset"][place] - DAY  # type: ignore[operator]
    patients["group"][place] = "under 30"
    patients["age"][place] = 77
    names = propose(tmp_path / "t.csv", patients)
    assert names == {}
    towns = make_towns(Random(7))
    towns["region"][place] = f"region {(int(str(towns['region'][place])[-1]) + 1) % 6}"
    names = propose(tmp_path / "u.csv", {name: towns[name] for name in ("town", "region")})
    assert names == {}


def test_a_town_of_few_rows_is_no_part_of_a_proposal(tmp_path: Path) -> None:
    """A town of two rows is not listed by the draft, so no proposal says its country."""
    table = make_towns(Random(8))
    table = {"town": table["town"], "country": table["country"]}
    table["town"] += ["village", "village"]
    table["country"] += ["C", "C"]
    for proposal in propose(tmp_path / "t.csv", table).values():
        assert "village" not in str(proposal)


@pytest.mark.parametrize(
    ("write_table", "expected_names"),
    [
        (write_loans, ["started <= paid_off"]),
        (write_cities, ["age from born", "country from city"]),
    ],
)
def test_a_look_proposes_what_all_rows_obey(
    write_table: Callable[[Path], Path], expected_names: list[str], tmp_path: Path
) -> None:
    """A look at the rows proposes exactly the relations that all rows of a table obey."""
    look = profile_table(open_table(write_table(tmp_path)))
    assert [proposal.name for proposal in look.proposals] == expected_names


def test_all_rows_obey_what_is_taken(tmp_path: Path) -> None:
    """Taken in, each derived column has in every row the value that its rule gives."""
    table = open_table(write_cities(tmp_path))
    look = profile_table(table)
    declared = finish(look.schema())
    taken = finish(take_proposals(look.proposals, look.schema(), None).document)
    assert [rule.name for rule in taken.derived] == ["country", "age"]
    with DuckDB() as engine:
        rows = read_columns(engine, table, declared)
    assert all(obeys(rule, rows, declared) for rule in taken.derived)


def test_relations_with_columns_described_before_are_proposed(tmp_path: Path) -> None:
    """A look at three columns finds what follows from a fourth that was described before."""
    table = open_table(write_cities(tmp_path))
    whole = profile_table(table)
    field_of = {column.name: column.field for column in whole.columns}
    rest = profile_table(table, ["country", "born", "age"], declared=[field_of["city"]])
    assert rest.proposals == whole.proposals
    assert [column.name for column in rest.columns] == ["country", "born", "age"]


def test_a_wide_table_says_what_was_not_compared(tmp_path: Path) -> None:
    """Of more than 60 lists, the first 60 are compared, and a remark says so."""
    random = Random(9)
    table = {f"q{n}": [random.choice("ab") for _ in range(200)] for n in range(64)}
    rows = [list(row) for row in zip(*table.values(), strict=True)]
    look = profile_table(open_table(write(tmp_path / "t.csv", list(table), rows)))
    assert look.proposals == ()
    assert any("among 60 of 64 columns" in remark for remark in look.remarks)


def test_a_time_of_day_takes_no_part_in_relations_and_refuses_none(tmp_path: Path) -> None:
    """Times and durations may not be part of formulas; the other columns still may."""
    draw = Random(53)
    table = make_patients(draw)
    table["clock"] = [f"{draw.randrange(24):02}:{draw.randrange(60):02}" for _ in range(ROWS)]
    table["stay"] = [f"PT{draw.randrange(9)}H{draw.randrange(60)}M" for _ in range(ROWS)]
    assert propose(tmp_path / "t.csv", table)

    clocks = {"clock": table["clock"], "stay": table["stay"]}
    assert propose(tmp_path / "u.csv", clocks) == {}

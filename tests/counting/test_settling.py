"""What becomes of one column: numbers in their order, lists, dates, and what is left out."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from synth import limits
from synth.domain import Date, finish
from synth.errors import ArgumentError
from synth.private.counting import profile_table
from synth.private.table import open_table, parse_format
from tests.tables import write


def settle_column(
    folder: Path, cells: list[str], name: str = "c"
) -> tuple[dict[str, Any], bool]:
    """The drafted field of a column of these cells, and whether the draft leaves it out."""
    path = write(folder / "t.csv", [name, "x"], [[cell, "1"] for cell in cells])
    look = profile_table(open_table(path), [name])
    field: dict[str, Any] = look.columns[0].field
    is_left_out = name in look.left_out
    return {key: value for key, value in field.items() if key != "name"}, is_left_out


@pytest.mark.parametrize(
    ("cells", "kind", "parts"),
    [
        (["2", "10", "1"] * 12, "string", {"enum": ["1", "2", "10"]}),
        (["50", "0", "100"] * 12, "string", {"enum": ["0", "50", "100"]}),
        (["0.5", "10.25", "2"] * 12, "string", {"enum": ["0.5", "2", "10.25"]}),
        (["007", "010"] * 12, "string", {"enum": ["007", "010"]}),
        (["13"] * 30, "string", {"enum": ["13"]}),
        (["None", "Minor", "None"] * 12, "string", {"enum": ["Minor", "None"]}),
        (
            ["1", "2", "3", "none"] * 12,
            "string",
            {"required": False, "enum": ["1", "2", "3"]},
        ),
        ([*map(str, range(12))] * 12, "integer", {"minimum": "0", "maximum": "11"}),
        (
            [*map(str, range(9)), "0"] * 12 + ["19"],
            "integer",
            {"minimum": "0", "maximum": "8"},
        ),
        (["0", "1", "2", "3"] * 12, "string", {"enum": ["0", "1", "2", "3"]}),
        (["1", "2", "3", "4", "5"] * 12, "string", {"enum": ["1", "2", "3", "4", "5"]}),
        ([str(n) for n in range(13) if n != 7] * 12, "string", {"required": True}),
        (["dec", "jan", "may"] * 12, "string", {"enum": ["jan", "may", "dec"]}),
        (
            ["20140523", "20150131"] * 12,
            "date",
            {"minimum": "2014-05-01", "maximum": "2015-01-31"},
        ),
        (
            ["2014-05", "2014-06"] * 12,
            "date",
            {"minimum": "2014-05-01", "maximum": "2014-06-30"},
        ),
        (["2014", "2015", "2016"] * 12, "string", {"enum": ["2014", "2015", "2016"]}),
        (
            ["2024-01-01", "2024-03-05", "2024-02-02", "n.a."] * 12,
            "date",
            {"required": False},
        ),
    ],
)
def test_the_cells_decide_kind_and_constraints(
    cells: list[str], kind: str, parts: dict[str, Any], tmp_path: Path
) -> None:
    """The cells of a column decide its drafted type and constraints.

    A few numbers become a list in numerical order, month names one in the order of the
    calendar. Many numbers get bounds, and dates whole months. Each column is kept.
    """
    field, is_left_out = settle_column(tmp_path, cells)
    assert field["type"] == kind
    assert parts.items() <= field["constraints"].items()
    assert not is_left_out


@pytest.mark.parametrize(
    "cells",
    [
        [f"name {i}" for i in range(40)],
        [str(1_000 + i) for i in range(40)],
        [f"this is what person {i} wrote here" for i in range(40)],
    ],
)
def test_what_nearly_every_row_has_alone_is_left_out(
    cells: list[str], tmp_path: Path
) -> None:
    """Names, numbers in turn and free texts, that are different in every row, are
    left out.
    """
    _, is_left_out = settle_column(tmp_path, cells)
    assert is_left_out


def test_more_texts_than_are_listed_share_a_cell(tmp_path: Path) -> None:
    """Only values of enough rows are listed; all others share one cell.

    Of 80 towns, 50 have 3 rows and 30 have 23: the 30 are listed. The column waits for a
    person, as 150 of 840 rows would lose their town.
    """
    cells = [f"town {i // 3}" for i in range(240)] + [f"town {i % 30}" for i in range(600)]
    field, is_left_out = settle_column(tmp_path, cells)

    assert len(field["constraints"]["enum"]) == 30
    assert field["synth:outside"] == "cell"
    assert is_left_out


@pytest.mark.parametrize("towns", [101, 251, 600])
def test_long_lists_are_taken_in_whole(towns: int, tmp_path: Path) -> None:
    """However many values have ten rows, all are listed, and nobody is asked."""
    cells = [f"town {i % towns}" for i in range(10 * towns)]
    field, is_left_out = settle_column(tmp_path, cells)
    assert len(field["constraints"]["enum"]) == towns
    assert "synth:outside" not in field
    assert not is_left_out


def test_common_values_beyond_the_longest_list_share_a_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of 60 towns have ten rows; of these 50 are listed, and 10 come out as (other)."""
    monkeypatch.setattr(limits, "LOOKED_UP_VALUES", 50)
    cells = [f"town {i % 60}" for i in range(600)]
    field, _ = settle_column(tmp_path, cells)
    assert len(field["constraints"]["enum"]) == 50
    assert field["synth:outside"] == "cell"


def test_a_long_list_with_one_rare_value_is_clear(tmp_path: Path) -> None:
    """Of 120 towns each has ten rows, and a hamlet has one, which comes out as (other)."""
    cells = [f"town {i % 120}" for i in range(1_200)] + ["hamlet"]
    path = write(tmp_path / "t.csv", ["c"], [[cell] for cell in cells])
    look = profile_table(open_table(path))

    (column,) = look.columns
    assert (column.review, column.left_out) == (None, False)
    assert "lists 120 values of at least 10 rows; one rarer value comes out as (other)" in (
        column.reason
    )
    with pytest.raises(ArgumentError, match="does not leave out a column 'c'"):
        look.take_in(["c"])


@pytest.mark.parametrize("name", ["country code", "zip"])
def test_numbers_that_are_codes_by_name_are_listed_however_many(
    name: str, tmp_path: Path
) -> None:
    """Of 400 codes between 2 and 30,000 each has twelve rows, and five more have one."""
    codes = [2 + 73 * number for number in range(405)]
    cells = [str(code) for code in codes[:400] * 12 + codes[400:]]
    field, is_left_out = settle_column(tmp_path, cells, name)
    assert len(field["constraints"]["enum"]) == 400
    assert not is_left_out


@pytest.mark.parametrize("mark", [".", ","])
def test_whole_ages_stay_whole_although_a_few_are_in_tenths(
    mark: str, tmp_path: Path
) -> None:
    """Twelve of 3,500 ages are in tenths of a year; these are the loss."""
    draw = Random(5)
    cells = [f"0{mark}{1 + number % 9}" for number in range(12)]
    cells += [str(draw.randrange(90)) for _ in range(3_488)]
    path = write(tmp_path / "t.csv", ["age", "x"], [[cell, "1"] for cell in cells])
    form = parse_format([f"decimal={mark}"])
    look = profile_table(open_table(path, form))

    field = look.columns[0].field
    assert field["type"] == "integer"
    assert field["constraints"] == {"required": False, "minimum": "0", "maximum": "89"}
    assert look.losses == {"age": pytest.approx(12 / 3_500)}
    assert look.remarks == (
        "The few numbers that are not whole come out as missing: 'age' in 0.34 % of the "
        "rows.",
    )


def test_numbers_of_which_more_than_a_few_are_not_whole_are_not_rounded(
    tmp_path: Path,
) -> None:
    """Of 1,000 hours 20 are half ones: too many to lose them."""
    cells = [str(number % 60) for number in range(980)] + [f"{n % 60}.5" for n in range(20)]
    field, _ = settle_column(tmp_path, cells)
    assert field["type"] == "number"


def test_a_far_date_that_repeats_has_a_cell_of_its_own(tmp_path: Path) -> None:
    """A date far from all others is a code with a cell of its own if enough rows have it.

    With 12 rows it is (at least 10 are needed), with 9 rows it is ignored. If all dates are
    of the year 9999, none is far from the others.
    """
    days = ["2024-01-01", "2024-03-05", "2024-02-02"]
    far_day = ["9999-12-31"]

    field, _ = settle_column(tmp_path, (days + far_day) * 12)
    assert field["synth:spikes"] == ["9999-12-31"]
    assert field["constraints"]["maximum"] == "2024-03-31"

    field, _ = settle_column(tmp_path, days * 40 + far_day * 9)
    assert "synth:spikes" not in field
    assert field["constraints"]["maximum"] == "2024-03-31"

    field, _ = settle_column(tmp_path, ["9999-11-30", "9999-12-31"] * 40)
    assert field["constraints"]["maximum"] == "9999-12-31"


def test_dates_without_a_day_are_cut_by_month_and_fractions_are_said(tmp_path: Path) -> None:
    """Months without a day, years of two digits and fractions of a second are drafted as
    dates.

    The draft is a valid declaration. Months get bins of a month, 69 is 1969, and a note says
    that fractions of a second are rounded down.
    """
    months = [f"{1 + i % 6:02d}/2023" for i in range(60)]
    early = [f"{1 + i % 28:02d}.01.69" for i in range(60)]
    stamps = [f"2024-01-{1 + i % 28:02d} 10:00:{i:02d}.{i:03d}5" for i in range(60)]

    rows = [list(row) for row in zip(months, early, stamps, strict=True)]
    look = profile_table(open_table(write(tmp_path / "t.csv", ["m", "e", "s"], rows)))
    month, early_one, stamp = finish(look.schema()).columns

    assert isinstance(month, Date)
    assert (month.format, month.period, month.minimum[-2:]) == ("%m/%Y", "month", "01")
    assert isinstance(early_one, Date)
    assert early_one.minimum == "1969-01-01"
    assert isinstance(stamp, Date)
    assert stamp.format.endswith(":%S.%f")
    assert "fractions of a second are rounded down" in look.columns[2].reason


def test_texts_that_only_a_tab_tells_apart_are_listed_once(tmp_path: Path) -> None:
    field, _ = settle_column(tmp_path, ["a", "\ta", "b"] * 10)
    assert field["constraints"]["enum"] == ["a", "b"]


def test_what_comes_out_all_empty_is_left_out(tmp_path: Path) -> None:
    """A column is left out if its synthetic values would all be empty.

    In the first column "x" has nine rows, in the second each of 40 values has five: too few
    to list.
    """
    for cells in (["x"] * 9 + [""] * 99, [f"v{i % 40}" for i in range(200)]):
        _, is_left_out = settle_column(tmp_path, cells)
        assert is_left_out


@pytest.mark.parametrize(
    ("name", "cells", "is_left_out"),
    [
        ("file", [f"2019/{10_000 + i % 300}" for i in range(3_000)], True),
        ("file_no", [str(10_000 + 7 * (i % 300)) for i in range(3_000)], True),
        ("zip", [f"{10_000 + 7 * (i % 90)}" for i in range(3_000)], False),
        ("latitude", [f"{50 + i / 3_000:.5f}" for i in range(500)], True),
        ("where", [f"{50 + i / 3_000:.5f}, 13.4{i:03d}" for i in range(500)], True),
        ("home", [f"{i} Main Street" for i in range(500)], True),
        ("home", [f"Hauptstraße {i}" for i in range(500)], True),
        (
            "heat index",
            [str(int(abs(Random(i).gauss(750, 200)))) for i in range(9_000)],
            False,
        ),
        ("reading", [str(Random(i).gauss(20, 5)) for i in range(500)], False),
        (
            "number of steps",
            [str(int(Random(i).gauss(9_000, 2_000))) for i in range(500)],
            False,
        ),
        ("epoch", [str(1_500_000_000 + 977 * i) for i in range(500)], False),
        ("at", [f"2024-01-{1 + i % 28:02d} 10:{i:02d}:{i:02d}" for i in range(40)], False),
    ],
)
def test_identifiers_go_and_measurements_and_times_stay(
    name: str, cells: list[str], is_left_out: bool, tmp_path: Path
) -> None:
    """File numbers, places and addresses are left out; measurements and times stay."""
    assert settle_column(tmp_path, cells, name)[1] is is_left_out


def test_texts_too_long_to_be_shown_are_left_out(tmp_path: Path) -> None:
    assert settle_column(tmp_path, ["a" * 400, "b"] * 20)[1]


def test_only_keys_and_names_are_called_so(tmp_path: Path) -> None:
    """Blood pressures and amounts in brackets are to decide; odd texts differ, but are no
    keys or names.
    """
    draw = Random(1)
    columns = {
        "pressure": [
            f"{draw.randrange(90, 190)}/{draw.randrange(50, 120)}" for _ in range(300)
        ],
        "balance": [f"({draw.randrange(10**6) / 100:,.2f})" for _ in range(300)],
        "weight": [f"{draw.randrange(400, 1200) / 10} kg" for _ in range(300)],
        "formula": [f"{draw.randrange(99)}<{draw.randrange(999)}" for _ in range(300)],
        "dose": [f"{draw.choice(range(5, 65, 5))} mg" for _ in range(300)],
    }
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    look = profile_table(open_table(write(tmp_path / "t.csv", [*columns], rows)))

    assert {*look.open} == {"pressure", "balance", "weight"}
    assert look.left_out == {"formula": "holds a text of its own in nearly every row"}
    assert len(look.columns[-1].field["constraints"]["enum"]) == 12

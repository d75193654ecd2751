"""A draft says which rows lose their value, and names what it cannot read for what it is."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from random import Random

import pandas as pd
import pytest

import synth
from synth import limits
from synth.cli.main import main
from synth.domain import EPOCH, Domain, read_field, write_field
from synth.errors import ArgumentError, DomainError, LimitError
from synth.private.counting import count, profile_table
from synth.private.counting.look import Look
from synth.private.table import open_table
from tests.tables import write


def look_at(folder: Path, cells: Sequence[str], name: str = "c") -> Look:
    """A look at a table whose first column has these cells."""
    return profile_table(open_table(write_column(folder, cells, name)))


def write_column(folder: Path, cells: Sequence[str], name: str = "c") -> Path:
    return write(folder / "t.csv", [name, "x"], [[cell, "1"] for cell in cells])


def test_rare_values_are_a_loss_that_is_said_with_its_share(tmp_path: Path) -> None:
    """Of 1,000 rows 600 have one of 20 common towns; each other town has one row.

    The column stays out until a person agrees to the loss, which remains said.
    """
    cells = [f"town {i % 20}" for i in range(600)] + [f"village {i}" for i in range(400)]

    look = look_at(tmp_path, cells)

    assert (look.losses, look.undecided) == ({"c": 0.4}, ("c",))
    assert look.notes[0] == (
        "To decide: 'c' lists 20 values of at least 10 rows; 400 rarer values come out as "
        "(other); 40 % of its rows would come out as (other) [Keep (other)]."
    )
    assert look.notes[1].startswith("Nobody agreed to what 'c' would lose, so it stays out.")
    assert [field["name"] for field in look.schema()["fields"]] == ["x"]

    for agreed in (look.agree(["c"]), look.agree_all(), look.take_in(["c"])):
        assert (agreed.losses, agreed.undecided) == ({"c": 0.4}, ())
        assert agreed.notes[-1] == (
            "Values that the draft does not describe come out as (other) or missing, or as "
            "the nearest bound: 'c' in 40 % of the rows."
        )
        assert [field["name"] for field in agreed.schema()["fields"]] == ["c", "x"]
    with pytest.raises(ArgumentError, match="nothing to decide about 'x'"):
        look.agree(["x"])


def test_values_that_no_row_has_are_said(tmp_path: Path) -> None:
    """Minutes rounded to five, up to 120, allow 121 values, and 25 occur."""
    look = look_at(tmp_path, [str(5 * (i % 25)) for i in range(2_500)], "minutes")
    assert look.unused == {"minutes": 96}
    assert look.notes[-1] == (
        "Synthetic rows may hold values that no row has: 'minutes' allows 121 values, and "
        "25 occur."
    )
    # Of few rows, most numbers between the bounds are unused by accident.
    assert look_at(tmp_path, [str(7 * i) for i in range(300)], "wage").unused == {}


@pytest.mark.parametrize("rows", [150, 300, 700, 1_500, 6_000])
def test_a_measure_never_waits_for_its_bounds(tmp_path: Path, rows: int) -> None:
    """Bounds are no row's own value, and yet at most 1 % of the rows lie beyond them."""
    draw = Random(rows)
    look = look_at(tmp_path, [f"{draw.gauss(20, 5):.3f}" for _ in range(rows)], "reading")
    assert (look.undecided, look.left_out) == ((), {})
    assert look.losses.get("reading", 0.0) <= 0.01


def test_texts_among_numbers_are_a_loss_and_missing_values_are_none(tmp_path: Path) -> None:
    """Of 400 rows 20 hold a text, and 40 a spelling of a missing value."""
    draw = Random(1)
    numbers = [str(draw.randint(18, 90)) for _ in range(340)]
    odd_texts = [f"about {n}" for n in range(20)]
    look = look_at(tmp_path, [*numbers, *odd_texts, *["NA"] * 40])
    assert look.columns[0].field["type"] == "integer"
    assert look.losses == {"c": 0.05}
    assert look.columns[0].offer == "Keep, others as missing"


def test_a_loss_of_one_row_in_a_hundred_is_not_said(tmp_path: Path) -> None:
    look = look_at(tmp_path, ["a", "b", "c"] * 66 + ["odd", "strange"])
    assert look.losses == {"c": 0.01}
    assert not any("does not describe" in note for note in look.notes)


def test_a_full_description_loses_nothing(tmp_path: Path) -> None:
    for cells in (["a", "b"] * 50, ["1", "2", "30"] * 50, ["2024-01-31", ""] * 50):
        assert look_at(tmp_path, cells).losses == {}


def test_python_and_the_terminal_say_the_same_losses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python and the command line leave out a column with losses until somebody agrees to
    them.
    """
    cells = ["a", "b"] * 45 + [f"rare {i}" for i in range(10)]
    path = write_column(tmp_path, cells)
    frame = pd.DataFrame({"c": cells, "x": ["u", "v"] * 50})
    draft = synth.draft(frame)
    assert (draft.losses, draft.undecided, draft.domain.names) == ({"c": 0.1}, ("c",), ("x",))
    for agreed in (
        draft.agree(),
        draft.agree("c"),
        synth.draft(frame, agree=["c"]),
        synth.draft(frame, agree=True),
    ):
        assert agreed.domain.names == ("c", "x")

    draft_file = str(tmp_path / "d.json")
    command = ["domain", "draft", str(path), "--look", "--overwrite", "--out", draft_file]
    main(command)
    assert "10 % of its rows would come out as (other)" in capsys.readouterr().err
    assert Domain.from_schema(draft_file).names == ("x",)
    for options in (["--agree", "c"], ["--agree", "all"]):
        main([*command, *options])
        assert "'c' in 10 % of the rows." in capsys.readouterr().err
        assert Domain.from_schema(draft_file).names == ("c", "x")
    assert main([*command, "--agree", "x"]) == 2
    assert "nothing to decide about 'x'" in capsys.readouterr().err


@pytest.mark.parametrize("rows", [300, 500, 2_000])
def test_heights_are_a_range_at_any_number_of_rows(tmp_path: Path, rows: int) -> None:
    """A height that only a few rows have is no hole between the others.

    At 500 rows, most heights near the middle have ten rows, and most of the others have not.
    """
    draw = Random(7)
    heights = [str(round(draw.gauss(170, 10))) for _ in range(rows)]
    field = look_at(tmp_path, heights, "height").columns[0].field
    assert field["type"] == "integer"


def test_numbers_with_unused_ones_between_them_stay_codes(tmp_path: Path) -> None:
    cells = [str(number) for number in (1, 2, 3, 11, 12, 13, 31, 32, 99, 100, 101)] * 20
    field = look_at(tmp_path, cells, "q7").columns[0].field
    assert field["type"] == "string"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["2024-03-01 18:52:{:02}+00:00", "2024-07-25T14:25:{:02}-0800"], "offsets from UTC"),
        (["5 juin 20{:02}", "14 mai 20{:02}"], "dates in several forms"),
    ],
)
def test_dates_and_times_that_are_not_read_are_named_for_what_they_are(
    tmp_path: Path, cells: Sequence[str], reason: str
) -> None:
    """Dates in an unknown form wait for a decision, and are not called keys, though most
    differ.
    """
    texts = [cell.format(number) for number in range(1, 25) for cell in cells]
    look = look_at(tmp_path, texts)
    assert reason in look.open["c"]
    assert "c" not in look.left_out


@pytest.mark.parametrize(
    ("cells", "pattern", "zone"),
    [
        # As many offsets as in a table of several countries.
        (
            ["2024-03-01 18:52:{:02}+00:00", "2024-07-25 14:25:{:02}-08:00"],
            "%Y-%m-%d %H:%M:%S%:z",
            "UTC",
        ),
        (
            ["2024-03-01T18:52:{:02}Z", "2024-07-25T14:25:{:02}+0200"],
            "%Y-%m-%dT%H:%M:%S%z",
            "UTC",
        ),
        (["2024-03-01T18:52:{:02}Z"], "%Y-%m-%dT%H:%M:%S%z", "Z"),
        (["2024-03-01 18:52:{:02}+02"], "%Y-%m-%d %H:%M:%S%-z", "+02:00"),
    ],
)
def test_times_with_offsets_are_drafted_by_one_clock(
    tmp_path: Path, cells: Sequence[str], pattern: str, zone: str
) -> None:
    """The clock is that of the offset that all texts have, or else UTC."""
    texts = [cell.format(number) for number in range(1, 25) for cell in cells]
    look = look_at(tmp_path, texts)
    field = look.columns[0].field
    assert (field["type"], field["format"], field["synth:zone"]) == (
        "datetime",
        pattern,
        zone,
    )
    assert not look.open


@pytest.mark.parametrize(
    ("cells", "pattern", "also"),
    [
        # A workbook whose dates are half texts.
        (["2024-05-{:02}", "{:02}/05/2024"], "default", "%d/%m/%Y"),
        (["2024-05-{:02} 00:00:00", "{:02}.05.2024"], "%Y-%m-%d %H:%M:%S", "%d.%m.%Y"),
    ],
)
def test_dates_of_two_forms_are_one_column(
    tmp_path: Path, cells: Sequence[str], pattern: str, also: str
) -> None:
    """Each cell is read by the form that fits it, and none is lost."""
    texts = [cell.format(number) for number in range(1, 25) for cell in cells]
    look = look_at(tmp_path, texts)
    field = look.columns[0].field
    assert (field["format"], field["synth:also"]) == (pattern, [also])
    assert not look.open
    assert look.losses == {}
    column = read_field(field, 1)
    counts = count(open_table(tmp_path / "t.csv"), Domain((column,)))
    assert counts.counts.sum() == len(texts)
    assert read_field(write_field(column), 1) == column


@pytest.mark.parametrize(
    ("also", "message"),
    [
        (["%m/%d/%Y"], "may also be read as another date by another form"),
        (["%Y"], "does not say as much as its format"),
        (["%d.%m"], "it lacks the year"),
        (["%Y-%m-%d"] * 6, "over 5 further forms"),
    ],
)
def test_a_further_form_says_the_same_date(also: list[str], message: str) -> None:
    """A further format (`also`) must say the same parts of a date as the format, and be
    valid.
    """
    field = {"name": "d", "type": "date", "format": "%d/%m/%Y", "synth:also": also}
    bounds = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    with pytest.raises(DomainError, match=message):
        read_field({**field, "constraints": bounds}, 1)


@pytest.mark.parametrize(
    ("cells", "pattern"),
    [
        (["30-NOV-20{:02}", "11-OCT-20{:02}"], "%d-%^b-%Y"),
        (["March 27, 20{:02}", "February 8, 20{:02}"], "%B %-d, %Y"),
        (["Mon 05 Jun 20{:02}", "Thu 14 May 20{:02}"], "%a %d %b %Y"),
        (["20{:02}/31/12", "20{:02}/14/05", "20{:02}/02/05"], "%Y/%d/%m"),
        (["5/1/20{:02} 9:05", "31/12/20{:02} 14:30"], "%-d/%-m/%Y %-H:%M"),
    ],
)
def test_dates_are_drafted_in_the_spelling_of_the_file(
    tmp_path: Path, cells: Sequence[str], pattern: str
) -> None:
    """Synthetic rows have the file's case and zeros, its weekdays and its order."""
    texts = [cell.format(number) for number in range(1, 25) for cell in cells]
    assert look_at(tmp_path, texts).columns[0].field["format"] == pattern


@pytest.mark.parametrize("cell", ["555-{:02}-1234", "{:04}-{:04}", "12-34-{:03}"])
def test_numbers_of_persons_are_not_taken_for_dates(tmp_path: Path, cell: str) -> None:
    look = look_at(tmp_path, [cell.format(n, n) for n in range(10, 90)])
    assert "dates" not in look.open.get("c", "")


def test_two_digit_years_in_the_future_are_asked(tmp_path: Path) -> None:
    """Python reads 44 as 2044; people who were born in 1944 and in 1969 stand together."""
    next_years = f"{date.today().year + 3:04}"[2:]
    births = ["07.05.69", "02.02.75", f"01.11.{next_years}"] * 20
    look = look_at(tmp_path, births)
    assert "two digits do not say the century" in look.open["c"]
    # Once the steward agrees that all years lie in the proposed bounds, these decide.
    agreed = read_field({**look.columns[0].field, "format": "%d.%m.%y"}, 1)
    assert agreed.reading.write(agreed.reading.read("07.05.69")) == "07.05.69"
    assert EPOCH.year + agreed.reading.read(f"01.11.{next_years}") // 365 < date.today().year

    recent = ["07.05.19", "02.02.15", "01.11.08"] * 20
    assert look_at(tmp_path, recent).open == {}


def test_more_columns_than_can_be_described_are_refused_at_once(tmp_path: Path) -> None:
    """A look at more than 1,000 columns is refused before any is read; a choice of three is
    not.
    """
    names = [f"c{number}" for number in range(limits.MAX_COLUMNS + 1)]
    path = write(tmp_path / "t.csv", names, [["1"] * len(names)] * 20)
    with pytest.raises(LimitError, match=r"has 1,001 columns, and at most 1,000 can be des"):
        profile_table(open_table(path))
    assert len(profile_table(open_table(path), names[:3]).columns) == 3


def test_names_in_all_scripts_are_called_names(tmp_path: Path) -> None:
    """First and last names in Latin, Cyrillic or Arabic letters are recognised, and left
    out.
    """
    first = ["Anna", "José", "Łukasz", "Мария", "محمد", "O'Neil", "Jean-Luc"]
    last = [f"{a}{b}er" for a in "BCDFGHJKLM" for b in "aeiou"]
    cells = [f"{first[i % 7]} {last[i % 50]}" for i in range(60)]
    assert "keys or names" in look_at(tmp_path, cells).left_out["c"]


def write_lines(path: Path, lines: Sequence[dict[str, object]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def draw_lists(rows: int) -> list[dict[str, object]]:
    """Rows with a number, of which one in twenty is an object; a text, of which one in ten is
    a list; and an object in all of them.
    """
    return [
        {
            "visits": {"n": 1} if row % 20 == 0 else 3 + row % 7,
            "language": ["en", "fr"] if row % 10 == 0 else ("en", "fr", "de")[row % 3],
            "person": {"age": 30},
        }
        for row in range(rows)
    ]


def test_cells_of_lists_and_objects_are_a_loss_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lists and objects in JSON lines have no cell: 5 and 10 % of two columns are to decide.

    A column of objects is not called empty. The command line names the columns of such lines,
    which have no header, by --columns.
    """
    path = write_lines(tmp_path / "t.jsonl", draw_lists(600))
    draft = synth.draft(synth.open_table(path, names=["visits", "language", "person"]))
    assert draft.losses == {"visits": pytest.approx(0.05), "language": pytest.approx(0.1)}
    assert draft.undecided == ("visits", "language")
    assert "'person' is left out: it holds only lists, objects" in " ".join(draft.notes)

    command = ["domain", "draft", str(path), "--look", "--out", str(tmp_path / "d.json")]
    assert main(command) != 0
    assert "name them by --columns" in capsys.readouterr().err
    assert main([*command, "--columns", "visits,language,person", "--agree", "all"]) == 0
    assert draft.agree().document == json.loads((tmp_path / "d.json").read_text())


def test_a_few_unreadable_cells_alone_are_no_kind_of_column(tmp_path: Path) -> None:
    """Below ten rows of lists nothing is said of them: they would be single rows."""
    lines = [{"a": [1] if row < 5 else None, "b": row % 3} for row in range(60)]
    path = write_lines(tmp_path / "t.jsonl", lines)
    look = synth.draft(synth.open_table(path, names=["a", "b"]))
    assert "'a' is left out: it has values in fewer than 10 rows" in " ".join(look.notes)

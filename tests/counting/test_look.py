"""A look at the rows: tables nobody prepared, and what the steward said first."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from synth.domain import LOOKED_UP, finish
from synth.errors import DomainError, TableError
from synth.private.counting import profile_table
from synth.private.table import open_table, parse_format
from tests.counting.looks import (
    list_fields,
    list_kinds,
    make_clinic,
    make_survey,
    reasons_by_column,
    write_columns,
)
from tests.tables import write


@pytest.mark.parametrize("make_table", [make_clinic, make_survey])
def test_columns_nobody_prepared_are_settled(make_table: object, tmp_path: Path) -> None:
    """A draft by a look at the rows gives every column of two unprepared tables the right
    kind.

    The makers of the tables say which kinds are right (`tests.counting.looks`). Without the
    open columns the draft is a complete declaration, marked as looked up. No column is lost.
    """
    table, expected_kinds = make_table(Random(3), 400)
    look = profile_table(open_table(write_columns(tmp_path / "t.csv", table))).agree_all()
    assert list_kinds(look) == expected_kinds.split()

    schema = look.schema()
    schema["fields"] = [field for field in schema["fields"] if field["name"] not in look.open]

    domain = finish(schema)
    assert domain.origin == LOOKED_UP
    assert {*domain.names, *look.left_out, *look.open} == set(table)


def test_no_reason_holds_what_a_cell_does(tmp_path: Path) -> None:
    """The reasons that a draft gives hold no text of a cell.

    Cells of up to four characters are left out, as short texts may be in any sentence.
    """
    table, _ = make_clinic(Random(3), 400)
    look = profile_table(open_table(write_columns(tmp_path / "t.csv", table)))

    cells = {str(cell) for cells in table.values() for cell in cells if len(str(cell)) > 4}
    sentences = " ".join([*reasons_by_column(look).values(), repr(look)])
    assert not [cell for cell in cells if cell in sentences]


def test_what_the_steward_typed_first_is_honoured(tmp_path: Path) -> None:
    """Spellings of a missing value that the steward typed are used, and surer ones are added.

    "gone" is typed, so it is no category of either column; "?" is found in the rows.
    """
    path = write(
        tmp_path / "t.csv", ["a", "b"], [["x", "1"], ["gone", "gone"], ["?", "3"]] * 12
    )

    look = profile_table(open_table(path), None, ("", "gone"))
    assert look.missing_values == ("", "gone", "?")

    enum, ends = (field["constraints"] for field in list_fields(look))
    assert enum == {"required": False, "enum": ["x"]}
    assert ends == {"required": False, "enum": ["1", "3"]}


def test_an_example_settles_which_comes_first_day_or_month(tmp_path: Path) -> None:
    """Dates that can be read in two ways stay open until the steward gives one example.

    03/04 is in March or in April, so the draft gives whole years as bounds. The example
    12/31/2019 says that the month comes first: then the first month is March. An example that
    can itself be read in two ways, or of an unknown column, is refused.
    """
    path = write(tmp_path / "t.csv", ["d"], [["03/04/2014"], ["05/06/2014"]] * 12)
    table = open_table(path)

    look = profile_table(table)
    assert list(look.open) == ["d"]
    assert "31/12/2019 or 12/31/2019" in look.open["d"]

    assert list_fields(look)[0]["constraints"] == {
        "required": True,
        "minimum": "2014-01-01",
        "maximum": "2014-12-31",
    }
    with pytest.raises(DomainError, match="'format' must be one example"):
        finish(look.schema())

    (field,) = list_fields(profile_table(table, dates={"d": "12/31/2019"}))
    assert (field["format"], field["constraints"]["minimum"]) == ("%m/%d/%Y", "2014-03-01")

    with pytest.raises(DomainError, match="2 ways"):
        profile_table(table, dates={"d": "03/04/2014"})
    with pytest.raises(TableError, match="no column 'e'"):
        profile_table(table, dates={"e": "2014-01-01"})


def test_decimal_commas_follow_the_format_and_else_are_asked(tmp_path: Path) -> None:
    """Numbers with a decimal comma are read if the file's format says so, and else are asked
    about.
    """
    path = write(tmp_path / "t.csv", ["a"], [[f"{i},5"] for i in range(30)])
    look = profile_table(open_table(path))
    assert list(look.open) == ["a"]
    assert "decimal comma" in look.open["a"]

    (field,) = list_fields(profile_table(open_table(path, parse_format(["decimal=,"]))))
    assert (field["type"], field["synth:decimals"]) == ("number", 1)


def test_a_table_without_rows_and_an_empty_column_say_so(tmp_path: Path) -> None:
    """A column without a filled cell is left out as empty; one of a table without rows says
    that.
    """
    look = profile_table(open_table(write(tmp_path / "t.csv", ["a", "b"], [["", "1"]] * 12)))
    assert look.left_out == {"a": "is empty"}

    look = profile_table(open_table(write(tmp_path / "e.csv", ["a"], [])))
    assert reasons_by_column(look) == {"a": "has no rows"}


def make_mixed_columns(rows: int) -> dict[str, list[object]]:
    """Columns of every kind, of which each value is one row's own, or nearly so."""
    return {
        "whole": [4217 + 31 * n for n in range(rows)],
        "real": [f"{1.375 + n:.3f}" for n in range(rows)],
        "same": [77] * rows,
        "day": [f"2021-04-{7 + 2 * n:02}" for n in range(rows)],
        "time": [f"2021-04-{7 + 2 * n:02}T11:47:12" for n in range(rows)],
        "either": [f"0{1 + n % 3}/0{2 + n % 5}/2014" for n in range(rows)],
        "sex": ["female"] * rows,
        "true": [n % 2 == 0 for n in range(rows)],
        "mail": [f"p{n}@clinic.example" for n in range(rows)],
        "note": [f"seen by nurse {n} again on a sunny day" for n in range(rows)],
        "id": [f"K{70_000 + 7 * n}" for n in range(rows)],
        "gap": ["NA", "refused", *["831"] * rows][:rows],
    }


@pytest.mark.parametrize("rows", range(10))
def test_below_ten_rows_nothing_is_proposed_and_the_steward_is_told_why(
    rows: int, tmp_path: Path
) -> None:
    """A draft of fewer than ten rows proposes nothing, and says why.

    All columns stay open with their names alone, and no note or reason holds the text of a
    cell.
    """
    table = make_mixed_columns(rows)
    look = profile_table(open_table(write_columns(tmp_path / "t.csv", table)))

    assert look.schema() == {
        "fields": [{"name": name} for name in table],
        "missingValues": [""],
    }
    assert list(look.open) == list(table)

    (note,) = look.notes
    assert note.startswith("Too few rows" if rows else "No row")
    assert "at least 10" in note
    assert "all columns are to decide" in note

    cells = {str(cell) for cells in table.values() for cell in cells}
    assert not [
        cell for cell in cells if cell in " ".join([note, *reasons_by_column(look).values()])
    ]


def test_ten_rows_are_drafted(tmp_path: Path) -> None:
    """Ten rows are enough for a draft: columns get types, and it is marked as looked up."""
    look = profile_table(
        open_table(write_columns(tmp_path / "t.csv", make_mixed_columns(10)))
    )

    assert look.schema()["synth:origin"] == LOOKED_UP
    assert {"whole", "day", "sex"} <= {
        str(f["name"]) for f in list_fields(look) if "type" in f
    }


@pytest.mark.parametrize(
    ("rare_texts", "kind"),
    [(["831", "77", "4217"], "numbers"), (["2021-04-07", "2021-05-19"], "dates")],
)
@pytest.mark.parametrize("missing", ["NA", "."])
def test_values_of_few_rows_among_many_missing_ones_give_no_bounds(
    rare_texts: list[str], kind: str, missing: str, tmp_path: Path
) -> None:
    """A column whose values have fewer than ten rows is left out, and its values appear
    nowhere.

    Six or nine rows have a value; 500 are missing.
    """
    column: list[object] = [*rare_texts * 3, *[missing] * 500]
    path = write_columns(tmp_path / "t.csv", {"c": column, "d": [missing] * len(column)})
    look = profile_table(open_table(path))

    assert look.left_out["c"].startswith(f"has {kind} in fewer than 10 rows")
    assert not [text for text in rare_texts if text in json.dumps(look.schema())]


def test_a_text_of_few_rows_among_numbers_is_no_sign(tmp_path: Path) -> None:
    """A text among numbers is proposed as a sign if at least ten rows have it.

    With nine rows "refused" is not in the draft; with ten it is, in its column only. The
    numbers make an integer column either way.
    """
    numbers = [str(n % 80) for n in range(400)]
    for times, signs in ((9, None), (10, ["refused"])):
        column: list[object] = [*numbers, *["refused"] * times]
        path = write_columns(tmp_path / "t.csv", {"c": column})
        look = profile_table(open_table(path))
        assert look.missing_values == ("",)
        assert look.columns[0].field.get("synth:signs") == signs
        assert list_fields(look)[0]["type"] == "integer"


def test_true_and_false_are_drafted_as_truth_values_in_their_own_spelling(
    tmp_path: Path,
) -> None:
    """Columns of true and false are drafted as booleans, in the spelling of the column.

    A column that mixes two spellings is a list of texts, and so is one with fewer than ten
    rows of false. Only the column with a blank is not required.
    """
    table: dict[str, list[object]] = {
        "python": ["True", "False"] * 20,
        "r": ["TRUE", "FALSE"] * 20,
        "json": ["true", "false", "", "true"] * 10,
        "mixed": ["True", "FALSE"] * 20,
        "rare": ["True"] * 36 + ["False"] * 4,
    }

    look = profile_table(open_table(write_columns(tmp_path / "t.csv", table)))
    kinds_of = {str(field["name"]): field["type"] for field in list_fields(look)}
    assert kinds_of == {
        "python": "boolean",
        "r": "boolean",
        "json": "boolean",
        "mixed": "string",
        "rare": "string",
    }

    python, r, json_, *_ = list_fields(look)
    assert (python["trueValues"], r["falseValues"]) == (["True"], ["FALSE"])
    assert [f["constraints"] for f in (r, json_)] == [{"required": True}, {"required": False}]


def test_what_comes_out_otherwise_is_said(tmp_path: Path) -> None:
    """A draft remarks on what a synthetic table will not keep.

    Columns g and no say the same; values of g have blanks at an end; ages are whole numbers
    with a decimal point. 22.0 is the sentence's own example, and no cell.
    """
    grades = [("a ", "1", "4.0"), (" b", "2", "5.0"), ("c", "3", "6.0"), ("c", "3", "25.0")]
    rows = [[*grades[i % 4], str(i % 2)] for i in range(80)]
    rows += [["a", "1", str(float(i)), "1"] for i in range(40)]

    look = profile_table(open_table(write(tmp_path / "t.csv", ["g", "no", "age", "x"], rows)))

    assert look.remarks == (
        "'g', 'no' follow from each other: keep one, or derive the others from it.",
        "Synth cuts the blanks at both ends of values: 'g'.",
        "Whole numbers written like 22.0 or 2.2e1 come out as 22: 'age'.",
    )


def test_damaged_rows_and_moments_of_parquet_are_looked_at(tmp_path: Path) -> None:
    """Moments of a Parquet file are drafted as such, and damaged lines do not stop a draft.

    In the CSV file one line has a cell too few and one a cell too many.
    """
    import datetime

    import pyarrow as pa
    from pyarrow import parquet

    days = [
        datetime.datetime(2020, 1, 1, 5) + datetime.timedelta(hours=i % 9) for i in range(40)
    ]
    parquet.write_table(pa.table({"at": days, "n": range(40)}), tmp_path / "t.parquet")

    at, _ = list_fields(profile_table(open_table(tmp_path / "t.parquet")))
    assert (at["type"], at["format"]) == ("datetime", "default")

    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2\n3,y,z\n4,x\n" + "5,x\n6,y\n" * 9, encoding="utf-8")
    assert [f["type"] for f in list_fields(profile_table(open_table(path)))] == [
        "integer",
        "string",
    ]


@pytest.mark.slow
def test_the_command_line_says_why_and_takes_examples(tmp_path: Path) -> None:
    """The command line says why columns are left out or open, and takes the steward's
    answers.

    The answers are an example of a date, another spelling of a missing value, and a column to
    take in. An example without a date is refused with status 2.
    """
    rows = [["03/04/2014", f"p{i}@a.org", str(i % 5)] for i in range(40)]
    path, out = write(tmp_path / "t.csv", ["d", "who", "n"], rows), tmp_path / "o.json"

    command = [sys.executable, "-m", "synth", "domain", "draft", str(path), "--look"]
    drafting = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (
        "Left out as identifiers: 'who' holds e-mail addresses [Take in]." in drafting.stderr
    )
    assert "Column 'd' is open: it holds dates that may be read in 2 ways" in drafting.stderr

    command += ["--date", "d=31/12/2019", "--missing", "4", "--out", str(out)]
    subprocess.run(command, capture_output=True, check=True)

    document = json.loads(out.read_text())
    assert document["synth:left_out"] == {"who": "holds e-mail addresses"}

    taking_in = subprocess.run(
        [*command, "--take", "who", "--overwrite"], capture_output=True, text=True, check=True
    )
    assert "Column 'who' is open: it holds e-mail addresses." in taking_in.stderr

    assert finish(document).missing_values == ("", "4")
    assert finish(document).columns[0].labels

    misspelt = subprocess.run(
        [*command, "--date", "d"], capture_output=True, text=True, check=False
    )
    assert misspelt.returncode == 2
    assert "such as --date visit=31.12.2019" in misspelt.stderr


def test_a_column_that_is_nearly_empty_is_a_question(tmp_path: Path) -> None:
    """The steward is asked about a column that is nearly empty; its values will be mostly
    noise.

    Of 3,000 rows 60 have an appeal, so 98 % are empty; 300 have visits, which are enough.
    """
    rows = [
        ["FM"[n % 2], str(n % 9) if n < 60 else "", str(n % 9) if n < 300 else ""]
        for n in range(3_000)
    ]
    path = write(tmp_path / "t.csv", ["sex", "appeal", "visits"], rows)

    look = profile_table(open_table(path))

    assert [column.name for column in look.columns if column.review] == ["appeal"]
    assert (
        "'appeal' is filled in 60 of 3,000 rows; those values would be noise" in look.notes[0]
    )
    assert not look.left_out

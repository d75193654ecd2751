"""Labels of a code book or of the table's own file, in a look at the rows."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.cli.main import main
from synth.domain import LOOKED_UP, Domain, finish
from synth.private.counting import fit_shares, profile_table
from synth.private.table import open_table
from synth.util import Document, Json
from tests.tables import write


def label_values(labels: dict[str, str]) -> list[Json]:
    """Labels as a field has them."""
    return [{"value": code, "label": label} for code, label in labels.items()]


def look_at(path: Path, book: dict[str, Document] | None = None) -> dict[str, Any]:
    """The drafted fields, by column."""
    look = profile_table(open_table(path), book=book)
    return {column.name: column.field for column in look.columns}


def column_of(path: Path, values: list[str]) -> Path:
    """A table of one column."""
    return write(path, ["answer"], [[value] for value in values])


YES_NO: Document = {
    "name": "answer",
    "type": "string",
    "description": "Do you agree?",
    "categories": label_values({"1": "yes", "2": "no", "3": "maybe"}),
    "constraints": {"enum": ["1", "2", "3"], "required": False},
    "synth:outside": "cell",
    "synth:open_list": True,
    "missingValues": ["", {"value": "8", "label": "refused"}],
}
SCALE: Document = {
    "name": "answer",
    "type": "integer",
    "synth:labels": label_values({"0": "worst", "40": "best"}),
}


def test_labelled_values_are_the_list_if_all_values_are_among_them(tmp_path: Path) -> None:
    """Labelled values become the list, also those that no row has; 8 is a reason for
    missing.
    """
    path = column_of(tmp_path / "t.csv", ["1", "2", "8", ""] * 20)
    field = look_at(path, {"answer": YES_NO})["answer"]
    assert field["constraints"] == {"enum": ["1", "2", "3", "8"], "required": False}
    assert field["categories"] == [
        *label_values({"1": "yes", "2": "no", "3": "maybe", "8": "refused"})
    ]
    assert field["missingValues"] == YES_NO["missingValues"]
    assert field["description"] == "Do you agree?"
    assert not {"synth:open_list", "synth:outside"} & field.keys()


def test_a_list_with_other_values_keeps_them(tmp_path: Path) -> None:
    """4 has no label, and is a value all the same."""
    path = column_of(tmp_path / "t.csv", ["1", "2", "4", "8"] * 20)
    field = look_at(path, {"answer": YES_NO})["answer"]
    assert field["constraints"]["enum"] == ["1", "2", "3", "4", "8"]
    assert field["categories"][3:] == ["4", {"value": "8", "label": "refused"}]


def test_a_scale_labelled_at_its_ends_stays_a_number(tmp_path: Path) -> None:
    """A scale from 0 to 40 with labels at its ends alone stays a column of whole numbers."""
    path = column_of(tmp_path / "t.csv", [str(number % 41) for number in range(2_000)])
    field = look_at(path, {"answer": SCALE})["answer"]
    assert field["type"] == "integer"
    assert field["synth:labels"] == SCALE["synth:labels"]
    assert finish({"fields": [field]})["answer"].meanings == {"0": "worst", "40": "best"}


@pytest.mark.parametrize("rows", [0, 9])
def test_few_rows_say_nothing_of_a_list(rows: int, tmp_path: Path) -> None:
    """Whether all values have a label would be said of single rows."""
    path = column_of(tmp_path / "t.csv", ["1"] * rows)
    assert look_at(path, {"answer": YES_NO})["answer"] == YES_NO


def test_a_spelling_that_was_typed_counts_beside_those_of_a_column(tmp_path: Path) -> None:
    """A typed spelling of missing values counts together with the column's own ones."""
    path = column_of(tmp_path / "t.csv", ["1", "2", "8", "?"] * 20)
    look = profile_table(open_table(path), None, ("", "?"), book={"answer": YES_NO})
    assert look.columns[0].field["missingValues"] == [
        "",
        {"value": "8", "label": "refused"},
        "?",
    ]
    assert finish(look.schema())["answer"].reasons == ("8",)


def save_survey(path: Path) -> Path:
    """An SPSS file with full labels, labels of a scale, and missing codes of one column."""
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame(
        {
            "edu": [1.0, 2, 3, 8, 9] * 40,
            "hours": [0.0, 8, 9, 12] * 50,
            "scale": [float(number % 41) for number in range(200)],
        }
    )
    pyreadstat.write_sav(
        frame,
        path,
        variable_value_labels={
            "edu": {1: "low", 2: "middle", 3: "high", 8: "refused", 9: "unknown"},
            "scale": {0: "worst", 40: "best"},
        },
        missing_ranges={"edu": [8, 9]},
    )
    return path


def test_a_look_takes_the_labels_of_the_files_own(tmp_path: Path) -> None:
    """In SPSS files 8 and 9 may be missing in one column, and hours in another."""
    draft = synth.draft(save_survey(tmp_path / "t.sav"))
    edu, hours, scale = (draft.domain[name] for name in ("edu", "hours", "scale"))
    assert draft.domain.origin == LOOKED_UP
    assert edu.cells == ("1", "2", "3", "8", "9", "(missing)")
    assert edu.titles[-3:] == ("8 · refused", "9 · unknown", "(missing)")
    assert edu.reasons == ("8", "9")
    assert edu.missing_meanings == {"8": "refused", "9": "unknown"}
    assert hours.missing_values is None
    assert scale.meanings == {"0": "worst", "40": "best"}


def test_a_look_completes_a_code_book(tmp_path: Path) -> None:
    """What the book says in full stays so; what it leaves open comes from the rows."""
    rows = [[str(number % 3), str(number % 50), "x"] for number in range(600)]
    path = write(tmp_path / "t.csv", ["sex", "hours", "town"], rows)
    sheet = tmp_path / "book.csv"
    sheet.write_text(
        "name,type,values,missing\nsex,,0=f;1=m;2=x;3=no answer,\nhours,integer,,49=refused\n"
    )
    draft = synth.draft(path, codebook=sheet)
    assert draft.domain["sex"].labels == ("0", "1", "2", "3")
    hours = draft.domain["hours"]
    assert hours.missing_values == ("", "49")
    assert draft.domain["town"].labels == ("x",)

    out = tmp_path / "d.json"
    options = ["--look", "--codebook", str(sheet), "--out", str(out)]
    assert main(["domain", "draft", str(path), *options]) == 0
    assert Domain.from_schema(out) == draft.domain


def test_reasons_beside_numbers_keep_their_cells(tmp_path: Path) -> None:
    """97 and -8 mean a missing income for two reasons; 99 has no label, and is missing."""
    numbers = [str(number % 60) for number in range(900)]
    path = column_of(tmp_path / "t.csv", numbers + ["97", "-8", "99"] * 50)
    reasons = label_values({"97": "refused", "-8": "not asked"})
    field = {"name": "answer", "type": "integer", "missingValues": ["", *reasons, "99"]}
    drafted = look_at(path, {"answer": field})["answer"]
    column = finish({"fields": [drafted]})["answer"]
    assert column.reasons == ("97", "-8")
    assert {title for title in column.titles if "·" in title} == {
        "97 · refused",
        "-8 · not asked",
    }
    shares = fit_shares(open_table(path), Domain([column]))
    assert (shares.missing, shares.columns) == ({"answer": 50}, {"answer": 1_050})


def test_a_code_within_the_bounds_is_missing(tmp_path: Path) -> None:
    """As 30 may be an income in other columns, here it is a missing one."""
    path = column_of(tmp_path / "t.csv", [str(number % 60) for number in range(900)])
    codes = ["", *label_values({"30": "refused"})]
    book: Document = {"name": "answer", "type": "integer", "missingValues": codes}
    column = finish({"fields": [look_at(path, {"answer": book})["answer"]]})["answer"]
    assert column.reasons == ()
    shares = fit_shares(open_table(path), Domain([column]))
    assert shares.missing == {"answer": 15}

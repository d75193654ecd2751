"""Signs: texts among numbers or dates that are none, each with a cell of its own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import synth
from synth.domain import (
    Binned,
    Categorical,
    Date,
    Domain,
    Integer,
    Number,
    Outside,
    read_field,
    write_field,
)
from synth.errors import DomainError
from synth.private.counting import count
from synth.private.table import open_table
from synth.rows import decode, encode_columns
from tests.tables import write

CRP = Integer(
    name="crp",
    minimum=5,
    maximum=200,
    bins=2,
    spikes=(-7,),
    signs=("<5", ">200", "n.d."),
    meanings={"<5": "below the limit of detection", "-7": "no sample"},
    missing=True,
    outside=Outside.CELL,
)


def test_signs_come_after_all_values_and_before_the_other_cells() -> None:
    """The cells are those of values, then of signs as declared, then missing and outside."""
    values = ("-7", "5 to 102", "103 to 200")
    assert CRP.cells == (*values, "<5", ">200", "n.d.", "(missing)", "(other)")
    assert CRP.sign_codes == {"<5": 3, ">200": 4, "n.d.": 5}
    assert (CRP.value_cells, CRP.missing_code, CRP.other_code, CRP.size) == (3, 6, 7, 8)
    assert CRP.titles[3] == "<5 · below the limit of detection"
    words = (
        "a cell of their own for -7 = no sample | <5 = below the limit of detection | >200"
    )
    assert words in CRP.in_words


def test_signs_and_their_labels_reload_equal() -> None:
    """A field of signs is read back with its labels, from Python too."""
    field = write_field(CRP)
    labelled = {"value": "<5", "label": "below the limit of detection"}
    assert field["synth:signs"] == [labelled, ">200", "n.d."]
    again = read_field(field, 1)
    assert (again, again.meanings) == (CRP, CRP.meanings)
    declared = synth.Domain(x=synth.Number(0, 9, signs={"<1": "low", "-": "none"}))["x"]
    assert declared.signs == ("<1", "-")
    assert declared.titles[-2:] == ("<1 · low", "- · none")
    due = synth.Domain(due=synth.Date("2024-01-01", "2024-12-31", signs=["not yet"]))["due"]
    assert due.cells[-1] == "not yet"


@pytest.mark.parametrize("rule", list(Outside))
def test_a_sign_is_counted_in_its_cell_under_every_rule(
    rule: Outside, tmp_path: Path
) -> None:
    """A sign is compared exactly, after blanks are trimmed, and is never an outside value.

    "<5 " has a blank, "< 5" is another text, and "n.d." also is declared missing for the
    table: the column's own declaration comes first.
    """
    column = Integer(
        name="x",
        minimum=1,
        maximum=9,
        bins=1,
        signs=("<5", "n.d."),
        missing=True,
        outside=rule,
    )
    texts = ["<5", "<5 ", "n.d.", "N.D.", "< 5", "", "4"]
    path = write(tmp_path / "t.csv", ["x"], [[text] for text in texts])
    counts = count(open_table(path), Domain((column,), ("", "n.d.")))
    rows_by_cell = dict(
        zip([column.cells[c] for c in counts.cells], counts.counts.tolist(), strict=True)
    )
    assert (rows_by_cell["1 to 9"], rows_by_cell["<5"], rows_by_cell["n.d."]) == (1, 2, 1)
    others = {Outside.CELL: {"(other)": 2, "(missing)": 1}, Outside.DROP: {"(missing)": 1}}
    expected = {"1 to 9": 1, "<5": 2, "n.d.": 1} | others.get(rule, {"(missing)": 3})
    assert rows_by_cell == expected


@pytest.mark.parametrize(
    "column",
    [
        CRP,
        Number(name="x", minimum=0, maximum=1, bins=2, signs=(".", "1.2.3"), missing=True),
        Date(
            name="x",
            minimum="2024-01",
            maximum="2024-12",
            format="%Y-%m",
            signs=("?", "never"),
        ),
    ],
    ids=["integer", "number", "date"],
)
def test_drawn_rows_hold_the_signs_and_are_read_as_the_same_cells(
    column: Binned, tmp_path: Path
) -> None:
    """Rows of every cell are written as a CSV file, read as a table, and counted the same."""
    domain = Domain((column,))
    codes = np.repeat(np.arange(column.size, dtype=np.int32), 20)
    table = decode(domain, [codes]).table
    assert np.array_equal(encode_columns(domain, table)[0], codes)
    texts = [["" if text is None else str(text)] for text in table[column.name].to_pylist()]
    path = write(tmp_path / "t.csv", [column.name], texts)
    counts = count(open_table(path), domain)
    assert counts.counts.tolist() == [20] * column.size


def test_a_mean_leaves_signs_out(tmp_path: Path) -> None:
    """A mean, a median and a comparison are those of the numbers alone.

    A third of the rows are "<5", and a sixth are the code -7 below the bounds. The others
    are 10 and 20. An epsilon of 100 leaves next to no noise.
    """
    domain = Domain((CRP,))
    texts = [["<5"], ["<5"], ["-7"], ["10"], ["20"], ["20"]] * 300
    path = write(tmp_path / "t.csv", ["crp"], texts)
    questions = [
        "mean crp",
        "median crp",
        "count where crp = '<5'",
        "count where crp <= 10",
        "count where crp != '<5'",
        "count where crp is missing",
    ]
    answers = synth.ask(path, domain, questions, epsilon=100, ledger=False)
    estimates = [float(answer.value[0]) for answer in answers.answers]
    assert estimates == pytest.approx([50 / 3, 20, 600, 300, 1200, 0], abs=1.5)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Integer(name="x", minimum=0, maximum=9, signs=("4.5",)), "read as a value"),
        (
            lambda: Integer(name="x", minimum=0, maximum=9, signs=("1e300",)),
            "read as a value",
        ),
        (
            lambda: Number(name="x", minimum=0, maximum=9, signs=("a", "a")),
            "the sign 'a' twice",
        ),
        (lambda: Number(name="x", minimum=0, maximum=9, signs=(" a",)), "padded with blanks"),
        (lambda: Number(name="x", minimum=0, maximum=9, signs=("a\tb",)), "invisible"),
        (lambda: Number(name="x", minimum=0, maximum=9, signs=("",)), "is empty"),
        (lambda: Number(name="x", minimum=0, maximum=9, signs=("s" * 51,)), "51 characters"),
        (lambda: Number(name="x", minimum=0, maximum=9, signs=("(other)",)), "another cell"),
        (
            lambda: Integer(name="x", minimum=0, maximum=9, bins=1, signs=("0 to 9",)),
            "another",
        ),
        (
            lambda: Integer(
                name="x", minimum=0, maximum=9, signs=tuple(map("s{}".format, range(101)))
            ),
            "declares 101 signs; the limit is 100",
        ),
        (
            lambda: Date(
                name="x", minimum="2024-01-01", maximum="2024-12-31", signs=("2025-01-01",)
            ),
            "read as a value",
        ),
        (lambda: Categorical(name="x", categories=("a",), signs=("b",)), "has no signs"),
        (lambda: synth.Integer(0, 9, signs="<5"), "a list of texts"),
        (
            lambda: read_field({"name": "x", "type": "boolean", "synth:signs": ["b"]}, 1),
            "which are for numbers and dates",
        ),
    ],
)
def test_what_cannot_be_a_sign_is_refused(declare: Any, message: str) -> None:
    """A sign must be a short text that is no value and has no other meaning."""
    with pytest.raises(DomainError, match=message):
        declare()

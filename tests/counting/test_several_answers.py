"""Cells with several answers are named for what they are."""

import random

import pandas as pd
import pytest

import synth
from synth.private.counting.several_answers import find_separator


def answers_of(separator: str, options: list[str]) -> pd.DataFrame:
    """Return 600 answers to a question with several choices, each chosen by half."""
    draw = random.Random(3)
    cells = []
    for _ in range(600):
        chosen = [option for option in options if draw.random() < 0.5]
        cells.append(separator.join(chosen or options[:1]))
    return pd.DataFrame({"q": cells})


@pytest.mark.parametrize(
    ("separator", "name"),
    [(",", "commas"), (";", "semicolons"), ("|", "vertical bars"), (" ", "blanks")],
)
@pytest.mark.parametrize("options", [["1", "2", "3", "4"], ["red", "green", "blue"]])
def test_several_answers_in_a_cell_are_said(
    separator: str, name: str, options: list[str]
) -> None:
    """The note says what the column holds, and the combinations come out as they went in."""
    frame = answers_of(separator, options)
    drafted = synth.draft(frame)
    (note,) = [note for note in drafted.notes if "'q'" in note]
    assert "it holds several answers in one cell" in note
    assert f"with {name} between them, of {len(options)} options" in note
    assert {*drafted.domain["q"].labels} <= {*frame["q"]}


@pytest.mark.parametrize(
    "texts",
    [
        ["0,5", "1", "1,5", "2", "2,5", "3", "3,5"],
        ["1,2", "2,1", "3", "1", "2", "3,1"],
        ["very good", "good", "rather good", "bad", "very bad", "rather bad", "neither"],
        ["Smith, Ann", "Jones, Ben", "Smith, Eve", "Brown, Tom"],
        ["New York", "New Jersey", "York", "San Jose", "San Diego"],
        ["1 300", "1 200", "300", "200", "2 300"],
        ["2020-01-05 10:00", "2020-01-06 10:00", "2020-01-07 11:00"],
        ["a", "b", "c"],
        ["1;;2", "1;2", "1;3", "1", "2", "3"],
        ["x,x", "x,y", "y,y", "x", "y"],
    ],
)
def test_other_texts_with_such_marks_are_no_lists_of_answers(texts: list[str]) -> None:
    """Decimal commas, numbers in groups, phrases, names and moments hold one value each."""
    assert find_separator(texts) == ""

"""The words that type checkers know are the words that the functions take."""

from collections.abc import Iterable
from typing import get_args

import pytest

from synth.analysis import About
from synth.api import option_names
from synth.bundle.exports.registry import FORMATS
from synth.domain.building import OutsideName, PeriodName
from synth.domain.column import Outside
from synth.domain.periods import Period
from synth.estimate import ASKED_WAYS, Favour, Method, Repair
from synth.privacy import Neighbors
from synth.private.table import parse_format

WORDS: list[tuple[object, Iterable[str]]] = [
    (option_names.MethodName, Method),
    (option_names.NeighborsName, Neighbors),
    (option_names.RepairName, Repair),
    (option_names.FavourName, Favour),
    (option_names.WayOption, ("auto", *ASKED_WAYS)),
    (option_names.AboutName, About),
    (option_names.FormatName, FORMATS),
    (option_names.RowsFormatName, ("csv", *FORMATS)),
    (OutsideName, Outside),
    (PeriodName, Period),
]
READING = {
    "lines": option_names.LinesName,
    "line_end": option_names.LineEndName,
    "ragged": option_names.RaggedName,
    "decimal": option_names.DecimalName,
}


@pytest.mark.parametrize(("names", "words"), WORDS)
def test_types_name_all_words(names: object, words: Iterable[str]) -> None:
    """The types of public functions list exactly the words behind them."""
    assert set(get_args(names)) == {str(word) for word in words}


@pytest.mark.parametrize("option", READING)
def test_words_of_reading_are_read(option: str) -> None:
    """Each word that a type lists for an option of reading is one that the reader takes."""
    for word in get_args(READING[option]):
        assert getattr(parse_format([f"{option}={word}"]), option) == word

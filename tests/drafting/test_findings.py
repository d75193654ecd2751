"""What noisy shapes say of a column, with the counts given by hand."""

import numpy as np
import pytest

from synth.drafting import (
    ERAS,
    FOLLOWED,
    MISSING,
    SENTINELS,
    WHOLE,
    AxisColumn,
    Candidates,
    Finding,
    NoKind,
    Shapes,
    TextColumn,
    find,
    missing_found,
    year_start,
)
from synth.drafting.findings import EMPTY, LONG_TEXTS, ORDER, TOO_FEW

SHAPES = Shapes(Candidates().list_values("a"))
SCALE = 1.0


def found(**rows: int | dict[int, int]) -> Finding:
    """The finding of exact rows by section, at the start of it or by place in it."""
    return find(SHAPES, counts(**rows), SCALE)


def counts(**rows: int | dict[int, int]) -> np.ndarray:
    values = np.zeros(SHAPES.size, np.int64)
    for section, given in rows.items():
        for place, count in (given if isinstance(given, dict) else {0: given}).items():
            values[SHAPES.start(section) + place] = count
    return values


def place(line: tuple[str, ...], which: int, era: int) -> int:
    return FOLLOWED.index((line, which)) * (len(ERAS) + 1) + era


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ({}, TOO_FEW),
        ({"blank": 900}, EMPTY),
        ({"long": 500, "text": 400}, LONG_TEXTS),
        ({"mailbox": 500}, LONG_TEXTS),
        ({"beyond": 500}, "too large"),
    ],
)
def test_what_cannot_be_settled_says_why(rows: dict[str, int], reason: str) -> None:
    nothing = found(**rows)
    assert isinstance(nothing, NoKind)
    assert reason in nothing.reason


def test_dates_are_settled_where_their_order_is_told() -> None:
    slashes = ("%d/%m/%Y", "%m/%d/%Y")
    both, first = place(slashes, 3, 5), place(slashes, 1, 5)
    assert found(date={both: 900}) == NoKind(ORDER)
    told = found(date={both: 400, first: 500})
    assert isinstance(told, AxisColumn)
    assert told.cuts.format == "%d/%m/%Y"
    ends = (told.cuts.cuts[0], told.cuts.cuts[-1])
    assert ends == (year_start(2010), year_start(2020))
    mixed = found(date={first: 500, place(slashes, 2, 5): 400})
    assert isinstance(mixed, NoKind)


def test_sentinels_stand_apart_and_numbers_are_whole_or_not() -> None:
    ages = {WHOLE.middle + 5: 500, WHOLE.middle + 4: 300}
    whole = found(whole=ages, sentinel={SENTINELS.index(999): 60})
    assert isinstance(whole, AxisColumn)
    assert (whole.cuts.step, whole.cuts.apart, whole.rows) == (1, (999,), 800)
    assert (whole.cuts.cuts[0], whole.cuts.cuts[-1]) == (10, 50)
    mixed = found(whole=ages, decimal={60: 300})
    assert isinstance(mixed, AxisColumn)
    assert not mixed.cuts.step
    alone = found(sentinel={SENTINELS.index(99): 500})
    assert isinstance(alone, AxisColumn)
    assert alone.cuts.apart == ()


def test_texts_are_listed_where_the_lists_cover_nearly_all() -> None:
    yes, no = (SHAPES.listed.index(text) for text in ("yes", "no"))
    assert found(listed={yes: 500, no: 400}, text=50) == TextColumn(("yes", "no"), 950)
    assert found(listed={yes: 500}, text=400) == TextColumn((), 900)
    assert found(zeros=500, whole=400) == TextColumn((), 900)


def test_missing_spellings_are_those_that_stand_out() -> None:
    values = counts(missing={MISSING.index("?"): 40, MISSING.index("NA"): 2})
    assert missing_found(SHAPES, values, SCALE) == ("?",)

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

# The shapes that are told apart in a column "a", and the noise scale of their counts.
SHAPES = Shapes(Candidates().list_values("a"))
SCALE = 1.0


def find_in(**rows: int | dict[int, int]) -> Finding:
    """Return what is found where sections of shapes have these counts, without noise.

    A number is the count of the first cell of a section, and a mapping has counts by place.
    """
    return find(SHAPES, count_by_section(**rows), SCALE)


def count_by_section(**rows: int | dict[int, int]) -> np.ndarray:
    """Return the counts of all shapes; a number stands for a count at the start of its
    section.
    """
    values = np.zeros(SHAPES.size, np.int64)
    for section, cells_or_count in rows.items():
        cells = cells_or_count if isinstance(cells_or_count, dict) else {0: cells_or_count}
        for cell, count in cells.items():
            values[SHAPES.start(section) + cell] = count
    return values


def date_cell(line: tuple[str, ...], bits: int, era: int) -> int:
    """The cell of dates of an era that these formats of a line read, one bit for each."""
    return FOLLOWED.index((line, bits)) * (len(ERAS) + 1) + era


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
    """A column whose kind cannot be settled stays open, with the reason.

    Each case has counts by section of shapes: no rows, blank cells, long texts, mail
    addresses, too large numbers.
    """
    nothing = find_in(**rows)
    assert isinstance(nothing, NoKind)
    assert reason in nothing.reason


def test_dates_are_settled_where_their_order_is_told() -> None:
    """Dates with slashes are settled only if some rows show whether day or month comes first.

    The format has one bit for each order: 3 fits both, 1 the day first, 2 the month first.
    Era 5 is from 2010 to 2020.
    """
    slashes = ("%d/%m/%Y", "%m/%d/%Y")
    either_first, day_first = date_cell(slashes, 3, 5), date_cell(slashes, 1, 5)

    assert find_in(date={either_first: 900}) == NoKind(ORDER)

    finding = find_in(date={either_first: 400, day_first: 500})
    assert isinstance(finding, AxisColumn)
    assert finding.cuts.format == "%d/%m/%Y"
    ends = (finding.cuts.cuts[0], finding.cuts.cuts[-1])
    assert ends == (year_start(2010), year_start(2020))

    contradicting = find_in(date={day_first: 500, date_cell(slashes, 2, 5): 400})
    assert isinstance(contradicting, NoKind)


def test_sentinels_stand_apart_and_numbers_are_whole_or_not() -> None:
    """A sentinel such as 999 gets a cell apart from the bounds, and decimal numbers end steps
    of one. The cells of whole numbers used here are those from 10 to 19 and from 20 to 49. If
    sentinels are the only numbers, none stands apart.
    """
    ages = {WHOLE.middle + 5: 500, WHOLE.middle + 4: 300}
    whole_numbers = find_in(whole=ages, sentinel={SENTINELS.index(999): 60})
    assert isinstance(whole_numbers, AxisColumn)
    assert whole_numbers.cuts.step == 1
    assert whole_numbers.cuts.apart == (999,)
    assert whole_numbers.rows == 500 + 300
    assert (whole_numbers.cuts.cuts[0], whole_numbers.cuts.cuts[-1]) == (10, 50)

    mixed = find_in(whole=ages, decimal={60: 300})
    assert isinstance(mixed, AxisColumn)
    assert not mixed.cuts.step

    only_sentinels = find_in(sentinel={SENTINELS.index(99): 500})
    assert isinstance(only_sentinels, AxisColumn)
    assert only_sentinels.cuts.apart == ()


def test_texts_are_listed_where_the_lists_cover_nearly_all() -> None:
    """Listed texts become categories if they cover at least nine tenths of the rows.

    900 of 950 rows are enough, and 500 of 900 are not. Zeros in front of numbers make the
    column one of texts.
    """
    yes, no = (SHAPES.listed.index(text) for text in ("yes", "no"))
    assert find_in(listed={yes: 500, no: 400}, text=50) == TextColumn(("yes", "no"), 950)
    assert find_in(listed={yes: 500}, text=400) == TextColumn((), 900)
    assert find_in(zeros=500, whole=400) == TextColumn((), 900)


def test_missing_spellings_are_those_that_stand_out() -> None:
    values = count_by_section(missing={MISSING.index("?"): 40, MISSING.index("NA"): 2})
    assert missing_found(SHAPES, values, SCALE) == ("?",)

"""The shape of a column as a few bars: rows of cells, spread over bars of one width."""

from pathlib import Path

import pytest

from synth.domain import Categorical, Column, Date, Integer, Number, Outside, Period
from synth.errors import TableError
from synth.private.counting import count_bars
from synth.private.counting.pictures import MAX_BARS, list_bars
from synth.private.table import open_table

TOWNS = tuple(f"town {n}" for n in range(30))


@pytest.mark.parametrize(
    ("column", "counts", "bars"),
    [
        (Categorical(name="a", categories=("x", "y")), [3, 4], (3, 4)),
        # Missing values, signs and others have no bar.
        (
            Integer(name="a", minimum=0, maximum=1, bins=2, signs=("<5",), missing=True),
            [3, 4, 5, 6],
            (3, 4),
        ),
        # Twenty bins of one width: each bar holds a bin and two thirds of another.
        (
            Integer(name="a", minimum=0, maximum=199, bins=20),
            [30] * 20,
            (50,) * MAX_BARS,
        ),
        # The code 999 beyond the bounds would squeeze all others into one bar.
        (
            Integer(name="a", minimum=0, maximum=23, bins=24, spikes=("999",)),
            [1] * 24 + [500],
            (2,) * MAX_BARS,
        ),
        # Narrow bins first, and one wide bin for all others.
        (
            Number(
                name="a",
                minimum=0,
                maximum=120,
                edges=(*map(str, range(0, 21)), "120"),
            ),
            [0] * 20 + [100],
            (0, 0, *[10] * 10),
        ),
    ],
)
def test_bars_of_a_column(column: Column, counts: list[int], bars: tuple[int, ...]) -> None:
    assert list_bars(column, counts) == bars


def test_long_lists_share_bars_and_lose_no_row() -> None:
    """Thirty towns have twelve bars, from the first three towns to the last two."""
    bars = list_bars(Categorical(name="town", categories=TOWNS), [*range(30)])
    assert len(bars) == MAX_BARS
    assert (sum(bars), bars[0], bars[-1]) == (sum(range(30)), 0 + 1 + 2, 28 + 29)


def test_a_rule_that_drops_rows_drops_them_from_its_own_column_only(tmp_path: Path) -> None:
    """Of 40 rows 10 have a strange sex, which its column drops; their ages are counted."""
    path = tmp_path / "t.csv"
    rows = [f"{'fm'[n % 2] if n % 4 else 'x'},{n},2024-0{1 + n % 3}-05" for n in range(40)]
    path.write_text("sex,age,day\n" + "\n".join(rows) + "\n")
    columns = (
        Categorical(name="sex", categories=("f", "m"), outside=Outside.DROP),
        Integer(name="age", minimum=0, maximum=39, bins=2),
        Date(name="day", minimum="2024-01-01", maximum="2024-03-31", period=Period.MONTH),
    )
    bars = count_bars(open_table(path), columns)
    assert bars == {"sex": (10, 20), "age": (20, 20), "day": (14, 13, 13)}
    assert count_bars(open_table(path), ()) == {}

    with pytest.raises(TableError, match="'town'"):
        count_bars(open_table(path), [Categorical(name="town", categories=TOWNS)])

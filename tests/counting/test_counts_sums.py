"""Sums by cell: by hand, by search over neighbours, and whatever the order of the rows."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from synth.domain import Categorical, Date, Domain, Integer, Number, Outside, Steps, steps_of
from synth.errors import ArgumentError, TableError
from synth.privacy import ROW, Unit
from synth.private.counting import DuckDB, Summed, count, count_sums
from synth.private.table import DEFAULT, Format, PrivateTable, open_table
from tests.tables import write

SEX = Categorical(name="sex", categories=("F", "M"), outside="cell")
HOURS = Integer(
    name="hours", minimum=1, maximum=98, edges=(1, 35, 98), spikes=(40, 0, 999), missing=True
)
GRID = Steps(column=1, middle=50.0, grid=1.0, most=48)


def counts_and_sums_by_cell(group_sums: Summed) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Counts and sums by the codes of the cells."""
    codes = np.transpose(
        np.unravel_index(group_sums.counts.cells, group_sums.counts.domain.shape)
    )
    columns = zip(group_sums.counts.counts.tolist(), *group_sums.sums.T.tolist(), strict=True)
    return dict(zip(map(tuple, codes.tolist()), columns, strict=True))


def sum_cells(
    path: Path, column: Integer | Number | Date, cells: Sequence[str], steps: Steps
) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Count and sum a column of these cells; "" and "-9" are spellings of a missing value."""
    table = write(path / "t.csv", [column.name], [[cell] for cell in cells])
    return counts_and_sums_by_cell(
        count_sums(open_table(table), Domain((column,), ("", "-9")), [steps])
    )


def write_hours(folder: Path, rows: int = 2_000) -> tuple[PrivateTable, Domain, list[Steps]]:
    """A table of persons with numbers, dates, codes and gaps, and some grids."""
    draw = np.random.default_rng(7)
    cells = [
        [
            f"p{draw.integers(rows // 4)}",
            draw.choice(["F", "M", "X"]),
            draw.choice([*map(str, range(-5, 110)), "", "999", "0", "39.5", "x"]),
            repr(draw.uniform(-1, 11)),
            str(np.datetime64("2019-12-20") + draw.integers(400)),
        ]
        for _ in range(rows)
    ]
    table = write(folder / "t.csv", ["pid", "sex", "hours", "pay", "day"], cells)
    pay = Number(name="pay", minimum=0, maximum=10, bins=2)
    day = Date(name="day", minimum="2020-01-01", maximum="2020-12-31", bins=2)
    sums = [
        GRID,
        Steps(column=2, middle=5.0, grid=0.0024, most=2048),
        Steps(column=1, middle=50.0, grid=4.0, most=11),
    ]
    return (
        open_table(table),
        Domain((SEX, HOURS, pay, day)),
        [*sums, Steps(column=3, middle=1.6e9, grid=1e5, most=500)],
    )


def test_sums_by_hand(tmp_path: Path) -> None:
    """Counts and sums of each cell are those that are worked out here by hand.

    Spikes, missing and unknown texts add nothing; values outside the bounds add what the
    bound adds. The first sum adds steps of 1 from the middle, 50, and at most 48 of them. In
    the second a step is 100 wide, so every value is nearest to step 0.
    """
    cells = ["1", "34", "34.9", "40", "41", "98", "99", "1e400", "-7", "0", "999", "", "x"]
    rows = [["F", cell] for cell in cells] + [["M", "50"], ["X", "51"], ["X", "52"]]
    path = write(tmp_path / "t.csv", ["sex", "hours"], rows)

    summed = count_sums(
        open_table(path),
        Domain((SEX, HOURS)),
        [GRID, Steps(column=1, middle=50.0, grid=100.0, most=1)],
    )

    assert repr(summed) == "Summed(private)"
    assert HOURS.cells == ("0", "1 to 34", "35 to 39", "40", "41 to 98", "999", "(missing)")

    assert counts_and_sums_by_cell(summed) == {
        (0, 0): (1, 0, 0),
        # 1, 34, 34.9 and -7: both 1 and -7 are 49 steps below 50, clipped to 48.
        (0, 1): (4, -49 + 1 - 16 - 16 - 49 + 1, 0),
        (0, 3): (1, -10, 0),
        (0, 4): (4, -9 + 48 + 48 + 48, 0),
        (0, 5): (1, 0, 0),
        (0, 6): (2, 0, 0),
        (1, 4): (1, 0, 0),
        (2, 4): (2, 1 + 2, 0),
    }


@pytest.mark.parametrize("rule", [Outside.CELL, Outside.MISSING, Outside.DROP])
def test_what_is_outside_adds_nothing_under_other_rules(
    tmp_path: Path, rule: Outside
) -> None:
    """Values outside the bounds add nothing, unless the rule puts them into the nearest bin.

    Only 10 and 9.5 are inside. From the middle 0 they are 10 and 9.5 steps, and half a step
    is rounded away from the middle, so they add 20.
    """
    pay = Number(name="pay", minimum=0, maximum=10, bins=1, missing=True, outside=rule)
    by_cell = sum_cells(
        tmp_path,
        pay,
        ["10", "9.5", "11", "-0.1", "inf", "-9", "x"],
        Steps(column=0, middle=0, grid=1, most=10),
    )

    assert by_cell[(0,)] == (2, 20)
    assert [cell for cell, (_, total) in by_cell.items() if total] == [(0,)]


def test_a_missing_value_within_the_bounds_adds_nothing(tmp_path: Path) -> None:
    """A declared spelling of a missing value adds nothing, although it is a number within
    bounds.

    "-9" is such a spelling. "-9.0" is not, so -9.0 and 3 add -6.
    """
    pay = Number(name="pay", minimum=-10, maximum=10, bins=1, missing=True)
    assert sum_cells(
        tmp_path, pay, ["-9", "-9.0", "3"], Steps(column=0, middle=0.0, grid=1.0, most=10)
    ) == {
        (0,): (2, -6),
        (1,): (1, 0),
    }


def test_halves_of_a_step_are_rounded_to_both_sides_alike(tmp_path: Path) -> None:
    """Half a step is rounded away from the middle, on both sides.

    The middle is 5 and a step is 1: 3.5 is 1.5 steps below it and adds -2, as 6.5 adds 2.
    """
    pay = Number(name="pay", minimum=0, maximum=10, bins=1)
    halves = {"3.5": -2, "4.5": -1, "2.75": -2, "5.0": 0, "5.5": 1, "6.5": 2, "7.25": 2}

    for cell, added in halves.items():
        assert sum_cells(
            tmp_path, pay, [cell], Steps(column=0, middle=5.0, grid=1.0, most=5)
        ) == {(0,): (1, added)}


def test_dates_add_their_day(tmp_path: Path) -> None:
    """A date adds its days since 1970, and dates outside add what the nearest bound adds.

    A step is a day of 86,400 seconds. The last day counts to its end, so its hour 23 adds 10,
    as the bound does. A date of 1971 adds the same. A date of 1969 adds what the first day
    does.
    """
    day = Date(
        name="d", minimum="1970-01-02", maximum="1970-01-11", bins=1, format="%Y-%m-%d %H"
    )
    cells = [
        "1970-01-02 00",
        "1970-01-02 23",
        "1970-01-11 23",
        "1971-01-01 00",
        "1969-01-01 05",
    ]

    by_cell = sum_cells(
        tmp_path, day, cells, Steps(column=0, middle=0.0, grid=86_400.0, most=20)
    )

    assert by_cell == {(0,): (5, 1 + 1 + 10 + 10 + 1)}


def test_sums_are_those_of_the_same_operations_in_numpy(tmp_path: Path) -> None:
    """The engine's sums are those of the same operations on floats in NumPy.

    The values are at the edge between two steps, or the next float beside it. There an engine
    that rounds in another way would differ.
    """
    draw = np.random.default_rng(3)
    for middle, grid in ((0.1, 0.1), (1 / 3, 0.7), (5.0, 10 / 4096)):
        steps = Steps(column=0, middle=middle, grid=grid, most=2048)
        edges = middle + (np.arange(-40, 41) - 0.5) * grid
        values = np.concatenate([edges, np.nextafter(edges, 9), np.nextafter(edges, -9)])
        values = np.concatenate(
            [values[(values >= 0) & (values <= 10)], draw.uniform(0, 10, 50)]
        )

        pay = Number(name="pay", minimum=0, maximum=10, bins=1)
        # As the file has them: texts of these floats.
        for i, value in enumerate(values):
            values[i] = float(repr(float(value)))

        by_cell = sum_cells(tmp_path, pay, [repr(float(v)) for v in values], steps)
        assert by_cell == {(0,): (len(values), int(steps_of(values, steps).sum()))}


@pytest.mark.parametrize("unit", [ROW, Unit("pid", 2)], ids=["row", "person"])
def test_neither_the_order_of_rows_nor_threads_matter(tmp_path: Path, unit: Unit) -> None:
    """Counts and sums do not depend on the order of the file or on the number of threads.

    The counts are those of a count without sums. Every sum has a cell in which it is not 0,
    so the comparison is not empty.
    """
    table, domain, sums = write_hours(tmp_path)
    header, *lines = table.data.read_text().splitlines()

    expected = count_sums(table, domain, sums, unit=unit)
    plain = count(table, domain, unit)

    assert expected.counts.cells.tolist() == plain.cells.tolist()
    assert expected.counts.counts.tolist() == plain.counts.tolist()
    assert expected.counts.rows == plain.rows
    assert (expected.sums != 0).any(axis=0).all()

    for seed in range(3):
        np.random.default_rng(seed).shuffle(lines)
        table.data.write_text("\n".join([header, *lines]) + "\n")
        with DuckDB(threads=1 + seed) as engine:
            cells, counts, added, _ = engine.sums(
                open_table(table.data), domain, sums, unit=unit
            )
        assert cells.tolist() == expected.counts.cells.tolist()
        assert counts.tolist() == expected.counts.counts.tolist()
        assert added.tolist() == expected.sums.tolist()


def test_which_rows_of_a_person_count_where_they_share_a_cell(tmp_path: Path) -> None:
    """If rows of one person share a cell, a hash of person, cell and number decides which
    counts.

    Each of 60 persons has three numbers in cell 2, that are 14, 13 and 11 steps below 50. One
    row of each counts. Over persons no number is preferred: each is chosen more than 5 times.
    """
    rows = [[f"p{i}", "F", value] for i in range(60) for value in ("36", "37", "39")]
    path = write(tmp_path / "t.csv", ["pid", "sex", "hours"], rows)
    domain, unit = Domain((SEX, HOURS)), Unit("pid", 1)
    by_cell = counts_and_sums_by_cell(count_sums(open_table(path), domain, [GRID], unit=unit))

    cell = 2
    chosen = [
        min(
            (-14, -13, -11),
            key=lambda steps: hashlib.md5(f"p{i}/{cell}/{steps}".encode()).hexdigest(),
        )
        for i in range(60)
    ]

    assert by_cell == {(0, 2): (60, sum(chosen))}
    assert min(map(chosen.count, (-14, -13, -11))) > 5


@pytest.mark.parametrize("max_rows", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_one_person_moves_a_sum_by_so_many_rows_at_most(
    tmp_path: Path, max_rows: int
) -> None:
    """One person changes a sum of steps from -1 to 1 by at most 2 for each of her used rows.

    All sets of one row more than is used are tried for Ann, among rows of others. 1 is a step
    below the middle, 98 a step above it; the other values add nothing. The bound is reached.
    """
    values = ("1", "50", "98", "999", "")
    steps = Steps(column=0, middle=49.5, grid=48.5, most=1)
    domain, unit = Domain((HOURS,)), Unit("pid", max_rows)
    rows_of_others = [["bob", "98"], ["bob", "1"], ["eve", "50"]]

    sums = []
    for hours_of_ann in product(values, repeat=max_rows + 1):
        rows = [["ann", hours] for hours in hours_of_ann] + rows_of_others
        table = open_table(write(tmp_path / "t.csv", ["pid", "hours"], rows))
        sums.append(int(count_sums(table, domain, [steps], unit=unit).sums.sum()))

    assert max(sums) - min(sums) == 2 * max_rows


@pytest.mark.slow
def test_universes_of_several_words(tmp_path: Path) -> None:
    """Domains with more cells than a 64-bit integer counts are counted and summed.

    Six columns of 10,000 bins have 10^24 cells. Of each row k the last column holds 5 k,
    which is what the first sum adds: 5, twice 10, and 5,000. The first column is always 0,
    and adds 0.
    """
    wide = [Integer(name=f"i{n}", minimum=0, maximum=9_999, bins=10_000) for n in range(6)]
    domain = Domain(tuple(wide))
    rows = [[str(n * k) for n in range(6)] for k in (1, 2, 2, 1_000)]
    table = open_table(write(tmp_path / "t.csv", list(domain.names), rows))

    summed = count_sums(
        table,
        domain,
        [
            Steps(column=5, middle=0.0, grid=1.0, most=10_000),
            Steps(column=0, middle=0.0, grid=1.0, most=1),
        ],
    )

    assert summed.counts.counts.tolist() == [1, 2, 1]
    assert summed.sums.tolist() == [[5, 0], [20, 0], [5_000, 0]]


def test_a_sum_beyond_32_bits_and_no_rows_at_all(tmp_path: Path) -> None:
    """A sum may exceed 32 bits, and a table without rows has no cells.

    98 is far more than 2^20 steps of 1e-5, so each of 5,000 rows adds the most, 2^20.
    """
    steps = Steps(column=0, middle=0.0, grid=1e-5, most=2**20)
    hour = Integer(name="h", minimum=0, maximum=98, bins=1)

    assert sum_cells(tmp_path, hour, ["98"] * 5_000, steps) == {(0,): (5_000, 5_000 * 2**20)}
    assert sum_cells(tmp_path, hour, [], steps) == {}


NUMBERS: dict[str, list[float | None]] = {
    "double": [
        0.1,
        7.0,
        -9.0,
        1e400,
        -1e400,
        float("nan"),
        -0.0,
        5e-324,
        1e300,
        9.999,
        None,
        10.0,
    ],
    "float": [
        0.1,
        7.0,
        -9.0,
        1e400,
        -1e400,
        float("nan"),
        -0.0,
        1e-40,
        1e30,
        9.999,
        None,
        10.0,
    ],
    "int64": [7, -9, 0, 10, 11, None, 2**53 + 1, -(2**63), 2**63 - 1, 3, 1, 5],
    "uint8": [7, 9, 0, 10, 11, None, 255, 1, 2, 3, 4, 5],
}

WHOLE_NUMBER_TEXTS = {"7.0": "7", "-9.0": "-9", "-0.0": "0", "10.0": "10"}
"""What whole numbers of a float column are called, as those of other columns are."""


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("comma", [False, True])
def test_what_a_file_has_as_numbers_counts_as_its_text(
    tmp_path: Path, kind: str, comma: bool
) -> None:
    """A column that a file stores as numbers counts as the same column stored as texts.

    This holds for counts, for sums, and where the column names the persons. A format with a
    decimal comma changes nothing for stored numbers.
    """
    array = pa.array(NUMBERS[kind], pa.type_for_alias(kind))
    path = tmp_path / "t.parquet"

    connection = duckdb.connect()
    frame = pa.table({"x": array, "y": array})
    duckdb_texts = (
        connection.sql("SELECT x::VARCHAR AS x FROM frame").to_arrow_table()["x"].to_pylist()
    )
    written_texts = [
        None if text is None else WHOLE_NUMBER_TEXTS.get(text, text) for text in duckdb_texts
    ]
    texts = pa.table({"x": written_texts, "y": written_texts})

    form = Format(decimal=",") if comma else DEFAULT
    whole_column = Integer(
        name="x", minimum=-10, maximum=10, bins=20, missing=True, spikes=(255,)
    )
    real_column = Number(
        name="y", minimum=0, maximum=10, bins=10, outside="cell", missing=True
    )
    domain = Domain((whole_column, real_column), ("7", "7.0", "-9", "inf"))

    sums = [
        Steps(column=0, middle=0.0, grid=1.0, most=10),
        Steps(column=1, middle=0.0, grid=0.001, most=10_000),
    ]

    for unit in (ROW, Unit("x", 1), Unit("y", 2)):
        sums_by_storage = []
        for stored in (frame, texts):
            parquet.write_table(stored, path)
            table = replace(open_table(path), form=form)
            sums_by_storage.append(
                counts_and_sums_by_cell(count_sums(table, domain, sums, unit=unit))
            )
        assert sums_by_storage[0] == sums_by_storage[1]
        assert len(sums_by_storage[0]) > 2


def test_a_sum_needs_numbers_and_the_column(tmp_path: Path) -> None:
    """A sum of a list, or of a column that the table lacks, is refused in words."""
    table = open_table(write(tmp_path / "t.csv", ["sex"], [["F"]]))

    with pytest.raises(ArgumentError, match=r"Column 'sex' \(.*\) holds no numbers"):
        count_sums(table, Domain((SEX,)), [Steps(column=0, middle=0.0, grid=1.0, most=1)])
    with pytest.raises(TableError, match="no column 'hours'"):
        count_sums(table, Domain((HOURS,)), [Steps(column=0, middle=0.0, grid=1.0, most=1)])

"""Counting: an independent reader agrees, and neighbours differ by the stated sensitivity."""

import math
from collections import Counter
from datetime import datetime, timedelta
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synth.domain import Domain, Outside, check_dense
from synth.domain.building import Categorical, Date, Integer, Number
from synth.errors import LimitError, TableError
from synth.privacy import Neighbors
from synth.private.counting import Engine, codes, count, sql
from synth.private.counting.counts import CodedRows
from synth.private.table import open_table
from tests.counting.contract import EngineContract
from tests.tables import MIXED, ROWS, cells, write


class TestDuckDB(EngineContract):
    engine = Engine.DUCKDB


def count_by_cell(path: Path, domain: Domain) -> Counter[int]:
    """Count the file with the default engine, and return the count of each occupied cell."""
    counts = count(open_table(path), domain)
    return Counter(dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True)))


def test_codes_are_the_digits_of_the_cells(tmp_path: Path) -> None:
    """The codes of a row, one by column, give the number of the cell that a plain reader
    finds.
    """
    path = write(tmp_path / "t.csv", list(MIXED.names), ROWS)
    codes_by_column = codes(open_table(path), MIXED)
    assert sorted(np.ravel_multi_index(codes_by_column, MIXED.shape).tolist()) == sorted(
        cells(MIXED, ROWS)
    )


ODD = [
    "",
    "NA",
    "a",
    "b",
    " a ",
    "7",
    " 7 ",
    "7.0",
    "-3",
    "1e400",
    "-inf",
    "nan",
    "0x1",
    "it's",
]
texts = st.one_of(
    st.sampled_from(ODD),
    st.text(
        st.characters(
            codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\xa0"
        ),
        max_size=4,
    ),
    st.floats().map(repr),
)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=8), data=st.data())
def test_every_row_falls_in_one_cell_or_is_dropped_by_rule(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], data: st.DataObject
) -> None:
    """For any texts and rules, the engine counts the cells that a plain Python reader finds.

    Rules for missing values and values outside are drawn at random for a list and for whole
    numbers. Two texts of each row are odd, or numbers, or anything.
    """

    def draw_rule(missing: bool, nearest: bool) -> Outside | None:
        allowed = [None, Outside.CELL, Outside.DROP]
        allowed += [Outside.MISSING] * missing + [Outside.NEAREST] * nearest
        return data.draw(st.sampled_from(allowed))

    missing = data.draw(st.booleans())
    # A short list of categories is compared; a long one is looked up.
    further_categories = data.draw(st.sampled_from([(), tuple("bdefghjk")]))
    blank = data.draw(st.sampled_from([("", "NA"), ("NA", "7")]))  # 7 is within the bounds

    categories, outside = ("a", "it's", *further_categories), draw_rule(missing, False)
    domain = Domain(
        c=Categorical(categories, missing=missing, outside=outside),
        i=Integer(-3, 9, bins=4, missing=missing, outside=draw_rule(missing, True)),
        missing_values=blank,
    )
    # Python trims more kinds of blanks than the engine does; the domain's rule is spaces
    # only.
    trimmed_rows = [[cell.replace("\u3000", "x") for cell in row] for row in rows]
    trimmed_rows = [
        [c if c.strip() == c.strip(" ") else "z" for c in row] for row in trimmed_rows
    ]

    path = write(tmp_path_factory.mktemp("t") / "t.csv", ["c", "i"], trimmed_rows)
    assert count_by_cell(path, domain) == Counter(cells(domain, trimmed_rows))


@pytest.mark.parametrize(
    ("neighbors", "sensitivity"), [("replace-one", 2), ("add-remove", 1)]
)
def test_sensitivity_over_all_neighbours_of_small_tables(
    tmp_path: Path, neighbors: str, sensitivity: int
) -> None:
    """No neighbour of a small table differs in its counts by more than the stated
    sensitivity.

    All neighbours of a table of two rows are tried, with readable, missing and undeclared
    values. A replaced row changes two counts, an added or removed one a single count.
    """
    domain = Domain(a=Categorical(["x", "y"], missing=True), b=["0", "1"])
    values = [list(row) for row in product(("x", "y", "", "?"), ("0", "1", "7"))]
    base = [values[0], values[4]]

    def count_densely(rows: list[list[str]]) -> np.ndarray:
        return count(open_table(write(tmp_path / "t.csv", ["a", "b"], rows)), domain).dense()

    if neighbors == "replace-one":
        neighbours = [[base[0], row] for row in values]
    else:
        neighbours = [[*base, row] for row in values] + [base[:1]]

    distances = [
        int(np.abs(count_densely(base) - count_densely(neighbour)).sum())
        for neighbour in neighbours
    ]

    counts = count(open_table(tmp_path / "t.csv"), domain)
    assert max(distances) == sensitivity == counts.sensitivity(Neighbors(neighbors))


def test_a_large_universe_is_refused_before_reading() -> None:
    """A domain with far too many cells is refused before any row is read.

    Three columns of 1,000 bins have 10^9 cells, of 32 bytes each. The sentence names a column
    that could be coarser: 67 of its cells, times a million, stay below the limit of 2^26.
    """
    domain = Domain(dict.fromkeys(("age", "pay", "tax"), Integer(0, 999, bins=1000)))
    size_sentence = (
        r"has 1,000,000,000 cells; .* about 32 GB of memory, and the limit is 67,108,864 "
        r"cells\."
    )

    with pytest.raises(
        LimitError, match=rf"{size_sentence} Coarsen or leave out 'age' \(1,000 cells; 67 wo"
    ):
        check_dense(domain)


def test_the_table_is_read_only_through_declared_columns(tmp_path: Path) -> None:
    """A declared column that the table lacks is refused, with the name of a similar one.

    The sentence ends there, and does not name the undeclared column "secret".
    """
    path = write(tmp_path / "t.csv", ["Sex", "secret"], [["F", "42"]])
    domain = Domain(sex=["F", "M"])
    with pytest.raises(TableError, match=r"no column 'sex'; it has a similar one, 'Sex'\.$"):
        count(open_table(path), domain)


@pytest.mark.slow
def test_many_categories_and_bins(tmp_path: Path) -> None:
    """A list of 20,000 categories and 2,001 bins are counted as by a plain Python reader."""
    names = tuple(f"code {i:05}" for i in range(20_000))
    domain = Domain(c=names, i=Integer(0, 2_000, bins=2_001))
    rows = [[names[i], str(i // 10)] for i in range(0, 20_000, 7)]

    path = write(tmp_path / "t.csv", ["c", "i"], rows)
    assert count_by_cell(path, domain) == Counter(cells(domain, rows))


@pytest.mark.parametrize("bins", [9, 64, 97, 100])
def test_even_bins_by_arithmetic_are_the_declared_ones(tmp_path: Path, bins: int) -> None:
    """Both ends of every bin are counted in that bin, for whole numbers and for dates.

    Even bins are found by arithmetic, which must agree with the declared edges. The rows hold
    the first and the last value of each bin, negative ones and days before 1970 among them.
    """
    domain = Domain(
        i=Integer(-7, 92, bins=bins),
        wide=Integer(-(10**11), 10**11, bins=bins),
        d=Date("1969-12-01", "1970-03-11", bins=bins),
    )
    starts = [column.starts for column in domain.columns]  # type: ignore[attr-defined]

    rows = []
    for i in range(bins):
        for end in (0, 1):  # the first value of the bin, and the last
            edges = [s[i] if end == 0 else s[i + 1] - 1 for s in starts]
            day = datetime(1970, 1, 1) + timedelta(days=edges[2])
            rows.append([str(edges[0]), f"{edges[1]}{'.9' * end}", day.date().isoformat()])
    rows += [["-7.0", "-99999999999.5", "1970-01-01"], ["91.99", "0", "1969-12-31"]]

    path = write(tmp_path / "t.csv", ["i", "wide", "d"], rows)
    assert count_by_cell(path, domain) == Counter(cells(domain, rows))


@pytest.mark.parametrize(
    ("low", "high", "bins"), [(0, 100_000, 256), (-3, 5, 64), (10**6, 10**6 + 1, 128)]
)
def test_real_numbers_next_to_the_ends_of_equal_bins_are_counted_as_by_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, low: int, high: int, bins: int
) -> None:
    """The number at an end of a bin, and the ones just below and above it, are in their bins.

    Arithmetic finds these bins; comparisons with all ends find the same.
    """
    domain = Domain(x=Number(low, high, bins=bins))
    cutting = domain.columns[0].cutting
    assert cutting is not None
    assert sql._equal_steps(cutting.bins) is not None
    numbers = [
        math.nextafter(float(end), toward)
        for end in (*(bin.low for bin in cutting.bins), high)
        for toward in (-math.inf, float(end), math.inf)
    ]
    path = write(tmp_path / "t.csv", ["x"], [[repr(number)] for number in numbers])

    counts = count_by_cell(path, domain)
    monkeypatch.setattr(sql, "_equal_steps", lambda _: None)

    assert counts == count_by_cell(path, domain)
    assert min(counts.values()) >= 3
    assert len(counts) >= bins


def test_bins_that_doubles_do_not_cut_in_equal_steps_are_compared_with_all_ends() -> None:
    """3 times a tenth is not the double next to 3 tenths. Far from 0, steps are rounded."""
    for low, high, bins in ((0, 1, 10), (2**45, 2**45 + 1, 16), (0, 8, sql.LINEAR_BINS)):
        cutting = Domain(x=Number(low, high, bins=bins)).columns[0].cutting
        assert cutting is not None
        assert sql._equal_steps(cutting.bins) is None


@pytest.mark.parametrize("kind", [np.uint8, np.int32])
@pytest.mark.parametrize("size", [30, 50_000])
def test_rows_held_as_codes_are_counted_in_any_order_of_asking(size: int, kind: type) -> None:
    """Marginals of held rows are right, in whatever order they are asked for.

    They are compared with a plain sum by cell in NumPy.
    """
    rng = np.random.default_rng(5)
    code_columns = [rng.integers(0, cells, size).astype(kind) for cells in MIXED.shape]
    rows = CodedRows(domain=MIXED, codes=code_columns, rows=size)

    columns = range(len(code_columns))
    groups = [
        *combinations(columns, 2),
        *((column,) for column in columns),
        (0, 1, 2),
        tuple(columns),
    ]

    for index in rng.permutation(len(groups)):
        group = groups[index]
        counts, shape = rows.count(group), [MIXED.shape[column] for column in group]
        expected = np.zeros(shape, dtype=np.int64)
        np.add.at(expected, tuple(code_columns[column] for column in group), 1)

        assert counts.domain.names == tuple(MIXED.names[column] for column in group)
        assert (counts.dense().reshape(shape) == expected).all()
        assert (counts.counts > 0).all()
        assert counts.rows == size

"""Statistics of a file, true or forged, decide nothing: each cell is read by itself."""

import struct
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from synth.domain import Boolean, Categorical, Column, Date, Domain, Integer, Number, Outside
from synth.estimate import MomentSum
from synth.foreign import parent
from synth.private.counting import DuckDB, add_moments, count
from synth.private.table import open_any, open_table
from tests.counting.coding import coded
from tests.fuzz.neighbour_files import read_here
from tests.fuzz.neighbours import Reader, histogram_distance, histogram_of
from tests.table.typed import STORED

NAN, INFINITE = float("nan"), float("inf")
LAST = (2.0, NAN, None, INFINITE, -INFINITE, 2.0**53, 1e16, -1e300)
"""Values of the one row that differs."""
BINS = Number(name="x", minimum=0, maximum=10, bins=2, missing=True)
DROPPING = Number(name="x", minimum=0, maximum=10, bins=2, outside=Outside.DROP)
DOMAINS = {
    "cell": Domain((BINS,)),
    "nothing is missing": Domain((BINS,), missing_values=()),
    "drop": Domain((DROPPING,)),
    "drop, nothing is missing": Domain((DROPPING,), missing_values=()),
}


def ones_with_a_last_value(last: float | None) -> pa.Table:
    """Ones, as many that are no numbers, and one more value."""
    return pa.table({"x": pa.array([1.0, NAN] * 20 + [last], pa.float64())})


def save_parquet(folder: Path, frame: pa.Table) -> Path:
    parquet.write_table(frame, folder / "t.parquet")
    return folder / "t.parquet"


def save_groups(folder: Path, frame: pa.Table) -> Path:
    parquet.write_table(frame, folder / "g.parquet", row_group_size=4)
    return folder / "g.parquet"


def save_folder(folder: Path, frame: pa.Table) -> Path:
    parts = folder / "parts"
    parts.mkdir(exist_ok=True)
    parquet.write_table(frame.slice(0, 6), parts / "a.parquet")
    parquet.write_table(frame.slice(6), parts / "b.parquet")
    return parts


def save_feather(folder: Path, frame: pa.Table) -> Path:
    feather.write_feather(frame, str(folder / "t.feather"))
    return folder / "t.feather"


def save_stream(folder: Path, frame: pa.Table) -> Path:
    with pa.ipc.new_stream(str(folder / "t.arrows"), frame.schema) as stream:
        stream.write_table(frame)
    return folder / "t.arrows"


def save_duckdb(folder: Path, frame: pa.Table) -> Path:
    path = folder / "t.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as file:
        file.register("given", frame)
        file.execute("CREATE TABLE t AS SELECT * FROM given")
        file.unregister("given")
    return path


def save_by_duckdb(folder: Path, frame: pa.Table) -> Path:
    path = folder / "d.parquet"
    with duckdb.connect() as database:
        database.from_arrow(frame).write_parquet(str(path))
    return path


def save_by_polars(folder: Path, frame: pa.Table) -> Path:
    pl.DataFrame(pl.from_arrow(frame)).write_parquet(folder / "p.parquet")
    return folder / "p.parquet"


def save_by_pandas(folder: Path, frame: pa.Table) -> Path:
    frame.to_pandas().to_parquet(folder / "q.parquet")
    return folder / "q.parquet"


WAYS: dict[str, Callable[[Path, pa.Table], Any]] = {
    "parquet": save_parquet,
    "parquet of small row groups": save_groups,
    "folder": save_folder,
    "feather": save_feather,
    "arrow stream": save_stream,
    "duckdb": save_duckdb,
    "parquet by duckdb": save_by_duckdb,
    "parquet by polars": save_by_polars,
    "parquet by pandas": save_by_pandas,
    "batches": lambda _, frame: frame.to_batches(),
    "arrow": lambda _, frame: frame,
    "pandas": lambda _, frame: frame.to_pandas(),
    "polars": lambda _, frame: pl.from_arrow(frame),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.first_case
def test_one_value_moves_one_row(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one value of a column changes, the histogram changes by at most 2, whatever the
    value is.

    The engine once used a file's statistics: one very large or infinite number then made it
    read all NaN as numbers. Every pair of tables with another last value is compared, for
    each kind of file or frame.
    """
    # Files are read in this process, as a process for each would take longest.
    monkeypatch.setattr(parent, "run_child", read_here)
    tables = []
    for number, last_value in enumerate(LAST):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        tables.append(open_any(WAYS[way](folder, ones_with_a_last_value(last_value))))

    for name, domain in DOMAINS.items():
        with Reader() as engine:
            histograms = [engine.histogram(table, domain) for table in tables]
        distances = [histogram_distance(*pair) for pair in combinations(histograms, 2)]
        assert max(distances) <= 2, name


def test_one_value_moves_no_more_in_any_question(tmp_path: Path) -> None:
    """One very large value changes sums and codes by no more than one row may, and no row is
    lost.

    A row adds at most 4,096 steps to a sum, so a changed row moves it by twice that at most.
    The sums once differed by 2,052,915. Each table has 41 rows.
    """
    sums = [MomentSum(columns=(0,), by=()), MomentSum(columns=(0,), by=(0,))]
    domain = DOMAINS["cell"]
    added, codes, fits = [], [], []

    for last_value in (2.0, 1e16):
        table = open_table(save_parquet(tmp_path, ones_with_a_last_value(last_value)))
        moments = add_moments(table, domain, sums).sums
        added.append(np.concatenate([np.ravel(moments[moment_sum]) for moment_sum in sums]))
        codes.append(histogram_of(coded(table, domain).count([0])))
        with DuckDB() as engine:
            fits.append(engine.fits(table, domain))
            assert len(engine.readings(table, domain)["x"][0]) == 41

    max_steps = 4096  # the most that one row adds
    assert np.abs(added[0] - added[1]).max() <= 2 * max_steps
    assert histogram_distance(*codes) == 2
    assert fits[0] == fits[1]


def declare_columns(name: str) -> list[Column]:
    """Columns of every kind; each keeps all rows."""
    words = ("x", "y", "1", "7", "true", "1.5", "1970-01-01")
    days = {"minimum": "1960-01-01", "maximum": "2030-12-31", "bins": 3}
    rule: dict[str, Any] = {"name": name, "missing": True, "outside": Outside.CELL}
    near = {
        **rule,
        "outside": Outside.NEAREST,
    }  # what is no number has another cell than a far one
    return [
        Categorical(**rule, categories=words),
        Categorical(**rule, categories=(*words, *map(str, range(100, 110)))),
        Boolean(**rule, true_values=("true", "1"), false_values=("false", "0")),
        Integer(**near, minimum=-20, maximum=99, bins=12),
        Number(**near, minimum=0, maximum=10, bins=2, spikes=("1.5",)),
        Date(**near, format="%Y-%m-%d", **days),
        Date(**near, format="%Y-%m-%d %H:%M:%S", time=True, **days),
    ]


WRITTEN: tuple[dict[str, Any], ...] = (
    {"write_statistics": False},
    {"write_statistics": True, "write_page_index": True, "row_group_size": 4},
)
"""How a file may be written; the first one tells nothing of its rows."""


def codes_of(path: Path, engine: Reader) -> list[list[int]]:
    """The codes of all rows of a column, by each of its declarations."""
    codes = []
    for column in declare_columns("x"):
        spellings = [("", "NA", "nan", "1"), *[()] * isinstance(column, Integer | Number)]
        for missing in spellings:
            domain = Domain((column,), missing)
            try:
                # A table that was read cell by cell stays so: each question has its own.
                codes.append(engine.codes(open_table(path), domain)[0].tolist())
            finally:
                engine._renew()
    return codes


def check_alike(array: pa.Array, folder: Path) -> None:
    """Columns of seven cells: the first value, each other one, and the one that follows."""
    size = len(array)
    with Reader(threads=1, ordered=True) as engine:
        for i in range(size):
            indices = [0, i, (i + 1) % size]
            cells = [array.slice(index, 1) for index in (*indices, *indices, 0)]
            frame = pa.table({"x": pa.concat_arrays(cells)})
            answers = []
            for index, options in enumerate(WRITTEN):
                path = folder / f"{i}-{index}.parquet"
                parquet.write_table(frame, path, **options)
                answers.append(codes_of(path, engine))
            assert answers[0] == answers[1], indices
            assert all(len(codes) == 7 for codes in answers[0])


# A second that is no millisecond cannot be written, nor can one that is too far out.
FILED = {name: array for name, array in STORED.items() if "timestamp[s" not in name}


SOME = {
    "doubles": pa.array([1.0, 1e16, NAN, None]),
    "integers": pa.array([1, 2**53 + 1, None]),
    "texts": pa.array(["1", "", None]),
}


@pytest.mark.parametrize("name", SOME)
def test_some_values_are_read_alike_with_statistics_and_without(
    name: str, tmp_path: Path
) -> None:
    check_alike(SOME[name], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILED)
def test_every_type_is_read_alike_with_statistics_and_without(
    name: str, tmp_path: Path
) -> None:
    check_alike(FILED[name], tmp_path)


def forge(path: Path, true: bytes, false: bytes) -> None:
    """Replace bytes of a footer, which holds the statistics, by as many."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:]
    assert true in footer
    assert len(true) == len(false)
    path.write_bytes(content[:start] + footer.replace(true, false))


DAYS = Date(name="x", minimum="2000-01-01", maximum="2029-12-31", bins=3, missing=True)
WHOLE = Integer(name="x", minimum=0, maximum=99, bins=5, missing=True)
WORDS = Categorical(name="x", categories=("a", "b", "zz"), missing=True)
NO_GAP, TWO_GAPS, ALL_GAPS = b"\x16\x00", b"\x16\x04", b"\x16\x12"
"""Numbers of missing values in a footer, after the least value."""
FORGED = {
    "all numbers are equal": (pa.array([5] * 3 + [70] * 4), WHOLE, ("<q", 70), ("<q", 5)),
    "numbers are far": (pa.array([5] * 3 + [70] * 4), WHOLE, ("<q", 70), ("<q", 1000)),
    "none is no number": (pa.array([1.0, NAN] * 3 + [7.0]), BINS, ("<d", 7.0), ("<d", 1e16)),
    "all floats are equal": (pa.array([1.0] * 3 + [7.0] * 4), BINS, ("<d", 7.0), ("<d", 1.0)),
    "all days are equal": (
        pa.array([11_000] * 3 + [19_000] * 4, pa.int32()).view(pa.date32()),
        DAYS,
        ("<i", 19_000),
        ("<i", 11_000),
    ),
    "all words are equal": (
        pa.array(["a"] * 3 + ["b"] * 4),
        WORDS,
        ("<2s", b"\1b"),
        ("<2s", b"\1a"),
    ),
    "none is missing": (
        pa.array([5] * 3 + [None] * 2 + [70] * 4),
        WHOLE,
        ("<q2s", 5, TWO_GAPS),
        ("<q2s", 5, NO_GAP),
    ),
    "all are missing": (
        pa.array([5] * 3 + [None] * 2 + [70] * 4),
        WHOLE,
        ("<q2s", 5, TWO_GAPS),
        ("<q2s", 5, ALL_GAPS),
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_statistics_change_no_cell(name: str, tmp_path: Path) -> None:
    """False statistics in a Parquet file change no count.

    The footer's least, largest or missing number is replaced, so that it claims what the
    parameter's id says. The counts must be those of the same file without statistics.
    """
    array, column, true, false = FORGED[name]
    domain, frame = Domain((column,)), pa.table({"x": array})

    options: dict[str, Any] = {
        "use_dictionary": False,
        "compression": "none",
        "store_schema": False,
    }

    parquet.write_table(frame, tmp_path / "t.parquet", **options)
    parquet.write_table(frame, tmp_path / "none.parquet", write_statistics=False, **options)
    forge(tmp_path / "t.parquet", struct.pack(*true), struct.pack(*false))

    forged, without_statistics = (
        count(open_table(tmp_path / f"{stem}.parquet"), domain) for stem in ("t", "none")
    )

    assert forged.dense().tolist() == without_statistics.dense().tolist()
    assert forged.rows == without_statistics.rows == len(array)

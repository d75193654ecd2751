"""Drawing: exact sums, unbiased rounding, values inside their cells, the law of a bin."""

import csv
import hashlib
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import stats

from synth import limits
from synth.domain import Date, Domain, Integer, Number, building
from synth.errors import ArgumentError, LimitError, ReleaseError
from synth.estimate import Distribution, Repair
from synth.private.counting import codes
from synth.private.table import open_table
from synth.rows import SyntheticTable, decode, draw_rows, values, write, write_parquet
from synth.rows.draw import round_systematically
from synth.util import split_cells
from tests.tables import MIXED

# The chance that a test fails although the law holds.
ALPHA = 1e-6


def make_distribution(domain: Domain, cells: list[int], weights: list[float]) -> Distribution:
    """A distribution with these weights in these cells, and none in the others."""
    total = round(sum(weights))
    return Distribution(
        domain=domain,
        cells=np.array(cells),
        weights=np.array(weights, float),
        total=total,
        repair=Repair.NEAREST,
    )


def write_csv(table: SyntheticTable, path: Path) -> None:
    write.write_csv(table.parts(), path, missing=table.domain.missing_marker)


def test_rounding_is_floor_or_ceiling_with_the_exact_sum() -> None:
    """Random rounding takes each cell's share up or down to a whole number, with a fixed sum.

    1,000 random weights share 5,000 rows. Each count differs from its exact share by less
    than 1.
    """
    rng = np.random.default_rng()
    weights = rng.exponential(size=1000)
    shares = weights * 5000 / weights.sum()
    copies = round_systematically(weights, 5000, rng)
    assert copies.sum() == 5000
    assert (np.abs(copies - shares) < 1 + 1e-9).all()


def test_rounding_is_unbiased() -> None:
    """On average over many roundings each cell has exactly its share of the rows.

    The weights sum to 4, as do the rows. The bound is 5.5 standard errors of a mean of 20,000
    roundings, so a false alarm has a chance below one in a million.
    """
    rng = np.random.default_rng()
    weights = np.array([0.1, 0.3, 0.6, 2.5, 0.5])
    repeats = 20_000
    mean = sum(round_systematically(weights, 4, rng) for _ in range(repeats)) / repeats
    # Each count is one of two neighbours, so its standard deviation is at most a half.
    assert (np.abs(mean - weights) < 5.5 * 0.5 / np.sqrt(repeats)).all()


def test_rows_are_the_copies_of_the_cells_in_random_order() -> None:
    """Whole weights are drawn as exactly so many rows, in random order.

    Every seventh cell of the domain has a weight from 1 to 5, which sum to the number of
    rows.
    """
    cells = list(range(MIXED.size))[::7]
    weights = np.arange(len(cells)) % 5 + 1.0
    table = draw_rows(make_distribution(MIXED, cells, weights.tolist()))
    drawn_cells = np.ravel_multi_index(table.codes, MIXED.shape)
    assert np.bincount(drawn_cells, minlength=MIXED.size)[cells].tolist() == weights.tolist()
    assert not (np.diff(drawn_cells) >= 0).all(), "the rows are sorted by cell"


def test_written_rows_read_back_as_the_same_codes(tmp_path: Path) -> None:
    """A synthetic CSV file of all cells of a domain is counted as these cells again.

    `MIXED` has columns of all kinds; the file has one row for each of its cells.
    """
    all_cells = np.arange(MIXED.size)
    table = decode(MIXED, split_cells(all_cells, MIXED.shape))
    write_csv(table, tmp_path / "s.csv")

    read_codes = codes(open_table(tmp_path / "s.csv"), MIXED)
    read_cells = np.ravel_multi_index(read_codes, MIXED.shape)
    assert sorted(read_cells.tolist()) == all_cells.tolist()


def test_how_values_are_written(tmp_path: Path) -> None:
    """Values are written by their declaration: labels in full, dates by their pattern.

    Missing is the declared word NA, and a number outside its bounds is (other). The rows are
    all twelve cells in order. ``c`` has three cells and changes every four rows, ``i`` two
    and changes every two, ``n`` two and changes every row.
    """
    domain = Domain(
        c=building.Categorical(['say "hi", now', "007"], missing=True),
        i=building.Integer(5, 5, missing=True),
        n=building.Number("-2", "-1", bins=1, outside="cell"),
        d=building.Date("2024-02-29", "2024-02-29", format="%d/%m/%Y"),
        missing_values=("NA",),
    )
    every = split_cells(np.arange(domain.size), domain.shape)
    write_csv(decode(domain, every), tmp_path / "s.csv")
    rows = list(csv.reader((tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()))

    assert rows[0] == ["c", "i", "n", "d"]
    assert [row[0] for row in rows[1::4]] == ['say "hi", now', "007", "NA"]
    assert [row[1] for row in rows[1:5]] == ["5", "5", "NA", "NA"]
    assert [row[2] == "(other)" for row in rows[1:5]] == [False, True, False, True]
    assert all(-2 <= float(row[2]) <= -1 for row in rows[1::2])
    assert {row[3] for row in rows[1:]} == {"29/02/2024"}


@pytest.mark.parametrize(
    "column",
    [
        Integer(name="x", minimum=10, maximum=29, bins=1),
        Date(name="x", minimum="2024-01-01", maximum="2024-01-20", bins=1),
        Number(name="x", minimum="0.1", maximum="2", bins=1, decimals=1),
    ],
    ids=lambda column: column.kind,
)
def test_values_are_uniform_within_their_bin(column: Integer | Date | Number) -> None:
    """Each value of a bin is drawn equally often: whole numbers, days and decimal numbers.

    Each column has one bin of 20 values.
    """
    rows = 40_000
    table = draw_rows(make_distribution(Domain((column,)), [0], [rows]))
    _, counts = np.unique(np.array(table.table["x"].to_pylist()), return_counts=True)
    assert len(counts) == 20
    assert stats.chisquare(counts).pvalue > ALPHA


def test_no_weight_at_all_is_the_uniform_distribution() -> None:
    """If no cell has any weight, rows are drawn uniformly from all cells.

    A chi-squared test of 20 expected rows a cell.
    """
    table = draw_rows(make_distribution(MIXED, [], []), rows=20 * MIXED.size)
    drawn_cells = np.ravel_multi_index(table.codes, MIXED.shape)
    assert stats.chisquare(np.bincount(drawn_cells, minlength=MIXED.size)).pvalue > ALPHA


def test_negative_weights_draw_no_rows() -> None:
    """A cell of negative weight gets no row: of cells 1 and 2 only cell 2 is drawn."""
    table = draw_rows(make_distribution(MIXED, [1, 2], [-5.0, 10.0]), rows=10)
    assert set(np.ravel_multi_index(table.codes, MIXED.shape)) == {2}


def test_rows_that_cannot_be_drawn_or_written_are_refused(tmp_path: Path) -> None:
    """Too few or too many rows, or a folder that is not there, are refused by a sentence.

    Too few are less than none, and too many are above the limit of a billion.
    """
    one_row = make_distribution(MIXED, [0], [1.0])
    with pytest.raises(ArgumentError, match="rows must be a whole number of at least 0"):
        draw_rows(one_row, rows=-1)
    with pytest.raises(LimitError, match="2,000,000,000 rows are more than the limit"):
        draw_rows(one_row, rows=2 * 10**9)
    with pytest.raises(ReleaseError, match="cannot be written"):
        write_csv(draw_rows(one_row), tmp_path / "no" / "such" / "folder.csv")


def test_csv_and_parquet_agree_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CSV and the Parquet file of a table hold the same values in the same order.

    They are written in pieces of seven rows, and the table has each cell of `MIXED` once.
    """
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 7)
    all_cells = np.arange(MIXED.size)
    table = decode(MIXED, split_cells(all_cells, MIXED.shape))
    write_csv(table, tmp_path / "s.csv")
    write_parquet(table.parts(), tmp_path / "s.parquet")

    read_table = parquet.read_table(tmp_path / "s.parquet")
    assert read_table.num_rows == table.rows == MIXED.size
    for name in MIXED.names:
        assert read_table[name].to_pylist() == table.table[name].to_pylist()

    with (tmp_path / "s.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    expected_texts = [
        ["" if v is None else str(v) for v in read_table[name].to_pylist()]
        for name in MIXED.names
    ]
    for name, column, texts in zip(
        MIXED.names, zip(*rows, strict=True), expected_texts, strict=True
    ):
        if name == "weight":  # 1.0 is written as 1, and a value outside as (other)
            written, expected = (
                [float(text) for text in some_texts if text != "(other)"]
                for some_texts in (column, texts)
            )
            assert written == expected
        else:
            assert list(column) == texts


@pytest.mark.parametrize("label", ['a "b"', "a,b", "a\nb", "a\rb", '"', "plain"])
def test_texts_are_quoted_where_they_must_be(tmp_path: Path, label: str) -> None:
    """A label with a comma, a quotation mark or a line end is read back as it was written.

    It is a column name and a cell, of two kinds of arrays: all labels once, and labels that
    are listed and referred to by number.
    """
    for array in (
        values.label_texts([label, "x"]),
        values.spell_codes([label, "x"], np.array([0, 1], np.int32), None),
    ):
        write.write_csv([pa.table([array], [label])], tmp_path / "t.csv")
        with (tmp_path / "t.csv").open(newline="") as file:
            assert list(csv.reader(file)) == [[label], [label], ["x"]]


def test_columns_that_are_joined_are_written_as_pythons_writer_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CSV file has the same bytes as Python's own writer makes, under all limits.

    To write faster, neighbouring columns of few values are joined first. The number of joined
    texts and of rows at a time are limited. Both limits are varied.
    """
    rng = np.random.default_rng(3)
    texts = ["plain", 'say "hi"', "a,b", "", "two\nlines"]
    integers = [-3, None, 5, 0, 10**12]
    listed_type = pa.dictionary(pa.int8(), pa.string())
    values_and_types = (
        (texts, listed_type),
        (integers[:4], pa.int64()),
        (integers, pa.int64()),
        ([1.5, None], pa.float64()),
        ([None, *texts[1:]], listed_type),
    )
    columns = [
        [values[i] for i in rng.integers(0, len(values), 500)]
        for values, _ in values_and_types
    ]
    rows = list(zip(*columns, strict=True))
    arrays = [
        pa.array(column, type_)
        for column, (_, type_) in zip(columns, values_and_types, strict=True)
    ]
    expected = tmp_path / "expected.csv"
    with expected.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow("vwxyz")
        writer.writerows(
            [["NA" if value is None else value for value in row] for row in rows]
        )

    for max_texts, joined_rows in product((1, 20, 2**13), (7, 2**16)):
        monkeypatch.setattr(write, "MAX_JOINED_TEXTS", max_texts)
        monkeypatch.setattr(write, "JOINED_ROWS", joined_rows)
        write.write_csv([pa.table(arrays, list("vwxyz"))], tmp_path / "t.csv", missing="NA")
        assert (tmp_path / "t.csv").read_bytes() == expected.read_bytes()


def test_no_rows_are_a_header(tmp_path: Path) -> None:
    """A table without rows is written as a CSV file of the header alone."""
    table = draw_rows(make_distribution(MIXED, [0], [1.0]), rows=0)
    write_csv(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "sex,age,weight,day,smoker\n"
    assert table.table.num_rows == 0


def test_the_worker_that_writes_a_piece_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CSV file has the same bytes with 1, 2 or 30 workers.

    The values of a piece depend on the seed and the piece alone. So pieces may be made in any
    order, and the first one is the same when it is made again. A piece has seven rows.
    """
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 7)
    all_codes = split_cells(np.arange(MIXED.size), MIXED.shape)
    table = decode(MIXED, all_codes, seed=3)
    contents = set()
    for workers in (1, 2, 30):
        monkeypatch.setenv("SYNTH_WORKERS", str(workers))
        write_csv(table, tmp_path / "t.csv")
        contents.add((tmp_path / "t.csv").read_bytes())
    assert len(contents) == 1

    in_reverse = pa.concat_tables(part() for part in reversed(table.parts()))
    assert in_reverse.num_rows == table.rows
    first_piece = next(iter(table.pieces()))
    assert first_piece.equals(table.parts()[0]())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_disk_that_fills_stops_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full, writing is refused and the workers make no further pieces.

    Of 1,000 pieces fewer than ten are made.
    """
    monkeypatch.setenv("SYNTH_WORKERS", "2")
    made_pieces: list[int] = []

    def make_piece(number: int) -> pa.Table:
        made_pieces.append(number)
        return pa.table({"x": pa.array([number] * 50_000)})

    with pytest.raises(ReleaseError, match="cannot be written"):
        write.write_csv([partial(make_piece, i) for i in range(1_000)], "/dev/full")
    assert len(made_pieces) < 10


def test_numpy_draws_what_every_version_so_far_drew() -> None:
    """NumPy's generator draws the same numbers from a seed in every version from 2.0 to 2.4.

    Verification draws the rows of a bundle again from their seed, and it must not matter
    which version drew them first. The digest was recorded from these drawings, and is the
    same in all these versions.
    """
    digest = hashlib.sha256()
    for seed in (1, 2**127 + 5, (3, 4)):
        rng = np.random.default_rng(seed)
        shuffled = np.arange(1_000)
        rng.shuffle(shuffled)
        for drawing in (
            shuffled,
            rng.permutation(1_000),
            rng.random(1_000),
            rng.integers(0, 7, 1_000, dtype=np.int32),
            rng.integers(0, 2**40, 100),
            rng.spawn(2)[1].random(10),
        ):
            digest.update(np.ascontiguousarray(drawing).tobytes())
    assert digest.hexdigest()[:16] == "08c47a9195a29fb7"

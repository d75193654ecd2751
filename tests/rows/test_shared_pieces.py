"""Pieces of rows that several files need are made once, and few of them wait."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest

from synth.rows import SyntheticTable, share_pieces, shared_pieces
from synth.rows.shared_pieces import WAITING_PIECES, shared_makers
from tests.tables import MIXED


def makers(made: "Counter[int]", pieces: int) -> list[shared_pieces.Maker]:
    """Makers of pieces that note each call."""

    def make(number: int) -> pa.Table:
        made[number] += 1
        return pa.table({"number": [number]})

    return [lambda number=number: make(number) for number in range(pieces)]


def test_two_files_share_what_is_made() -> None:
    """Both get the same pieces, each made once, if they write them in turn or at once."""
    made: Counter[int] = Counter()
    shared = shared_makers(makers(made, 20), times=2)
    for take in shared:
        assert take() is take()
    assert made == Counter(range(20))

    made.clear()
    shared = shared_makers(makers(made, WAITING_PIECES), times=2)
    with ThreadPoolExecutor(2) as pool:
        files = [pool.submit(lambda: [take() for take in shared]) for _ in range(2)]
    first, second = (file.result() for file in files)
    assert all(one is other for one, other in zip(first, second, strict=True))
    assert made == Counter(range(WAITING_PIECES))


def test_few_pieces_wait_for_a_slow_file() -> None:
    """One file may be far ahead: what does not wait is made again, and is the same."""
    made: Counter[int] = Counter()
    shared = shared_makers(makers(made, 20), times=2)
    first = [take() for take in shared]
    second = [take() for take in shared]

    assert first == second
    waited = range(WAITING_PIECES)
    assert [number for number, times in made.items() if times == 1] == [*waited]
    # All places are free again.
    made.clear()
    again = shared_makers(makers(made, 1), times=2)
    assert again[0]() is again[0]()


def test_a_piece_that_fails_is_made_again() -> None:
    """An error of one file's piece is no other file's piece."""
    fails = iter([True, False, False])

    def make() -> pa.Table:
        if next(fails):
            raise MemoryError
        return pa.table({})

    (take,) = shared_makers([make], times=2)
    with pytest.raises(MemoryError):
        take()
    assert take() == pa.table({})


def test_shared_rows_are_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pieces of shared rows are those of the rows themselves, several of them."""
    monkeypatch.setattr("synth.limits.ROWS_AT_A_TIME", 7)
    codes = [np.arange(20, dtype=np.int32) % size for size in MIXED.shape]
    rows = SyntheticTable(domain=MIXED, distinct=codes, picked=None, seed=4)
    shared = share_pieces(rows, times=2)

    assert len(shared.parts()) == 3
    for _ in range(2):
        assert pa.concat_tables(shared.pieces()).equals(pa.concat_tables(rows.pieces()))

"""One changed record changes one row, whatever holds it: neighbours of every kind of input.

    SYNTH_FUZZ_PAIRS=100000 python -m pytest -q -rP tests/fuzz/test_neighbours.py

The seed is fresh in each run, and printed where a case fails: ``SYNTH_FUZZ_SEED`` repeats it.
"""

import os
import secrets
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.neighbour_arrow import arrow_frame, parquet_file
from tests.fuzz.neighbour_frames import pandas_frame, polars_frame
from tests.fuzz.neighbour_text import one_line, one_record
from tests.fuzz.neighbours import Case, Input, Reader, failures

PAIRS = int(os.environ.get("SYNTH_FUZZ_PAIRS", "3000"))
SEED = int(os.environ.get("SYNTH_FUZZ_SEED", "0")) or secrets.randbits(48)
SHOWN = 5
"""Most failures that are shown."""
INPUTS = {
    "lines=one": Input(one_line, 0.7),
    "lines=span": Input(one_record, 0.3),
    "parquet": Input(parquet_file, 0.1),
    "arrow": Input(arrow_frame, 0.1),
    "pandas": Input(pandas_frame, 0.1),
    "polars": Input(polars_frame, 0.1),
}
pytestmark = pytest.mark.timeout(300 + PAIRS)


@pytest.mark.parametrize("name", INPUTS)
def test_neighbours_are_one_row_apart(name: str, tmp_path: Path) -> None:
    start, made, wanted = time.monotonic(), INPUTS[name], PAIRS * INPUTS[name].share
    pairs = tables = 0

    def counted(draw: Random) -> Case:
        nonlocal pairs, tables
        case = made.draw(draw)
        pairs, tables = pairs + case.pairs, tables + len(case.versions)
        return case

    def seeds() -> Iterator[int]:
        seed = SEED
        while pairs < wanted:
            yield seed
            seed += 1

    with Reader() as engine:
        found = list(islice(failures(counted, seeds(), tmp_path, engine.histogram), SHOWN))
    spent = (time.monotonic() - start) / 60
    print(f"{name}: {pairs:,} pairs among {tables:,} tables, {spent:.1f} minutes")
    assert not found, "\n".join(found)

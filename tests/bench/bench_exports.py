"""Time and memory of exported files: ``python tests/bench/bench_exports.py 1000000``."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from synth.bundle import FORMATS, export
from synth.foreign import Folder
from synth.rows import decode
from tests.tables import MIXED


def measure(word: str, rows: int) -> str:
    """One format in this process."""
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, column.size, rows, dtype=np.int32) for column in MIXED.columns]
    table, kind = decode(MIXED, codes, seed=3), FORMATS[word]
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    with Folder() as folder:
        size = export(table, kind, folder / kind.file).stat().st_size
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    added_memory = (after.ru_maxrss - before.ru_maxrss) / 1024
    cpu = after.ru_utime - before.ru_utime
    return (
        f"{word:8} {seconds:7.1f} s  {cpu:7.1f} s of a processor  "
        f"{added_memory:7,.0f} MB more memory  {size / 1e6:7.1f} MB"
    )


if __name__ == "__main__":
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if len(sys.argv) > 2:
        print(measure(sys.argv[2], rows))
    else:
        print(f"{rows:,} rows of {len(MIXED.columns)} columns")
        for word in FORMATS:
            command = [sys.executable, __file__, str(rows), word]
            subprocess.run(command, check=True, cwd=Path(__file__).parents[2])

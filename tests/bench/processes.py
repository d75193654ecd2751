"""Jobs as processes of their own, and what each of them took."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

PEAK = """
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


class Run(NamedTuple):
    """What one process took: wall-clock seconds, seconds of processors, peak memory in MB."""

    seconds: float
    cpu: float
    peak: float

    def __str__(self) -> str:
        return f"{self.seconds:7.2f} s  cpu {self.cpu:7.2f} s  peak {self.peak:5.0f} MB"


def run(job: str, cache: str, listen: Callable[[str], None] | None = None) -> Run:
    """Run a script from start to exit.

    Args:
        job: Python source.
        cache: Folder for compiled modules; as with an installed program, they are made once.
        listen: Is told what the script printed, the peak in the last line.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", job + PEAK], stdout=subprocess.PIPE, env=environment
    )
    with process:
        assert process.stdout is not None
        printed = process.stdout.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    peak = int(printed.split()[-1]) / 1024
    if listen is not None:
        listen(printed)
    return Run(time.perf_counter() - start, used.ru_utime + used.ru_stime, peak)


def middle(runs: Sequence[Run]) -> Run:
    """The medians."""
    return Run(*(median(column) for column in zip(*runs, strict=True)))

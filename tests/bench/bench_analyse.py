"""How long conclusions take: a histogram of a million cells, and a function on a model.

    PYTHONPATH=. python tests/bench/bench_analyse.py

Seconds of the wall for each question, and the largest memory of the process; opening the bundle,
which verifies it, is not among them.
"""

import resource
from fractions import Fraction
from time import perf_counter

import numpy as np

from synth.analysis.engine import conclusions
from synth.analysis.functions import mended_tables
from synth.domain.column import Outside
from synth.domain.domain import Categorical, Domain, Integer
from synth.errors import SynthError
from synth.noise.laplace import DiscreteLaplace
from synth.noisy.counts import NoisyCounts
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.repair.histogram import Repair, repair
from synth.repair.record import HistogramRecord

DOMAIN = Domain(
    (
        Integer(name="age", minimum=0, maximum=99, bins=50),
        Integer(name="hours", minimum=0, maximum=99, bins=50),
        Categorical(name="job", categories=tuple(map(str, range(19))), outside=Outside.CELL),
        Categorical(name="region", categories=tuple(map(str, range(19))), outside=Outside.CELL),
    )
)
ROWS = 1_000_000
ASKED = (
    "count where age >= 33",
    "share where job in (1, 2, 3) and hours < 40",
    "table age by hours",
    "table job by region",
    "mean age",
    "mean hours by job",
    "mean hours where age >= 33 and job = 3 and region = 4",
    "total hours where region = 1",
    "median age",
    "median hours where job = 3",
    "variance hours",
    "regression hours on age",
    "regression hours on age where job = 2",
)


def record() -> HistogramRecord:
    """A million rows in a million cells at epsilon 1."""
    rng = np.random.default_rng(1)
    law = rng.gamma(0.3, size=DOMAIN.size)
    truth = rng.multinomial(ROWS, law / law.sum())
    noise = np.asarray(DiscreteLaplace(Fraction(2)).draw(DOMAIN.size))
    one = Guarantee.pure(1)
    noisy = NoisyCounts(DOMAIN, truth + noise, Fraction(2), Neighbors.REPLACE_ONE, one, ROWS)
    return HistogramRecord(noisy, repair(noisy, Repair.CLAMP))


def main() -> None:
    """Print a line a question."""
    release = record()
    print(f"{DOMAIN.size:,} cells")
    for question in ASKED:
        start = perf_counter()
        try:
            conclusions([question], release)
            said = ""
        except SynthError as error:
            said = str(error)[:70]
        print(f"{question:60} {perf_counter() - start:6.2f} s  {said}", flush=True)
    start = perf_counter()
    for codes in mended_tables(("age", "job"), release):
        np.corrcoef(codes[0], codes[1])
    print(f"{'a function of age and job, 1,000,000 rows':60} {perf_counter() - start:6.2f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()

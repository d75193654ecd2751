"""Time of exact noise against NumPy's floats: medians of ratios in one run.

    PYTHONPATH=. python tests/bench/bench_noise.py

NumPy's samplers are fast and unsafe: their low bits give the neighbour away (Mironov 2012).
"""

import statistics
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

import numpy as np

from synth.noise.laplace import DiscreteLaplace

SIZE = 1_000_000
ROUNDS = 15


def seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def compare(name: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Print ns per draw of both and the median ratio of neighbouring runs."""
    ours()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    ratio = statistics.median(a / b for a, b in pairs)
    first, second = (statistics.median(side) / SIZE * 1e9 for side in zip(*pairs, strict=True))
    print(f"{name:34} {first:7.2f} ns   NumPy {second:6.2f} ns   ratio {ratio:.3f}")


def main() -> None:
    floats = np.random.default_rng()
    zeros = np.zeros(SIZE, np.int64)
    for scale in (2, 20, 200, 10**6, 10**9):
        mechanism = DiscreteLaplace(Fraction(scale))
        compare(
            f"discrete Laplace, scale {scale}",
            lambda m=mechanism: m.draw(SIZE),
            lambda s=scale: floats.laplace(0, s, SIZE),
        )
    compare(
        "  added to counts, scale 20",
        lambda: DiscreteLaplace(Fraction(20)).release(zeros),
        lambda: zeros + floats.laplace(0, 20, SIZE),
    )


if __name__ == "__main__":
    main()

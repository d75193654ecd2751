"""Time of exact noise against NumPy's floats: medians of ratios in one run.

    PYTHONPATH=. python tests/bench/bench_noise.py

NumPy's samplers are fast and unsafe: their low bits give the neighbour away (Mironov 2012).
"""

import statistics
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from time import perf_counter

import numpy as np

from synth.noise.elliptical import EllipticalGaussian
from synth.noise.exponential import exponential, permute_and_flip
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import KNorm, Norm
from synth.noise.laplace import DiscreteLaplace
from synth.noise.response import RandomizedResponse

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
        laplace = DiscreteLaplace(Fraction(scale))
        compare(
            f"discrete Laplace, scale {scale:,}",
            lambda m=laplace: m.draw(SIZE),
            lambda s=scale: floats.laplace(0, s, SIZE),
        )
    compare(
        "  added to counts, scale 20",
        lambda: DiscreteLaplace(Fraction(20)).release(zeros),
        lambda: zeros + floats.laplace(0, 20, SIZE),
    )
    for sigma in (2, 20, 200, 10**6):
        gaussian = DiscreteGaussian(Fraction(sigma**2))
        compare(
            f"discrete Gaussian, sigma {sigma:,}",
            lambda m=gaussian: m.draw(SIZE),
            lambda s=sigma: floats.normal(0, s, SIZE),
        )
    for answers in (2, 10):
        response = RandomizedResponse(Fraction(1), answers)
        compare(
            f"randomised response, {answers} answers",
            lambda m=response: m.release(zeros),
            lambda k=answers: np.where(
                floats.random(SIZE) < 0.7, zeros, (zeros + floats.integers(1, k, SIZE)) % k
            ),
        )
    alone()


def alone() -> None:
    """Mechanisms that NumPy has nothing like: time of one draw."""
    scores = list(range(1_000))
    calls: dict[str, tuple[int, Callable[[], object]]] = {}
    for norm, d in product(Norm, (2, 6, 20)):
        mechanism = KNorm(norm, d, Fraction(100))
        calls[f"K-norm {norm}, d = {d}, scale 100"] = 20_000, partial(mechanism.draw, 20_000)
    ellipse = EllipticalGaussian.for_ranges([10, 1, 1, 1], rho=1)
    calls["elliptical Gaussian, d = 4"] = 1, lambda: ellipse.release(np.zeros(4, int))
    for choose in (exponential, permute_and_flip):
        calls[f"{choose.__name__}, 1,000 scores"] = (
            1,
            lambda c=choose: c(scores, epsilon=1, sensitivity=1),
        )
    for name, (size, call) in calls.items():
        call()
        times = 7 if size > 1 else 301
        taken = statistics.median(seconds(call) for _ in range(times)) / size * 1e9
        print(f"{name:34} {taken:12,.0f} ns a draw")


if __name__ == "__main__":
    main()

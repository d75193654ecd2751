"""Times of one library's noise and choices; run by `speeds` in a venv of the library's own.

    python peer_noise.py LIBRARY

It imports nothing of Synth. One line of JSON: nanoseconds of a draw of discrete Laplace noise
of scale 20, and of a choice among 1,000 candidates at epsilon 1 where the library chooses.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

SCALE, DRAWS, CANDIDATES = 20, 20_000, 1_000


def nanoseconds(call: Callable[[], object], draws: int = 1) -> float:
    """The median of five runs, by what one of them draws."""
    call()
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append((time.process_time() - start) / draws * 1e9)
    return statistics.median(times)


def opendp() -> dict[str, float]:
    """Exact noise on a vector of whole numbers."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    vectors = dp.vector_domain(dp.atom_domain(T=int))
    noise = dp.m.make_laplace(vectors, dp.l1_distance(T=int), scale=float(SCALE))
    zeros = [0] * DRAWS
    return {"laplace": nanoseconds(lambda: noise(zeros), DRAWS)}


def diffprivlib() -> dict[str, float]:
    """Noise in floats, a number at a time."""
    from diffprivlib.mechanisms import Exponential, Geometric

    noise = Geometric(epsilon=1 / SCALE, sensitivity=1)
    utility = list(map(float, range(CANDIDATES)))
    choice = Exponential(epsilon=1, sensitivity=1, utility=utility)
    return {
        "laplace": nanoseconds(lambda: [noise.randomise(0) for _ in range(2_000)], 2_000),
        "choice": nanoseconds(choice.randomise),
    }


if __name__ == "__main__":
    print(json.dumps({"opendp": opendp, "diffprivlib": diffprivlib}[sys.argv[1]]()))

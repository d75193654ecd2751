"""Quantiles of one library for the tasks on its standard input; run by `bench_quantiles` in a venv.

    python peer_quantiles.py LIBRARY < tasks.json

It imports nothing of Synth. For each task one line of JSON: many answers, or `null`.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

Task = dict[str, Any]


def opendp(task: Task) -> Callable[[], float] | None:
    """Scores of all whole numbers within the bounds, and report noisy max with exponential noise,
    which is permute-and-flip."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    low, high = task["bounds"]
    far = 2 if task["relation"] == "replace-one" else 1
    candidates = list(range(low, high + 1))
    sized = {"size": len(task["values"])} if far == 2 else {}
    rows = dp.vector_domain(dp.atom_domain(T=int), **sized)
    scores = dp.t.make_quantile_score_candidates(
        rows, dp.symmetric_distance(), candidates, alpha=task["quantile"]
    )
    # By exponential noise a choice costs twice the sensitivity over the scale.
    scale = 2 * scores.map(far) / float(task["epsilon"]) * (1 + 1e-9)
    chain = scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=scale, negate=True)
    assert 0.99 * task["epsilon"] <= chain.map(far) <= task["epsilon"]
    values = task["values"]
    return lambda: float(candidates[chain(values)])


def diffprivlib(task: Task) -> Callable[[], float] | None:
    """The exponential mechanism on the gaps between values; one row is replaced by another."""
    import numpy as np
    from diffprivlib import tools

    if task["relation"] != "replace-one":
        return None
    values, bounds = np.array(task["values"], float), tuple(map(float, task["bounds"]))
    options = {"epsilon": task["epsilon"], "bounds": bounds}
    return lambda: float(tools.quantile(values, task["quantile"], **options))


def main() -> None:
    library = {"opendp": opendp, "diffprivlib": diffprivlib}[sys.argv[1]]
    warnings.simplefilter("ignore")
    for task in json.load(sys.stdin):
        answer = library(task)
        found, start = [], time.perf_counter()
        while answer is not None and len(found) < task["runs"]:
            try:
                found.append(answer())
            except RuntimeError:  # diffprivlib's chances are no numbers where most values are equal
                break
            if time.perf_counter() - start > task["seconds"]:
                break
        seconds = (time.perf_counter() - start) / max(1, len(found))
        print(json.dumps({"answers": found, "seconds": seconds} if found else None), flush=True)


if __name__ == "__main__":
    main()

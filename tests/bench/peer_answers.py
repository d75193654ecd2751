"""Answers of one library to the tasks on its standard input; run by `bench_answers` in a venv.

    python peer_answers.py LIBRARY < tasks.json

It imports nothing of Synth. A task says what is asked, of which values, under which relation and
epsilon; for each one line of JSON is written: many answers, and the seconds that one takes from
values in memory. `null` where the library has no such answer. Where a library takes long to add up
values, the many answers are its noise on what it has added up once.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Task = dict[str, Any]

EMPTY = 2_000
"""Cells without a row that PipelineDP is asked about too: their noise is as good."""


class Answering(NamedTuple):
    """How a library answers: from the values, and only its noise, if that can be had alone."""

    whole: Callable[[], Any]
    noise: Callable[[], Any]


def opendp(task: Task) -> Answering | None:
    """Transformations and the Laplace mechanism; its noise on whole numbers is discrete."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    metric, values = dp.symmetric_distance(), task["values"]
    far = 2 if task["relation"] == "replace-one" else 1
    rows = dp.vector_domain(dp.atom_domain(T=int))
    if task["kind"] == "mean":
        if far == 1:
            return None
        bounds, values = tuple(map(float, task["bounds"])), [float(value) for value in values]
        sized = dp.vector_domain(dp.atom_domain(bounds=bounds, nan=False), size=len(values))
        made = dp.t.make_mean(sized, metric)
    elif task["kind"] == "count":  # of the values that are kept: one row more or less, or the same
        far, made = 1, dp.t.make_count(rows, metric)
    else:
        cells = list(range(task["categories"]))
        made = dp.t.make_count_by_categories(rows, metric, categories=cells, null_category=False)
    scale = dp.binary_search_param(
        lambda scale: made >> dp.m.then_laplace(scale), d_in=far, d_out=float(task["epsilon"])
    )
    chain = made >> dp.m.then_laplace(scale)
    noise, exact = (made.output_space >> dp.m.then_laplace(scale)), made(kept(task, values))
    return Answering(lambda: chain(kept(task, values)), lambda: noise(exact))


def kept(task: Task, values: list[Any]) -> list[Any]:
    """The values that a count is of; of other questions all."""
    return [v for v in values if v >= task["least"]] if task["kind"] == "count" else values


def diffprivlib(task: Task) -> Answering | None:
    """IBM's library: its mean takes the number of rows as public, its histogram add-remove."""
    import numpy as np
    from diffprivlib import tools

    values, epsilon = np.array(task["values"]), task["epsilon"]
    if task["kind"] == "count":
        return both(lambda: tools.count_nonzero(values >= task["least"], epsilon=epsilon))
    if task["kind"] == "mean":
        bounds = tuple(map(float, task["bounds"]))
        numbers = values.astype(float)
        if task["relation"] != "replace-one":
            return None
        return both(lambda: tools.mean(numbers, epsilon=epsilon, bounds=bounds))
    size = task["categories"]
    part = epsilon / 2 if task["relation"] == "replace-one" else epsilon
    places = (-0.5, size - 0.5)
    return both(lambda: tools.histogram(values, epsilon=part, bins=size, range=places)[0])


def both(answer: Callable[[], Any]) -> Answering:
    """The same for time and for errors."""
    return Answering(answer, answer)


def pydp(task: Task) -> Answering | None:
    """Google's C++ library through PyDP; add-remove, and the number of rows is private."""
    from pydp.algorithms.laplacian import BoundedMean, Count

    values, epsilon = task["values"], task["epsilon"]
    shared = {"l0_sensitivity": 1, "linf_sensitivity": 1}
    if task["kind"] == "mean":
        if task["relation"] == "replace-one":
            return None
        low, high = map(float, task["bounds"])
        mean = BoundedMean(
            epsilon=epsilon, lower_bound=low, upper_bound=high, dtype="float", **shared
        )
        numbers = [float(value) for value in values]
        return both(lambda: mean.quick_result(numbers))
    if task["kind"] == "count":
        count = Count(epsilon=epsilon, dtype="int", **shared)
        return both(lambda: count.quick_result(kept(task, values)))
    part = epsilon / 2 if task["relation"] == "replace-one" else epsilon
    counts = Count(epsilon=part, dtype="int", **shared)

    def histogram() -> list[float]:
        cells: list[list[int]] = [[] for _ in range(task["categories"])]
        for value in values:
            cells[value].append(value)
        return [counts.quick_result(cell) for cell in cells]

    return both(histogram)


def pipeline_dp(task: Task) -> Answering | None:
    """Google's and OpenMined's PipelineDP on its local back end; add-remove, private rows."""
    import pipeline_dp as dp

    if task["kind"] == "mean" and task["relation"] == "replace-one":
        return None
    half = task["kind"] == "table" and task["relation"] == "replace-one"
    epsilon, values = task["epsilon"] / (2 if half else 1), task["values"]
    metric = dp.Metrics.MEAN if task["kind"] == "mean" else dp.Metrics.COUNT
    bounds = {}
    if task["kind"] == "mean":
        bounds = dict(zip(("min_value", "max_value"), map(float, task["bounds"]), strict=True))
    by_value = task["kind"] == "table"
    cells = list(range(task["categories"])) if by_value else [0]

    def answer(cells: list[int]) -> list[float]:
        accountant = dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-15)
        engine = dp.DPEngine(accountant, dp.LocalBackend())
        params = dp.AggregateParams(
            metrics=[metric], noise_kind=dp.NoiseKind.LAPLACE, max_partitions_contributed=1,
            max_contributions_per_partition=1, **bounds,
        )  # fmt: skip
        extract = dp.DataExtractors(
            privacy_id_extractor=lambda row: row[0],
            partition_extractor=lambda row: row[1] if by_value else 0,
            value_extractor=lambda row: row[1],
        )
        rows = list(enumerate(kept(task, values)))
        found = engine.aggregate(rows, params, extract, public_partitions=cells)
        accountant.compute_budgets()
        noisy = dict(found)
        return [noisy[cell][0] for cell in cells]

    more = [] if task["kind"] == "mean" else list(range(len(cells), len(cells) + EMPTY))
    return Answering(lambda: answer(cells), lambda: answer(cells + more))


LIBRARIES = {"opendp": opendp, "diffprivlib": diffprivlib, "pydp": pydp, "pipeline_dp": pipeline_dp}


def repeated(answer: Callable[[], Any], runs: int, seconds: float) -> tuple[list[Any], float]:
    """Many answers, until there are enough or time is over, and the seconds of one."""
    answer()  # the first one loads and compiles
    found, start = [], time.perf_counter()
    while len(found) < runs and (len(found) < 2 or time.perf_counter() - start < seconds):
        noisy = answer()
        found.append([float(v) for v in noisy] if hasattr(noisy, "__len__") else [float(noisy)])
    return found, (time.perf_counter() - start) / len(found)


def answered(library: str, tasks: list[Task]) -> Iterator[dict[str, Any] | None]:
    """What a library answers to each task."""
    for task in tasks:
        how = LIBRARIES[library](task)
        if how is None:
            yield None
            continue
        _, seconds = repeated(how.whole, 20, task["seconds"] / 4)
        answers, _ = repeated(how.noise, task["runs"], task["seconds"])
        yield {"answers": answers, "seconds": seconds}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for result in answered(sys.argv[1], json.load(sys.stdin)):
        print(json.dumps(result), flush=True)

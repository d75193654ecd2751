"""The questions that may be asked of private rows, each with its sensitivity and its proof.

All that a door (`synth.release`) takes is a `Query`, and only the functions in here make one:
about counted rows in `tables`, about sums of bounded numbers in `statistics`.
"""

from synth.queries.query import Query, Sensitivity, Support
from synth.queries.statistics import (
    Answer,
    Statistic,
    bounded_sum,
    clip_eigenvalues,
    counting_queries,
    counts_of,
    gram,
    mean,
    moved_sets,
    noisy_gram,
    sum_of_squares,
    total,
    vector_mean,
    vector_sum,
)
from synth.queries.tables import (
    GRID,
    Guess,
    distance_sensitivity,
    distances,
    histogram,
    histogram_sensitivity,
    large_histogram,
    marginal,
    rows,
    summed_distance,
    worst_guess,
)

__all__ = (
    "GRID",
    "Answer",
    "Guess",
    "Query",
    "Sensitivity",
    "Statistic",
    "Support",
    "bounded_sum",
    "clip_eigenvalues",
    "counting_queries",
    "counts_of",
    "distance_sensitivity",
    "distances",
    "gram",
    "histogram",
    "histogram_sensitivity",
    "large_histogram",
    "marginal",
    "mean",
    "moved_sets",
    "noisy_gram",
    "rows",
    "sum_of_squares",
    "summed_distance",
    "total",
    "vector_mean",
    "vector_sum",
    "worst_guess",
)

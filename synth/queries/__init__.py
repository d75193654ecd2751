"""The queries that private rows may answer, each with its sensitivity and proof. PRIVATE.

All that a door (`synth.door`) takes is a `Query`, and only the functions in here make one.

``query``       what a door takes
``tables``      questions about counted rows
``statistics``  sums of bounded numbers, exact
``workloads``   counting queries, and two ways to answer them
``ranks``       the scores of values by their ranks
``asked``       the totals of questions, and what answers are chosen by
``drafts``      single columns, before they are declared
"""

from synth.privacy.sensitivity import Sensitivity
from synth.queries.drafts import column_cells, covered_rows, distinct_values, listed_values
from synth.queries.query import Query, Support
from synth.queries.ranks import ValueCounts, rank_scores
from synth.queries.statistics import (
    NoisyStatistic,
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
    Guess,
    distances,
    fitting_rows,
    histogram,
    histogram_sensitivity,
    large_histogram,
    marginal,
    rows,
    summed_distance,
    worst_guess,
)

__all__ = (
    "Guess",
    "NoisyStatistic",
    "Query",
    "Sensitivity",
    "Statistic",
    "Support",
    "ValueCounts",
    "bounded_sum",
    "clip_eigenvalues",
    "column_cells",
    "counting_queries",
    "counts_of",
    "covered_rows",
    "distances",
    "distinct_values",
    "fitting_rows",
    "gram",
    "histogram",
    "histogram_sensitivity",
    "large_histogram",
    "listed_values",
    "marginal",
    "mean",
    "moved_sets",
    "noisy_gram",
    "rank_scores",
    "rows",
    "sum_of_squares",
    "summed_distance",
    "total",
    "vector_mean",
    "vector_sum",
    "worst_guess",
)

"""The queries that private rows may answer, each with its sensitivity and proof. PRIVATE.

All that a door (`synth.door`) takes is a `Query`, and only the functions in here make one.

``query``       what a door takes
``tables``      questions about counted rows
``statistics``  sums of bounded numbers, exact
``workloads``   counting queries, and two ways to answer them
``ranks``       the scores of values by their ranks
``asked``       the totals of questions, and what answers are chosen by
``drafts``      single columns, before they are declared

Each name is imported when it is first used (PEP 562): a release asks nothing that only answers
or drafts do.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOMES = {
    "privacy.sensitivity": "Sensitivity",
    "queries.drafts": "column_cells covered_rows distinct_values listed_values",
    "queries.query": "Query Support",
    "queries.ranks": "ValueCounts rank_scores",
    "queries.statistics": "NoisyStatistic Statistic bounded_sum clip_eigenvalues counting_queries "
    "counts_of gram mean moved_sets noisy_gram sum_of_squares total vector_mean vector_sum",
    "queries.tables": "Guess distances fitting_rows histogram histogram_sensitivity "
    "large_histogram marginal rows summed_distance worst_guess",
}
"""Where each name is from, as in `synth` itself."""


def __getattr__(name: str) -> object:
    home = next((module for module, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        message = f"module 'synth.queries' has no attribute '{name}'"
        raise AttributeError(message)
    found: object = getattr(import_module(f"synth.{home}"), name)
    globals()[name] = found
    return found

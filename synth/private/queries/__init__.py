"""The queries that private rows may answer, each with its sensitivity and proof. PRIVATE.

All that a door (`synth.door.door`) takes is a `Query`, and only the functions in here make one.

``query``   what a door takes
``tables``  questions about counted rows
``ranks``   the scores of values by their ranks
``asked``   the totals of questions, and what answers are chosen by
``drafts``  single columns, before they are declared
"""

from synth.private.queries.query import Query, Support
from synth.private.queries.tables import (
    Guess,
    distances,
    fitting_rows,
    histogram,
    large_histogram,
    marginal,
    rows,
    summed_distance,
    worst_guess,
)

__all__ = (
    "Guess",
    "Query",
    "Support",
    "distances",
    "fitting_rows",
    "histogram",
    "large_histogram",
    "marginal",
    "rows",
    "summed_distance",
    "worst_guess",
)

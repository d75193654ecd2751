"""The queries that private rows may answer, each with its sensitivity and proof. PRIVATE.

All that a door (`synth.door.door`) takes is a `Query`, and only the functions in here make one.

``query``   what a door takes
``tables``  questions about counted rows
``ranks``   the scores of values by their ranks
``asked``   the totals of questions, and what answers are chosen by
``drafts``  single columns, before they are declared
``moments`` sums of offsets within bins and of products
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.queries.asked import AskedRows, asked_rows, choices, totals
    from synth.private.queries.drafts import column_cells, covered_rows, distinct_values
    from synth.private.queries.drafts import listed_values
    from synth.private.queries.moments import moment_sums
    from synth.private.queries.query import Query, Support
    from synth.private.queries.tables import Guess, distances, fitting_rows, histogram
    from synth.private.queries.tables import large_histogram, marginal, rows, summed_distance
    from synth.private.queries.tables import worst_guess

__getattr__ = offer(__name__)

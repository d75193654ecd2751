"""The queries to private rows, each with its sensitivity and proof. PRIVATE.

A door (`synth.door.door`) accepts only a `Query` (`synth.door.query`), and only the functions
in here make one.

``tables``  queries about counted rows
``ranks``   the scores of values by their ranks
``asked``   the totals of questions, and the scores of choices
``drafts``  single columns, before they are declared
``linked``  histograms of linked tables
``moments`` sums of offsets within bins and of products
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.queries.asked import AskedRows, asked_rows, check_scores, choices
    from synth.private.queries.asked import totals
    from synth.private.queries.drafts import column_cells, covered_rows, distinct_values
    from synth.private.queries.drafts import listed_values
    from synth.private.queries.linked import linked_counts, linked_distances
    from synth.private.queries.moments import moment_sums
    from synth.private.queries.tables import Guess, distances, fitting_rows, histogram
    from synth.private.queries.tables import large_histogram, marginal, rows, summed_distance
    from synth.private.queries.tables import worst_guess

__getattr__ = offer(__name__)

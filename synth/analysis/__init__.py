"""Conclusions from a release: estimates with intervals, from public numbers only. PUBLIC.

Intervals depend on the noisy counts only; repaired counts or rows choose the estimate within
them.

``conclusion``  one answer with its interval
``engine``      the way that answers a question
``linear``      counts, shares, totals and means from noisy counts
``bounds``      bounds for columns that were not measured together
``offers``      free answers, beside forecasts of asking the table
``sources``     a release's counts of a few columns together
``release_view`` a release's counts of any columns, and a level
``known_moments`` noisy sums of offsets and of products
``cell_sums``   contributions of each cell to an answer
``cell_intervals`` totals and ratios from cells, with intervals
``selection``   cells of a condition, and columns measured together
``ranks``       medians and quantiles
``seeds``       seeds of simulations
``factors``     numbers of columns, and values of lists
``sum_noise``   joint noise of several weighted sums
``places``      sums of products with offsets within bins
``products``    sums of products of factors, with their noise
``curved``      variances, correlations and linear regressions
``logistic``    logistic regressions
``modelled``    redrawn tables of columns that a model joins
``replicates``  tables for multiple imputation
``drawing``     rows of a release under a condition
``differences`` differences and ratios by joint noise
``contrast``    differences and ratios of any two groups
``fresh``       the cost of a fresh answer
``examples``    example questions that a release answers
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.analysis.conclusion import About, BIAS, Conclusion, NOISE_SOURCE, PEOPLE
    from synth.analysis.contrast import contrast_groups
    from synth.analysis.curved import interval_from
    from synth.analysis.drawing import RowRequest, draw_where, read_where
    from synth.analysis.engine import conclusions
    from synth.analysis.examples import released_examples
    from synth.analysis.linear import EVENLY, from_release, mended_values
    from synth.analysis.modelled import REDRAWN, mended_tables
    from synth.analysis.modelled import modelled_tables
    from synth.analysis.offers import (
        Offer,
        free_answers,
        put_together,
        still_asked,
        with_release,
    )
    from synth.analysis.replicates import MIN_TABLES, check_replicable, fresh_seeds, replicate
    from synth.analysis.seeds import generator
    from synth.analysis.sources import MODEL, Source
    from synth.analysis.release_view import ReleaseView
    from synth.analysis.release_view import complete_rows, source_of

__getattr__ = offer(__name__)

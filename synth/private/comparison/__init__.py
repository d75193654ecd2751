"""Real against synthetic, in detail. PRIVATE.

``answers``          the real answers to questions
``distances``        the comparison in numbers
``tables``           both tables as codes, and the shares between them
``error_sources``    binning, noise, drawing
``numeric_columns``  values within the bins
``by_value``         columns by value, and values that no real row has
``associations``     how strongly columns are associated
``subgroups``        the error of each group
``derived_columns``  columns that follow from others
``public_guesses``   the public table used as the guess
``verdict``          how good the release is, in words
``classifier``       trained on synthetic rows, tested on real ones
``figures``          the pictures
``column_figures``   the pictures of columns by value
``findings``         all of this, computed when it is first asked for
``report``           the internal report
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.comparison.answers import real_answers
    from synth.private.comparison.associations import Slopes, associations_of
    from synth.private.comparison.associations import measure_associations, slopes
    from synth.private.comparison.by_value import (
        ByValue,
        Measure,
        TableValues,
        ValueComparison,
        measure_values,
        read_values,
    )
    from synth.private.comparison.classifier import targets, train
    from synth.private.comparison.derived_columns import compare_derived
    from synth.private.comparison.distances import Comparison, compare
    from synth.private.comparison.error_sources import (
        NumberParts,
        Parts,
        all_parts,
        number_parts,
    )
    from synth.private.comparison.findings import Findings
    from synth.private.comparison.numeric_columns import values_in_bins
    from synth.private.comparison.public_guesses import BesidePublic, beside_public
    from synth.private.comparison.report import internal_report
    from synth.private.comparison.subgroups import groups, lost_groups
    from synth.private.comparison.tables import (
        Compared,
        compare_tables,
        read_real,
        covered_pairs,
        measure_coverage,
        real_errors,
    )
    from synth.private.comparison.verdict import Verdict, judge

__getattr__ = offer(__name__)

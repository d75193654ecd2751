"""Methods by name, and what rows may favour. PUBLIC.

`synth.estimate.recipes` defines the methods.
"""

from enum import StrEnum


class Method(StrEnum):
    """Methods that code refers to by name; `RECIPES` has all of them."""

    DENSE = "dense"
    """The histogram of all cells; refused if they are too many to enumerate."""
    AUTO = "auto"
    """The default: histogram, pairs or columns alone, by public numbers: rows, cells, epsilon."""
    HISTOGRAM = "histogram"
    """The histogram of any size; a large one is released from a public threshold up."""
    INDEPENDENT = "independent"
    """Each column on its own."""
    TREE = "tree"
    """Columns, and a tree of pairs."""
    ONE_SHOT = "one-shot"
    """Columns, and all pairs that are worth it at once."""
    ADAPTIVE = "adaptive"
    """The same, then pair after pair where the fit is worst."""
    GROUPS = "groups"
    """Histograms of groups of columns that the steward names."""


class Favour(StrEnum):
    """What joined rows favour; either costs no privacy."""

    ERRORS = "errors"
    """Cells of pairs: the least share of rows in the wrong place."""
    ASSOCIATIONS = "associations"
    """The strength of associations, for correlations, regressions and classifiers."""


FAVOURS = {
    Favour.ERRORS: "Counts: the fewest rows in the wrong place",
    Favour.ASSOCIATIONS: "Associations: as strong as the noisy counts say, for a little more error",
}
"""What rows may favour, in order of display."""

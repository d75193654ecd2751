"""The words that people type and files store: methods, repairs, and favours. PUBLIC."""

from enum import StrEnum
from typing import Final


class Method(StrEnum):
    """A method by its name."""

    DENSE = "dense"
    """The histogram of all cells; refused if too many."""
    AUTO = "auto"
    """The default: histogram, pairs or columns alone, by public numbers."""
    HISTOGRAM = "histogram"
    """The histogram of any size, released from a public threshold up if large."""
    INDEPENDENT = "independent"
    TREE = "tree"
    ONE_SHOT = "one-shot"
    ADAPTIVE = "adaptive"
    """One-shot, then pair after pair by worst fit."""
    GROUPS = "groups"


class Repair(StrEnum):
    """A repair by its name."""

    AUTO = "auto"
    POOLED = "pooled"
    SMOOTHED = "smoothed"
    NEAREST = "nearest"
    MOST_LIKELY = "most-likely"
    CLAMP = "clamp"
    RESCALE = "rescale"
    NONE = "none"


class Favour(StrEnum):
    """What joined rows favour, at no privacy cost."""

    ERRORS = "errors"
    """Cells of pairs: the fewest misplaced rows."""
    ASSOCIATIONS = "associations"
    """For correlations, regressions and classifiers."""


# Payments of a release by a model, in ledgers and certificates.
DISTANCES = "how far each pair of columns is from independence"
WORST = "which pair fits worst"
AS_IT_STANDS = "how far all pairs of columns are from the public table"
APART = "how far each pair of columns is from its guess"
# Payments that only a guess needs.
GUESS_DISTANCES = (AS_IT_STANDS, APART)

AUTO_SUMS: Final = "auto"
"""The word for sums of numbers that a release measures if they help."""

FAVOURS = {
    Favour.ERRORS: "Counts: the fewest rows in the wrong place",
    Favour.ASSOCIATIONS: "Associations: as strong as in the noisy counts, "
    "with a little more error",
}

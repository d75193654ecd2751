"""The words that people type and files store: methods, repairs, and favours. PUBLIC."""

from enum import StrEnum


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


FAVOURS = {
    Favour.ERRORS: "Counts: the fewest rows in the wrong place",
    Favour.ASSOCIATIONS: "Associations: as strong as in the noisy counts, "
    "with a little more error",
}

"""The words that people type and files store, in a light module. PUBLIC.

They are those of methods, repairs and favours, of the ways to answer questions, and of
payments.

>>> [way.value for way in WayName][:2]
['laplace', 'gaussian']
"""

from enum import StrEnum
from typing import Final, Self


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


class WayName(StrEnum):
    """A way to answer questions, in words; no inquiry asks for one that spends nothing."""

    words: str
    spends: bool

    def __new__(cls, value: str, words: str = "", spends: bool = True) -> Self:
        """Make a member whose text is ``value``, with a description for people.

        Args:
            value: The name, as a steward writes it and as files hold it.
            words: What the way does, for people.
            spends: Whether answers by this way cost privacy budget.
        """
        name = str.__new__(cls, value)
        name._value_ = value
        name.words = words
        name.spends = spends
        return name

    LAPLACE = "laplace", "Laplace noise on each number"
    GAUSSIAN = "gaussian", "Gaussian noise on each number"
    """For a delta or a rho."""
    ELLIPTICAL = "elliptical", "Gaussian noise, less on narrow columns"
    """In proportion to the roots of the columns' ranges."""
    BALL = "l2", "noise on all numbers at once (l2)"
    CUBE = "l-infinity", "noise on all numbers at once (l-infinity)"
    HISTOGRAM = "histogram", "noisy histogram of the cells that the questions need"
    """Its cells are summed afterwards."""
    HIERARCHY = "hierarchy", "noisy tree of ranges, adjusted by least squares"
    """The nodes of a tree over the cells of each column."""
    MARGINALS = (
        "marginals",
        "noise on tables of few columns, each on the part that smaller tables lack",
    )
    """The closed form for tables."""
    FITTED = "fitted", "noise on sums of cells that are fitted to the questions"
    CHOICE = "choice", "a random candidate, better ones with higher probability"
    """By permute-and-flip or the exponential mechanism."""
    KNOWN = "known", "public already", False
    RELEASE = "release", "free, from a release that exists", False


ASKED_WAYS = tuple(way for way in WayName if way.spends)

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

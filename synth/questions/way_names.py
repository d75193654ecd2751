"""Names of the ways to answer questions, in a light module. PUBLIC.

>>> [way.value for way in WayName][:2]
['laplace', 'gaussian']
"""

from enum import StrEnum
from typing import Self


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


ASKED = tuple(way for way in WayName if way.spends)

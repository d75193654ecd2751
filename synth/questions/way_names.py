"""Names of the ways to answer questions; light, for whoever only reads them. PUBLIC.

>>> [way.value for way in WayName][:2]
['laplace', 'gaussian']
"""

from enum import StrEnum


class WayName(StrEnum):
    """How questions are answered."""

    LAPLACE = "laplace"
    """Laplace noise on each number."""
    GAUSSIAN = "gaussian"
    """Gaussian noise on each number, for a delta or a rho."""
    ELLIPTICAL = "elliptical"
    """Gaussian noise in proportion to the roots of the columns' ranges."""
    BALL = "l2"
    """K-norm noise in l2."""
    CUBE = "l-infinity"
    """K-norm noise in l-infinity."""
    HISTOGRAM = "histogram"
    """Noise on every cell that the questions tell apart, added up afterwards."""
    HIERARCHY = "hierarchy"
    """Noise on the nodes of a tree over the cells of each column, settled by least squares."""
    MARGINALS = "marginals"
    """Gaussian noise on what every few columns say beyond fewer: the closed form for tables."""
    FITTED = "fitted"
    """Noise on cells and weighted sums of cells that are fitted to the questions."""
    CHOICE = "choice"
    """The best candidate by permute-and-flip or the exponential mechanism."""
    KNOWN = "known"
    """Public already: nothing is spent."""
    RELEASE = "release"
    """Read off a release that exists: nothing is spent."""


WORDS = {
    WayName.LAPLACE: "Laplace noise on each number",
    WayName.GAUSSIAN: "Gaussian noise on each number",
    WayName.ELLIPTICAL: "Gaussian noise, less on narrow columns",
    WayName.BALL: "noise on all numbers at once (l2)",
    WayName.CUBE: "noise on all numbers at once (l-infinity)",
    WayName.HISTOGRAM: "noisy histogram of the cells that the questions tell apart",
    WayName.HIERARCHY: "noisy tree of ranges, settled by least squares",
    WayName.MARGINALS: "noise on tables of few columns, each on what smaller ones do not know",
    WayName.FITTED: "noise on sums of cells that are fitted to the questions",
    WayName.CHOICE: "the best candidate is chosen at random, the better the likelier",
    WayName.KNOWN: "public already",
    WayName.RELEASE: "free, from a release that exists",
}


STRATEGIES = (WayName.HIERARCHY, WayName.MARGINALS, WayName.FITTED)
"""Ways that measure other numbers than those asked for, and read these off."""

FREE = (WayName.KNOWN, WayName.RELEASE)
"""Ways that spend nothing; no inquiry asks for them."""

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
    WayName.CHOICE: "the best candidate is chosen at random, the better the likelier",
    WayName.KNOWN: "public already",
    WayName.RELEASE: "free, from a release that exists",
}


FREE = (WayName.KNOWN, WayName.RELEASE)
"""Ways that spend nothing; no inquiry asks for them."""

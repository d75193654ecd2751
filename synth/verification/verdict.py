"""The three verdicts, and claims that were not checked. PUBLIC."""

from enum import StrEnum


class Verdict(StrEnum):
    """A verdict about a bundle: all claims hold, one does not, or some are open."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_CHECKED = "not checked"


class OpenClaim(str):
    """A sentence about a claim that was not checked, and why.

    >>> OpenClaim("The report was not drawn again.")
    'The report was not drawn again.'
    """

    __slots__ = ()

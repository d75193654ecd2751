"""The three answers, and a claim that was not checked. PUBLIC."""

from enum import StrEnum


class Verdict(StrEnum):
    """What came of a check of files, in a word or two."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_CHECKED = "not checked"


class OpenClaim(str):
    """A sentence about a claim that was not checked, and why.

    >>> OpenClaim("The report was not drawn again.")
    'The report was not drawn again.'
    """

    __slots__ = ()

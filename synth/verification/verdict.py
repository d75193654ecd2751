"""The three verdicts, and claims that were not checked. PUBLIC."""

from enum import StrEnum


class Verdict(StrEnum):
    """A verdict about a bundle: all claims that it can be checked for hold, one does not, or
    some of them are open.
    """

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_CHECKED = "not checked"


class OpenClaim(str):
    """A sentence about a claim that was not checked, and why.

    >>> OpenClaim("The rows were not drawn again.")
    'The rows were not drawn again.'
    """

    __slots__ = ()


class StewardClaim(OpenClaim):
    """A sentence about a claim that no file can show, only the ledger of the steward.

    It leaves a bundle confirmed: whoever received it can check no more.

    >>> StewardClaim("No file shows when it was made.")
    'No file shows when it was made.'
    """

    __slots__ = ()

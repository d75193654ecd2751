"""Numbers of an answer with their intervals. PUBLIC."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.util import Floats

# Ends this close to a whole number count as whole, because of float errors.
_SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class Numbers:
    """One or more numbers, each array of shape (numbers,).

    Attributes:
        value: NaN for no answer.
        low, high: Ends of their intervals; NaN if there are none.
        error: Average errors; NaN if unknown.
    """

    value: Floats
    low: Floats
    high: Floats
    error: Floats = field(default_factory=lambda: np.full(1, np.nan))
    remarks: tuple[str, ...] = field(default=(), kw_only=True)

    @classmethod
    def gather(cls, numbers: Iterable[tuple[float, ...]]) -> "Numbers":
        """Return numbers from tuples of a value, its low and high end, and its error."""
        return cls(*(np.array(column) for column in zip(*numbers, strict=True)))

    @classmethod
    def join(cls, parts: Sequence["Numbers"]) -> "Numbers":
        """Return the numbers of several parts, one after another, with each remark once."""
        columns = zip(*(part.parts for part in parts), strict=True)
        remarks = dict.fromkeys(remark for part in parts for remark in part.remarks)
        return cls(*map(np.concatenate, columns), remarks=tuple(remarks))

    @property
    def parts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The values, the low ends, the high ends and the average errors."""
        return self.value, self.low, self.high, self.error

    @property
    def mean_error(self) -> float:
        """Mean of the known average errors; NaN if none is known."""
        known_errors = self.error[~np.isnan(self.error)]
        return float(known_errors.mean()) if len(known_errors) else np.nan

    def to_whole(self) -> "Numbers":
        """Return counts with the ends of their intervals moved inwards to whole numbers.

        If no whole number lies between the ends, they are put in order.
        """
        low = np.ceil(self.low - _SLACK)
        high = np.floor(self.high + _SLACK)
        return Numbers(self.value, np.minimum(low, high), np.maximum(low, high), self.error)

    def clip(self, smallest: float, largest: float) -> "Numbers":
        """Return the numbers cut to possible values, each inside its interval.

        ``smallest`` and ``largest`` are the ends of the possible range.
        """
        low = np.minimum(self.low, self.high)
        high = np.maximum(self.low, self.high)
        value = np.clip(np.clip(self.value, low, high), smallest, largest)
        return Numbers(
            value,
            np.clip(low, smallest, largest),
            np.clip(high, smallest, largest),
            self.error,
        )

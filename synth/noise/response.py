"""Randomised response: every person answers for themselves, with a lie now and then.

>>> mechanism = RandomizedResponse.for_queries(Fraction(1), queries=10)
>>> str(mechanism.guarantee(10)), round(mechanism.truth, 4)
('epsilon = 1', 0.525)
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synth import check
from synth.errors import ArgumentError
from synth.noise.laws import Shift
from synth.noise.mechanism import exact
from synth.noise.sampler import sampler
from synth.privacy.guarantee import Guarantee

_NARROW = 1 << 14
"""Answers up to which the sum of two fits 16 bits."""


@dataclass(frozen=True)
class RandomizedResponse:
    """Keeps one of k answers with probability e^eps / (e^eps + k - 1), else a uniform other.

    One answer of one person is pure epsilon-differentially private, without a trusted
    collector (Warner 1965; k-ary: Kairouz, Oh, Viswanath 2014).

    Attributes:
        epsilon: Exact rational, of one answer.
        answers: k, at least 2.
    """

    epsilon: Fraction
    answers: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon=self.epsilon))
        check.whole(2, answers=self.answers)

    @classmethod
    def for_queries(cls, epsilon: Fraction | int, *, queries: int) -> Self:
        """Yes-or-no answers to several questions a person, epsilon / queries for each."""
        check.whole(1, queries=queries)
        return cls(exact(epsilon=epsilon) / queries)

    def guarantee(self, sensitivity: int) -> Guarantee:
        """For a person who gives ``sensitivity`` answers: basic composition."""
        check.whole(1, sensitivity=sensitivity)
        return Guarantee.pure(self.epsilon * sensitivity)

    @property
    def truth(self) -> float:
        """Probability of the true answer."""
        return 1 / (1 + (self.answers - 1) * math.exp(-self.epsilon))

    @property
    def _gain(self) -> float:
        """Probability of the truth less that of each lie; 2p - 1 for yes or no."""
        return self.truth - (1 - self.truth) / (self.answers - 1)

    @property
    def bias(self) -> float:
        """Of the debiased frequencies."""
        return 0.0

    @property
    def variance(self) -> float:
        """Largest variance that one answer adds to a debiased frequency."""
        lie = (1 - self.truth) / (self.answers - 1)
        return max(p * (1 - p) for p in (self.truth, lie)) / self._gain**2

    def tail(self, t: float, *, rows: int = 1) -> float:
        """Upper bound of P(a debiased frequency of ``rows`` answers is off by t): Hoeffding."""
        return min(1.0, 2 * math.exp(-2 * rows * (t * self._gain) ** 2))

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return answers with lies, any shape.

        Args:
            values: Answers as integers from 0 to k - 1.

        Raises:
            ArgumentError: If one is not. The message holds no answer.
        """
        answers = self._checked(values)
        released = np.empty(answers.size, np.int64)
        kind = np.dtype(np.int16 if self.answers <= _NARROW else np.int64)
        for start, shift in sampler(Shift(self.epsilon, self.answers)).chunks(answers.size):
            part = slice(start, start + shift.size)
            moved: NDArray[np.integer] = answers[part].astype(kind) + shift
            moved -= (moved >= self.answers) * kind.type(self.answers)
            released[part] = moved
        return released.reshape(np.shape(values))

    def debias(self, frequencies: Any) -> NDArray[np.float64]:
        """Turn observed frequencies into unbiased estimates of the true ones, in their shape."""
        lie = (1 - self.truth) / (self.answers - 1)
        return (np.asarray(frequencies, float) - lie) / self._gain

    def _checked(self, values: NDArray[np.integer]) -> NDArray[np.integer]:
        array = np.asarray(values)
        whole = np.issubdtype(array.dtype, np.integer) or array.dtype == bool
        if not whole or (array.size and (array.min() < 0 or array.max() >= self.answers)):
            message = f"values must be whole numbers from 0 to {self.answers - 1}."
            raise ArgumentError(message)
        return array.reshape(-1)


def rows_needed(queries: int, *, alpha: float, epsilon: float, beta: float) -> int:
    """Rows at which all debiased frequencies are within alpha with probability 1 - beta.

    Hoeffding and a union bound: ln(2k/beta) / (2 alpha^2 (2p - 1)^2), 2p - 1 = tanh(eps/(2k)).
    """
    check.positive(alpha=alpha, epsilon=epsilon, beta=beta)
    gain = math.tanh(epsilon / queries / 2)
    return math.ceil(math.log(2 * queries / beta) / (2 * (alpha * gain) ** 2))


def laplace_rows_needed(queries: int, *, alpha: float, epsilon: float, beta: float) -> int:
    """The same for Laplace noise by a trusted collector: k ln(k/beta) / (alpha epsilon)."""
    check.positive(alpha=alpha, epsilon=epsilon, beta=beta)
    return math.ceil(queries * math.log(queries / beta) / (alpha * epsilon))

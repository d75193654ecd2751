"""What is promised: neighbours and guarantees, in exact rationals.

>>> Neighbors.REPLACE_ONE.sensitivity
2
>>> Guarantee.pure(parse_epsilon("0.1")) + Guarantee.pure(parse_epsilon("0.2"))
Guarantee(epsilon=Fraction(3, 10), delta=Fraction(0, 1), rho=None)
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any, Self

from synth import check, limits
from synth.errors import ArgumentError

_NUMBER = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?|[+-]?[0-9]+/[0-9]+", re.ASCII
)


class Neighbors(StrEnum):
    """Which tables must look alike."""

    REPLACE_ONE = "replace-one"
    """One row is replaced by another; the number of rows is public."""
    ADD_REMOVE = "add-remove"
    """One row is added or removed; the number of rows is private."""

    @property
    def sensitivity(self) -> int:
        """Largest L1 distance of the histograms of two neighbours."""
        return 2 if self is Neighbors.REPLACE_ONE else 1


@dataclass(frozen=True)
class Unit:
    """Whose data is protected: one row, or all rows of one person.

    With a person column, a public rule that looks at nobody else's rows keeps at most ``max_rows``
    = k rows of each person. Neighbours then differ in one person with all rows: under add-remove
    the person is there or not, under replace-one another stands in the place. Either may have
    any number of rows, or none that is kept, so that the number of rows is private throughout.

    >>> Unit("pid", 4).sensitivity(Neighbors.REPLACE_ONE), Unit("pid", 4).squared(
    ...     Neighbors.REPLACE_ONE
    ... )
    (8, 32)

    Attributes:
        person: The column that says whose row it is; empty where each row is a person.
        max_rows: Most rows of one person that are used.

    Raises:
        ArgumentError: ``max_rows`` is impossible, or above 1 without a person column.
    """

    person: str = ""
    max_rows: int = 1

    def __post_init__(self) -> None:
        check.whole(1, max_rows=self.max_rows)
        if self.max_rows > 1 and not self.person:
            message = "max_rows above 1 needs a person column."
            raise ArgumentError(message)

    def sensitivity(self, neighbors: Neighbors) -> int:
        """Largest L1 distance of the histograms of two neighbours, in rows.

        The k rows that go change a histogram by k in all, and so do the k that come: 2k under
        replace-one, k under add-remove. By the reverse triangle inequality the L1 distance of a
        histogram from anything public moves by no more.
        """
        return self.max_rows * neighbors.sensitivity

    def squared(self, neighbors: Neighbors) -> int:
        """Largest squared L2 distance of the histograms of two neighbours.

        Let a and b be the histograms of the rows that go and come, nonnegative and of sum at most
        k. Then |b - a|^2 = |a|^2 + |b|^2 - 2 a.b <= |a|^2 + |b|^2 <= 2 k^2, and it is
        reached where k rows of one cell are replaced by k of another; under add-remove a = 0
        leaves k^2.
        """
        return self.max_rows**2 * neighbors.sensitivity

    def shares_rows(self, neighbors: Neighbors) -> bool:
        """Whether neighbours have the same number of rows, so that it is public.

        They do where one row is replaced by another, never where a person is: who comes may have
        fewer rows than who goes.
        """
        return neighbors is Neighbors.REPLACE_ONE and not self.person

    def __str__(self) -> str:
        if not self.person:
            return "one row"
        return f"one person by the column '{self.person}', with at most {self.max_rows} rows"


ROW = Unit()


@dataclass(frozen=True)
class Guarantee:
    """A claim of differential privacy: pure epsilon, (epsilon, delta), or rho-zCDP.

    Exactly one of ``epsilon`` and ``rho`` is given. Sums are basic composition.
    """

    epsilon: Fraction | None = None
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None

    @classmethod
    def pure(cls, epsilon: Fraction | int) -> Self:
        """(epsilon, 0)-differential privacy."""
        return cls(epsilon=_positive("epsilon", epsilon))

    @classmethod
    def approximate(cls, epsilon: Fraction | int, delta: Fraction) -> Self:
        """(epsilon, delta)-differential privacy, with 0 < delta < 1."""
        if _positive("delta", delta) >= 1:
            message = f"delta must be below 1, but it is {delta}."
            raise ArgumentError(message)
        return cls(epsilon=_positive("epsilon", epsilon), delta=Fraction(delta))

    @classmethod
    def zcdp(cls, rho: Fraction | int) -> Self:
        """rho-zero-concentrated differential privacy (Bun, Steinke 2016, Definition 1.1)."""
        return cls(rho=_positive("rho", rho))

    def __add__(self, other: "Guarantee") -> "Guarantee":
        if self.epsilon is not None and other.epsilon is not None:
            return Guarantee(self.epsilon + other.epsilon, self.delta + other.delta)
        if self.delta or other.delta:
            message = "an (epsilon, delta) guarantee cannot be added to a zCDP guarantee."
            raise ArgumentError(message)
        return Guarantee(rho=in_rho(self) + in_rho(other))

    def split(self, parts: int) -> "Guarantee":
        """One of equal parts that add up to this guarantee exactly."""
        check.whole(1, parts=parts)
        if self.rho is not None:
            return Guarantee(rho=self.rho / parts)
        assert self.epsilon is not None
        return Guarantee(self.epsilon / parts, self.delta / parts)

    def __str__(self) -> str:
        if self.rho is not None:
            return f"rho = {self.rho} (zCDP)"
        return f"epsilon = {self.epsilon}" + (f", delta = {self.delta}" if self.delta else "")


def in_rho(guarantee: Guarantee) -> Fraction:
    """A pure guarantee is epsilon^2/2-zCDP (Bun, Steinke 2016, Proposition 1.4)."""
    if guarantee.rho is not None:
        return guarantee.rho
    assert guarantee.epsilon is not None
    return guarantee.epsilon**2 / 2


def parse_rational(value: Any, *, name: str) -> Fraction:
    """Read a number exactly as it is written.

    Args:
        value: Text such as ``"0.1"``, ``"1e-5"`` or ``"1/3"``, an integer, a Fraction, or a
            Decimal. A float counts as the shortest text that prints it, so 0.1 is one tenth.
        name: How messages call the number.

    Raises:
        ArgumentError: If it is not a finite number, or its text is absurdly long.

    >>> parse_rational("1e-1", name="delta")
    Fraction(1, 10)
    """
    if isinstance(value, Fraction):
        return value
    text = _written(value).strip()
    if len(text) > limits.NUMBER_TEXT:
        message = f"{name} must be written in at most {limits.NUMBER_TEXT} characters."
        raise ArgumentError(message)
    if not _NUMBER.fullmatch(text) or re.search(r"/0+$", text):
        message = f"{name} must be a number such as 1, 0.1 or 1/3, but it is {text!r}."
        raise ArgumentError(message)
    return Fraction(text)


def parse_epsilon(value: Any) -> Fraction:
    """Read epsilon exactly, within the limits of the project.

    >>> parse_epsilon("0.1"), parse_epsilon(0.1), parse_epsilon("1/3")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    """
    epsilon = parse_rational(value, name="epsilon")
    _positive("epsilon", epsilon)
    low, high = limits.EPSILON_MIN, limits.EPSILON_MAX
    if not low <= epsilon <= high:
        message = f"epsilon must be between {float(low):g} and {float(high):g}, but it is {value}."
        raise ArgumentError(message)
    return epsilon


def _written(value: Any) -> str:
    """The text of a number; a float's shortest text that reads back as the same float."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return format(int(value), "d") if abs(int(value)) < 10**limits.NUMBER_TEXT else "9" * 99
    if isinstance(value, float):
        return repr(float(value))
    return str(value) if isinstance(value, str | Decimal) else repr(value)


def _positive(name: str, value: Fraction | int) -> Fraction:
    if not isinstance(value, int | Fraction) or isinstance(value, bool):
        message = f"{name} must be an exact rational, but it is {value!r}."
        raise ArgumentError(message)
    if value <= 0:
        message = f"{name} must be above 0, but it is {value}."
        raise ArgumentError(message)
    return Fraction(value)


def gaussian_delta(epsilon: float, sigma: float, *, sensitivity: float = 1.0) -> float:
    """Least delta of the continuous Gaussian mechanism (Balle, Wang 2018, Theorem 8).

    Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m), with m = sensitivity / sigma.

    >>> round(gaussian_delta(1, 3.7306), 7)
    1e-05
    """
    check.positive(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    m = float(sensitivity) / float(sigma)
    near, far = _phi(m / 2 - epsilon / m), _log_phi(-m / 2 - epsilon / m)
    return max(0.0, near - math.exp(epsilon + far))


def classic_sigma(epsilon: float, delta: float, *, sensitivity: float = 1.0) -> float:
    """sqrt(2 ln(1.25/delta)) sensitivity / epsilon (Dwork, Roth 2014, Theorem A.1).

    Raises:
        ArgumentError: If epsilon is 1 or more, where the theorem says nothing.
    """
    _check_delta(delta)
    check.positive(epsilon=epsilon, sensitivity=sensitivity)
    if epsilon >= 1:
        message = (
            f"epsilon must be below 1 for the classic Gaussian, but it is {float(epsilon):g}; "
            "use the analytic one, which holds for every epsilon."
        )
        raise ArgumentError(message)
    return math.sqrt(2 * math.log(1.25 / delta)) * float(sensitivity) / float(epsilon)


def analytic_sigma(epsilon: float, delta: float, *, sensitivity: float = 1.0) -> float:
    """Least sigma whose exact delta is the one given, from above (Balle, Wang 2018).

    >>> round(analytic_sigma(1, 1e-5), 4)
    3.7306
    """
    _check_delta(delta)
    check.positive(epsilon=epsilon, sensitivity=sensitivity)
    low, high = 1e-6, 1.0
    while gaussian_delta(epsilon, high) > delta:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(epsilon, middle) > delta else (low, middle)
    return high * (1 + 1e-9) * float(sensitivity)


def zcdp_delta(rho: Fraction | float, epsilon: float) -> float:
    """Delta at epsilon of a rho-zCDP mechanism (Canonne, Kamath, Steinke 2020, Corollary 13).

    The least over a > 1 of exp((a - 1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1). Every a gives a
    valid delta, so that the search cannot err on the unsafe side.

    >>> round(zcdp_delta(0.03056, 1), 7)
    1e-05
    """
    check.positive(rho=rho, epsilon=epsilon)
    r = float(rho)

    def log_delta(a: float) -> float:
        return (a - 1) * (a * r - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1)

    return min(1.0, math.exp(_least(log_delta)) * (1 + 1e-9))


def zcdp_epsilon(rho: Fraction | float, delta: float) -> float:
    """Epsilon at delta of a rho-zCDP mechanism; the same bound, solved for epsilon.

    >>> round(zcdp_epsilon(0.03056, 1e-5), 3)
    1.0
    """
    _check_delta(delta)
    check.positive(rho=rho)
    r, log_delta = float(rho), math.log(delta)

    def epsilon(a: float) -> float:
        return a * r + (a * math.log1p(-1 / a) - math.log(a - 1) - log_delta) / (a - 1)

    return max(0.0, _least(epsilon) * (1 + 1e-9))


@lru_cache
def zcdp_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A rho whose delta at epsilon is certainly at most delta, and the largest to many digits.

    Corollary 13 of Canonne, Kamath, Steinke 2020 holds at every order a = 1 + x; solved for rho,

        rho (1 + x) = epsilon + ln(delta) / x + (1 + 1 / x) ln(1 + x) - ln x.

    A good order is searched for, and at that one every step rounds down. There are no floats
    in it, so that the answer is the same everywhere.

    >>> rho = zcdp_rho(Fraction(1), Fraction(1, 10**9))
    >>> round(float(rho), 6), rho.denominator == 2**64
    (0.014973, True)
    """
    _check_delta(delta)
    check.positive(epsilon=epsilon)
    with localcontext(prec=24):
        excess = +_widest(lambda x: _rho_at(x, epsilon, delta))
    with localcontext(prec=60, rounding=ROUND_FLOOR):
        certain = Fraction(_rho_at(excess, epsilon, delta))
    return Fraction(math.floor(certain * 2**64), 2**64)


def _rho_at(x: Decimal, epsilon: Fraction, delta: Fraction) -> Decimal:
    """Rho at the order 1 + x; a lower bound of it where the context rounds down.

    `Decimal.ln` is correct to the last digit whatever the context, so that the next number
    down, or up, bounds it.
    """
    budget, share = (Decimal(q.numerator) / Decimal(q.denominator) for q in (epsilon, delta))
    budget += share.ln().next_minus() / x + (1 + 1 / x) * (1 + x).ln().next_minus()
    return (budget - x.ln().next_plus()) / (1 + x)


def _widest(function: Callable[[Decimal], Decimal]) -> Decimal:
    """Where a function of x > 0 is greatest, by golden section in ln x."""
    low, high, share = Decimal(-12), Decimal(25), Decimal("0.382")
    for _ in range(60):
        left, right = low + share * (high - low), high - share * (high - low)
        if function(left.exp()) > function(right.exp()):
            high = right
        else:
            low = left
    return ((low + high) / 2).exp()


def pure_rho(epsilon: float) -> float:
    """Least rho of every epsilon-DP mechanism, epsilon tanh(epsilon/2) (Harrison, Manurangsi 2024).

    Below epsilon^2 / 2 of Bun and Steinke; randomised response reaches it at order 1.
    """
    check.positive(epsilon=epsilon)
    return float(epsilon) * math.tanh(float(epsilon) / 2)


@dataclass(frozen=True)
class Composition:
    """Total epsilon of k mechanisms of the same epsilon, by three theorems.

    Attributes:
        basic: The sum; delta 0.
        advanced: Dwork, Rothblum, Vadhan 2010, at the given delta.
        zcdp: As k epsilon^2 / 2 of rho, brought back to epsilon at the given delta.
    """

    basic: float
    advanced: float
    zcdp: float

    @property
    def least(self) -> float:
        """The smallest of the three: each holds, so that the smallest may be reported."""
        return min(self.basic, self.advanced, self.zcdp)


def compose(epsilon: Fraction | float, k: int, *, delta: float) -> Composition:
    """Compose k epsilon-DP mechanisms.

    >>> total = compose(0.1, 1000, delta=1e-6)
    >>> [round(x, 1) for x in (total.basic, total.advanced, total.zcdp)]
    [100.0, 27.1, 20.6]
    """
    _check_delta(delta)
    check.positive(epsilon=epsilon)
    check.whole(1, k=k)
    e = float(epsilon)
    advanced = e * math.sqrt(2 * k * math.log(1 / delta)) + k * e * math.expm1(e)
    return Composition(k * e, advanced, zcdp_epsilon(k * e * e / 2, delta))


def _check_delta(delta: Fraction | float) -> None:
    check.positive(delta=delta)
    if delta >= 1:
        message = f"delta must be below 1, but it is {delta}."
        raise ArgumentError(message)


def _phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _log_phi(x: float) -> float:
    """ln Phi(x); for x < -30 from the bound Phi(x) < density / |x|, which is nearly exact."""
    if x > -30:
        return math.log(_phi(x))
    return -x * x / 2 - math.log(-x * math.sqrt(2 * math.pi))


def _least(function: Callable[[float], float]) -> float:
    """Least value over a > 1, by golden section in ln(a - 1)."""
    low, high = -12.0, 25.0
    for _ in range(90):
        left, right = low + 0.382 * (high - low), high - 0.382 * (high - low)
        if function(1 + math.exp(left)) < function(1 + math.exp(right)):
            high = right
        else:
            low = left
    return function(1 + math.exp((low + high) / 2))

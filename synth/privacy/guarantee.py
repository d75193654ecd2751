"""Neighbours and guarantees, in exact rationals.

>>> Neighbors.REPLACE_ONE.sensitivity
2
>>> str(Guarantee.pure(parse_epsilon("0.1")) + Guarantee.pure(parse_epsilon("0.2")))
'epsilon = 3/10'
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Self

from synth import limits
from synth.errors import ArgumentError, describe_value
from synth.util import check

_BUDGET_NUMBER = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?|[+-]?[0-9]+/[0-9]+", re.ASCII
)
_WHOLE_NUMBER = re.compile(
    r"[0-9]{1,18}|[0-9]{1,3}(,[0-9]{3}){1,5}|[0-9]{1,18}(\.[0-9]{1,18})?[eE]\+?[0-9]{1,2}",
    re.ASCII,
)


class Neighbors(StrEnum):
    """The relation of two tables whose releases must look alike."""

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
    """The protected unit: one row, or all rows of one person.

    With a person column, a public rule that uses only a person's own rows keeps at most
    ``max_rows`` = k of them. Neighbours differ in one person with all rows, who is there or
    not (add-remove), or is replaced by another (replace-one). Either may have any number of
    rows, also none that counts. So the number of rows is private under both.

    >>> (
    ...     Unit("pid", 4).sensitivity(Neighbors.REPLACE_ONE),
    ...     Unit("pid", 4).square(Neighbors.REPLACE_ONE),
    ... )
    (8, 32)

    Attributes:
        person: The column that identifies the person; empty if each row is a person.
        max_rows: Most rows of one person that are used.

    Raises:
        ArgumentError: ``max_rows`` is impossible, or above 1 without a person column.
    """

    person: str = ""
    max_rows: int = 1

    def __post_init__(self) -> None:
        check.check_whole(1, max_rows=self.max_rows)
        if self.max_rows > 1 and not self.person:
            raise ArgumentError("max_rows above 1 needs a person column.")

    def sensitivity(self, neighbors: Neighbors) -> int:
        """Return the largest L1 distance of the histograms of two neighbours, in rows.

        With at most k rows of a person it is 2k for replace-one, and k for add-remove.
        """
        # At most k rows go and at most k come: 2k under replace-one, k under add-remove. By
        # the reverse triangle inequality, the distance from anything public moves by no more.
        return self.max_rows * neighbors.sensitivity

    def square(self, neighbors: Neighbors) -> int:
        """Return the largest squared L2 distance of the histograms of two neighbours."""
        # Let a and b be the histograms of the rows that go and come, nonnegative and of sum
        # at most k. Then |b - a|^2 = |a|^2 + |b|^2 - 2 a.b <= |a|^2 + |b|^2 <= 2 k^2. It is
        # reached if k rows of one cell are replaced by k of another. Under add-remove a = 0
        # leaves k^2.
        return self.max_rows**2 * neighbors.sensitivity

    def shares_rows(self, neighbors: Neighbors) -> bool:
        """Return whether neighbours have the same number of rows, so that it is public.

        True if one row is replaced, never if a person is: the new person may have fewer rows.
        """
        return neighbors is Neighbors.REPLACE_ONE and not self.person

    def __str__(self) -> str:
        if not self.person:
            return "one row"
        return f"one person by the column '{self.person}', with at most {self.max_rows} rows"


ROW: Unit = Unit()


@dataclass(frozen=True)
class RootUnit(Unit):
    """All rows that carry one key, in all tables of a package.

    Under add-remove all rows of a key come or go; under replace-one another root with an
    unused key takes its place. The keys are then as many as before; how many have a row of
    the root table is private.

    >>> str(RootUnit("id", table="people"))
    "one root of 'people' by the key 'id', with all rows of all tables that carry it"

    Attributes:
        table: The root table, in which each key has at most one row.
    """

    table: str = ""

    def shares_rows(self, _neighbors: Neighbors) -> bool:
        """Return False: the number of roots with a row of the root table is private."""
        return False

    def __str__(self) -> str:
        """Write the protected unit in words."""
        return (
            f"one root of '{self.table}' by the key '{self.person}', with all rows of all "
            "tables that carry it"
        )


OF_RANGE = Fraction(11, 56)
"""If the largest and the least loss differ by w, the cost is at most pi w^2 / 16 of mu^2 / 2,
with 22/7 for pi (docs/proofs/gaussian-dp.md). """


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A claim of differential privacy: pure epsilon, (epsilon, delta), rho-zCDP, or Gaussian
    DP.

    ``+`` is basic composition.

    Attributes:
        epsilon: The epsilon; None if ``rho`` is set, and only then.
        delta: The delta of an epsilon; 0 for a pure one, and with a rho.
        rho: The rho of zCDP, or mu^2 / 2 of mu-Gaussian DP.
        is_gaussian: Whether rho is mu^2 / 2 of mu-Gaussian DP, which implies rho-zCDP and is
            stronger.
    """

    epsilon: Fraction | None = None
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None
    is_gaussian: bool = False

    @classmethod
    def pure(cls, epsilon: Fraction | int) -> Self:
        """Return (epsilon, 0)-differential privacy."""
        return cls(epsilon=_positive("epsilon", epsilon))

    @classmethod
    def approximate(cls, epsilon: Fraction | int, delta: Fraction) -> Self:
        """Return (epsilon, delta)-differential privacy, with 0 < delta < 1."""
        if _positive("delta", delta) >= 1:
            raise ArgumentError(f"delta must be below 1, but it is {delta}.")
        return cls(epsilon=_positive("epsilon", epsilon), delta=Fraction(delta))

    @classmethod
    def of(cls, epsilon: Fraction | int, delta: Fraction) -> Self:
        """Return (epsilon, delta)-differential privacy; pure if delta is 0."""
        return cls.approximate(epsilon, delta) if delta else cls.pure(epsilon)

    @classmethod
    def zcdp(cls, rho: Fraction | int) -> Self:
        """Return rho-zero-concentrated differential privacy (Bun, Steinke 2016, Definition
        1.1).
        """
        return cls(rho=_positive("rho", rho))

    @classmethod
    def gaussian(cls, rho: Fraction | int) -> Self:
        """Return mu-Gaussian differential privacy, mu^2 = 2 rho (Dong, Roth, Su 2022,
        Definition 2.1)."""
        return cls(rho=_positive("rho", rho), is_gaussian=True)

    @property
    def is_zcdp(self) -> bool:
        """Whether it is a rho of zCDP and not of Gaussian DP."""
        return self.rho is not None and not self.is_gaussian

    def __add__(self, other: "Guarantee") -> "Guarantee":
        """Return the guarantee of both together.

        Epsilons and deltas add up. With a rho, a pure epsilon counts as a rho of the same
        kind. The sum is Gaussian DP only if neither is a rho of zCDP.

        Raises:
            ArgumentError: One is a rho and the other has a delta.
        """
        if self.epsilon is not None and other.epsilon is not None:
            return Guarantee(
                epsilon=self.epsilon + other.epsilon, delta=self.delta + other.delta
            )
        if self.delta or other.delta:
            raise ArgumentError(
                "an (epsilon, delta) guarantee cannot be added to a zCDP guarantee."
            )
        gaussian = not (self.is_zcdp or other.is_zcdp)
        both = in_rho(self, gaussian=gaussian) + in_rho(other, gaussian=gaussian)
        return Guarantee(rho=both, is_gaussian=gaussian)

    def scale(self, share: Fraction) -> "Guarantee":
        """Return the guarantee times ``share``: of epsilon and delta, or of rho."""
        if self.rho is not None:
            return replace(self, rho=self.rho * share)
        assert self.epsilon is not None
        return Guarantee(epsilon=self.epsilon * share, delta=self.delta * share)

    def __str__(self) -> str:
        """Write the guarantee with exact numbers, as fractions."""
        if self.rho is not None:
            if self.is_gaussian:
                return f"mu^2 = {2 * self.rho} (Gaussian DP)"
            return f"rho = {self.rho} (zCDP)"
        return f"epsilon = {self.epsilon}" + (f", delta = {self.delta}" if self.delta else "")


def in_rho(guarantee: Guarantee, *, gaussian: bool = False) -> Fraction:
    """Return the rho of a guarantee without a delta.

    A pure epsilon counts epsilon^2/2 of zCDP (Bun, Steinke 2016, Proposition 1.4). With
    ``gaussian`` it counts mu^2 / 2 of Gaussian DP, as its losses have a range of 2 epsilon
    (`OF_RANGE`). A rho is returned as it is.
    """
    if guarantee.rho is not None:
        return guarantee.rho
    assert guarantee.epsilon is not None
    # The range of 2 epsilon, squared, is 4 epsilon^2.
    return 4 * OF_RANGE * guarantee.epsilon**2 if gaussian else guarantee.epsilon**2 / 2


def parse_rational(value: Any, *, name: str) -> Fraction:
    """Read a number exactly as it is written.

    Args:
        value: Text such as ``"0.1"``, ``"1e-5"`` or ``"1/3"``, an integer, a Fraction, or a
            Decimal. A float counts as the shortest text that prints it, so 0.1 is one tenth.
        name: Name of the number in messages.

    Raises:
        ArgumentError: It is not a finite number, or its text is too long.

    >>> parse_rational("1e-1", name="delta")
    Fraction(1, 10)
    """
    if isinstance(value, Fraction) and not _is_long(value):
        return value
    if value is not None and not isinstance(value, str | Real | Decimal):
        raise ArgumentError(
            f"{name} must be a number such as 1, 0.1 or 1/3, but it is "
            f"{describe_value(value)}."
        )
    text = _write_number(value).strip()
    if len(text) > limits.NUMBER_TEXT:
        raise ArgumentError(
            f"{name} must be written in at most {limits.NUMBER_TEXT} characters."
        )
    # A fraction over 0 is refused too.
    if not _BUDGET_NUMBER.fullmatch(text) or re.search(r"/0+$", text):
        raise ArgumentError(
            f"{name} must be a number such as 1, 0.1 or 1/3, but it is {text!r}."
        )
    return Fraction(text)


def _is_long(value: Fraction) -> bool:
    return max(abs(value.numerator), value.denominator) >= int(10**limits.RATIONAL_DIGITS)


def parse_epsilon(value: Any) -> Fraction:
    """Read an epsilon exactly, from a text or a number; ArgumentError if beyond the limits.

    >>> parse_epsilon("0.1"), parse_epsilon(0.1), parse_epsilon("1/3")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    """
    return _check_between("epsilon", value, limits.EPSILON_MIN, high=limits.EPSILON_MAX)


def parse_rho(value: Any) -> Fraction:
    """Read a rho of zCDP exactly, from a text or a number; ArgumentError if beyond limits.

    >>> parse_rho("0.01"), parse_rho("1/3")
    (Fraction(1, 100), Fraction(1, 3))
    """
    return _check_between("rho", value, limits.RHO_MIN, high=limits.RHO_MAX)


def parse_whole(text: str, *, name: str, most: int, example: int = 1000) -> int:
    """Read a whole number from 1 to ``most``: plain digits, ``20,000`` or ``1e6``.

    ``name`` is the number's name in the error, and ``example`` a number that it shows.

    Raises:
        ArgumentError: The text is anything else (``1_000``, ``1,5``, ``+5``), 0, or above
            ``most``.

    >>> parse_whole(" 42 ", name="--rows", most=100)
    42
    >>> parse_whole("20,000", name="--rows", most=10**6)
    20000
    >>> parse_whole("1.5e3", name="--rows", most=10**6)
    1500
    """
    digits = text.strip()
    number = Fraction(0)
    # Numbers of up to 18 digits fit 64 bits. Commas stand between groups of three digits.
    if _WHOLE_NUMBER.fullmatch(digits):
        number = Fraction(digits.replace(",", ""))
    if number.denominator != 1 or not 1 <= number <= most:
        raise ArgumentError(
            f"{name} must be a whole number from 1 to {most:,}, such as {example}."
        )
    return int(number)


def _write_number(value: Any) -> str:
    """Return a number as exact text, which `parse_rational` then reads or refuses.

    A float becomes the shortest text that reads back as the same float. An integer or a
    fraction that is too long becomes 99 nines, which are longer than a number may be and so
    refused. (Short fractions never come here.)
    """
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return (
            format(int(value), "d") if abs(int(value)) < 10**limits.NUMBER_TEXT else "9" * 99
        )
    if isinstance(value, Fraction):
        return "9" * 99
    if isinstance(value, float):
        return repr(float(value))
    return str(value) if isinstance(value, str | Decimal) else describe_value(value)


def _check_between(name: str, value: Any, low: Fraction, *, high: Fraction) -> Fraction:
    """Return a number exactly; ``name`` is what errors call it.

    Raises:
        ArgumentError: It is no number, not above 0, or not between ``low`` and ``high``.
    """
    number = _positive(name, parse_rational(value, name=name))
    if not low <= number <= high:
        raise ArgumentError(
            f"{name} must be between {float(low):g} and {float(high):g}, but it is {value}."
        )
    return number


def _positive(name: str, value: Fraction | int) -> Fraction:
    """Return an exact number above 0 as a Fraction; ``name`` is what errors call it.

    Raises:
        ArgumentError: It is not above 0, or not exact, such as a float.
    """
    if not isinstance(value, int | Fraction) or isinstance(value, bool):
        raise ArgumentError(
            f"{name} must be an exact rational, but it is {describe_value(value)}."
        )
    if value <= 0:
        raise ArgumentError(f"{name} must be above 0, but it is {value}.")
    return Fraction(value)

"""Columns of whole numbers and of real numbers, cut into bins.

>>> hours = Integer(
...     name="hours", minimum=0, maximum=99, edges=(0, 35, 45, 99), spikes=(40, 999)
... )
>>> hours.cells
('0 to 34', '35 to 39', '40', '41 to 44', '45 to 99', '999')
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from synth import limits
from synth.domain.bins import Binned, Bound, Lattice, Piece
from synth.domain.column import refuse
from synth.domain.field_values import Arguments, Field
from synth.domain.reading import Decimal, FormulaValues, Whole
from synth.errors import ArgumentError
from synth.privacy import parse_rational
from synth.util import Json

# Most digits after the point: a double holds about 15 significant digits.
MAX_DECIMALS = 15
# The default digits after the point give a bin at least 10^3 values.
DIGITS_IN_BIN = 3


class _Numeric(Binned):
    def position(self, text: str) -> Fraction:
        """Return a typed number exactly; ValueError if it is none or too large."""
        value = parse_rational(text, name="The value")
        if abs(value) > limits.BOUND:
            raise ValueError
        return value

    def write_position(self, position: Fraction) -> str:
        """Return the number at a position, exactly."""
        return write_decimal(position)

    def _is_value(self, text: str) -> bool:
        """Return whether a text is a finite number, whole or not."""
        try:
            return math.isfinite(float(text))
        except ValueError:
            return False


@dataclass(frozen=True, kw_only=True)
class Integer(_Numeric, Lattice):
    """A column of whole numbers, cut into bins of equal width or at declared edges."""

    kind: ClassVar[str] = "integer"
    types: ClassVar[Mapping[str, str]] = {"integer": "integer"}

    @property
    def reading(self) -> Whole:
        """How a cell's text is read."""
        return Whole()

    @property
    def dtype(self) -> str:
        """The type of its column in a DataFrame."""
        return "Int64" if self.missing else "int64"

    @property
    def formula_values(self) -> FormulaValues:
        """Its possible values in a formula: whole numbers from the least to the greatest.

        The ends are those of all cells, so that a spike beyond the bounds counts.
        """
        low, high = self.step_ends
        return FormulaValues(kind="number", low=low, high=high, whole=True)

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        """Return whether a field is of whole numbers or years."""
        return field.get("type", "string") in ("integer", "year")

    def _parse(self, text: Bound) -> Fraction:
        """Return a declared bound as a number; DomainError if it is no whole number."""
        value = _fraction(self.name, text)
        if value.denominator != 1:
            refuse(f"Column '{self.name}': {text} is not a whole number.")
        return value


@dataclass(frozen=True, kw_only=True)
class Number(_Numeric):
    """A column of real numbers, cut into bins of equal width or at declared edges.

    Attributes:
        decimals: Digits after the point of synthetic values; by default as many as give about
            a thousand different values in the narrowest bin, and room for every spike.
    """

    kind: ClassVar[str] = "number"
    types: ClassVar[Mapping[str, str]] = {"number": "number"}
    keys: ClassVar[frozenset[str]] = frozenset({"synth:decimals"})
    unit: ClassVar[int] = 0

    decimals: int | None = None

    def _validate(self) -> None:
        """Raise DomainError for equal bounds, wrong decimals, or a bin without a value.

        Values are multiples of the step, 10^-places, so a narrow bin may hold none.
        """
        super()._validate()
        if self.minimum == self.maximum or self.bounds[0] == self.bounds[1]:
            refuse(f"Column '{self.name}': minimum and maximum are equal.")
        if self.decimals is not None and not 0 <= self.decimals <= MAX_DECIMALS:
            refuse(f"Column '{self.name}': decimals must be from 0 to 15.")
        for spike in self.spikes:
            if (self._parse(spike) * 10**self.places).denominator != 1:
                refuse(
                    f"Column '{self.name}': the spike {spike} has over {self.places} "
                    "decimals."
                )
        if any(first > last for first, last in self.spans):
            refuse(f"Column '{self.name}': a bin holds no value with {self.places} decimals.")

    def _parse(self, text: Bound) -> Fraction:
        return _fraction(self.name, text)

    @property
    def values(self) -> float:
        """Number of different possible values: infinitely many."""
        return math.inf

    @cached_property
    def borders(self) -> tuple[Fraction, ...]:
        """Ascending starts of the bins, and then the end of the last bin, as exact numbers.

        Without declared edges the bins are equally wide.
        """
        if self.edges:
            return tuple(self._parse(edge) for edge in self.edges)
        low, high = self.bounds
        return tuple(
            low + (high - low) * number / self.bin_count
            for number in range(self.bin_count + 1)
        )

    @cached_property
    def places(self) -> int:
        """Digits after the point of synthetic values: as declared, or by the bins.

        By default a step of the last digit is at most a thousandth of the narrowest bin, and
        every spike can be written.
        """
        if self.decimals is not None:
            return self.decimals
        width = min(high - low for low, high in pairwise(self.borders))
        # A bin of the width 0.05 has its first digit at place 2, and needs 3 places more.
        digits_for_bin = DIGITS_IN_BIN - math.floor(math.log10(width))
        places = min(MAX_DECIMALS, max(0, digits_for_bin))
        for spike in self.spikes:
            places = max(places, _digits(self._parse(spike)))
        return places

    @property
    def step(self) -> Fraction:
        """Smallest distance of two different synthetic values."""
        return Fraction(1, 10**self.places)

    @property
    def reading(self) -> Decimal:
        """How a cell's text is read."""
        return Decimal(self.places)

    @property
    def formula_values(self) -> FormulaValues:
        """Its possible values in a formula: numbers from the least to the greatest.

        The ends are those of all cells, so that a spike beyond the bounds counts; they are
        steps of the last digit after the point.
        """
        low, high = (end / 10**self.places for end in self.step_ends)
        return FormulaValues(kind="number", low=low, high=high)

    @property
    def dtype(self) -> str:
        """The type of its column in a DataFrame."""
        return "float64"

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the bounds, bins, spikes and decimals that a Table Schema field declares.

        They are returned as arguments of this class by name.

        Raises:
            DomainError: They are wrong or incomplete.
        """
        arguments = super().read_field(name, field)
        if "synth:decimals" in field:
            if type(field["synth:decimals"]) is not int:
                refuse(f"Column '{name}': 'synth:decimals' must be a whole number.")
            arguments["decimals"] = field["synth:decimals"]
        return arguments

    def write_field(self) -> dict[str, Json]:
        """Return the type, bounds, bins, spikes and decimals as entries of a field."""
        field = super().write_field()
        if self.decimals is not None:
            field["synth:decimals"] = self.decimals
        return field

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last step of each declared cell, both inside, in code order.

        A step is the smallest distance of two synthetic values, 10^-places; step 0 is at 0.
        """
        steps_per_unit = 10**self.places
        return tuple(
            _find_steps(piece, steps_per_unit, self._holes, top=self.bounds[1])
            for piece in self.pieces
        )

    @property
    def _holes(self) -> set[Fraction]:
        return {piece.low for piece in self.pieces if piece.spike}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the declared cells, in code order.

        Numbers have six digits, or all digits if two labels would be the same.
        """
        short_labels = tuple(
            _name_piece(piece, _write_short, self._holes) for piece in self.pieces
        )
        if len(set(short_labels)) == len(short_labels):
            return short_labels
        return tuple(_name_piece(piece, _write_full, self._holes) for piece in self.pieces)


def _find_steps(
    piece: Piece, steps_per_unit: int, holes: set[Fraction], *, top: Fraction
) -> tuple[int, int]:
    """Return the first and the last step in a bin or spike, both inside.

    Args:
        piece: The bin or spike.
        steps_per_unit: Steps are the multiples of 1 / steps_per_unit.
        holes: The positions of all spikes, which are in no bin.
        top: The column's maximum, which is inside the last bin.
    """
    first = math.ceil(piece.low * steps_per_unit)
    if piece.spike:
        return first, first
    # A bin that begins at a spike begins after it. A spike has no width among real numbers.
    if piece.low in holes and first == piece.low * steps_per_unit:
        first += 1
    if piece.high == top and top not in holes:
        return first, math.floor(top * steps_per_unit)
    # The upper end is not in the bin.
    return first, math.ceil(piece.high * steps_per_unit) - 1


def _name_piece(piece: Piece, show: Callable[[Fraction], str], holes: set[Fraction]) -> str:
    """Return the label of a bin or spike.

    Args:
        piece: The bin or spike.
        show: Writes a number.
        holes: The positions of all spikes. A bin that begins at one is named "above ...".
    """
    if piece.spike:
        return show(piece.low)
    ends = f"{show(piece.low)} to {show(piece.high)}"
    return f"above {ends}" if piece.low in holes else ends


def _write_short(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.6g}"


def _write_full(value: Fraction) -> str:
    return repr(float(value))


def _digits(value: Fraction) -> int:
    """Return the digits after the point that write a number exactly, at most MAX_DECIMALS."""
    exact_digits = (n for n in range(MAX_DECIMALS) if (value * 10**n).denominator == 1)
    return next(exact_digits, MAX_DECIMALS)


def _fraction(name: str, text: Bound) -> Fraction:
    """Return a declared bound as an exact number.

    Args:
        name: The column's name, for messages.
        text: The bound as declared.

    Raises:
        DomainError: It is no finite number, or too large.
    """
    # The digits after the "e" of 1e-5.
    power = str(text).lower().partition("e")[2].strip().lstrip("+-")
    if len(power) > limits.EXPONENT_DIGITS:  # ten to its power would be written out
        refuse(f"Column '{name}': the bound '{text}' has too large an exponent.")
    try:
        value = parse_rational(str(text), name="The bound")
    except ArgumentError:
        refuse(
            f"Column '{name}': the bound '{str(text)[: limits.NUMBER_TEXT]}' is not a finite "
            "number such as -1, 0.5 or 1/3."
        )
    if abs(value) > limits.BOUND:
        refuse(f"Column '{name}': the bound '{text}' is too large.")
    return value


def write_decimal(value: Fraction) -> str:
    """Write a number exactly: as a decimal if possible, otherwise as a fraction."""
    # The digits after the point: the least power of ten that the denominator divides.
    power = next(
        (n for n in range(limits.BOUND_LENGTH) if 10**n % value.denominator == 0), None
    )
    if not power:  # a whole number (0), or no decimal (None)
        return str(value)
    digits = str(abs(value.numerator) * 10**power // value.denominator).zfill(power + 1)
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-power]}.{digits[-power:]}"

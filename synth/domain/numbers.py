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


class _Numeric(Binned):
    def position(self, text: str) -> Fraction:
        """Read a typed number exactly; ValueError if it is none or too large."""
        value = parse_rational(text, name="The value")
        if abs(value) > limits.BOUND:
            raise ValueError
        return value

    def write_position(self, position: Fraction) -> str:
        return write_decimal(position)


@dataclass(frozen=True, kw_only=True)
class Integer(_Numeric, Lattice):
    kind: ClassVar[str] = "integer"
    types: ClassVar[Mapping[str, str]] = {"integer": "integer"}

    @property
    def reading(self) -> Whole:
        return Whole()

    @property
    def dtype(self) -> str:
        return "Int64" if self.missing else "int64"

    @property
    def formula_values(self) -> FormulaValues:
        low, high = self.step_ends
        return FormulaValues(kind="number", low=low, high=high, whole=True)

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        return field.get("type", "string") in ("integer", "year")

    def _parse(self, text: Bound) -> Fraction:
        value = _fraction(self.name, text)
        if value.denominator != 1:
            refuse(f"Column '{self.name}': {text} is not a whole number.")
        return value


@dataclass(frozen=True, kw_only=True)
class Number(_Numeric):
    """A column of real numbers, cut into bins of equal width or at declared edges.

    ``decimals`` is the number of digits after the point of synthetic values. By default it
    gives
                 about a thousand different values in the narrowest bin, and room for every
                 spike.
    """

    kind: ClassVar[str] = "number"
    types: ClassVar[Mapping[str, str]] = {"number": "number"}
    keys: ClassVar[frozenset[str]] = frozenset({"synth:decimals"})
    unit: ClassVar[int] = 0

    decimals: int | None = None

    def _validate(self) -> None:
        super()._validate()
        if self.minimum == self.maximum or self.bounds[0] == self.bounds[1]:
            refuse(f"Column '{self.name}': minimum and maximum are equal.")
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            refuse(f"Column '{self.name}': decimals must be from 0 to 15.")
        for spike in self.spikes:
            if (self._parse(spike) * 10**self.places).denominator != 1:
                refuse(
                    f"Column '{self.name}': the spike {spike} has over {self.places} "
                    "decimals."
                )
        if any(a > b for a, b in self.spans):
            refuse(f"Column '{self.name}': a bin holds no value with {self.places} decimals.")

    def _parse(self, text: Bound) -> Fraction:
        return _fraction(self.name, text)

    @property
    def values(self) -> float:
        return math.inf

    @cached_property
    def borders(self) -> tuple[Fraction, ...]:
        if self.edges:
            return tuple(self._parse(edge) for edge in self.edges)
        low, high = self.bounds
        return tuple(
            low + (high - low) * i / self.bin_count for i in range(self.bin_count + 1)
        )

    @cached_property
    def places(self) -> int:
        if self.decimals is not None:
            return self.decimals
        width = min(b - a for a, b in pairwise(self.borders))
        fine = min(15, max(0, 3 - math.floor(math.log10(width))))
        return max(fine, *(_digits(self._parse(spike)) for spike in self.spikes), 0)

    @property
    def step(self) -> Fraction:
        return Fraction(1, 10**self.places)

    @property
    def reading(self) -> Decimal:
        return Decimal(self.places)

    @property
    def formula_values(self) -> FormulaValues:
        low, high = (end / 10**self.places for end in self.step_ends)
        return FormulaValues(kind="number", low=low, high=high)

    @property
    def dtype(self) -> str:
        return "float64"

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        found = super().read_field(name, field)
        if "synth:decimals" in field:
            if type(field["synth:decimals"]) is not int:
                refuse(f"Column '{name}': 'synth:decimals' must be a whole number.")
            found["decimals"] = field["synth:decimals"]
        return found

    def write_field(self) -> dict[str, Json]:
        places = {} if self.decimals is None else {"synth:decimals": self.decimals}
        return super().write_field() | places

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        unit = 10**self.places
        return tuple(
            _ticks(piece, unit, self._holes, top=self.bounds[1]) for piece in self.pieces
        )

    @property
    def _holes(self) -> set[Fraction]:
        return {piece.low for piece in self.pieces if piece.spike}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        holes = self._holes
        for show in (_short, _full):
            shown = tuple(_name_piece(piece, show, holes) for piece in self.pieces)
            if len(set(shown)) == len(shown):
                break
        return shown


def _ticks(
    piece: Piece, unit: int, holes: set[Fraction], *, top: Fraction
) -> tuple[int, int]:
    # First and last multiple of 1/unit in the piece that is in none of the holes.
    first, end = math.ceil(piece.low * unit), math.ceil(piece.high * unit)
    if piece.spike:
        return first, first
    if piece.low in holes and first == piece.low * unit:
        first += 1
    if piece.high == top and top not in holes:
        return first, math.floor(top * unit)
    return first, end - 1


def _name_piece(piece: Piece, show: Callable[[Fraction], str], holes: set[Fraction]) -> str:
    low, high = show(piece.low), show(piece.high)
    if piece.spike:
        return low
    return f"above {low} to {high}" if piece.low in holes else f"{low} to {high}"


def _short(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.6g}"


def _full(value: Fraction) -> str:
    return repr(float(value))


def _digits(value: Fraction) -> int:
    # Return the digits after the point of a decimal number; 15 if that is not enough.
    return next((n for n in range(15) if (value * 10**n).denominator == 1), 15)


def _fraction(name: str, text: Bound) -> Fraction:
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
    power = next(
        (n for n in range(limits.BOUND_LENGTH) if 10**n % value.denominator == 0), None
    )
    if not power:
        return str(value)
    digits = str(abs(value.numerator) * 10**power // value.denominator).zfill(power + 1)
    return f"{'-' * (value < 0)}{digits[:-power]}.{digits[-power:]}"

"""Columns cut into bins: whole numbers and numbers, with cells of their own for spikes.

A spike is a declared value that many rows may share, such as 40 hours or a code 99999. It is
cut out of its bin, or stands beside the bins where it lies outside the bounds.

>>> hours = Integer(name="hours", minimum=0, maximum=99, edges=(0, 35, 45, 99), spikes=(40, 999))
>>> hours.cells
('0 to 34', '35 to 39', '40', '41 to 44', '45 to 99', '999')
"""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from synth import limits
from synth.domain.column import Column, Outside, first_repeat, refuse, refuse_long
from synth.errors import ArgumentError
from synth.privacy.guarantee import parse_rational

Bound = str | int | float
"""A declared bound; a number stands for its shortest decimal text."""


class Piece(NamedTuple):
    """A cell on the column's axis: from ``low`` to below ``high``, or a spike."""

    low: Fraction
    high: Fraction
    spike: bool


@dataclass(frozen=True, kw_only=True)
class Binned(Column):
    """A column cut into bins; the base of integers, numbers and dates.

    Either ``edges`` (ascending, the first and last being the bounds) or bounds with a number
    of ``bins``. A bin holds its lower edge and not its upper one; the last bin holds both.

    Attributes:
        spikes: Values with a cell of their own, inside the bounds or not.
    """

    unit: ClassVar[int]
    """Width of a spike: 1 on a lattice, 0 among real numbers."""

    minimum: Bound
    maximum: Bound
    bins: int | None = None
    edges: tuple[Bound, ...] = ()
    spikes: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        # One spelling each, so that equal declarations are equal.
        for end in ("minimum", "maximum"):
            object.__setattr__(self, end, _spelling(self.name, getattr(self, end)))
        for many in ("edges", "spikes"):
            spelled = tuple(_spelling(self.name, bound) for bound in getattr(self, many))
            object.__setattr__(self, many, spelled)
        super().__post_init__()
        if self.counts_bins:
            object.__setattr__(self, "bins", self.bin_count)

    def _default_rule(self) -> Outside:
        return Outside.NEAREST

    @property
    def counts_bins(self) -> bool:
        """Whether a number of bins, and nothing else, says where they are."""
        return not self.edges

    def _validate(self) -> None:
        low, high = self._parse(self.minimum), self._parse(self.maximum)
        if low > high:
            refuse(f"Column '{self.name}': minimum {self.minimum} is above maximum {self.maximum}.")
        if self.edges:
            self._validate_edges()
        elif not 1 <= self.bin_count <= limits.BINS:
            refuse(f"Column '{self.name}': bins must be a whole number from 1 to {limits.BINS:,}.")
        elif self.bin_count > self.values:
            refuse(
                f"Column '{self.name}' has {self.values} values from {self.minimum} to "
                f"{self.maximum}, fewer than its {self.bin_count} bins."
            )
        self._validate_spikes()

    def _validate_edges(self) -> None:
        parsed = [self._parse(edge) for edge in self.edges]
        if len(parsed) < 2 or len(parsed) > limits.BINS + 1:
            refuse(f"Column '{self.name}': edges need from 2 to {limits.BINS + 1:,} values.")
        if any(a >= b for a, b in pairwise(parsed)):
            refuse(f"Column '{self.name}': edges must be in ascending order, each one once.")
        if (parsed[0], parsed[-1]) != (self._parse(self.minimum), self._parse(self.maximum)):
            refuse(
                f"Column '{self.name}': the first and last edges must be the minimum and maximum."
            )

    def _validate_spikes(self) -> None:
        if not self.spikes:
            return
        if len(self.spikes) > limits.SPIKES:
            refuse(
                f"Column '{self.name}' declares {len(self.spikes)} spikes; "
                f"the limit is {limits.SPIKES}."
            )
        twice = first_repeat(str(self._parse(spike)) for spike in self.spikes)
        if twice is not None:
            refuse(f"Column '{self.name}' declares the spike {twice} twice.")
        if all(piece.spike for piece in self.pieces):
            refuse(f"Column '{self.name}': its spikes leave no value for the bins.")

    @abstractmethod
    def _parse(self, text: Bound) -> Fraction:
        """Exact position of a declared bound on the column's axis."""

    @property
    @abstractmethod
    def values(self) -> float:
        """How many different values the bounds allow."""

    @property
    @abstractmethod
    def borders(self) -> tuple[Fraction, ...]:
        """Where the bins begin, ascending, and where the last one ends: bin_count + 1."""

    @property
    def bin_count(self) -> int:
        """Number of bins; undeclared, the default or the number of values if that is less."""
        if self.edges:
            return len(self.edges) - 1
        if self.bins is not None:
            return self.bins
        return max(1, int(min(limits.DEFAULT_BINS, self.values)))

    @cached_property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Smallest and largest position allowed, both inside."""
        return self._parse(self.minimum), self._parse(self.maximum)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The declared cells in code order: what the spikes leave of the bins, and the spikes."""
        found = [Piece(low, high, False) for low, high in pairwise(self.borders)]
        for spike in map(self._parse, self.spikes):
            cut = Piece(spike, spike + self.unit, True)
            found = [left for piece in found for left in _without(piece, cut)] + [cut]
        return tuple(sorted(found))

    @cached_property
    def end_codes(self) -> tuple[int, int]:
        """Codes of the cells that hold the minimum and the maximum."""
        low, high = self.bounds
        inside = [code for code, piece in enumerate(self.pieces) if low <= piece.low <= high]
        return inside[0], inside[-1]

    @property
    def titles(self) -> tuple[str, ...]:
        known = {self._parse(code): meaning for code, meaning in self.meanings.items()}
        means = [known.get(piece.low, "") if piece.spike else "" for piece in self.pieces]
        means += [""] * (self.size - len(means))
        return tuple(f"{c} · {m}" if m else c for c, m in zip(self.cells, means, strict=True))


class Lattice(Binned):
    """Bins of whole units: integers, days or seconds."""

    unit: ClassVar[int] = 1

    @property
    def values(self) -> int:
        low, high = self.bounds
        return int(high - low) + 1

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """First unit of each bin, then one past the last: bin i is starts[i] <= x < starts[i+1]."""
        low, high = (int(b) for b in self.bounds)
        if self.edges:
            inner = tuple(int(self._parse(edge)) for edge in self.edges[:-1])
        else:
            inner = tuple(low + i * self.values // self.bin_count for i in range(self.bin_count))
        return (*inner, high + 1)

    @property
    def borders(self) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, self.starts))

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last unit of each declared cell, both inside."""
        return tuple((int(piece.low), int(piece.high) - 1) for piece in self.pieces)

    def show(self, unit: int) -> str:
        """A unit as the column writes it."""
        return str(unit)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(_span(self.show(a), self.show(b)) for a, b in self.spans)


@dataclass(frozen=True, kw_only=True)
class Integer(Lattice):
    """A column of whole numbers, cut into bins of nearly equal numbers of values."""

    kind: ClassVar[str] = "integer"

    def _parse(self, text: Bound) -> Fraction:
        value = _fraction(self.name, text)
        if value.denominator != 1:
            refuse(f"Column '{self.name}': {text} is not a whole number.")
        return value


@dataclass(frozen=True, kw_only=True)
class Number(Binned):
    """A column of real numbers, cut into bins of equal width or at declared edges.

    ``decimals`` is how many digits after the point synthetic values have; undeclared, enough
    for about a thousand different values in the narrowest bin, and for every spike.
    """

    kind: ClassVar[str] = "number"
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
                refuse(f"Column '{self.name}': the spike {spike} has over {self.places} decimals.")
        if any(a > b for a, b in self.ticks):
            refuse(f"Column '{self.name}': a bin holds no value with {self.places} decimals.")

    def _parse(self, text: Bound) -> Fraction:
        return _fraction(self.name, text)

    @property
    def values(self) -> float:
        return math.inf

    @cached_property
    def cuts(self) -> tuple[Fraction, ...]:
        """All edges, exactly: bin_count + 1 of them."""
        if self.edges:
            return tuple(self._parse(edge) for edge in self.edges)
        low, high = self.bounds
        return tuple(low + (high - low) * i / self.bin_count for i in range(self.bin_count + 1))

    @property
    def borders(self) -> tuple[Fraction, ...]:
        return self.cuts

    @cached_property
    def places(self) -> int:
        """Digits after the point of synthetic values."""
        if self.decimals is not None:
            return self.decimals
        width = min(b - a for a, b in pairwise(self.cuts))
        fine = min(15, max(0, 3 - math.floor(math.log10(width))))
        return max(fine, *(_digits(self._parse(spike)) for spike in self.spikes), 0)

    @cached_property
    def ticks(self) -> tuple[tuple[int, int], ...]:
        """First and last multiple of 10**-places inside each declared cell, both included."""
        unit = 10**self.places
        return tuple(_ticks(piece, unit, self._holes, self.bounds[1]) for piece in self.pieces)

    @property
    def _holes(self) -> set[Fraction]:
        return {piece.low for piece in self.pieces if piece.spike}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        holes = self._holes
        for show in (_short, _full):
            shown = tuple(_named(piece, show, holes) for piece in self.pieces)
            if len(set(shown)) == len(shown):
                break
        return shown


def _without(piece: Piece, cut: Piece) -> Iterator[Piece]:
    """What is left of a piece when a spike is cut out of it."""
    if cut.low < piece.low or cut.low >= piece.high:
        yield piece
        return
    for low, high in ((piece.low, cut.low), (cut.high, piece.high)):
        if low < high:
            yield Piece(low, high, False)


def _ticks(piece: Piece, unit: int, holes: set[Fraction], top: Fraction) -> tuple[int, int]:
    """First and last of the multiples of 1/unit in a piece that are in none of the holes."""
    first, end = math.ceil(piece.low * unit), math.ceil(piece.high * unit)
    if piece.spike:
        return first, first
    if piece.low in holes and first == piece.low * unit:
        first += 1
    if piece.high == top and top not in holes:
        return first, math.floor(top * unit)
    return first, end - 1


def _named(piece: Piece, show: Any, holes: set[Fraction]) -> str:
    low, high = show(piece.low), show(piece.high)
    if piece.spike:
        return str(low)
    return f"above {low} to {high}" if piece.low in holes else f"{low} to {high}"


def _short(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.6g}"


def _full(value: Fraction) -> str:
    return repr(float(value))


def _digits(value: Fraction) -> int:
    """Digits after the point that a decimal number needs; 15 where that is not enough."""
    return next((n for n in range(15) if (value * 10**n).denominator == 1), 15)


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _spelling(name: str, bound: Bound) -> str:
    """The text of a bound, if it is not too long to be one."""
    is_long = isinstance(bound, int) and abs(bound) >= 10**limits.BOUND_LENGTH
    text = "9" * (limits.BOUND_LENGTH + 1) if is_long else str(bound)
    where = f"the column '{name}'" if len(name) <= limits.NAME_LENGTH else "a column"
    refuse_long(f"A bound of {where}", [text], limits.BOUND_LENGTH)
    return text


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

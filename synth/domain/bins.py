"""The common part of columns with bins, and cells for spikes.

A spike is a declared value that many rows may share, such as 40 hours or a code 99999. It is
cut out of its bin; outside the bounds it has a cell next to the bins."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, NamedTuple

from synth import limits
from synth.domain.column import Column, Outside, first_repeat, refuse, refuse_long
from synth.domain.field_values import (
    Arguments,
    Field,
    bounds,
    constraints,
    label_codes,
    read_codes,
)
from synth.domain.frozen import set_field
from synth.domain.reading import Bin, Cutting, Even, FormulaValues, Position, Spike, Summable
from synth.util import Json

# A declared bound; a number counts as its shortest decimal text.
Bound = str | int | float


# The three ways to cut a range; a field has at most one.
CUTS = ("synth:bins", "synth:edges", "synth:period")


class Piece(NamedTuple):
    """A cell on the column's axis: from ``low`` to below ``high``, or a spike."""

    low: Fraction
    high: Fraction
    spike: bool


@dataclass(frozen=True, kw_only=True)
class Binned(Column):
    """A column cut into bins; the base of numbers, dates and all columns with a scale.

    It has either ``edges`` (ascending; the first and last are the bounds) or bounds with a
    number of ``bins``. A bin contains its lower edge and not its upper one; the last bin
    contains both. ``spikes`` may lie inside the bounds or not."""

    # Width of a spike: 1 on a lattice, 0 among real numbers.
    unit: ClassVar[int]
    # Whether the upper bound is the first value outside, and not the last one inside.
    open_above: ClassVar[bool] = False
    adds_up: ClassVar[bool] = True
    asks: ClassVar[Mapping[str, str]] = {
        "bounds": "0",
        "bins": "0, 10, 50, 100",
        "spikes": "0, 40, 99999",
    }

    minimum: Bound
    maximum: Bound
    bins: int | None = None
    edges: tuple[Bound, ...] = ()
    spikes: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        # One spelling each, so that equal declarations are equal.
        for end in ("minimum", "maximum"):
            set_field(self, end, _spelling(self.name, getattr(self, end)))
        for many in ("edges", "spikes"):
            spelled = tuple(_spelling(self.name, bound) for bound in getattr(self, many))
            set_field(self, many, spelled)
        super().__post_init__()
        if self.counts_bins:
            set_field(self, "bins", self.bin_count)

    def _default_rule(self) -> Outside:
        return Outside.NEAREST

    @property
    def counts_bins(self) -> bool:
        # Whether a number of bins alone says where they are.
        return not self.edges

    def _validate(self) -> None:
        low, high = self._parse(self.minimum), self._parse(self.maximum)
        if low > high:
            refuse(
                f"Column '{self.name}': minimum {self.minimum} is above maximum "
                f"{self.maximum}."
            )
        if self.edges:
            self._validate_edges()
        elif not 1 <= self.bin_count <= limits.BINS:
            refuse(
                f"Column '{self.name}': bins must be a whole number from 1 to "
                f"{limits.BINS:,}."
            )
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
                f"Column '{self.name}': the first and last edges must be the minimum and "
                "maximum."
            )

    def _validate_spikes(self) -> None:
        if not self.spikes:
            return
        if len(self.spikes) > limits.MAX_SPIKES:
            refuse(
                f"Column '{self.name}' declares {len(self.spikes)} spikes; "
                f"the limit is {limits.MAX_SPIKES}."
            )
        twice = first_repeat(str(self._parse(spike)) for spike in self.spikes)
        if twice is not None:
            refuse(f"Column '{self.name}' declares the spike {twice} twice.")
        if all(piece.spike for piece in self.pieces):
            refuse(f"Column '{self.name}': its spikes leave no value for the bins.")

    @abstractmethod
    def _parse(self, text: Bound) -> Fraction:
        """Return the exact position of a declared bound on the column's axis."""

    @property
    @abstractmethod
    def step(self) -> Fraction:
        """Smallest distance of two different synthetic values, in units of reading."""

    @property
    @abstractmethod
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last step of each declared cell, both inside."""

    @property
    @abstractmethod
    def borders(self) -> tuple[Fraction, ...]:
        """Ascending starts of the bins, and the end of the last one: bin_count + 1."""

    @property
    def bin_count(self) -> int:
        if self.edges:
            return len(self.edges) - 1
        if self.bins is not None:
            return self.bins
        return max(1, int(min(limits.DEFAULT_BINS, self.values)))

    @cached_property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Smallest and largest allowed position, both inside."""
        return self._parse(self.minimum), self._parse(self.maximum)

    @cached_property
    def summable(self) -> Summable:
        low, high = (float(self.place(bound)) for bound in self.bounds)
        return Summable(low, high, float(self.step) if self.unit else None, *self.end_codes)

    @property
    def step_ends(self) -> tuple[int, int]:
        return min(first for first, _ in self.spans), max(last for _, last in self.spans)

    @property
    def formula_values(self) -> FormulaValues:
        return refuse(f"Column '{self.name}' ({self.kind}) cannot be part of a formula.")

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        found = [Piece(low, high, False) for low, high in pairwise(self.borders)]
        for spike in map(self._parse, self.spikes):
            cut = Piece(spike, self._end_of_spike(spike), True)
            found = [left for piece in found for left in _cut_out(piece, cut)] + [cut]
        return tuple(sorted(found))

    def _end_of_spike(self, spike: Fraction) -> Fraction:
        return spike + self.unit

    @property
    def size(self) -> int:
        declared = len(self.pieces) if self.spikes else self.bin_count
        return declared + self.missing + (self.rule == Outside.CELL)

    @cached_property
    def end_codes(self) -> tuple[int, int]:
        low, high = self.bounds
        inside = [code for code, piece in enumerate(self.pieces) if low <= piece.low <= high]
        return inside[0], inside[-1]

    @property
    def titles(self) -> tuple[str, ...]:
        known = {self._parse(code): meaning for code, meaning in self.meanings.items()}
        means = [known.get(piece.low, "") if piece.spike else "" for piece in self.pieces]
        means += [""] * (self.size - len(means))
        return tuple(f"{c} · {m}" if m else c for c, m in zip(self.cells, means, strict=True))

    @cached_property
    def extent(self) -> tuple[Sequence[float], Sequence[float]]:
        first, last = zip(*self.spans, strict=True)
        return tuple(map(self._read_as, first)), tuple(map(self._read_as, last))

    @cached_property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        places = ((self.place(piece.low), self.place(piece.high)) for piece in self.pieces)
        return tuple((float(low), float(high)) for low, high in places)

    def _read_as(self, step: int) -> Position:
        whole = step * self.step.numerator
        return whole if self.step.denominator == 1 else whole / self.step.denominator

    @cached_property
    def cutting(self) -> Cutting:
        pieces, (low, high) = list(enumerate(self.pieces)), self._ends_as_read()
        return Cutting(
            low=low,
            high=high,
            open_above=self.open_above,
            spikes=tuple(self._spike(code, piece) for code, piece in pieces if piece.spike),
            bins=tuple(Bin(code, self.place(p.low)) for code, p in pieces if not p.spike),
            even=self._even(),
            ends=self.end_codes if self.rule == Outside.NEAREST else None,
        )

    def _ends_as_read(self) -> tuple[Position, Position]:
        low, high = self.bounds
        return float(low), float(high)

    def place(self, position: Fraction) -> Position:
        return float(position)

    def _spike(self, code: int, piece: Piece) -> Spike:
        return Spike(code, self.place(piece.low), None)

    def _even(self) -> Even | None:
        # The bins by arithmetic, if arithmetic gives exactly the same.
        return None

    def show_value(self, value: float) -> str:
        return f"{value:,.6g}"

    @property
    def in_words(self) -> str:
        bins = "1 bin" if self.bin_count == 1 else f"{self.bin_count:,} bins"
        text = f"{self.minimum} to {self.maximum}, {bins}{self._cut_by}"
        pairs = zip(self.pieces, self.titles, strict=False)
        spikes = [title.replace(" · ", " = ", 1) for piece, title in pairs if piece.spike]
        return f"{text}; a cell of their own for {' | '.join(spikes)}" if spikes else text

    @property
    def _cut_by(self) -> str:
        return ""

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        edges = bounds(name, field["synth:edges"]) if "synth:edges" in field else ()
        count = field.get("synth:bins")
        if count is not None and type(count) is not int:
            refuse(f"Column '{name}': 'synth:bins' must be a whole number.")
        cuts = [key for key in CUTS if field.get(key)]
        if len(cuts) > 1:
            refuse(f"Column '{name}' declares both '{cuts[0]}' and '{cuts[1]}'; keep one.")
        spikes, meanings = read_codes(name, field.get("synth:spikes", []), "synth:spikes")
        found: Arguments = {
            "bins": count,
            "edges": edges,
            "spikes": spikes,
            "meanings": meanings,
        }
        found |= _bounds_of(name, field, edges)
        if "synth:period" in field and "synth:period" not in cls.keys:
            kind = field.get("type", "string")
            refuse(f"Column '{name}' ({kind}) has 'synth:period', which is for dates only.")
        return found

    def write_field(self) -> dict[str, Json]:
        field: dict[str, Json] = {"type": self._type, **self._before_bounds()}
        field["constraints"] = {"minimum": self.minimum, "maximum": self.maximum}
        field |= self._written_cuts()
        if self.spikes:
            field["synth:spikes"] = label_codes(self.spikes, self.meanings)
        return field

    @property
    def _type(self) -> str:
        return next(iter(self.types.values()))

    def _before_bounds(self) -> dict[str, Json]:
        return {}

    def _written_cuts(self) -> dict[str, Json]:
        if self.edges:
            return {"synth:edges": list(self.edges)}
        return {"synth:bins": self.bin_count}


class Lattice(Binned):
    unit: ClassVar[int] = 1

    @property
    def values(self) -> int:
        low, high = self.bounds
        return int(high - low) + 1

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """First unit of each bin, then one past the last: bin i is starts[i] <= x <
        starts[i+1].
        """
        low, high = (int(b) for b in self.bounds)
        if self.edges:
            inner = tuple(int(self._parse(edge)) for edge in self.edges[:-1])
        else:
            count, values = self.bin_count, high - low + 1
            inner = tuple(low + i * values // count for i in range(count))
        return (*inner, high + 1)

    @property
    def step(self) -> Fraction:
        return Fraction(1)

    def place(self, position: Fraction) -> Position:
        return int(position) * self.step.numerator

    def _spike(self, code: int, piece: Piece) -> Spike:
        return Spike(code, self.place(piece.low), self.place(piece.high))

    def _even(self) -> Even | None:
        if self.edges or self.spikes:
            return None
        return Even(0, self.step.numerator, self.starts[0], self.bin_count, self.values)

    @property
    def borders(self) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, self.starts))

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        return tuple((int(piece.low), int(piece.high) - 1) for piece in self.pieces)

    @cached_property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        firsts, lasts = self.extent
        return tuple((float(a), float(b)) for a, b in zip(firsts, lasts, strict=True))

    def show(self, unit: int) -> str:
        return str(unit)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(_span(self.show(a), self.show(b)) for a, b in self.spans)


def _cut_out(piece: Piece, cut: Piece) -> Iterator[Piece]:
    if cut.low < piece.low or cut.low >= piece.high:
        yield piece
        return
    for low, high in ((piece.low, cut.low), (cut.high, piece.high)):
        if low < high:
            yield Piece(low, high, False)


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _spelling(name: str, bound: Bound) -> str:
    is_long = isinstance(bound, int) and abs(bound) >= 10**limits.BOUND_LENGTH
    text = "9" * (limits.BOUND_LENGTH + 1) if is_long else str(bound)
    where = f"the column '{name}'" if len(name) <= limits.NAME_LENGTH else "a column"
    refuse_long(f"A bound of {where}", [text], limits.BOUND_LENGTH)
    return text


def _bounds_of(name: str, field: Field, edges: tuple[str, ...]) -> Arguments:
    found = {"minimum": edges[0], "maximum": edges[-1]} if edges else {}
    limit = constraints(field)
    for end in ("minimum", "maximum"):
        if end in limit:
            found[end] = bounds(name, [limit[end]])[0]
        elif end not in found:
            refuse(f"Column '{name}' ({field.get('type', 'string')}) declares no {end}.")
    return dict(found)

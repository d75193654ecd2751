"""The common part of columns with bins, and cells for spikes and signs.

A spike is a declared value that many rows may share, such as 40 hours or a code 99999. It is
cut out of its bin; outside the bounds it has a cell next to the bins. A sign is a declared
text that is no value, such as ``<5`` or ``refused``. Its cell comes after all bins and
spikes; in sums, comparisons and formulas a sign counts as a missing value does.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, NamedTuple, Self

from synth import limits
from synth.domain.column import (
    MISSING_LABEL,
    OTHER_LABEL,
    Column,
    Outside,
    first_repeat,
    refuse,
    refuse_long,
    title_of,
)
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


# Characters that no format of files holds in every text.
_CONTROL = re.compile("[\x00-\x1f\x7f]")

# The three ways to cut a range; a field has at most one.
CUTS = ("synth:bins", "synth:edges", "synth:period")


class Piece(NamedTuple):
    """A cell on the column's axis.

    Attributes:
        low: Its lower end, inside.
        high: Its upper end, outside.
        spike: Whether it is a spike.
    """

    low: Fraction
    high: Fraction
    spike: bool


@dataclass(frozen=True, kw_only=True)
class Binned(Column):
    """A column cut into bins; the base of numbers, dates and all columns with a scale.

    A bin contains its lower edge and not its upper one; the last bin contains both.

    Attributes:
        unit: Width of a spike: 1 on a lattice, 0 among real numbers.
        open_above: Whether the upper bound is the first value outside, and not the last one
            inside.
        adds_up: Whether sums and means of values have a meaning.
        minimum: The smallest possible value.
        maximum: The largest possible value.
        bins: The number of bins; None if edges are given instead.
        edges: Edges of the bins, ascending; the first and last are the bounds.
        spikes: Values with a cell of their own, inside the bounds or not.
    """

    unit: ClassVar[int]
    open_above: ClassVar[bool] = False
    adds_up: ClassVar[bool] = True
    asks: ClassVar[Mapping[str, str]] = {
        "bounds": "0",
        "bins": "0, 10, 50, 100",
        "spikes": "0, 40, 99999",
        "signs": "<5, >200, refused",
    }

    minimum: Bound
    maximum: Bound
    bins: int | None = None
    edges: tuple[Bound, ...] = ()
    spikes: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        """Write bounds, edges and spikes as texts, and check the declaration.

        Texts make two declarations equal that give the same bound as a text or as a number.
        """
        for end in ("minimum", "maximum"):
            set_field(self, end, _spelling(self.name, getattr(self, end)))
        for option in ("edges", "spikes"):
            spelled = tuple(_spelling(self.name, bound) for bound in getattr(self, option))
            set_field(self, option, spelled)
        super().__post_init__()
        if self.counts_bins:
            # A default number of bins is written down, so that it equals a declared one.
            set_field(self, "bins", self.bin_count)

    def _default_rule(self) -> Outside:
        return Outside.NEAREST

    @property
    def counts_bins(self) -> bool:
        """Whether a number of bins alone determines the bins."""
        return not self.edges

    def _validate(self) -> None:
        """Raise DomainError if bounds, bins and spikes do not fit each other.

        `_parse` turns a declared bound into an exact position on the column's axis, and
        `values` is the number of possible values between the bounds.
        """
        if self._parse(self.minimum) > self._parse(self.maximum):
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
        for code in self.meanings:
            if code not in self.signs:
                self._parse(code)

    def _validate_edges(self) -> None:
        """Raise DomainError if edges are too many, do not ascend, or do not span the range.

        Bins have one edge more than their number, which `limits.BINS` limits.
        """
        parsed = [self._parse(edge) for edge in self.edges]
        if len(parsed) < 2 or len(parsed) > limits.BINS + 1:
            refuse(f"Column '{self.name}': edges need from 2 to {limits.BINS + 1:,} values.")
        if any(low >= high for low, high in pairwise(parsed)):
            refuse(f"Column '{self.name}': edges must be in ascending order, each one once.")
        if (parsed[0], parsed[-1]) != (self._parse(self.minimum), self._parse(self.maximum)):
            refuse(
                f"Column '{self.name}': the first and last edges must be the minimum and "
                "maximum."
            )

    def _validate_spikes(self) -> None:
        """Raise DomainError if spikes are too many, repeated, or leave no value for the bins.

        A spike is a declared value with a cell of its own.
        """
        if not self.spikes:
            return
        if len(self.spikes) > limits.MAX_SPIKES:
            refuse(
                f"Column '{self.name}' declares {len(self.spikes)} spikes; "
                f"the limit is {limits.MAX_SPIKES}."
            )
        # Positions are compared, as "1" and "1.0" are the same spike.
        repeated = first_repeat(str(self._parse(spike)) for spike in self.spikes)
        if repeated is not None:
            refuse(f"Column '{self.name}' declares the spike {repeated} twice.")
        if all(piece.spike for piece in self.pieces):
            refuse(f"Column '{self.name}': its spikes leave no value for the bins.")

    def _validate_signs(self) -> None:
        """Raise DomainError if signs are too many, or may be taken for something else.

        A sign must be different from all values, from other signs, and from the labels of
        all other cells.
        """
        where = f"Column '{self.name}'"
        if len(self.signs) > limits.MAX_SPIKES:
            refuse(
                f"{where} declares {len(self.signs)} signs; the limit is {limits.MAX_SPIKES}."
            )
        # A CSV file may have an apostrophe before a sign, so that no spreadsheet runs it.
        plain_signs = [sign.removeprefix("'") for sign in self.signs]
        refuse_long(f"{where}: a sign", plain_signs, limits.SIGN_LENGTH)
        if any(sign != sign.strip() or not sign for sign in self.signs):
            refuse(f"{where} declares a sign that is empty or padded with blanks.")
        if any(_CONTROL.search(sign) for sign in self.signs):
            refuse(f"{where} declares a sign with an invisible character.")
        repeated = first_repeat(self.signs)
        if repeated is not None:
            refuse(f"{where} declares the sign '{repeated}' twice.")
        labels = {*self.labels, MISSING_LABEL, OTHER_LABEL}
        for sign in self.signs:
            if self._is_value(sign):
                refuse(
                    f"{where}: the sign '{sign}' is read as a value; declare it as a value "
                    "with a cell of its own ('synth:spikes')."
                )
            if sign in labels:
                refuse(f"{where}: the sign '{sign}' is the name of another cell.")

    def _is_value(self, text: str) -> bool:
        """Return whether the column reads a text as a value, inside the bounds or not."""
        try:
            self.reading.read(text)
        except (ValueError, OverflowError):
            return False
        return True

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
        """Number of bins: by the edges, or as declared.

        By default it is `limits.DEFAULT_BINS`, or the number of values if that is less.
        """
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
        """How its values are added up: the range of a summand, and its rounding.

        Values are clipped to the bounds. Columns of whole units, such as days, round them
        down to a whole unit; real numbers have none (None).
        """
        low, high = (float(self.place(bound)) for bound in self.bounds)
        has_whole_units = self.unit > 0
        # Last come the codes of the first and the last cell within the bounds.
        return Summable(
            low, high, float(self.step) if has_whole_units else None, *self.end_codes
        )

    @property
    def step_ends(self) -> tuple[int, int]:
        """First and last step of all declared cells, both inside."""
        return min(first for first, _ in self.spans), max(last for _, last in self.spans)

    @property
    def formula_values(self) -> FormulaValues:
        """Its possible values in a formula; DomainError, as this kind has none."""
        return refuse(f"Column '{self.name}' ({self.kind}) cannot be part of a formula.")

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The declared cells in order of their position: bins and spikes.

        A spike is cut out of the bin around it, which then has a piece on either side. At a
        bin's edge it only shortens the bin, and among real numbers it has no width.
        """
        pieces = [
            Piece(low=low, high=high, spike=False) for low, high in pairwise(self.borders)
        ]
        for position in map(self._parse, self.spikes):
            spike = Piece(low=position, high=self._end_of_spike(position), spike=True)
            # The spike, and what it leaves of all pieces so far.
            remainders = [spike]
            for piece in pieces:
                remainders += _cut_out(piece, spike)
            pieces = remainders
        return tuple(sorted(pieces))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """The signs that mean a missing value, and such spikes outside the bounds.

        They have a cell of their own each, such as 98 for "refused". Within the bounds such a
        code is no value, and counts as missing.
        """
        if not self.missing_values:
            return ()
        low, high = self.bounds
        spellings = {*self.missing_values}
        codes = [
            str(spike)
            for spike in self.spikes
            if spike in spellings and not low <= self._parse(spike) <= high
        ]
        return (*codes, *(sign for sign in self.signs if sign in spellings))

    def _end_of_spike(self, spike: Fraction) -> Fraction:
        return spike + self.unit

    @property
    def size(self) -> int:
        """Number of cells, those for missing values and values outside included."""
        has_outside_cell = self.rule == Outside.CELL
        others = len(self.signs) + int(self.missing) + int(has_outside_cell)
        return self.value_cells + others

    @property
    def value_cells(self) -> int:
        """Number of cells that hold values: bins and spikes."""
        # Spikes cut bins into pieces. Without them there is a cell for each bin, and the
        # pieces need not be computed.
        return len(self.pieces) if self.spikes else self.bin_count

    @cached_property
    def end_codes(self) -> tuple[int, int]:
        """Codes of the first and the last cell inside the bounds.

        The code of a cell is its place among all cells. Spikes, which are values with a cell
        of their own, may lie outside the bounds; their cells then come before or after.
        """
        low, high = self.bounds
        inside = [code for code, piece in enumerate(self.pieces) if low <= piece.low <= high]
        return inside[0], inside[-1]

    @property
    def titles(self) -> tuple[str, ...]:
        """Labels of all cells in code order, those of spikes and signs with meanings."""
        # Meanings are found by position, as a spike "9" may have its meaning under "9.0".
        meanings = {
            self._parse(code): meaning
            for code, meaning in self.meanings.items()
            if code not in self.signs
        }
        titles = [*self.cells]
        for sign, code in self.sign_codes.items():
            titles[code] = title_of(sign, self.meanings.get(sign, ""))
        for code, piece in enumerate(self.pieces):
            if piece.spike:
                titles[code] = title_of(titles[code], meanings.get(piece.low, ""))
        return tuple(titles)

    @cached_property
    def extent(self) -> tuple[Sequence[float], Sequence[float]]:
        """Least values of all declared cells, and their greatest values, in code order.

        The unit is that of reading: numbers, or seconds since 1970 for dates.
        """
        first_steps, last_steps = zip(*self.spans, strict=True)
        return tuple(map(self._read_as, first_steps)), tuple(map(self._read_as, last_steps))

    @cached_property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        """Lower and upper end of each declared cell, in code order.

        The unit is that of reading: numbers, or seconds since 1970 for dates.
        """
        places = ((self.place(piece.low), self.place(piece.high)) for piece in self.pieces)
        return tuple((float(low), float(high)) for low, high in places)

    def _read_as(self, step: int) -> Position:
        """Return the value of a step in units of reading; whole if steps are whole units."""
        # Dividing two whole numbers rounds once only: 3 / 10, and not 3 * 0.1.
        multiple = step * self.step.numerator
        return multiple if self.step.denominator == 1 else multiple / self.step.denominator

    @cached_property
    def cutting(self) -> Cutting:
        """How a value that was read gets its cell.

        All positions are in units of reading: numbers, or seconds since 1970 for dates. A
        cell's code is its place among the column's cells.
        """
        low, high = self._ends_as_read()
        spikes = []
        bins = []
        # `pieces` are the declared cells in code order.
        for code, piece in enumerate(self.pieces):
            if piece.spike:
                spikes.append(self._spike(code, piece))
            else:
                bins.append(Bin(code, self.place(piece.low)))
        return Cutting(
            low=low,
            high=high,
            open_above=self.open_above,
            spikes=tuple(spikes),
            bins=tuple(bins),
            even=self._even(),
            # Only by this rule values outside go to the first or the last cell within.
            ends=self.end_codes if self.rule == Outside.NEAREST else None,
        )

    def _ends_as_read(self) -> tuple[Position, Position]:
        low, high = self.bounds
        return float(low), float(high)

    def place(self, position: Fraction) -> Position:
        """Return an exact position in units of reading."""
        return float(position)

    def _spike(self, code: int, piece: Piece) -> Spike:
        return Spike(code, self.place(piece.low), None)

    def _even(self) -> Even | None:
        # The bins by arithmetic, if arithmetic gives exactly the same.
        return None

    def show_value(self, value: float) -> str:
        """Return the text of a value as screens show it.

        `value` is a number; of a date it is the number of whole units since 1970.
        """
        return f"{value:,.6g}"

    @property
    def in_words(self) -> str:
        """Its range, bins and spikes in words, for the data dictionary."""
        bins = "1 bin" if self.bin_count == 1 else f"{self.bin_count:,} bins"
        text = f"{self.minimum} to {self.maximum}, {bins}{self._cut_by}"
        titles = self.titles
        codes = [code for code, piece in enumerate(self.pieces) if piece.spike]
        codes += self.sign_codes.values()
        if not codes:
            return text
        # A title is "code · meaning"; the dictionary writes "code = meaning".
        words = " | ".join(titles[code].replace(" · ", " = ", 1) for code in codes)
        return f"{text}; a cell of their own for {words}"

    def respell(self, spell: Callable[[str], str]) -> Self:
        """Return the column with its name and signs respelled.

        `spell` returns the new spelling of a text.
        """
        signs = {sign: spell(sign) for sign in self.signs}
        meanings = {signs.get(code, code): text for code, text in self.meanings.items()}
        return replace(
            self, name=spell(self.name), signs=tuple(signs.values()), meanings=meanings
        )

    @property
    def _cut_by(self) -> str:
        return ""

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the bounds, bins, spikes and signs that a Table Schema field declares.

        They are returned as arguments of this class by name. DomainError is raised if they
        are wrong, or if the field cuts bins in two ways.
        """
        edges = bounds(name, field["synth:edges"]) if "synth:edges" in field else ()
        count = field.get("synth:bins")
        if count is not None and type(count) is not int:  # True and False are refused too
            refuse(f"Column '{name}': 'synth:bins' must be a whole number.")
        cuts = [key for key in CUTS if field.get(key)]
        if len(cuts) > 1:
            refuse(f"Column '{name}' declares both '{cuts[0]}' and '{cuts[1]}'; keep one.")
        spikes, meanings = read_codes(name, field.get("synth:spikes", []), "synth:spikes")
        _, labels = read_codes(name, field.get("synth:labels", []), "synth:labels")
        signs, meanings_of_signs = read_codes(
            name, field.get("synth:signs", []), "synth:signs"
        )
        arguments: Arguments = {
            "bins": count,
            "edges": edges,
            "spikes": spikes,
            "signs": signs,
            "meanings": {**labels, **meanings, **meanings_of_signs},
        }
        arguments |= _bounds_of(name, field, edges)
        # `keys` are our own keys that this kind of column knows.
        if "synth:period" in field and "synth:period" not in cls.keys:
            kind = field.get("type", "string")
            refuse(f"Column '{name}' ({kind}) has 'synth:period', which is for dates only.")
        return arguments

    def write_field(self) -> dict[str, Json]:
        """Return type, bounds, bins, spikes and signs as entries of a Table Schema field."""
        # Dates write their format before the bounds, and may have a period as their cuts.
        field: dict[str, Json] = {"type": self._type, **self._before_bounds()}
        field["constraints"] = {"minimum": self.minimum, "maximum": self.maximum}
        field |= self._written_cuts()
        if self.spikes:
            field["synth:spikes"] = label_codes(self.spikes, self.meanings)
        if self.signs:
            field["synth:signs"] = label_codes(self.signs, self.meanings)
        # Labels of values without a cell of their own, such as the ends of a scale.
        labelled = [c for c in self.meanings if c not in (*self.spikes, *self.signs)]
        if labelled:
            field["synth:labels"] = label_codes(labelled, self.meanings)
        return field

    @property
    def _type(self) -> str:
        return next(iter(self.types.values()))

    def _before_bounds(self) -> dict[str, Json]:
        """Return the entries of the Table Schema field that stand before its bounds."""
        return {}

    def _written_cuts(self) -> dict[str, Json]:
        """Return the entry of the Table Schema field that says where bins are cut."""
        if self.edges:
            return {"synth:edges": list(self.edges)}
        return {"synth:bins": self.bin_count}


class Lattice(Binned):
    """A column whose values are whole units, such as whole numbers or days."""

    unit: ClassVar[int] = 1

    @property
    def values(self) -> int:
        """Number of different values between the bounds."""
        low, high = self.bounds
        return int(high - low) + 1

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """First unit of each bin, then the unit after the last bin.

        Bin i holds the units u with starts[i] <= u < starts[i + 1]. Without declared edges
        the bins are equally wide, up to one unit.
        """
        low, high = map(int, self.bounds)
        if self.edges:
            # The last edge is the maximum, which is inside the last bin.
            starts = tuple(int(self._parse(edge)) for edge in self.edges[:-1])
        else:
            units = high - low + 1
            count = self.bin_count
            starts = tuple(low + number * units // count for number in range(count))
        return (*starts, high + 1)

    @property
    def step(self) -> Fraction:
        """Smallest distance of two different synthetic values, in units of reading."""
        return Fraction(1)

    def place(self, position: Fraction) -> Position:
        """Return an exact position in whole units of reading."""
        return int(position) * self.step.numerator

    def _spike(self, code: int, piece: Piece) -> Spike:
        return Spike(code, self.place(piece.low), self.place(piece.high))

    def _even(self) -> Even | None:
        """Return how values fall into equal bins by arithmetic; None if they are unequal."""
        if self.edges or self.spikes:
            return None
        # Units count from 0 in units of reading; the first bin begins at the minimum.
        return Even(
            offset=0,
            unit=self.step.numerator,
            first=self.starts[0],
            bins=self.bin_count,
            values=self.values,
        )

    @property
    def borders(self) -> tuple[Fraction, ...]:
        """Ascending starts of the bins, and the end of the last one: bin_count + 1."""
        return tuple(map(Fraction, self.starts))

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last unit of each declared cell, both inside."""
        return tuple((int(piece.low), int(piece.high) - 1) for piece in self.pieces)

    @cached_property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest value of each declared cell, in code order.

        The unit is that of reading: numbers, or seconds since 1970 for dates.
        """
        firsts, lasts = self.extent
        return tuple(
            (float(first), float(last)) for first, last in zip(firsts, lasts, strict=True)
        )

    def show(self, unit: int) -> str:
        """Return the text of a unit."""
        return str(unit)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the declared cells: a unit, or the first and the last one."""
        return tuple(_span(self.show(first), self.show(last)) for first, last in self.spans)


def _cut_out(piece: Piece, spike: Piece) -> Iterator[Piece]:
    """Yield the parts of a bin below and above a spike; the bin if the spike is elsewhere.

    Pieces are half-open intervals: their low end is inside, and their high end is not.
    """
    if spike.low < piece.low or spike.low >= piece.high:
        yield piece
        return
    if piece.low < spike.low:
        yield Piece(low=piece.low, high=spike.low, spike=False)
    if spike.high < piece.high:
        yield Piece(low=spike.high, high=piece.high, spike=False)


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _spelling(name: str, bound: Bound) -> str:
    """Return the text of a bound of a column; DomainError if it is too long.

    `name` is the column's name, which the message quotes unless it is too long itself.
    """
    is_too_long = isinstance(bound, int) and abs(bound) >= 10**limits.BOUND_LENGTH
    # Python may refuse to write so large a number; any text of this length is refused below.
    text = "9" * (limits.BOUND_LENGTH + 1) if is_too_long else str(bound)
    where = f"the column '{name}'" if len(name) <= limits.NAME_LENGTH else "a column"
    refuse_long(f"A bound of {where}", [text], limits.BOUND_LENGTH)
    return text


def _bounds_of(name: str, field: Field, edges: tuple[str, ...]) -> Arguments:
    """Return the declared `minimum` and `maximum` of a column's field.

    They default to the first and last of its edges. DomainError is raised if there are
    neither bounds nor edges.
    """
    ends = {"minimum": edges[0], "maximum": edges[-1]} if edges else {}
    declared_bounds = constraints(field)
    for end in ("minimum", "maximum"):
        if end in declared_bounds:
            ends[end] = bounds(name, [declared_bounds[end]])[0]
        elif end not in ends:
            refuse(f"Column '{name}' ({field.get('type', 'string')}) declares no {end}.")
    return dict(ends)

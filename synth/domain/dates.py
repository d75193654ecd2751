"""Columns of dates, cut into equal bins, at edges, or by the calendar.

>>> visits = Date(
...     name="visit", minimum="2024-02-10", maximum="2024-12-31", period=Period.QUARTER
... )
>>> visits.cells
('2024-Q1', '2024-Q2', '2024-Q3', '2024-Q4')
>>> visits.spans[0] == (visits.starts[0], visits.starts[0] + 50)  # 10 February to 31 March
True
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from synth import limits
from synth.domain.bins import Bound, Lattice
from synth.domain.column import refuse, refuse_long
from synth.domain.date_formats import format_of, iso_format
from synth.domain.date_patterns import (
    EPOCH,
    MONTHS_IN_YEAR,
    SHORT_YEARS,
    check_pattern,
    directives_of,
    midnight_form,
    read_since_1970,
    seconds_in_step,
)
from synth.domain.field_values import Arguments, Field, read_texts, word
from synth.domain.frozen import set_field
from synth.domain.periods import (
    DAYS,
    PERIOD_MONTHS,
    Period,
    first_day,
    period_name,
    period_number,
)
from synth.domain.reading import DAY, Even, FormulaValues, Moment, Position
from synth.domain.zones import (
    EPOCH_UTC,
    first_second,
    is_fixed,
    offset_at,
    offset_text,
    read_zone,
)
from synth.errors import DomainError
from synth.util import Json

MICROSECOND = timedelta(microseconds=1)
# The last year from which a hundred years can be counted.
LAST_PIVOT = 9900
# Most further forms of dates, and the days from 1970 on whose texts are tried in each.
MAX_FORMS = 5
TRIED_DAYS = 730


@dataclass(frozen=True, kw_only=True)
class Date(Lattice):
    """A column of dates, or of dates with a time of day.

    A month or a year without a day means its first day, and no other day is a value of the
    column. With a time of day in the format, a cell with the day alone, as workbooks and R
    write midnights, means the midnight at which the day begins. Positions are days since
    1970-01-01; with a time of day they are seconds, or minutes or hours if the format says no
    more. If the format has an offset (``%z``), each cell is a moment by its own offset,
    positions count in UTC, and days, months and texts are those of one declared zone.

    Attributes:
        time: Whether there is a time of day.
        format: An example such as 23-May-14, or a strftime pattern; empty means ISO 8601.
        period: Bins by the calendar, instead of a number of bins or edges.
        zone: The zone of a format with an offset: UTC, +02:00 or Europe/Berlin.
        pivot: The first of the hundred years that two digits mean; None if the bounds decide.
        also: Patterns of further forms in which some cells are written.

    >>> months = Date(
    ...     name="m", minimum="2024-01", maximum="2024-12", format="2024-05", bins=4
    ... )
    >>> months.labels
    ('2024-01 to 2024-03', '2024-04 to 2024-06', '2024-07 to 2024-09', '2024-10 to 2024-12')
    """

    kind: ClassVar[str] = "date"
    types: ClassVar[Mapping[str, str]] = {"date": "date", "date and time": "datetime"}
    keys: ClassVar[frozenset[str]] = frozenset(
        {"synth:period", "synth:zone", "synth:pivot", "synth:also"}
    )
    open_above: ClassVar[bool] = True
    adds_up: ClassVar[bool] = False
    asks: ClassVar[Mapping[str, str]] = {
        "bounds": "2025-01-31",
        "calendar": "2025-01-31",
        "bins": "",
        "spikes": "1900-01-01",
        "signs": "refused, not known",
    }

    time: bool = False
    format: str = ""
    period: Period | None = None
    zone: str = ""
    pivot: int | None = None
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Write the format as a strftime pattern, and check the declaration.

        A format without a percent sign is an example of a date, from which the pattern is
        made.
        """
        set_field(self, "format", self.format.strip())  # as cells are, before they are read
        set_field(self, "zone", self.zone.strip())
        if self.format and "%" not in self.format:
            set_field(self, "format", self._by_example())
        super().__post_init__()

    def _by_example(self) -> str:
        """Return the strftime pattern of a format that is written as an example of a date.

        DomainError is raised if the example is too long, no date, or fits several patterns.
        """
        refuse_long(f"Column '{self.name}': the format", [self.format], limits.FORMAT_LENGTH)
        try:
            return format_of(self.format, zoned=bool(self.zone))
        except DomainError as error:
            refuse(f"Column '{self.name}': {error}")

    def _validate(self) -> None:
        """Raise DomainError if the format, the bins and the bounds do not fit each other."""
        refuse_long(f"Column '{self.name}': the format", [self.format], limits.FORMAT_LENGTH)
        try:
            check_pattern(self.pattern, timed=self.time)
            if self.zone:
                read_zone(self.zone)
        except DomainError as error:
            refuse(f"Column '{self.name}': {error}")
        self._check_zone()
        self._check_also()
        self._check_short_years()
        if self.period and (self.bins is not None or self.edges):
            refuse(
                f"Column '{self.name}' declares bins by {self.period} and others; keep one."
            )
        # Bounds in the wrong order have no periods; `super` refuses them.
        if self.period and self._parse(self.minimum) <= self._parse(self.maximum):
            self._check_periods(self.period)
        super()._validate()
        self._check_written()

    def _check_zone(self) -> None:
        """Raise DomainError unless a zone and an offset in the format come together."""
        has_offsets = "%z" in directives_of(self.pattern)
        if has_offsets and not self.zone:
            refuse(
                f"Column '{self.name}': its format {self.pattern} has an offset (%z), so it "
                "needs a zone by whose clock days and times are counted (synth:zone), such "
                "as UTC or Europe/Berlin."
            )
        if has_offsets and not self.time:
            refuse(
                f"Column '{self.name}': its format {self.pattern} has an offset (%z), so it "
                "is a column of dates with a time of day (datetime)."
            )
        if self.zone and not has_offsets:
            refuse(
                f"Column '{self.name}' declares the zone {self.zone}, and its format "
                f"{self.pattern} has no offset (%z): keep both or none."
            )

    def _check_also(self) -> None:
        """Raise DomainError if another form may say another date than the format.

        Each form is tried on the days of two years.
        """
        if len(self.also) > MAX_FORMS:
            refuse(f"Column '{self.name}' declares over {MAX_FORMS} further forms of dates.")
        refuse_long(f"Column '{self.name}': a form", self.also, limits.FORMAT_LENGTH)
        forms = [Moment(form, self.seconds, self.first_year) for form in self._forms()]
        for number, form in enumerate(forms[1:], 1):
            check_pattern(form.pattern, timed=self.time)
            has_offsets = form.has_offsets or forms[0].has_offsets
            if has_offsets or form.months != forms[0].months:
                refuse(
                    f"Column '{self.name}': its further form {form.pattern} does not say as "
                    f"much as its format {self.pattern}."
                )
            for day in range(TRIED_DAYS):
                text = form.write(form.floor(day * DAY // self.seconds))
                if any(_reads_otherwise(text, form, earlier) for earlier in forms[:number]):
                    refuse(
                        f"Column '{self.name}': a text by its further form {form.pattern} "
                        "may also be read as another date by another form; keep one of them."
                    )

    def _forms(self) -> tuple[str, ...]:
        return (self.pattern, *self.also)

    def _check_short_years(self) -> None:
        """Raise DomainError if a pivot is none, or two digits cannot mean all years.

        The years are those from the minimum to the maximum.
        """
        directives = directives_of(self.pattern)
        if self.pivot is not None and "%y" not in directives:
            refuse(
                f"Column '{self.name}' declares a pivot for years of two digits (%y), and "
                f"its format {self.pattern} has none."
            )
        if self.pivot is not None and not 1 <= self.pivot <= LAST_PIVOT:
            refuse(
                f"Column '{self.name}': the pivot is the first year that two digits mean, "
                "such as 1930."
            )
        if "%y" in directives and "%j" in directives and self.first_year != SHORT_YEARS.start:
            refuse(
                f"Column '{self.name}': beside days of the year (%j) two digits mean years "
                f"from {SHORT_YEARS.start} on."
            )

    def _check_periods(self, period: Period) -> None:
        """Raise DomainError if the format cannot tell periods apart, or bins are too many.

        `period` is the length of each bin, such as a week or a quarter.
        """
        months = self.reading.months  # between two values; 0 if the format says the day
        # Days and weeks are shorter than a month, so they count as 0 months.
        if months and PERIOD_MONTHS.get(period, 0) < months:
            longer = [
                long_period.value
                for long_period, length in PERIOD_MONTHS.items()
                if length >= months
            ]
            refuse(
                f"Column '{self.name}' declares bins by {period}, which its format "
                f"{self.pattern} does not tell apart; take bins by {' or '.join(longer)}."
            )
        if self.bin_count > limits.BINS:
            refuse(
                f"Column '{self.name}' has {self.bin_count:,} bins by {period}, and the "
                f"limit is {limits.BINS:,}; choose a longer period."
            )

    def _check_written(self) -> None:
        """Refuse a bound, an edge or a spike whose text is read as another value.

        For example, a format of months cannot write an edge in the middle of a month: its bin
        would begin between two values. The maximum alone is first rounded down to what can be
        written. A unit is a day, or a second, minute or hour of a column with a time of day.
        """
        maximum = self.reading.floor(int(self._parse(self.maximum)))
        units_of_bounds: list[tuple[Bound, int]] = [(self.maximum, maximum)]
        # The first and the last edge are the bounds.
        for bound in (self.minimum, *self.edges[1:-1], *self.spikes):
            units_of_bounds.append((bound, int(self._parse(bound))))
        for bound, unit in units_of_bounds:
            text = self.reading.write(unit)
            unit_read = self.reading.read(text)
            if unit_read != unit:
                refuse(
                    f"Column '{self.name}': the format {self.pattern} cannot write {bound}, "
                    f"as '{text}' is read as {self.show_value(unit_read)}; change the one or "
                    "the other."
                )

    @property
    def counts_bins(self) -> bool:
        """Whether a number of bins alone determines the bins."""
        return super().counts_bins and self.period is None

    @property
    def pattern(self) -> str:
        """The strftime pattern of texts, by default ISO 8601."""
        return self.format or iso_format(timed=self.time)

    @cached_property
    def seconds(self) -> int:
        """The seconds of a unit."""
        return seconds_in_step(self.pattern) if self.time else DAY

    @property
    def step(self) -> Fraction:
        """Smallest distance of two different synthetic values, in seconds."""
        return Fraction(self.seconds)

    @cached_property
    def reading(self) -> Moment:
        """How a cell's text is read: by the format, by further forms, or as a midnight."""
        midnights = [midnight_form(form) for form in self._forms() if self.time]
        others = (*self.also, *dict.fromkeys(filter(None, midnights)))
        return Moment(self.pattern, self.seconds, self.first_year, self.zone or "UTC", others)

    @cached_property
    def first_year(self) -> int:
        """The first of the hundred years that two digits mean.

        It is the pivot; without one it is 1969, or the year of the minimum if the bounds hold
        other years than those from 1969 on.
        """
        if self.pivot is not None:
            return self.pivot
        years = [_iso_year(end) for end in (self.minimum, self.maximum)]
        first = years[0]
        if first is None or all(year in SHORT_YEARS for year in years):
            return SHORT_YEARS.start
        return min(first, LAST_PIVOT)

    @property
    def formula_values(self) -> FormulaValues:
        """Its possible values in a formula, as whole days since 1970; a time is cut off."""
        low, high = (self.reading.clock_second(end) // DAY for end in self.step_ends)
        return FormulaValues(kind="date", low=low, high=high, whole=True)

    @property
    def dtype(self) -> str:
        """The type of its column in a DataFrame."""
        return "datetime64[s]"

    def _ends_as_read(self) -> tuple[Position, Position]:
        low, high = self.bounds
        return self.place(low), self.place(high + 1)

    def show_value(self, value: float) -> str:
        """Return the date or the moment of a unit, in ISO 8601.

        `value` is a number of units since 1970: days, or with a time of day seconds, minutes
        or hours.
        """
        unit = round(value)
        moment = self._moment(unit)
        if not self.time:
            return moment.date().isoformat()
        return moment.isoformat(sep=" ") + self._offset_of(unit * self.seconds)

    def _offset_of(self, second: int) -> str:
        """Return the zone's offset as a text, by which an hour that repeats has two names.

        `second` is a moment in seconds since 1970. Without a zone the text is empty.
        """
        return offset_text(offset_at(self.zone, second)) if self.zone else ""

    def tell(self, value: float, end: Callable[[float], int] = round) -> str:
        """Return the date or the moment of a mean, in ISO 8601.

        Args:
            value: The mean, in seconds since 1970.
            end: Rounds it to a unit of the column: a whole day, or a second, minute or hour.
        """
        return self.show_value(end(value / self.seconds))

    @property
    def told_in(self) -> str:
        """The unit of differences, in words."""
        return "seconds" if self.time else "days"

    @property
    def told_unit(self) -> float:
        """The seconds of a unit of differences: a day or a second."""
        return 1.0 if self.time else float(DAY)

    @property
    def _cut_by(self) -> str:
        return f" by {self.period}" if self.period else ""

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the bounds, bins, spikes and format that a Table Schema field declares.

        They are returned as arguments of this class by name.

        Raises:
            DomainError: They are wrong, or the format is no text.
        """
        arguments = super().read_field(name, field)
        # In Table Schema "default" means ISO 8601, and "any" leaves the format open.
        pattern = field.get("format", "default")
        if not isinstance(pattern, str) or pattern == "any":
            refuse(
                f"Column '{name}': 'format' must be one example such as 31.12.2019, or a "
                "pattern such as %d.%m.%Y."
            )
        words = [period.value for period in Period]
        period = word(name, field, "synth:period", words=words, expected_words=words)
        return arguments | {
            "time": field.get("type") == "datetime",
            "format": "" if pattern == "default" else pattern,
            "period": Period(period) if period else None,
            "zone": _read_zone_key(name, field),
            "pivot": _read_pivot(name, field),
            "also": read_texts(name, field, "synth:also") if "synth:also" in field else (),
        }

    @property
    def _type(self) -> str:
        return "datetime" if self.time else "date"

    def _before_bounds(self) -> dict[str, Json]:
        """Return the entries of the Table Schema field that stand before its bounds.

        They say how the texts of dates are read: the format, and perhaps the time zone, the
        first year of two digits (`pivot`), and further formats.
        """
        keys: dict[str, Json] = {"format": self.format or "default"}
        if self.zone:
            keys["synth:zone"] = self.zone
        if self.pivot is not None:
            keys["synth:pivot"] = self.pivot
        if self.also:
            keys["synth:also"] = list(self.also)
        return keys

    def _written_cuts(self) -> dict[str, Json]:
        return {"synth:period": self.period.value} if self.period else super()._written_cuts()

    def _parse(self, text: Bound) -> Fraction:
        """Return a bound as a whole number of units since 1970, rounded down.

        The text is in ISO 8601 or in the table's format. A column with a zone takes a text
        without an offset by the clock of the zone; other columns ignore an offset.
        """
        try:
            moment = datetime.fromisoformat(str(text))
        except ValueError:
            microseconds = self._parse_pattern(str(text)) // MICROSECOND
        else:
            microseconds = self._place_moment(moment)
        return Fraction(microseconds // (10**6 * self.seconds))

    def _place_moment(self, moment: datetime) -> int:
        """Return the microseconds since 1970 of a moment in ISO 8601.

        Without an offset it is by the clock of the zone; a column without a zone ignores one.
        """
        clock = (moment.replace(tzinfo=None) - EPOCH) // MICROSECOND
        if not self.zone:
            return clock
        if moment.tzinfo is not None:
            return (moment - EPOCH_UTC) // MICROSECOND
        second = clock // 10**6
        return clock + (first_second(self.zone, second) - second) * 10**6

    def _parse_pattern(self, text: str) -> timedelta:
        """Return the time since 1970 of a bound in the table's format.

        DomainError is raised if it is none.
        """
        try:
            return read_since_1970(text, self.pattern, self.first_year)
        except ValueError:
            return refuse(
                f"Column '{self.name}': the bound '{text}' is not a date like 2024-12-31."
            )

    def position(self, text: str) -> Fraction:
        """Return the position of a date's text: exact units since 1970, with a fraction.

        The text is in the table's format or in ISO 8601. In a column of days, noon is the
        fraction 1/2. ValueError is raised if it is no date, or has an offset in a column
        without a zone.
        """
        try:
            microseconds = self._microseconds(text)
        except ValueError:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is not None and not self.zone:
                raise
            microseconds = self._place_moment(moment)
        try:
            self._clock(microseconds)
        except OverflowError:  # by the clock of the zone it is before the year 1
            raise ValueError from None
        # Whole microseconds, over the microseconds of a unit.
        return Fraction(microseconds, 10**6 * self.seconds)

    def _clock(self, microseconds: int) -> datetime:
        """Return the time by the clock of the zone, from microseconds since 1970."""
        second = microseconds // 10**6
        offset = offset_at(self.zone, second) if self.zone else 0
        return EPOCH + timedelta(seconds=offset, microseconds=microseconds)

    def _microseconds(self, text: str) -> int:
        """Return a text in the table's format as microseconds since 1970."""
        return read_since_1970(text, self.pattern, self.first_year) // MICROSECOND

    def write_position(self, position: Fraction) -> str:
        """Return the date at a position of units since 1970, in ISO 8601.

        The text has a time of day if the column has one, or if the position is a fraction. In
        a column with a zone it has the offset of the zone.
        """
        microseconds = int(position * self.seconds * 10**6)
        moment = self._clock(microseconds)
        is_moment = self.time or position.denominator != 1
        text = moment.isoformat() if is_moment else moment.date().isoformat()
        return text + self._offset_of(microseconds // 10**6)

    def show(self, unit: int) -> str:
        """Return the date of a unit in ISO 8601, with only the parts that the format says."""
        # Parts of 2024-12-31 by the months between two values: all, year and month, or year.
        shown_parts = {0: 3, 1: 2, MONTHS_IN_YEAR: 1}[self.reading.months]
        return "-".join(self.show_value(unit).split("-")[:shown_parts])

    def _moment(self, unit: int) -> datetime:
        return EPOCH + timedelta(seconds=self.reading.clock_second(unit))

    def _first_unit(self, period: Period, number: int) -> int:
        """Return the first unit of a period by the clock of the zone."""
        second = first_day(period, number) * DAY
        if self.zone:
            second = first_second(self.zone, second)
        return second // self.seconds

    @property
    def _value_numbers(self) -> range:
        low, high = (self.reading.value_number(int(bound)) for bound in self.bounds)
        return range(low, high + 1)

    @property
    def values(self) -> int:
        """Number of different possible values."""
        return len(self._value_numbers)

    def _end_of_spike(self, spike: Fraction) -> Fraction:
        return Fraction(self.reading.first_step(self.reading.value_number(int(spike)) + 1))

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last unit of each declared cell that is a value, both inside.

        If the format tells months or years only, the first days of these are the values.
        """
        if not self.reading.months:
            return super().spans
        # The end of a piece is outside; its last value is the last first day before it.
        units = [(int(piece.low), int(piece.high) - 1) for piece in self.pieces]
        return tuple((first, self.reading.floor(last)) for first, last in units)

    @cached_property
    def _numbers(self) -> range:
        """The numbers of all periods between the bounds, counted as `_number` does."""
        assert self.period is not None
        low, high = (self._moment(int(bound)).date() for bound in self.bounds)
        return range(period_number(self.period, low), period_number(self.period, high) + 1)

    @property
    def bin_count(self) -> int:
        """Number of bins; with a period, all periods between the bounds."""
        return super().bin_count if self.period is None else len(self._numbers)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """First unit of each bin, then the unit after the last bin.

        A unit is a day, or a second, minute or hour if the column has a time of day.
        """
        low, high = map(int, self.bounds)
        if self.period is not None:
            # The minimum may be in the middle of the first period.
            firsts = (self._first_unit(self.period, number) for number in self._numbers[1:])
            return (low, *firsts, high + 1)
        if self.edges or not self.reading.months:
            return super().starts
        # Values are months or years, so bins consist of whole ones.
        value_numbers = self._value_numbers
        count = self.bin_count
        first_numbers = (
            value_numbers[bin * len(value_numbers) // count] for bin in range(count)
        )
        return (*map(self.reading.first_step, first_numbers), high + 1)

    def _even(self) -> Even | None:
        """Return how values fall into equal bins by arithmetic; None if bins are not equal.

        Of the periods, days and weeks alone are equally long.
        """
        if self.period is None:
            return None if self.reading.months else super()._even()
        if self.period not in DAYS or self.spikes:
            return None
        # Days on which the clock changes are longer or shorter.
        if self.zone and not is_fixed(self.zone):
            return None
        # The bins are counted in seconds: from the first one on, each has so many days.
        return Even(
            offset=self._first_unit(self.period, self._numbers[0]) * self.seconds,
            unit=DAYS[self.period] * DAY,
            first=0,
            bins=self.bin_count,
            values=self.bin_count,
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the declared cells, in code order.

        Bins by the calendar have names such as 2024-Q1. The rest of a bin that a spike was
        cut out of is named by its first and last date.
        """
        if self.period is None:
            return super().labels
        names = (period_name(self.period, number) for number in self._numbers)
        # Names are found by the first unit of a bin and the unit after it; only a whole bin
        # has both.
        name_by_ends = dict(zip(pairwise(self.starts), names, strict=True))
        labels = [*super().labels]
        for code, piece in enumerate(self.pieces):
            ends = (int(piece.low), int(piece.high))
            if not piece.spike and ends in name_by_ends:
                labels[code] = name_by_ends[ends]
        return tuple(labels)


def _iso_year(bound: Bound) -> int | None:
    """Return the year of a bound in ISO 8601; None if it is written otherwise."""
    try:
        return datetime.fromisoformat(str(bound)).year
    except ValueError:
        return None


def _reads_otherwise(text: str, form: Moment, earlier: Moment) -> bool:
    """Return whether an earlier form reads a text of a form as another date."""
    try:
        return earlier.read(text) != form.read(text)
    except ValueError:
        return False


def _read_zone_key(name: str, field: Field) -> str:
    """Return the time zone of a field; empty if it has none, DomainError if it is no text."""
    zone = field.get("synth:zone", "")
    if not isinstance(zone, str) or len(zone) > limits.FORMAT_LENGTH:
        refuse(f"Column '{name}': 'synth:zone' must be a zone such as UTC or Europe/Berlin.")
    return zone


def _read_pivot(name: str, field: Field) -> int | None:
    """Return the pivot of a field's years of two digits; None if it has none.

    DomainError is raised if it is no whole number.
    """
    pivot = field.get("synth:pivot")
    if pivot is not None and type(pivot) is not int:  # True and False are refused too
        refuse(f"Column '{name}': 'synth:pivot' must be a year such as 1930.")
    return pivot

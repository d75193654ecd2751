"""What a pattern of dates may hold, and the texts that it writes."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.domain import DAY, Date, Moment, without_fraction
from synth.domain.date_patterns import WRITERS, check_pattern, split_pattern, write_moment
from synth.errors import DomainError

MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59))


def declare_date(pattern: str, *, time: bool = False, **options: str | int) -> Date:
    """A column of dates of a format, from 2001 to 2010 unless ``options`` say otherwise."""
    bounds = {"minimum": "2001-01-01", "maximum": "2010-12-31"}
    return Date(name="d", format=pattern, time=time, **(bounds | options))  # type: ignore[arg-type]


@given(MOMENTS)
def test_every_directive_is_written_as_by_python_in_english(moment: datetime) -> None:
    """Each directive of a pattern writes what Python's strftime writes, for any moment.

    Only years before 1000 differ, which are filled up to four digits here. Fractions of a
    second are written as zeros, so that the moments have none.
    """
    moment = moment.replace(microsecond=0)
    for directive in WRITERS:
        by_python = moment.strftime(directive)
        expected = by_python.rjust(4, "0") if directive == "%Y" else by_python
        assert write_moment(moment, directive) == expected, directive


@pytest.mark.parametrize(
    ("pattern", "lack"),
    [
        ("%d.%m.", "the year"),
        ("%H:%M:%S", "the year"),
        ("%B %d", "the year"),
        ("%Y %d", "the month"),
    ],
)
def test_a_date_that_is_not_whole_is_refused(pattern: str, lack: str) -> None:
    """A format that lacks the year, or the month of a day, is refused: it cannot tell dates
    apart.
    """
    with pytest.raises(
        DomainError, match=f"^Column 'd': .* does not keep a whole date.* {lack}"
    ):
        declare_date(pattern)


@pytest.mark.parametrize(
    ("pattern", "lack"),
    [
        ("%Y-%m %H:%M", "the day"),
        ("%Y-%m-%d", "the hour of the day"),
        ("%Y-%m-%d %I:%M", "the hour of the day"),
        ("%Y-%m-%d %H:%S", "the minute"),
        ("%Y-%m-%d %H:%M.%f", "the second"),
    ],
)
def test_a_time_of_day_that_is_not_whole_is_refused(pattern: str, lack: str) -> None:
    """A format of a time of day needs all larger units, such as hours before minutes.

    An hour up to 12 needs AM or PM, else it is no hour of the day.
    """
    with pytest.raises(DomainError, match=f"does not keep a whole date: it lacks {lack}"):
        declare_date(pattern, time=True)


# Directives of some strftime, which not all readers and writers of dates know.
UNKNOWN = (
    "%c %x %X %-Y %Z %U %W %w %u %G %V %C %D %e %F %g %h %k %l %n %P %r %R %s %t %T %v %E %^d"
)


@pytest.mark.parametrize("mark", [*UNKNOWN.split(), "%", "%年", "% "])
def test_a_directive_that_not_all_read_and_write_is_refused(mark: str) -> None:
    """Only directives that all readers and writers of dates take alike are allowed.

    These are Python, Arrow, pandas, DuckDB and Java. A lone percent sign, and one before
    another character, are refused too, also in a `Moment`.
    """
    message = (
        r"^Column 'd': The format '.*' holds .%.*, and dates are read and written by %Y .*\.$"
    )
    with pytest.raises(DomainError, match=message):
        declare_date(f"%Y-%m-%d {mark}x" if mark == "% " else f"%Y-%m-%d {mark}")
    with pytest.raises(DomainError, match="and dates are read and written by"):
        Moment(f"%H {mark}x", 1)


def test_what_stands_twice_and_what_is_invisible_is_refused() -> None:
    """A format that says something twice, or in two ways, or with invisible signs is refused.

    The two might differ in a cell, such as the day of the year (%j) and the month. A doubled
    percent sign stands for itself and may repeat.
    """
    with pytest.raises(DomainError, match="holds %m twice; keep one of them"):
        declare_date("%Y-%m-%m")

    for rivals in ("%Y %y %m", "%b %m %Y", "%Y %j %m", "%Y-%m-%d %H:%M %p", "%Y-%m-%d %H %I"):
        with pytest.raises(
            DomainError, match=r"holds both %. and %., which may say different thin"
        ):
            declare_date(rivals)

    for invisible in "\n\t\0\x7f":
        with pytest.raises(DomainError, match="a line break or another invisible character"):
            declare_date(f"%Y{invisible}%m")

    check_pattern("%Y %% %m %%", timed=False)


def test_blanks_around_a_format_are_those_around_a_cell() -> None:
    assert declare_date(" %Y-%m ").format == "%Y-%m"
    assert split_pattern("  %Y ") == ("%Y",)


@pytest.mark.parametrize(
    ("pattern", "options", "message"),
    [
        (
            "%d-%b-%y",
            {"minimum": "1900-01-01"},
            "cannot write 2010-12-31, as '31-Dec-10' is read "
            "as 1910-12-31; change the one or the other",
        ),
        ("%d.%m.%y", {"pivot": 2001, "minimum": "2000-01-01"}, "'01.01.00' is read as 2100"),
        ("%d.%m.%y", {"spikes": ("1900-01-01",)}, "as '01.01.00' is read as 2000-01-01"),
        ("%Y-%m", {"minimum": "2001-01-15"}, "as '2001-01' is read as 2001-01-01"),
        ("%Y-%m", {"spikes": ("2099-12-31",)}, "as '2099-12' is read as 2099-12-01"),
        (
            "%Y",
            {"edges": ("2001-01-01", "2004-02-01", "2010-12-31")},
            "'2004' is read as 2004-01",
        ),
        (
            "%Y-%m",
            {"period": "week"},
            "does not tell apart; take bins by month or quarter or year",
        ),
        ("%Y", {"period": "quarter"}, "does not tell apart; take bins by year"),
        ("%Y-%m", {"bins": 121}, "has 120 values from .*, fewer than its 121 bins"),
    ],
)
def test_what_a_format_cannot_write_is_refused(
    pattern: str, options: dict[str, str], message: str
) -> None:
    """Bounds, edges, spikes and bins that the format cannot tell apart are refused.

    A date must be read back from its text. A two-digit year means 1969 to 2068; a format
    without a day means the first of the month; and from 2001 to 2010 there are 120 months.
    """
    with pytest.raises(DomainError, match=f"^Column 'd'.*{message}.*\\.$"):
        declare_date(pattern, **options)


def test_the_maximum_may_be_any_day_of_its_month() -> None:
    """With a format of months, the maximum 2001-12-31 means December, the last of 12 values.

    The minimum must be the first day of its month, as no later day could be written.
    """
    months = declare_date("%Y-%m", maximum="2001-12-31", bins=12)
    assert months.labels[-1] == "2001-12"
    assert months.values == 12


def test_the_last_month_of_all_may_be_a_spike() -> None:
    """The month 9999-12, after which Python has no date, may be a spike.

    A bin for each of the 24 months from 2001-01 to 2002-12 and the spike make 25 cells.
    """
    column = declare_date("%Y-%m", maximum="2002-12-31", bins=24, spikes=("9999-12-01",))
    assert (column.labels[-1], column.size) == ("9999-12", 25)


@pytest.mark.parametrize(
    ("pattern", "seconds"),
    [
        ("%Y-%m-%d %H", 3600),
        ("%Y%j %I%p", 3600),
        ("%Y-%m-%d %H:%M", 60),
        ("%Y-%m-%d %H:%M:%S", 1),
        ("%Y-%m-%d %H:%M:%S.%f", 1),
    ],
)
def test_a_step_is_what_the_format_tells_apart(pattern: str, seconds: int) -> None:
    """A column counts in the smallest unit that its format writes: hours, minutes or seconds.

    ``seconds`` is that unit; fractions of a second are not counted. The bounds are one day,
    so that each of 24 bins is an hour.
    """
    column = declare_date(pattern, time=True, maximum="2001-01-01T23:59:59", bins=24)
    assert column.values == DAY // seconds
    steps_of_an_hour = timedelta(hours=1) // timedelta(seconds=seconds)
    assert [last - first + 1 for first, last in column.spans] == [steps_of_an_hour] * 24


def test_months_are_numbered_from_1970() -> None:
    """Months are numbered from January 1970 (0), and a month and its number go both ways.

    The day before a month is of the month before. The 28th is written as its month, which is
    read as the first day. The first of any month is read, as a year, as the first of January.
    """
    months, years = Moment("%m.%Y", DAY), Moment("%Y", DAY)
    for number in (-1_000, -13, -1, 0, 1, 359, 1_000):
        first_day = months.first_step(number)
        assert months.value_number(first_day - 1) == number - 1
        assert months.value_number(first_day) == number
        day_28 = first_day + 27
        assert months.read(months.write(day_28)) == first_day == months.floor(day_28)
        assert years.floor(first_day) == years.read(years.write(first_day))


def test_a_fraction_is_written_as_zeros() -> None:
    """A fraction of a second is read, rounded down, and written as zeros.

    A doubled percent sign before an f is no fraction.
    """
    assert without_fraction("%H:%M:%S.%f %%f") == "%H:%M:%S.000000 %%f"
    moment = Moment("%Y-%m-%d %H:%M:%S.%f", 1)
    assert (
        moment.write(moment.read("2024-05-06 07:08:09.987654"))
        == "2024-05-06 07:08:09.000000"
    )

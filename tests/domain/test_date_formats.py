"""Date formats by example, and what no example can say."""

from datetime import datetime

import pytest

from synth.domain import Date, example_of, format_of, formats_of
from synth.domain.date_formats import EXAMPLE_MOMENTS
from synth.domain.date_patterns import plain_pattern
from synth.errors import DomainError


@pytest.mark.parametrize(
    ("example", "pattern"),
    [
        ("2014-05-23", "%Y-%m-%d"),
        ("2014/5/3", "%Y/%-m/%-d"),
        ("3.4.2014", "%-d.%-m.%Y"),
        ("31.12.19", "%d.%m.%y"),
        ("23/05/2014", "%d/%m/%Y"),
        ("5/23/14", "%-m/%-d/%y"),
        ("23-May-14", "%d-%b-%y"),
        ("5 Jun 2014", "%-d %b %Y"),
        ("5. December 2014", "%-d. %B %Y"),
        ("June 5, 2014", "%B %-d, %Y"),
        ("December 2014", "%B %Y"),
        ("2014-05", "%Y-%m"),
        ("05/2014", "%m/%Y"),
        ("20140523", "%Y%m%d"),
        ("31.12.2019 14:05", "%d.%m.%Y %H:%M"),
        ("5/23/2014 3:05 PM", "%-m/%-d/%Y %-I:%M %p"),
        ("2014-05-23T14:05:00.123Z", "%Y-%m-%dT%H:%M:%S.%fZ"),
        ("2014-05-23 14:05+02:00", "%Y-%m-%d %H:%M+02:00"),
        ("31-OCT-2023", "%d-%^b-%Y"),
        ("31oct2023", "%d%_b%Y"),
        ("Mon 05 Jun 2017", "%a %d %b %Y"),
        ("Monday, June 5, 2017", "%A, %B %-d, %Y"),
        ("2023/31/10", "%Y/%d/%m"),
        # SAS writes moments so, Stata months, and Eurostat months of two digits.
        ("05OCT2023:14:05:09", "%d%^b%Y:%H:%M:%S"),
        ("2014m5", "%Ym%-m"),
        ("2014M05", "%YM%m"),
    ],
)
def test_an_example_shows_its_format(example: str, pattern: str) -> None:
    """A date that is typed as an example gives the pattern in which such dates are written.

    The example that the pattern gives leads back to it, and a column declared so writes dates
    that Python reads by the pattern.
    """
    assert format_of(example) == pattern
    assert format_of(example_of(pattern)) == pattern
    column = Date(name="d", minimum="2000-01-01", maximum="2020-01-01", format=example)
    assert column.format == pattern
    # Day 5,000 after 1970-01-01, as the column writes it.
    assert datetime.strptime(column.reading.write(5_000), plain_pattern(pattern))


@pytest.mark.parametrize(
    "text",
    ["", "2014", "14:05", "1.5", "10.0.0.1", "soon", "32.13.2014", "5. Juni 2014", "a-b-c"],
)
def test_what_is_no_date_is_refused(text: str) -> None:
    """A text that is no date, such as a year alone or a German month, is refused with an
    example.
    """
    assert formats_of(text) == ()
    with pytest.raises(DomainError, match="an example such as 2019-12-31"):
        format_of(text)


def test_an_example_that_may_be_read_in_two_ways_asks() -> None:
    """An example that fits two patterns is refused, with an unambiguous example of each.

    03/04 may be the third of April or the fourth of March. "May" may be a full or a short
    name.
    """
    for text, ways in (
        ("03/04/2014", "31/12/2019 and 12/31/2019"),
        ("5 May 2014", "31 Dec 2019 and 31 December 2019"),
    ):
        with pytest.raises(DomainError, match=f"in 2 ways, .* {ways}: type one of these"):
            format_of(text)

    with pytest.raises(DomainError, match="Column 'd': The example of a date may be read"):
        Date(name="d", minimum="2000-01-01", maximum="2020-01-01", format="03/04/2014")


def test_the_moment_of_examples_is_never_ambiguous() -> None:
    """Examples show a day after the 12th, which cannot be taken for a month.

    A pattern that makes no readable example is shown as it is: a week (%U), or a year of two
    digits before the month.
    """
    assert EXAMPLE_MOMENTS[0].day > 12
    assert example_of("%U") == "%U"
    assert example_of("%y-%m-%d") == "%y-%m-%d"


def test_a_month_without_a_day_is_its_first() -> None:
    """A month without a day means its first day: June is 31 days, or steps, after May."""
    column = Date(name="d", minimum="2014-05-01", maximum="2014-07-31", format="2014-05")
    assert column.reading.read("2014-06") == column.reading.read("2014-05") + 31
    assert column.reading.write(column.spans[0][0]) == "2014-05"

"""Formulas of ages, spans of time and parts of dates that rows obey. PRIVATE.

A function yields formulas that agree with all given rows. An age may be in completed years,
or be a difference of years.
"""

from collections.abc import Iterator

import numpy as np

from synth.private.counting.column_rows import ColumnRows
from synth.private.counting.dependency_texts import (
    choose_day,
    number_days,
    spell_name,
    write_day,
)
from synth.util import Floats, Ints, Mask

# Days of a year, on average and roughly; ages are often computed so.
DAYS_OF_YEAR = 365.25
ROUGH_DAYS_OF_YEAR = 365
# A greater number is no age of a person.
MAX_AGE = 130


def list_date_parts(source: ColumnRows, target: ColumnRows) -> Iterator[str]:
    """Yield the part of a date that a number is: its year, month or day.

    Args:
        source: The date.
        target: The number.
    """
    have_both = source.has_value & target.has_value
    expected = target.amounts[have_both]
    years, months_and_days = _split_days(source.days[have_both])
    parts = {
        "year": years,
        "month": months_and_days // 100,
        "day": months_and_days % 100,
    }
    for part, values in parts.items():
        if len(values) and np.array_equal(values, expected):
            yield f"{part}({spell_name(source.name)})"


def list_spans(source: ColumnRows, end: ColumnRows, target: ColumnRows) -> Iterator[str]:
    """Yield formulas of a number of days or weeks from one date to another.

    Args:
        source: The first date.
        end: The other.
        target: The number.
    """
    have_all = source.has_value & end.has_value & target.has_value
    expected = target.amounts[have_all]
    days = end.days[have_all] - source.days[have_all]
    if not len(days):
        return
    span = f"{spell_name(end.name)} - {spell_name(source.name)}"
    formulas = {
        span: days,
        f"{span} + 1": days + 1,
        f"floor(({span}) / 7)": np.floor(days / 7),
        f"floor(({span}) / {DAYS_OF_YEAR})": np.floor(days / DAYS_OF_YEAR),
        f"floor(({span}) / {ROUGH_DAYS_OF_YEAR})": np.floor(days / ROUGH_DAYS_OF_YEAR),
    }
    for formula, values in formulas.items():
        if np.array_equal(values, expected):
            yield formula


def list_age_formulas(
    birth: ColumnRows, reference: ColumnRows | None, target: ColumnRows
) -> Iterator[str]:
    """Yield formulas of a number that is the age at a date, in a year, or on one day.

    Args:
        birth: The date of birth.
        reference: The date, or the number of a year; None for one day for all rows.
        target: The number.
    """
    have_all = birth.has_value & target.has_value
    if reference is not None:
        have_all = have_all & reference.has_value
    ages = target.amounts[have_all]
    is_age = (ages == np.floor(ages)) & (ages >= 0) & (ages <= MAX_AGE)
    if not len(ages) or not is_age.all():
        return
    birth_years, birthdays = _split_days(birth.days[have_all])
    name = spell_name(birth.name)
    if reference is None:
        yield from _list_constants(name, birth_years, birthdays, ages=ages)
        yield from _list_rough_ages(name, birth.days[have_all], ages)
    elif reference.kind == "date":
        yield from _list_at_dates(
            birth, reference, rows=have_all, ages=ages, birth_years=birth_years
        )
    elif np.array_equal(reference.amounts[have_all] - birth_years, ages):
        yield f"{spell_name(reference.name)} - year({name})"


def _list_at_dates(
    birth: ColumnRows,
    reference: ColumnRows,
    *,
    rows: Mask,
    ages: Floats,
    birth_years: Ints,
) -> Iterator[str]:
    """Yield formulas of the age at another date.

    Args:
        birth: The date of birth.
        reference: The other date.
        rows: The rows that have all values.
        ages: The age in each row, shape (rows,).
        birth_years: The year of birth in each row, shape (rows,).
    """
    _, birthdays = _split_days(birth.days[rows])
    years, days = _split_days(reference.days[rows])
    born = spell_name(birth.name)
    at = spell_name(reference.name)
    passed_years = years - birth_years
    if np.array_equal(passed_years, ages):
        yield f"year({at}) - year({born})"
    # Before the birthday of a year, the last year is not completed.
    if np.array_equal(passed_years - (days < birthdays), ages):
        is_before = f"month({at}) * 100 + day({at}) < month({born}) * 100 + day({born})"
        yield f"year({at}) - year({born}) - if({is_before}, 1, 0)"


def _list_constants(
    name: str, birth_years: Ints, birthdays: Ints, *, ages: Floats
) -> Iterator[str]:
    """Yield formulas of the age in one year, or on one day, that is the same for all rows.

    Args:
        name: The column of the date of birth, as formulas write it.
        birth_years: The years of birth.
        birthdays: Month and day of birth, such as 704 for the fourth of July.
        ages: The ages.
    """
    years = birth_years + ages.astype(np.int64)
    if np.all(years == years[0]):
        yield f"{years[0]} - year({name})"
        return
    # A birth has this age from the birthday on, and until the next one, as 20240704.
    first_day = int((years * 10_000 + birthdays).max())
    next_day = int(((years + 1) * 10_000 + birthdays).min())
    day = choose_day(first_day, next_day)
    if day is not None:
        year, month_and_day = divmod(day, 10_000)
        is_before = f"month({name}) * 100 + day({name}) > {month_and_day}"
        yield f"{year} - year({name}) - if({is_before}, 1, 0)"


def _list_rough_ages(name: str, births: Floats, ages: Floats) -> Iterator[str]:
    """Yield formulas of the age on one day for all rows, by an average number of days a year.

    Args:
        name: The column of the date of birth, as formulas write it.
        births: Days since 1970.
        ages: The ages.
    """
    for days_of_year in (DAYS_OF_YEAR, ROUGH_DAYS_OF_YEAR):
        first_day = int(np.ceil((births + ages * days_of_year).max()))
        next_day = int(np.ceil((births + (ages + 1) * days_of_year).min()))
        day = choose_day(number_days(first_day), number_days(next_day))
        if day is not None:
            yield f"floor(({write_day(day)} - {name}) / {days_of_year})"


def _split_days(days: Floats) -> tuple[Ints, Ints]:
    """Return the years of days since 1970, and month and day as a number such as 704.

    Both have the shape of the days.
    """
    dates = days.astype(np.int64).astype("datetime64[D]")
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    months = dates.astype("datetime64[M]").astype(np.int64) % 12 + 1
    first_days = dates.astype("datetime64[M]").astype("datetime64[D]")
    days_of_month = (dates - first_days).astype(np.int64) + 1
    return years, months * 100 + days_of_month

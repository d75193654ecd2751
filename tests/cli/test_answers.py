"""Answers as lines: digits, units, and nothing that a terminal would obey."""

from dataclasses import replace

import numpy as np

from synth.cli.answers import answer_lines, forecast_lines
from synth.domain import Categorical, Date, Domain, Integer
from synth.estimate import WayName
from synth.privacy import Guarantee
from synth.questions import Answer, Inquiry, parse

DAY = Date(name="day", minimum="2024-01-01", maximum="2024-12-31")
MOMENT = Date(
    name="at", minimum="2024-01-01T00:00:00", maximum="2024-12-31T00:00:00", time=True
)


def make_answer(
    text: str, value: float, low: float, high: float, **options: object
) -> Answer:
    """An answer with one number and its interval, to a question in text."""
    return Answer(
        question=parse(text),
        way=WayName.LAPLACE,
        labels=(),
        value=np.array([value]),
        low=np.array([low]),
        high=np.array([high]),
        expected_error=1.0,
        **options,  # type: ignore[arg-type]
    )


def test_a_number_stands_with_its_interval() -> None:
    """A line has the question, the value, its interval and the way; nan is no answer."""
    (_, line) = answer_lines([make_answer("count where a > 3", 120, 100, 140)])
    assert line == "count where a > 3   120      100 to 140      laplace"
    (_, line) = answer_lines(
        [make_answer("mean a", float("nan"), float("nan"), float("nan"))]
    )
    assert "no answer" in line


def test_dates_are_dates_and_their_reach_is_in_days() -> None:
    """A mean date is printed as a day, and so are the ends of its interval.

    Answers are in seconds since 1970. Day 19,800 is 2024-03-18, and 9.5 days to each side
    round outwards to 10.
    """
    day = 86_400.0
    mean_day = make_answer(
        "mean day", 19_800 * day, 19_790.5 * day, 19_809.5 * day, columns=(DAY,)
    )
    (_, line) = answer_lines([mean_day])
    assert "2024-03-18   2024-03-08 to 2024-03-28" in line
    assert mean_day.to_json()["low"] == "2024-03-08"
    assert [replace(mean_day, columns=(c,)).error_unit for c in (DAY, MOMENT)] == [
        "days",
        "seconds",
    ]


def test_a_forecast_of_dates_is_in_days() -> None:
    """The average error of a mean date is in days: 365 days / (100 rows *
    epsilon 1) = 3.65.
    """
    domain = Domain((DAY,))
    inquiry = Inquiry.read(["mean day"], domain, Guarantee.pure(1))
    (day_answer,) = inquiry.forecast(100)
    assert 3.5 < day_answer.expected_error < 3.8
    assert " days" in forecast_lines(inquiry, [day_answer])[1]


def test_means_of_several_units_are_each_in_their_own() -> None:
    """In an answer with the means of two columns, each number knows its own column and unit.

    The average error stays below 1: a range of 365 days, times 2 for two columns, is divided
    by 1,000 rows.
    """
    domain = Domain((DAY, Integer(name="age", minimum=0, maximum=100)))
    inquiry = Inquiry.read(["means day, age"], domain, Guarantee.pure(1))
    (forecast_answer,) = inquiry.forecast(1_000)
    assert forecast_answer.column is None
    assert [forecast_answer.column_of(i) for i in (0, 1)] == list(domain.columns)
    assert forecast_answer.expected_error < 1


def test_what_a_terminal_obeys_is_spelled_out() -> None:
    """Control characters in a category are printed as escapes, so no terminal obeys them."""
    domain = Domain((Categorical(name="c", categories=("\x1b[2J", "b\u202e")),))
    inquiry = Inquiry.read(["count where c = '\x1b[2J'"], domain, Guarantee.pure(1))
    lines = forecast_lines(inquiry, inquiry.forecast(10))
    assert all(line.isprintable() for line in lines)
    assert "\\x1b[2J" in lines[1]

"""Questions against a declared domain."""

import re
from fractions import Fraction

import pytest

from synth.domain import (
    Boolean,
    Categorical,
    Date,
    Domain,
    Duration,
    Integer,
    Number,
    Outside,
    TimeOfDay,
)
from synth.errors import QuestionError
from synth.privacy import Unit
from synth.questions import check_question, parse
from synth.questions.checking import find_nearest

DOMAIN = Domain(
    (
        Categorical(
            name="sex",
            categories=("1", "2"),
            meanings={"1": "male", "2": "female"},
            missing=True,
        ),
        Categorical(
            name="edu", categories=("low", "mid", "high"), ordered=True, outside=Outside.CELL
        ),
        Integer(
            name="age", minimum=17, maximum=90, spikes=(40, 999), meanings={"999": "unknown"}
        ),
        Number(name="weight", minimum="0", maximum="2.5", outside=Outside.CELL),
        Date(name="day", minimum="2024-01-01", maximum="2024-12-31", format="%d.%m.%Y"),
        Boolean(name="smoker", true_values=("yes", "y"), false_values=("no",)),
        Categorical(name="twins", categories=("a", "b"), meanings={"a": "same", "b": "same"}),
    )
)


@pytest.mark.parametrize(
    ("text", "checked"),
    [
        ("count", "count"),
        ("count where age >= 65.0", "count where age >= 65"),
        ("count where weight <= 1e-1", "count where weight <= 0.1"),
        ("count where weight > '-10/4'", "count where weight > -2.5"),
        ("count where age > '100/3'", "count where age > '100/3'"),
        ("count where age > 64.5", "count where age > 64.5"),
        ("count where sex = male", "count where sex = 1"),
        ("count where sex in (male, 1, 2)", "count where sex in (1, 2)"),
        ("count where age = unknown", "count where age = 999"),
        ("count where smoker = y", "count where smoker = yes"),
        ("count where day > '31.01.2024'", "count where day > 2024-01-31"),
        ("count where day > 2024-01-31", "count where day > 2024-01-31"),
        ("count where day > '2024-01-31 12:00'", "count where day > '2024-01-31T12:00:00'"),
        (
            "count where edu >= mid or edu = '(other)'",
            "count where edu >= mid or edu = '(other)'",
        ),
        ("count where not (sex is missing)", "count where sex is not missing"),
        ("count where age <= 200", "count where age <= 200"),
        ("count where weight = '(other)'", "count where weight = '(other)'"),
        ("count where not age >= 0", "count where not age >= 0"),  # the code 999
        ("mean day by sex", "mean day by sex"),
        ("means age, weight", "means age, weight"),
        ("top 3 sex", "top 3 sex"),
        ("correlation age, edu", "correlation age, edu"),
        ("logistic smoker on age", "logistic (smoker = yes) on age"),
        (
            "logistic (smoker = y) on sex reference female",
            "logistic (smoker = yes) on sex reference 2",
        ),
        ("regression age on edu reference mid", "regression age on edu reference mid"),
    ],
)
def test_a_checked_question_has_one_spelling(text: str, checked: str) -> None:
    """A checked question is written in one spelling, and checking it again changes nothing.

    Numbers and dates lose needless digits, labels become the codes they mean (male is code 1
    of sex), and a second true value becomes the first (y is yes).
    """
    question = check_question(parse(text), DOMAIN)
    assert str(question) == checked
    assert check_question(question, DOMAIN) == question


EMPTY = "is a condition that no declared value can meet"
"""Part of the message about a condition that no row can meet."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean agee", "Column 'agee' is not declared; did you mean 'age'?"),
        ("table AGE", "Column 'AGE' is not declared; did you mean 'age'?"),
        ("mean age by sx", "Column 'sx' is not declared; did you mean 'sex'?"),
        (
            "count where zzzz = 1",
            "Column 'zzzz' is not declared. These are: 'sex', 'edu', 'age',",
        ),
        (
            "count where sex = Female",
            "Column 'sex' has no value 'Female'; did you mean 'female'?",
        ),
        (
            "count where edu in (low, hihg)",
            "Column 'edu' has no value 'hihg'; did you mean 'high'",
        ),
        (
            "count where smoker = x",
            "Column 'smoker' has no value 'x'; it declares 'no', 'yes'.",
        ),
        ("count where twins = same", "Column 'twins': 'same' means 'a', 'b'; name one of"),
        ("count where sex = missing", "Column 'sex': write sex is missing."),
        ("count where sex = '(missing)'", "Column 'sex': write sex is missing."),
        ("count where sex = '(other)'", "Column 'sex' has no value '(other)'"),
        (
            "count where age = x",
            "Column 'age' (integer) has no value 'x'; it is declared from 17",
        ),
        (
            "count where age > 1e20",
            "Column 'age' (integer) has no value '1e20'; it is declared",
        ),
        (
            "count where day > 5",
            "Column 'day' (date) has no value '5'; it is declared from 2024-0",
        ),
        (
            "count where day > '2024-02-01T12:00+02:00'",
            "Column 'day' (date) has no value '2024-",
        ),
        (
            "count where sex > 1",
            "Column 'sex' (categorical) has no order; compare it by =, != or",
        ),
        (
            "count where smoker < yes",
            "Column 'smoker' (boolean) has no order; compare it by =,",
        ),
        (
            "count where edu > '(other)'",
            "Column 'edu': '(other)' has no order; write = or !=.",
        ),
        (
            "mean sex",
            "Column 'sex' (categorical) has no bounds, which a mean needs; columns of",
        ),
        (
            "total smoker",
            "Column 'smoker' (boolean) has no bounds, which a total needs; columns",
        ),
        ("means age, edu", "Column 'edu' (categorical) has no bounds, which a mean needs"),
        ("total day", "Column 'day' (date) has no total; ask for its mean instead."),
        ("top 4 sex", "Column 'sex' has 3 cells, fewer than the 4 asked for."),
        (
            "mean age over persons",
            "A mean over persons needs a person column; none is declared.",
        ),
        (
            "correlation age, sex",
            "Column 'sex' (categorical) has no order, which a correlation",
        ),
        (
            "correlation age, day",
            "Column 'day' (date) holds no numbers, which a correlation needs",
        ),
        ("regression age on sex reference 7", "Column 'sex' has no value '7'"),
        ("regression age on weight reference 7", "is no list, and has no levels."),
        (
            "regression sex on age",
            "Column 'sex' (categorical) has no bounds, which a regression",
        ),
        (
            "logistic edu on age",
            "Column 'edu' is no list of two values; the outcome of a logistic",
        ),
        (
            "logistic age on sex",
            "Column 'age' is no list of two values; the outcome of a logistic",
        ),
        ("logistic sex = 1 on day", "Column 'day' (date) holds no numbers, which a logistic"),
        ("logistic sex = 7 on age", "Column 'sex' has no value '7'"),
        (
            "count where age > 500",
            f"'age > 500' {EMPTY}: column 'age' is declared from 17 to 90.",
        ),
        (
            "count where sex = 1 or age > 500",
            f"'age > 500' {EMPTY}: column 'age' is declared",
        ),
        (
            "count where age between 95 and 99",
            f"'age >= 95' {EMPTY}: column 'age' is declared",
        ),
        ("count where age = 20.5", f"'age = 20.5' {EMPTY}: column 'age' is declared from 17"),
        (
            "count where not weight != 3",
            f"'not weight != 3' {EMPTY}: column 'weight' is declared",
        ),
        (
            "count where age is missing",
            f"'age is missing' {EMPTY}: column 'age' declares no miss",
        ),
        (
            "count where edu < low",
            f"'edu < low' {EMPTY}: column 'edu' declares 'low', 'mid', 'hi",
        ),
        (
            "count where smoker not in (y, no)",
            f"'smoker not in (yes, no)' {EMPTY}: column 'smok",
        ),
        ("count where age > 20 and age < 21", f"'age > 20 and age < 21' {EMPTY}."),
        ("count where age = 999 and age > 20", f"'age = 999 and age > 20' {EMPTY}."),
        ("count where sex is missing and sex = 1", f"'sex is missing and sex = 1' {EMPTY}."),
        ("count where sex = 1 and (edu = low or age = 20) and sex = 2", EMPTY),
    ],
)
def test_what_the_domain_does_not_hold_is_refused_in_one_sentence(
    text: str, message: str
) -> None:
    """A question that does not fit the declared columns is refused in one sentence.

    The sentence names the column and what is wrong: an unknown name, value or level, a column
    without the order or bounds that are needed, or a condition that no declared value meets.
    """
    with pytest.raises(QuestionError, match=re.escape(message)) as caught:
        check_question(parse(text), DOMAIN)
    assert "\n" not in str(caught.value)


def test_means_over_persons_need_a_person_column() -> None:
    """With a person column, here `pid` of at most 3 rows a person, a mean over persons is
    allowed.
    """
    question = parse("mean age over persons")
    assert check_question(question, DOMAIN, Unit("pid", 3)) == question


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("age", "64.5", Fraction(129, 2)),
        ("weight", "0.1", Fraction(1, 10)),
        ("day", "1970-01-02", Fraction(1)),
        ("day", "02.01.1970", Fraction(1)),
        ("day", "1970-01-02 06:00", Fraction(5, 4)),
        ("edu", "high", Fraction(2)),
        ("smoker", "y", Fraction(1)),
    ],
)
def test_values_have_exact_positions(name: str, value: str, place: Fraction) -> None:
    """A value has an exact position on its column, which can be written and read again.

    Numbers are their own positions, dates are days since 1970-01-01, and values of a list are
    their places in it: high is the third of edu, and y means yes, the second of no and yes.
    """
    column = DOMAIN[name]
    assert column.position(value) == place
    assert column.position(column.write_position(place)) == place


def test_a_time_is_a_position_in_seconds_since_1970() -> None:
    """A time has its seconds since 1970 as position: a minute and half a second are 60.5."""
    column = Date(name="at", time=True, minimum="2024-01-01", maximum="2024-12-31")
    place = column.position("1970-01-01T00:01:00.5")
    assert place == Fraction(121, 2)
    assert column.write_position(place) == "1970-01-01T00:01:00.500000"


def test_messages_stay_short() -> None:
    """A value of 5,000 characters is cut in the message, and no similar name is suggested."""
    long = "x" * 5_000
    with pytest.raises(QuestionError) as caught:
        check_question(parse(f"count where sex = {long}"), DOMAIN)
    assert len(str(caught.value)) < 250
    assert find_nearest(long, ["x"]) == ""


FILE_SPELLINGS = Domain(
    (
        Date(name="month", minimum="2023-01-01", maximum="2024-12-31", format="%Y-%m"),
        Date(name="visit", minimum="2023-01-01", maximum="2024-12-31", format="%-d.%-m.%Y"),
        Date(name="filed", minimum="2023-01-01", maximum="2024-12-31", format="%d-%^b-%Y"),
        Date(name="quoted", minimum="2015-01-01", maximum="2017-12-31", format="%a %d %b %Y"),
        Date(name="born", minimum="1930-01-01", maximum="2012-12-31", format="%d.%m.%y"),
        Date(
            name="seen",
            minimum="2024-01-01",
            maximum="2024-12-31",
            time=True,
            format="%Y-%m-%d %H:%M:%S%z",
            zone="Europe/Berlin",
        ),
        TimeOfDay(name="at", minimum="00:00", maximum="23:59", format="%-I:%M %p"),
        Duration(name="wait", minimum="PT0S", maximum="P2D", format="%-H:%M:%S"),
    )
)


@pytest.mark.parametrize(
    ("condition", "checked"),
    [
        ("month >= 2024-01", "month >= 2024-01-01"),
        ("visit < 31.12.2023", "visit < 2023-12-31"),
        ("visit < 1.2.2023", "visit < 2023-02-01"),
        ("filed = 31-OCT-2023", "filed = 2023-10-31"),
        ("filed in (31-Oct-2023, 2023-11-01)", "filed in (2023-10-31, 2023-11-01)"),
        ("quoted > 'Mon 05 Jun 2017'", "quoted > 2017-06-05"),
        ("born < 19.10.44", "born < 1944-10-19"),
        ("seen < 2024-07-25T12:25:00Z", "seen < '2024-07-25T14:25:00+02:00'"),
        ("seen < '2024-07-25 05:25:00-0700'", "seen < '2024-07-25T14:25:00+02:00'"),
        ("at between 8:30 and '2:10 PM'", "at >= '8:30 AM' and at <= '2:10 PM'"),
        ("wait > 26:05:00", "wait > '26:05:00'"),
        ("wait > 'P1DT2H5M'", "wait > '26:05:00'"),
    ],
)
def test_values_may_be_typed_as_the_file_has_them(condition: str, checked: str) -> None:
    """Dates need no quotes where signs and digits make them one word."""
    question = check_question(parse(f"count where {condition}"), FILE_SPELLINGS)
    assert str(question) == f"count where {checked}"
    assert check_question(parse(str(question)), FILE_SPELLINGS) == question

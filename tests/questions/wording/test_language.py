"""Questions as one would say them, and what is no question."""

import re
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth import limits
from synth.errors import LimitError, QuestionError, SynthError
from synth.questions import And, Missing, Not, Or, Question, parse
from synth.questions.kinds import counts, sums
from synth.questions.wording.condition import Compare, OneOf, Sign, compare_range

AGE = Compare("age", Sign.AT_LEAST, "65")
FEMALE = Compare("sex", Sign.EQUAL, "Female")
OLD_WOMEN = Question(kind=counts.COUNT, where=And((AGE, FEMALE)))
RICH = Compare("income", Sign.EQUAL, ">50K")
ONE, TWO = Compare("c", Sign.EQUAL, "1"), Compare("d", Sign.EQUAL, "2")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("count", Question(kind=counts.COUNT)),
        ("  COUNT\n", Question(kind=counts.COUNT)),
        ("count where age >= 65 and sex = Female", OLD_WOMEN),
        ("Count WHERE age>=65 AND sex='Female'", OLD_WOMEN),
        ("table sex by income", Question(kind=counts.TABLE, columns=("sex", "income"))),
        (
            "table sex, income by race",
            Question(kind=counts.TABLE, columns=("sex", "income", "race")),
        ),
        ("table sex", Question(kind=counts.TABLE, columns=("sex",))),
        ("mean age by sex", Question(kind=sums.MEAN, columns=("age",), by=("sex",))),
        (
            "mean age by sex by race, job",
            Question(kind=sums.MEAN, columns=("age",), by=("sex", "race", "job")),
        ),
        ('total "hours-per-week"', Question(kind=sums.TOTAL, columns=("hours-per-week",))),
        ("total hours by sex", Question(kind=sums.TOTAL, columns=("hours",), by=("sex",))),
        (
            'means age, "education-num"',
            Question(kind=sums.MEANS, columns=("age", "education-num")),
        ),
        ("top 3 occupation", Question(kind=counts.TOP, columns=("occupation",), k=3)),
        ("top occupation", Question(kind=counts.TOP, columns=("occupation",))),
        (
            "top 3 job with counts",
            Question(kind=counts.TOP, columns=("job",), k=3, counts=True),
        ),
        ('top 3 "3"', Question(kind=counts.TOP, columns=("3",), k=3)),
        ("share where income = '>50K'", Question(kind=counts.SHARE, where=RICH)),
        ("mean age over rows", Question(kind=sums.MEAN, columns=("age",))),
        ("mean age over persons", Question(kind=sums.MEAN, columns=("age",), over="persons")),
        (
            "means a, b weight 0.5 over persons where age >= 65",
            Question(
                kind=sums.MEANS,
                columns=("a", "b"),
                by=(),
                where=AGE,
                over="persons",
                weight=Fraction(1, 2),
            ),
        ),
        (
            "mean weight weight 1/3",
            Question(kind=sums.MEAN, columns=("weight",), weight=Fraction(1, 3)),
        ),
        ("mean count by total", Question(kind=sums.MEAN, columns=("count",), by=("total",))),
        (
            'table "by" by "say ""by"""',
            Question(kind=counts.TABLE, columns=("by", 'say "by"')),
        ),
        ("mean größe", Question(kind=sums.MEAN, columns=("größe",))),
    ],
)
def test_a_text_is_read_as_its_question(text: str, question: Question) -> None:
    """A text is read as the question that it says, and so is the text that the question
    writes.

    Words of the language may be in capitals, and names in double quotes may be such words.
    """
    assert parse(text) == question
    assert parse(str(question)) == question


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("a = -8", Compare("a", Sign.EQUAL, "-8")),
        ("a < 1e3", Compare("a", Sign.BELOW, "1e3")),
        ("a > 2.5", Compare("a", Sign.ABOVE, "2.5")),
        ("a>=-1.5e-3", Compare("a", Sign.AT_LEAST, "-1.5e-3")),
        ("a <= 2020-01-31", Compare("a", Sign.AT_MOST, "2020-01-31")),
        ("a >= 2020-01", Compare("a", Sign.AT_LEAST, "2020-01")),
        ("a == 01", Compare("a", Sign.EQUAL, "01")),
        ("a <> b", Compare("a", Sign.UNEQUAL, "b")),
        ("a != 'it''s'", Compare("a", Sign.UNEQUAL, "it's")),
        ("65 <= age", AGE),
        ("'Female' = \"sex\"", FEMALE),
        ("where = weight", Compare("where", Sign.EQUAL, "weight")),
        ("a = missing", Compare("a", Sign.EQUAL, "missing")),
        ("a in (x, 'y', -8, 2020-01-31)", OneOf("a", ("x", "y", "-8", "2020-01-31"))),
        ("a not in (x)", Not(OneOf("a", ("x",)))),
        ("a between -1 and 1", compare_range("a", "-1", "1")),
        ("a not between 1 and 2", Not(compare_range("a", "1", "2"))),
        ("a is missing", Missing("a")),
        ("a IS NOT NULL", Not(Missing("a"))),
        (
            "a between 1 and 2 and b is null or not c = 1 and d = 2",
            Or((And((compare_range("a", "1", "2"), Missing("b"))), And((Not(ONE), TWO)))),
        ),
        ("not (age >= 65 or (sex = Female))", Not(Or((AGE, FEMALE)))),
        ("not not age >= 65", Not(Not(AGE))),
        ("age >= 65 and (sex = Female and a is null)", And((AGE, FEMALE, Missing("a")))),
    ],
)
def test_a_text_is_read_as_its_condition(text: str, condition: object) -> None:
    """The text after `where` is read as its condition: signs, lists, ranges, missing, and,
    or, not.

    `and` binds closer than `or`. ONE is `c = 1`, TWO is `d = 2`.
    """
    assert parse(f"count where {text}").where == condition


QUOTES = "put names with blanks or signs in double quotes, and such values in single quotes"
CONDITION = "a condition joins comparisons by and, or, not and parentheses: age >= 65, sex in"
SIGNS = "the signs are = != < <= > >= ( ) and commas"
MISSING = "a sign or a comma is missing before it"
NUMBER = "write a number such as 65, -8, 2.5 or 1e3"
NAME = "write the name of a column here"
"""These are parts of messages, which say what to write instead."""


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "avg age",
            "'avg age' (character 1)",
            "begin a question with one of count, share, tab",
        ),
        ("= 5", "'= 5' (character 1)", "begin a question with one of count, share, table"),
        ("mean", "its end", NAME),
        ("mean by sex", "'by sex' (character 6)", NAME),
        ("mean 'age'", "''age'' (character 6)", NAME),
        ("table a,", "its end", NAME),
        ("mean hours-per-week", "'-per-week' (character 11)", QUOTES),
        (
            "count rows",
            "'rows' (character 7)",
            "write 'by', 'with counts', 'with interval', 'over",
        ),
        ("mean a over rows over rows", "'over rows' (character 18)", "each once"),
        ("mean a over y", "'y' (character 13)", "write rows or persons after 'over'"),
        ("top 3 x with", "its end", "write counts or interval after 'with'"),
        (
            "count weight x",
            "'x' (character 14)",
            "write a number after 'weight', such as 2, 0.5",
        ),
        (
            "top 2.5 x",
            "'2.5 x' (character 5)",
            "'top' takes a whole number from 1 to 100,000",
        ),
        (
            "top 1234567890 x",
            "'1234567890 x'",
            "'top' takes a whole number from 1 to 100,000",
        ),
        ("count where", "its end", CONDITION),
        ("count where x", "its end", CONDITION),
        ("count where and", "'and' (character 13)", CONDITION),
        ("count where a = 1 and", "its end", CONDITION),
        ("count where a = 1 a = 2", "'a = 2' (character 19)", MISSING),
        ("count where x = United States", "'States' (character 24)", MISSING),
        ("count where x = HS-grad", "'-grad' (character 19)", QUOTES),
        ("count where x = y = z", "'= z' (character 19)", CONDITION),
        ("count where 1 = 2", "'1 = 2' (character 13)", NAME),
        ('count where x = "Female"', "'\"Female\"'", "put a value in single quotes; columns"),
        ('count where x in (a, "b")', "'\"b\")'", "put a value in single quotes; columns"),
        ("count where x in y", "'y' (character 18)", CONDITION),
        ("count where x is 5", "'5' (character 18)", CONDITION),
        ("count where x = not y", "'not y' (character 17)", CONDITION),
        ("count where x = (y)", "'(y)' (character 17)", CONDITION),
        ("count where x = f(y)", "'(y)' (character 18)", CONDITION),
        ("count where f(x) = 1", "'(x) = 1' (character 14)", CONDITION),
        ("count where exists (x)", "'(x)' (character 20)", CONDITION),
        ("count where (a, b) = (1, 2)", "', b) = (1, 2)' (character 15)", CONDITION),
        ("count where x in (select a from b)", "'a from b)' (character 26)", MISSING),
        ("count where x = (select)", "'(select)' (character 17)", CONDITION),
        ("count where cast(x as int) = 1", "'(x as int) = 1'", CONDITION),
        ("count where x = date '2020-01-01'", "''2020-01-01'' (character 22)", MISSING),
        ("count where x like 'a%'", "'like 'a%'' (character 15)", MISSING),
        ("count where x is distinct from y", "'distinct from y'", CONDITION),
        ("count where case when a = 1 then 2 end", "'when a = 1 then 2 end'", MISSING),
        ("count where 'a' 'b' = x", "''a' 'b' = x'", NAME),
        ("count where x = 5abc", "'5abc' (character 17)", NUMBER),
        ("count where x = 1_000", "'1_000' (character 17)", NUMBER),
        ("count where x = 0x1F", "'0x1F' (character 17)", NUMBER),
        ("count where x = 1.", "'1.' (character 17)", NUMBER),
        ("count where x = 2020-1", "'2020-1' (character 17)", NUMBER),
        ("count where x = 2020-01-3x", "'2020-01-3x' (character 17)", NUMBER),
        ("count where x = 2020-01-31T10", "'2020-01-31T10' (character 17)", NUMBER),
        ("count where x + 1 = 2", "'+ 1 = 2' (character 15)", SIGNS),
        ("count where x - 1 = 2", "'- 1 = 2' (character 15)", "there is no arithmetic"),
        ("count where x = -y", "'-y' (character 17)", "there is no arithmetic"),
        ("count where x / 2 = 2", "'/ 2 = 2' (character 15)", "there is no arithmetic"),
        ("count where x::int = 2", "'::int = 2' (character 14)", SIGNS),
        ("count where a.b = 1", "'.b = 1' (character 14)", SIGNS),
        ("count where x = .x", "'.x' (character 17)", SIGNS),
        ("count where x = ?", "'?' (character 17)", SIGNS),
        ("count where x = :a", "':a' (character 17)", SIGNS),
        ("count where x = @a", "'@a' (character 17)", SIGNS),
        ("count where x = N'a'", "''a'' (character 18)", MISSING),
        ("count where x = `a`", "'`a`' (character 17)", SIGNS),
        ("count where x = [1]", "'[1]' (character 17)", SIGNS),
        ("count where ! x = 1", "'! x = 1' (character 13)", SIGNS),
        ("count where x = 1; drop table x", "'; drop table x' (character 18)", SIGNS),
        ("count where x = 1 -- no", "'-- no' (character 19)", "there is no arithmetic"),
        ("count where x = 1 /* c */", "'* c */' (character 20)", SIGNS),
        ("count where {# c #} x = 1", "'{# c #} x = 1'", SIGNS),
        ("count {# c #}", "'{# c #}' (character 7)", SIGNS),
        ("count where (x = 1", "'(x = 1' (character 13)", "this parenthesis is not closed"),
        ("count where x = 1)", "')' (character 18)", "this parenthesis was not opened"),
        ("x" * 99, f"'{'x' * 40}…' (character 1)", "begin a question with one of count"),
    ],
)
def test_a_message_shows_the_place_that_cannot_be_read(
    text: str, place: str, message: str
) -> None:
    """A text that cannot be read is refused in one line, with the place and a hint what to
    write.

    The place is the rest of the text, up to 40 characters, and its number. QUOTES, CONDITION,
    SIGNS, MISSING, NUMBER and NAME are the usual hints.
    """
    start = f"The question cannot be read at {place}"
    with pytest.raises(QuestionError, match=re.escape(start)) as caught:
        parse(text)
    assert message in str(caught.value)
    assert re.fullmatch(r"[^\n]+\.", str(caught.value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The question is empty."),
        (" \n", "The question is empty."),
        (5, "The question is empty."),
        ("count where x = 'abc", "The question has a quote that is not closed."),
        ('mean "abc', "The question has a quote that is not closed."),
        (
            "count where x = '\ud800'",
            "The question holds half a character (a lone surrogate).",
        ),
        ("count where x in ()", "Column 'x': 'in' needs at least one value in parentheses."),
        ('count where "" = 3', "A question names a column by a text that is not empty."),
        (
            "count weight 1/0",
            "The weight of a question must be a number such as 1, 0.1 or 1/3",
        ),
        (
            "count weight 1/",
            "The weight of a question must be a number such as 1, 0.1 or 1/3",
        ),
        (
            "count by sex",
            "'count' takes no groups with 'by', as 'total' and 'mean' do; counts by",
        ),
    ],
)
def test_what_is_no_question_is_refused(text: str, message: str) -> None:
    """What cannot be read at all, or says something impossible, is refused with a reason."""
    with pytest.raises(QuestionError, match=re.escape(message)):
        parse(text)


def test_too_long_questions_and_conditions_are_refused() -> None:
    """Questions of more than 20,000 characters or 1,000 values are refused.

    Exactly 1,000 values in a list, or comparisons joined by `or`, are allowed.
    """
    with pytest.raises(
        LimitError, match=r"^The question has 20,001 characters; the limit is 20,"
    ):
        parse("x" * (limits.QUESTION_LENGTH + 1))

    values = ", ".join(map(str, range(limits.CONDITION_VALUES)))
    assert len(parse(f"count where a in ({values})").where.values) == limits.CONDITION_VALUES

    with pytest.raises(
        LimitError, match=r"^A condition holds 1,001 comparisons and values; the"
    ):
        parse(f"count where a in ({values}, x)")
    with pytest.raises(
        LimitError, match=r"^A condition holds more than 1,000 comparisons and val"
    ):
        parse(f"count where a in ({values}, {values}, {values})")

    joined = " or ".join(["a = 1"] * limits.CONDITION_VALUES)
    assert len(parse(f"count where {joined}").where.parts) == limits.CONDITION_VALUES


DEEP = limits.CONDITION_DEPTH


@pytest.mark.parametrize(
    "text",
    [
        "(" * DEEP + "a = 1" + ")" * DEEP,
        "not " * DEEP + "a = 1",
        "(" * DEEP + "b in (1) and a = 1" + ")" * DEEP,
        "not (" * (DEEP // 2) + "a = 1" + ")" * (DEEP // 2),
    ],
)
def test_a_condition_may_be_ten_levels_deep_and_no_deeper(text: str) -> None:
    """Parentheses and `not` may be nested ten deep, and one level more is refused."""
    assert parse(f"count where {text}").where is not None

    with pytest.raises(
        LimitError, match=r"^A condition nests 'and', 'or', 'not' and parenth"
    ):
        parse(f"count where {text.replace('a = 1', 'not (a = 1)')}")


DEPTHS = ["(", "not ", "not (", "a = (", "a in (", "((", "a=1 and (", "-("]
LENGTHS = ["'", '"', "a ", "1 ", "= ", ", ", "by ", "is ", "é", "-", "{#", "9"]


@pytest.mark.parametrize("piece", DEPTHS + LENGTHS)
def test_hostile_depth_does_not_recurse_and_length_ends_soon(piece: str) -> None:
    """A text of one piece repeated up to 19,000 characters is refused within 10 seconds.

    Nested pieces cause no RecursionError, and long ones no endless search.
    """
    for beginning in ("table ", "count where "):
        start = time.process_time()
        with pytest.raises(SynthError):
            parse(beginning + piece * (19_000 // len(piece)))
        assert time.process_time() - start < 10


WORDS = st.sampled_from(
    "count share table total mean means top where by with counts over rows persons weight "
    "and or "
    "not in between is missing null a b age 1 -8 2.5 1e3 2020-01-31 'x' \"y z\" ( ) , = != "
    "<> < <= "
    "> >= == ' \" -- /* */ ; ? : :: . [ ] { } {# #} {{ }} {% %} + - * / % | || & ^ ~ ! @ # $ "
    "$$ \\ "
    "` select from case when then end cast( exists interval date array struct lambda -> => "
    "any all "
    "like ilike escape collate distinct null true false x'1' 0x1 n'a' b'1' e'\\n' f(a) "
    "a.b".split()
)


@given(st.lists(WORDS, max_size=25).map(" ".join) | st.lists(WORDS, max_size=25).map("".join))
@settings(max_examples=150, deadline=None)
def test_words_in_any_order_are_a_question_or_refused(words: str) -> None:
    """Words and signs of this language and of SQL, in any order, are a question or are
    refused.

    No other error is raised, and a question is the same after writing and reading.
    """
    for text in (words, f"count where {words}", f"count where a = 1 and {words}"):
        _is_question_or_refused(text)


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_question_or_refused(anything: str) -> None:
    """Any text is read as a question or refused; no other error is raised."""
    for text in (anything, f"mean {anything}", f"count where {anything}"):
        _is_question_or_refused(text)


def _is_question_or_refused(text: str) -> None:
    try:
        question = parse(text)
    except SynthError:
        return
    assert parse(str(question)) == question


@pytest.mark.parametrize("name", ["größe", "e\u0301te\u0301", "हिन्दी", "ชื่อ", "col·legi"])
def test_names_of_any_script_need_no_quotes(name: str) -> None:
    assert parse(f"mean {name} where {name} > 5").columns == (name,)

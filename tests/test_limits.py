"""Bounds on what a declaration may hold, and patterns that take no more time than text."""

import ast
import json
import re
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pages.ui.shell.declaration import code_book
from synth import limits
from synth.bundle import guard_cell
from synth.domain import (
    OTHER_FORMATS,
    Boolean,
    Categorical,
    Date,
    Domain,
    Integer,
    Number,
    finish,
    load_schema,
    read_schema,
    to_other,
)
from synth.errors import ArgumentError, DomainError, TableError
from synth.privacy import parse_rational
from synth.private.table import open_table, unique_names
from tests.house.rules import PAGES, SYNTH, nodes_of, text_of
from tests.tables import ROOT

LONG = 20_000
MANY = [f"k{i}" for i in range(300)]
GUARD = 15.0
"""Seconds for what takes milliseconds; the quadratic forms took 24 s and more."""


def run_quickly(act: Callable[[], Any]) -> Any:
    """Return what `act` returns, which must take less than `GUARD` (15) seconds of
    processor.
    """
    start = time.process_time()  # what others take of a busy machine does not count
    result = act()
    assert time.process_time() - start < GUARD
    return result


# Patterns.


def list_patterns() -> Iterator[tuple[str, str, str]]:
    """Every regular expression of the package and the pages that is written as a constant.

    With its file, and how it is used; one that is compiled may be used in any way.
    """
    for path in (path for path in (*SYNTH, *PAGES) if "import re\n" in text_of(path)):
        for node in nodes_of(path):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=use),
                    args=[ast.Constant(value=str(pattern)), *_],
                ):
                    yield path.name, use, pattern


def list_published_patterns() -> Iterator[tuple[str, str, str]]:
    """The patterns of the published schemas, which a certificate is checked against."""
    for path in sorted((ROOT / "synth").rglob("*.schema.json")):
        for pattern in re.findall(r'"pattern": "((?:[^"\\]|\\.)*)"', path.read_text("utf-8")):
            yield path.name, "search", json.loads(f'"{pattern}"')


EVIL = [
    "1" * LONG,
    "-" + "1" * LONG + "x",
    "1." * (LONG // 2) + "x",
    "1e" * (LONG // 2),
    "1" * LONG + "." + "1" * LONG + "x",
    "1,234" * (LONG // 5) + "x",
    ",111" * (LONG // 4) + "x",
    "1/" + "0" * LONG + "1",
    " " * LONG + "x",
    "\r\n" * LONG,
    "\\" * LONG,
    "a" * LONG + "!",
    "A" * LONG + "!",
    "Aa" * LONG + "!",
    "%" * LONG,
    "=" * LONG,
    "[](" * LONG,
    "é" * LONG + "\0",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "use", "pattern"), sorted({*list_patterns(), *list_published_patterns()})
)
def test_no_pattern_is_slow_on_an_evil_text(place: str, use: str, pattern: str) -> None:
    """No regular expression of Synth or its schemas takes 15 seconds for a long hostile text.

    Each is tried on the texts of `EVIL`, of 20,000 repeated signs or more, in the way in
    which it is used. `place` is its file, for the message of a failure.
    """
    assert place
    compiled = re.compile(pattern)

    # A compiled pattern may be matched in any way.
    uses = ("match", "fullmatch") if use == "compile" else (use,)
    for text in EVIL:
        for name in uses:
            act: Callable[..., Any] = getattr(compiled, name)
            if name == "sub":
                # `sub` needs a replacement too, and finds the same.
                act = compiled.findall
            run_quickly(lambda act=act, text=text: act(text))  # type: ignore[misc]


def test_the_patterns_are_found() -> None:
    """The search for regular expressions in the code finds three known ones, with their uses.

    If it found none, `test_no_pattern_is_slow_on_an_evil_text` would pass without a trial.
    """
    uses = {(place, use) for place, use, _ in list_patterns()}
    assert {
        ("guard.py", "compile"),
        ("guarantee.py", "search"),
        ("advice.py", "findall"),
    } < uses


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_a_category_of_many_digits_holds_up_nobody(text: str) -> None:
    """A category of 20,000 hostile signs is guarded in time, and only an apostrophe is
    added.
    """
    marked = run_quickly(lambda: guard_cell(f"-{text}"))
    assert marked.removeprefix("'") == f"-{text}"


@pytest.mark.parametrize(
    "text", ["1", "-1", "1.", "1.5", ".5", "-.5e-3", "1e5", "+2E+4", "1.e1", "0"]
)
def test_numbers_are_numbers_still(text: str) -> None:
    """A number in any usual form stays without an apostrophe in CSV files, also with a
    sign.
    """
    assert guard_cell(text) == text


@pytest.mark.parametrize("text", ["-", "-.", "-1x", "-1e", "+e5", "-1.2.3", "-1 "])
def test_what_only_looks_like_one_is_guarded(text: str) -> None:
    """A text that begins with a sign and is no whole number or decimal gets an apostrophe."""
    assert guard_cell(text) == f"'{text}"


@pytest.mark.slow
def test_a_pasted_code_book_takes_time_as_it_is_long() -> None:
    """A long code book is read within 15 seconds of processor.

    One has 20 lines of 20,000 blanks each, the other 100,000 codes and one of them twice.
    """
    blank = "".join(f"{' ' * LONG}x{i}\n" for i in range(20))
    assert len(run_quickly(lambda: code_book(blank))) == 20

    long_book = "\n".join(f"{i};x" for i in range(100_000))
    with pytest.raises(DomainError, match="lists '99999' twice"):
        run_quickly(lambda: code_book(f"{long_book}\n99999;y"))


# Declarations.


def declared(**changes: Any) -> dict[str, Any]:
    field = {"name": "a", "type": "string", "constraints": {"enum": ["x", "y"]}, **changes}
    return {"fields": [field]}


def number(**constraints: Any) -> dict[str, Any]:
    return declared(type="number", constraints={"minimum": 0, "maximum": 9, **constraints})


def nested(depth: int) -> str:
    return '{"fields": [{"name": "a", "x": ' + "[" * depth + "]" * depth + "}]}"


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (
            declared(name="n" * 1_001),
            "The name of column 1 has 1,001 characters; the limit is 1,",
        ),
        (
            declared(constraints={"enum": ["x" * 10**6]}),
            "Column 'a': a category has 1,000,000 characters; the limit is 10,000.",
        ),
        (
            declared(categories=[{"value": "x", "label": "l" * 10_001}]),
            "Column 'a': a label has 10,001 characters; the limit is 10,000.",
        ),
        (
            declared(description="d" * 10_001),
            "Column 'a': the description has 10,001 characters; the limit is 10,000.",
        ),
        (
            declared(type="boolean", trueValues=["t" * 10_001], constraints={}),
            "Column 'a': a spelling has 10,001 characters; the limit is 10,000.",
        ),
        (
            declared(
                type="boolean", trueValues=[str(i) for i in range(1_001)], constraints={}
            ),
            "Column 'a' lists over 1,000 spellings.",
        ),
        (
            number(minimum="1" * 101),
            "A bound of the column 'a' has 101 characters; the limit is",
        ),
        (number(maximum=10**4_000), "A bound of the column 'a' has"),
        (
            number(maximum="1e999999999"),
            "Column 'a': the bound '1e999999999' has too large an exp",
        ),
        (
            number(minimum="1e-99999999"),
            "Column 'a': the bound '1e-99999999' has too large an exp",
        ),
        (
            declared(
                type="date",
                format="%Y" + "x" * 100,
                constraints={"minimum": "2024-01-01", "maximum": "2024-12-31"},
            ),
            "Column 'a': the format has 102 characters; the limit is 100.",
        ),
        (
            declared(
                type="date",
                format="%d%d%m%Y",
                constraints={"minimum": "2024-01-01", "maximum": "2024-12-31"},
            ),
            "Column 'a': The format '%d%d%m%Y' holds %d twice; keep one of them.",
        ),
        (
            declared(constraints={"enum": ["\ud800"]}),
            "Column 'a': a category holds half a character (a lone surrogate).",
        ),
        (
            {**declared(), "missingValues": [str(i) for i in range(1_001)]},
            "The domain declares over 1,000 spellings of missing values.",
        ),
        (
            {**declared(), "missingValues": ["m" * 10_001]},
            "A spelling of missing values has 10,001 characters; the limit is 10,000.",
        ),
        (declared(**dict.fromkeys(MANY, 0)), "Column 'a' has over 200 keys; the limit is"),
        (
            {**declared(), **dict.fromkeys(MANY, 0)},
            "The schema has 301 keys; the limit is 200.",
        ),
        (
            {"fields": [{}] * 20_001},
            "The schema declares 20,001 columns; the limit is 20,000.",
        ),
        ({"fields": [{}] * 1_001}, "The domain declares 1,001 columns; the limit is 1,000."),
    ],
)
def test_a_declaration_beyond_a_limit_is_one_sentence(
    document: dict[str, Any], sentence: str
) -> None:
    """A declaration with too long a text, number or list is refused in a short sentence, in
    time.

    `sentence` is its beginning, which names the column and the limit. It never holds the long
    text.
    """
    content = json.dumps(document).encode()

    with pytest.raises(DomainError, match=f"^{re.escape(sentence)}") as caught:
        run_quickly(lambda: read_schema(content))

    assert len(str(caught.value)) < 200


def test_nesting_is_bounded() -> None:
    """A declaration may be nested 20 levels deep, and is refused from the limit on.

    Python itself would fail at 100,000 levels.
    """
    assert load_schema(nested(20).encode())

    for depth in (limits.JSON_DEPTH, 500, 100_000):
        content = nested(depth).encode()
        with pytest.raises(DomainError, match=r"^The domain file is nested too deeply\.$"):
            load_schema(content)


def test_ten_thousand_characters_are_a_category_still() -> None:
    """A category may have 10,000 characters, which is the limit.

    Two categories and the missing value make three cells.
    """
    domain = finish(declared(constraints={"enum": ["x" * 10_000, "1" * 10_000]}))

    assert domain.size == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [
        {
            f"c{i}": {"values": {"min": 0, "max": 9, **{f"w{i}.{j}": "x" for j in range(40)}}}
            for i in range(2_000)
        },
        {"fields": [{"name": f"c{i}", "bareNumber": True} for i in range(20_000)]},
        {"columns": {f"c{i}": {"sdtype": "categorical"} for i in range(20_000)}},
    ],
    ids=["nist", "table schema", "sdv"],
)
def test_many_columns_and_words_take_time_as_they_are_many(document: Any) -> None:
    """Files of three formats with thousands of columns are read within 15 seconds of
    processor.

    Each column comes back as one field.
    """
    content = json.dumps(document).encode()
    schema, _ = run_quickly(lambda: load_schema(content))

    assert len(schema["fields"]) == len(
        document.get("fields", document.get("columns", document))
    )


@pytest.mark.parametrize("kind", OTHER_FORMATS)
def test_and_so_does_what_is_saved(kind: str) -> None:
    """4,000 columns are written in each other format within 15 seconds of processor.

    Half of them are numbers with a bound of 5,000 digits.
    """
    constraints = {"minimum": 0, "maximum": "9" * 5_000}
    fields = [
        {"name": f"c{i}", "type": "number", "synth:cells": 2, "constraints": constraints}
        for i in range(2_000)
    ]
    list_fields = [
        {"name": f"d{i}", "type": "string", "synth:cells": 2, "constraints": {"enum": ["x"]}}
        for i in range(2_000)
    ]

    run_quickly(lambda: to_other({"fields": fields + list_fields}, kind))


def test_a_column_of_the_library_has_the_same_limits() -> None:
    """A column that is made in Python code is refused beyond the limits of declared files.

    In turn too long are a name, a category, a spelling, bounds, an edge, a date, a format and
    a spelling of missing values.
    """
    long = "x" * 10**6

    for make in (
        lambda: Categorical(name=long, categories=("a",)),
        lambda: Categorical(name="a", categories=(long,)),
        lambda: Boolean(name="a", true_values=(long,)),
        lambda: Number(name="a", minimum=long, maximum=1),
        lambda: Integer(name="a", minimum=0, maximum=10**5_000),
        lambda: Number(name="a", minimum=0, maximum=1, edges=("0", "1" * 5_000, "1")),
        lambda: Date(name="a", minimum=long, maximum="2024-01-01"),
        lambda: Date(name="a", minimum="2024-01-01", maximum="2024-01-01", format=long),
        lambda: Domain((Categorical(name="a", categories=("a",)),), (long,)),
    ):
        with pytest.raises(
            DomainError, match=r"has [0-9,]+ characters; the limit is [0-9,]+\.$"
        ):
            make()


# Numbers.


@pytest.mark.parametrize(
    "text", ["1" * 41, "1/" + "3" * 5_000, "1e" + "9" * 50, "0." + "3" * 10**6], ids=range(4)
)
def test_a_long_number_is_refused_before_it_is_one(text: str) -> None:
    """An epsilon of more than 40 characters is refused before it is computed.

    To compute 1e999... would take all memory.
    """
    with pytest.raises(
        ArgumentError, match=r"^epsilon must be written in at most 40 characters"
    ):
        run_quickly(lambda: parse_rational(text, name="epsilon"))


@pytest.mark.parametrize(
    "value",
    [Fraction(1, 3**9_999), Fraction(10**5_000), 10**5_000],
    ids=["small", "large", "whole"],
)
def test_a_long_fraction_is_refused_too(value: Any) -> None:
    """An epsilon is refused if it is a fraction or a whole number of thousands of digits.

    A fraction may have numbers of up to 400 digits, and 3^99 has 48.
    """
    with pytest.raises(
        ArgumentError, match=r"^epsilon must be written in at most 40 characters"
    ):
        parse_rational(value, name="epsilon")

    assert parse_rational(Fraction(1, 3**99), name="epsilon") == Fraction(1, 3**99)


# Headers.


def test_the_names_of_a_file_are_bounded(tmp_path: Path) -> None:
    """A table with a name of 1,001 characters, or with 20,001 columns, is refused with the
    limit.
    """
    path = tmp_path / "t.csv"
    path.write_text("a," + "b" * 1_001 + "\n1,2\n")
    with pytest.raises(
        TableError, match=r"^The name of column 2 has 1,001 characters; the limit"
    ):
        open_table(path)

    path.write_text("a," * 20_000 + "a\n")
    with pytest.raises(
        TableError, match=r"^The table has 20,001 columns; the limit is 20,000\.$"
    ):
        run_quickly(lambda: open_table(path))


def test_repeated_names_take_time_as_they_are_many() -> None:
    """20,000 names that repeat or are empty become different ones within 15 seconds of
    processor.

    A repeated name gets its next number, and an empty one the number of its column.
    """
    names, _ = run_quickly(lambda: unique_names(["a", ""] * 10_000))

    assert len(set(names)) == 20_000
    assert names[:4] == ("a_1", "column_2", "a_2", "column_4")
    assert names[-2:] == ("a_10000", "column_20000")


def test_the_names_are_what_they_always_were() -> None:
    """Repeated and empty names get numbers, and never a name that another column has.

    A repeated name gets the next free number. An empty one becomes "column_" with its place,
    or the next free number. So the second column is not column_2, which the fourth has.
    """
    titles = ["column", "", "column", "column_2", "", "x", "x", "x_1", "", "column_9"]

    assert unique_names(titles)[0] == (
        "column_1",
        "column_3",
        "column_4",
        "column_2",
        "column_5",
        "x_2",
        "x_3",
        "x_1",
        "column_10",
        "column_9",
    )

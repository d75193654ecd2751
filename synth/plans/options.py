"""Every option of a release and of an inquiry, declared once: what the command line asks. PUBLIC.

The command line, the functions of `synth`, the plan file and saved projects follow this table: what
an option is called and what it stands for, how it is typed or handed over, and its form in a file.

>>> OPTIONS["delta"].from_text("1e-3"), OPTIONS["favour"].from_call("errors").value
(Fraction(1, 1000), 'errors')
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import Any

from synth import limits
from synth.domain import read_schema, write_schema
from synth.errors import ArgumentError
from synth.estimate import RECIPES, REPAIRS, Favour, Method, PublicSource, Repair, load_rules
from synth.plans.codecs import (
    COUNT,
    GROUPS,
    JSON,
    TEXT,
    Codec,
    find_word,
    keep_value,
    optional_codec,
    reader_of,
    word_codec,
)
from synth.privacy import (
    Neighbors,
    RowReading,
    parse_epsilon,
    parse_rational,
    parse_rho,
    parse_whole,
)


def flag_of(name: str) -> str:
    """Return how the command line calls an option."""
    return f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class PlanOption:
    """One option.

    Attributes:
        name: Of it everywhere; the command line has hyphens in it.
        meaning: What it stands for, as the command line says it.
        metavar: What is typed behind it.
        default: What it is where nobody says.
        words: The words that can be said, where they are few.
        from_text: Reads what is typed.
        from_call: Reads what a caller of Python hands over.
        codec: Its form in a plan file.
        seldom: Whether a plan file leaves the default out.
    """

    name: str
    meaning: str = ""
    metavar: str | None = None
    default: Any = None
    words: Iterable[str] | None = None
    from_text: Callable[[str], Any] = keep_value
    from_call: Callable[[Any], Any] = keep_value
    codec: Codec = JSON
    seldom: bool = False

    @property
    def flag(self) -> str:
        """How the command line calls it."""
        return flag_of(self.name)


def read_word(words: Iterable[str], name: str, value: str) -> Any:
    """Read a word that is one of a few.

    Raises:
        ArgumentError: It is none of them.
    """
    try:
        return find_word(words, value)
    except ValueError:
        allowed = ", ".join(words)
        message = f"{name} must be one of {allowed}, but it is '{str(value)[:40]}'."
    raise ArgumentError(message)


def parse_delta(text: str) -> Fraction:
    """Read a delta above 0.

    Raises:
        ArgumentError: It is none.
    """
    delta = parse_rational(text, name="delta")
    if delta <= 0:
        raise ArgumentError("delta must be above 0; leave it out for pure epsilon.")
    return delta


def split_names(text: str) -> tuple[str, ...]:
    """Read names with commas between.

    >>> split_names("age, sex")
    ('age', 'sex')
    """
    return tuple(name.strip() for name in text.split(","))


DELTA = Codec(str, partial(parse_rational, name="delta"))
DOMAIN = Codec(write_schema, lambda content: read_schema(reader_of(dict)(content)))
PUBLIC = Codec(PublicSource.to_json, PublicSource.from_json)


def split_groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Read groups of names with semicolons between."""
    return tuple(map(split_names, text.split(";")))


def _word(
    name: str, words: Iterable[str], default: StrEnum, meaning: str = "", *, seldom: bool = False
) -> PlanOption:
    """Declare an option that is one of a few words: of an enumeration, or of a registry."""
    codec = word_codec(words)
    read = partial(read_word, words, name)
    return PlanOption(name, meaning, None, default, words, read, read, codec=codec, seldom=seldom)


def _count(
    name: str, meaning: str, metavar: str, default: int | None = None, *, most: int, example: int
) -> PlanOption:
    """Declare an option that is a whole number from 1 up."""
    read = partial(parse_whole, name=flag_of(name), most=most, example=example)
    codec = optional_codec(COUNT) if default is None else COUNT
    return PlanOption(name, meaning, metavar, default, from_text=read, codec=codec)


_ALL = (
    PlanOption("domain", "Table Schema JSON", "FILE", from_text=read_schema, codec=DOMAIN),
    PlanOption("columns", "the columns that take part", "a,b,..", from_text=split_names),
    PlanOption(
        "epsilon",
        "such as 1, 0.5 or 1/3",
        "E",
        from_text=parse_epsilon,
        from_call=parse_epsilon,
        codec=Codec(str, parse_epsilon),
    ),
    PlanOption("rho", "instead of epsilon: the rho of zCDP", "R", from_text=parse_rho),
    _word(
        "neighbors",
        Neighbors,
        Neighbors.REPLACE_ONE,
        "what the guarantee compares (default: replace-one)",
    ),
    _word(
        "method",
        RECIPES,
        Method.AUTO,
        "auto (default): decides by public numbers: rows (noisy ones where they are private), "
        "cells and epsilon; dense: the histogram of all cells; histogram: of any size, from a "
        "public threshold up; the others join marginals by a model",
    ),
    _word("repair", REPAIRS, Repair.AUTO),
    _count("rows", "synthetic rows wanted", "N", most=limits.ROWS_MAX, example=1000),
    PlanOption("dataset", default="table", codec=TEXT),
    PlanOption(
        "delta",
        "for a model: (epsilon, delta) by way of Gaussian DP, such as 1e-9",
        "D",
        Fraction(0),
        from_text=parse_delta,
        from_call=DELTA.decode,
        codec=DELTA,
    ),
    PlanOption(
        "groups",
        "for groups: columns of each group",
        "a,b;c,d",
        (),
        from_text=split_groups,
        codec=GROUPS,
    ),
    PlanOption("rules", "JSON of public rules, true of every row", "FILE", from_text=load_rules),
    _count(
        "max_model_mb",
        f"memory of a model (default: {limits.MODEL_MB})",
        "MB",
        limits.MODEL_MB,
        most=10**9,
        example=512,
    ),
    PlanOption("person", "whose row it is; default: each row's own", "COLUMN", "", codec=TEXT),
    _count(
        "max_rows",
        "most rows of one person that count (default: 1)",
        "K",
        1,
        most=limits.ROWS_MAX,
        example=4,
    ),
    PlanOption("public", codec=optional_codec(PUBLIC), seldom=True),
    _word(
        "favour",
        Favour,
        Favour.ERRORS,
        "what rows that are settled on pairs are nearest to: errors (default) or associations, "
        "such as correlations; for auto, one-shot and adaptive, at no cost",
        seldom=True,
    ),
    PlanOption(
        "predict",
        "the column that analysts will predict: its pairs with the others come first; for auto, "
        "one-shot and adaptive",
        "COLUMN",
        "",
        codec=TEXT,
        seldom=True,
    ),
    _word("reading", RowReading, RowReading.LINES, seldom=True),
)
OPTIONS = {one.name: one for one in _ALL}
"""All options, by name, in the order in which a plan file has them."""
IN_PLAN = tuple(one for one in _ALL if one.name not in ("columns", "rho"))
"""What a plan file has."""

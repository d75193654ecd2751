"""Neighbours in files of SPSS, Stata and SAS: one row's values replaced, the file written
anew.
"""

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyreadstat

from synth.foreign import child
from synth.private.table import PrivateTable, open_table
from tests.fuzz.neighbour_arrow import FROM, TO, Kind, Values, values_case
from tests.fuzz.neighbour_columns import ODD, WORDS
from tests.fuzz.neighbours import Case

DAY = 86_400
SPSS_DAYS, SAS_DAYS = 141_428, 3_653
"""Days from the first day of SPSS, and of Stata and SAS, to 1970."""
TEXTS = (
    *ODD,
    'a"\nb,c',
    "a\nb",
    "x" * 300,
    "y" * 3_000,
    '"',
    "a,b",
    " a ",
    "\x1a",
    "é" * 200,
)
FAR = (
    0.0,
    -1.0,
    0.5,
    1e9,
    -1e9,
    1e12,
    -1e12,
    2.5e11,
    2.8e11,
    2.534e14,
    1e18,
    -1e18,
    1e60,
    -1e60,
    2_932_896.0,
    2_936_550.0,
    3_000_000.0,
    -719_163.0,
    -1e6,
    2.0**31,
    2.0**63,
)


def read_here(request: dict[str, Any]) -> bool:
    """Do what the child process does, in this one: in place of
    `synth.foreign.parent.run_child`.
    """
    try:
        answer = child.TASKS[request["task"]](request)
    except child.Fault as fault:
        answer = fault.answer
    answer_file = Path(request["folder"]) / child.ANSWER
    answer_file.write_text(json.dumps(answer), encoding="utf-8")
    return False


def texts(values: Iterable[Any]) -> "pd.Series[Any]":
    """A column of texts; the formats have no other missing ones than empty ones."""
    return pd.Series([value or "" for value in values], dtype=object)


def days(draw: Random, near: bool) -> dt.date:
    """A day that Python knows."""
    far = (
        dt.date(1, 1, 1),
        dt.date(1582, 10, 14),
        dt.date(1899, 12, 31),
        dt.date(9999, 12, 31),
    )
    return (
        dt.date(1970, 1, 1) + dt.timedelta(days=draw.randrange(FROM, TO))
        if near
        else draw.choice(far)
    )


def wholes(draw: Random, near: bool) -> int:
    """A whole number that Stata holds in four bytes."""
    return (
        draw.randint(-20, 99) if near else draw.choice([0, -1, 2_147_483_620, -2_147_483_647])
    )


TYPED = {
    "day": Kind(days, partial(pd.Series, dtype=object), "date"),
    "whole": Kind(
        wholes, lambda values: pd.Series([v or 0 for v in values], dtype="int32"), "int"
    ),
    "single": Kind(
        lambda draw, near: draw.choice(
            [0.5, 6.0, 7.25] if near else [0.1, 1e30, float("nan")]
        ),
        partial(pd.Series, dtype="float32"),
        "num",
    ),
}
"""Columns whose type says what they are."""
LETTERS = ("a", "b", "z")
"""Of missing values of Stata, which say why a value is missing."""


def tagged(values: Sequence[Any]) -> pd.Series:
    """Numbers and letters, as categories: by them pyreadstat tells the kind of a column, and
    of plain values by the first 100, which may all be letters.
    """
    distinct = [value for value in dict.fromkeys(values) if value is not None]
    numbers_first = sorted(distinct, key=lambda value: isinstance(value, str))
    dtype = pd.CategoricalDtype(pd.Index(numbers_first, dtype=object))
    return pd.Series(list(values), dtype=object).astype(dtype)


TAGGED = Kind(
    lambda draw, near: draw.choice([1.0, 6.0, 0.5, 9.0, *LETTERS] if near else [1e30, "z"]),
    tagged,
    "num",
)
"""Numbers, and such letters among them."""


def fill_blank(text: str | None) -> str:
    """A text that is not blank as it is written: up to the first NUL, without blanks
    behind.
    """
    return text if text and text.split("\0")[0].strip(" ") else "a"


@dataclass(frozen=True)
class Program:
    """A format of pyreadstat.

    Attributes:
        write: Its writer.
        ending: Of its files.
        first_day: Days from its first day to 1970.
        dates: What a day is in each format of dates.
        largest: The largest number it holds.
        longest: Most bytes of a text.
        names: The names of its columns, of which only the number differs.
        options: Options of the writer, one of which is drawn.
        ascii: Whether it holds no other texts.
        has_labels: Whether its writer labels values.
        has_tags: Whether a missing value may say why.
    """

    write: Callable[..., None]
    ending: str
    first_day: int
    dates: dict[str, int]
    largest: float
    longest: int
    names: str = "c"
    options: Sequence[dict[str, Any]] = ({},)
    ascii: bool = False
    has_labels: bool = False
    has_tags: bool = False

    def draw(self, draw: Random) -> Case:
        """A file with columns of texts, numbers and dates."""
        width = draw.randint(1, 3)
        tagged = ["tagged"] * self.has_tags
        shown = ["text", "text", "", "", *tagged, *TYPED, *self.dates]
        formats = draw.choices(shown, k=width)
        names = [f"{self.names}{i}" for i in range(width)]
        options = self.options_of(draw, dict(zip(names, formats, strict=True)))
        # This writer cannot write two columns of long texts.
        lengths = [self.longest, *[min(self.longest, 2_045)] * 2]
        kinds = [
            self.kind(shown_as, longest)
            for shown_as, longest in zip(formats, lengths, strict=False)
        ]
        if self.ending == ".xpt" and {*formats} == {"text"}:
            # Its rows that are blank in all cells are no rows where all cells are texts.
            kinds[0] = replace(kinds[0], array=lambda values: texts(map(fill_blank, values)))

        def save(rows: Sequence[Values], folder: Path) -> PrivateTable:
            columns = [kind.array([row[i] for row in rows]) for i, kind in enumerate(kinds)]
            path = folder / f"t{self.ending}"
            self.write(
                pd.DataFrame(dict(zip(names, columns, strict=True))), str(path), **options
            )
            return open_table(path)

        return values_case(
            draw, kinds, save, f"{self.ending} {formats} {options}", self.names
        )

    def options_of(self, draw: Random, formats: dict[str, str]) -> dict[str, Any]:
        """Options of the writer, for columns of some formats."""
        options = dict(draw.choice(self.options))
        dates = {
            name: shown_as for name, shown_as in formats.items() if shown_as in self.dates
        }
        if "missing_ranges" in options:
            numbers = [name for name, shown_as in formats.items() if shown_as == ""]
            ranges = draw.choice(
                [[{"lo": 9, "hi": 99}], [9, 99, -1], [{"lo": 9, "hi": 9}, 3]]
            )
            options["missing_ranges"] = dict.fromkeys(numbers, ranges)
        tagged = [name for name, shown_as in formats.items() if shown_as == "tagged"]
        if tagged:
            options["missing_user_values"] = {key: [*LETTERS] for key in tagged}
        if draw.random() < 0.3 and self.has_labels:
            labels = draw.choice([{9: "refused"}, {1: "no", 2: "yes"}])
            options["variable_value_labels"] = {
                name: labels for name, shown_as in formats.items() if shown_as == ""
            }
        return options | ({"variable_format": dates} if dates else {})

    def kind(self, shown_as: str, longest: int) -> Kind:
        """A kind of column by its format."""
        if shown_as in TYPED:
            return TYPED[shown_as]
        if shown_as == "tagged":
            return TAGGED
        if shown_as == "text":
            text = partial(self.text, longest=longest)
            return Kind(text, texts, "list")
        per_day = self.dates.get(shown_as, 0)

        def value(draw: Random, near: bool) -> float:
            if near and per_day:
                return float(round((self.first_day + draw.uniform(FROM, TO)) * per_day))
            if near:
                return draw.choice(
                    [float(draw.randint(0, 10)), 0.5, round(draw.uniform(0, 10), 2)]
                )
            odd = draw.choice(
                [*FAR, float("nan"), draw.uniform(-1e7, 1e7), 2.0**53 + 2, 0.1, 99, 9]
            )
            return min(max(odd, -self.largest), self.largest)

        series = partial(pd.Series, dtype="float64")
        return Kind(value, series, "date" if per_day else "num")

    def text(self, draw: Random, near: bool, longest: int) -> str:
        """A text that the format holds."""
        text = draw.choice(WORDS if near else TEXTS)
        if not near and draw.random() < 0.005:
            text = draw.choice(["a", "a\n", "a,", '"', "é"]) * 1_000_001
        if self.ascii:
            text = re.sub("[^ -~]", "", text)
        return text.encode(errors="ignore")[:longest].decode(errors="ignore")


SPSS = Program(
    pyreadstat.write_sav,
    ".sav",
    SPSS_DAYS,
    {
        "DATE11": DAY,
        "ADATE10": DAY,
        "DATETIME20": DAY,
        "TIME8": DAY,
        "MOYR8": DAY,
        "DTIME17": DAY,
    },
    1e307,
    32_000,
    options=({}, {"row_compress": True}, {"compress": True}, {"missing_ranges": {}}),
    has_labels=True,
)
STATA = Program(
    pyreadstat.write_dta,
    ".dta",
    SAS_DAYS,
    {"%td": 1, "%tc": DAY * 1000, "%tC": DAY * 1000, "%tm": 1, "%tq": 1, "%ty": 1},
    8e307,
    3_000_000,
    options=({}, {}, {"version": 14}, {"version": 13}),
    has_labels=True,
    has_tags=True,
)
PORTABLE = Program(
    pyreadstat.write_por,
    ".por",
    SPSS_DAYS,
    {"DATE11": DAY, "DATETIME20": DAY},
    1e60,
    255,
    names="C",
    ascii=True,
)
SAS = Program(
    pyreadstat.write_xport,
    ".xpt",
    SAS_DAYS,
    {"DATE9": 1, "DATETIME20": DAY, "TIME8": DAY},
    7e70,
    200,
    options=({"file_format_version": 5}, {"file_format_version": 8}),
)

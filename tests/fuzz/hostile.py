"""Hostile declarations and tables: texts that some language reads as more than text."""

from dataclasses import dataclass
from random import Random
from typing import Any

from synth import limits
from synth.domain import (
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Duration,
    Integer,
    Number,
    Outside,
    TimeOfDay,
)
from synth.private.table import Format
from tests.fuzz.hostile_times import clock_column, date_column, span_column, texts_near

FRAGMENTS = [
    "'",
    '"',
    "`",
    "\\",
    "\\'",
    "\\\\",
    "''",
    '\\"',
    "\0",
    "--",
    "-- ",
    "/*",
    "*/",
    ";",
    "#",
    "${env:HOME}",
    "${spark.app.name}",
    "{}",
    "{0}",
    ":p0",
    ":x",
    "?",
    "$1",
    "$p0",
    "@v",
    "%",
    "%s",
    "_",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\x0b",
    "\x1f",
    "\x7f",
    "\x85",
    "\xa0",
    "\u3000",
    "\u2028",
    "é",
    "e\u0301",
    "\u202e",
    "\u200b",
    "\ufeff",
    "ß",
    "İ",
    "ı",
    "ſ",
    "K",
    "１２",
    "٣",
    "\U0001f600",
    "\U0010ffff",
    "\ufffd",
    "NULL",
    "null",
    "Infinity",
    "NaN",
    "TRUE",
    "''||''",
    "') OR 1=1 --",
    "\\') OR TRUE OR (\\'",
    "'; DROP TABLE t; --",
    "\\u0041",
    "\\x41",
    "\\n",
    "\\0",
    "&#39;",
    "U&'\\0041'",
    "E'\\''",
    "[a]",
    "(a|b)",
    "^",
    "$",
    ".*",
    "a",
    "b",
    "it's",
    "O'Neil",
    " ",
    "  ",
    "x y",
    "0",
    "1",
    "-9",
    "read_csv('/etc/passwd')",
    "csv.`/etc/passwd`",
    "(SELECT 1)",
]
NUMBERS = [
    "1_000",
    "1__0",
    "_1",
    "1_",
    "0x10",
    "１２",
    "1e5",
    "+5",
    " 5 ",
    "5.",
    ".5",
    ".",
    "infinity",
    "-inf",
    "+Infinity",
    "INF",
    "nan",
    "-nan",
    "nan(1)",
    "\t5",
    "5\n",
    "\xa05",
    "1e400",
    "-1e400",
    "1e-400",
    "1e",
    "++5",
    "+-5",
    "-+5",
    "1,5",
    "1.5",
    "1.234,5",
    "1,234.5",
    "1 234",
    "5L",
    "1f",
    "1d",
    "\x005",
    "5\0",
    "+",
    "-",
    "1" * 400,
    "0." + "0" * 400 + "1",
    "1e99999999999",
    "1e+5",
    "- 5",
    "0.1",
    "0.30000000000000004",
    "0.3",
    "7",
    "7.0",
    "6.999999999999999999999",
    "-3",
    "9",
    "9.5",
    "10",
    "1" + "_1" * 4999,
    "1" + ",111" * 2500,
    "1.797e308",
    "5e-324",
    "5\u3000",
    "\u2003\t5",
    "\t\u20035",
    "2147483648",
    "9223372036854775808",
    "1'000",
    "1e5_0",
    "1_0.5_0",
    "\ufeff5",
    "ınf",
    "iNfınity",
]
# Texts with a cell of their own among numbers or dates.
SIGNS = ("<5", "it's", "${x}:p0$p1?", "5\\", "n.d.", "é", "''")


@dataclass(frozen=True)
class Table:
    """A declaration, cells by row, and how numbers are marked."""

    domain: Domain
    rows: list[list[str | None]]
    form: Format


class Maker:
    """Draws tables from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def text(self) -> str:
        """Some fragments in a row; now and then one is repeated up to 10,000 characters."""
        parts = self.random.choices(FRAGMENTS, k=self.random.randint(1, 4))
        if self.random.random() < 0.01:
            parts[0] *= limits.VALUE_LENGTH // len(parts[0])
        return "".join(parts)[: limits.VALUE_LENGTH]

    def words(self, max_words: int) -> tuple[str, ...]:
        """Different texts that a list may hold."""
        texts = [self.text().strip() for _ in range(self.random.randint(1, max_words))]
        return tuple(dict.fromkeys(word for word in texts if word)) or ("'",)

    def table(self, columns: int, rows: int) -> Table:
        """A table of hostile columns and cells."""
        titles = (f"{i} {self.text()}".replace("\0", "") for i in range(columns))
        names = (" ".join(title.split())[: limits.NAME_LENGTH].rstrip() for title in titles)
        columns_of_domain = [self.column(name) for name in names]
        missing = (
            "",
            *self.words(3),
            *self.random.sample(["7", "1_000", "inf", "2024-01-05"], 1),
        )
        domain = Domain(tuple(columns_of_domain), tuple(dict.fromkeys(missing)))
        form = Format(
            **self.random.choice(
                [
                    {},
                    {},
                    {"decimal": ","},
                    {"thousands": ","},
                    {"decimal": ",", "thousands": "."},
                    {"thousands": "'"},
                    {"thousands": "\\"},
                    {"thousands": "]"},
                    {"thousands": "^"},
                ]
            )
        )
        cells = [
            [self.cell(column, domain) for column in columns_of_domain] for _ in range(rows)
        ]
        return Table(domain, cells, form)

    def column(self, name: str) -> Column:
        """A declared column of any kind."""
        draw, missing = self.random, self.random.random() < 0.5
        kinds = ["few", "many", "bool", "int", "num", "date", "date", "clock", "span"]
        kind = draw.choice(kinds)
        rules = [None, Outside.CELL, Outside.DROP] + [Outside.MISSING] * missing
        if kind in ("int", "num", "date", "clock", "span"):
            rules.append(Outside.NEAREST)
        codes = [("", "8", *self.words(2)), ("2024-01-05",), ("", "7", "99999", "1000")]
        spellings = draw.choice([None, None, None, *codes])
        shared = {
            "name": name,
            "missing": missing,
            "missing_values": spellings,
            "outside": draw.choice(rules),
        }
        if kind in ("few", "many"):
            return Categorical(categories=self.words(8 if kind == "few" else 40), **shared)
        if kind == "bool":
            words = self.words(6)
            half = max(1, len(words) // 2)
            return Boolean(
                true_values=words[:half], false_values=words[half:] or ("no",), **shared
            )
        return self.binned(kind, shared)

    def binned(self, kind: str, shared: dict[str, Any]) -> Column:
        """Numbers or times, with spikes and signs or without."""
        draw = self.random
        shared["signs"] = draw.choice([(), SIGNS])
        if kind == "clock":
            return clock_column(draw, shared)
        if kind == "span":
            return span_column(draw, shared)
        if kind == "date":
            return date_column(draw, shared)
        if kind == "int":
            bins, spikes = draw.choice([3, 12]), draw.choice([(), (7, 99999)])
            return Integer(minimum=-3, maximum=9, bins=bins, spikes=spikes, **shared)
        bins, spikes = draw.choice([3, 10]), draw.choice([(), ("0.3", 1000)])
        return Number(minimum=0, maximum=10, bins=bins, spikes=spikes, decimals=2, **shared)

    def cell(self, column: Column, domain: Domain) -> str | None:
        """A cell that is near to what is declared, or far from it."""
        draw = self.random
        if draw.random() < 0.05:
            return None
        if draw.random() < 0.1:
            # A spelling of this column, or one of the others.
            spellings = domain.spellings_of_missing(column)
            return draw.choice([*spellings, *domain.missing_values])
        if isinstance(column, Categorical):
            near_texts = list(column.categories)
        elif isinstance(column, Boolean):
            near_texts = [*column.true_values, *column.false_values]
        elif isinstance(column, Date | TimeOfDay | Duration):
            near_texts = texts_near(draw, column)
        else:
            near_texts = [*NUMBERS, str(draw.randint(-5, 12)), repr(draw.uniform(-1, 11))]
        if column.signs and draw.random() < 0.3:
            near_texts = [*column.signs]
        return self.twisted(draw.choice(near_texts)) if draw.random() < 0.8 else self.text()

    def twisted(self, text: str) -> str:
        """The text, or what a careless quoting or trimming would take for it."""
        turns = [
            lambda t: f" {t} ",
            lambda t: f"\xa0{t}\u3000",
            lambda t: f"\t{t}\n",
            lambda t: t.replace("'", "''"),
            lambda t: t.replace("\\", "\\\\"),
            lambda t: t.replace("\\'", "'"),
            str.upper,
            str.lower,
            lambda t: t[:-1],
            lambda t: t + "\0",
            lambda t: t + self.random.choice(FRAGMENTS),
        ]
        return text if self.random.random() < 0.6 else self.random.choice(turns)(text)

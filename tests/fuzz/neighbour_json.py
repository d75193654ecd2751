"""Neighbours in lines of JSON: any bytes on one line."""

import json
from dataclasses import dataclass
from random import Random

from synth.private.table import Format
from tests.fuzz.neighbour_columns import cell_of, domain_of
from tests.fuzz.neighbour_text import VERSIONS, Text, case_of, hostile_line, number_of_rows
from tests.fuzz.neighbours import Case

LITERALS = (
    "null",
    "true",
    "false",
    "NaN",
    "-Infinity",
    "1",
    "1.0",
    "-0",
    "1e5",
    "1E400",
    "0.5",
    "01",
    "12345678901234567890.123456789",
    "9" * 5_000,
    '""',
    '"NA"',
    '"\\ud800"',
    '"\\u0000"',
    "[]",
    '["a"]',
    "{}",
    '{"a": 1}',
    '{"a": 1, "a": 1}',
    "[" * 5_000,
    "nan",
    "'a'",
    '"a',
    "\t",
    '"\t"',
)
"""Values that one reader of JSON may read in another way than the next."""
LINES = (
    "[]",
    "[1]",
    "null",
    "1",
    '"a"',
    "{}",
    "{} {}",
    '{"a": 1}}',
    "\ufeff{}",
    "{",
    "",
    " ",
)


@dataclass(frozen=True)
class Objects(Text):
    """Lines of JSON, as `Text` with the columns of the same places."""

    def regular(self, draw: Random, *, span: bool, odd: float = 0.0) -> bytes:
        """An object with all columns, or on the odd line some of them, others, or one
        twice.
        """
        del span
        if draw.random() < odd / 4:
            return self.line(self.encoded(draw.choice(LINES)))
        names = list(self.form.names)
        if draw.random() < odd:
            names = draw.choices([*names, "other", ""], k=draw.randint(0, len(names) + 1))
        pairs = [f"{json.dumps(name)}: {self.literal(draw, name, odd)}" for name in names]
        blank = draw.choice(["", " ", "  ", "\t"])
        return self.line(self.encoded(f"{{{(',' + blank).join(pairs)}}}{blank}"))

    def literal(self, draw: Random, name: str, odd: float) -> str:
        """A cell as JSON."""
        if draw.random() < odd:
            return draw.choice(LITERALS)
        if draw.random() < 0.002:
            return json.dumps("a" * draw.choice([1_999_999, 2_000_000, 2_000_001]))
        places = dict(zip(self.form.names, self.columns, strict=True))
        cell = cell_of(draw, places.get(name), odd=0.1)
        is_bare = draw.random() < 0.3 and cell.isdecimal()
        return cell if is_bare else json.dumps(cell, ensure_ascii=draw.random() < 0.5)


def json_lines(draw: Random) -> Case:
    """Every line is a row: neighbours have any bytes on one line."""
    names = [f"c{i}" for i in range(draw.choice([1, 2, 3, 5]))]
    domain = domain_of(draw, names)
    lone, codec = draw.random() < 0.1, draw.choice(["utf-8"] * 8 + ["cp1252", "utf-16-le"])
    form = Format(
        lines="json",
        header=0,
        encoding=codec,
        line_end="cr" if lone else "",
        names=tuple(names),
    )
    paired = 0.0 if lone else draw.choice([0, 0, 0, 1, 0.3])
    end = ("\r" if lone else "\n").encode(codec)
    text = Objects(form, codec, b"", end, paired, domain.columns, draw.random() < 0.7)
    odd = draw.choice([0, 0.05, 0.3])
    rows = [text.regular(draw, span=False, odd=odd) for _ in range(number_of_rows(draw))]
    versions = [hostile_line(draw, text) for _ in range(VERSIONS - 1)]
    versions.append(text.regular(draw, span=False))
    return case_of(draw, text, domain, rows, versions)

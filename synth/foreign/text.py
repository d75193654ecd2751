"""Text that comes from a file, made fit to be shown: as it is, and nothing but text.

Column names, categories, labels and names of files are anybody's. Markdown and Plotly's labels
would run what they find in them: links, pictures, icons, formulas. Whatever shows such a text
passes it through the function of the place it is shown at; pages of HTML take the standard
library's.

>>> in_markdown("a_b*"), line("one\\ntwo")
('a\\\\_b\\\\*', 'one two')
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

MAX_CHARACTERS = 600
"""Characters of one text that are shown; of a longer one its beginning and its end."""

JOINER = "\N{WORD JOINER}"
"""It has no width and lets no line break: what stands to its sides is not read together."""

_KEPT = "\u200c\u200d"
"""Invisible characters that change how their neighbours are written, in Persian and in emoji."""

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|$~:=&-]|(?<=^\d)\.|(?<=^\d\d)\.)")

# Found by Streamlit in text that was escaped already: addresses, e-mail, icons, arrows.
_JOINING_MARKS = re.compile(r":(?=\S)|(?<=\S)@(?=\S)|\bwww(?=\.)|[-<>~](?=[-=>])", re.IGNORECASE)

# What Plotly takes for a tag or for an entity; everything else it shows as it is.
_TAGS = re.compile(
    r"<(?=/?(?:a|b|br|em|i|s|span|sub|sup|u)(?:[\s/][^<>]*)?>)"
    r"|&(?=(?:#x?[0-9a-f]+|amp|deg|gt|lt|mu|nbsp|plusmn|times);)",
    re.IGNORECASE,
)


def line(text: str, most: int = MAX_CHARACTERS) -> str:
    """The text on one line: what cannot be seen, or turns its direction, as a replacement mark.

    >>> line("a\\u202eb \\t c"), line("0123456789", 5)
    ('a\N{REPLACEMENT CHARACTER}b c', '01…89')
    """
    if len(text) > most:
        half = most // 2
        text = f"{text[:half]}…{text[-half:]}"
    return " ".join("".join(map(_show_character, text)).split())


def list_some(names: Sequence[str], most: int) -> str:
    """List the first of some names, and say how many more there are.

    >>> list_some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def in_markdown(text: str, most: int = MAX_CHARACTERS) -> str:
    """The text where Markdown is expected, as Streamlit does nearly everywhere.

    >>> in_markdown("www.example.org") == f"www{JOINER}.example.org"
    True
    """
    return _MARKS.sub(r"\\\1", _JOINING_MARKS.sub(rf"\g<0>{JOINER}", line(text, most)))


def in_code(text: str, most: int = MAX_CHARACTERS) -> str:
    """The text as a span of code in any Markdown: nothing in it is read, and nothing ends it.

    It is on one line, as an empty one would end the span, and in more marks than it holds in a row.

    >>> in_code("a\\n\\n![](//x)"), in_code("`` a")
    ('`a ![](//x)`', '``` `` a ```')
    """
    shown = line(text, most)
    marks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    edge = " " if len(marks) > 1 else ""
    return f"{marks}{edge}{shown}{edge}{marks}"


def in_picture(figure: Any) -> dict[str, Any]:
    """A Plotly figure as a dictionary, its labels, names and ticks as they are.

    Templates of what the pointer shows are ours, and stay.

    >>> trace = {"name": "<b>x", "hovertemplate": "%{x}<br>"}
    >>> in_picture({"data": [trace]})["data"][0]
    {'name': '<\u2060b>x', 'hovertemplate': '%{x}<br>'}
    """
    found = figure if isinstance(figure, dict) else figure.to_dict()
    return {part: _labels(value) for part, value in found.items()}


def _labels(value: object) -> object:
    """Every text in a figure but its templates."""
    if isinstance(value, str):
        return _TAGS.sub(rf"\g<0>{JOINER}", value)
    if isinstance(value, dict):
        ours = ("template", "hovertemplate", "texttemplate")
        return {key: part if key in ours else _labels(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_labels(part) for part in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        return [_labels(part) for part in value.tolist()]
    return value


def _show_character(character: str) -> str:
    kind = unicodedata.category(character)
    if character.isspace() or kind in ("Zl", "Zp"):
        return " "
    return "\N{REPLACEMENT CHARACTER}" if kind in _UNSEEN and character not in _KEPT else character


_UNSEEN = ("Cc", "Cf", "Cs")

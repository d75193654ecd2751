"""Text from a file, made safe to show: unchanged, and only text.

Anybody may choose names of columns, categories, labels and files. Markdown and Plotly's
labels would render links, pictures, icons and formulas in them. Each such text passes through
the function for its place; pages of HTML use the standard library's.

>>> in_markdown("a_b*"), line("one\\ntwo")
('a\\\\_b\\\\*', 'one two')
"""

import re
import unicodedata
from typing import Any

import numpy as np

# Characters of one text that are shown; a longer text shows its beginning and end.
MAX_CHARACTERS = 600

# A character without width that allows no line break and separates its neighbours.
JOINER = "\N{WORD JOINER}"

# Invisible characters that change the shape of their neighbours, in Persian and in emoji.
_KEPT = "\u200c\u200d"

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|$~:=&-]|(?<=^\d)\.|(?<=^\d\d)\.)")

# Found by Streamlit in text that was escaped already: addresses, e-mail, icons, arrows.
_JOINING_MARKS = re.compile(
    r":(?=\S)|(?<=\S)@(?=\S)|www(?=\.)|[-<>~](?=[-=>])", re.IGNORECASE
)

# What Plotly takes for a tag or for an entity; everything else it shows as it is.
_TAGS = re.compile(
    r"<(?=/?(?:a|b|br|em|i|s|span|sub|sup|u)(?:[\s/][^<>]*)?>)"
    r"|&(?=(?:#x?[0-9a-f]+|amp|deg|gt|lt|mu|nbsp|plusmn|times);)",
    re.IGNORECASE,
)


def line(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Return the text on one line, with a mark in place of each invisible character.

    Characters that change the direction of text count as invisible. A text of more than
    ``limit`` characters shows its beginning and its end.

    >>> line("a\\u202eb \\t c"), line("0123456789", 5)
    ('a\N{REPLACEMENT CHARACTER}b c', '01…89')
    """
    if len(text) > limit:
        half = limit // 2
        text = f"{text[:half]}…{text[-half:]}"
    return " ".join("".join(map(_show_character, text)).split())


def in_markdown(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Return the text escaped for Markdown, so that none of its signs make a link or a style.

    Marks get a backslash. An invisible joiner breaks what Streamlit finds in spite of that. A
    text of more than ``limit`` characters shows its beginning and its end.

    >>> in_markdown("www.example.org") == f"www{JOINER}.example.org"
    True
    """
    return _MARKS.sub(r"\\\1", _JOINING_MARKS.sub(rf"\g<0>{JOINER}", line(text, limit)))


def in_code(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Return the text as a span of code in any Markdown, in which nothing is rendered.

    The span is one line, as an empty line would end it. Its quotes are longer than any run of
    quotes in the text. A text of more than ``limit`` characters shows its beginning and its
    end.

    >>> in_code("a\\n\\n![](//x)"), in_code("`` a")
    ('`a ![](//x)`', '``` `` a ```')
    """
    safe_line = line(text, limit)
    longest_run = max(map(len, re.findall("`+", safe_line)), default=0)
    quotes = "`" * (longest_run + 1)
    edge = " " if longest_run else ""
    return f"{quotes}{edge}{safe_line}{edge}{quotes}"


def in_picture(figure: Any) -> dict[str, Any]:
    """Return a Plotly figure as a dictionary in which all texts from a file are plain text.

    Labels, names and ticks show as they are, without tags. Hover templates are ours, and stay
    unchanged. ``figure`` is a figure, or already a dictionary.

    >>> trace = {"name": "<b>x", "hovertemplate": "%{x}<br>"}
    >>> in_picture({"data": [trace]})["data"][0]
    {'name': '<\u2060b>x', 'hovertemplate': '%{x}<br>'}
    """
    parts = figure if isinstance(figure, dict) else figure.to_dict()
    return {part: _labels(value) for part, value in parts.items()}


def _labels(value: object) -> object:
    """Return a part of a figure with an invisible joiner in each tag, so that none is a tag.

    The part is a text, a list, an array or a dictionary of such parts; anything else stays
    unchanged.
    """
    if isinstance(value, str):
        return _TAGS.sub(rf"\g<0>{JOINER}", value)
    if isinstance(value, dict):
        # Templates are Synth's own texts, and need their tags.
        ours = ("template", "hovertemplate", "texttemplate")
        return {key: part if key in ours else _labels(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_labels(part) for part in value]
    # Arrays of objects or texts; arrays of numbers hold no text.
    if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        return [_labels(part) for part in value.tolist()]
    return value


def _show_character(character: str) -> str:
    """Return a character as screens show it: blanks as one, invisible ones replaced."""
    kind = unicodedata.category(character)
    # Separators of lines and paragraphs are blanks too.
    if character.isspace() or kind in ("Zl", "Zp"):
        return " "
    if kind in _UNSEEN and character not in _KEPT:
        return "\N{REPLACEMENT CHARACTER}"
    return character


# Categories of Unicode: control characters, format characters, and lone surrogates.
_UNSEEN = ("Cc", "Cf", "Cs")

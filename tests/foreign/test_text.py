"""Text from a file, made fit for Markdown and for Plotly: nothing in it is left to run."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from synth.foreign import in_code, in_markdown, in_picture, line
from synth.foreign.text import JOINER, MAX_CHARACTERS

# What Streamlit finds in the text that is left once escapes are undone.
FINDERS = {
    "address": r"(https?:\/\/|www(?=\.))([-.\w]+)",
    "mail": r"([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)",
    "icon": r":material[_/](\w+):",
    "emoji": r":\+1:|:-1:|:[\w-]+:",
    "arrow": r"(^|\s)(<->|->|<-|--|>=|<=|~=)(\s|$)",
}

NAMES = (
    "http://evil.example/x",
    "HTTPS://evil.example",
    "www.evil.example",
    "WWW.evil.example",
    "a_www.evil.example_b",
    "awww.evil.example",
    "eve@evil.example",
    "mailto:eve@evil.example",
    ":material/home:",
    ":streamlit:",
    ":smile:",
    ":+1:",
    "a -> b",
    "a <-> b",
    "a -- b",
    "a >= b",
    "~=",
)


def undo_markdown(markdown: str) -> str:
    """The text that Markdown makes of it."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_found_in_what_is_left(name: str) -> None:
    """Streamlit finds no link, icon or arrow in a text that was made fit for Markdown.

    Streamlit looks for them once Markdown has undone the escapes. Apart from invisible
    joiners the text reads as before.
    """
    text_of_markdown = undo_markdown(in_markdown(f"x {name} y"))
    for kind, finder in FINDERS.items():
        assert not re.search(finder, text_of_markdown, re.I), kind
    assert text_of_markdown.replace(JOINER, "") == f"x {name} y"


@pytest.mark.parametrize("mark", "\\`*_{}[]()<>#+!|$~:=&-")
def test_every_mark_is_escaped(mark: str) -> None:
    assert in_markdown(f"a{mark}") == f"a\\{mark}"


def test_a_text_begins_no_block_of_markdown() -> None:
    """A text cannot begin a list, a block of code, a heading or a new paragraph.

    Line ends of every kind become blanks, and blanks in front are dropped.
    """
    assert in_markdown("1. one") == "1\\. one"
    assert in_markdown("    code") == "code"
    assert in_markdown("a\n\n# b\r\n===\u2028c\u0085d") == "a \\# b \\=\\=\\= c d"


def test_what_cannot_be_seen_is_seen() -> None:
    """An invisible character is shown as a replacement mark, as it could disguise a text.

    Among them are marks of direction, NUL and half a character. Persian words keep the joiner
    that shapes their letters.
    """
    mark = "\N{REPLACEMENT CHARACTER}"
    for hidden in "\u202e\u2066\u200f\ufeff\u00ad\0\x1b\ud800\u2060":
        assert line(f"a{hidden}b") == f"a{mark}b", hex(ord(hidden))
    assert line("نمی\u200cدانم") == "نمی\u200cدانم"


def test_a_long_text_keeps_its_ends() -> None:
    """A text above the limit shows its beginning and its end, with one mark between.

    The mark adds one character to the limit.
    """
    text = line("a" * 9_999 + "b")
    assert len(text) == MAX_CHARACTERS + 1
    assert text[-1] == "b"
    assert "…" in text


def test_labels_of_pictures_are_text() -> None:
    """Labels, names, titles and ticks of a Plotly figure show tags as plain text.

    An invisible joiner behind each mark of a tag or an entity breaks it. Templates are
    Synth's own and stay. The figure itself is not changed, and doing it twice changes
    nothing.
    """
    bad = "<a href='http://evil.example'>b</a>&lt;"
    figure = go.Figure(go.Bar(x=[bad, "R&D <18"], y=[1, 2], name=bad))
    figure.update_layout(xaxis={"title": {"text": bad}, "tickvals": [bad], "ticktext": [bad]})
    figure.data[0].hovertemplate = "%{x}<br>"

    picture = in_picture(figure)

    good = bad.replace("<", f"<{JOINER}").replace("&", f"&{JOINER}")
    trace, axis = picture["data"][0], picture["layout"]["xaxis"]
    assert trace["x"] == [good, "R&D <18"]
    assert trace["name"] == axis["title"]["text"] == good
    assert axis["ticktext"] == axis["tickvals"] == [good]
    assert trace["hovertemplate"] == "%{x}<br>"
    assert figure.data[0].name == bad
    assert in_picture(picture) == picture


def test_plain_labels_stay_to_the_byte() -> None:
    """Labels with < or & that are no tags stay as they are, and so do numbers.

    So the reports of bundles made before are still drawn the same.
    """
    labels = np.array(["R&D", "<18", "a < b > c", "AT&T; x", "<NA>", "18-24"], dtype=object)
    trace = {"x": labels, "y": np.arange(6)}
    drawn_trace = in_picture({"data": [trace]})["data"][0]
    assert drawn_trace["x"] == list(labels)
    assert drawn_trace["y"] is trace["y"]


@pytest.mark.parametrize(
    "text",
    [
        "a\n\n![](//e.example)",
        "a\r\rb",
        "a\x85\u2029b",
        "`a",
        "a``b`c",
        "```",
        "a" * 9 + "\n",
    ],
)
def test_nothing_ends_a_span_of_code(text: str) -> None:
    """A text stays within its span of code in Markdown, whatever it holds.

    The span is one line. The backquotes at both ends are more than stand in a row inside.
    """
    span = re.fullmatch(r"(`+)(.*?[^`])\1", in_code(text))
    assert span is not None
    marks, inside = span.groups()
    assert marks not in inside
    assert inside.strip() == line(text)
    assert len(in_code(text).splitlines()) == 1

"""HTML that a notebook shows of an object: escaped, and without anything from a network.

>>> table_html(("column", "cells"), [("<age>", 16)])
'<table><tr><th>column</th><th>cells</th></tr><tr><td>&lt;age&gt;</td><td>16</td></tr></table>'
>>> list_html(["All files match."])
'<ul><li>All files match.</li></ul>'
"""

from collections.abc import Iterable, Sequence
from html import escape


def paragraph_html(sentence: str, *, title: str = "") -> str:
    """Return a sentence as a paragraph, after a title in bold; nothing for an empty one.

    >>> paragraph_html("2 columns", title="Domain")
    '<p><b>Domain.</b> 2 columns</p>'
    """
    if not sentence and not title:
        return ""
    head = f"<b>{escape(title)}.</b> " if title else ""
    return f"<p>{head}{escape(sentence)}</p>"


def list_html(sentences: Iterable[str]) -> str:
    """Return sentences as a list; nothing if there are none."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def table_html(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return a table; every cell is written as text."""
    heads = "".join(f"<th>{escape(name)}</th>" for name in header)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in line)}</tr>"
        for line in lines
    )
    return f"<table><tr>{heads}</tr>{rows}</table>"

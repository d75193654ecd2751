"""Sheets as HTML: one page each, without a program, which asks no address. PUBLIC."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path

from synth.bundle import digest_source
from synth.dossier.pieces import (
    Citation,
    Content,
    Figure,
    Paragraph,
    Part,
    Piece,
    Question,
    Section,
    Sheet,
    Statement,
    fields_of,
    text_of,
)
from synth.errors import escape_text

OPEN = "Open: only your organisation can answer this."
ANSWERED = "Answered by your organisation; Synth does not check it."
# What stands in place of a field where a statement shows none.
EXPLANATION = "explanation"
# How to keep what is typed into a page, which itself keeps nothing.
KEEP = (
    "A box marks what only your organisation can say. Print what you type into this page; to "
    "keep it, type it in the app, or into answers.json, and make the dossier again."
)


def write_html(sheet: Sheet, answers: Mapping[str, str]) -> bytes:
    """Return a sheet as the bytes of a page.

    Args:
        sheet: The sheet.
        answers: The typed answers, by question.
    """
    style = read_style()
    policy = (
        f"default-src 'none'; style-src '{digest_source(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    title = escape(text_of(sheet.title))
    sections = "".join(_write_section(section, answers) for section in sheet.sections)
    keep = f'<p class="quiet">{escape(KEEP)}</p>' if sheet.questions else ""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title><style>{style}</style></head><body><main>
<h1>{_write_piece(sheet.title)}</h1>
<p class="quiet">{escape(sheet.reader)}</p>
{keep}{sections}</main></body></html>
""".encode()


@cache
def read_style() -> str:
    """Return the style of a page as CSS: light, dark, phone and print."""
    return Path(__file__).with_name("sheet.css").read_text("utf-8")


def _write_section(section: Section, answers: Mapping[str, str]) -> str:
    """Return a section; statements that follow each other become one table."""
    parts = "".join(_write_parts(section, answers))
    return f"<section><h2>{_write_piece(section.title)}</h2>{parts}</section>\n"


def _write_parts(section: Section, answers: Mapping[str, str]) -> Iterator[str]:
    for kind, group in groupby(section.parts, type):
        if kind is Statement:
            yield _write_table(section.title, group)
            continue
        for part in group:
            if isinstance(part, Question):
                yield _write_question(part, answers.get(part.key))
            elif isinstance(part, Paragraph):
                yield f"<p>{_write_content(part.content)}</p>"


def _write_table(caption: Piece, parts: Iterable[Part]) -> str:
    """Return statements as a table: the topic, the fact, and its fields."""
    rows = []
    for part in parts:
        assert isinstance(part, Statement)
        fields = "<br>".join(escape(escape_text(field)) for field in fields_of(part.content))
        fields = fields or EXPLANATION
        rows.append(
            f'<tr><th scope="row">{escape(part.topic)}</th>'
            f"<td>{_write_content(part.content)}</td>"
            f'<td class="field">{fields}</td></tr>'
        )
    return (
        f"<table><caption>{_write_piece(caption)}</caption><thead><tr>"
        '<th scope="col">Topic</th><th scope="col">Fact</th>'
        '<th scope="col">Source: field of the certificate</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _write_question(question: Question, answer: str | None) -> str:
    """Return a question with its answer, or with a place to type."""
    name = f"answer-{question.key}"
    words = f"{escape(question.topic)}: {escape(question.text)}"
    if question.choices:
        words += f" ({escape(', '.join(question.choices))})"
    if answer is None:
        return (
            f'<div class="question"><label for="{name}">{words}</label>'
            f'<p class="state">{OPEN}</p><textarea id="{name}"></textarea></div>'
        )
    shown = "\n".join(map(escape_text, answer.splitlines()))
    return (
        f'<div class="question"><p class="asked">{words}</p><p class="state">{ANSWERED}</p>'
        f'<p class="answer"><bdi class="typed">{escape(shown)}</bdi></p></div>'
    )


def _write_content(content: Content) -> str:
    return "".join(map(_write_piece, content))


def _write_piece(piece: Piece) -> str:
    """Return a piece, marked if it is of the certificate or cited."""
    text = escape(escape_text(text_of(piece)))
    match piece:
        case Figure():
            return f'<bdi class="figure">{text}</bdi>'
        case Citation():
            return f'<span class="citation">{text}</span>'
    return text

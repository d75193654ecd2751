"""Sheets as PDF, with fields to type into. PUBLIC.

ReportLab lays the pages out. The font is in this package, so that the file is the same on
every machine. A character that the font lacks is written by its number.
"""

import io
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, SimpleDocTemplate
from reportlab.platypus import Paragraph as Block

from synth.dossier.html_pages import ANSWERED, EXPLANATION, OPEN
from synth.dossier.pieces import (
    Content,
    Paragraph,
    Question,
    Section,
    Sheet,
    Statement,
    fields_of,
    text_of,
)
from synth.errors import escape_text

FONTS = Path(__file__).with_name("fonts")
PLAIN = "DejaVuSans"
BOLD = "DejaVuSans-Bold"
# The size of a field to type into, and the margin of a page.
FIELD_HEIGHT = 18 * mm
MARGIN = 20 * mm

_INK = HexColor(0x1D2733)
_QUIET = HexColor(0x51606F)
_OPEN = HexColor(0x8A4B00)
_PAPER = HexColor(0xFFF6E8)


def _style(name: str, size: float, **options: Any) -> ParagraphStyle:
    """Return a style of text."""
    defaults = {"fontName": PLAIN, "leading": 1.4 * size, "textColor": _INK, "spaceAfter": 3}
    return ParagraphStyle(name, fontSize=size, **{**defaults, **options})


TITLE = _style("title", 17, fontName=BOLD, spaceAfter=6)
HEADING = _style("heading", 12, fontName=BOLD, spaceBefore=14, keepWithNext=1)
TEXT = _style("text", 9.5)
QUIET = _style("quiet", 8, textColor=_QUIET)
TOPIC = _style("topic", 9.5, fontName=BOLD, spaceBefore=6, spaceAfter=1, keepWithNext=1)
ASKED = _style("asked", 9.5, fontName=BOLD, textColor=_OPEN, spaceBefore=8)
TYPED = _style("typed", 9.5, backColor=_PAPER, borderPadding=4, spaceBefore=4, spaceAfter=8)


class TypingField(Flowable):  # type: ignore[misc]  # the library ships no types
    """A field of a PDF that a reader can type into.

    Attributes:
        key: The name of the field: the key of its question.
        question: The question, which a screen reader reads.
    """

    def __init__(self, key: str, question: str) -> None:
        super().__init__()
        self.key = key
        self.question = question
        self.width = 0.0
        self.height = FIELD_HEIGHT

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        """Return the size of the field: all of the width."""
        self.width = width
        return width, FIELD_HEIGHT

    def draw(self) -> None:
        """Draw the field, with a frame for viewers that show no fields."""
        self.canv.setStrokeColor(_QUIET)
        self.canv.setFillColor(_PAPER)
        self.canv.rect(0, 0, self.width, FIELD_HEIGHT - 2 * mm, stroke=1, fill=1)
        self.canv.acroForm.textfield(
            name=self.key,
            tooltip=self.question,
            width=self.width,
            height=FIELD_HEIGHT - 2 * mm,
            x=0,
            y=0,
            fontSize=9,
            borderWidth=0.5,
            borderColor=_QUIET,
            fillColor=_PAPER,
            textColor=_INK,
            fieldFlags="multiline",
            relative=True,
        )


def write_pdf(sheet: Sheet, answers: Mapping[str, str]) -> bytes:
    """Return a sheet as the bytes of a PDF.

    Args:
        sheet: The sheet.
        answers: The typed answers, by question.
    """
    _register_fonts()
    title = text_of(sheet.title)
    content = io.BytesIO()
    pages = SimpleDocTemplate(
        content,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
        title=title,
        author="Synth",
        lang="en",
        invariant=1,  # no time of its own: the same bytes each time
    )
    blocks = [Block(_mark_up(title), TITLE), Block(_mark_up(sheet.reader), QUIET)]
    for section in sheet.sections:
        blocks += _list_blocks(section, answers)

    def add_foot(canvas: Any, _pages: Any) -> None:
        """Write the title and the number of a page below it."""
        canvas.setFont(PLAIN, 7.5)
        canvas.setFillColor(_QUIET)
        canvas.drawString(MARGIN, MARGIN / 2, title)
        canvas.drawRightString(A4[0] - MARGIN, MARGIN / 2, str(canvas.getPageNumber()))

    pages.build(blocks, onFirstPage=add_foot, onLaterPages=add_foot)
    return content.getvalue()


def _list_blocks(section: Section, answers: Mapping[str, str]) -> Iterator[Flowable]:
    """Yield the blocks of a section."""
    yield Block(_mark_up(text_of(section.title)), HEADING)
    for part in section.parts:
        match part:
            case Paragraph():
                yield Block(_write(part.content), TEXT)
            case Statement():
                yield Block(_mark_up(part.topic), TOPIC)
                yield Block(_write(part.content), TEXT)
                fields = ", ".join(fields_of(part.content)) or EXPLANATION
                yield Block(_mark_up(f"Source: {fields}"), QUIET)
            case Question():
                yield from _list_question(part, answers.get(part.key))


def _list_question(question: Question, answer: str | None) -> Iterator[Flowable]:
    """Yield a question with its answer, or with a field to type into."""
    words = f"{question.topic}: {question.text}"
    if question.choices:
        words += f" ({', '.join(question.choices)})"
    if answer is None:
        asked = Block(_mark_up(words), ASKED)
        field = TypingField(question.key, words)
        yield KeepTogether([asked, Block(_mark_up(OPEN), QUIET), field])
        return
    yield CondPageBreak(FIELD_HEIGHT)
    yield Block(_mark_up(words), ASKED)
    yield Block(_mark_up(ANSWERED), QUIET)
    yield Block("<br/>".join(map(_mark_up, answer.splitlines())), TYPED)


def _write(content: Content) -> str:
    return "".join(_mark_up(text_of(piece)) for piece in content)


def _mark_up(text: str) -> str:
    """Return a text as the library's markup, in which none of it is a tag."""
    return escape(turn_runs("".join(map(_draw_character, escape_text(text)))), quote=False)


def _draw_character(character: str) -> str:
    """Return a character, or its number where the font lacks it."""
    return character if ord(character) in _list_glyphs() else f"[U+{ord(character):04X}]"


def turn_runs(text: str) -> str:
    """Return a text whose runs from right to left are in the order in which they are drawn.

    The library draws all letters from left to right. It does not join letters.

    >>> turn_runs("a \\u05d0\\u05d1 b") == "a \\u05d1\\u05d0 b"
    True
    """
    turned = ""
    run = ""  # it begins with a letter that is written from right to left
    for character in text:
        direction = unicodedata.bidirectional(character)
        is_right_to_left = direction in ("R", "AL")
        if is_right_to_left or (run and direction in ("NSM", "WS", "ON", "CS")):
            run += character
            continue
        turned += _turn(run) + character
        run = ""
    return turned + _turn(run)


def _turn(run: str) -> str:
    """Return a run backwards, with the blanks and signs at its end left there."""
    kept = len(run)
    while kept and unicodedata.bidirectional(run[kept - 1]) not in ("R", "AL", "NSM"):
        kept -= 1
    return run[:kept][::-1] + run[kept:]


@cache
def _list_glyphs() -> frozenset[int]:
    """Return the characters that the font has."""
    _register_fonts()
    return frozenset(pdfmetrics.getFont(PLAIN).face.charToGlyph)


@cache
def _register_fonts() -> None:
    """Load the fonts of this package."""
    for name in (PLAIN, BOLD):
        pdfmetrics.registerFont(TTFont(name, FONTS / f"{name}.ttf"))
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD)

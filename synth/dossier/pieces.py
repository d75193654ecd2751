"""The parts of a sheet. PUBLIC.

Plain texts of a sheet hold no digit. A number is in a `Figure`, which names its field
of the certificate, or in a `Citation` of guidance. So a test can trace each number.

>>> Figure("1", "guarantee.epsilon").field
'guarantee.epsilon'
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A value of the certificate, as a sheet shows it.

    Attributes:
        text: The value in words.
        field: Its place in the certificate, such as "guarantee.epsilon".
    """

    text: str
    field: str


@dataclass(frozen=True)
class Citation:
    """A text about guidance, which may have numbers and dates of its own.

    Attributes:
        text: The text.
    """

    text: str


Piece = str | Figure | Citation
# A sentence or several, in pieces that follow each other.
Content = tuple[Piece, ...]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a sheet.

    Attributes:
        content: Its text.
    """

    content: Content


@dataclass(frozen=True)
class Statement:
    """A fact of the certificate about a topic.

    Attributes:
        topic: The topic, in a few words.
        content: The fact.
    """

    topic: str
    content: Content


@dataclass(frozen=True)
class Question:
    """A question that only the organisation can answer.

    Attributes:
        key: Its name in the file of answers.
        topic: The topic, in a few words.
        text: The question.
        choices: The texts that are an answer; none for any text.
        is_date: Whether the answer is a day, such as 2026-11-30.
    """

    key: str
    topic: str
    text: str
    choices: tuple[str, ...] = ()
    is_date: bool = False


Part = Paragraph | Statement | Question


@dataclass(frozen=True)
class Section:
    """A section of a sheet.

    Attributes:
        title: Its title.
        parts: Its paragraphs, statements and questions.
    """

    title: Piece
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Sheet:
    """A sheet of a dossier.

    Attributes:
        title: Its title.
        reader: Its readers.
        sections: Its sections.
    """

    title: Piece
    reader: str
    sections: tuple[Section, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of the sheet, in order."""
        parts = (part for section in self.sections for part in section.parts)
        return tuple(part for part in parts if isinstance(part, Question))


def text_of(piece: Piece) -> str:
    """Return the text of a piece.

    >>> text_of(Citation("WP29")), text_of("epsilon")
    ('WP29', 'epsilon')
    """
    return piece if isinstance(piece, str) else piece.text


def fields_of(content: Content) -> tuple[str, ...]:
    """Return the fields of the certificate that a text shows, each once."""
    fields = (piece.field for piece in content if isinstance(piece, Figure))
    return tuple(dict.fromkeys(fields))


def join_figures(figures: Iterable[Figure], separator: str = "; ") -> Content:
    """Return figures with a text between them.

    >>> join_figures([Figure("1", "a"), Figure("2", "b")])[1]
    '; '
    """
    content: list[Piece] = []
    for figure in figures:
        content += [separator, figure] if content else [figure]
    return tuple(content)

"""A figure that somebody claims, to be compared with the real one. PUBLIC.

>>> figure, rest = split_claim("close to 0.42 within 0.05: share where sex = female")
>>> str(figure), rest
('to 0.42 within 0.05: share', 'share where sex = female')
>>> ClaimedFigure.from_json(figure.to_json()) == figure
True
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from synth import limits
from synth.errors import ArgumentError
from synth.privacy import parse_rational, plain
from synth.questions.wording.spelling import refuse_question
from synth.util import Document, Json

EXAMPLE = "close to 0.42 within 0.05: share where age >= 65"
# The word with which such a question begins.
COMPARING = "close"
# The kinds of question whose answer may be compared, by name.
COMPARED = ("count", "share")
# Most digits after the point of a figure and of a tolerance.
DECIMALS = 6

_NUMBER = r"([0-9.eE+-]+(?:/[0-9]+)?)"
_BEGINS = re.compile(r"\s*close\b", re.IGNORECASE)
_CLAIM = re.compile(rf"\s*close\s+to\s+{_NUMBER}\s+within\s+{_NUMBER}\s*:", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ClaimedFigure:
    """A figure, and how far from it the real one may be.

    Attributes:
        of: What the figure is: "count" or "share".
        figure: The figure; a share is from 0 to 1.
        within: The tolerance, above 0.

    Raises:
        QuestionError: It is no figure of this kind.
    """

    of: str
    figure: Fraction
    within: Fraction

    def __post_init__(self) -> None:
        """Refuse a figure that no table can have, and one with too many digits."""
        if self.of not in COMPARED:
            refuse_question(
                "'close' compares a count or a share, because only for these the "
                f"probability of a wrong answer is proved: {EXAMPLE}."
            )
        most = 1 if self.is_share else limits.ROWS_MAX
        if not 0 <= self.figure <= most:
            refuse_question(
                f"A {self.of} is from 0 to {most:,}, and so is the figure after 'close to'."
            )
        if not 0 < self.within <= most:
            refuse_question(
                f"The number after 'within' is above 0 and at most {most:,}: {EXAMPLE}."
            )
        if any(10**DECIMALS % number.denominator for number in (self.figure, self.within)):
            refuse_question(
                "Figure and tolerance of 'close' are decimals of at most "
                f"{DECIMALS} digits after the point: {EXAMPLE}."
            )

    @property
    def is_share(self) -> bool:
        """Whether the figure is a share, and not a count."""
        return self.of == "share"

    def __str__(self) -> str:
        """Return the words behind 'close'."""
        return f"to {plain(self.figure)} within {plain(self.within)}: {self.of}"

    def to_json(self) -> Document:
        """Return the figure as a JSON object, as `from_json` reads it."""
        return {
            "of": self.of,
            "figure": plain(self.figure),
            "within": plain(self.within),
        }

    @classmethod
    def from_json(cls, content: Json) -> Self:
        """Return the figure from a JSON object.

        Raises:
            QuestionError: It is anything else.
        """
        names = {"of", "figure", "within"}
        if not isinstance(content, Mapping) or set(content) != names:
            refuse_question("'claimed' of a question is an object of of, figure and within.")
        of = content["of"]
        if not isinstance(of, str):
            refuse_question("'of' of a claimed figure is 'count' or 'share'.")
        return cls(
            of=of,
            figure=_read_number(content["figure"], "figure"),
            within=_read_number(content["within"], "tolerance"),
        )


def split_claim(text: str) -> tuple[ClaimedFigure | None, str]:
    """Split the text of a question into a claimed figure and the question that it answers.

    Args:
        text: Such as "close to 0.42 within 0.05: share where age >= 65".

    Returns:
        The figure and the rest; None and the whole text if it does not begin with "close".

    Raises:
        QuestionError: It begins with "close" and goes on otherwise.
        LimitError: It is too long.
    """
    if not _BEGINS.match(text):
        return None, text
    claim = _CLAIM.match(text[: limits.QUESTION_LENGTH])
    if claim is None:
        refuse_question(f"Write the figure, the tolerance and the question: {EXAMPLE}.")
    rest = text[claim.end() :].strip()
    of = (rest.split(maxsplit=1) or [""])[0].casefold()
    figure = ClaimedFigure(
        of=of,
        figure=_read_number(claim[1], "figure"),
        within=_read_number(claim[2], "tolerance"),
    )
    return figure, rest


def check_claimed(claimed: ClaimedFigure | None, *, is_taken: bool) -> None:
    """Refuse a missing figure, or one for a kind that takes none.

    Args:
        claimed: The figure of a question, if it has one.
        is_taken: Whether its kind compares a figure.

    Raises:
        QuestionError: It does not match the kind.
    """
    if is_taken and claimed is None:
        refuse_question(f"'close' needs a figure and a tolerance: {EXAMPLE}.")
    if claimed is not None and not is_taken:
        refuse_question(f"Only 'close' has a claimed figure: {EXAMPLE}.")


def _read_number(value: Json, name: str) -> Fraction:
    """Return an exact number of a claim; a QuestionError names it if it is none."""
    try:
        return parse_rational(value, name=f"The {name} of 'close'")
    except ArgumentError as error:
        return refuse_question(str(error))

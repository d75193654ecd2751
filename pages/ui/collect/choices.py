"""The choices and results of the page Collect; all public."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pages.ui.shell import state
from synth.collecting import TITLE, Collected, Drawn, FormDesign, read_closed
from synth.errors import ArgumentError
from synth.privacy import parse_epsilon, parse_rational

_NAME = "collecting"
EXAMPLE = "Do you smoke?\nHow often do you swim? [never | now and then | often]"


@dataclass(frozen=True)
class Results:
    """What collected answers say.

    Attributes:
        collected: The answers.
        people: Made-up people with the same shares.
        content: Their file.
    """

    collected: Collected
    people: Drawn
    content: bytes


@dataclass(frozen=True, kw_only=True)
class Collecting:
    """The choices, as typed.

    Attributes:
        questions: One on each line.
        title: The title of the form.
        epsilon: Of one person over all questions.
        error: Largest error of a share.
        uploaded: An uploaded form; answers then belong to it, not to the form on the
            page.
        uploaded_name: Its file name.
        results: The estimates from the answers.
    """

    questions: str = EXAMPLE
    title: str = TITLE
    epsilon: str = "2"
    error: str = "0.05"
    uploaded: FormDesign | None = None
    uploaded_name: str = ""
    results: Results | None = None

    def design(self) -> FormDesign:
        """Return the described form; SynthError if the description is invalid."""
        return FormDesign(
            read_closed(self.questions), parse_epsilon(self.epsilon), self.title
        )

    def allowed_error(self) -> Fraction:
        """Return the largest error of a share as typed.

        ArgumentError unless it is between 0 and 1.
        """
        share = parse_rational(self.error, name="the error")
        if not 0 < share < 1:
            raise ArgumentError(
                "The error must be a share above 0 and below 1, such as 0.05."
            )
        return share


def read_choices() -> Collecting:
    """Return the choices of the page."""
    choices: Collecting = state.read_value(_NAME) or Collecting()
    return choices


def choose(**choices: Any) -> None:
    """Replace choices of the page."""
    state.keep(_NAME, replace(read_choices(), **choices))

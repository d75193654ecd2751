"""What was chosen on the page Collect, and what was read there; all of it is public."""

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
    """Answers that were read, and made-up people drawn from them.

    Attributes:
        collected: The answers.
        drawn: How people were made up.
        content: They as a CSV file.
    """

    collected: Collected
    drawn: Drawn
    content: bytes


@dataclass(frozen=True)
class Collecting:
    """The choices, as typed.

    Attributes:
        questions: One on each line.
        title: Over the form.
        epsilon: Of one person over all questions.
        error: How far off a share may be.
        other: A form that was read from a file; answers are of it, and not of the one above.
        other_name: Its file.
        results: What was read.
    """

    questions: str = EXAMPLE
    title: str = TITLE
    epsilon: str = "2"
    error: str = "0.05"
    other: FormDesign | None = None
    other_name: str = ""
    results: Results | None = None

    def design(self) -> FormDesign:
        """The form that is described.

        Raises:
            SynthError: None can be made of it.
        """
        return FormDesign(read_closed(self.questions), parse_epsilon(self.epsilon), self.title)

    def allowed_error(self) -> Fraction:
        """The error that is allowed.

        Raises:
            ArgumentError: It is no share.
        """
        share = parse_rational(self.error, name="the error")
        if not 0 < share < 1:
            raise ArgumentError("The error must be a share above 0 and below 1, such as 0.05.")
        return share


def read_choices() -> Collecting:
    """The choices so far."""
    kept: Collecting = state.said(_NAME) or Collecting()
    return kept


def choose(**choices: Any) -> None:
    """Change some of them."""
    state.keep(_NAME, replace(read_choices(), **choices))

"""What is open on the page *Use a release*, and what was asked of it; all of it is public."""

from dataclasses import dataclass, replace
from typing import Any

from pages.ui.shell import state
from synth.face.analysing import Analysis, Conclusions

_NAME = "using"


@dataclass(frozen=True, eq=False)
class Using:
    """A bundle that is open.

    Attributes:
        name: Its file.
        analysis: What can be asked of it.
        checks: What `verify` checked, a sentence each.
        certificate: The digest of its certificate.
        about: Whom answers are about.
        answers: Of the questions so far, by question, the newest first.
        refused: Why the last question has no answer; else empty.
    """

    name: str
    analysis: Analysis
    checks: tuple[str, ...]
    certificate: str
    about: str = "rows"
    answers: tuple[Conclusions, ...] = ()
    refused: str = ""


def using() -> Using | None:
    """The bundle that is open, if one is."""
    kept: Using | None = state.said(_NAME)
    return kept


def use(opened: Using | None) -> None:
    """Put another in its place."""
    state.keep(_NAME, opened)


def change(**choices: Any) -> None:
    """Change some of what was chosen."""
    now = using()
    if now is not None:
        use(replace(now, **choices))

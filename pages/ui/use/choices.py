"""What is open on the page *Use a release*, and what was asked of it; all of it is public."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pages.ui.shell import state
from synth.api.analysing import Analysis, Conclusions

_NAME, _REFUSED = "using", "using_refused"


@dataclass(frozen=True, eq=False)
class Using:
    """A bundle that is open.

    Attributes:
        name: Its file.
        analysis: What can be asked of it.
        checks: What `verify` checked, a sentence each.
        certificate: The digest of its certificate; empty of one that does not verify.
        about: Whom answers are about.
        contrast: Whether a question is compared with a second one: "", "less" or "over".
        answers: Of the questions so far, by question, the newest first.
        refused: Why the last question has no answer; else empty.
    """

    name: str
    analysis: Analysis
    checks: tuple[str, ...]
    certificate: str
    about: str = "rows"
    contrast: str = ""
    answers: tuple[Conclusions, ...] = ()
    refused: str = ""


@dataclass(frozen=True)
class Refused:
    """A bundle that does not verify.

    Attributes:
        name: Its file.
        path: Where it is kept for now.
        why: The first thing that does not hold.
    """

    name: str
    path: Path
    why: str


def refused_bundle() -> Refused | None:
    """The bundle that was refused last, if it may still be opened all the same."""
    kept: Refused | None = state.said(_REFUSED)
    return kept


def refuse_bundle(found: Refused | None) -> None:
    """Put another in its place; the file of the one before goes."""
    if (before := refused_bundle()) is not None:
        state.folder().drop(before.path)
    state.keep(_REFUSED, found)


def open_choice() -> Using | None:
    """The bundle that is open, if one is."""
    kept: Using | None = state.said(_NAME)
    return kept


def use(opened: Using | None) -> None:
    """Put another in its place."""
    state.keep(_NAME, opened)


def change(**choices: Any) -> None:
    """Change some of what was chosen."""
    now = open_choice()
    if now is not None:
        use(replace(now, **choices))

"""The open bundle on the page *Use a release*, and its questions; all public."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pages.ui.shell import state
from synth.api.analysing import Analysis, Conclusions
from synth.api.option_names import AboutName
from synth.questions import Suggestions

_NAME = "using"
_REFUSED = "using_refused"


@dataclass(frozen=True, eq=False, kw_only=True)
class Using:
    """An open bundle.

    Attributes:
        name: Its name before the upload.
        analysis: The release, open for questions.
        checks: The checks of `verify`, one sentence each.
        certificate: The digest of its certificate; empty if it does not verify.
        about: What answers are about: these rows, or the people they are a sample of.
        contrast: How to compare a question with a second one: "", "less" or "over".
        answers: By question, the newest first.
        refused: Why the last question has no answer.
        suggested: What its text may mean; None for nothing.
    """

    name: str
    analysis: Analysis
    checks: tuple[str, ...]
    certificate: str
    about: AboutName = "rows"
    contrast: str = ""
    answers: tuple[Conclusions, ...] = ()
    refused: str = ""
    suggested: Suggestions | None = None


@dataclass(frozen=True)
class Refused:
    """A bundle with a wrong claim.

    Attributes:
        name: Its name before the upload.
        path: The private copy.
        why: The claim, as a sentence.
    """

    name: str
    path: Path
    why: str


def refused_bundle() -> Refused | None:
    """Return the refused bundle that can still be opened."""
    refused: Refused | None = state.read_value(_REFUSED)
    return refused


def refuse_bundle(refused: Refused | None) -> None:
    """Store a refused bundle in place of the one before; None for none.

    The copy of the one before is deleted.
    """
    before = refused_bundle()
    if before is not None:
        state.folder().drop(before.path)
    state.keep(_REFUSED, refused)


def open_choice() -> Using | None:
    """Return the open bundle."""
    opened: Using | None = state.read_value(_NAME)
    return opened


def use(opened: Using | None) -> None:
    """Make a bundle the open one."""
    state.keep(_NAME, opened)


def change(**choices: Any) -> None:
    """Replace choices for the open bundle, such as ``about``; do nothing without one."""
    opened = open_choice()
    if opened is not None:
        use(replace(opened, **choices))

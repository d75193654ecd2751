"""The open bundle on the page *Use a release*, and its questions; all public."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pages.ui.shell import state
from synth.api.analysing import Analysis, Conclusions

_NAME, _REFUSED = "using", "using_refused"


@dataclass(frozen=True, eq=False, kw_only=True)
class Using:
    """An open bundle.

    Attributes:
        checks: The checks of `verify`, one sentence each.
        certificate: The digest of its certificate; empty if it does not verify.
        contrast: How to compare a question with a second one: "", "less" or "over".
        answers: By question, the newest first.
        refused: Why the last question has no answer.
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
    name: str
    path: Path
    why: str


def refused_bundle() -> Refused | None:
    kept: Refused | None = state.said(_REFUSED)
    return kept


def refuse_bundle(found: Refused | None) -> None:
    if (before := refused_bundle()) is not None:
        state.folder().drop(before.path)
    state.keep(_REFUSED, found)


def open_choice() -> Using | None:
    kept: Using | None = state.said(_NAME)
    return kept


def use(opened: Using | None) -> None:
    state.keep(_NAME, opened)


def change(**choices: Any) -> None:
    now = open_choice()
    if now is not None:
        use(replace(now, **choices))

"""The dossier of a release or of answers: questions to the organisation, sheets as a zip."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import download
from pages.ui.shell.writing import Progress, start_writing, watch_writing
from synth import limits
from synth.bundle import Certificate
from synth.domain import FrozenMap
from synth.dossier import (
    Question,
    TypedAnswers,
    check_answers,
    find_questions,
    make_dossier,
    pack_dossier,
)
from synth.foreign import in_markdown
from synth.verification import verify

DOSSIER = "dossier.zip"
ABOUT = (
    "Sheets for the data protection officer, an ethics board, a health data access body, the "
    "register of deployments, and readers. Synth checks the bundle first, and fills in the "
    "facts of the certificate. Only your organisation can answer the questions below. Your "
    "answers are saved with the project, and go into the dossier, never into the certificate."
)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a dossier is about.

    Attributes:
        bundle: The zip file of the release or of the answers.
        certificate: Its certificate.
        name: The name of the downloaded file.
        of: A word for it in the keys of widgets; empty for a release.
    """

    bundle: Path
    certificate: Certificate
    name: str
    of: str = ""

    def key(self, word: str) -> str:
        """Return the key of a widget."""
        return f"{word} {self.of}".strip()


def offer_dossier(draft: Draft, subject: Subject) -> None:
    """Show the questions of a dossier, and the button that makes it.

    Args:
        draft: The choices of the session, with the typed answers.
        subject: What the dossier is about.
    """
    with st.expander("Dossier for people who must sign", icon=":material/approval:"):
        st.markdown(ABOUT)
        questions = find_questions(subject.certificate)
        open_questions = [q for q in questions if q.key not in draft.dossier]
        st.caption(f"Open questions: {len(open_questions)} of {len(questions)}")
        for question in questions:
            _ask(draft, subject, question)
        _offer_zip(draft, subject)


def _ask(draft: Draft, subject: Subject, question: Question) -> None:
    """Show a question with its typed answer."""

    def store(answer: str | None) -> None:
        """Store an answer in the draft."""
        others = {key: text for key, text in draft.dossier.items() if key != question.key}
        typed = {question.key: answer} if answer and answer.strip() else {}
        state.change(dossier=FrozenMap(others | typed))

    key = subject.key(f"dossier_{question.key}")
    typed = draft.dossier.get(question.key)
    topic = in_markdown(question.topic)
    if question.choices:
        st.selectbox(
            topic,
            question.choices,
            placeholder=question.text,
            help=in_markdown(question.text),
            **state.tie(key, typed, store),
        )
        return
    st.text_area(
        topic,
        placeholder=question.text,
        help=in_markdown(question.text),
        max_chars=limits.DOSSIER_ANSWER,
        height=68,
        **state.tie(key, typed or "", store),
    )


def name_place(bundle: Path, draft: Draft) -> str:
    """Return the session's name for a dossier; another answer makes another dossier."""
    typed = json.dumps(dict(draft.dossier), sort_keys=True)
    return f"dossier {hashlib.sha256(f'{bundle} {typed}'.encode()).hexdigest()}"


def _offer_zip(draft: Draft, subject: Subject) -> None:
    """Show the button that makes the dossier, or that downloads it."""
    bundle = subject.bundle
    place = name_place(bundle, draft)
    is_other_written = watch_writing(place)
    path: Path | None = state.read_value(place)
    if path is not None:
        download(
            "Download dossier",
            path.read_bytes,
            subject.name,
            mime="application/zip",
            icon=":material/download:",
            key=subject.key("download_dossier"),
            type="primary",
        )
        return
    st.button(
        "Make dossier",
        key=subject.key("make_dossier"),
        on_click=_make,
        args=(bundle,),
        disabled=is_other_written,
        icon=":material/file_save:",
    )


@state.guard
def _make(bundle: Path) -> None:
    """Start to check a bundle and to write its dossier.

    The answers are those of the draft now: the click may have ended the typing of one.
    """
    draft = state.draft()
    answers = TypedAnswers(check_answers(draft.dossier))  # refused before the long check

    def write(folder: Path, _progress: Progress) -> Path:
        """Write the dossier as one zip, and return its path."""
        dossier = make_dossier(verify(bundle, redraw=True, or_own=True), answers)
        path = folder / DOSSIER
        path.write_bytes(pack_dossier(dossier))
        return path

    start_writing(write, place=name_place(bundle, draft), title="the dossier")

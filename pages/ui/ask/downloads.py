"""Files of answers: one zip with the certificate, or file by file. All are public."""

import shlex
from dataclasses import replace
from pathlib import Path

import streamlit as st

from pages.ui.release.dossier import DOSSIER, Subject, offer_dossier
from pages.ui.shell import budgets, state
from pages.ui.shell.job import ZIP, Answered, files_of
from pages.ui.shell.widgets import offer_file, show_command
from synth.bundle import CERTIFICATE, STATEMENT, TABLE
from synth.privacy import terms
from synth.questions import Inquiry

FILES = {
    ZIP: ("Answers with certificate", "application/zip", ":material/folder_zip:"),
    TABLE: ("Answers as CSV", "text/csv", ":material/table:"),
    STATEMENT: ("Statement", "text/plain", ":material/description:"),
    CERTIFICATE: ("Certificate", "application/json", ":material/verified:"),
}


def downloads(answered: Answered, *, of: str = "answers") -> None:
    """Show the download buttons of the answers' files, and how to check and repeat them.

    If the files could not be written, a button tries it again. ``of`` is a word for the
    answers in the keys of widgets.
    """
    if not answered.files:
        st.warning(
            "The files could not be written. The answers are kept; make room, try again."
        )
        st.button(
            "Write the files of the answers",
            key=f"write {of}",
            on_click=_write_again,
            args=(answered,),
        )
        return
    with st.container(horizontal=True):
        for name, caption in FILES.items():
            is_first = name == ZIP
            key = f"download {name} {of}"
            offer_file(
                name, answered.files[name], caption, is_first=is_first, key=key, help=name
            )
    st.caption(
        "The zip holds the answers, the questions, the declaration, a statement in plain "
        f"words and the certificate. `synth verify {ZIP}` checks it."
    )
    note = "domain.json is the declaration; questions.json the saved questions."
    show_command(command_line(answered), note)
    subject = Subject(
        bundle=answered.files[ZIP],
        certificate=answered.asked.certificate,
        name=f"answers_{DOSSIER}",
        of=of,
    )
    offer_dossier(state.draft(), subject)


@state.guard
def _write_again(answered: Answered) -> None:
    """Write the files of paid answers once more, and store their paths with the answers."""
    files = files_of(answered.asked, state.folder(), budgets.ledger())
    state.renew(answered, replace(answered, files=files))


def command_line(answered: Answered) -> str:
    """Return the shell command that asks the same questions with the same guarantee."""
    inquiry: Inquiry = answered.inquiry
    words = ["python", "-m", "synth", "ask", Path(answered.source.title).name]
    words += ["--domain", "domain.json", "--questions", "questions.json"]
    # The numbers of the guarantee by name, such as "epsilon" and "delta".
    for name, value in terms(inquiry.guarantee).items():
        words += [f"--{name}", value]
    if inquiry.way is not None:  # otherwise Synth takes the best way, as by default
        words += ["--way", inquiry.way.value]
    if inquiry.unit.person:
        words += ["--person", inquiry.unit.person, "--max-rows", str(inquiry.unit.max_rows)]
    words += ["--neighbors", inquiry.neighbors.value]
    return shlex.join(words)

"""Questions about a file that waits: its encoding, its header, or its column names."""

from collections.abc import Callable

import streamlit as st

from pages.ui.data.format_options import NAMES_BY_MARK
from pages.ui.data.taking import take
from pages.ui.data.waiting import Waiting, leave, waiting_file
from pages.ui.shell import state
from synth.foreign import in_markdown
from synth.private.table import DEFAULT, ENCODING_NAMES, ENCODINGS, Format


def encoding_box() -> None:
    """Ask what the waiting file needs to be read, if there is one.

    That is its encoding, the form of its header, or the names of its columns.
    """
    waiting = waiting_file()
    if waiting is None:
        return
    boxes = {"encoding": _ask_for_encoding, "header": header_box, "names": names_box}
    boxes[waiting.needs](waiting)


def _ask_for_encoding(waiting: Waiting) -> None:
    """Ask for the encoding of a file, and show how its header reads in each encoding.

    Without a likely encoding, the file may be no table at all.
    """
    with st.container(border=True):
        title = in_markdown(waiting.title)
        if waiting.candidates:
            sentence = (
                f"**{title}** is not read yet: it does not say in which encoding it is "
                "written. Choose the one in which the names of its columns read right."
            )
        else:
            sentence = (
                f"**{title}** is not read yet: its first line is no text in any encoding "
                "that Synth tries. If it is no table, leave it. If it is one, choose its "
                "encoding."
            )
        st.warning(sentence, icon=":material/translate:")
        texts = {candidate.encoding: candidate.text for candidate in waiting.candidates}
        chosen = _choose_likely_encoding(texts) if texts else ""
        if not chosen:
            other_encodings = [name for name in ENCODINGS if name not in texts]
            chosen = st.selectbox(
                "Another encoding", other_encodings, format_func=ENCODING_NAMES.__getitem__
            )
        _read_or_leave("Read it in this encoding", take_encoding, chosen)


def _choose_likely_encoding(texts: dict[str, str]) -> str:
    """Return the chosen encoding; an empty text if none of them is right.

    ``texts`` has the header as each encoding reads it.
    """

    def show_sample(encoding: str) -> str:
        """Return the option's text: the header read in this encoding, and its name."""
        if not encoding:
            return "Another encoding"
        return f"{in_markdown(texts[encoding], 120)} — {ENCODING_NAMES[encoding]}"

    # The empty option leads to the list of all other encodings.
    return st.radio("Encoding", [*texts, ""], format_func=show_sample, key="encoding_said")


def header_box(waiting: Waiting) -> None:
    """Ask how to read the header of an uploaded file that Synth could not read by itself."""
    with st.container(border=True):
        st.warning(
            f"{in_markdown(waiting.header_cause)} Choose how the file is read.",
            icon=":material/view_column:",
        )
        delimiter_place, line_place = st.columns(2)
        delimiter_place.selectbox(
            "Between cells",
            [*NAMES_BY_MARK],
            index=[*NAMES_BY_MARK].index(waiting.delimiter or DEFAULT.delimiter),
            format_func=NAMES_BY_MARK.__getitem__,
            key="header_delimiter",
        )
        line_place.number_input(
            "Line with the column names", min_value=1, step=1, key="header_line"
        )
        st.checkbox("Quoted cells may hold line breaks", key="header_spans")
        _read_or_leave("Read it that way", take_header)


def names_box(waiting: Waiting) -> None:
    """Ask for the names of the columns of a waiting file without any."""
    with st.container(border=True):
        st.warning(
            f"**{in_markdown(waiting.title)}** has one JSON object on each line and no "
            "header. Type the names of the columns, as your data dictionary has them.",
            icon=":material/data_object:",
        )
        st.text_area("Column names, one on each line", key="names_said")
        _read_or_leave("Read these columns", take_names)


def _read_or_leave(label: str, act: Callable[..., None], *args: str) -> None:
    """Show a button that reads the waiting file by ``act(*args)``, and one to forget it."""
    with st.container(horizontal=True):
        st.button(label, on_click=act, args=args, type="primary")
        st.button("Leave this file", on_click=leave)


@state.guard
def take_encoding(encoding: str) -> None:
    """Read the waiting file in the chosen encoding, and make it the current table."""
    waiting = waiting_file()
    if waiting is not None:
        take(waiting.title, waiting.path, Format(encoding=encoding))


@state.guard
def take_names() -> None:
    """Read the waiting file with the typed names of its columns, one name on each line.

    Only files of JSON lines have no names of their own.
    """
    waiting = waiting_file()
    lines = (state.read_value("names_said") or "").splitlines()
    names = dict.fromkeys(line.strip() for line in lines if line.strip())
    if waiting is not None and names:
        take(waiting.title, waiting.path, Format(lines="json", names=tuple(names)))


@state.guard
def take_header() -> None:
    """Read the waiting file with the chosen delimiter and line of the column names."""
    waiting = waiting_file()
    if waiting is not None:
        form = Format(
            delimiter=state.read_value("header_delimiter"),
            header=state.read_value("header_line"),
            lines="span" if state.read_value("header_spans") else "one",
        )
        take(waiting.title, waiting.path, form)

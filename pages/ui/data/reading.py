"""How the confidential file is read: what its shape suggests is shown, and applied on request."""

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui.shell import folders, state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import start
from pages.ui.shell.release import Source
from synth.foreign.text import in_markdown
from synth.table.convert import kind
from synth.table.csv_options import DELIMITERS, ENCODINGS, Format, parse_format
from synth.table.plain_copy import remarks
from synth.table.private_table import open_table

ENDINGS = (
    "csv tsv txt gz zip parquet xlsx xlsm xlsb xls ods sav zsav por dta sas7bdat xpt"
).split()
"""What may be uploaded."""


@state.guarded
def read_again(form: Format) -> None:
    """Open the same file in another way; where that fails, the old way stays."""
    now = state.draft()
    if now.source is not None:
        path = now.source.table.path
        if not path.is_relative_to(state.folder().path):
            folders.opened(str(path))  # as when it was chosen
        table = open_table(path, form)
        state.put(start(replace(now.source, table=table), now))


def reading(source: Source) -> None:
    """What was done to the names, what the shape suggests, and the options."""
    table = source.table
    for note in table.notes:
        st.info(in_markdown(note), icon=":material/edit_note:")
    asked = parse_format(table.asked)
    suggested = table.suggested()
    if suggested:
        left, right = st.columns([4, 1], vertical_alignment="center")
        shown = in_markdown(", ".join(suggested))
        left.warning(f"The file's shape suggests **{shown}**.", icon=":material/tune:")
        form = parse_format([*asked.options, *suggested])
        right.button("Read it that way", on_click=read_again, args=(form,), type="primary")
    found = kind(table.path)
    if found in ("text", "gzip", "zip"):
        with st.expander("How the file is read", icon=":material/tune:"):
            _text_options(asked)
    elif found == "workbook":
        with st.expander("How the file is read", icon=":material/tune:"):
            _sheet_options(asked)
    if remarks(table):
        badge(Lane.PRIVATE)
        amiss(source)


def amiss(source: Source | None) -> None:
    """What was amiss in the rows, once they were read."""
    for remark in remarks(source.table) if source is not None else ():
        st.warning(in_markdown(remark), icon=":material/report:")


def _text_options(asked: Format) -> None:
    first, second, third = st.columns(3)
    marks = {mark: name for name, mark in DELIMITERS.items()}
    first.selectbox(
        "Between cells",
        list(marks | {asked.delimiter: asked.delimiter}),
        format_func=lambda mark: marks.get(mark, mark),
        **_tied(asked, "delimiter"),
    )
    encodings = list(dict.fromkeys((*ENCODINGS, asked.encoding)))
    first.selectbox("Encoding", encodings, **_tied(asked, "encoding"))
    second.selectbox("Decimal mark", [".", ","], **_tied(asked, "decimal"))
    second.text_input("Thousands mark", max_chars=1, **_tied(asked, "thousands"))
    _header(third, asked)
    third.text_input("Lines to skip start with", max_chars=1, **_tied(asked, "comment"))


def _sheet_options(asked: Format) -> None:
    first, second = st.columns(2)
    first.text_input("Sheet (empty: the first)", **_tied(asked, "sheet"))
    _header(second, asked)


def _header(place: Any, asked: Format) -> None:
    place.number_input(
        "Line with the column names (0: none)", min_value=0, step=1, **_tied(asked, "header")
    )


def _tied(asked: Format, option: str) -> dict[str, Any]:
    """Tie a widget to one option of the format, as it stands when the widget changes."""

    def store(value: Any) -> None:
        source = state.draft().source
        if source is not None:
            now = parse_format(source.table.asked)
            read_again(replace(now, **{option: value}))

    return state.tied(f"format {option}", getattr(asked, option), store)

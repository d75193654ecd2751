"""The format of the confidential file: suggestions from its shape, applied on request."""

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui.data.choosing import ask_again, open_file, with_rows
from pages.ui.shell import folders, state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import start
from pages.ui.shell.release import Source
from synth.foreign import in_markdown
from synth.private.table import (
    DELIMITER_NAMES,
    DELIMITERS,
    ENCODING_NAMES,
    ENCODINGS,
    JSON_OBJECTS,
    RAGGED,
    Cut,
    Format,
    PrivateTable,
    breaks_in,
    has_ragged_rows,
    is_looked_through,
    kind,
    list_remarks,
    look_through,
    parse_format,
)

# Endings that may be uploaded.
ENDINGS = (
    "csv tsv txt gz zip parquet xlsx xlsm xlsb xls ods sav zsav por dta sas7bdat xpt "
    "jsonl ndjson sqlite sqlite3 duckdb feather arrow arrows"
).split()


@state.guard
def read_again(form: Format) -> None:
    """Open the file in another format; if that fails, keep the old one."""
    now = state.draft()
    if now.source is not None and not now.source.place:
        path = now.source.table.path
        form = replace(form, names=now.source.table.form.names)
        if not path.is_relative_to(state.folder().path):
            folders.resolve_path(str(path))  # as when it was chosen
        state.put(start(with_rows(replace(now.source, table=open_file(path, form))), now))


def show_reading(source: Source) -> None:
    table = source.table
    for note in table.notes:
        st.info(in_markdown(note), icon=":material/edit_note:")
    asked = parse_format(table.asked)
    cuts = table.cuts() if state.said("one_column") != str(table.path) else ()
    if cuts:
        _cut(table, cuts, asked)
    if state.said("taken_at_once") == str(table.path) and table.asked:
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.info(
            f"Synth reads this file as {in_markdown(_in_words(asked))}.",
            icon=":material/tune:",
        )
        right.button("Undo", on_click=ask_again)
    suggested = (
        () if cuts else [one for one in table.suggest_options() if one not in table.asked]
    )
    if suggested:
        left, right = st.columns([4, 1], vertical_alignment="center")
        shown = in_markdown(", ".join(suggested))
        left.warning(f"The file's shape suggests **{shown}**.", icon=":material/tune:")
        form = parse_format([*asked.options, *suggested])
        right.button("Read it that way", on_click=read_again, args=(form,))
    if not has_ragged_rows(table) and (
        doubt := table.doubt_header()
    ):  # else the remarks say it
        st.warning(in_markdown(doubt), icon=":material/help:")
    found = "source" if source.place else kind(table.path)
    if table.form.lines == JSON_OBJECTS:
        pass  # each line has its names
    elif found in ("text", "gzip", "zip"):
        with st.expander("How the file is read", icon=":material/tune:"):
            _text_options(asked)
    elif found == "workbook":
        with st.expander("How the file is read", icon=":material/tune:"):
            first, second = st.columns(2)
            first.text_input("Sheet (empty: the first)", **_tie(asked, "sheet"))
            _header(second, asked)
    elif found in ("sqlite", "duckdb"):
        with st.expander("How the file is read", icon=":material/tune:"):
            st.text_input("Table (empty: the first)", **_tie(asked, "sheet"))
    if not cuts:
        _rows(table, asked)


def _cut(table: PrivateTable, cuts: tuple[Cut, ...], asked: Format) -> None:
    marks = {mark: name for name, mark in DELIMITERS.items()}
    with st.container(border=True):
        st.warning(
            "With commas between the cells, this file has **one column**. Choose the mark "
            "between its cells.",
            icon=":material/view_column:",
        )
        chosen = st.radio(
            "Between cells",
            [*cuts],
            format_func=lambda cut: (
                f"{marks[cut.delimiter].capitalize()}: {_names(cut)}"
                if len(cut.names) > 1
                else f"Nothing, it is one column: {_names(cut)}"
            ),
            key="cut",
        )
        st.button("Read it that way", on_click=_take_cut, args=(table, chosen, asked))


def _in_words(asked: Format) -> str:
    mark = DELIMITER_NAMES.get(asked.delimiter, "")
    encoding = ENCODING_NAMES.get(asked.encoding, asked.encoding)
    cells = f" with {mark} between the cells" * (asked.delimiter != ",")
    return f"{encoding}{cells}"


def _names(cut: Cut) -> str:
    shown = " · ".join(
        f"**{in_markdown(name or '(no name)', 60)}**" for name in cut.names[:8]
    )
    return f"{len(cut.names):,} columns, {shown}" if len(cut.names) > 1 else shown


def _take_cut(table: PrivateTable, cut: Cut, asked: Format) -> None:
    if len(cut.names) == 1:
        state.write("one_column", str(table.path))
    else:
        read_again(replace(asked, delimiter=cut.delimiter))


def _rows(table: PrivateTable, asked: Format) -> None:
    if not is_looked_through(table):
        st.button(
            "Look through the rows for damaged ones",
            on_click=_look_through,
            args=(table,),
            icon=":material/troubleshoot:",
        )
        return
    said = list_remarks(table)
    if not said:
        return
    badge(Lane.PRIVATE)
    if breaks_in(table):
        said = said[1:]
        if state.said("lines_are_rows") != str(table.path):
            _ask_for_lines(table, asked)
    settled = has_ragged_rows(table) and bool(asked.ragged)
    for remark in said:
        (st.info if settled else st.warning)(in_markdown(remark), icon=":material/report:")
    if has_ragged_rows(table) or asked.ragged:
        st.radio(
            "Rows with another number of cells than columns",
            RAGGED[1:],
            format_func={
                "leave_out": "Leave them out; they still count as rows of the table",
                "fill": "Fill short ones with empty cells, and leave out longer ones",
            }.__getitem__,
            index=None,
            **_tie(asked, "ragged"),
        )
        st.caption(
            "The rule goes with the format of the file, into each release and its record."
        )


def _ask_for_lines(table: PrivateTable, asked: Format) -> None:
    """Ask whether cells may contain line breaks; neither is assumed silently."""
    with st.container(border=True):
        st.warning(in_markdown(breaks_in(table)), icon=":material/wrap_text:")
        spans, lines = st.columns(2)
        spans.button(
            "Cells may hold line breaks",
            on_click=read_again,
            args=(replace(asked, lines="span"),),
            width="stretch",
        )
        told = ("lines_are_rows", str(table.path))
        lines.button("Every line is a row", on_click=state.write, args=told, width="stretch")


@state.guard
def _look_through(table: PrivateTable) -> None:
    look_through(table)


def show_faults(source: Source | None) -> None:
    for remark in list_remarks(source.table) if source is not None else ():
        st.warning(in_markdown(remark), icon=":material/report:")


def _text_options(asked: Format) -> None:
    first, second, third = st.columns(3)
    marks = {mark: name for name, mark in DELIMITERS.items()}
    first.selectbox(
        "Between cells",
        list(marks | {asked.delimiter: asked.delimiter}),
        format_func=lambda mark: marks.get(mark, mark),
        **_tie(asked, "delimiter"),
    )
    encodings = list(dict.fromkeys((*ENCODINGS, asked.encoding)))
    first.selectbox(
        "Encoding",
        encodings,
        format_func=lambda one: ENCODING_NAMES.get(one, one),
        **_tie(asked, "encoding"),
    )
    second.selectbox("Decimal mark", [".", ","], **_tie(asked, "decimal"))
    second.text_input("Thousands mark", max_chars=1, **_tie(asked, "thousands"))
    first.selectbox(
        "A row is",
        ["one", "span"],
        format_func={"one": "one line", "span": "one line or more"}.__getitem__,
        help="One line or more: quoted cells may hold line breaks. The guarantee then holds "
        "if the program that wrote the file doubles quotation marks inside quoted cells.",
        **_tie(asked, "lines"),
    )
    _header(third, asked)
    third.text_input("Lines to leave out start with", max_chars=1, **_tie(asked, "comment"))


def _header(place: Any, asked: Format) -> None:
    place.number_input(
        "Line with the column names (0: none)", min_value=0, step=1, **_tie(asked, "header")
    )
    if not asked.header:
        place.number_input("Number of columns", min_value=1, step=1, **_tie(asked, "columns"))


def _header_options(now: Format, table: PrivateTable, *, has_header: bool) -> dict[str, Any]:
    if has_header:
        return {"columns": 0}
    order = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(now.encoding, now.encoding)
    return {"columns": len(table.header), "encoding": order}


def _tie(asked: Format, option: str) -> dict[str, Any]:
    def store(value: Any) -> None:
        source = state.draft().source
        if source is not None:
            now = parse_format(source.table.asked)
            changes = {option: value}
            if option == "header":
                changes |= _header_options(now, source.table, has_header=bool(value))
            read_again(replace(now, **changes))

    said = getattr(asked, option)
    return state.tie(f"format {option}", said or None if option == "ragged" else said, store)

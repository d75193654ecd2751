"""The format of the confidential file: suggestions from its shape, applied on request."""

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui.data.choosing import NAMES_BY_MARK, ask_again, open_file, with_rows
from pages.ui.shell import folders, state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import start
from pages.ui.shell.release import Source
from synth.foreign import in_markdown
from synth.private.table import (
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
    name_delimiter,
    parse_format,
)

RAGGED_WORDS = {
    "leave_out": "Leave them out; they still count as rows of the table",
    "fill": "Fill short ones with empty cells, and leave out longer ones",
}
LINES_WORDS = {"one": "one line", "span": "one line or more"}

# Endings that may be uploaded.
ENDINGS = (
    "csv tsv txt gz zip parquet xlsx xlsm xlsb xls ods sav zsav por dta sas7bdat xpt "
    "jsonl ndjson sqlite sqlite3 duckdb feather arrow arrows"
).split()


@state.guard
def read_again(form: Format) -> None:
    """Open the current file in another format.

    Column names that were typed for it stay. If that fails, the error is shown and the table
    stays as it was read before. A table of a database has no format.
    """
    current = state.draft()
    if current.source is not None and not current.source.place:
        path = current.source.table.path
        form = replace(form, names=current.source.table.form.names)
        if not path.is_relative_to(state.folder().path):
            folders.resolve_path(str(path))  # as when it was chosen
        source = replace(current.source, table=open_file(path, form))
        state.put(start(with_rows(source), current))


def show_reading(source: Source) -> None:
    """Show how the file was read, what its shape suggests, and remarks on its rows."""
    table = source.table
    for note in table.notes:
        st.info(in_markdown(note), icon=":material/edit_note:")
    form = parse_format(table.asked)
    # Possible delimiters of a header with one column, unless the user said that it has one.
    cuts = table.cuts() if state.read_value("one_column") != str(table.path) else ()
    if cuts:
        _cut(table, cuts, form)
    _show_guess(table, form)
    if not cuts:
        _suggest(table, form)
    if not has_ragged_rows(table):  # else the remarks on the rows say it
        doubt = table.doubt_header()
        if doubt:
            st.warning(in_markdown(doubt), icon=":material/help:")
    if table.form.lines != JSON_OBJECTS:  # otherwise each line has its names
        _show_options(form, "source" if source.place else kind(table.path))
    if not cuts:
        _rows(table, form)


def _show_guess(table: PrivateTable, form: Format) -> None:
    """Show the format of the file if it was guessed, with a button to undo that."""
    if not table.asked or state.read_value("taken_at_once") != str(table.path):
        return
    text_place, button_place = st.columns([4, 1], vertical_alignment="center")
    text_place.info(
        f"Synth reads this file as {in_markdown(_in_words(form))}.",
        icon=":material/tune:",
    )
    button_place.button("Undo", on_click=ask_again)


def _suggest(table: PrivateTable, form: Format) -> None:
    """Show the format options that the file's shape suggests, with a button to apply them.

    ``form`` is the format in which the file was read.
    """
    suggested = [option for option in table.suggest_options() if option not in table.asked]
    if not suggested:
        return
    text_place, button_place = st.columns([4, 1], vertical_alignment="center")
    options = in_markdown(", ".join(suggested))
    text_place.warning(f"The file's shape suggests **{options}**.", icon=":material/tune:")
    suggested_form = parse_format([*form.options, *suggested])
    button_place.button("Read it that way", on_click=read_again, args=(suggested_form,))


def _show_options(form: Format, file_kind: str) -> None:
    """Show the options of the format that this kind of file has; nothing for other kinds.

    ``file_kind`` is such as "text" or "workbook".
    """
    if file_kind not in ("text", "gzip", "zip", "workbook", "sqlite", "duckdb"):
        return
    with st.expander("How the file is read", icon=":material/tune:"):
        if file_kind == "workbook":
            sheet_place, header_place = st.columns(2)
            sheet_place.text_input("Sheet (empty: the first)", **_tie(form, "sheet"))
            _header(header_place, form)
            _splits(st, form)
        elif file_kind in ("sqlite", "duckdb"):
            st.text_input("Table (empty: the first)", **_tie(form, "sheet"))
        else:
            _text_options(form)


def _cut(table: PrivateTable, cuts: tuple[Cut, ...], form: Format) -> None:
    """Show the possible delimiters of a file that seems to have one column only.

    Args:
        table: The table, read with commas between its cells.
        cuts: The possible delimiters, each with the column names that it makes.
        form: The format in which the file was read.
    """
    with st.container(border=True):
        st.warning(
            "With commas between the cells, this file has **one column**. Choose the mark "
            "between its cells.",
            icon=":material/view_column:",
        )
        chosen = st.radio("Between cells", [*cuts], format_func=_cut_in_words, key="cut")
        st.button("Read it that way", on_click=_take_cut, args=(table, chosen, form))


def _cut_in_words(cut: Cut) -> str:
    """Return a possible delimiter in words, with the columns that it makes."""
    if len(cut.names) == 1:
        return f"Nothing, it is one column: {_names(cut)}"
    return f"{NAMES_BY_MARK[cut.delimiter].capitalize()}: {_names(cut)}"


def _in_words(form: Format) -> str:
    """Return a format in words: its encoding, and the delimiter unless it is a comma."""
    encoding = ENCODING_NAMES.get(form.encoding, form.encoding)
    if form.delimiter == ",":
        return encoding
    return f"{encoding} with {name_delimiter(form.delimiter)} between the cells"


def _names(cut: Cut) -> str:
    """Return the number and the first eight names of the columns that a delimiter makes."""
    names = " · ".join(
        f"**{in_markdown(name or '(no name)', 60)}**" for name in cut.names[:8]
    )
    return f"{len(cut.names):,} columns, {names}" if len(cut.names) > 1 else names


def _take_cut(table: PrivateTable, cut: Cut, form: Format) -> None:
    """Read the file with the chosen delimiter; or store that it has one column.

    Args:
        table: The table as it was read.
        cut: The chosen delimiter; with a single name the file has one column.
        form: The format in which the file was read.
    """
    if len(cut.names) == 1:
        state.write("one_column", str(table.path))
    else:
        read_again(replace(form, delimiter=cut.delimiter))


def _rows(table: PrivateTable, form: Format) -> None:
    """Show the remarks on damaged rows, and the choice for rows of another length.

    Until the rows of a large file are read, a button offers that. ``form`` is the format in
    which the file was read.
    """
    if not is_looked_through(table):
        st.button(
            "Look through the rows for damaged ones",
            on_click=_look_through,
            args=(table,),
            icon=":material/troubleshoot:",
        )
        return
    remarks = list_remarks(table)
    if not remarks:
        return
    badge(Lane.PRIVATE)
    if breaks_in(table):
        # The first remark is about line breaks in cells, which the question below is about.
        remarks = remarks[1:]
        if state.read_value("lines_are_rows") != str(table.path):
            _ask_for_lines(table, form)
    # The user has chosen a rule for such rows: the remarks are no warnings any more.
    is_settled = has_ragged_rows(table) and bool(form.ragged)
    for remark in remarks:
        if is_settled:
            st.info(in_markdown(remark), icon=":material/report:")
        else:
            st.warning(in_markdown(remark), icon=":material/report:")
    if has_ragged_rows(table) or form.ragged:
        st.radio(
            "Rows with another number of cells than columns",
            RAGGED[1:],
            format_func=RAGGED_WORDS.__getitem__,
            index=None,
            **_tie(form, "ragged"),
        )
        st.caption(
            "The rule goes with the format of the file, into each release and its record."
        )


def _ask_for_lines(table: PrivateTable, form: Format) -> None:
    """Show two buttons: cells may contain line breaks, or every line is a row.

    Neither is assumed silently. ``form`` is the format in which the file was read.
    """
    with st.container(border=True):
        st.warning(in_markdown(breaks_in(table)), icon=":material/wrap_text:")
        span_place, line_place = st.columns(2)
        span_place.button(
            "Cells may hold line breaks",
            on_click=read_again,
            args=(replace(form, lines="span"),),
            width="stretch",
        )
        line_place.button(
            "Every line is a row",
            on_click=state.write,
            args=("lines_are_rows", str(table.path)),
            width="stretch",
        )


@state.guard
def _look_through(table: PrivateTable) -> None:
    look_through(table)


def show_faults(source: Source | None) -> None:
    """Show remarks on the rows of a table."""
    for remark in list_remarks(source.table) if source is not None else ():
        st.warning(in_markdown(remark), icon=":material/report:")


def _text_options(form: Format) -> None:
    """Show the options of text files: delimiter, encoding, numbers, lines and header.

    A change reads the file again at once.
    """
    first, second, third = st.columns(3)
    first.selectbox(
        "Between cells",
        list(dict.fromkeys((*NAMES_BY_MARK, form.delimiter))),
        format_func=lambda mark: NAMES_BY_MARK.get(mark, mark),
        **_tie(form, "delimiter"),
    )
    encodings = list(dict.fromkeys((*ENCODINGS, form.encoding)))
    first.selectbox(
        "Encoding",
        encodings,
        format_func=lambda name: ENCODING_NAMES.get(name, name),
        **_tie(form, "encoding"),
    )
    second.selectbox("Decimal mark", [".", ","], **_tie(form, "decimal"))
    second.text_input("Thousands mark", max_chars=1, **_tie(form, "thousands"))
    first.selectbox(
        "A row is",
        [*LINES_WORDS],
        format_func=LINES_WORDS.__getitem__,
        help="One line or more: quoted cells may hold line breaks. The guarantee then holds "
        "if the program that wrote the file doubles quotation marks inside quoted cells.",
        **_tie(form, "lines"),
    )
    _header(third, form)
    _splits(second, form)
    third.text_input("Lines to leave out start with", max_chars=1, **_tie(form, "comment"))


def _splits(place: Any, form: Format) -> None:
    """Ask which columns hold several answers in a cell, one line for each.

    ``place`` is the container of the field, ``form`` the format in which the file was read.
    """

    def store(text: str) -> None:
        """Read the table again with these columns split."""
        source = state.draft().source
        if source is not None:
            splits = tuple(line.strip() for line in text.splitlines() if line.strip())
            read_again(replace(parse_format(source.table.asked), split=splits))

    place.text_area(
        "Columns of several answers",
        height=68,
        placeholder="uses:,:1,2,5",
        help="The column, the mark between answers in a cell, and all options. Synth reads "
        "such a column as a yes/no column for each option. One line for each column.",
        **state.tie("format split", "\n".join(form.split), store),
    )


def _header(place: Any, form: Format) -> None:
    """Ask which line has the column names, and how many lines below it hold no record.

    If none has the names, ask how many columns there are.

    ``place`` is the container of the fields, ``form`` the format in which the file was read.
    """
    place.number_input(
        "Line with the column names (0: none)", min_value=0, step=1, **_tie(form, "header")
    )
    if form.header:
        place.number_input(
            "Lines below it without a record",
            min_value=0,
            step=1,
            help="Some programs write more lines below the column names, such as the texts "
            "of the questions. Synth leaves them out, and they count for nothing.",
            **_tie(form, "below"),
        )
        place.checkbox(
            "Rows begin with a name that has none",
            help="R writes names of rows in front, without a name above them. Synth reads "
            "them as a column of their own.",
            **_tie(form, "row_names"),
        )
    else:
        place.number_input("Number of columns", min_value=1, step=1, **_tie(form, "columns"))


def _header_options(form: Format, table: PrivateTable, *, has_header: bool) -> dict[str, Any]:
    """Return the options of the format that must change if a header is added or removed.

    They are a dictionary from an option's name to its value.

    Args:
        form: The format in which the file was read.
        table: The table, for its present number of columns.
        has_header: Whether a line has the column names now.
    """
    if has_header:
        return {"columns": 0}
    # A file without a header has nothing below it either.
    # Without a header nothing says the order of the bytes.
    encodings = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}
    encoding = encodings.get(form.encoding, form.encoding)
    return {
        "columns": len(table.header),
        "below": 0,
        "row_names": False,
        "encoding": encoding,
    }


def _tie(form: Format, option: str) -> dict[str, Any]:
    """Return arguments for a widget that tie it to an option of the format.

    It shows the present value, and a change reads the table again. ``option`` is the name of
    a field of `Format`.
    """

    def store(new_value: Any) -> None:
        """Read the table again with the new value of the option."""
        source = state.draft().source
        if source is not None:
            current = parse_format(source.table.asked)
            changes = {option: new_value}
            if option == "header":
                changes |= _header_options(current, source.table, has_header=bool(new_value))
            read_again(replace(current, **changes))

    value = getattr(form, option)
    if option == "ragged" and not value:
        value = None  # no radio button is chosen
    return state.tie(f"format {option}", value, store)

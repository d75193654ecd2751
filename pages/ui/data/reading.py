"""What the shape of the confidential file suggests, and remarks on its rows. PRIVATE."""

from dataclasses import replace

import streamlit as st

from pages.ui.data.format_options import (
    DECIMAL_WORDS,
    NAMES_BY_MARK,
    read_again,
    store_option,
    tie,
)
from pages.ui.data.taking import ask_again
from pages.ui.shell import state
from pages.ui.shell.release import Source
from synth.foreign import in_markdown
from synth.private.table import (
    ENCODING_NAMES,
    RAGGED,
    Cut,
    Format,
    PrivateTable,
    breaks_in,
    has_ragged_rows,
    is_looked_through,
    list_remarks,
    look_through,
    name_delimiter,
    parse_format,
    split_doubt,
)

RAGGED_WORDS = {
    "leave_out": "Leave them out; they still count as rows of the table",
    "fill": "Fill short ones with empty cells, and leave out longer ones",
}

# Labels of the buttons that answer a doubt about the header, by the option that they choose.
ANSWERS = {
    "header=0": "No line holds the column names",
    "header=1": "The first line holds the column names",
    "header=2": "The second line holds the column names",
    "comment=#": "Leave out lines that begin with #",
}

# Options in words; others are shown as they are written.
OPTION_WORDS = {
    "delimiter": "{} between its cells",
    "decimal": "a decimal {}",
    "encoding": "the encoding {}",
    "header": "column names on line {}",
    "below": "{} lines without a record below the names",
    "row_names": "a column with names of rows in front",
    "thousands": "the thousands mark {}",
}

# Endings that may be uploaded.
ENDINGS = (
    "csv tsv txt gz zip parquet xlsx xlsm xlsb xls ods sav zsav por dta sas7bdat xpt "
    "jsonl ndjson sqlite sqlite3 duckdb feather arrow arrows"
).split()


def show_suggestions(table: PrivateTable) -> None:
    """Show how the file was read, and which other options its first lines suggest.

    A file that was read as one column may have another delimiter. As long as that is open,
    the other suggestions would mean nothing and are not shown.
    """
    for note in table.notes:
        st.info(in_markdown(note), icon=":material/edit_note:")
    form = parse_format(table.asked)
    delimiters = _possible_cuts(table)
    if delimiters:
        _ask_for_delimiter(table, delimiters, form)
    _show_guess(table, form)
    if not delimiters:
        _suggest_options(table, form)
    _doubt_header(table)


def show_rows(table: PrivateTable) -> None:
    """Show remarks on the rows of the table, once it is known how its lines are cut."""
    if not _possible_cuts(table):
        _rows(table, parse_format(table.asked))


def _possible_cuts(table: PrivateTable) -> tuple[Cut, ...]:
    """Return the possible delimiters of a header with one column.

    There are none if the user said that it has one.
    """
    return table.cuts() if state.read_value("one_column") != str(table.path) else ()


def _doubt_header(table: PrivateTable) -> None:
    """Show a doubt whether the first line holds the column names, and a button to answer."""
    doubt = table.doubt_header()
    if not doubt:
        return
    seen, answers = split_doubt(doubt)
    if not answers:
        st.warning(in_markdown(doubt), icon=":material/help:")
        return
    name = answers[0]  # a number of columns after it follows from the table
    option, _, value = name.partition("=")
    text_place, button_place = st.columns([3, 1], vertical_alignment="center")
    text_place.warning(in_markdown(seen), icon=":material/help:")
    button_place.button(
        ANSWERS[name],
        key="answer_doubt",
        on_click=state.guard(store_option(option)),
        args=(int(value) if option == "header" else value,),
    )


def _show_guess(table: PrivateTable, form: Format) -> None:
    """Show the format of the file if it was guessed, with a button to undo that."""
    if not table.asked or state.read_value("taken_at_once") != str(table.path):
        return
    text_place, button_place = st.columns([4, 1], vertical_alignment="center")
    text_place.info(
        f"Synth reads this file as {in_markdown(_in_words(form))}.",
        icon=":material/tune:",
    )
    button_place.button("Undo this guess", on_click=ask_again)


def _suggest_options(table: PrivateTable, form: Format) -> None:
    """Show the reading options that the file's shape suggests, with a button to apply them.

    ``form`` is the format in which the file was read.
    """
    suggested = [option for option in table.suggest_options() if option not in table.asked]
    if not suggested:
        return
    text_place, button_place = st.columns([4, 1], vertical_alignment="center")
    names = in_markdown(" and ".join(map(_name_option, suggested)))
    # Marks of numbers change no column's name, and the list above has them, too.
    is_about_marks = all(
        option.startswith(("decimal=", "thousands=")) for option in suggested
    )
    say = text_place.info if is_about_marks else text_place.warning
    say(f"The file's shape suggests {names}.", icon=":material/tune:")
    suggested_form = parse_format([*form.options, *suggested])
    button_place.button("Read it that way", on_click=read_again, args=(suggested_form,))


def _name_option(option: str) -> str:
    """Return a reading option such as "decimal=," in words."""
    name, _, value = option.partition("=")
    if name == "delimiter":
        value = name_delimiter(parse_format([option]).delimiter)
    words = {"decimal": DECIMAL_WORDS, "encoding": ENCODING_NAMES}.get(name, {})
    return OPTION_WORDS.get(name, option).format(words.get(value, value))


def _ask_for_delimiter(table: PrivateTable, cuts: tuple[Cut, ...], form: Format) -> None:
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
    # What the shape suggests stands above, with its buttons.
    remarks = [remark.removesuffix(table.hint()) for remark in list_remarks(table)]
    if not remarks:
        return
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
            **tie(form, "ragged"),
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

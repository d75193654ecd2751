"""How the confidential file is read: its marks, its encoding, and the line of its names.

What decides most stands beside the first rows, each with its own undo; the rest is folded.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.history import session_history
from pages.ui.shell.reading import reopen
from pages.ui.shell.release import Source
from synth.foreign import in_markdown
from synth.private.table import (
    DELIMITERS,
    ENCODING_NAMES,
    ENCODINGS,
    JSON_OBJECTS,
    Format,
    PrivateTable,
    kind,
    parse_format,
)

# The names of delimiters that people choose from.
NAMES_BY_MARK = {mark: name for name, mark in DELIMITERS.items()}
DECIMAL_WORDS = {".": "point", ",": "comma"}
LINES_WORDS = {"one": "one line", "span": "one line or more"}
# Kinds of files that have options.
TEXT_KINDS = ("text", "gzip", "zip")
DATABASE_KINDS = ("sqlite", "duckdb")


@state.guard
def read_again(form: Format) -> None:
    """Open the current file in another format, as `reopen`; if that fails, show the error."""
    reopen(form)


@dataclass(frozen=True)
class Forms:
    """How a file is read, and how it was read first.

    Attributes:
        now: Its present format.
        first: The format before any choice.
    """

    now: Format
    first: Format


def choose_reading(source: Source) -> None:
    """Show the options that decide most about how a file is read; a change reads it again.

    ``source`` is the table. Files that describe themselves have none.
    """
    file_kind = _kind_of(source)
    forms = Forms(
        now=parse_format(source.table.asked),
        first=parse_format(session_history().first_reading),
    )
    if file_kind in TEXT_KINDS:
        places = st.columns(4)
        _choose(places[0], "delimiter", forms)
        _choose(places[1], "decimal", forms)
        _choose(places[2], "encoding", forms)
        _choose_header_line(places[3], forms)
    elif file_kind == "workbook":
        sheet_place, header_place = st.columns(2)
        sheet_place.text_input("Sheet (empty: the first)", **tie(forms.now, "sheet"))
        _undo(sheet_place, "sheet", forms)
        _choose_header_line(header_place, forms)
    elif file_kind in DATABASE_KINDS:
        st.text_input("Table (empty: the first)", **tie(forms.now, "sheet"))
        _undo(st, "sheet", forms)


def more_options(source: Source) -> None:
    """Show the other options of a file, folded; nothing for files without any."""
    file_kind = _kind_of(source)
    if file_kind not in (*TEXT_KINDS, "workbook"):
        return
    form = parse_format(source.table.asked)
    with st.expander("More options of the file", icon=":material/tune:"):
        if file_kind == "workbook":
            _lines_of_names(st, form)
            _splits(st, form)
        else:
            _text_options(form)


def _kind_of(source: Source) -> str:
    """Return the kind of a table's file, such as "text"; empty if it has no options.

    Lines of JSON have their names in each line, and a table of a database has no format.
    """
    table = source.table
    has_options = table.form.lines != JSON_OBJECTS and not source.place
    return kind(table.path) if has_options else ""


# The label, the choices and their words of each option that is chosen from a list.
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "delimiter": ("Between cells", NAMES_BY_MARK),
    "decimal": ("Decimal mark", DECIMAL_WORDS),
    "encoding": ("Encoding", {name: ENCODING_NAMES.get(name, name) for name in ENCODINGS}),
}


def _choose(place: Any, option: str, forms: Forms) -> None:
    """Show the list of one option, and its undo.

    Args:
        place: The container.
        option: The name of a field of `Format`, a key of ``CHOICES``.
        forms: How the file is read, and how it was read first.
    """
    label, words = CHOICES[option]
    options = list(dict.fromkeys((*words, getattr(forms.now, option))))
    place.selectbox(
        label,
        options,
        format_func=lambda name: words.get(name, name),
        **tie(forms.now, option),
    )
    _undo(place, option, forms)


def _choose_header_line(place: Any, forms: Forms) -> None:
    """Ask which line has the column names; arguments as of `_choose`."""
    place.number_input(
        "Names on line (0: none)",
        min_value=0,
        step=1,
        help="The line that holds the column names; 0 if none does.",
        **tie(forms.now, "header"),
    )
    _undo(place, "header", forms)


def _undo(place: Any, option: str, forms: Forms) -> None:
    """Show the button that undoes one option, if it is not as the file was read first.

    Arguments as of `_choose`.
    """
    before = getattr(forms.first, option)
    if getattr(forms.now, option) == before:
        return
    words = CHOICES[option][1] if option in CHOICES else {}
    name = words.get(before, before) or "the first"
    place.button(
        f"Undo: back to {in_markdown(str(name))}",
        key=f"undo {option}",
        icon=":material/undo:",
        type="tertiary",
        on_click=state.guard(store_option(option)),
        args=(before,),
    )


def _text_options(form: Format) -> None:
    """Show the further options of text files: numbers, lines and what is below the header.

    A change reads the file again at once.
    """
    first, second, third = st.columns(3)
    first.selectbox(
        "A row is",
        [*LINES_WORDS],
        format_func=LINES_WORDS.__getitem__,
        help="One line or more: quoted cells may hold line breaks. The guarantee then holds "
        "if the program that wrote the file doubles quotation marks inside quoted cells.",
        **tie(form, "lines"),
    )
    second.text_input("Thousands mark", max_chars=1, **tie(form, "thousands"))
    third.text_input("Lines to leave out start with", max_chars=1, **tie(form, "comment"))
    _lines_of_names(st, form)
    if form.header:
        st.checkbox(
            "Rows begin with a name that has none",
            help="R writes names of rows in front, without a name above them. Synth reads "
            "them as a column of their own.",
            **tie(form, "row_names"),
        )
    _splits(st, form)


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


def _lines_of_names(place: Any, form: Format) -> None:
    """Ask how many lines below the names hold no record.

    If no line has the names, ask how many columns there are.

    ``place`` is the container of the fields, ``form`` the format in which the file was read.
    """
    if form.header:
        place.number_input(
            "Lines below it without a record",
            min_value=0,
            step=1,
            help="Some programs write more lines below the column names, such as the texts "
            "of the questions. Synth leaves them out, and they count for nothing.",
            **tie(form, "below"),
        )
    else:
        place.number_input("Number of columns", min_value=1, step=1, **tie(form, "columns"))


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


def tie(form: Format, option: str) -> dict[str, Any]:
    """Return arguments for a widget that tie it to an option of the format.

    It shows the present value, and a change reads the table again. ``option`` is the name of
    a field of `Format`.
    """
    value = getattr(form, option)
    if option == "ragged" and not value:
        value = None  # no radio button is chosen
    return state.tie(f"format {option}", value, store_option(option))


def store_option(option: str) -> Callable[[Any], None]:
    """Return a function that reads the table again with a new value of an option."""

    def store(new_value: Any) -> None:
        """Read the table again with the new value."""
        source = state.draft().source
        if source is None:
            return
        current = parse_format(source.table.asked)
        changes = {option: new_value}
        if option == "header":
            changes |= _header_options(current, source.table, has_header=bool(new_value))
        read_again(replace(current, **changes))

    return store

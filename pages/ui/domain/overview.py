"""All columns of the declaration: search, tick, and change several at a time."""

import re
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.domain.column import OUTSIDE as RULE_WORDS
from pages.ui.domain.column import USUAL_RULE, renew
from pages.ui.domain.remarks import questions_of, wrong
from pages.ui.domain.sheet import (
    BINS,
    CELLS,
    HIGH,
    KIND,
    LOW,
    MISSING,
    NAME,
    OUTSIDE,
    RULES,
    TICK,
    USE,
    VALUES,
    Cell,
    Seed,
    Trouble,
    apply_edits,
    write_size,
)
from pages.ui.shell import state
from pages.ui.shell.declaration import Change, split_list
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import percent, say_count
from synth.domain import COLUMN_KINDS, Column, Period

# Views of the list of columns.
ALL = "All"
WAIT = "To decide"
PART = "Taking part"
OPEN = "Not described"
ODD = "With remarks"
OUT = "Left out"
MEND = "To fix"
ALIKE = "Change several columns"
# Keys of the session.
SEED = "sheet"
TROUBLES = "troubles"
TICKED = "ticked"
# Columns of the sheet that show results of a look.
EXAMPLE = "example"
EMPTY = "empty"
LEFT_AS_IT_IS = "as it is"
# Pixels of the list of views.
VIEW_WIDTH = 150
MISSING_WORDS = {True: "have a cell of their own", False: "do not occur"}


def search_columns(draft: Draft, search: str, show: str | None) -> list[str]:
    """Return the names of the columns that are in a view and match a search, in order.

    A term between commas stands for the column of that name, or for all that contain it.

    Args:
        draft: All choices of the session.
        search: The typed text; empty for all columns.
        show: The view, such as ``ALL`` or ``OPEN``; None for all columns.
    """
    names = [f["name"] for f in draft.fields]
    terms = [term.strip().lower() for term in re.split(r"[,;\t\n]", search) if term.strip()]
    # A term that is the whole name of a column stands for that one alone.
    exact = {name.lower() for name in names} & set(terms)
    fragments = [term for term in terms if term not in exact]

    def is_hit(name: str) -> bool:
        """Return whether the name is one of the terms, or contains one."""
        lower = name.lower()
        return not terms or lower in exact or any(term in lower for term in fragments)

    names_in_view = {
        PART: set(draft.chosen_names),
        OPEN: {n for n in names if not isinstance(draft.columns[n], Column)},
        ODD: set(draft.remarks),
        OUT: set(names) - set(draft.chosen_names),
        MEND: set(wrong(draft, troubles())),
        WAIT: set(questions_of(draft, troubles())),
    }.get(show or ALL, set(names))
    return [name for name in names if is_hit(name) and name in names_in_view]


def choose_view() -> None:
    """Show the search and the choice of a view; the header has *Undo*."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Search", key="search", placeholder="names, or parts of names")
        st.selectbox(
            "Show", [ALL, WAIT, PART, OPEN, MEND, ODD, OUT], key="show", width=VIEW_WIDTH
        )


def shown_names(draft: Draft) -> list[str]:
    """Return the names of the columns that the search and the view choose, in order."""
    # The widgets store their values in the session before the page runs.
    return search_columns(
        draft, state.read_value("search") or "", state.read_value("show") or ALL
    )


def spreadsheet(draft: Draft) -> None:
    """Show the columns that the search finds as a spreadsheet to edit."""
    names = shown_names(draft)
    if names:
        _sheet(draft, names)
    else:
        st.info("No column matches.")


def edit_several(draft: Draft) -> None:
    """Show the form that changes all ticked columns; without a tick, all shown ones."""
    names = shown_names(draft)
    ticked = [name for name in names if name in _ticked_names()]
    # Always of this name: an expander of another name would be folded again.
    with st.expander(ALIKE, icon=":material/edit_note:"):
        if names:
            _edit_together(ticked or names, "ticked" if ticked else "shown")
        else:
            st.info("No column matches.")


def _ticked_names() -> frozenset[str]:
    ticked: frozenset[str] = state.read_value(TICKED) or frozenset()
    return ticked


def troubles() -> dict[Cell, Trouble]:
    """Return the refused edits of cells."""
    cell_troubles: dict[Cell, Trouble] = state.read_value(TROUBLES) or {}
    return cell_troubles


def _sheet(draft: Draft, names: list[str]) -> None:
    """Show the named columns as a spreadsheet to edit, one row each.

    The widget keeps its state while it shows what was declared by its own edits. After any
    other change it is drawn anew, with another key.
    """
    # What the widget was drawn from, with the edits that were applied since.
    seed: Seed | None = state.read_value(SEED)
    if seed is None or not seed.shows(draft, names):
        state.advance("overview")
        seed = Seed.from_draft(draft, names, troubles(), ticked=_ticked_names())
        state.write(SEED, seed)
    fields = {f["name"]: f for f in draft.fields}
    rows = [
        {
            **cells_of_row,
            CELLS: write_size(draft.columns[name], fields[name]),
            **_glance(draft, name),
        }
        for name, cells_of_row in zip(names, seed.rows, strict=True)
    ]
    with st.container(key="sheet"):  # a telephone has the cards of single columns instead
        st.data_editor(
            pd.DataFrame(rows),
            hide_index=True,
            height=min(560, 37 + 35 * len(names)),  # in pixels, of the heading and the rows
            key=f"overview_{state.number('overview')}",
            on_change=_take_edits,
            args=(f"overview_{state.number('overview')}",),
            disabled=[NAME, CELLS, EXAMPLE, EMPTY],
            column_order=[*(h for h in _headings() if h in rows[0])],
            column_config=_headings(),
            placeholder="",
            alt=f"{say_count(len(names), 'column')} described.",
        )
        st.caption(
            "Type or paste into the cells. Ctrl+D fills down. For bins type a number, a "
            "period such as month, or edges such as 0; 10; 50."
        )


def _glance(draft: Draft, name: str) -> dict[str, str]:
    """Return a column's most common value and its share of empty cells, by heading. PRIVATE.

    They are results of a look at the rows. Without a look there are no such headings.
    """
    if not draft.look:
        return {}
    profile = draft.look.get(name)
    if profile is None:  # the look was at other columns
        return {EXAMPLE: "", EMPTY: ""}
    return {EXAMPLE: profile.example, EMPTY: percent(profile.empty)}


def _headings() -> dict[str, Any]:
    """Return the configuration of each column of the sheet, by heading and in order.

    The sheet has a row for each column of the table. Widths are in pixels.
    """
    text = st.column_config.TextColumn
    check = st.column_config.CheckboxColumn
    one_of = st.column_config.SelectboxColumn
    return {
        TICK: check("✓", width=42, help="For the controls below."),
        NAME: text("Column", width=120, pinned=True),
        USE: check("Use", width=58, help="Whether it takes part in the synthetic table."),
        KIND: one_of("Kind", width=90, options=[*COLUMN_KINDS]),
        EXAMPLE: text("Example", width=100, help="The most common value. Only you see it."),
        EMPTY: text("Empty", width=64, help="The share of rows without a value."),
        VALUES: text(
            "Values",
            width=190,
            help="Categories between semicolons; of numbers and dates, values with a cell of "
            "their own.",
        ),
        LOW: text("Low", width=76, help="Lowest value."),
        HIGH: text("High", width=76, help="Highest value."),
        BINS: text("Bins", width=60),
        MISSING: check("Missing", width=80, help="Whether missing values have a cell."),
        OUTSIDE: one_of("Outside", width=78, options=[*RULES.values()], help=USUAL_RULE),
        CELLS: text("Cells", width=56),
    }


@state.guard
def _take_edits(key: str) -> None:
    """Apply the edits of the sheet to the draft.

    ``key`` is the key of the widget, which reports all edits since it was drawn. A single
    tick opens the card of that column.
    """
    edited_rows = state.read_value(key)["edited_rows"]
    edits = {int(number): dict(cells) for number, cells in edited_rows.items()}
    seed = state.read_value(SEED)
    new = seed.new(edits)  # without those that were applied before
    edited = apply_edits(
        state.draft(), seed.names, new, troubles=troubles(), ticked=_ticked_names()
    )
    state.put(edited.draft)
    state.write(TROUBLES, edited.troubles)
    state.write(TICKED, edited.ticked)
    state.write(SEED, seed.with_edits(edited.draft, edits, edited.troubles))
    ticks = [seed.names[number] for number, cells in new.items() if cells.get(TICK)]
    # The card of a column is drawn anew if it shows another column, or an edited one.
    if len(ticks) == 1 or any(set(cells) - {TICK} for cells in new.values()):
        renew()
    if len(ticks) == 1:
        state.change(open_column=ticks[0])


def _edit_together(names: list[str], how: str) -> None:
    """Show the controls that change several columns at once.

    Args:
        names: The columns.
        how: How they were chosen, "ticked" or "shown", for the text.
    """
    columns = "the column" if len(names) == 1 else f"the {len(names):,} columns"
    st.caption(
        f"This acts on {columns} {how}. Search above, or tick rows of the spreadsheet, to "
        "choose others."
    )
    keep, leave, only = st.columns(3)
    for place, label, act, icon in (
        (keep, "Take part", "in", ":material/add:"),
        (leave, "Leave out", "out", ":material/remove:"),
        (only, "Only these", "only", ":material/filter_alt:"),
    ):
        place.button(
            label,
            key=f"part_{act}",
            icon=icon,
            on_click=_part,
            args=(names, act),
            width="stretch",
        )
    _common_form(names)


@state.guard
def _part(names: list[str], act: str) -> None:
    """Let columns take part, leave them out, or leave out all others.

    ``act`` is "in", "out" or "only".
    """
    current = state.draft()
    others = {f["name"] for f in current.fields} - set(names)
    left_out = {
        "in": current.left_out - set(names),
        "out": current.left_out | set(names),
        "only": frozenset(others),
    }[act]
    state.change(left_out=frozenset(left_out))
    renew()


def _common_form(names: list[str]) -> None:
    """Show the form of properties that all named columns get; empty fields change nothing."""

    def as_is(key: str) -> dict[str, Any]:
        """Return a widget's key, and the text of an empty field that changes nothing."""
        return {"key": f"all_{key}", "placeholder": LEFT_AS_IT_IS}

    with st.form("alike", border=False, clear_on_submit=True):
        first, second, third = st.columns(3)
        first.selectbox("Kind for all", [*COLUMN_KINDS], None, **as_is("kind"))
        second.text_input("Minimum", **as_is("minimum"))
        third.text_input("Maximum", **as_is("maximum"))
        first, second, third = st.columns(3)  # a row of its own, for the order of the Tab key
        first.number_input("Bins", min_value=1, value=None, step=1, **as_is("bins"))
        periods = [period.value for period in Period]
        second.selectbox("Bins by the calendar", periods, None, **as_is("period"))
        third.selectbox(
            "Missing values",
            [True, False],
            None,
            format_func=MISSING_WORDS.__getitem__,
            **as_is("missing"),
        )
        st.selectbox(
            "Values outside",
            [*RULE_WORDS],
            None,
            format_func=RULE_WORDS.__getitem__,
            help=USUAL_RULE,
            **as_is("outside"),
        )
        st.text_area(
            "Categories: a list, or a code and its label on each line", **as_is("codes")
        )
        st.form_submit_button(
            f"Declare {say_count(len(names), 'column')}", on_click=_declare, args=(names,)
        )


@state.guard
def _declare(names: list[str]) -> None:
    """Change the declaration of several columns by the values of the form.

    A notice says how many changed.
    """
    # Each field of `Change` has a widget of the form.
    typed = {key: state.read_value(f"all_{key}") for key in Change.__dataclass_fields__}
    change = Change(**{key: value for key, value in typed.items() if value is not None})
    current = state.draft()
    fields = {name: change.apply(current.field_of(name)) for name in names}
    changed = {name: new for name, new in fields.items() if new != current.field_of(name)}
    state.put(current.with_fields(changed))
    renew()
    unchanged = len(names) - len(changed)
    notice = f"{say_count(len(changed), 'column')} declared anew"
    if unchanged:
        notice += f"; {say_count(unchanged, 'column')} stayed as before"
    state.notice(f"{notice}.")


def missing_spellings(draft: Draft) -> None:
    """Show the field for the spellings of a missing value, separated by commas.

    The empty cell is kept as a spelling if it is one; the field does not show it.
    """
    empty = tuple(spelling for spelling in draft.missing_values if not spelling)

    def store(text: str) -> None:
        """Replace all spellings but the empty one by those in the text, each once."""
        state.change(missing_values=empty + tuple(dict.fromkeys(split_list(text))))

    st.text_input(
        "Spellings of a missing value (an empty cell counts too)"
        if empty
        else "Missing values",
        placeholder="?, NA, unknown",
        **state.tie("missing_values", ", ".join(filter(None, draft.missing_values)), store),
    )

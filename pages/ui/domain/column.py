"""The form of one column: its declaration; each change goes to the draft at once."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui.domain.sheet import items, write_list
from pages.ui.shell import state
from pages.ui.shell.declaration import (
    USUAL,
    Field,
    code_book,
    code_of,
    split_list,
    with_book,
    with_constraint,
    with_cut,
    with_key,
    with_kind,
    with_missing,
    with_signs,
    with_spikes,
)
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from synth.domain import COLUMN_KINDS, CUTS, Column, Period, example_of, name_kind
from synth.foreign import in_markdown

OUTSIDE = {
    USUAL: "follow the usual rule",
    "nearest": "go to the nearest bound",
    "missing": "go to the missing cell",
    "cell": "get a cell of their own",
    "drop": "drop their row",
}
USUAL_RULE = (
    "Usual: numbers and dates go to the nearest bound. Values not on the list count as "
    "missing; if the column has no missing cell, Synth drops the row."
)
SHOWN_CELLS = 8
SHOWN_TITLE = 40


def column_form(draft: Draft, name: str) -> None:
    """Show the form of one column: its properties, its cells, and a remark on it.

    Every change goes into the draft at once. A cell is a value or range that is counted.
    """
    new = draft.field_of(name)
    kind = name_kind(new)
    st.selectbox(
        "Kind",
        [*COLUMN_KINDS],
        placeholder="Choose a kind",
        **_tie(name, "kind", kind, make=with_kind),
    )
    if kind is not None:
        # The inputs of this kind, such as bounds, each with an example for its empty field.
        for part, example in COLUMN_KINDS[kind].asks.items():
            FORM[part](name, new, example)
        _common(name, new, COLUMN_KINDS[kind])
        _preview(draft.columns[name])
    # The card says by itself why a column is out, and a remark would say it once more.
    looked = draft.look.get(name)
    if looked is not None and not looked.left_out:
        st.caption(in_markdown(f"By the rows, it {looked.reason}."))
    if name in draft.remarks and looked is None:
        st.warning(
            in_markdown(f"This column {draft.remarks[name]}."), icon=":material/block:"
        )


def _tie(
    name: str, widget: str, value: Any, *, make: Callable[[Field, Any], Field]
) -> dict[str, Any]:
    """Return arguments for a widget that tie it to a property of a column.

    Args:
        name: The column.
        widget: The property's name in the widget's key.
        value: The value that the widget shows now.
        make: It takes the column's present field and the new value, and returns a new field.
    """

    def store(new_value: Any) -> None:
        """Write the widget's value into the present field, and replace that in the draft."""
        current = state.draft()
        changed = current.with_field(name, make(current.field_of(name), new_value))
        # The card stays, also if it was open only as the first one that needs a decision.
        state.put(replace(changed, open_column=name))

    return state.tie(_key(name, widget), value, store)


def _key(name: str, widget: str) -> str:
    """Return a widget's key from the column's and the property's name.

    It has a number that `renew` advances. A late report of the browser about a widget drawn
    before then concerns another key, and undoes nothing.
    """
    version = state.number("card")
    key = f"column {name} {widget}"
    return f"{key} {version}" if version else key


def renew() -> None:
    """Draw all forms anew, from the draft."""
    state.advance("card")


def _categories(name: str, new: Field, example: str) -> None:
    """Show the fields for a column's categories, their labels and whether they have an order.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        example: A text for the empty field of codes with labels.
    """
    codes = list(map(str, new.get("constraints", {}).get("enum", [])))
    st.text_area(
        "Categories, one a line (paste a list)",
        height=150,
        **_tie(
            name,
            "enum",
            "\n".join(codes),
            make=_set_codes,
        ),
    )
    with st.expander("Paste codes with labels"):
        st.text_area(
            "A code and its label on each line",
            placeholder=example,
            help="It replaces the list above. The synthetic table holds the codes; labels "
            "are shown on screens and in the data dictionary.",
            **_tie(name, "book", "", make=_set_book),
        )
    if new.get("synth:open_list"):
        st.button(
            "These are all values",
            on_click=_close_list,
            args=(name,),
            key=_key(name, "close list"),
            help="The list has the values with a label. If there are no others, say so; else "
            "look at the data.",
        )
    ordered = bool(new.get("categoriesOrdered"))
    st.checkbox(
        "The order means something, from least to most",
        **_tie(
            name,
            "ordered",
            ordered,
            make=_set_order,
        ),
    )


def _close_list(name: str) -> None:
    """Record that a column has no other values than its listed ones."""
    current = state.draft()
    closed = with_key(current.field_of(name), "synth:open_list", None)
    state.put(current.with_field(name, with_key(closed, "synth:outside", None)))
    renew()


def _set_codes(new: Field, text: str) -> Field:
    return with_constraint(new, "enum", split_list(text))


def _set_book(new: Field, text: str) -> Field:
    return with_book(new, code_book(text))


def _set_order(new: Field, is_ordered: bool) -> Field:
    return with_key(new, "categoriesOrdered", is_ordered)


def _spellings(name: str, new: Field, _example: str) -> None:
    """Show the fields for the spellings of yes and no in a column of truth values.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        _example: Not used; every function of ``FORM`` takes an example.
    """
    no_place, yes_place = st.columns(2)
    no_place.text_input(
        "Spellings of no",
        placeholder="false, 0",
        **_tie_spelling(name, new, "falseValues"),
    )
    yes_place.text_input(
        "Spellings of yes",
        placeholder="true, 1",
        **_tie_spelling(name, new, "trueValues"),
    )


def _tie_spelling(name: str, new: Field, key: str) -> dict[str, Any]:
    """Return arguments that tie a text field to a list of spellings in a column's field.

    ``key`` is the property, ``trueValues`` or ``falseValues``. The text separates them by
    commas.
    """

    def make(field: Field, text: str) -> Field:
        return with_key(field, key, split_list(text))

    return _tie(name, key, ", ".join(new.get(key, [])), make=make)


def _tie_bound(key: str) -> Callable[[Field, str], Field]:
    """Return a function of a field and a typed bound that returns the field with the bound.

    ``key`` is ``minimum`` or ``maximum``. An empty text removes the bound.
    """

    def make(field: Field, text: str) -> Field:
        return with_constraint(field, key, text.strip())

    return make


def _bounds(name: str, new: Field, example: str) -> None:
    """Show the fields for the lowest and the highest value of a column.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        example: A text for empty fields.
    """
    constraints = new.get("constraints", {})
    for place, key in zip(st.columns(2), ("minimum", "maximum"), strict=True):
        tied = _tie(name, key, str(constraints.get(key, "")), make=_tie_bound(key))
        place.text_input(key.capitalize(), placeholder=example, **tied)


def _spikes(name: str, new: Field, example: str) -> None:
    """Show the field for values of a numeric column that are counted by themselves.

    Such values are shared by many rows, or are codes. All others are counted in bins.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        example: A text for the empty field.
    """
    spikes = ", ".join(map(code_of, new.get("synth:spikes", [])))
    st.text_input(
        "Values with a cell of their own",
        placeholder=example,
        help="Values that many rows may share, or codes among the numbers, from the data "
        "dictionary. They may lie outside the bounds.",
        **_tie(name, "spikes", spikes, make=_set_spikes),
    )


def _set_spikes(new: Field, text: str) -> Field:
    return with_spikes(new, split_list(text))


def _signs(name: str, new: Field, example: str) -> None:
    """Show the field for texts of a column of numbers or dates that are no values.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        example: A text for the empty field.
    """
    signs = write_list(map(code_of, new.get("synth:signs", [])))
    st.text_input(
        "Signs with a cell of their own",
        placeholder=example,
        help="Texts that are no numbers or dates, such as <5 or *refused*. Means, sums and "
        "comparisons leave them out. Separate them by commas, or by semicolons if a sign has "
        "a comma.",
        **_tie(name, "signs", signs, make=_set_signs),
    )


def _set_signs(new: Field, text: str) -> Field:
    return with_signs(new, items(text))


def _bins(name: str, new: Field, example: str) -> None:
    """Show the fields for the number of bins of a column, or for their edges.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        example: A text for the empty field of edges.
    """
    number_place, edges_place = st.columns(2)
    # Bins by edges or by the calendar replace a number of bins, the first of CUTS.
    other_cut = next((key for key in CUTS[1:] if key in new), None)
    number_place.number_input(
        "Bins",
        min_value=1,
        step=1,
        placeholder="default" if other_cut is None else "-",
        **_tie(
            name,
            "bins",
            new.get("synth:bins"),
            make=_set_bins,
        ),
    )
    edges = ", ".join(map(str, new.get("synth:edges", [])))
    edges_place.text_input(
        "Or bin edges",
        placeholder=example,
        help="Ascending; the first and the last are the bounds.",
        **_tie(name, "edges", edges, make=_set_edges),
    )


def _set_bins(new: Field, count: float | None) -> Field:
    return with_cut(new, "synth:bins", None if count is None else int(count))


def _set_edges(new: Field, text: str) -> Field:
    return with_cut(new, "synth:edges", split_list(text))


def _calendar(name: str, new: Field, example: str) -> None:
    """Show the fields for the format of dates, and for bins such as months.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        example: A text for the empty field of the format.
    """
    format_place, period_place = st.columns(2)
    format_place.text_input(
        "Date format, by an example",
        placeholder=example,
        help="A date as the file writes it, such as 23-May-14 or 31.12.2019 14:05; or a "
        "pattern such as %d.%m.%Y. Empty for 2025-01-31. An offset such as +02:00 or Z is %z "
        "in a pattern.",
        **_tie(name, "format", _example(new), make=_set_format),
    )
    period = new.get("synth:period")
    period_place.selectbox(
        "Bins by the calendar",
        [period.value for period in Period],
        placeholder="no",
        **_tie(name, "period", period, make=_set_period),
    )

    pattern = str(new.get("format", ""))
    if "z" in pattern or "synth:zone" in new:
        _zone(name, new)
    if "%y" in pattern or "synth:pivot" in new:
        _pivot(name, new)


def _zone(name: str, new: Field) -> None:
    """Show the field for the time zone of a column whose texts have offsets.

    ``new`` is the column's field of the Table Schema.
    """
    st.text_input(
        "Time zone",
        placeholder="UTC, +02:00 or Europe/Berlin",
        help="Each cell is read by its own offset. Days and months, and the synthetic texts, "
        "are those of this zone.",
        **_tie(name, "zone", str(new.get("synth:zone", "")), make=_set_zone),
    )


def _set_zone(new: Field, zone: str) -> Field:
    return with_key(new, "synth:zone", zone.strip())


def _pivot(name: str, new: Field) -> None:
    """Show the field for the first of the hundred years that two digits mean.

    ``new`` is the column's field of the Table Schema.
    """
    st.number_input(
        "First year that two digits mean",
        min_value=1,
        max_value=9900,
        step=1,
        placeholder="by the bounds",
        help="With 1930, 44 is 1944 and 29 is 2029. Empty: the year of the minimum, or 1969 "
        "if all years lie in 1969 to 2068.",
        **_tie(name, "pivot", new.get("synth:pivot"), make=_set_pivot),
    )


def _set_pivot(new: Field, year: float | None) -> Field:
    return with_key(new, "synth:pivot", None if year is None else int(year))


def _clock(name: str, new: Field, example: str) -> None:
    """Show the field for the format of times of day, or of durations.

    Args:
        name: The column.
        new: The column's field of the Table Schema, as it will be stored.
        example: A text for the empty field.
    """
    pattern = new.get("format", "")
    st.text_input(
        "Format",
        placeholder=example,
        help="Times of day: %H:%M, %H:%M:%S or %-I:%M %p. Durations: %-H:%M:%S for 26:05:00, "
        "%H:%M, %M:%S, %d days, %d days %H:%M:%S; empty for PT1H5M.",
        **_tie(name, "format", "" if pattern == "default" else pattern, make=_set_format),
    )


def _set_format(new: Field, text: str) -> Field:
    return with_key(new, "format", text.strip())


def _set_period(new: Field, period: str | None) -> Field:
    return with_cut(new, "synth:period", period)


def _example(new: Field) -> str:
    pattern = new.get("format", "")
    return "" if pattern in ("default", "any") else example_of(pattern)


def _common(name: str, new: Field, kind: type[Column]) -> None:
    """Show the options of every column: missing values, and the rule for values outside.

    The rule is for values that are not declared. ``new`` is the column's field of the Table
    Schema, ``kind`` the class of its kind.
    """
    missing = not new.get("constraints", {}).get("required", False)
    st.checkbox(
        "Missing values have a cell of their own",
        **_tie(
            name,
            "missing",
            missing,
            make=_set_missing_cell,
        ),
    )
    codes = (str(code_of(code)) for code in new.get("missingValues", []))
    st.text_input(
        "Spellings of a missing value in this column",
        placeholder="as in the other columns",
        help="Codes such as 98, 99 that mean a missing value here, and a value in other "
        "columns. An empty cell counts too. Leave it empty to use the spellings of all "
        "columns.",
        **_tie(name, "missing codes", ", ".join(filter(None, codes)), make=_set_missing),
    )
    st.selectbox(
        "Values outside",
        [rule for rule in OUTSIDE if rule in (USUAL, *kind.rules)],
        format_func=lambda rule: OUTSIDE[rule],
        help=USUAL_RULE,
        **_tie(
            name,
            "outside",
            new.get("synth:outside", USUAL),
            make=_set_outside,
        ),
    )


def _set_missing_cell(new: Field, has_cell: bool) -> Field:
    return with_constraint(new, "required", not has_cell)


def _set_missing(new: Field, text: str) -> Field:
    return with_missing(new, split_list(text))


def _set_outside(new: Field, rule: str) -> Field:
    return with_key(new, "synth:outside", None if rule == USUAL else rule)


def _clip_title(title: str) -> str:
    return title if len(title) <= SHOWN_TITLE else f"{title[: SHOWN_TITLE - 1]}…"


def _preview(column: Column | Exception) -> None:
    """Show a declared column's cells; or the error in its declaration."""
    if not isinstance(column, Column):
        # How files name a property is of no use on a form.
        sentence = re.sub(r" \(constraints\.\w+\)", "", str(column))
        st.warning(in_markdown(sentence), icon=":material/edit:")
        return
    st.caption(in_markdown(shown_cells(column)))


def shown_cells(column: Column) -> str:
    """Return the number of a column's cells and the first titles: "2 cells: a | b"."""
    cells = [_clip_title(title) for title in column.titles[:SHOWN_CELLS]]
    if column.size > SHOWN_CELLS:
        cells.append("…")
    return f"{say_count(column.size, 'cell')}: {' | '.join(cells)}"


# Widgets for the properties of a kind of column (`Column.asks`).
FORM: Mapping[str, Callable[[str, Field, str], None]] = {
    "categories": _categories,
    "spellings": _spellings,
    "bounds": _bounds,
    "calendar": _calendar,
    "clock": _clock,
    "bins": _bins,
    "spikes": _spikes,
    "signs": _signs,
}

"""The inputs that are more than one widget: the form of one column."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui import state
from pages.ui.draft import (
    KINDS,
    Draft,
    Field,
    escaped,
    kind_of,
    listed,
    with_constraint,
    with_key,
    with_kind,
)
from synth.domain import Column

USUAL = "usual"
OUTSIDE = {
    USUAL: "follow the usual rule",
    "nearest": "go to the nearest bound",
    "missing": "go to the missing cell",
    "cell": "get a cell of their own",
    "drop": "drop their row",
}
SHOWN_CELLS = 8


def column_form(draft: Draft, name: str) -> None:
    """The form of one column's declaration; every change goes to the draft at once."""
    new = draft.field_of(name)
    kind = kind_of(new)
    st.selectbox(
        "Kind",
        [*KINDS],
        placeholder="Choose what the column holds",
        **_tied(name, "kind", kind, with_kind),
    )
    if kind is None:
        return
    if kind == "categorical":
        _categories(name, new)
    elif kind == "boolean":
        _spellings(name, new)
    else:
        _bounds(name, new, kind)
    _common(name, new, kind)
    _preview(draft.columns[name])


def missing_spellings(draft: Draft) -> None:
    """The spellings that stand for a missing value, in every column; an empty cell does anyway."""
    empty = tuple(m for m in draft.missing_values if not m)

    def store(text: str) -> None:
        state.change(missing_values=empty + tuple(dict.fromkeys(listed(text))))

    st.text_input(
        "Spellings of a missing value, besides an empty cell" if empty else "Missing values",
        placeholder="?, NA, unknown",
        **state.tied("missing_values", ", ".join(filter(None, draft.missing_values)), store),
    )


def _tied(name: str, what: str, value: Any, make: Callable[[Field, Any], Field]) -> dict[str, Any]:
    """Tie a widget to a part of one column's field, as the field is when the widget changes."""

    def store(said: Any) -> None:
        now = state.draft()
        state.put(now.with_field(name, make(now.field_of(name), said)))

    return state.tied(f"column {name} {what}", value, store)


def _categories(name: str, new: Field) -> None:
    st.text_area(
        "Categories, one a line (paste a list)",
        height=180,
        **_tied(
            name,
            "enum",
            "\n".join(map(str, new["constraints"].get("enum", []))),
            lambda now, text: with_constraint(now, "enum", listed(text)),
        ),
    )


def _spellings(name: str, new: Field) -> None:
    for place, (key, word, usual) in zip(
        st.columns(2),
        (("falseValues", "no", "false, 0"), ("trueValues", "yes", "true, 1")),
        strict=True,
    ):
        place.text_input(
            f"Spellings of {word}",
            placeholder=usual,
            **_tied(
                name,
                key,
                ", ".join(new.get(key, [])),
                lambda now, text, key=key: with_key(now, key, listed(text)),
            ),
        )


def _bounds(name: str, new: Field, kind: str) -> None:
    example = "2025-01-31" if kind.startswith("date") else "0"
    constraints = new["constraints"]
    places = st.columns(3)
    for place, key in zip(places, ("minimum", "maximum"), strict=False):
        place.text_input(
            key.capitalize(),
            placeholder=example,
            **_tied(
                name,
                key,
                str(constraints.get(key, "")),
                lambda now, text, key=key: with_constraint(now, key, text.strip()),
            ),
        )
    places[2].number_input(
        "Bins",
        min_value=1,
        step=1,
        placeholder="default",
        disabled="synth:edges" in new,
        **_tied(
            name,
            "bins",
            new.get("synth:bins"),
            lambda now, count: with_key(now, "synth:bins", None if count is None else int(count)),
        ),
    )
    st.text_input(
        "Or the edges of the bins, ascending",
        placeholder="0, 10, 20, 50, 100" if not kind.startswith("date") else "",
        **_tied(
            name,
            "edges",
            ", ".join(map(str, new.get("synth:edges", []))),
            lambda now, text: _with_edges(now, listed(text)),
        ),
    )


def _with_edges(new: Field, edges: list[str]) -> Field:
    """Edges set the bounds and stand in for a number of bins."""
    if not edges:
        return with_key(new, "synth:edges", None)
    for key, value in (("minimum", edges[0]), ("maximum", edges[-1])):
        new = with_constraint(new, key, value)
    return with_key(with_key(new, "synth:bins", None), "synth:edges", edges)


def _common(name: str, new: Field, kind: str) -> None:
    st.checkbox(
        "Missing values have a cell of their own",
        **_tied(
            name,
            "missing",
            not new["constraints"].get("required", False),
            lambda now, yes: with_constraint(now, "required", not yes),
        ),
    )
    listed_kind = kind in ("categorical", "boolean")
    rules = [r for r in OUTSIDE if not (listed_kind and r == "nearest")]
    st.selectbox(
        "Values outside",
        rules,
        format_func=lambda rule: OUTSIDE[rule],
        help="Usual: numbers and dates go to the nearest bound; what is not listed goes to the "
        "missing cell, or its row is dropped where there is none.",
        **_tied(
            name,
            "outside",
            new.get("synth:outside", USUAL),
            lambda now, rule: with_key(now, "synth:outside", None if rule == USUAL else rule),
        ),
    )


def _preview(column: Column | Exception) -> None:
    """The cells of the column, or what is wrong with its declaration."""
    if not isinstance(column, Column):
        st.warning(escaped(str(column)), icon=":material/edit:")
        return
    cells = list(column.cells[:SHOWN_CELLS])
    more = ["…"] if column.size > SHOWN_CELLS else []
    st.caption(escaped(f"{column.size:,} cells: {', '.join(cells + more)}"))

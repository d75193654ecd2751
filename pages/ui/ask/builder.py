"""Pickers that write a question for you."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.shell import state
from synth.domain import Binned, Column
from synth.foreign import in_markdown
from synth.questions import name_text, value_text

KINDS = {
    "Number of rows": "count",
    "Share of rows": "share",
    "Mean": "mean",
    "Total": "total",
    "Median": "median",
    "Most frequent value": "top",
}
SIGNS = {"is": "=", "is not": "!=", "is at least": ">=", "is at most": "<="}
_NONE = "All rows"


def build_question(
    columns: Sequence[Column], key: str, label: str, *, act: Callable[[str], None]
) -> None:
    """Show pickers that compose a question, and a button that hands its text to ``act``.

    Args:
        columns: The columns that a question may name.
        key: A prefix for the keys of the widgets.
        label: The text on the button.
        act: It takes the composed question; an error that it raises is shown on the page.
    """
    with st.expander("Build a question", icon=":material/tune:"):
        pickers = _line_of_pickers()
        kind = KINDS[pickers.selectbox("Kind", list(KINDS), key=f"{key} kind")]
        numbers = [c.name for c in columns if isinstance(c, Binned)]
        names = [c.name for c in columns]
        # Most kinds are about a number; the most frequent value can be of any column, and
        # counts and shares are about rows.
        candidates = numbers
        if kind == "top":
            candidates = names
        elif kind in ("count", "share"):
            candidates = []
        column = None
        if candidates:
            with pickers.container(key=f"names {key} of"):
                column = st.selectbox("Column", candidates, key=f"{key} of")
        groups: list[str] = []
        if kind in ("count", "mean", "total"):
            with pickers.container(key=f"names {key} by"):
                groups = st.multiselect("For each", names, key=f"{key} by", max_selections=3)
        where = _condition(columns, key)
        # A mean or total of a column by the same column would say nothing new.
        text = question_text(
            kind, column, [name for name in groups if name != column], where=where
        )
        if not text:
            st.caption("Choose a column, or the rows of the share.")
            return
        st.code(text, language=None, wrap_lines=True)
        st.button(label, key=f"{key} act", on_click=state.guard(act), args=(text,))


def _line_of_pickers() -> DeltaGenerator:
    """Return a place for pickers side by side; what is too narrow begins a line."""
    return st.container(horizontal=True, vertical_alignment="bottom")


def _condition(columns: Sequence[Column], key: str) -> str:
    """Show pickers for a condition on one column; return it as text, empty for all rows.

    An example is ``age >= 65``. ``key`` is a prefix for the keys of the widgets.
    """
    pickers = _line_of_pickers()
    by_name = {column.name: column for column in columns}
    with pickers.container(key=f"names {key} where"):
        name = st.selectbox("Rows", [_NONE, *by_name], key=f"{key} where")
    column = by_name.get(name or "")
    if column is None:
        return ""
    # Only columns whose values have an order can be compared by "at least" and "at most".
    signs = [
        sign for sign in SIGNS if column.extent is not None or SIGNS[sign] in ("=", "!=")
    ]
    sign = pickers.selectbox("Comparison", signs, key=f"{key} sign")
    if isinstance(column, Binned):
        value = pickers.text_input(
            "Value", str(column.minimum), key=f"{key} value {column.name}"
        )
    else:
        # Titles are what people read. Those of further cells, such as for missing values,
        # have no label and are cut off.
        titles = dict(zip(column.labels, column.titles, strict=False))
        with pickers.container(key=f"names {key} among"):
            value = st.selectbox(
                "Value",
                column.labels,
                format_func=lambda value: in_markdown(titles[value]),
                key=f"{key} among",
            )
    return f"{name_text(column.name)} {SIGNS[sign]} {value_text(str(value))}"


def question_text(kind: str, column: str | None, groups: Sequence[str], *, where: str) -> str:
    """Return the text of the picked question; empty if it is incomplete.

    Args:
        kind: One of the values of ``KINDS``, such as ``count`` or ``mean``.
        column: The column it is about; None for a count or a share.
        groups: Columns by whose values the rows are grouped.
        where: A condition on the rows as text; empty for all rows.

    >>> (
    ...     question_text("mean", "age", ["sex"], where="income >= 10"),
    ...     question_text("share", None, [], where=""),
    ... )
    ('mean age by sex where income >= 10', '')
    >>> question_text("count", None, ["sex", "region"], where="")
    'table sex, region'
    """
    by = ", ".join(map(name_text, groups))
    if kind == "count":
        text = f"table {by}" if by else "count"
    elif kind == "share":
        text = "share"
    elif kind == "top":
        text = f"top 1 {name_text(column or '')}"
    else:
        text = f"{kind} {name_text(column or '')}"
    # A share needs a condition, a count nothing, and any other kind a column.
    is_complete = bool(where) if kind == "share" else kind == "count" or bool(column)
    if not is_complete:
        return ""
    if by and kind in ("mean", "total"):
        text += f" by {by}"
    if where:
        text += f" where {where}"
    return text

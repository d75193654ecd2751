"""Pickers that write a question for you."""

from collections.abc import Callable, Sequence

import streamlit as st

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
    with st.expander("Build a question", icon=":material/tune:"):
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        kind = KINDS[left.selectbox("What", list(KINDS), key=f"{key} kind")]
        numbers = [c.name for c in columns if isinstance(c, Binned)]
        names = [c.name for c in columns]
        listed = names if kind == "top" else [] if kind in ("count", "share") else numbers
        column = middle.selectbox("Column", listed, key=f"{key} of") if listed else None
        groups: list[str] = []
        if kind in ("count", "mean", "total"):
            groups = right.multiselect("For each", names, key=f"{key} by", max_selections=3)
        where = _condition(columns, key)
        text = question_text(
            kind, column, [one for one in groups if one != column], where=where
        )
        if not text:
            st.caption("Choose a column, or the rows of the share.")
            return
        st.code(text, language=None, wrap_lines=True)
        st.button(label, key=f"{key} act", on_click=state.guard(act), args=(text,))


def _condition(columns: Sequence[Column], key: str) -> str:
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    by_name = {column.name: column for column in columns}
    name = left.selectbox("Rows where", [_NONE, *by_name], key=f"{key} where")
    column = by_name.get(name or "")
    if column is None:
        return ""
    signs = [
        sign for sign in SIGNS if column.extent is not None or SIGNS[sign] in ("=", "!=")
    ]
    sign = middle.selectbox("Comparison", signs, key=f"{key} sign")
    if isinstance(column, Binned):
        value = right.text_input(
            "Value", str(column.minimum), key=f"{key} value {column.name}"
        )
    else:
        titles = dict(zip(column.labels, column.titles, strict=False))
        value = right.selectbox(
            "Value",
            column.labels,
            format_func=lambda v: in_markdown(titles[v]),
            key=f"{key} among",
        )
    return f"{name_text(column.name)} {SIGNS[sign]} {value_text(str(value))}"


def question_text(kind: str, column: str | None, groups: Sequence[str], *, where: str) -> str:
    """Return the picked question; empty if it is incomplete.

    >>> (
    ...     question_text("mean", "age", ["sex"], where="income >= 10"),
    ...     question_text("share", None, [], where=""),
    ... )
    ('mean age by sex where income >= 10', '')
    >>> question_text("count", None, ["sex", "region"], where="")
    'table sex, region'
    """
    if not (where if kind == "share" else column or kind == "count"):
        return ""
    by = ", ".join(map(name_text, groups))
    if kind == "count":
        words = [f"table {by}" if by else "count"]
    elif kind == "share":
        words = ["share"]
    else:
        words = [kind, *["1"] * (kind == "top"), name_text(column or "")]
        words += [f"by {by}"] * bool(by and kind in ("mean", "total"))
    return " ".join([*words, *[f"where {where}"] * bool(where)])

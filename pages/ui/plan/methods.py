"""How the table is modelled: the method, what it needs, and what automatic makes of it."""

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import short
from synth.estimate import FAVOURS, RECIPES, Method, histogram_is_small
from synth.plans import Plan

DELTAS = {
    "": "None: the promise holds always",
    "1e-12": "1e-12: it may fail once in a trillion",
    "1e-9": "1e-9: it may fail once in a billion",
    "1e-6": "1e-6: it may fail once in a million",
}


def method(draft: Draft) -> None:
    """The method, its groups where it takes any, and delta where it can be used."""
    st.selectbox(
        "How the table is modelled",
        [*RECIPES],
        format_func=lambda m: RECIPES[m].label,
        **state.tied_choice("method"),
    )
    if draft.method == Method.GROUPS:
        _groups(draft)
    if RECIPES[draft.method].by_model:
        _delta(draft)


def _delta(draft: Draft) -> None:
    choices = [*dict.fromkeys((*DELTAS, draft.delta))]
    st.selectbox(
        "Chance that the promise fails (delta)",
        choices,
        format_func=lambda text: DELTAS.get(text, text),
        accept_new_options=True,
        help="Pure epsilon has none, and is the stronger promise. With a delta, many pairs can be "
        "measured with less noise each. It must be far below 1 over the number of rows, or of "
        "persons where a column says whose they are. Type any other value, such as 1e-10. A "
        "histogram makes no use of it.",
        **state.tie("choice_delta", draft.delta, lambda text: state.change(delta=text or "")),
    )


def favour() -> None:
    """What rows that are settled on pairs are nearest to."""
    st.selectbox(
        "What the rows are nearest to",
        [*FAVOURS],
        format_func=lambda f: FAVOURS[f],
        help="Noise leaves associations a little weaker than they are. Favoured, they come out "
        "about as strong, which correlations, regressions and classifiers inherit; a few more "
        "rows are then in the wrong place. It costs no privacy: only noisy counts are used. The "
        "forecast is of the choice *Counts*. A histogram and columns alone make no use of it.",
        **state.tied_choice("favour"),
    )


def predict(draft: Draft) -> None:
    """The column that analysts will predict."""
    shown = draft.predict if draft.predict in draft.predictable else ""
    st.selectbox(
        "What will analysts predict?",
        ["", *draft.predictable],
        format_func=lambda name: name or "Nothing in particular: all pairs matter alike",
        help="Name the column, such as income, if the rows are to train models of it. More of "
        "the budget then goes to its pairs with the other columns, and what it depends on comes "
        "out truer; the other pairs get less. The promise is the same. The certificate names it. "
        "The forecast is of *Nothing in particular*. A histogram and columns alone make no use "
        "of it.",
        **state.tie("choice_predict", shown, lambda name: state.change(predict=name)),
    )


def _groups(draft: Draft) -> None:
    """One list for each group, and an empty one for the next."""
    st.markdown(
        "Columns of one group keep all their links. A column may be in several groups; it then "
        "ties them together."
    )
    for number, group in enumerate((*draft.groups, ())):

        def store(names: list[str], number: int = number) -> None:
            groups = [*state.draft().groups, ()]
            groups[number] = tuple(names)
            state.change(groups=tuple(group for group in groups if group))

        st.multiselect(
            f"Group {number + 1}",
            [*dict.fromkeys((*draft.chosen_names, *group))],
            placeholder="Choose the columns of one more group",
            **state.tie(f"group {number}", list(group), store),
        )


def chosen_in_words(plan: Plan, method: str | None) -> str:
    """What automatic makes of the public numbers.

    Args:
        plan: The plan.
        method: What it would follow in the end; None where the number of rows is not known.
    """
    cells = short(plan.domain.size)
    if plan.cell_noise is not None:
        return (
            f"Automatic takes the **histogram** of all {cells} cells here: it promises no more "
            "error than measuring pairs of columns would."
        )
    if method == Method.DENSE:
        return (
            f"Automatic takes the **histogram** of all {cells} cells here: so many rows outweigh "
            "its noise."
        )
    if method is None and histogram_is_small(plan.domain.shape, plan.most_cells):
        return (
            f"Automatic decides by the number of rows: the **histogram** of all {cells} cells if "
            "they outweigh its noise; else the **pairs of columns** worth their cost, or "
            "columns alone if noise drowns the pairs."
        )
    start = f"Automatic leaves the histogram of all {cells} cells, as smaller tables are surer"
    if method == Method.INDEPENDENT:
        return f"{start}. At this epsilon pairs would be noise too, so it takes **columns alone**."
    more = ", or columns alone if noise drowns the pairs" if method is None else ""
    return f"{start}. It measures columns and the **pairs of columns** worth their cost{more}."

"""What all answers together may cost: epsilon or rho, perhaps a delta, and under which relation."""

import streamlit as st

from pages.ui.data.unit import choose_neighbours
from pages.ui.shell import state
from pages.ui.shell.ask_choices import Measure, find_fault
from pages.ui.shell.draft import Draft
from synth import limits
from synth.foreign import in_markdown
from synth.privacy import spell

MEASURES = {Measure.EPSILON: "Epsilon", Measure.RHO: "Rho (zCDP)"}


def budget(draft: Draft) -> None:
    """The guarantee, and whom it protects."""
    st.header("Budget")
    measure, amount, delta, rows = st.columns([3, 2, 2, 3], vertical_alignment="bottom")
    with measure:
        _choice("Counted in", "measure")
    with amount:
        st.text_input(
            MEASURES[draft.asking.measure],
            help="For all answers together. Any exact value, such as 0.3 or 1/3.",
            **state.tie("ask amount", draft.asking.amount, lambda v: state.choose(amount=v)),
        )
    with delta:
        st.text_input(
            "Delta (may be empty)",
            placeholder="0",
            disabled=draft.asking.measure is Measure.RHO,
            help="With a delta such as 1e-9 Gaussian noise may be used; many answers at once then "
            "cost less.",
            **state.tie("ask delta", draft.asking.delta, lambda v: state.choose(delta=v)),
        )
    rows.number_input(
        "About how many rows?",
        help="Your own figure; the table is not counted. The forecast depends on it.",
        min_value=0,
        max_value=limits.ROWS_MAX,
        step=1000,
        **state.tied_choice("about_rows"),
    )
    if why := find_fault(draft.asking):
        st.error(in_markdown(why), icon=":material/edit:")
    _protects(draft)


def _choice(label: str, name: str) -> None:
    st.segmented_control(
        label,
        [*MEASURES],
        format_func=lambda m: MEASURES[m],
        required=True,
        **state.tie(
            f"ask {name}", getattr(state.draft().asking, name), lambda v: state.choose(**{name: v})
        ),
    )


def _protects(draft: Draft) -> None:
    """Whom the guarantee protects, in one line, and the relation to choose."""
    whom = f"all rows of one person, by the column '{draft.person}'" if draft.person else "one row"
    said = "" if find_fault(draft.asking) else f" {spell(draft.asking.guarantee).capitalize()}."
    st.caption(
        in_markdown(f"The guarantee protects {whom}; neighbours: {draft.neighbors.value}.{said}")
    )
    with st.expander("What the guarantee compares", icon=":material/compare_arrows:"):
        choose_neighbours(draft)
        st.caption("The step Data says whose rows they are.")

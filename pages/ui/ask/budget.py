"""The budget of all answers together: epsilon or rho, a delta, and the relation."""

import streamlit as st

from pages.ui.data.unit import choose_neighbours
from pages.ui.shell import state
from pages.ui.shell.ask_choices import Measure, find_fault
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import ask_rows
from synth.foreign import in_markdown
from synth.privacy import spell

MEASURES = {Measure.EPSILON: "Epsilon", Measure.RHO: "Rho (zCDP)"}


def budget(draft: Draft) -> None:
    """Show the fields of the guarantee that all answers share: cost, delta and rows.

    Below them is the sentence on what the guarantee protects, or the fault of the typed cost.
    """
    amount, delta, rows = st.columns([2, 3, 3], vertical_alignment="bottom")
    with amount:
        st.text_input(
            MEASURES[draft.asking.measure],
            help="For all answers together. Any exact value, such as 0.3 or 1/3.",
            **state.tie(
                "ask amount", draft.asking.amount, lambda amount: state.choose(amount=amount)
            ),
        )
    with delta:  # a rho has no delta: what it implies is stated below
        st.text_input(
            "Delta (may be empty)",
            placeholder="0",
            disabled=draft.asking.measure is Measure.RHO,
            help="With a delta such as 1e-9, Synth may use Gaussian noise. Many answers at "
            "once then cost less.",
            **state.tie(
                "ask delta", draft.asking.delta, lambda delta: state.choose(delta=delta)
            ),
        )
    ask_rows(rows)  # shows nothing if the number of rows is public
    why = find_fault(draft.asking)
    if why:
        st.error(in_markdown(why), icon=":material/edit:")
    protected = (
        f"all rows of one person, by the column '{draft.person}'"
        if draft.person
        else "one row"
    )
    sentence = f"The guarantee protects {protected}; neighbours: {draft.neighbors.value}."
    if not why:
        sentence += f" {spell(draft.asking.guarantee).capitalize()}."
    st.caption(in_markdown(sentence))


def measure(draft: Draft) -> None:
    """Show the rarer choices of the guarantee, folded: its measure and its neighbours."""
    with st.expander("Measure and neighbours", icon=":material/compare_arrows:"):
        tied = state.tie(
            "ask measure", draft.asking.measure, lambda measure: state.choose(measure=measure)
        )
        st.segmented_control(
            "Counted in", [*MEASURES], format_func=MEASURES.__getitem__, required=True, **tied
        )
        choose_neighbours(draft)
        st.caption("Choose the protected person in the step Data.")

"""A draft with a guarantee: its forecast, its cost, and the button that spends."""

import streamlit as st

from pages.ui.data.population import population
from pages.ui.domain.column import renew
from pages.ui.release.spending import budget
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import ask_rows, show_known, spend_button
from synth.errors import SynthError
from synth.estimate import OFFERED_DELTA, DraftRequest, Hopes, list_offers, offer_draft
from synth.foreign import in_markdown, line
from synth.privacy import Guarantee, parse_epsilon, parse_rational, spell
from synth.spending import draft_domain as make_draft

# The default number of rows.
USUAL_ROWS = 10_000


def ask_for_draft(draft: Draft) -> None:
    blank = [name for name in draft.undeclared_names() if name != draft.person]
    if draft.source is None or not blank:
        st.caption("All columns are described." if draft.source else "Choose a table first.")
        return
    rows = draft.table_rows or USUAL_ROWS
    offered = offer_draft(blank, rows, draft.neighbors, draft.unit)
    offer = list_offers(offered, draft.budget, len(blank))[0]
    st.markdown(f"**{in_markdown(offer)}**")
    names = offered.request.columns if offered else tuple(blank)
    cost = offered.request.guarantee.epsilon if offered else None
    with st.expander("Change what it costs", icon=":material/tune:"):
        left, middle, right = st.columns(3)
        epsilon = left.text_input(
            "Epsilon of the draft", f"{float(cost or 1):g}", key="draft epsilon"
        )
        delta = middle.text_input(
            "Delta of the draft",
            f"{float(OFFERED_DELTA):g}",
            key="draft delta",
            help="With a delta, Synth names values that enough rows have. Without one it finds "
            "only values of declared lists, such as yes and no.",
        )
        ask_rows(right)
        columns = st.multiselect("Columns", blank, list(names), format_func=line)
    try:
        assert draft.source is not None
        whole = Guarantee.pure(parse_epsilon(epsilon))
        if delta.strip():
            whole = Guarantee.approximate(
                parse_epsilon(epsilon), parse_rational(delta, name="The delta of the draft")
            )
        dataset = draft.source.dataset
        request = DraftRequest(tuple(columns), whole, draft.neighbors, draft.unit, dataset=dataset)
    except SynthError as error:
        st.warning(in_markdown(str(error)), icon=":material/error:")
        return
    with st.expander("What you can expect", icon=":material/query_stats:"):
        for said in Hopes(request, rows).lines:
            st.markdown(f"- {in_markdown(said)}")
    _offer(draft, request)


def _offer(draft: Draft, request: DraftRequest) -> None:
    assert draft.source is not None
    entry = state.find_spend(request)
    if entry is not None:
        show_known(entry, "This very draft was made", "it")
        spend_button("Get the stored draft", _start, request, agreed=True, icon=":material/edit:")
        return
    if not population(draft.source):
        return
    budget(state.balance(), request.guarantee, request, "draft")
    cost = in_markdown(spell(request.guarantee))
    st.markdown(
        f"This spends **{cost}** of **{in_markdown(request.dataset)}** and cannot be taken back."
    )
    agreed = st.checkbox(f"Spend {cost} on a draft", key="draft agreed")
    many = say_count(len(request.columns), "column")
    spend_button(f"Draft {many}", _start, request, agreed=agreed)


def _start(request: DraftRequest) -> None:
    now = state.draft()
    if now.source is None:
        return
    state.set_first_budget(request.guarantee)
    with st.spinner("Counting, then drawing noise …"):
        made = make_draft(request, now.source.table, ledger=state.ledger())
    state.put(state.draft().with_guaranteed(made))
    renew()

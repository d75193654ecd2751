"""Step 3: epsilon, method, neighbours, rules and repair, with the forecast next to them."""

import streamlit as st

from pages.ui.data.unit import choose_neighbours
from pages.ui.domain.left_out import name_left_out
from pages.ui.frame import frame
from pages.ui.plan.epsilon import epsilon, exact_epsilon
from pages.ui.plan.guessing import public_guess
from pages.ui.plan.methods import favour, method, moments, predict
from pages.ui.plan.prediction import biases, lost_relations, noise, prediction
from pages.ui.plan.ruling import rules
from pages.ui.plan.simulating import simulation
from pages.ui.shell import state
from pages.ui.shell.draft import Draft, why_locked
from synth import limits
from synth.estimate import RECIPES, REPAIRS
from synth.plans import Plan


def choices(draft: Draft) -> None:
    """Show the widgets of all choices of the plan except epsilon and the repair.

    A choice is shown only if the chosen method (``RECIPES[draft.method]``) uses it.
    ``by_model`` says that histograms of a few columns share the budget, ``settles`` that rows
    are fitted to pairs of columns, which may favour counts or correlations.
    """
    exact_epsilon(draft)
    method(draft)
    choose_neighbours(draft)
    if draft.rules or RECIPES[draft.method].by_model:
        rules(draft)
    if RECIPES[draft.method].takes_guess:
        public_guess(draft)
    if RECIPES[draft.method].settles:
        favour()
    if draft.moment_terms:
        moments(draft)
    st.number_input(
        "Synthetic rows",
        min_value=1,
        max_value=limits.ROWS_MAX,
        step=1000,
        placeholder="as many as the table",
        # The draft stores 0 for "as many as the table"; the widget has None, an empty field.
        **state.tie(
            "choice_rows", draft.rows or None, lambda rows: state.change(rows=rows or 0)
        ),
    )


def repair(draft: Draft, plan: Plan) -> None:
    """Show the choice of the repair of negative noisy counts, and its effect if known."""
    st.selectbox(
        "Repair of negative counts (free: it sees noisy counts only)",
        [*REPAIRS],
        format_func=lambda name: REPAIRS[name].label,
        **state.tie("choice_repair", str(draft.repair), state.change_repair),
    )
    if draft.table_rows:
        st.caption(biases(plan, draft.table_rows))


@st.fragment
def body(drawn_draft: Draft, locked: str | None) -> None:
    """Draw the page. A move of the slider reruns only this; other choices rerun the app.

    ``drawn_draft`` has the choices of the last run of the app. ``locked`` is the sentence why
    the step Release was locked then; None if it was open.
    """
    draft = state.draft()
    if (
        not drawn_draft.differs_in_epsilon_only(draft)
        or why_locked(draft, "release") != locked
    ):
        st.rerun()
    frame.sidebar(draft, "plan")
    with frame.sentences():
        with st.container():  # so that no change in it closes expanders below
            epsilon(draft)
            if draft.predictable:
                predict(draft)
            loss = st.container()  # filled below, once the plan is known to be complete
        with st.expander("Advanced", icon=":material/tune:"):
            choice_column, forecast_column = st.columns([6, 5], gap="large")
        with choice_column:
            choices(draft)
        if RECIPES[draft.method].takes_groups and not draft.groups:
            loss.info("Choose the columns of at least one group.", icon=":material/edit:")
            return
        plan = draft.plan()
        with loss:
            lost_relations(plan, draft.table_rows)
            name_left_out(draft)
            simulation(draft, plan)
        with forecast_column:
            prediction(draft, plan)
        # Only a histogram has noise on each cell, and so negative counts to repair.
        if plan.cell_noise is not None:
            with choice_column:
                repair(draft, plan)
                noise(plan, plan.cell_noise)


with frame.step("plan") as draft:
    body(draft, why_locked(draft, "release"))

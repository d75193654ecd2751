"""Step 3: epsilon, method, neighbours, rules and repair, with the forecast next to them."""

import streamlit as st

from pages.ui.data.unit import choose_neighbours
from pages.ui.domain.left_out import name_left_out
from pages.ui.frame import frame
from pages.ui.plan.budget import note_budget
from pages.ui.plan.epsilon import epsilon, exact_epsilon
from pages.ui.plan.guessing import public_guess
from pages.ui.plan.methods import choose_method, delta, favour, moments, predict
from pages.ui.plan.prediction import noise, prediction
from pages.ui.plan.pricing import price_of_unit, warn_of_rows
from pages.ui.plan.relations import ask_about_relations, has_open_question
from pages.ui.plan.repairing import repair
from pages.ui.plan.ruling import rules
from pages.ui.plan.simulating import simulation
from pages.ui.shell import state
from pages.ui.shell.draft import Draft, why_locked
from synth import limits
from synth.estimate import RECIPES


def choices(draft: Draft) -> None:
    """Show the widgets of the choices of the plan that few need.

    A choice is shown only if the chosen method (``RECIPES[draft.method]``) uses it.
    ``by_model`` says that histograms of a few columns share the budget, ``settles`` that rows
    are fitted to pairs of columns, which may favour counts or correlations.
    """
    exact_epsilon(draft)
    note_budget(draft)
    delta(draft)
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


@st.fragment
def body(drawn_draft: Draft, locked: str | None, *, asked: bool) -> None:
    """Draw the page. A move of the slider reruns only this; other choices rerun the app.

    Args:
        drawn_draft: The choices of the last run of the app.
        locked: The sentence why the step Release was locked then; None if it was open.
        asked: Whether the page asked about relations then.
    """
    draft = state.draft()
    if (
        not drawn_draft.differs_in_epsilon_only(draft)
        or why_locked(draft, "release") != locked
        or has_open_question(draft) != asked
    ):
        st.rerun()
    frame.sidebar(draft, "plan")
    with frame.sentences():
        with st.container():  # so that no change in it closes expanders below
            epsilon(draft)
            price_of_unit(draft)
            warn_of_rows(draft)
            choose_method(draft)
            if draft.predictable:
                predict(draft)
            loss = st.container()  # filled below, once the plan is known to be complete
        advanced = st.expander(
            "Advanced", icon=":material/tune:", key="advanced", on_change="rerun"
        )
        with advanced:
            choice_column, forecast_column = st.columns([6, 5], gap="large")
        with choice_column:
            choices(draft)
        if RECIPES[draft.method].takes_groups and not draft.groups:
            loss.info("Choose the columns of at least one group.", icon=":material/edit:")
            return
        plan = draft.plan()
        with loss:
            ask_about_relations(draft, plan)
            name_left_out(draft)
            simulation(draft, plan)
        if advanced.open:  # its forecasts are worked out once somebody opens it
            with forecast_column:
                prediction(draft, plan)
        # Only a histogram has noise on each cell, and so negative counts to repair.
        if plan.cell_noise is not None:
            with choice_column:
                repair(draft, plan)
                noise(plan, plan.cell_noise)


with frame.step("plan") as draft:
    # While it is open, the button to the next step does not stand out.
    asked = has_open_question(draft)
    state.write(frame.OPEN_QUESTION, asked)
    body(draft, why_locked(draft, "release"), asked=asked)

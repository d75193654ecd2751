"""Epsilon: a slider with round steps, a box for other values, and the meaning of each."""

import streamlit as st

from pages.ui.plan.prediction import along, span
from pages.ui.plan.slider import EPSILONS, Step, slider
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import ask_rows
from synth.bundle import at_most, epsilon_of_facts, in_words, posterior
from synth.errors import SynthError
from synth.privacy import Neighbors, parse_epsilon
from synth.util import explain_word


def epsilon(draft: Draft) -> None:
    """Show the slider of epsilon, with a step for the typed value if that is valid."""
    typed = draft.epsilon.strip()
    all_steps = {*EPSILONS}
    if _is_valid(typed):
        all_steps.add(typed)
    steps = sorted(all_steps, key=parse_epsilon)
    ask_rows(st, is_first=True)
    slider(
        "Privacy budget (epsilon)", typed if typed in steps else "1", readouts(draft, steps)
    )
    if not draft.table_rows:
        st.caption("Type the number of rows to see the expected error.")


def exact_epsilon(draft: Draft) -> None:
    """Show the field for any other epsilon, and the guarantee of the present one in words."""
    hint = explain_word("epsilon") + " Any exact value, such as 0.3 or 1/3."
    st.text_input("Exact epsilon", help=hint, **state.tied_choice("epsilon"))
    st.caption(in_words(parse_epsilon(draft.epsilon), draft.neighbors))


def readouts(draft: Draft, steps: list[str]) -> dict[str, Step]:
    """Return for each step of the slider its expected errors and its meaning in a sentence.

    Errors are left out if the number of rows is unknown or any step has no forecast.

    Args:
        draft: All choices of the session.
        steps: The epsilons of the slider as texts, ascending.
    """
    rows = "rows" if draft.person else "row"
    # At first without errors: only the sentence on what the epsilon means.
    readouts_by_step = {step: Step((), _odds(step, rows, draft.neighbors)) for step in steps}
    if not draft.table_rows:
        return readouts_by_step
    # Any valid epsilon will do, as `along` replaces it; the typed one may be invalid.
    try:
        plan = draft.change(epsilon="1").plan()
    except SynthError:
        return readouts_by_step
    outlooks = along(plan, draft.table_rows, steps)
    if set(outlooks) != set(steps):
        return readouts_by_step
    for step, outlook in outlooks.items():
        errors = (
            ("Expected error of columns", span(outlook.columns)),
            ("Expected error of pairs", span(outlook.pairs)),
        )
        readouts_by_step[step] = Step(errors, readouts_by_step[step].sentence)
    return readouts_by_step


def _odds(step: str, rows: str, neighbors: Neighbors) -> str:
    """Return the sentence on how sure somebody can become of a fact about one person.

    Args:
        step: The epsilon as text.
        rows: The word "row" or "rows".
        neighbors: The two tables that the guarantee compares.
    """
    value = epsilon_of_facts(parse_epsilon(step), neighbors)
    # From an epsilon of 10 on, 10 % becomes more than 99.9 %.
    after = f"at most {at_most(posterior(0.1, value))}" if value < 10 else "nearly 100 %"
    return (
        f"Through one person's {rows}, someone who was 10 % sure of a fact about that person "
        f"can become {after} sure."
    )


def _is_valid(text: str) -> bool:
    """Return whether a text is an epsilon within the limits."""
    try:
        parse_epsilon(text)
    except SynthError:
        return False
    return True

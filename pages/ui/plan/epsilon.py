"""Epsilon: a slider with round steps, a box for other values, and the meaning of each."""

import streamlit as st

from pages.ui.plan.budget import (
    count_allowed,
    find_balance,
    name_rest,
    say_stored_or_left,
    why_not_taken,
)
from pages.ui.plan.methods import say_delta
from pages.ui.plan.prediction import along, span
from pages.ui.plan.slider import EPSILONS, Step, slider
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import ask_rows
from synth.bundle import at_most, epsilon_of_facts, in_words, posterior
from synth.errors import SynthError
from synth.estimate import RECIPES
from synth.foreign import in_markdown
from synth.privacy import Neighbors, parse_epsilon
from synth.util import explain_word

# The typed epsilon that was not taken: the sentence why, and the draft of that moment.
REFUSED = "epsilon_refused"
ERRORS = ("Expected error of columns", "Expected error of pairs")


def epsilon(draft: Draft) -> None:
    """Show the slider of epsilon, with a step for the typed value; the budget ends it."""
    ask_rows(st, is_first=True)
    current = draft.epsilon.strip() if is_readable(draft.epsilon) else Draft.epsilon
    balance = find_balance(draft)
    steps = sorted({*EPSILONS, current, *name_rest(balance)}, key=parse_epsilon)
    allowed = count_allowed(draft, balance, steps)
    readouts_by_step = {
        step: readout._replace(left=say_stored_or_left(draft, balance, step))
        for step, readout in readouts(draft, steps, allowed=allowed).items()
    }
    slider(
        "Privacy budget (epsilon)",
        current,
        readouts_by_step,
        allowed=allowed,
        take=take_typed,
    )
    if not draft.table_rows:
        st.caption("Type the number of rows to see the expected error.")


def is_readable(text: str) -> bool:
    """Return whether a text is an epsilon within the limits."""
    try:
        parse_epsilon(text.strip())
    except SynthError:
        return False
    return True


def exact_epsilon(draft: Draft) -> None:
    """Show the field for any other epsilon, and the guarantee of the present one in words.

    An epsilon that cannot be taken leaves the last one, with the reason below the field.
    """
    hint = explain_word("epsilon") + " Any exact value, such as 0.3 or 1/3."
    st.text_input(
        "Exact epsilon",
        help=hint,
        **state.tie("choice_epsilon", draft.epsilon, take_typed),
    )
    reason, refused_draft = state.read_value(REFUSED) or ("", None)
    if refused_draft is draft:  # any choice since then makes another draft
        st.warning(in_markdown(reason), icon=":material/error:")
    st.caption(in_words(parse_epsilon(draft.epsilon), draft.neighbors))
    if failure := _say_failure(draft):
        st.caption(in_markdown(failure))


def take_typed(typed: str) -> None:
    """Store a typed epsilon in the draft, or the reason why it is not taken."""
    draft = state.draft()
    reason = why_not_taken(draft, typed)
    state.write(REFUSED, (reason, draft) if reason else None)
    if not reason:
        state.change(epsilon=typed.strip())


def readouts(draft: Draft, steps: list[str], *, allowed: int) -> dict[str, Step]:
    """Return for each step of the slider its expected errors and its meaning in a sentence.

    Errors are left out if the number of rows is unknown, and above the budget.

    Args:
        draft: All choices of the session.
        steps: The epsilons of the slider as texts, ascending.
        allowed: How many of them the budget allows.
    """
    rows = "rows" if draft.person else "row"
    failure = _say_failure(draft)
    # At first without errors: only the sentence on what the epsilon means.
    readouts_by_step = {
        step: Step((), f"{_odds(step, rows, draft.neighbors)} {failure}".rstrip())
        for step in steps
    }
    if not draft.table_rows:
        return readouts_by_step
    # Any valid epsilon will do, as `along` replaces it.
    try:
        plan = draft.change(epsilon="1").plan()
    except SynthError:
        return readouts_by_step
    outlooks = along(plan, draft.table_rows, steps[:allowed])
    for step, readout in readouts_by_step.items():
        spans = ("-", "-")  # Synth would refuse this epsilon
        if outlook := outlooks.get(step):
            spans = (span(outlook.columns), span(outlook.pairs))
        numbers = tuple(zip(ERRORS, spans, strict=True))
        readouts_by_step[step] = readout._replace(numbers=numbers)
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


def _say_failure(draft: Draft) -> str:
    """Return the sentence on the delta of a plan; empty without one."""
    if not draft.delta or not RECIPES[draft.method].by_model:
        return ""
    return f"This promise may fail with a chance of {say_delta(draft.delta)}."

"""The method, its inputs, and the automatic choice."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.plan.prediction import outlook_of
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import write_count
from synth.errors import SynthError
from synth.estimate import (
    AUTO_SUMS,
    FAVOURS,
    MEANS,
    PAIRS,
    RECIPES,
    histogram_is_small,
    in_sentence,
    name_followed,
    name_method,
)
from synth.foreign import in_markdown
from synth.plans import Method, Plan

CHANCES = {"1e-12": "a trillion", "1e-9": "a billion", "1e-6": "a million"}
DELTAS = {
    "": "None: the promise holds always",
    **{delta: f"{delta}: it may fail once in {often}" for delta, often in CHANCES.items()},
}

# The choice of counts only; no choice at all is the automatic one.
NO_SUMS = ""
# Labels of terms that are not columns.
MOMENT_WORDS = {
    NO_SUMS: "None: counts only",
    MEANS: "All means",
    PAIRS: "All pairs that are measured",
}


def say_delta(delta: str) -> str:
    """Return a typed delta in words, such as "one in a billion (delta 1e-9)".

    >>> say_delta("1e-9"), say_delta("1e-10")
    ('one in a billion (delta 1e-9)', 'delta 1e-10')
    """
    often = CHANCES.get(delta)
    return f"one in {often} (delta {delta})" if often else f"delta {delta}"


def choose_method(draft: Draft) -> None:
    """Show the choice of the method, and why the automatic one takes which."""
    try:
        plan = draft.plan()
    except SynthError:  # the sentence is shown below the choices
        method(draft, None)
        return
    rows = draft.table_rows
    followed = outlook_of(plan, rows).method if rows else None
    method(draft, followed)
    if RECIPES[draft.method].chooses:
        st.caption(in_markdown(explain_choice(plan, followed)))


def method(draft: Draft, followed: str | None) -> None:
    """Show the choice of the method, why it is taken, and its groups of columns, if any.

    Args:
        draft: All choices of the session.
        followed: The method that the forecast takes; None if it is not known.
    """
    assert draft.domain is not None  # the step is locked without columns
    cells = draft.domain.size
    is_listed = name_method(Method.HISTOGRAM, cells) == name_method(Method.DENSE, cells)
    # In a small table both histograms are the same.
    names = [
        name
        for name in RECIPES
        if not is_listed or name != Method.HISTOGRAM or draft.method == name
    ]

    def say_method(name: str) -> str:
        """Return the name of a method, and what it does or which one it takes."""
        if name == draft.method and RECIPES[name].chooses and followed:
            return name_followed(name, followed, cells)
        return f"{name_method(name, cells)}: {RECIPES[name].effect}"

    tied = state.tie(
        "choice_method", str(draft.method), lambda name: state.change(method=name)
    )
    st.selectbox(
        "Method",
        names,
        format_func=say_method,
        help="How Synth models the table. Choose another method here to change it.",
        **tied,
    )
    if RECIPES[draft.method].takes_groups:
        _groups(draft)


def delta(draft: Draft) -> None:
    """Show the choice of a delta, if the method may spend one."""
    if not RECIPES[draft.method].by_model:
        return
    choices = [*dict.fromkeys((*DELTAS, draft.delta))]  # with a delta that was typed
    st.selectbox(
        "Chance that the promise fails (delta)",
        choices,
        format_func=lambda text: DELTAS.get(text, text),
        accept_new_options=True,
        help="A promise without delta is stronger. With a delta, Synth measures many "
        "pairs of columns with less noise each. Keep delta far below 1 divided by the "
        "number of people. You can type any other value, such as 1e-10.",
        **state.tie("choice_delta", draft.delta, lambda text: state.change(delta=text or "")),
    )


def favour() -> None:
    """Show the choice between more accurate counts and more accurate correlations."""
    st.selectbox(
        "Optimise for",
        [*FAVOURS],
        format_func=FAVOURS.__getitem__,
        help="Noise weakens correlations a little. This choice corrects that, for "
        "correlations, regressions and classifiers, and counts get a little less exact. It "
        "costs no privacy. The forecast is for counts.",
        **state.tied_choice("favour"),
    )


def predict(draft: Draft) -> None:
    """Show the choice of a column that people will predict, whose pairs get more budget."""
    target = draft.predict if draft.predict in draft.predictable else ""
    st.selectbox(
        "Which column matters most? (optional)",
        ["", *draft.predictable],
        format_func=lambda name: name or "none",
        help="Choose a column, such as income, if people will train models of it. Its pairs "
        "with other columns then get more of the budget, and other pairs get less. The "
        "promise stays the same, and the certificate names the column.",
        **state.tie("choice_predict", target, lambda name: state.change(predict=name)),
    )


def moments(draft: Draft) -> None:
    """Show the choice of sums that are measured besides counts.

    Nothing chosen means the automatic choice. So the item for no sums is shown if the draft
    has no terms, and no item if it has the automatic one.
    """
    terms = [term for term in draft.moment_terms if term != AUTO_SUMS]
    chosen_terms = [term for term in draft.moments if term in terms] or [NO_SUMS]
    if AUTO_SUMS in draft.moments:
        chosen_terms = []
    st.multiselect(
        "Sums of numbers",
        [NO_SUMS, *terms],
        format_func=lambda term: MOMENT_WORDS.get(term, term),
        placeholder="Automatic: means, if they are worth their cost",
        help="Counts say in which bin a number is, but not its place in the bin. Measured "
        "sums give sharp means, correlations and regressions. All means take 3.3 % of the "
        "budget. Columns and pairs that you name take 50 % together.",
        **state.tie(
            "choice_moments",
            chosen_terms,
            lambda new_terms: state.change(moments=_read_terms(new_terms)),
        ),
    )


def _read_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of the plan from the chosen items, in the order of choice.

    No item is the automatic choice. The item for no sums removes all others if it was chosen
    last, and is removed by a later one.
    """
    if not terms:
        return (AUTO_SUMS,)
    if terms[-1] == NO_SUMS:
        return ()
    return tuple(term for term in terms if term != NO_SUMS)


def _groups(draft: Draft) -> None:
    """Show a choice of columns for each group of the method, and one for another group.

    Columns of one group are measured together. An empty choice removes the group.
    """
    st.markdown(
        "Columns of one group keep all their links. A column may be in several groups; it "
        "then ties them together."
    )
    for number, group in enumerate((*draft.groups, ())):
        # The default binds this group's number; a closure would see that of the last group.
        def store(names: list[str], number: int = number) -> None:
            """Replace the group by the chosen columns; an empty group is dropped."""
            groups = [*state.draft().groups, ()]
            groups[number] = tuple(names)
            state.change(groups=tuple(group for group in groups if group))

        st.multiselect(
            f"Group {number + 1}",
            [*dict.fromkeys((*draft.chosen_names, *group))],
            placeholder="Choose the columns of one more group",
            **state.tie(f"group {number}", list(group), store),
        )


def explain_choice(plan: Plan, followed: str | None) -> str:
    """Return the sentence why a method is taken automatically.

    Args:
        plan: The plan.
        followed: The method that the forecast takes; None if the number of rows is unknown.
    """
    size = plan.domain.size
    whole = in_sentence(name_method(Method.DENSE, size))
    # Noise on each cell is known in advance only if any number of rows leads to a histogram.
    if plan.cell_noise is not None:
        return f"The {whole} promises no more error than pairs of columns would."
    if followed and RECIPES[followed].is_whole:
        return f"With so many rows, counts outweigh the noise of the {whole}."
    is_small = histogram_is_small(plan.domain.shape, plan.most_cells)
    if followed is None and is_small:
        return (
            f"Automatic decides by the number of rows: the {whole} if they outweigh its "
            "noise; else the pairs of columns that are worth their cost, or columns only if "
            "noise drowns the pairs."
        )
    cells = write_count(size)
    start = f"A histogram of all {cells} cells would be less exact than smaller tables"
    if followed and not RECIPES[followed].has_relations:
        return f"{start}. At this epsilon pairs of columns would be noise too."
    choice = f"{start}: columns, and the pairs of columns that are worth their cost"
    if followed is None:
        choice += ", or columns only if noise drowns the pairs"
    return f"{choice}."

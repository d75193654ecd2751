"""Epsilon: a slider over round steps, a box for any other value, and what each value means."""

import streamlit as st

from pages.ui.plan.prediction import along, rough_share, span
from pages.ui.plan.slider import EPSILONS, slider
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import ask_rows
from synth.bundle import at_most, in_words, posterior
from synth.errors import SynthError
from synth.estimate import RECIPES
from synth.plans import Method
from synth.privacy import parse_epsilon
from synth.util import explain_word

Readout = list[tuple[str, str]]


def epsilon(draft: Draft) -> None:
    """The slider with its numbers, and the box."""
    typed = draft.epsilon.strip()
    steps = sorted({*EPSILONS, typed} if _valid(typed) else EPSILONS, key=parse_epsilon)
    left, right = st.columns([7, 2], gap="large")
    whom = "person" if draft.person else "row"
    with left:
        slider(
            f"Epsilon: how much the release may depend on one {whom}",
            typed if typed in steps else "1",
            readouts(draft, steps),
        )
    right.text_input(
        "Or type epsilon",
        help=explain_word("epsilon") + " Any exact value, such as 0.3 or 1/3.",
        **state.tied_choice("epsilon"),
    )
    ask_rows(right, " The forecast depends on it.")
    added = "rows add" if draft.person else "row adds"
    st.caption(
        "The guess: how likely, at most, somebody who thinks a fact about one person 10 % likely "
        f"can come to think it, through what that person's {added} to the files. Off by: the share "
        "of rows that would have to move to make the real and the synthetic table agree, on "
        "average over all columns, or all pairs of them.",
        help=in_words(parse_epsilon(draft.epsilon)),
    )


def readouts(draft: Draft, steps: list[str]) -> dict[str, Readout]:
    """What every step means, worked out beforehand; public numbers only."""
    said: dict[str, Readout] = {step: [_guess(step)] for step in steps}
    if not draft.about_rows:
        return said
    try:
        plan = draft.change(epsilon="1").plan()
    except SynthError:
        return said
    found = along(plan, draft.about_rows, steps)
    if set(found) != set(steps):
        return said
    for step, outlook in found.items():
        said[step] += [
            ("Columns off by", span(outlook.columns)),
            ("Pairs off by", span(outlook.pairs)),
        ]
        if draft.method == Method.AUTO:
            said[step].append(("Method", RECIPES[outlook.method].short))
        elif outlook.histogram is not None:
            said[step].append(("Triples off by", rough_share(outlook.histogram.three_way.mean)))
    return said


def _guess(step: str) -> tuple[str, str]:
    value = parse_epsilon(step)
    after = at_most(posterior(0.1, value)) if value < 10 else "nearly 100 %"
    return "A 10 % guess becomes at most", after


def _valid(text: str) -> bool:
    try:
        parse_epsilon(text)
    except SynthError:
        return False
    return True

"""The three questions of a board: one person, several releases, and what is not promised."""

from fractions import Fraction

import pandas as pd
import streamlit as st

from pages.ui.shell.draft import Draft
from synth.bundle import at_most, epsilon_of_facts, posterior
from synth.errors import SynthError
from synth.estimate import RECIPES
from synth.foreign import in_markdown
from synth.privacy import Neighbors, parse_epsilon, parse_rational, plain, scientific

STEPS = ("0.1", "0.2", "0.5", "1", "2", "3", "5", "10")
# Probabilities of the fact before the release.
GUESSES = (0.01, 0.1, 0.5, 0.9)
# The one that the second question follows through several releases.
FOLLOWED_GUESS = 0.1
NOT_PROMISED = """\
- **Facts about people in general** still show, such as that smokers fall ill more often.
- **Values that were taken from the rows** are not covered, such as a list of towns. Review
  them before you publish.
- **Only the released files** are covered, and no other publication about the same people.
"""
HOW_CHECKED = """\
- The **certificate** in the bundle states the promise, the noise and the spend. Anyone can
  check it without the table, on the page *Use a release* or by `synth verify`.
- The **ledger** records each spend before noise is drawn, and refuses a spend beyond the
  budget.
- No file proves that Synth was run honestly, and once: that rests on the person who ran it.
"""


def board(draft: Draft) -> None:
    """Show the three questions of a board, with answers for an epsilon and a delta.

    They begin with the planned epsilon, delta and neighbours of the draft.
    """
    person_place, others_place = st.columns([1, 1], gap="large")
    with person_place, st.container(border=True):
        epsilon = _one_person(draft)
    with others_place:
        with st.container(border=True):
            _several_releases(draft, epsilon)
        with st.container(border=True):
            st.header("What is not promised, and who checks?")
            st.markdown(NOT_PROMISED)
            st.markdown(HOW_CHECKED)


def _one_person(draft: Draft) -> Fraction:
    """Show how sure others can become of a fact about one person; return the chosen epsilon.

    The slider starts at the planned epsilon.
    """
    planned = _planned_epsilon(draft)
    steps = sorted({*STEPS, planned}, key=Fraction)
    title = st.empty()
    chosen = st.select_slider("Epsilon of the release", steps, value=planned)
    epsilon = Fraction(chosen)
    title.header(f"What does epsilon {plain(epsilon)} mean for one person?")
    st.markdown(
        "Suppose that somebody guesses a fact about one person, such as a diagnosis. The "
        "release limits how much surer it can make them, because it would be almost as "
        "likely without this person's data. The limit holds for everybody, with any other "
        "knowledge."
    )
    table = {
        "How sure they were": [f"{100 * guess:g} %" for guess in GUESSES],
        "How sure they can become": [
            f"at most {_sure_after(guess, epsilon, draft.neighbors)}" for guess in GUESSES
        ],
    }
    st.table(pd.DataFrame(table).set_index("How sure they were"))
    st.markdown(_delta_sentence(_planned_delta(draft)))
    doubling = ""
    if draft.neighbors is Neighbors.ADD_REMOVE:
        doubling = " A fact then counts twice the epsilon, as the table shows."
    st.caption(
        f"The guarantee protects {in_markdown(str(draft.unit))}; neighbours: "
        f"{draft.neighbors.value}.{doubling}"
    )
    return epsilon


def _several_releases(draft: Draft, epsilon: Fraction) -> None:
    """Show how epsilon and delta add up over several releases about the same people.

    ``epsilon`` is that of each release.
    """
    st.header("What if there are several releases?")
    releases = st.slider("Releases about the same people", 1, 12, 3)
    delta = _planned_delta(draft)
    total_delta = ""
    if delta:
        total_delta = f" and delta **{in_markdown(scientific(releases * delta))}**"
    sure = _sure_after(FOLLOWED_GUESS, releases * epsilon, draft.neighbors)
    st.markdown(
        f"They add up to epsilon **{plain(releases * epsilon)}**{total_delta}. "
        f"Someone who was {100 * FOLLOWED_GUESS:g} % sure of a fact can become at most "
        f"**{sure}** sure."
    )
    st.markdown("So people have one budget for all releases, and the ledger keeps it.")


def _sure_after(guess: float, epsilon: Fraction, neighbors: Neighbors) -> str:
    """Return in words how sure somebody can become of a fact, rounded up.

    Args:
        guess: How sure they were, from 0 to 1.
        epsilon: What is spent in all.
        neighbors: Which tables the guarantee compares.
    """
    return at_most(posterior(guess, epsilon_of_facts(epsilon, neighbors)))


def _planned_epsilon(draft: Draft) -> str:
    """Return the planned epsilon as text; 1 if it is no number."""
    try:
        return plain(parse_epsilon(draft.epsilon))
    except SynthError:
        return "1"


def _planned_delta(draft: Draft) -> Fraction:
    """Return the planned delta; 0 if none would be spent, or if it is no number."""
    typed_delta = draft.delta.strip() if RECIPES[draft.method].by_model else ""
    try:
        return parse_rational(typed_delta or "0", name="delta")
    except SynthError:
        return Fraction(0)


def _delta_sentence(delta: Fraction) -> str:
    """Return what a delta means, or that there is none."""
    if not delta:
        return "The planned delta is 0: the limit never fails."
    return (
        f"The planned delta is {in_markdown(scientific(delta))}: with a probability of at "
        "most that, the limit fails."
    )

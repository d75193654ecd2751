"""The meaning of an epsilon for one person: how sure others can become of a fact."""

from fractions import Fraction

import pandas as pd
import streamlit as st

from pages.ui.shell.draft import Draft
from synth.bundle import at_most, posterior
from synth.errors import SynthError
from synth.privacy import parse_epsilon, plain

STEPS = ("0.1", "0.2", "0.5", "1", "2", "3", "5", "10")
# Probabilities of the fact before the release.
GUESSES = (0.01, 0.1, 0.5, 0.9)


def one_person(draft: Draft) -> None:
    """Show how sure others can become of a fact about one person, for a chosen epsilon.

    The slider starts at the planned epsilon of the draft.
    """
    try:
        planned = plain(parse_epsilon(draft.epsilon))
    except SynthError:
        planned = "1"
    steps = sorted({*STEPS, planned}, key=Fraction)
    title = st.empty()
    epsilon = st.select_slider("Epsilon of the release", steps, value=planned)
    title.header(f"What does epsilon {epsilon} mean for one patient?")
    st.markdown(
        "Suppose that somebody guesses a fact about one patient, such as a diagnosis. The "
        "release limits how much surer it can make them, because it would be almost as "
        "likely without this patient. The limit holds for everybody, with any other "
        "knowledge."
    )
    table = {
        "How sure they were": [f"{100 * guess:g} %" for guess in GUESSES],
        "How sure they can become": [
            f"at most {at_most(posterior(guess, Fraction(epsilon)))}" for guess in GUESSES
        ],
    }
    st.table(pd.DataFrame(table).set_index("How sure they were"))
    st.caption(
        "The limit is for the effect of the patient's own row. A release still shows facts "
        "about people in general, such as that smokers fall ill more often. The table is for "
        "replace-one; under add-remove, read it at twice the epsilon."
    )

"""Learn: the three questions of a board, terms of the field, and the theory as pictures."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.learn.board import board
from pages.ui.learn.lessons import LESSONS, teach
from pages.ui.shell import state
from synth.util import GLOSSARY, explain_word

st.title("Learn")
st.markdown("Three questions of a board, the words of the field, and the theory.")
with frame.sentences():
    board(state.draft())
    with st.expander(f"Glossary: {len(GLOSSARY)} words", icon=":material/menu_book:"):
        for word in GLOSSARY:
            st.markdown(explain_word(word))
    with st.expander(
        f"Theory, for statisticians: {len(LESSONS)} topics", icon=":material/functions:"
    ):
        titles = [lesson.title for lesson in LESSONS]
        chosen = st.pills("Topic", titles, default=titles[0], required=True, wrap=True)
        teach(LESSONS[titles.index(chosen or titles[0])])

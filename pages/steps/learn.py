"""Learn: the meaning of epsilon for one person, terms of the field, and the theory as
pictures.
"""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.learn.lessons import LESSONS, teach
from pages.ui.learn.one_person import one_person
from pages.ui.shell import state
from synth.util import GLOSSARY, explain_word

st.title("Learn")
st.markdown("The promise for one person, the words, and the theory.")
with frame.sentences():
    one_person(state.draft())
    with st.expander(f"Glossary: {len(GLOSSARY)} words", icon=":material/menu_book:"):
        for word in GLOSSARY:
            st.markdown(explain_word(word))
    st.header("For statisticians")
    titles = [lesson.title for lesson in LESSONS]
    chosen = st.pills("Topic", titles, default=titles[0], required=True)
    teach(LESSONS[titles.index(chosen or titles[0])])

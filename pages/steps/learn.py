"""Learn: the source notes as live pictures."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.learn.lessons import LESSONS, teach
from synth.util import GLOSSARY, explain_word

st.title("Learn")
st.markdown("How the noise works, and what it costs: twelve topics to play with.")
with frame.sentences():
    titles = [lesson.title for lesson in LESSONS]
    chosen = st.pills("Topic", titles, default=titles[0], required=True)
    teach(LESSONS[titles.index(chosen or titles[0])])
    with st.expander("The words, in plain sentences", icon=":material/menu_book:"):
        for word in GLOSSARY:
            st.markdown(explain_word(word))

"""What a text may mean that is no question: a sentence, and a button for each meaning."""

from collections.abc import Callable

import streamlit as st

from pages.ui.shell import state
from synth.foreign import in_code, in_markdown
from synth.questions import Suggestions


def explain_fault(
    fault: str, suggested: Suggestions, *, verb: str, act: Callable[[str], None]
) -> None:
    """Show why a text is no question, and a button for each question that it may mean.

    If some of its words name no column, the user is asked which column they mean: nothing is
    chosen for them.

    Args:
        fault: The sentence that refused the text.
        suggested: What the text may mean.
        verb: What a button does with its question, such as "Add".
        act: It takes the question of the pressed button.
    """
    if suggested.unclear:
        st.info(in_markdown(suggested.sentence), icon=":material/help:")
    else:
        st.error(in_markdown(fault), icon=":material/edit:")
    with st.container(horizontal=True):
        for question in suggested.questions:
            st.button(
                f"{verb}: {in_code(question)}",
                key=f"{verb} meant {question}",
                on_click=state.guard(act),
                args=(question,),
            )

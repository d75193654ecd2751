"""A page that shows a job goes on showing it after Streamlit's own Stop.

That Stop ends the page's script and not the job, which has a thread of its own. The page
would stand still with its last picture while the job goes on and spends. So the browser asks
every few seconds whether the script still watches; as long as it does, the question waits and
is dropped."""

from datetime import timedelta

import streamlit as st

from pages.ui.shell import at_work
from pages.ui.shell.job import Job

ASKED_EVERY = timedelta(seconds=2)


def resume_watching(job: Job) -> None:
    """Draw the page anew if its script ended before the job was shown to its end.

    A fragment does that, which the browser runs every few seconds. While the page's script
    still runs, the fragment has to wait, and is dropped.
    """
    is_first = True

    @st.fragment(run_every=ASKED_EVERY)
    def ask_again() -> None:
        """Draw the page anew, except in the first run, which is part of the page's script."""
        nonlocal is_first
        if not is_first and at_work.is_shown(job):
            st.rerun()
        is_first = False

    ask_again()

"""A release that is mostly noise by its own noisy counts: its files wait for an explicit yes."""

from dataclasses import replace

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.job import write_files
from pages.ui.shell.release import Release
from pages.ui.shell.widgets import spend_button
from synth.estimate import released_fits
from synth.foreign import in_markdown

YES = "I want these files although they are mostly noise"


def write_now(release: Release) -> None:
    """Write the files of a release."""
    files = write_files(release.result, state.folder(), state.ledger())
    state.renew(release, replace(release, files=files))


def writing(release: Release) -> None:
    """The way to files that are not there: their disk was full, or nobody said yes to noise."""
    if not release.result.is_noise:
        st.warning(
            "The files could not be written. The release is stored; make room and try again."
        )
        spend_button("Write the files", write_now, release, agreed=True, icon=None)
        return
    own = released_fits(release.result.record).sentence
    st.error(
        "Nothing was written: the release's own noisy counts "
        f"{in_markdown(own)}, so that it is mostly noise. It is stored, and costs nothing more.",
        icon=":material/error:",
    )
    agreed = st.checkbox(YES, key="noise_agreed")
    spend_button("Write the files all the same", write_now, release, agreed=agreed, icon=None)

"""A release whose files could not be written, because the disk was full."""

from dataclasses import replace

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.job import write_files
from pages.ui.shell.release import Release
from pages.ui.shell.widgets import spend_button


def write_now(release: Release) -> None:
    """Write the files of a paid release, and store their paths with the release."""
    files = write_files(release.result, state.folder(), state.ledger())
    state.renew(release, replace(release, files=files))


def writing(release: Release) -> None:
    """Show that the files could not be written, and a button that tries it again."""
    st.warning(
        "The files could not be written. The release is stored; make room and try again."
    )
    spend_button("Write the files", write_now, release, agreed=True, icon=None)

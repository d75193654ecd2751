"""A release whose files are not written: the disk was full, or the user stopped it."""

import streamlit as st

from pages.ui.shell import at_work
from pages.ui.shell.release import Release
from pages.ui.shell.widgets import spend_button


def writing(release: Release) -> None:
    """Show that the files are not there, and a button that writes them at no cost."""
    st.warning(
        "The files of this release are not written yet. The release is stored, so writing "
        "them spends nothing. If the disk was full, make room first."
    )
    spend_button(
        "Write the files",
        at_work.write_files,
        release,
        agreed=True,
        icon=":material/save:",
        type="primary",
    )

"""Use a release: right conclusions from a bundle, with no confidential table anywhere."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.shell.exports import other_formats
from pages.ui.use.asking import asking
from pages.ui.use.holding import holding
from pages.ui.use.opening import opening, verdict
from pages.ui.use.several import several

st.title("Use a release")
st.markdown(
    "Open a bundle that somebody published, and ask it: estimates with intervals that count the "
    "noise, for nothing. No confidential table is needed."
)
with frame.sentences():
    now = opening()
    if now is not None:
        verdict(now)
        holding(now)
        asking(now)
        if now.certificate:
            several(now)
            st.header("The rows for other programs")
            other_formats(now.analysis.result.synthetic, now.certificate, "used")

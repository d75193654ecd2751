"""A bundle is handed in, checked, and told of."""

from pathlib import Path

import streamlit as st

from pages.ui.shell import state
from pages.ui.use.choices import Using, use, using
from synth.bundle.writer import CERTIFICATE, sha256
from synth.errors import ReleaseError
from synth.face.analysing import Analysis
from synth.foreign.text import in_markdown
from synth.verification.reopen import open_bundle

ROWS_ALONE = (
    "A table alone does not say how much noise is in it, so that no interval can be given: the "
    "noisy counts and the certificate are missing. Open the bundle (.zip) that it came in."
)


def opening() -> Using | None:
    """Hand over a bundle; the one that is open."""
    key = f"used_{state.number('used')}"
    st.file_uploader(
        "A bundle (.zip), as its makers published it",
        type=["zip", "csv", "parquet", "xlsx", "sav", "dta", "xpt"],
        key=key,
        on_change=_take,
        args=(key,),
    )
    return using()


@state.guarded
def _take(key: str) -> None:
    uploaded = state.said(key)
    if uploaded is None:
        return
    state.advance("used")
    name = uploaded.name
    if Path(name).suffix.lower() != ".zip":
        state.let_go(uploaded)
        raise ReleaseError(ROWS_ALONE)
    path = state.folder().keep(uploaded, "used.zip")
    state.let_go(uploaded)
    try:
        opened = open_bundle(path)
    finally:
        state.folder().drop(path)
    digest = sha256(opened.archive.path(CERTIFICATE))
    use(Using(name, Analysis(opened.result), opened.checks, digest))


def verdict(now: Using) -> None:
    """That the bundle holds what it claims, and what was checked."""
    certificate = now.analysis.result.certificate
    st.success(
        in_markdown(f"{now.name} holds what it claims: {certificate.guarantee.statement}"),
        icon=":material/verified:",
    )
    with st.expander("What was checked, and what the guarantee does not cover"):
        for check in now.checks:
            st.markdown(f"- {in_markdown(check)}")
        for caveat in certificate.caveats:
            st.caption(in_markdown(caveat))

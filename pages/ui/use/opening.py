"""Upload and check of a bundle."""

from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.promise import MAX_GUARANTEE_LENGTH
from pages.ui.shell.widgets import name_upload, upload
from pages.ui.use.choices import (
    Refused,
    Using,
    open_choice,
    refuse_bundle,
    refused_bundle,
    use,
)
from synth.api.analysing import Analysis, analyse
from synth.bundle import CSV, FORMATS
from synth.errors import NotBundleError, RefutedError, ReleaseError
from synth.foreign import in_markdown
from synth.privacy import Guarantee, name_cost
from synth.verification import OpenClaim, open_bundle

NOT_ALL_CHECKED = (
    "Some statements were not checked, mostly because files alone cannot show them: see the "
    "list below."
)
ROWS_ALONE = (
    "A table alone does not show how much noise is in it: the noisy counts and the "
    "certificate are missing. Open the bundle (.zip) that it came in."
)


def open_release() -> Using | None:
    """Show the upload of a bundle; return the open bundle, or None.

    A refused bundle is shown with a button that opens it all the same, marked as unverified.
    """
    upload("used", "A bundle (.zip) of a release", _take, type=["zip", CSV.name, *FORMATS])
    refused = refused_bundle()
    if refused is not None:
        st.error(
            in_markdown(f"{refused.name} is refused. {refused.why}"),
            icon=":material/gpp_bad:",
        )
        st.button(
            "Open it anyway: every result is stamped",
            icon=":material/warning:",
            on_click=_open_anyway,
        )
    return open_choice()


def _take(uploaded: Any) -> None:
    """Verify an uploaded bundle and open it; a bundle with a wrong claim is refused.

    The copy of a refused one is kept, as the user may open it all the same.

    Raises:
        ReleaseError: The file is a table, and not a bundle.
        SynthError: It cannot be read.
    """
    name = uploaded.name
    if Path(name).suffix.lower() != ".zip":
        raise ReleaseError(ROWS_ALONE)
    path = state.folder().keep(uploaded, "used.zip")
    refuse_bundle(None)
    try:
        with state.while_open():
            opened = open_bundle(path)
    except RefutedError as error:
        use(None)
        refuse_bundle(Refused(name, path, str(error)))
        return
    except Exception as error:
        use(None)  # the page must not answer from the bundle before
        state.folder().drop(path)
        if isinstance(error, NotBundleError):
            raise name_upload(error, path, name) from None
        raise
    state.folder().drop(path)
    digest = opened.archive.digest
    use(
        Using(
            name=name,
            analysis=Analysis(opened.result, digest=digest),
            checks=opened.checks,
            certificate=digest,
        )
    )


@state.guard
def _open_anyway() -> None:
    """Open the refused bundle without verifying it; each of its answers is marked so."""
    refused = refused_bundle()
    if refused is None:
        return
    try:
        with state.while_open():
            analysis = analyse(refused.path, anyway=True)
    finally:
        refuse_bundle(None)
    # Without a digest of the certificate the page only answers questions.
    use(Using(name=refused.name, analysis=analysis, checks=(), certificate=""))


def verdict(opened: Using) -> None:
    """Show whether a bundle's claims are verified, and its epsilon and delta.

    The promise in full, its limits and all checks are folded.
    """
    certificate = opened.analysis.result.certificate
    if opened.analysis.stamp:  # the failed check of a bundle that was opened all the same
        sentence = f"UNVERIFIED: a claim of {opened.name} is wrong. {opened.analysis.stamp}"
        st.error(in_markdown(sentence), icon=":material/gpp_bad:")
        return
    claim = certificate.guarantee
    cost = name_cost(Guarantee.of(claim.epsilon, claim.delta))
    sentence = f"Verified. {cost[:1].upper()}{cost[1:]}."
    st.success(in_markdown(sentence), icon=":material/verified:")
    open_claims = [check for check in opened.checks if isinstance(check, OpenClaim)]
    if open_claims:
        st.caption(NOT_ALL_CHECKED)
    with st.expander("Promise, checks and limits", icon=":material/verified_user:"):
        st.markdown(in_markdown(claim.statement, MAX_GUARANTEE_LENGTH))
        for check in opened.checks:
            label = "Not checked" if isinstance(check, OpenClaim) else "Confirmed"
            st.markdown(f"- {label}: {in_markdown(check, MAX_GUARANTEE_LENGTH)}")
        for caveat in certificate.caveats:
            st.caption(in_markdown(caveat, MAX_GUARANTEE_LENGTH))

"""The promise with what it does not cover, in the same words on every page."""

from collections.abc import Iterable

import streamlit as st

from pages.ui.shell.release import Release
from pages.ui.shell.words import guarantee_in_words
from synth.bundle.certificate import CAVEATS
from synth.foreign.text import in_markdown
from synth.plan import Plan


def promised(release: Release) -> None:
    """What the certificate of a release says; an older one names no caveats."""
    certificate = release.result.certificate
    _say(certificate.guarantee.statement, certificate.caveats)


def promise(plan: Plan) -> None:
    """What a release by the plan would promise."""
    _say(guarantee_in_words(plan), CAVEATS)


def _say(statement: str, caveats: Iterable[str]) -> None:
    st.markdown(in_markdown(statement))
    for caveat in caveats:
        st.caption(in_markdown(caveat))

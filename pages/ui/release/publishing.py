"""Which parts of a release you may publish; the review of values taken from the rows."""

from dataclasses import dataclass

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.promise import WHOLE
from pages.ui.shell.release import Release
from synth.domain import LOOKED_UP
from synth.foreign import in_markdown

PUBLISH, REVIEW, KEEP = "Publish", "Review first", "Keep"
VOUCH = "I vouch that these values are public"


@dataclass(frozen=True)
class Verdict:
    """The advice for some files, and its reason."""

    what: str
    files: tuple[str, ...]
    why: str


def is_in_review(release: Release) -> bool:
    """Return whether the description comes from the rows, and nobody vouched for it."""
    certificate = release.result.certificate
    vouched = certificate.declaration is not None and certificate.declaration.taken_is_public
    return certificate.domain_origin == LOOKED_UP and not vouched


def verdicts(release: Release) -> tuple[Verdict, Verdict]:
    """Return which files to publish and which to keep, by the facts in the certificate."""
    first = Verdict(PUBLISH, tuple(release.files), "The guarantee covers these files.")
    if is_in_review(release):
        why = "These files hold values taken from the rows. No guarantee covers those values."
        first = Verdict(REVIEW, tuple(release.files), why)
    return first, KEPT


KEPT = Verdict(
    KEEP,
    ("the page Compare", "the confidential table", "ledger.db and its key"),
    "Compare and the table show real rows. With the ledger and its key, someone could test whether "
    "a file is your table.",
)
"""Things that are not files of a release."""


def may_publish(release: Release) -> None:
    first, kept = verdicts(release)
    say = st.warning if first.what == REVIEW else st.success
    say(_row(first), icon=":material/public:")
    st.info(_row(kept), icon=":material/lock:")


def _row(verdict: Verdict) -> str:
    return f"**{verdict.what}:** {in_markdown(', '.join(verdict.files), 400)}. {verdict.why}"


def review(draft: Draft, release: Release) -> None:
    """Show the values taken from the rows, and let the steward vouch for them."""
    if not is_in_review(release):
        return
    with st.container(border=True):
        st.header("Review values from the rows")
        st.markdown(
            "Every file shows these values. Could a rare value point to a person? Then leave the "
            "value out in the step Domain, and release again."
        )
        follows = release.source is not None and draft.follows_plan(release)
        domain = release.plan.domain
        names = draft.to_review if follows else domain.names
        listed = ((name, ", ".join(domain[name].titles)) for name in names)
        rows = (f"| {in_markdown(name)} | {in_markdown(some, WHOLE)} |" for name, some in listed)
        st.markdown("| Column | Values |\n|---|---|\n" + "\n".join(rows))
        if not follows:
            st.caption("To vouch for these values, bring back the table and plan of this release.")
            return
        agreed = st.checkbox(VOUCH, key="vouch_agreed", help="The certificate records it.")
        st.button(
            "Write publishable files",
            disabled=not agreed,
            on_click=state.guard(vouch),
            icon=":material/public:",
            help="It spends nothing: Synth takes the noisy counts that you paid for.",
        )


def vouch() -> None:
    """Vouch, and make the files again from the paid result."""
    state.change(vouched=True)
    state.start_job()

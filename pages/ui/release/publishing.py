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
VOUCH = "Vouch that these values are public"


@dataclass(frozen=True)
class Verdict:
    what: str
    files: tuple[str, ...]
    why: str


def is_in_review(release: Release) -> bool:
    certificate = release.result.certificate
    vouched = certificate.declaration is not None and certificate.declaration.taken_is_public
    return certificate.domain_origin == LOOKED_UP and not vouched


def verdicts(release: Release) -> tuple[Verdict, Verdict]:
    first = Verdict(PUBLISH, tuple(release.files), "The guarantee covers these files.")
    if is_in_review(release):
        why = "These files hold values taken from the rows. No guarantee covers those values."
        first = Verdict(REVIEW, tuple(release.files), why)
    return first, KEPT


# Things that are not files of a release.
KEPT = Verdict(
    KEEP,
    ("the page Compare", "the confidential table", "ledger.db and its key"),
    "Compare and the table show real rows. With the ledger and its key, someone could test "
    "whether a file is your table.",
)


def may_publish(release: Release) -> None:
    first, kept = verdicts(release)
    say = st.warning if first.what == REVIEW else st.success
    say(_row(first), icon=":material/public:")
    st.info(_row(kept), icon=":material/lock:")


def _row(verdict: Verdict) -> str:
    return f"**{verdict.what}:** {in_markdown(', '.join(verdict.files), 400)}. {verdict.why}"


def review(draft: Draft, release: Release) -> None:
    if not is_in_review(release):
        return
    with st.container(border=True):
        st.header("Review values from the rows")
        st.markdown(
            "Every file shows these values. Could a rare value point to a person? Then leave "
            "the value out in the step Domain, and release again."
        )
        follows = release.source is not None and draft.follows_plan(release)
        domain = release.plan.domain
        names = draft.to_review if follows else domain.names
        alike: dict[str, list[str]] = {}
        for name in names:
            alike.setdefault(", ".join(domain[name].titles), []).append(name)
        rows = (
            f"| {in_markdown(', '.join(some), WHOLE)} | {in_markdown(values, WHOLE)} |"
            for values, some in alike.items()
        )
        st.markdown("| Columns | Values |\n|---|---|\n" + "\n".join(rows))
        if not follows:
            st.caption(
                "To vouch for these values, bring back the table and plan of this release."
            )
            return
        st.button(VOUCH, on_click=state.guard(vouch), icon=":material/public:")
        st.caption(
            "The certificate records it. Synth then writes publishable files from the noisy "
            "counts that you paid for, and spends nothing."
        )


def vouch() -> None:
    state.change(vouched=True)
    state.start_job()

"""Which parts of a release you may publish; the review of values taken from the rows."""

from dataclasses import dataclass

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.promise import WHOLE
from pages.ui.shell.release import Release
from synth.domain import LOOKED_UP
from synth.foreign import in_markdown

# What to do with files.
PUBLISH = "Publish"
REVIEW = "Review first"
KEEP = "Keep"
VOUCH = "Vouch that these values are public"


@dataclass(frozen=True)
class Verdict:
    """What to do with some files.

    Attributes:
        advice: Publish, review first, or keep.
        files: Names of the files, or other things.
        why: The reason as a sentence.
    """

    advice: str
    files: tuple[str, ...]
    why: str


def is_in_review(release: Release) -> bool:
    """Return whether a release has values from the rows that nobody vouched for."""
    certificate = release.result.certificate
    vouched = certificate.declaration is not None and certificate.declaration.taken_is_public
    return certificate.domain_origin == LOOKED_UP and not vouched


def verdicts(release: Release) -> tuple[Verdict, Verdict]:
    """Return what to do with the files of a release, and what to do with private things.

    Files with values from the rows have to be reviewed, unless somebody vouched for them.
    """
    files = tuple(release.files)
    if is_in_review(release):
        why = "These files hold values taken from the rows. No guarantee covers those values."
        return Verdict(REVIEW, files, why), PRIVATE_THINGS
    return Verdict(PUBLISH, files, "The guarantee covers these files."), PRIVATE_THINGS


# Things that are not files of a release.
PRIVATE_THINGS = Verdict(
    KEEP,
    ("the page Compare", "the confidential table", "ledger.db and its key"),
    "Compare and the table show real rows. With the ledger and its key, someone could test "
    "whether a file is your table.",
)


def may_publish(release: Release) -> None:
    """Show which files may be published, and which things are private."""
    release_verdict, private_verdict = verdicts(release)
    say = st.warning if release_verdict.advice == REVIEW else st.success
    say(_row(release_verdict), icon=":material/public:")
    st.info(_row(private_verdict), icon=":material/lock:")


def _row(verdict: Verdict) -> str:
    """Return the advice on some files as a sentence in Markdown."""
    return (
        f"**{verdict.advice}:** {in_markdown(', '.join(verdict.files), 400)}. {verdict.why}"
    )


def review(draft: Draft, release: Release) -> None:
    """Show values from the rows that have to be reviewed before publishing, if there are any.

    The user can vouch that they are public if the release follows the current plan.
    """
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
        # Only the draft of this plan may know which columns were taken from the rows.
        names = draft.to_review if follows else domain.names
        # Columns with the same values share a row of the table.
        names_by_values: dict[str, list[str]] = {}
        for name in names:
            names_by_values.setdefault(", ".join(domain[name].titles), []).append(name)
        rows = (
            f"| {in_markdown(', '.join(names), WHOLE)} | {in_markdown(values, WHOLE)} |"
            for values, names in names_by_values.items()
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
    """Record that the values from the rows are public; write the files anew at no cost."""
    state.change(vouched=True)
    state.start_job()

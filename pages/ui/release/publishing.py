"""Whether a release may be published, and the review of values taken from the rows."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.ui.shell import at_work, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.promise import MAX_GUARANTEE_LENGTH
from pages.ui.shell.release import Release
from synth.domain import LOOKED_UP, Binned, Column
from synth.foreign import in_markdown

VOUCH = "Vouch that these values are public"
FOR_YOU_ONLY = (
    "**For you only:** the page Compare, the confidential table, and the ledger with its "
    "key. Compare and the table show real rows. With the ledger and its key, someone could "
    "test whether a file is your table."
)

LOOKED = (
    "You looked at exact numbers of the rows, so the description may depend on the table; "
    "the certificate says so."
)

Advice = Literal["Publishable", "Not yet public"]


@dataclass(frozen=True)
class Verdict:
    """Whether the files of a release may be published.

    Attributes:
        advice: Publishable, or not yet.
        why: The reason, as sentences.
    """

    advice: Advice
    why: str


def is_in_review(release: Release) -> bool:
    """Return whether a release has values from the rows that nobody vouched for."""
    return _is_taken(release) and not _is_vouched(release)


def _is_taken(release: Release) -> bool:
    """Return whether lists or ranges of values were taken from the rows."""
    return release.result.certificate.domain_origin == LOOKED_UP


def _is_vouched(release: Release) -> bool:
    """Return whether the certificate says that the steward vouches for such values."""
    return release.result.certificate.declaration.taken_is_public


def verdict_on(release: Release) -> Verdict:
    """Return whether the files of a release may be published.

    Files with values from the rows have to be reviewed, unless somebody vouched for them.
    """
    if is_in_review(release):
        return Verdict(
            "Not yet public",
            "check the lists. They hold values taken from the rows, and no guarantee covers "
            "those values.",
        )
    covered = "the guarantee covers these files."
    if _is_taken(release):
        covered = "you vouch for the lists, the guarantee covers the rest."
    if release.result.certificate.declaration.looked:
        covered += f" {LOOKED}"
    return Verdict("Publishable", covered)


def show_verdict(release: Release) -> None:
    """Show whether the files of a release may be published."""
    verdict = verdict_on(release)
    sentence = f"**{verdict.advice}:** {verdict.why}"
    if verdict.advice == "Publishable":
        st.success(sentence, icon=":material/public:")
    else:
        st.warning(sentence, icon=":material/visibility:")


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
        # Columns with the same values share a line.
        names_by_values: dict[str, list[str]] = {}
        for name in names:
            names_by_values.setdefault(say_values(domain[name]), []).append(name)
        # A list, as a narrow screen would break the names in a table.
        lines = (
            f"- **{in_markdown(', '.join(names), MAX_GUARANTEE_LENGTH)}:** "
            f"{in_markdown(values, MAX_GUARANTEE_LENGTH)}"
            for values, names in names_by_values.items()
        )
        st.markdown("\n".join(lines))
        if not follows:
            st.caption(
                "To vouch for these values, bring back the table and plan of this release."
            )
            return
        st.button(
            VOUCH,
            on_click=state.guard(vouch),
            args=(release,),
            icon=":material/public:",
            type="primary",
        )
        st.caption(
            "The certificate records it. Synth then rewrites what the files say about these "
            "values. This spends nothing, and the rows and noisy counts stay as they are."
        )


def say_values(column: Column) -> str:
    """Return the values of a column that its files show: a range in words, else the list.

    Bins of equal length follow from their range and number.
    """
    if isinstance(column, Binned) and not column.edges:
        return column.in_words
    return ", ".join(column.titles)


def vouch(release: Release) -> None:
    """Write what the files of a release say anew: its values from the rows are public."""
    at_work.write_files(release, vouch=True)

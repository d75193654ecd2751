"""The guarantee and its limits, in the same words on every page."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.ui.shell.charts import Lane
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import counted
from pages.ui.shell.release import Release
from pages.ui.shell.words import guarantee_in_words
from synth.bundle import REFUSALS
from synth.domain import LOOKED_UP, Domain
from synth.estimate import Preparation, measured_pairs
from synth.foreign import in_markdown
from synth.plans import Plan

WHOLE = 4_000
"""Characters of a guarantee: it is never cut."""


def show_promise(release: Release) -> None:
    """Show the guarantee of a release in an expander."""
    certificate = release.result.certificate
    _say(certificate.guarantee.statement, certificate.caveats)


def first_line(release: Release) -> None:
    """Show first whether rows fit the declaration, and which relations were measured."""
    record, said = release.result.record, in_markdown(release.result.certificate.rows_fit, WHOLE)
    if release.result.is_noise:
        st.error(said, icon=":material/error:")
    elif release.result.is_doubtful:
        st.warning(said, icon=":material/rule:")
    elif len(record.domain.columns) > 1 and not measured_pairs(record):
        st.warning(said, icon=":material/link_off:")
    else:
        st.info(said, icon=":material/fact_check:")


def promise(plan: Plan, preparations: Sequence[Preparation] = ()) -> None:
    """Show the guarantee of a release by the plan, including the paid preparations."""
    _say(guarantee_in_words(plan, preparations), (REFUSALS, plan.reading.caveat, *plan.caveats))


def mark_description(draft: Draft) -> None:
    """Mark the parts of the description that the guarantee does not cover, if any."""
    if draft.domain is None:
        return
    if taken := draft.to_review:
        st.badge(
            f"Not publishable yet: values of {counted(len(taken), 'column')} to review",
            icon=":material/visibility:",
            color="orange",
            help="Synth took these lists and ranges of values from the rows. No guarantee covers "
            "them. Review them in the step Download, or describe the columns yourself.",
        )
    if draft.looked:
        st.badge(
            "The description may depend on the table",
            icon=":material/visibility:",
            color="orange",
            help="You looked at exact numbers of the rows. The certificate says so.",
        )


def public_lane(domain: Domain | None) -> Lane:
    """Return the lane of numbers from the declaration: private until somebody vouches for it."""
    taken = domain is not None and domain.origin == LOOKED_UP and not domain.vouched
    return Lane.PRIVATE if taken else Lane.PUBLIC


def _say(statement: str, caveats: Iterable[str]) -> None:
    with st.expander("The promise", icon=":material/verified_user:"):
        st.markdown(in_markdown(statement, WHOLE))
        for caveat in caveats:
            st.caption(in_markdown(caveat, WHOLE))

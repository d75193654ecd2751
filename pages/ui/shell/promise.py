"""The guarantee and its limits, in the same words on every page."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.ui.shell.charts import Lane
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.release import Release
from pages.ui.shell.words import guarantee_in_words
from synth.bundle import CONDITIONS, loses_relations, relations_of
from synth.domain import LOOKED_UP, Domain
from synth.door import Preparation
from synth.foreign import in_markdown
from synth.plans import Plan

# Characters of a guarantee: it is never cut.
WHOLE = 4_000


def show_promise(release: Release) -> None:
    certificate = release.result.certificate
    _say(certificate.guarantee.statement, certificate.caveats)


def first_line(release: Release) -> None:
    record, fit = release.result.record, release.result.certificate.rows_fit
    if not release.opened:  # the reader is the steward
        fit = fit.replace("The steward did", "You did").replace(
            "the steward look", "you look"
        )
    said, lost = in_markdown(fit, WHOLE), in_markdown(relations_of(record), WHOLE)
    said = said.replace("± ", "±\N{NO-BREAK SPACE}")
    if release.result.is_noise:
        st.error(said, icon=":material/error:")
    elif release.result.is_doubtful:
        st.warning(said, icon=":material/rule:")
    elif loses_relations(record):
        st.warning(lost, icon=":material/link_off:")
        st.caption(said.removesuffix(lost))
    else:
        st.info(said, icon=":material/fact_check:")


def promise(plan: Plan, preparations: Sequence[Preparation] = ()) -> None:
    _say(
        guarantee_in_words(plan, preparations),
        (*CONDITIONS, plan.reading.caveat, *plan.caveats),
    )


def mark_description(draft: Draft) -> None:
    if draft.domain is None:
        return
    if taken := draft.to_review:
        st.badge(
            f"Not publishable yet: values of {say_count(len(taken), 'column')} to review",
            icon=":material/visibility:",
            color="orange",
            help="Synth took these lists and ranges of values from the rows. No guarantee "
            "covers them. Review them in the step Download, or describe the columns "
            "yourself.",
        )
    if draft.looked:
        st.badge(
            "The description may depend on the table",
            icon=":material/visibility:",
            color="orange",
            help="You looked at exact numbers of the rows. The certificate says so.",
        )


def public_lane(domain: Domain | None) -> Lane:
    """Return the lane of numbers from the declaration: private until somebody vouches for
    it.
    """
    taken = domain is not None and domain.origin == LOOKED_UP and not domain.vouched
    return Lane.PRIVATE if taken else Lane.PUBLIC


def _say(statement: str, caveats: Iterable[str]) -> None:
    with st.expander("The promise", icon=":material/verified_user:"):
        st.markdown(in_markdown(statement, WHOLE))
        st.caption("\n".join(f"- {in_markdown(caveat, WHOLE)}" for caveat in caveats))

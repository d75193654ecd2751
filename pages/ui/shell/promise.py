"""The guarantee and its limits, in the same words on every page."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.ui.shell import state
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
MAX_GUARANTEE_LENGTH = 4_000
# The icon of a sentence on how many rows fit the description.
FITS = ":material/fact_check:"


def show_promise(release: Release) -> None:
    """Show the guarantee of a release, and its caveats."""
    certificate = release.result.certificate
    _say(certificate.guarantee.statement, certificate.caveats)


def first_line(release: Release, *, warns_of_relations: bool = False) -> None:
    """Show the most important sentence about a release: how far to trust its rows.

    It is an error if the rows are mere noise, and a warning if they are doubtful.

    Args:
        release: The release.
        warns_of_relations: Whether lost relations between columns are a warning of their own.
            That is where the result is judged; other pages name them in one short sentence.
    """
    record = release.result.record
    fit = release.result.certificate.rows_fit
    # The certificate speaks of the steward. The user of this page is the steward, unless the
    # release comes from a bundle.
    if not release.opened:
        fit = fit.replace("The steward did", "You did")
        fit = fit.replace("the steward look", "you look")
    fit_sentence = in_markdown(fit, MAX_GUARANTEE_LENGTH).replace("± ", "±\N{NO-BREAK SPACE}")
    lost_relations = in_markdown(relations_of(record), MAX_GUARANTEE_LENGTH)
    if release.result.is_noise:
        st.error(fit_sentence, icon=":material/error:")
    elif release.result.is_doubtful:
        st.warning(fit_sentence, icon=":material/rule:")
    elif loses_relations(record) and warns_of_relations:
        st.warning(lost_relations, icon=":material/link_off:")
        st.caption(fit_sentence.removesuffix(lost_relations))
    elif loses_relations(record):
        clause = in_markdown(relations_of(record).partition(". ")[0], MAX_GUARANTEE_LENGTH)
        st.info(f"{fit_sentence.removesuffix(lost_relations)}{clause}.", icon=FITS)
    else:
        st.info(fit_sentence, icon=FITS)
    draft = state.draft()
    if draft.seen_fits is not None and draft.follows_plan(release):
        st.caption(
            "The page Domain shows the exact number, for you alone. The number here is "
            "estimated from noisy counts, so that it may be published."
        )


def promise(plan: Plan, preparations: Sequence[Preparation] = ()) -> None:
    """Show the guarantee that a release of this plan would have, and its caveats.

    ``preparations`` are paid drafts and checks of the declaration, whose cost adds to it.
    """
    # ``reading`` says what counts as a row of the table.
    _say(
        guarantee_in_words(plan, preparations),
        (*CONDITIONS, plan.reading.caveat, *plan.caveats),
    )


def mark_description(draft: Draft) -> None:
    """Show badges if the declaration has values from the rows, or may depend on the table.

    Values are not to be reviewed if the user vouched for them in the release of this plan.
    """
    if draft.domain is None:
        return
    release = draft.release
    taken = draft.to_review
    if release is not None and release.plan.domain.vouched and draft.follows_plan(release):
        taken = ()
    if taken:
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
    """Return the lane of numbers that are computed from the declaration.

    It is private if the declaration was taken from the rows and nobody has vouched for it.
    """
    taken = domain is not None and domain.origin == LOOKED_UP and not domain.vouched
    return Lane.PRIVATE if taken else Lane.PUBLIC


def _say(statement: str, caveats: Iterable[str]) -> None:
    """Show a guarantee and its caveats in a section that is closed at first."""
    with st.expander("The promise", icon=":material/verified_user:"):
        st.markdown(in_markdown(statement, MAX_GUARANTEE_LENGTH))
        st.caption(
            "\n".join(f"- {in_markdown(caveat, MAX_GUARANTEE_LENGTH)}" for caveat in caveats)
        )

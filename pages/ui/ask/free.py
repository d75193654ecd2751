"""Free answers from the current release, next to the average errors of asking. PUBLIC."""

import math
from collections.abc import Sequence

import streamlit as st

from pages.ui.ask import inquiring
from pages.ui.ask.answers import show_answers
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from synth.analysis import Offer, still_asked, with_release
from synth.questions import Inquiry

EACH = (
    "Each 95 % interval contains the true value with at least 95 % probability, unless a "
    "remark below says that something is assumed."
)


def offers(draft: Draft, inquiry: Inquiry) -> list[Offer]:
    """Return each question's answer from the current release, with the forecast of asking it.

    The list is empty if there is no release of this table for the same protected unit, if the
    number of rows is unknown, or if the release can answer no question.
    """
    release = draft.release
    rows = draft.table_rows
    # The release must protect the same unit: one row, or all rows of a person.
    if release is None or not rows or release.plan.unit != inquiry.unit:
        return []
    record = release.result.record
    key = ("free", inquiry.request, record, rows)
    # Computed once per session for the same questions, release and rows.
    found_offers = state.work_out(
        key, lambda: with_release(inquiry, record, rows, partly=True)
    )
    # An error that is not a number means that the release cannot answer the question.
    if all(math.isnan(offer.free.expected_error) for offer in found_offers):
        return []
    return found_offers


def take_free(draft: Draft, offers: Sequence[Offer]) -> list[Offer]:
    """Return the free answers of the release that are taken instead of asking the table.

    They are those expected to be at least as accurate, unless the user declined free answers.
    Each offer also has the forecast of asking its question.
    """
    if not draft.asking.free:
        return []
    return [offer for offer in offers if offer.is_better]


def paid_inquiry(draft: Draft, inquiry: Inquiry, offers: Sequence[Offer]) -> Inquiry | None:
    """Return the questions that are still to be paid for; None if none is left.

    A question is left out if the user takes free answers and the release's answer is at least
    as accurate. The others keep the whole guarantee.
    """
    if not take_free(draft, offers):
        return inquiry
    remaining = still_asked(inquiry, offers)
    return None if remaining is None else inquiring.reuse_inquiry(remaining)


def choice(draft: Draft, offers: Sequence[Offer]) -> None:
    """Let the user choose whether to take free answers, if any is as accurate as asking.

    Each of ``offers`` has a question's answer from the release, and the forecast of asking
    it.
    """
    if any(offer.is_better for offer in offers):
        st.toggle(
            "Use free answers that are as accurate",
            help="The release answers these questions. The other questions share the whole "
            "budget.",
            **state.tie("ask free", draft.asking.free, lambda free: state.choose(free=free)),
        )


def answers(draft: Draft, offers: Sequence[Offer]) -> None:
    """Show the free answers that are taken instead of asking; nothing if there are none.

    Each of ``offers`` has a question's answer from the release, and the forecast of asking
    it.
    """
    free_answers = [offer.free for offer in take_free(draft, offers)]
    if not free_answers:
        return
    st.header("Free answers")
    badge(Lane.DP)
    st.markdown("The release answers these questions: **nothing is spent**.")
    if draft.release is not None and draft.release.opened:
        st.caption(
            "You opened this release from a bundle. Synth takes it to be of this table."
        )
    show_answers(free_answers, draft.askable, EACH, of="free answers")
    if len(free_answers) == len(offers):  # there is one offer per question
        st.success("The release answers all of it.", icon=":material/check_circle:")

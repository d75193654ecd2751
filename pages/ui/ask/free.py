"""Free answers from the current release, next to the expected errors of asking. PUBLIC."""

import math
from collections.abc import Sequence

import streamlit as st

from pages.ui.ask import inquiring
from pages.ui.ask.answers import show_found
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from synth.analysis import Offer, still_asked, with_release
from synth.questions import Inquiry

EACH = (
    "Each 95 % interval contains the true value with at least 95 % probability, unless a "
    "remark below says that something is assumed."
)


def offers(draft: Draft, asked: Inquiry) -> list[Offer]:
    release, rows = draft.release, draft.table_rows
    if release is None or not rows or release.plan.unit != asked.unit:
        return []
    record = release.result.record
    key = ("free", asked.request, record, rows)
    found = state.work_out(key, lambda: with_release(asked, record, rows, partly=True))
    return [] if all(math.isnan(one.free.expected_error) for one in found) else found


def take_free(draft: Draft, offers: Sequence[Offer]) -> list[Offer]:
    return [one for one in offers if one.is_better] if draft.asking.free else []


def paid_inquiry(draft: Draft, asked: Inquiry, offers: Sequence[Offer]) -> Inquiry | None:
    if not take_free(draft, offers):
        return asked
    rest = still_asked(asked, offers)
    return None if rest is None else inquiring.reuse_inquiry(rest)


def choice(draft: Draft, offers: Sequence[Offer]) -> None:
    if any(one.is_better for one in offers):
        st.toggle(
            "Use free answers that are as accurate",
            help="The release answers these questions. The other questions share the whole "
            "budget.",
            **state.tie("ask free", draft.asking.free, lambda v: state.choose(free=v)),
        )


def answers(draft: Draft, offers: Sequence[Offer]) -> None:
    found = [one.free for one in take_free(draft, offers)]
    if not found:
        return
    st.header("Free answers")
    badge(Lane.DP)
    st.markdown("The release answers these questions: **nothing is spent**.")
    if draft.release is not None and draft.release.opened:
        st.caption(
            "You opened this release from a bundle. Synth takes it to be of this table."
        )
    show_found(found, draft.askable, EACH, of="free answers")
    if len(found) == len(offers):
        st.success("The release answers all of it.", icon=":material/check_circle:")

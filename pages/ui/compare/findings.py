"""The comparison of real and synthetic rows on the screen. All of it is private."""

from collections.abc import Callable

import streamlit as st

from pages.ui.compare.columns import columns_view
from pages.ui.compare.compared import Findings
from pages.ui.compare.details import details_view
from pages.ui.compare.pairs import groups_view, pairs_view
from pages.ui.shell.numbers import percent
from synth.foreign import in_markdown
from synth.util import write_number


def show_findings(findings: Findings) -> None:
    """Show the comparison of a release with its confidential table. PRIVATE.

    One tab is drawn at a time, so that only its content is computed.
    """
    headline(findings)
    views: dict[str, Callable[[], None]] = {"Columns": lambda: columns_view(findings)}
    if findings.has_pairs:
        views["Pairs"] = lambda: pairs_view(findings)
        views["Groups"] = lambda: groups_view(findings)
    views["Details"] = lambda: details_view(findings)
    tabs = st.tabs(list(views), key="view", on_change="rerun")
    for tab, show_view in zip(tabs, views.values(), strict=True):
        with tab:
            if tab.open:
                show_view()


def headline(findings: Findings) -> None:
    """Show the verdict in words, and the average errors of columns and of pairs."""
    verdict = findings.verdict
    box = st.success if verdict.is_good else st.warning
    reasons = in_markdown(" ".join(verdict.reasons)).replace(" %", "\N{NO-BREAK SPACE}%")
    box(
        f"**{in_markdown(verdict.sentence)}** {reasons}",
        icon=":material/check_circle:" if verdict.is_good else ":material/balance:",
    )
    values = findings.values
    errors = findings.compared.errors
    columns = (
        f"- **Columns** are off by **{percent(values.mean)}** on average: you would have to "
        "change so many rows to make each value as frequent as in the real table. Chance "
        f"alone makes {percent(values.mean_chance)}. With numbers and dates in bins, as the "
        f"forecast counts them, they are off by {percent(errors.one_way.mean)}."
    )
    if not findings.has_pairs:
        st.markdown(columns, help=HELP)
        return
    pairs = (
        f"- **Pairs of columns** are off by **{percent(errors.two_way.mean)}** on average, "
        "with numbers and dates in bins. Chance alone makes "
        f"{percent(errors.floor[1].mean)}. Pairs are as close as in a random sample of "
        f"**{write_number(errors.subsample_percent)} %** of the real rows."
    )
    st.markdown(f"{columns}\n{pairs}", help=HELP)


HELP = (
    "A column is close if it is off by at most 5 %, or by at most twice of what chance alone "
    "makes. A relation is kept if at least half of its strength is left. Chance alone is the "
    "error of a second sample of the same people."
)

"""The measurements and payments of a release with a split budget."""

import streamlit as st

from pages.ui.plan.prediction import WHAT_RANGES_ARE, outlook_after, say_other_repair, span
from pages.ui.shell.numbers import percent
from pages.ui.shell.release import Release
from synth import limits
from synth.estimate import Record, in_sentence, name_method
from synth.forecasts import explain_lists
from synth.foreign import in_markdown
from synth.privacy import name_cost


def expected_errors(release: Release) -> None:
    """Show the ranges of the mean errors of a release, of columns and of pairs of columns.

    They are forecasts from public numbers, as those of the step Plan.
    """
    expected = outlook_after(release.result)
    if expected is None:
        st.caption(
            "The expected error depends on how near the public table is, and is not known."
        )
        return
    columns, pairs = st.columns(2)
    columns.metric("Expected error of columns", span(expected.columns), border=True)
    pairs.metric("Expected error of pairs", span(expected.pairs), border=True)
    if release.noisy_counts is not None and (sentence := say_other_repair(release.plan)):
        st.caption(in_markdown(sentence))
    domain = release.result.plan.domain
    st.caption(f"{WHAT_RANGES_ARE} {in_markdown(explain_lists(domain))}")


def spends(record: Record) -> None:
    """Show the measurements of a release with their costs, and the error bars of pairs.

    Nothing is shown if its budget was not split. ``record`` is the release's: its ``spends``
    are the payments in order, its ``bars`` the error bars of single pairs, widest first.
    """
    if not record.spends:
        return
    method = in_markdown(in_sentence(name_method(record.strategy, record.domain.size)))
    with st.expander(f"Measurements ({method})", icon=":material/list:"):
        costs = [name_cost(spend.cost, most=12) for spend in record.spends]
        st.dataframe(
            {"Measured": [spend.what for spend in record.spends], "Cost": costs},
            hide_index=True,
            alt="Each measurement and its cost.",
        )
        st.caption(
            "Long numbers are rounded up here; the certificate has the exact fractions."
        )
    if not record.bars:
        return
    with st.expander("Error bar of each pair", icon=":material/straighten:"):
        bars = record.bars[: limits.COMPARED_TABLES]
        table = {
            "Pair": [" and ".join(bar.names) for bar in bars],
            "Measured": [bar.measured for bar in bars],
            "Off by up to": [percent(bar.reach) for bar in bars],
        }
        st.dataframe(table, hide_index=True, alt="The error bar of each pair.")
        st.caption("Nine of ten pairs should be off by no more than their bar.")
        if len(bars) < len(record.bars):
            st.caption(f"The widest {len(bars):,} of {len(record.bars):,} bars are shown.")

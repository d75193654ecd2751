"""Pairs of columns, and groups within one column. PRIVATE."""

import streamlit as st

from pages.ui.compare.compared import Findings
from pages.ui.shell.charts import Lane, show
from pages.ui.shell.numbers import percent

ERRORS = "Errors"
WORST = "Worst first"
STRENGTHS = "Strength of relations"


def pairs_view(findings: Findings) -> None:
    """Show all pairs of columns as a matrix of errors or strengths, and one of them."""
    matrix = st.segmented_control(
        "Matrix",
        (ERRORS, WORST, STRENGTHS),
        default=ERRORS,
        required=True,
        key="matrix",
        label_visibility="collapsed",
    )
    if matrix == STRENGTHS:
        _show_strengths(findings)
    elif matrix == WORST:
        st.markdown("The pairs that are furthest off, in cells, next to chance alone.")
        show(findings.draw_worst_pairs(), Lane.PRIVATE, "worst")
    else:
        st.markdown(
            "How far off each pair is: the share of rows that you would have to change. "
            "Numbers and dates count in their **bins**. The diagonal has the single columns."
        )
        show(findings.draw_pairs(), Lane.PRIVATE, "two_way")
    if findings.pairs_note:
        st.caption(findings.pairs_note)
    _show_one(findings)


def _show_strengths(findings: Findings) -> None:
    """Show how the strength of each pair's relation changed."""
    st.markdown(
        "How strongly two columns are related, from 0 (not at all) to 1 (one decides the "
        "other): Cramér's V. Blue pairs are weaker in the synthetic rows than in the real "
        "ones, orange pairs are stronger. The table has both strengths, and the correlation "
        "of numbers and dates."
    )
    if sentence := findings.slopes.sentence:
        st.markdown(f"**{sentence}**")
    show(findings.draw_changes(), Lane.PRIVATE, "changes")


def _show_one(findings: Findings) -> None:
    """Show which cells of one chosen pair have too many or too few rows."""
    errors = findings.compared.errors.two_way.by_table
    pair = st.selectbox(
        "One pair in detail (worst first)",
        [names for names, _ in findings.compared.errors.two_way.worst_first],
        index=None,
        placeholder="Choose a pair",
        format_func=lambda names: (
            f"{names[0]} by {names[1]} - off by {percent(errors[names])}"
        ),
        key="one_pair",
    )
    if pair is not None:
        show(findings.draw_gap(*pair), Lane.PRIVATE, "gap")


def groups_view(findings: Findings) -> None:
    """Show the errors within the groups of a chosen column, and lost small groups.

    A lost group is a cell of two columns with real rows and without a synthetic one.
    """
    domain = findings.compared.domain
    name = st.selectbox(
        "Groups by", sorted(domain.names, key=lambda name: domain[name].size), key="group_by"
    )
    st.markdown(
        "How far off the other columns are within each group, on average, in cells: numbers "
        "and dates in their **bins**."
    )
    show(findings.draw_groups(name), Lane.PRIVATE, "groups")
    st.markdown("**Small groups**, counted over the cells of all pairs of columns:")
    st.dataframe(
        findings.tabulate_lost(), hide_index=True, alt="Small groups without a synthetic row."
    )

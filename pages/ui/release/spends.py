"""The measurements and payments of a release with a split budget."""

import streamlit as st

from pages.ui.shell.numbers import percent
from synth.estimate import RECIPES, Method, Record
from synth.privacy import name_cost


def spends(record: Record) -> None:
    if not record.spends:
        return
    method = RECIPES[record.strategy or Method.DENSE].short
    with st.expander(f"Measurements ({method})", icon=":material/list:"):
        costs = [name_cost(spend.cost, most=12) for spend in record.spends]
        st.dataframe(
            {"Measured": [spend.what for spend in record.spends], "Cost": costs}, hide_index=True
        )
        st.caption("Long numbers are rounded up here; the certificate has the exact fractions.")
    if not record.bars:
        return
    with st.expander("Expected error of each pair", icon=":material/straighten:"):
        table = {
            "Pair": [" and ".join(bar.names) for bar in record.bars],
            "Measured": [bar.measured for bar in record.bars],
            "Expected": [percent(bar.expected) for bar in record.bars],
        }
        st.dataframe(table, hide_index=True)

"""What a release by marginals measured and paid."""

from fractions import Fraction

import streamlit as st

from pages.ui.draft import escaped
from pages.ui.shell.charts import percent
from synth.models.record import Modelled
from synth.privacy.budget import brief
from synth.privacy.guarantee import Guarantee


def spends(modelled: Modelled) -> None:
    """Every payment, and how far each pair is expected to be off."""
    with st.expander(f"What was measured ({escaped(modelled.strategy)})", icon=":material/list:"):
        st.dataframe(
            {
                "Measured": [spend.what for spend in modelled.spends],
                "Cost": [_about(spend.cost) for spend in modelled.spends],
            },
            hide_index=True,
        )
        st.caption("Long numbers are rounded up here; the certificate has all as exact fractions.")
    if not modelled.bars:
        return
    with st.expander("How far off each pair is expected to be", icon=":material/straighten:"):
        st.dataframe(
            {
                "Pair": [" and ".join(bar.names) for bar in modelled.bars],
                "Measured": [bar.measured for bar in modelled.bars],
                "Expected": [percent(bar.expected) for bar in modelled.bars],
            },
            hide_index=True,
        )


def _about(cost: Guarantee) -> str:
    """A part of the budget, for people."""
    if cost.rho is not None:
        return f"rho {brief(cost.rho, most=12)}"
    return f"epsilon {brief(cost.epsilon or Fraction(0), most=12)}"

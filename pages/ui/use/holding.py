"""The contents of a bundle: rows, columns, and the accuracy of relations."""

import math
import re

import pandas as pd
import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.numbers import percent, say_count
from pages.ui.shell.promise import WHOLE
from pages.ui.use.choices import Using
from synth.estimate import SHOWN, Light, Relation, relations
from synth.foreign import in_markdown

WIDTHS = {"Columns": 1, "Pairs": 2, "Triples": 3}


def show_contents(now: Using) -> None:
    result = now.analysis.result
    st.header("Contents")
    badge(Lane.DP)
    columns = say_count(len(result.plan.domain.columns), "column")
    rows = result.certificate.number_of_rows or "unknown"
    st.markdown(
        f"{say_count(result.synthetic.rows, 'synthetic row')} of {columns}. Rows of the "
        f"confidential table: {in_markdown(re.sub('[0-9]+', _group, rows))}."
    )
    if result.certificate.rows_fit:
        st.markdown(in_markdown(result.certificate.rows_fit, WHOLE))
    told = st.segmented_control(
        "Accuracy of", list(WIDTHS), default="Columns", required=True, key="used_width"
    )
    _lights(now, WIDTHS[told or "Columns"])


def _group(digits: re.Match[str]) -> str:
    return f"{int(digits[0]):,}"


def _lights(now: Using, width: int) -> None:
    record = now.analysis.result.record
    found = state.work_out(
        ("relations", now.certificate, width), lambda: relations(record, width)
    )
    if not found:
        st.info("No three columns were measured together. Ask about two at most.")
        return
    st.dataframe(lights_table(found[:SHOWN]), hide_index=True)
    more = f" The worst {SHOWN} of {len(found):,} are shown." if len(found) > SHOWN else ""
    says = "; ".join(f"{one.sign} {one.says}: {one.advice}" for one in Light)
    st.caption(
        f"Error bar: the share of rows that the noise may put in the wrong place.{more} "
        f"{in_markdown(says)}."
    )


def lights_table(found: tuple[Relation, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "columns": [" × ".join(one.names) for one in found],
            "kept": [f"{one.light.sign} {one.light.says}" for one in found],
            "error bar": [
                "not known" if math.isnan(one.error) else percent(one.error) for one in found
            ],
            "measured together": ["yes" if one.measured else "no" for one in found],
        }
    )

"""The contents of a bundle: rows, columns, and the accuracy of relations."""

import math
import re

import pandas as pd
import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.numbers import percent, say_count
from pages.ui.shell.promise import MAX_GUARANTEE_LENGTH
from pages.ui.use.choices import Using
from synth.estimate import MAX_SHOWN_RELATIONS, Light, Relation, relations
from synth.foreign import in_markdown

WIDTHS = {"Columns": 1, "Pairs": 2, "Triples": 3}


def show_contents(opened: Using) -> None:
    """Show how many rows and columns a release has, and folded how accurate they are."""
    result = opened.analysis.result
    columns = say_count(len(result.plan.domain.columns), "column")
    number, _, origin = result.certificate.number_of_rows.partition(", ")
    st.markdown(
        f"{say_count(result.synthetic.rows, 'synthetic row')} of {columns}. "
        f"{in_markdown(_say_real_rows(number, origin))}"
    )
    if result.certificate.rows_fit:
        st.markdown(in_markdown(result.certificate.rows_fit, MAX_GUARANTEE_LENGTH))
    with st.expander("Accuracy of columns and their relations", icon=":material/speed:"):
        width = st.segmented_control(
            "Accuracy of", list(WIDTHS), default="Columns", required=True, key="used_width"
        )
        _lights(opened, WIDTHS[width or "Columns"])


def _say_real_rows(number: str, origin: str) -> str:
    """Return a sentence on the confidential rows.

    Args:
        number: How many there are, such as "about 2400"; empty if that is unknown.
        origin: Where the number is from, such as "from the noisy counts".

    >>> _say_real_rows("about 2400", "from the noisy counts")
    'The confidential table has about 2,400 rows (from the noisy counts).'
    """
    if not number:
        return "The release does not say how many rows the confidential table has."
    source = f" ({origin})" if origin else ""
    return f"The confidential table has {re.sub('[0-9]+', _group, number)} rows{source}."


def _group(digits: re.Match[str]) -> str:
    return f"{int(digits[0]):,}"


def _lights(opened: Using, width: int) -> None:
    """Show how accurately the release keeps single columns, pairs, or triples of columns.

    ``width`` is the number of columns that are taken together.
    """
    record = opened.analysis.result.record
    all_relations = state.work_out(
        ("relations", opened.certificate, width), lambda: relations(record, width)
    )
    if not all_relations:
        st.info("No three columns were measured together. Ask about two at most.")
        return
    st.dataframe(
        lights_table(all_relations[:MAX_SHOWN_RELATIONS]),
        hide_index=True,
        alt="How well relations are preserved.",
    )
    omission = ""
    if len(all_relations) > MAX_SHOWN_RELATIONS:
        omission = f" The worst {MAX_SHOWN_RELATIONS} of {len(all_relations):,} are shown."
    # A light says how well a relation is kept: by a sign, in words, and with advice.
    legend = "; ".join(f"{light.sign} {light.says}: {light.advice}" for light in Light)
    st.caption(
        f"Error bar: the share of rows that the noise may put in the wrong place.{omission} "
        f"{in_markdown(legend)}."
    )


def lights_table(relations: tuple[Relation, ...]) -> pd.DataFrame:
    """Return a table with one row for each relation: columns, how well kept, and error bar.

    An error bar is a share of rows, NaN if it is not known.
    """
    return pd.DataFrame(
        {
            "columns": [" × ".join(relation.names) for relation in relations],
            "kept": [
                f"{relation.light.sign} {relation.light.says}" for relation in relations
            ],
            "error bar": [
                "not known" if math.isnan(relation.error) else percent(relation.error)
                for relation in relations
            ],
            "measured together": [
                "yes" if relation.measured else "no" for relation in relations
            ],
        }
    )

"""A release that was made, and what one of the plan would hold."""

import pandas as pd
import pyarrow as pa
import streamlit as st

from pages.ui.plan.prediction import outlook_of
from pages.ui.release.accepting import writing
from pages.ui.release.noisy import show_noisy_counts
from pages.ui.release.spends import expected_errors, spends
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import write_count
from pages.ui.shell.promise import first_line, show_promise
from pages.ui.shell.release import Release
from pages.ui.shell.words import command_line
from synth.estimate import RECIPES, name_method
from synth.foreign import in_markdown
from synth.plans import Plan
from synth.privacy import brief
from synth.util import explain_word

# Streamlit's own word for a missing value is a grey that few can read.
MISSING = "(missing)"


def write_missing(rows: pa.Table) -> pd.DataFrame:
    """Return rows whose missing values are a word in the colour of the others.

    Columns without any stay as they are; in the others all values become texts.
    """
    columns = {}
    for name, values in zip(rows.column_names, rows.columns, strict=True):
        if values.null_count:
            values = values.cast(pa.string()).fill_null(MISSING)
        columns[name] = values.to_pandas()
    return pd.DataFrame(columns)


def show_release(release: Release) -> None:
    """Show a release: its cost, how far to trust it, its first rows and its guarantee.

    There is no button that spends, as another release of this plan would be free.
    """
    result = release.result
    how = "Opened from a bundle" if release.opened else "Released"
    st.success(
        f"{how}: {result.synthetic.rows:,} synthetic rows with {release.cost}. "
        "This release is stored; looking at it again spends nothing.",
        icon=":material/check_circle:",
    )
    first_line(release)
    show_noisy_counts(release)
    if not release.files:
        writing(release)
    st.header("The synthetic rows")
    badge(Lane.DP)
    first = write_missing(result.synthetic.table.slice(0, 8))
    st.dataframe(first, hide_index=True, alt="The first synthetic rows.")
    st.caption("The first rows of the synthetic table. These people are made up.")
    decisions = result.record.domain.decisions
    for remark in filter(None, (decisions.left_out_sentence, decisions.agreed_sentence)):
        st.caption(in_markdown(remark))
    show_promise(release)
    expected_errors(release)
    spends(result.record)


def describe_method(draft: Draft, plan: Plan) -> str:
    """Return the name of the method of a release, also if Synth will choose it.

    It is that of the plan's release if there is one; else the forecast one, which needs the
    number of rows.
    """
    earlier = draft.earlier_release
    rows = draft.table_rows
    if earlier is not None:
        return name_method(earlier.result.record.strategy, plan.domain.size)
    if RECIPES[plan.method].chooses and not rows:
        return "not known yet"
    method = outlook_of(plan, rows).method if rows else plan.method
    return name_method(method, plan.domain.size)


def contents(draft: Draft, plan: Plan) -> None:
    """Show the size of a release of the plan, its noise scale or method, and its command.

    The noise scale, in rows, is known for a histogram; other plans show their method.
    """
    columns, cells, noise = st.columns(3)
    columns.metric("Columns", len(plan.domain.columns), border=True)
    cells.metric(
        "Cells", write_count(plan.domain.size), border=True, help=explain_word("cell")
    )
    cell_noise = plan.cell_noise
    # Exact if it has at most 12 characters, otherwise rounded.
    scale = brief(cell_noise.scale, most=12) if cell_noise is not None else ""
    label = "Noise scale" if scale else "Method"
    noise.metric(label, scale or describe_method(draft, plan), border=True)
    table = draft.source.title if draft.source else plan.dataset
    st.code(command_line(plan, table), language="bash", wrap_lines=True)
    st.caption("domain.json is the description; the step Download has it.")

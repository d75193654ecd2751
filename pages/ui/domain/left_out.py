"""The columns that take no part: their names and reasons, and which names stay secret."""

import streamlit as st

from pages.ui.domain.remarks import left_out
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from synth.errors import name_some
from synth.foreign import in_markdown, line

# Most columns that a sentence names.
NAMED_COLUMNS = 10


def name_left_out(draft: Draft) -> None:
    """Show which columns take no part, and why, before anything is spent; nothing if all do.

    Columns that no public file will name are shown by themselves.
    """
    reasons = left_out(draft)
    public_reasons = draft.public_decisions.left_out
    public_names = [
        f"'{name}' ({public_reasons[name]})" for name in reasons if name in public_reasons
    ]
    secret_names = [f"'{name}'" for name in reasons if name not in public_reasons]
    if public_names:
        st.info(
            in_markdown(f"Left out: {name_some(public_names, NAMED_COLUMNS)}."),
            icon=":material/remove:",
        )
    if secret_names:
        st.info(
            in_markdown(
                f"Left out, and named in no file: {name_some(secret_names, NAMED_COLUMNS)}."
            ),
            icon=":material/remove:",
        )


def list_left_out(draft: Draft) -> None:
    """Show a table of the columns that take no part, and why; nothing if all do."""
    reasons = left_out(draft)
    if not reasons:
        return
    with st.expander(
        f"Left out: {say_count(len(reasons), 'column')}", icon=":material/remove:"
    ):
        st.dataframe(
            {"Column": list(reasons), "Why": list(reasons.values())},
            hide_index=True,
            height=min(300, 37 + 35 * len(reasons)),  # in pixels: heading and rows
            column_config={"Column": st.column_config.TextColumn(width="small")},
            alt=f"Why {say_count(len(reasons), 'column')} take no part.",
        )
        _withhold(draft)


def _withhold(draft: Draft) -> None:
    """Ask which of these columns no public file may name."""
    names = [*draft.public_decisions.left_out, *sorted(draft.withheld)]
    if not names:
        return
    st.multiselect(
        "Names to keep secret",
        names,
        format_func=line,
        help="Certificate, statement and description name the columns that are left out, "
        "with a short reason. Choose those whose name alone says too much.",
        **state.tie(
            "withheld",
            sorted(draft.withheld),
            lambda chosen: state.change(withheld=frozenset(chosen)),
        ),
    )

"""The live meter of the domain: how large the universe is, and what that means."""

from typing import Any

import streamlit as st

from pages.ui.shell.charts import badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import short
from pages.ui.shell.promise import public_lane
from pages.ui.shell.widgets import ask_rows
from synth import limits
from synth.domain import coarsening_advice
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.noise import LaplaceLaw, reach
from synth.privacy import parse_epsilon
from synth.util import explain_word


def meter(draft: Draft) -> None:
    """How large the universe is, and what that means."""
    size = draft.domain.size if draft.domain else 0
    badge(public_lane(draft.domain))
    cells, rows, share, noise = st.columns(4, border=True)
    cells.metric("Cells in the universe", short(size), help=explain_word("universe"))
    ask_rows(rows, "")
    _share(share, draft.about_rows, size)
    noise.metric(
        f"Noise at epsilon {in_markdown(draft.epsilon)}",
        _reach(draft) if size else "-",
        help="In a histogram, 95 of 100 cells are off by at most so many rows. The step Plan sets "
        "epsilon.",
    )
    verdict(draft, size)


def _share(place: Any, rows: int, size: int) -> None:
    """How many rows there are for a cell, or cells for a row."""
    crowded = rows >= size
    value = "-"
    if rows and size:
        value = f"{rows / size:,.3g}" if crowded else short(size // rows)
    place.metric(
        "Rows for each cell" if crowded and size else "Cells for each row",
        value,
        help="With more cells than rows, most cells are empty and their noise adds up.",
    )


def _reach(draft: Draft) -> str:
    try:
        scale = draft.neighbors.sensitivity * draft.max_rows / parse_epsilon(draft.epsilon)
    except SynthError:
        return "-"
    return f"± {reach(LaplaceLaw(float(scale)), 0.95):,} rows"


def verdict(draft: Draft, size: int) -> None:
    """What the size of the universe means, in a sentence."""
    if draft.domain is None:
        st.info("No column is declared yet. Import a declaration, or declare columns below.")
        return
    if size > limits.DENSE_CELLS:
        st.info(
            f"A histogram of all cells ({short(size)}) is too large to write down cell by cell. "
            "You can go on all the same: the method auto in the step Plan measures small tables "
            "of a few columns each, and the large histogram lists the counts above a threshold "
            "only.",
            icon=":material/account_tree:",
        )
        return
    if draft.about_rows and size > 4 * draft.about_rows:
        advice = coarsening_advice(draft.domain, 2 * draft.about_rows)
        st.warning(
            f"There are {size / draft.about_rows:,.0f} cells for each row: in one histogram, "
            f"noise will outweigh the data in small groups. {in_markdown(advice)} Or choose the "
            "method auto in the step Plan.",
            icon=":material/grid_on:",
        )

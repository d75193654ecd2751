"""The size of the domain, and its effect on the noise."""

import streamlit as st

from pages.ui.shell.charts import badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import write_count
from pages.ui.shell.promise import public_lane
from synth import limits
from synth.domain import Domain, coarsening_advice
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.noise import LaplaceLaw, reach
from synth.privacy import parse_epsilon
from synth.util import explain_word


def meter(draft: Draft, domain: Domain) -> None:
    """Show the number of cells of the domain, how many rows each has, and the noise per cell.

    A cell is a combination of values of all columns. Captions say if they are too many.
    """
    badge(public_lane(domain))
    size = domain.size
    rows = draft.table_rows
    cells, share, noise = st.columns(3, border=True)
    cells.metric("Cells", write_count(size), help=explain_word("universe"))
    share.metric(
        "Rows for each cell" if rows >= size else "Cells for each row",
        _write_ratio(rows, size),
        help="With more cells than rows, most cells are empty and their noise adds up.",
    )
    noise.metric(
        f"Noise at epsilon {in_markdown(draft.epsilon)}",
        _reach(draft),
        help="In a histogram, 95 of 100 cells have at most this error.",
    )
    if size > limits.DENSE_CELLS:
        st.caption(
            f"A histogram of all {write_count(size)} cells is too large. You can go on all "
            "the same: Synth then measures small tables of a few columns each."
        )
    # With more than four cells for each row, most cells are empty and noise dominates. The
    # advice is to coarsen columns until there are two.
    elif rows and size > 4 * rows:
        advice = in_markdown(coarsening_advice(domain, 2 * rows))
        st.caption(
            f"There are {size / rows:,.0f} cells for each row, so in one histogram noise "
            f"would outweigh small groups. Synth then measures small tables instead. {advice}"
        )


def _write_ratio(rows: int, cells: int) -> str:
    """Return rows per cell, or cells per row if these are more; "-" without known rows."""
    if not rows:
        return "-"
    return f"{rows / cells:,.3g}" if rows >= cells else write_count(cells // rows)


def _reach(draft: Draft) -> str:
    """Return the error that 95 of 100 noisy counts of a histogram stay within, in words.

    It is "-" if the typed epsilon is invalid.
    """
    try:
        # The Laplace scale: the sensitivity of a histogram divided by epsilon.
        scale = draft.neighbors.sensitivity * draft.max_rows / parse_epsilon(draft.epsilon)
    except SynthError:
        return "-"
    return f"± {reach(LaplaceLaw(float(scale)), 0.95):,} rows"

"""Facts from a release without the confidential table: paid for, and free to see."""

import streamlit as st

from pages.ui.compare.scoring import utility_score
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.shell.release import Release
from synth.estimate import Record, side_by_side
from synth.private.comparison import figures


def from_release(release: Release) -> None:
    """Show facts that follow from the release alone, without the confidential table.

    They are all repairs of its noisy counts, or else the expected errors of pairs.
    """
    st.header("From the release alone")
    badge(Lane.DP)
    if release.result.record.repair is None:
        _bars(release)
    else:
        _repairs(release.result.record)
    utility_score(release)


def _repairs(record: Record) -> None:
    """Show all repairs of negative noisy counts, and what each does to the counts, on demand.

    ``record`` holds the noisy counts of the release.
    """
    with st.expander(
        "All repairs of the same noisy counts, side by side", icon=":material/build:"
    ):
        if not st.toggle("Work them out", key="repairs_shown"):
            st.caption("It takes a moment and costs no budget.")
            return
        st.markdown(
            "Noise makes some counts negative, and a repair corrects them. This release used "
            f"**{record.repair}**. The expected error covers all cells. The bias says how "
            "many rows a cell of 0, 1, 5, 20 or 100 rows gains or loses."
        )
        show(
            figures.repairs(side_by_side(record.histogram)), Lane.DP, "repairs", expanded=True
        )


def _bars(release: Release) -> None:
    """Show the error bar of each pair of columns, which the release's model gives.

    Nine of ten errors should be within their bar.
    """
    bars = release.result.pair_bars
    if not bars:
        st.caption("The release has no estimate of the error of pairs of columns.")
        return
    with st.expander(
        "How far off the model expects each pair to be", icon=":material/straighten:"
    ):
        st.markdown(
            "From the noisy counts alone, nobody's row in sight: nine of ten pairs should be "
            "off by no more than their bar."
        )
        show(figures.pair_bars(bars), Lane.DP, "expected_bars")

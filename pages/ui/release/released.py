"""Facts from a release without the confidential table: paid for, and free to see."""

import streamlit as st

from pages.ui.compare.scoring import utility_score
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.shell.release import Release
from synth.private.comparison import figures


def from_release(release: Release) -> None:
    """Show facts that follow from the release alone, without the confidential table.

    They are the error bars of single pairs, which only a model has, and a utility score.
    There are none if the release was opened from the bundle of a histogram without a score.
    """
    has_bars = release.result.record.repair is None
    if release.opened and not has_bars and not release.result.scores:
        return
    st.header("From the release alone")
    badge(Lane.DP)
    if has_bars:
        _bars(release)
    utility_score(release)


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

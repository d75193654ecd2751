"""Numbers and pictures, each under the badge of its lane."""

from enum import StrEnum
from typing import Literal

import streamlit as st

from synth.foreign import in_markdown, in_picture
from synth.util import Picture, SmallMultiples, add_watermark


class Lane(StrEnum):
    """The three kinds of numbers, by what protects them."""

    # From the domain, epsilon and the mechanism.
    PUBLIC = "public"
    # From the release, which was paid for.
    DP = "DP"
    # From the confidential table.
    PRIVATE = "private"


Color = Literal["green", "blue", "red"]

_BADGES: dict[Lane, tuple[str, str, Color, str]] = {
    Lane.PUBLIC: ("Public", ":material/public:", "green", "From public numbers only."),
    Lane.DP: (
        "Differentially private",
        ":material/verified_user:",
        "blue",
        "Paid for; covered by the guarantee.",
    ),
    Lane.PRIVATE: (
        "Private - do not share",
        ":material/visibility_off:",
        "red",
        "Reads the confidential table; no guarantee covers it.",
    ),
}


def badge(lane: Lane) -> None:
    """Show to which lane the numbers below belong: public, paid for, or private."""
    label, icon, color, explanation = _BADGES[lane]
    st.badge(label, icon=icon, color=color, help=explanation)


def show(picture: Picture, lane: Lane, key: str, *, expanded: bool = False) -> None:
    """Show a picture with its alternative text and its table.

    Args:
        picture: The picture.
        lane: What protects its numbers; a private picture gets a watermark.
        key: The key of the widget.
        expanded: Whether the table is open at first.
    """
    if lane is Lane.PRIVATE:
        picture = add_watermark(picture)
    config = {"displayModeBar": False, "scrollZoom": False}
    st.plotly_chart(in_picture(picture.figure), key=key, alt=picture.alt, config=config)
    with st.expander("Show as table", expanded=expanded):
        st.caption(in_markdown(picture.alt))
        st.dataframe(
            picture.table.round(4),
            hide_index=picture.table.index.name is None,
            alt="The numbers of the picture above.",
        )


def show_small(pictures: SmallMultiples) -> None:
    """Show small pictures, which have their descriptions within, and their table."""
    st.html(pictures.html)
    with st.expander("Show as table"):
        st.dataframe(
            pictures.table.round(4), hide_index=True, alt="The shares in the pictures above."
        )

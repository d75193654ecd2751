"""Lines and bars of the lessons, each with its words and its table. PUBLIC.

>>> line_picture(
...     [1, 2], {"double": np.array([2.0, 4.0])}, "A line.", x="n", y="2n"
... ).table.shape
(2, 2)
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from synth.util import LINES, QUIET, Floats, Picture, set_axes

_DASHES = ("solid", "dash", "dot")


def line_picture(
    at: Sequence[float] | NDArray[np.number],
    lines: Mapping[str, Floats],
    alt: str,
    *,
    x: str,
    y: str,
) -> Picture:
    """Return a picture of lines that differ in both colour and dash.

    Lines whose name starts with "allowed" or "rule" are grey, as they are bounds.

    Args:
        at: Where the lines have values, on the horizontal axis, shape (k,).
        lines: Values of each line, shape (k,), by its name; at most three are drawn.
        alt: The alternative text.
        x: Title of the horizontal axis.
        y: Title of the vertical axis.
    """
    figure = go.Figure()
    for (name, values), line, dash in zip(lines.items(), LINES, _DASHES, strict=False):
        color = QUIET if name.startswith(("allowed", "rule")) else line
        figure.add_trace(
            go.Scatter(
                x=np.asarray(at),
                y=values,
                mode="lines",
                name=name,
                line={"color": color, "width": 2.5, "dash": dash},
                hovertemplate="%{x:,.4~g}<br>" + name + " %{y:,.4~g}<extra></extra>",
            )
        )
    set_axes(figure, x=x, y=y, height=320)
    return Picture(figure, alt, pd.DataFrame({x: np.asarray(at)} | dict(lines)))


def in_decades(picture: Picture) -> Picture:
    """Give a picture logarithmic axes with a tick at every power of ten, and return it."""
    picture.figure.update_xaxes(type="log", exponentformat="power", dtick=1)
    picture.figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    return picture


def bar_picture(table: pd.DataFrame, alt: str, *, y: str) -> Picture:
    """Return a picture of groups of bars.

    Args:
        table: A row for each group. The first column names the groups, every other one has
            the heights of one colour of bars.
        alt: The alternative text.
        y: Title of the vertical axis.
    """
    figure = go.Figure()
    names = table.columns
    for name, color in zip(names[1:], LINES, strict=False):
        figure.add_trace(
            go.Bar(
                x=table[names[0]],
                y=table[name],
                name=name,
                marker_color=color,
                hovertemplate="%{x}<br>" + name + " %{y:,.4~g}<extra></extra>",
            )
        )
    set_axes(figure, x=names[0], y=y, height=320)
    figure.update_xaxes(type="category")
    return Picture(figure, alt, table)

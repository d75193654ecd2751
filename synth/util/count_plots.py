"""Pictures of noisy counts, negative ones too, and of what a repair makes of them.

>>> from synth.util import draw_counts
>>> picture = draw_counts(
...     ("F", "M", "X"), [12, 9, -3], repaired=[11.0, 8.0, 0.0], line="Nearest", sorted_by=""
... )
>>> picture.alt
'Bars of 3 noisy counts. 1 is below 0; the least is -3. A line shows the counts after \
Nearest: the least is 0.0.'
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from synth.util.plots import (
    LEVEL_FIRST,
    QUIET,
    REAL,
    SYNTHETIC,
    Picture,
    set_axes,
    ticks,
)

# Counts below 0 are red, with a contrast of at least 3:1 in both themes.
BELOW_ZERO = "#D14A33"
_ZERO_LINE = {"color": QUIET, "width": 1.5}


def draw_counts(
    names: Sequence[str],
    noisy: ArrayLike,
    *,
    repaired: ArrayLike,
    line: str,
    sorted_by: str,
) -> Picture:
    """Draw noisy counts as bars, red below 0, with the repaired counts as a line over them.

    Args:
        names: The cells, shape (k,), as the pointer and the table show them.
        noisy: The noisy count of each cell, in rows, same shape.
        repaired: Rows of each cell after the repair, same shape.
        line: What made the line, such as the title of a repair.
        sorted_by: What the order of cells is, in words under the axis; empty where cells
            have names of their own below their bars.
    """
    counts = np.asarray(noisy)
    rows = np.asarray(repaired, dtype=float)
    labels = list(names)
    table = pd.DataFrame({"cell": labels, "noisy count": counts, f"after {line}": rows})
    places = list(range(len(labels))) if sorted_by else labels
    figure = go.Figure(
        [
            _bars(places, labels, counts=np.maximum(counts, 0), name="noisy count"),
            _bars(places, labels, counts=np.minimum(counts, 0), name="noisy count below 0"),
            go.Scatter(
                x=places,
                y=rows,
                customdata=labels,
                mode="lines+markers" if len(labels) <= 40 else "lines",
                name=f"after {line}",
                line={"color": SYNTHETIC, "width": 2, "shape": "hvh"},
                marker={"size": 6},
                hovertemplate="%{customdata}<br>after " + line + " %{y:,.1f}<extra></extra>",
            ),
        ]
    )
    figure.data[0].marker.color = REAL
    figure.data[1].marker.color = BELOW_ZERO
    set_axes(figure, x=sorted_by, y="rows", height=360)
    figure.update_layout(barmode="relative", bargap=0.15 if len(labels) <= 60 else 0)
    figure.update_yaxes(zeroline=True, zerolinecolor=QUIET, zerolinewidth=1.5)
    figure.add_hline(y=0, line=_ZERO_LINE)
    if sorted_by:
        figure.update_xaxes(showticklabels=False, showgrid=False)
    else:
        figure.update_xaxes(ticks(labels), showgrid=False, autotickangles=LEVEL_FIRST)
    return Picture(figure, _describe(counts, rows, line=line, sorted_by=sorted_by), table)


def _bars(
    places: Sequence[int] | Sequence[str],
    labels: Sequence[str],
    *,
    counts: ArrayLike,
    name: str,
) -> go.Bar:
    """Return the bars of counts of one sign; those of the other sign are 0.

    Args:
        places: Where each bar stands on the axis.
        labels: The cells' names, for the pointer.
        counts: The height of each bar, in rows.
        name: What the legend says.
    """
    return go.Bar(
        x=places,
        y=counts,
        customdata=labels,
        name=name,
        marker_line_width=0,
        hovertemplate="%{customdata}<br>noisy count %{y:,}<extra></extra>",
    )


def _describe(counts: ArrayLike, rows: ArrayLike, *, line: str, sorted_by: str) -> str:
    """Return the picture in words.

    Args:
        counts: The noisy counts, shape (k,).
        rows: The repaired counts, same shape.
        line: What made the repaired counts.
        sorted_by: The order of the cells in words; empty for an order of their own.
    """
    noisy = np.asarray(counts)
    repaired = np.asarray(rows)
    order = f", {sorted_by}" if sorted_by else ""
    negative = int((noisy < 0).sum())
    below = f"{negative:,} {'is' if negative == 1 else 'are'} below 0"
    least = f"; the least is {noisy.min():,}" if noisy.size else ""
    after = f"{repaired.min():,.1f}" if repaired.size else "none"
    return (
        f"Bars of {noisy.size:,} noisy counts{order}. {below}{least}. "
        f"A line shows the counts after {line}: the least is {after}."
    )

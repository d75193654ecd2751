"""Reports with charts: one HTML page each, which needs no network. PUBLIC.

Every picture has alternative text and a table of the same numbers.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio

from synth.foreign import in_picture
from synth.noise import LaplaceLaw, reach
from synth.util import (
    REAL,
    Picture,
    set_axes,
)

_PAGE_STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")

# The largest noise that a picture draws, in rows, and about the most bars to either side.
MAX_DRAWN_NOISE = 400
MAX_BARS = 60

# The page's content policy: nothing from elsewhere.
_POLICY = (
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
)


def page(title: str, body: str, *, style: str = "") -> str:
    """Return an HTML page that needs no network.

    Args:
        title: The title, as plain text.
        body: What follows the title, as HTML.
        style: Additional CSS.
    """
    policy = "; ".join(_POLICY)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title><style>
{_PAGE_STYLE}{style}</style>
{_charts()}</head><body>
<h1>{escape(title)}</h1>
{body}
</body></html>
"""


def _charts() -> str:
    """Return the program that draws charts, plotly.js, as an HTML element."""
    from plotly.offline import get_plotlyjs  # here, because it is slow to import

    return f"<script>{get_plotlyjs()}</script>"


def gallery(pictures: Sequence[tuple[str, Picture]]) -> str:
    """Return pictures with their titles, as HTML.

    Args:
        pictures: The title and the picture of each.
    """
    figures = [
        _figure(f"figure-{number}", title, picture)
        for number, (title, picture) in enumerate(pictures)
    ]
    return "".join(figures)


def noise_shape(scale: float) -> Picture:
    """Draw the law of the noise on every cell, in rows.

    It is the discrete Laplace law, P(z) ~ exp(-abs(z) / scale).

    Args:
        scale: The scale of the noise, in rows.
    """
    # Beyond 5 scales, the bars are too low to be seen (e^-5 of the highest).
    # Even the smallest noise has 4 bars to either side.
    longest = min(MAX_DRAWN_NOISE, max(4, math.ceil(5 * scale)))
    # Of a wide law, only each value that is a multiple of the step has a bar.
    step = max(1, longest // MAX_BARS)
    noise = np.arange(-(longest // step) * step, longest + 1, step)
    chances = LaplaceLaw(scale).chances(noise)
    table = pd.DataFrame({"noise": noise, "chance": chances})
    bars = go.Bar(
        x=noise,
        y=chances,
        marker_color=REAL,
        name="chance",
        hovertemplate="%{x:+d} rows<br>chance %{y:.2%}<extra></extra>",
    )
    figure = go.Figure(bars)
    set_axes(figure, x="rows added to a cell's count", y="chance", height=240)
    figure.update_yaxes(tickformat=".0%")
    figure.update_layout(bargap=0.15, showlegend=False)
    reach_95 = reach(LaplaceLaw(scale), 0.95)
    alt = (
        f"Two-sided falling bars around zero: noise of scale {scale:.3g}. "
        f"In 95 of 100 cells it is within ±{reach_95} rows."
    )
    return Picture(figure, alt, table)


def list_items(texts: Iterable[str]) -> str:
    """Return texts as the items of a list, as HTML."""
    return "".join(f"<li>{escape(text)}</li>" for text in texts)


def _figure(name: str, title: str, picture: Picture) -> str:
    """Return a picture with its alternative text and its table of numbers, as HTML.

    Args:
        name: The identifier of the picture in the page.
        title: Its title, as plain text.
        picture: The picture.
    """
    # Whoever shows charts (Streamlit does) may have set another look for all of them; the
    # page must come out the same wherever it is written, and be light.
    figure = in_picture(picture.figure)
    figure["layout"] = {"template": None, **figure["layout"]}  # the first part, always
    figure["layout"]["template"] = _plotly_template()
    config = {"displayModeBar": False, "responsive": True}
    drawing = pio.to_html(
        figure,
        validate=False,
        full_html=False,
        include_plotlyjs=False,
        div_id=name,
        config=config,
    )
    return (
        f"<h2>{escape(title)}</h2><figure role='img' aria-label='{escape(picture.alt)}'>"
        f"{drawing}</figure><p class='quiet'>{escape(picture.alt)}</p>"
        f"<details><summary>The same as a table</summary>{_table(picture)}</details>"
    )


@cache
def _plotly_template() -> dict[str, Any]:
    """Return Plotly's own template, checked only once.

    Checking it for each figure is slower than drawing the figure.
    """
    figure = go.Figure(layout={"template": "plotly"})
    template: dict[str, Any] = figure.to_dict()["layout"]["template"]
    return template


def _table(picture: Picture) -> str:
    """Return the table of a picture's numbers, as HTML."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in picture.table.columns)
    rows = "".join(
        f"<tr>{''.join(_cell(value) for value in row)}</tr>"
        for row in picture.table.itertuples(index=False)
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _cell(value: object) -> str:
    """Return a cell of a table, as HTML; floats with four decimals, to the right."""
    if isinstance(value, float):
        return f"<td class='n'>{value:.4f}</td>"
    return f"<td>{escape(str(value))}</td>"

"""Pictures, each with alternative text and a table of the same numbers.

The caller says whether a picture is public, paid for, or private.

>>> from synth.util.plots import one_way
>>> picture = one_way("sex", ("female", "male"), [0.6, 0.4], synthetic=[0.5, 0.5])
>>> picture.alt
"Bars of the shares of 'sex', real against synthetic. Off by 10.0 %; widest gap at \
'female': 60.0 % real, 50.0 % synthetic."
"""
# Real values are blue, synthetic ones orange: all common colour visions can separate the two,
# with a contrast of at least 3:1 on white and on the dark theme. Backgrounds are transparent,
# so one figure serves both themes.

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.colors import sample_colorscale

from synth.util.arrays import Floats
from synth.util.digits import write_number, write_share

REAL = "#2A85C7"
SYNTHETIC = "#DB6B1A"
LINES = (REAL, SYNTHETIC, "#2E9C76", "#B0629B", "#8C8C3A", "#7A8794")
QUIET = "#7A8794"
LINE = "rgba(128, 140, 152, 0.28)"
WATERMARK = "rgba(122, 135, 148, 0.4)"
HEAT = "Cividis"
GAPS = [[0, REAL], [0.5, "#F4F4F2"], [1, SYNTHETIC]]
# Most bars of a list of tables, and of the cells of one column.
BARS = 15
BARS_SHOWN = 40
# Twice the most columns of a heat map whose cells show their numbers.
NAMES_SHOWN = 22
# Most letters of a name on an axis: half of the width of a telephone.
NAME_SHOWN = 26
# Angles of an axis's labels in degrees: level where there is room, else upright.
LEVEL_FIRST = [0, 90]
# Height in pixels of one horizontal bar, or of one dot, with the gap to the next.
_LINE_HEIGHT = 26
# Height in pixels of most figures.
_HEIGHT = 340


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its description and its numbers.

    Attributes:
        figure: The figure of Plotly, or its parts as a dictionary. A report has a figure for
            each column, and Plotly would take longest to check what cannot be wrong.
        alt: Its description in words, in place of the figure.
        table: Its numbers as a table.
    """

    figure: go.Figure
    alt: str
    table: pd.DataFrame


def one_way(
    name: str, cells: Sequence[str], real: ArrayLike, *, synthetic: ArrayLike
) -> Picture:
    """Draw bars of one column's shares, real next to synthetic.

    Args:
        name: The column's name.
        cells: Labels of its cells, in code order.
        real: The share of the real rows in each cell, of sum 1.
        synthetic: The share of the synthetic rows in each cell, of sum 1.

    At most `BARS_SHOWN` cells are drawn, the largest ones; the picture's table has all.
    """
    real_shares = np.asarray(real, dtype=float)
    synthetic_shares = np.asarray(synthetic, dtype=float)
    table = pd.DataFrame(
        {
            "cell": list(cells),
            "real": real_shares,
            "synthetic": synthetic_shares,
            "difference": synthetic_shares - real_shares,
        }
    )
    largest = table.iloc[_list_largest_cells(real_shares, synthetic_shares)]
    figure = lying_bars(
        largest, "cell", {"real": REAL, "synthetic": SYNTHETIC}, x="share of rows"
    )
    figure.update_yaxes(title_text=name)
    gap = table["difference"].abs()
    worst = table.iloc[int(gap.to_numpy().argmax())]
    # Half the sum of all gaps is the total variation distance. In the text, percent signs get
    # a blank before them.
    alt = (
        f"Bars of the shares of '{name}', real against synthetic. "
        f"Off by {gap.sum() / 2:.1%}; widest gap at '{worst['cell']}': "
        f"{worst['real']:.1%} real, {worst['synthetic']:.1%} synthetic."
    )
    return Picture(figure, alt.replace("%", " %"), table)


def _list_largest_cells(first: Floats, second: Floats) -> NDArray[np.intp]:
    """Return the indices, ascending, of the cells whose larger share is among the largest.

    ``first`` and ``second`` are two shares of each cell, shape (cells,). At most `BARS_SHOWN`
    indices are returned.
    """
    by_size = np.argsort(-np.maximum(first, second), kind="stable")
    return np.sort(by_size[:BARS_SHOWN])


def lying_bars(
    table: pd.DataFrame, names: str, colors: Mapping[str, str], *, x: str
) -> go.Figure:
    """Draw a group of horizontal bars of shares for each row of a table, the first on top.

    Args:
        table: The shares, one row for each group of bars.
        names: The column with the groups' names.
        colors: The colour of each column that is drawn, by the column's name.
        x: The title of the axis of shares.
    """
    bars = [
        go.Bar(
            x=table[label],
            y=table[names],
            orientation="h",
            name=label,
            marker_color=color,
            hovertemplate="%{y}<br>" + label + " %{x:.2~%}<extra></extra>",
        )
        for label, color in colors.items()
    ]
    figure = go.Figure(bars)
    figure.update_layout(barmode="group", bargap=0.3)
    # 100 pixels are for the axis and the legend. Bars of one group share 0.6 lines each, and
    # even an empty picture has room for three lines.
    lines = max(3, len(table) * max(1, 0.6 * len(bars)))
    height = int(100 + _LINE_HEIGHT * lines)
    set_axes(figure, x=x, height=height)
    figure.update_xaxes(tickformat=".1~%")
    figure.update_yaxes(ticks(table[names]), autorange="reversed", showgrid=False)
    figure.update_xaxes(rangemode="tozero")
    return figure


def two_way(names: Sequence[str], errors: ArrayLike) -> Picture:
    """Draw a heat map of the total variation of each pair of columns.

    Args:
        names: The names of the d columns.
        errors: The total variation of each pair, symmetric, shape (d, d). The diagonal has
            that of the single columns. NaN marks pairs that were not compared.
    """
    matrix = np.asarray(errors, dtype=float)
    table = pd.DataFrame(matrix, index=pd.Index(names, name="column"), columns=list(names))
    figure = square(
        names, matrix, "off by", formats=(".0%", ".1%"), look={"colorscale": HEAT, "zmin": 0}
    )
    if len(names) <= NAMES_SHOWN // 2:  # so few that the cells can show their numbers
        figure.add_trace(_write_in_cells(names, matrix))
    if len(names) < 2:
        return Picture(figure, "Heat map of one column's error.", table)
    # Each pair once, without the diagonal; pairs that were not compared are never the worst.
    above_diagonal = np.triu(np.nan_to_num(matrix, nan=-1.0), 1)
    i, j = divmod(int(above_diagonal.argmax()), len(names))
    alt = (
        f"Heat map of the error of each pair of {len(names)} columns. The worst pair is "
        f"'{names[i]}' by '{names[j]}' with {above_diagonal[i, j]:.1%}."
    )
    return Picture(figure, alt.replace("%", " %"), table)


def _write_in_cells(names: Sequence[str], matrix: Floats) -> go.Scatter:
    """Return the texts of a heat map's cells, black or white, whichever is easier to read.

    Plotly's own texts are white or grey, and can hardly be read on colours between.

    Args:
        names: The names of the rows, which are those of the columns too.
        matrix: Shares, shape (names, names), drawn from 0 on in the colours of `HEAT`. NaN
            has no text.
    """
    places = np.argwhere(np.isfinite(matrix)).tolist()
    largest = max((matrix[row, column] for row, column in places), default=0.0) or 1.0
    colors = sample_colorscale(
        HEAT, [matrix[row, column] / largest for row, column in places], colortype="tuple"
    )
    return go.Scatter(
        x=[names[column] for _, column in places],
        y=[names[row] for row, _ in places],
        text=[f"{matrix[row, column]:.1%}" for row, column in places],
        mode="text",
        textfont={"color": [_ink_on(color) for color in colors]},
        hoverinfo="skip",
        showlegend=False,
    )


def _ink_on(color: tuple[float, float, float]) -> str:
    """Return black or white, whichever has the higher contrast on a colour.

    ``color`` is red, green and blue from 0 to 1. The luminance is that of WCAG 2.2, by which
    the contrast with black equals the one with white at 0.179.

    >>> _ink_on((1.0, 0.9, 0.2)), _ink_on((0.0, 0.1, 0.3))
    ('#000000', '#FFFFFF')
    """
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#FFFFFF"


def worst_first(errors: Mapping[str, float], *, floor: Mapping[str, float]) -> Picture:
    """Draw horizontal bars of the error of each marginal table, the worst on top.

    Args:
        errors: The total variation between real and synthetic rows, by the table's name.
        floor: The total variation between two samples of the real rows ("chance alone"), by
            the table's name; a table that is missing gets no mark.

    The `BARS` worst ones are drawn; the picture's own table has all. White diamonds mark
    chance alone.
    """
    ranked = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    table = pd.DataFrame(ranked, columns=["table", "error"])
    table["chance alone"] = [floor.get(name, math.nan) for name in table["table"]]
    worst_rows = table.head(BARS)
    figure = lying_bars(worst_rows, "table", {"error": SYNTHETIC}, x="off by")
    figure.add_trace(
        go.Scatter(
            x=worst_rows["chance alone"],
            y=worst_rows["table"],
            mode="markers",
            name="chance alone",
            marker={
                "symbol": "diamond",
                "size": 9,
                "color": "#FFFFFF",
                "line": {"width": 2, "color": "#3A4652"},
            },
            hovertemplate="%{y}<br>chance alone %{x:.1%}<extra></extra>",
        )
    )
    worst = (
        f"The worst is {ranked[0][0]} with {ranked[0][1]:.1%}."
        if ranked
        else "There is none."
    )
    alt = f"How far {len(ranked)} tables are off, worst first. {worst}"
    return Picture(figure, alt.replace("%", " %"), table)


def forecast_curve(
    epsilons: Sequence[float], errors: Mapping[str, Sequence[float]], *, chosen: float
) -> Picture:
    """Draw the predicted error against epsilon, one line for each kind of marginal table.

    Args:
        epsilons: The epsilons at which the error was predicted, ascending.
        errors: The total variation at each of these epsilons, by the line's name.
        chosen: The epsilon that the user chose; a vertical line marks it.
    """
    table = pd.DataFrame(
        {"epsilon": list(epsilons)} | {name: list(line) for name, line in errors.items()}
    )
    figure = go.Figure()
    for (name, values), color in zip(errors.items(), LINES, strict=False):
        line = go.Scatter(
            x=list(epsilons),
            y=list(values),
            mode="lines",
            name=name,
            line={"color": color, "width": 2.5},
            hovertemplate="epsilon %{x:g}<br>" + name + " %{y:.1%}<extra></extra>",
        )
        figure.add_trace(line)
    figure.add_vline(x=chosen, line={"color": QUIET, "dash": "dot", "width": 2})
    set_axes(figure, x="epsilon (log scale)", y="off by", height=280)
    figure.update_yaxes(tickformat=".0%")
    figure.update_xaxes(type="log", tickvals=[0.01, 0.1, 1, 10, 100])
    # A tenth of room above the largest error, but at most 100 %; also 100 % if all are 0.
    largest = max((max(values, default=0.0) for values in errors.values()), default=1.0)
    figure.update_yaxes(range=[0, min(1.0, 1.1 * largest) or 1.0])
    chosen_errors = {
        name: float(np.interp(chosen, epsilons, values)) for name, values in errors.items()
    }
    errors_in_words = ", ".join(
        f"{name} {error:.1%}" for name, error in chosen_errors.items()
    ).replace("%", " %")
    return Picture(
        figure,
        f"Predicted error falls as epsilon grows. At {chosen:g}: {errors_in_words}.",
        table,
    )


def pair_gap(
    names: tuple[str, str], cells: tuple[Sequence[str], Sequence[str]], gap: ArrayLike
) -> Picture:
    """Draw a heat map of synthetic minus real share for one pair of columns.

    Args:
        names: The names of the two columns; the first goes down, the second across.
        cells: The labels of the cells of each of them, in code order.
        gap: Synthetic minus real share of all rows, shape (first cells, second cells).
    """
    matrix = np.asarray(gap, dtype=float)
    # The colours are symmetric around a gap of 0. If all gaps are 0, any limit will do.
    largest_gap = float(np.abs(matrix).max(initial=0)) or 1.0
    table = pd.DataFrame(
        matrix, index=pd.Index(cells[0], name=names[0]), columns=list(cells[1])
    )
    heat = go.Heatmap(
        z=matrix,
        x=list(cells[1]),
        y=list(cells[0]),
        colorscale=GAPS,
        zmin=-largest_gap,
        zmax=largest_gap,
        colorbar={"tickformat": "+.1%", "thickness": 12, "outlinewidth": 0},
        hovertemplate="%{y} × %{x}<br>synthetic minus real %{z:+.2%}<extra></extra>",
    )
    figure = go.Figure(heat)
    # In pixels: 22 for each row of cells, 140 for titles and labels.
    height = max(300, min(700, 140 + 22 * len(cells[0])))
    set_axes(figure, x=names[1], y=names[0], height=height)
    figure.update_xaxes(ticks(cells[1]), showgrid=False, autotickangles=LEVEL_FIRST)
    figure.update_yaxes(ticks(cells[0]), showgrid=False, autorange="reversed")
    total_variation = float(np.abs(matrix).sum()) / 2
    alt = (
        f"Where '{names[0]}' by '{names[1]}' has too many or too few rows. "
        f"Error {total_variation:.1%}."
    )
    return Picture(figure, alt.replace("%", " %"), table)


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnNumbers:
    """Noisy numbers with their intervals.

    Attributes:
        value: The numbers; NaN for no answer, which has no dot.
        low: The lower ends of the intervals.
        high: The upper ends.
        real: The true numbers, if they may be shown, as crosses.
    """

    value: ArrayLike
    low: ArrayLike
    high: ArrayLike
    real: ArrayLike | None = None


@dataclass(frozen=True, kw_only=True)
class NumberAxis:
    """The axis of a picture of numbers.

    Attributes:
        unit: Its title.
        is_share: Whether the numbers are shares, written in percent.
        zero: Whether a line marks 0.
    """

    unit: str
    is_share: bool = False
    zero: bool = False


def intervals(
    name: str,
    labels: Sequence[str],
    numbers: DrawnNumbers,
    *,
    axis: NumberAxis,
) -> Picture:
    """Draw noisy numbers, each as a dot in its interval, from top to bottom.

    Args:
        name: The question that they answer.
        labels: What each number is about, such as the name of its cell.
        numbers: The numbers and their intervals, one for each label.
        axis: The title and the format of the axis of numbers.

    At most `BARS_SHOWN` numbers are drawn, the largest ones; the picture's table has all.
    """
    columns = {"answer": numbers.value, "from": numbers.low, "to": numbers.high}
    table = pd.DataFrame({"what": list(labels), **columns})
    if numbers.real is not None:
        table["real"] = np.asarray(numbers.real, dtype=float)
    # The largest answers, in their original order.
    by_size = table["answer"].fillna(-np.inf).nlargest(BARS_SHOWN)
    largest = table.loc[np.sort(by_size.index)]
    figure = go.Figure(
        [_draw_dots(largest, label) for label in ("answer", "real") if label in largest]
    )
    figure.update_layout(showlegend=numbers.real is not None)
    if axis.zero:
        figure.add_vline(x=0, line={"color": QUIET, "dash": "dot", "width": 2})
    # 110 pixels are for the axis, its title and the legend.
    set_axes(figure, x=axis.unit, height=110 + _LINE_HEIGHT * len(largest))
    if axis.is_share:
        figure.update_xaxes(tickformat=".1~%")
    # Dots are placed by number and not by label, as labels may repeat; the first is on top.
    figure.update_yaxes(
        tickvals=list(range(len(largest))),
        ticktext=[_cut(label) for label in largest["what"]],
        range=[len(largest) - 0.5, -0.5],
    )
    return Picture(
        figure, _intervals_alt(name, table, axis.unit, is_share=axis.is_share), table
    )


def _draw_dots(table: pd.DataFrame, label: str) -> go.Scatter:
    """Return the trace of one column of numbers, one dot for each row of the table.

    ``table`` has the columns "what" (the labels), "answer", "from" and "to" (the ends of the
    interval), and maybe "real". ``label`` is "answer", drawn with intervals, or "real".
    """
    is_answer = label == "answer"
    color = SYNTHETIC if is_answer else REAL
    symbol = "circle" if is_answer else "x-thin-open"
    # Plotly wants the distances from the dot to the two ends.
    whiskers = {
        "type": "data",
        "symmetric": False,
        "color": QUIET,
        "thickness": 2,
        "width": 5,
        "array": table["to"] - table["answer"],
        "arrayminus": table["answer"] - table["from"],
    }
    return go.Scatter(
        x=table[label],
        y=list(range(len(table))),
        customdata=table["what"],
        mode="markers",
        name=label,
        marker={"color": color, "size": 9, "symbol": symbol, "line": {"width": 2}},
        error_x=whiskers if is_answer else None,
        hovertemplate="%{customdata}<br>" + label + " %{x:,.6~g}<extra></extra>",
    )


def _cut(name: str) -> str:
    """Return a name; if it has over `NAME_SHOWN` letters, with an ellipsis for its middle."""
    if len(name) <= NAME_SHOWN:
        return name
    # Names of pairs and questions differ at both ends.
    half = NAME_SHOWN // 2
    return f"{name[:half].rstrip()}…{name[1 - half :].lstrip()}"


def _intervals_alt(name: str, table: pd.DataFrame, unit: str, *, is_share: bool) -> str:
    """Return the alternative text of a picture of noisy answers.

    Args:
        name: The question that they answer.
        table: One row for each answer, with the columns "what" (its label), "answer" (NaN
            without one), "from" and "to" (the ends of its 95 % interval).
        unit: The title of the axis of numbers.
        is_share: Whether the numbers are shares, written in percent.
    """
    answered = table.dropna(subset="answer")
    if answered.empty:
        return (
            f"Dots of the noisy answers to '{name}' in {unit}; none of {len(table)} has one."
        )
    top = answered.iloc[int(answered["answer"].argmax())]
    remark = f"; the {BARS_SHOWN} largest are drawn" if len(table) > BARS_SHOWN else ""
    write = write_share if is_share else write_number
    half_width = (top["to"] - top["from"]) / 2
    value = write(top["answer"], half_width)
    low = write(top["from"], half_width, math.floor)
    high = write(top["to"], half_width, math.ceil)
    return (
        f"Dots of {len(table)} noisy answers to '{name}' in {unit}, each in its 95 % "
        f"interval{remark}. The largest is '{top['what']}' with {value} "
        f"({low.removesuffix(' %')} to {high})."
    )


def add_watermark(picture: Picture) -> Picture:
    """Return a copy of a picture with the word PRIVATE behind its marks.

    A heat map covers its whole area, so there the word is in the margin above the cells.
    """
    figure = go.Figure(picture.figure)
    text = "PRIVATE - do not share"
    if any(trace.type == "heatmap" for trace in figure.data):
        corner = {"x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "yshift": 2}
        font = {"size": 11, "color": QUIET}
        figure.add_annotation(
            text=text, xref="paper", yref="paper", showarrow=False, font=font, **corner
        )
    else:
        # The ends of the box around the word, as shares of the drawing area.
        box = {"x0": 0.5, "x1": 1, "y0": 0, "y1": 0.7, "layer": "below"}
        font = {"size": 16, "color": WATERMARK}
        figure.add_shape(
            type="rect",
            xref="paper",
            yref="paper",
            line_width=0,
            **box,
            label={"text": text, "textangle": -18, "font": font},
        )
    return Picture(figure, picture.alt, picture.table)


def set_axes(
    figure: go.Figure,
    *,
    x: str = "",
    y: str = "",
    height: int = _HEIGHT,
) -> None:
    """Set the common look of a figure, in place.

    It is transparent, with a quiet grid, the legend above, and room for long labels. ``x``
    and ``y`` are the titles of the axes, empty for none; ``height`` is in pixels.
    """
    figure.update_layout(_look(height))
    figure.update_xaxes(_axis(x))
    figure.update_yaxes(_axis(y))


def _look(height: int) -> dict[str, Any]:
    """Return the settings of a layout that all figures share."""
    return {
        "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hoverlabel": {"namelength": -1},
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }


def _axis(title: str) -> dict[str, Any]:
    """Return the settings that the axes of all figures share; the title may be empty."""
    settings = {"automargin": True, "gridcolor": LINE, "zeroline": False}
    return {"title": {"text": title}, **settings} if title else settings


def square(
    names: Sequence[str],
    matrix: ArrayLike,
    title: str,
    *,
    formats: tuple[str, str],
    look: dict[str, Any],
) -> go.Figure:
    """Draw a square heat map with the same names down and across, the first one on top.

    Args:
        names: The names of the rows, which are those of the columns too.
        matrix: The numbers, shape (names, names).
        title: What the numbers are, at the colour bar and under the pointer.
        formats: Formats of the numbers at the colour bar and of the one under the pointer.
        look: Further settings of Plotly's heat map, such as its colours.
    """
    tick, hover = formats
    bar = {"title": {"text": title}, "thickness": 12, "outlinewidth": 0, "tickformat": tick}
    hover_text = "%{x} × %{y}<br>" + title + " %{z:" + hover + "}<extra></extra>"
    axis = list(names)
    gap = 2 if len(axis) <= NAMES_SHOWN else 1
    heat = go.Heatmap(
        z=matrix, x=axis, y=axis, colorbar=bar, hovertemplate=hover_text, xgap=gap, ygap=gap
    )
    figure = go.Figure(heat.update(look))
    # In pixels: 36 for each row, or 15 if there are many, and 120 for the labels below.
    rows = max(min(640, 36 * len(names)), 15 * len(names))
    set_axes(figure, height=max(300, 120 + rows))
    figure.update_xaxes(ticks(axis), showgrid=False, autotickangles=LEVEL_FIRST)
    figure.update_yaxes(ticks(axis), showgrid=False, autorange="reversed")
    return figure


def ticks(names: Iterable[str]) -> dict[str, Any]:
    """Return Plotly's settings of an axis of names, with long names shortened by `_cut`.

    If no name is too long, Plotly chooses which names it writes.
    """
    name_list = list(names)
    if max(map(len, name_list), default=0) <= NAME_SHOWN:
        return {"type": "category"}
    return {"type": "category", "tickvals": name_list, "ticktext": [*map(_cut, name_list)]}

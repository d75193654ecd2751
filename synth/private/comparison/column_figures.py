"""Pictures of columns: all of them small, and the values of one in its bins. PRIVATE."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from synth.domain import Binned
from synth.private.comparison.by_value import (
    ByValue,
    Cumulative,
    Measure,
    ValueComparison,
)
from synth.private.comparison.tables import Compared
from synth.private.comparison.verdict import has_many_new_values
from synth.util import (
    REAL,
    SYNTHETIC,
    Picture,
    SmallChart,
    SmallMultiples,
    draw_small,
    set_axes,
)

MARK = "PRIVATE"

# Labels below an axis of values.
_TICKS = 5


def draw_columns(
    compared: Compared, values: ValueComparison, names: Sequence[str]
) -> SmallMultiples:
    """Draw columns side by side, real against synthetic, marked as private.

    Args:
        compared: The real and the synthetic rows.
        values: The columns, compared by value.
        names: The columns to draw, in this order.
    """
    return draw_small([_small_chart(compared, values, name) for name in names], mark=MARK)


def describe_column(
    compared: Compared, values: ValueComparison, name: str
) -> tuple[str, ...]:
    """Return the error of a column by value, and below it what there is to remark.

    A column in bins has its error in bins there. Values that no real row has are named if
    they are many.
    """
    column = values.by_column[name]
    lines = [f"Off by {_percent(column.error)} (chance alone {_percent(column.chance)})"]
    remarks = []
    if isinstance(compared.domain[name], Binned):
        in_bins = compared.errors.one_way.by_table[name,]
        remarks.append(f"in bins {_percent(in_bins)}")
    if has_many_new_values(column):
        remarks.append(f"new values in {_percent(column.new_share)}")
    if remarks:
        lines.append("; ".join(remarks))
    return tuple(lines)


def _small_chart(compared: Compared, values: ValueComparison, name: str) -> SmallChart:
    """Return the small picture of a column: real and synthetic shares, with notes.

    Args:
        compared: The real and the synthetic rows.
        values: All columns, compared by value.
        name: The name of the column.
    """
    column = compared.domain[name]
    cells, real, synthetic = compared.shares(name)
    notes = describe_column(compared, values, name)
    widest = int(np.abs(synthetic - real).argmax())
    is_binned = isinstance(column, Binned)
    noun = "bins and other cells" if is_binned else "values"
    alt = (
        f"Real shares of '{name}' as bars, synthetic ones as lines, in {len(cells):,} "
        f"{noun}. Widest gap at '{cells[widest]}': "
        f"{_percent(real[widest])} real, {_percent(synthetic[widest])} synthetic."
    )
    return SmallChart(
        title=name,
        # A line of a small picture is not broken before a percent sign.
        notes=[note.replace(" %", "\N{NO-BREAK SPACE}%") for note in notes],
        cells=cells,
        real=real,
        synthetic=synthetic,
        alt=alt,
        ends=_ends(column) if isinstance(column, Binned) else None,
        ordered=len(column.labels) if is_binned else 0,
    )


def _ends(column: Binned) -> tuple[str, str]:
    """Return the lowest value of the first bin and the highest of the last, as texts."""
    low, high = column.spans[0][0], column.spans[-1][1]
    return _write_point(column, low), _write_point(column, high)


def _write_point(column: Binned, point: int) -> str:
    """Return the value at a lattice point of a column as a text."""
    return column.write_position(Fraction(point, column.step.denominator))


def tabulate_values(compared: Compared, values: ValueComparison) -> pd.DataFrame:
    """Return the numbers of all columns compared by value, the worst first."""
    rows = []
    for name in values.worst_first:
        column: ByValue = values.by_column[name]
        rows.append(
            {
                "column": name,
                "error": column.error,
                "chance": column.chance,
                "error in cells": compared.errors.one_way.by_table[name,],
                "compared by": str(column.measure),
                "new values": column.new_rows,
                "share of rows": column.new_share,
                "new by chance": column.new_by_chance,
            }
        )
    return pd.DataFrame(rows)


def draw_values(column: Binned, curve: Cumulative, measure: Measure) -> Picture:
    """Draw the values of a column within its bins, as they are compared.

    Args:
        column: The column.
        curve: Its cumulative shares; at least one row has a value.
        measure: Whether each value is compared, or cumulative shares.
    """
    if measure is Measure.EACH:
        return _draw_each(column, curve)
    return _draw_cumulative(column, curve)


def _draw_each(column: Binned, curve: Cumulative) -> Picture:
    """Draw the share of each value: real ones as bars, synthetic ones as dashes."""
    texts = _write_values(column, curve)
    real = np.diff(curve.real, prepend=0.0)
    synthetic = np.diff(curve.synthetic, prepend=0.0)
    table = pd.DataFrame({"value": texts, "real": real, "synthetic": synthetic})
    hover = "%{customdata}<br>NAME %{y:.2%}<extra></extra>"
    figure = go.Figure(
        [
            go.Bar(
                x=curve.positions,
                y=real,
                customdata=texts,
                name="real",
                marker={"color": REAL, "line": {"width": 0}},
                hovertemplate=hover.replace("NAME", "real"),
            ),
            go.Scatter(
                x=curve.positions,
                y=synthetic,
                customdata=texts,
                mode="markers",
                name="synthetic",
                marker={
                    "symbol": "line-ew",
                    "size": 8,
                    "line": {"color": SYNTHETIC, "width": 2.5},
                },
                hovertemplate=hover.replace("NAME", "synthetic"),
            ),
        ]
    )
    figure.update_layout(bargap=0.2)
    _set_values_axis(figure, column, curve)
    figure.update_yaxes(title_text="share of rows", tickformat=".1~%", rangemode="tozero")
    widest = int(np.abs(real - synthetic).argmax())
    alt = (
        f"Real shares of each value of '{column.name}' as bars, synthetic ones as dashes. "
        f"Widest gap at {texts[widest]}: {_percent(real[widest])} real, "
        f"{_percent(synthetic[widest])} synthetic."
    )
    return Picture(figure, alt, table)


def _draw_cumulative(column: Binned, curve: Cumulative) -> Picture:
    """Draw the share of rows up to each value: a full line for real ones, else dashed."""
    texts = _write_values(column, curve)
    table = pd.DataFrame(
        {
            "value": texts,
            "real rows up to it": curve.real,
            "synthetic rows up to it": curve.synthetic,
        }
    )
    figure = go.Figure()
    sides = (
        ("real", curve.real, REAL, "solid"),
        ("synthetic", curve.synthetic, SYNTHETIC, "dash"),
    )
    for label, shares, color, dash in sides:
        figure.add_trace(
            go.Scatter(
                x=curve.positions,
                y=shares,
                customdata=texts,
                mode="lines",
                name=label,
                line={"color": color, "width": 2.5, "dash": dash, "shape": "hv"},
                hovertemplate="up to %{customdata}<br>" + label + " %{y:.1%}<extra></extra>",
            )
        )
    _set_values_axis(figure, column, curve)
    figure.update_yaxes(title_text="rows up to the value", tickformat=".0%", range=[0, 1.02])
    widest = int(np.abs(curve.real - curve.synthetic).argmax())
    alt = (
        f"Lines of the share of rows with a value of '{column.name}' up to each value. "
        f"Widest gap at {texts[widest]}: {_percent(curve.real[widest])} of the real rows, "
        f"{_percent(curve.synthetic[widest])} of the synthetic ones."
    )
    return Picture(figure, alt, table)


def _write_values(column: Binned, curve: Cumulative) -> list[str]:
    """Return the values of a curve as texts."""
    steps = column.step.denominator
    return [_write_point(column, round(position * steps)) for position in curve.positions]


def _set_values_axis(figure: go.Figure, column: Binned, curve: Cumulative) -> None:
    """Set the look of a figure, with a few values written below its axis."""
    steps = column.step.denominator
    first = round(curve.positions[0] * steps)
    last = round(curve.positions[-1] * steps)
    points = sorted({round(point) for point in np.linspace(first, last, _TICKS)})
    margin = max(last - first, 1) / 40
    set_axes(figure, x=column.name, height=320)
    figure.update_xaxes(
        tickvals=[point / steps for point in points],
        ticktext=[_write_point(column, point) for point in points],
        range=[(first - margin) / steps, (last + margin) / steps],
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"

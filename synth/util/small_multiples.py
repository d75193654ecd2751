"""Many small pictures, real against synthetic shares, as one piece of HTML. PUBLIC.

Each picture has a title, a line of numbers, its description for screen readers, and a table
of the same numbers; real shares are bars, synthetic ones are lines, so that they differ
without their colours, too. There is no script, so a page, a report and a notebook can hold
the same HTML. The caller says whether the numbers are private.

>>> chart = SmallChart(
...     title="sex",
...     notes=["off by 10.0 %"],
...     cells=("F", "M"),
...     real=np.array([0.6, 0.4]),
...     synthetic=np.array([0.5, 0.5]),
...     alt="sex: off by 10.0 %.",
... )
>>> drawn = draw_small([chart])
>>> drawn.html.count('role="img"'), len(drawn.table)
(1, 2)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from synth.util.arrays import Floats
from synth.util.plots import REAL, SYNTHETIC

LINES_SHOWN = 6
"""Most lines of a list; the last one sums up all other cells if there are more."""
BARS_DRAWN = 40
"""Most bars of an ordered column; neighbouring bins share a bar if there are more."""
EXTRAS_SHOWN = 3
"""Most bars behind the values; the last one sums up the others if there are more."""


# What bars and lines are.
_LEGEND = (
    '<p class="synth-small-legend"><i class="real"></i> real rows <i class="drawn"></i> '
    "synthetic rows</p>"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallChart:
    """One column's shares in two tables.

    Attributes:
        title: The column's name.
        notes: Its main numbers, one or two lines below the title.
        cells: The titles of the cells.
        real, synthetic: The share of rows in each cell, shape (cells,).
        alt: The picture in words.
        ends: The lowest and the highest value if the first cells are in order; None for a
            list.
        ordered: How many of the first cells are in order; the others are signs, missing
            values and others.
    """

    title: str
    notes: Sequence[str]
    cells: Sequence[str]
    real: Floats
    synthetic: Floats
    alt: str
    ends: tuple[str, str] | None = None
    ordered: int = 0


@dataclass(frozen=True, eq=False)
class SmallMultiples:
    """Small pictures side by side.

    Attributes:
        html: The pictures with their titles, and the style that they need.
        table: The numbers of all cells of all columns.
    """

    html: str
    table: pd.DataFrame


def draw_small(charts: Sequence[SmallChart], *, mark: str = "") -> SmallMultiples:
    """Draw columns side by side, as many in a line as there is room for.

    Args:
        charts: The columns, in the order of the pictures.
        mark: A word beside each name, such as "PRIVATE".
    """
    cards = "".join(_draw_card(chart, mark) for chart in charts)
    html = f'<style>{_style()}</style>{_LEGEND}<div class="synth-small">{cards}</div>'
    parts = [
        pd.DataFrame(
            {
                "column": chart.title,
                "cell": list(chart.cells),
                "real": chart.real,
                "synthetic": chart.synthetic,
                "difference": chart.synthetic - chart.real,
            }
        )
        for chart in charts
    ]
    return SmallMultiples(
        html, pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    )


@cache
def _style() -> str:
    """Return the style sheet of the pictures, on one line."""
    text = Path(__file__).with_suffix(".css").read_text("utf-8")
    text = text.replace("REAL", REAL).replace("SYNTHETIC", SYNTHETIC)
    return " ".join(text.split())


def _draw_card(chart: SmallChart, mark: str) -> str:
    """Return one column as HTML: title, numbers and picture."""
    picture = _draw_bars(chart) if chart.ends is not None else _draw_lines(chart)
    title = escape(chart.title)
    notes = "".join(f"<span>{escape(note)}</span>" for note in chart.notes)
    # The style sheet writes the mark beside the name, as no text for screen readers.
    behind = f' data-mark="{escape(mark)}"' if mark else ""
    return (
        f'<figure><figcaption><b translate="no" title="{title}">{title}</b>'
        f"{notes}</figcaption>"
        f'<div class="picture" role="img" aria-label="{escape(chart.alt)}" translate="no"'
        f"{behind}>{picture}</div></figure>"
    )


def _draw_lines(chart: SmallChart) -> str:
    """Return a list as horizontal bars, each with its name before it.

    A long list shows its most frequent cells, and the others together.
    """
    names = list(chart.cells)
    shares = np.column_stack((chart.real, chart.synthetic))
    if len(names) > LINES_SHOWN:
        by_size = np.argsort(-shares.max(axis=1), kind="stable")
        shown, others = by_size[: LINES_SHOWN - 1], by_size[LINES_SHOWN - 1 :]
        names = [*(names[place] for place in shown), f"{len(others):,} others"]
        shares = np.vstack((shares[shown], shares[others].sum(axis=0)))
    top = _top(shares)
    lines = []
    for name, (real, synthetic) in zip(names, shares.tolist(), strict=True):
        hint = escape(_say(name, real, synthetic))
        lines.append(
            f'<div class="line" title="{hint}"><span>{escape(name)}</span><div>'
            f'<i class="real" style="width:{_percent(real / top)}"></i>'
            f'<i class="drawn" style="left:{_percent(synthetic / top)}"></i></div></div>'
        )
    return f'<div class="lines">{"".join(lines)}</div>'


def _draw_bars(chart: SmallChart) -> str:
    """Return an ordered column as upright bars, with signs and missing values behind."""
    ordered = chart.ordered
    names, shares = _merge(
        list(chart.cells[:ordered]),
        np.column_stack((chart.real[:ordered], chart.synthetic[:ordered])),
    )
    extra_names = list(chart.cells[ordered:])
    extras = np.column_stack((chart.real[ordered:], chart.synthetic[ordered:]))
    if len(extra_names) > EXTRAS_SHOWN:
        others = len(extra_names) - EXTRAS_SHOWN + 1
        extra_names = [*extra_names[: EXTRAS_SHOWN - 1], f"{others} others"]
        extras = np.vstack(
            (extras[: EXTRAS_SHOWN - 1], extras[EXTRAS_SHOWN - 1 :].sum(axis=0))
        )
    top = _top(np.vstack((shares, extras)))
    low, high = chart.ends or ("", "")
    bars = "".join(
        _draw_bar(name, pair, top) for name, pair in zip(names, shares, strict=True)
    )
    beside = "".join(
        f'<div class="extra"><div class="bars">{_draw_bar(name, pair, top)}</div>'
        f'<span title="{escape(name)}">{escape(name.strip("()"))}</span></div>'
        for name, pair in zip(extra_names, extras, strict=True)
    )
    return (
        f'<div class="upright"><div class="values"><div class="bars">{bars}</div>'
        f"<span>{escape(low)}</span><span>{escape(high)}</span></div>{beside}"
        f"<em>{100 * top:.2g} %</em></div>"
    )


def _draw_bar(name: str, pair: Floats, top: float) -> str:
    """Return one upright bar of the real share, with a line at the synthetic one."""
    real, synthetic = pair.tolist()
    return (
        f'<div title="{escape(_say(name, real, synthetic))}">'
        f'<i class="real" style="height:{_percent(real / top)}"></i>'
        f'<i class="drawn" style="bottom:{_percent(synthetic / top)}"></i></div>'
    )


def _merge(names: list[str], shares: Floats) -> tuple[list[str], Floats]:
    """Return neighbouring cells joined until no more than `BARS_DRAWN` are left."""
    width = -(-len(names) // BARS_DRAWN)  # rounded up
    if width <= 1:
        return names, shares
    starts = range(0, len(names), width)
    joined = [f"{names[start]} ... {names[start : start + width][-1]}" for start in starts]
    return joined, np.add.reduceat(shares, starts, axis=0)


def _top(shares: Floats) -> float:
    """Return the largest share, which has the whole length; 1 if all are 0."""
    return float(shares.max(initial=0.0)) or 1.0


def _percent(part: float) -> str:
    return f"{100 * part:.1f}%"


def _say(name: str, real: float, synthetic: float) -> str:
    return f"{name}: real {100 * real:.1f} %, synthetic {100 * synthetic:.1f} %"

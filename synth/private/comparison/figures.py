"""Pictures of comparisons. The caller says whether each is private."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from synth import limits
from synth.bundle import tabulate_repairs
from synth.estimate import Bar, Interval, Repaired
from synth.private.comparison.associations import Association
from synth.private.comparison.classifier import Training
from synth.private.comparison.error_sources import NumberParts, Parts
from synth.private.comparison.numeric_columns import Axis
from synth.private.comparison.subgroups import Group, Lost
from synth.private.comparison.tables import ROUNDING, RealError
from synth.util import (
    BARS,
    GAPS,
    LINES,
    QUIET,
    REAL,
    SYNTHETIC,
    Floats,
    Names,
    Picture,
    lying_bars,
    one_way,
    square,
)

DRAWING = LINES[2]
STAGE_COLOURS = {
    "binning": REAL,
    "left out": LINES[4],
    "noise": LINES[3],
    "drawing": DRAWING,
    "in all": SYNTHETIC,
}


def title(names: Names) -> str:
    """Return the title of a table of columns."""
    return " by ".join(names)


def column(
    name: str, shares: tuple[Sequence[str], Floats, Floats], bars: Interval | None
) -> Picture:
    """Draw bars of one column, real next to synthetic.

    The picture's table also has the ends of the intervals, and its text counts the cells
    whose real share is within.

    Args:
        name: The column.
        shares: Titles of the cells, and real and synthetic shares, shape (cells,).
        bars: The public interval of each real share; None if unknown.
    """
    cells, real, synthetic = shares
    picture = one_way(name, cells, real, synthetic=synthetic)
    if bars is None:
        return picture
    table = picture.table.assign(**{"likely from": bars.low, "likely to": bars.high})
    # The table has all cells, but only those of the drawn bars get an interval.
    shown_cells = table[table["cell"].isin(set(picture.figure.data[0].y))]
    # A nearly invisible point in the middle carries the bar of the interval.
    middle = (shown_cells["likely from"] + shown_cells["likely to"]) / 2
    picture.figure.add_trace(
        go.Scatter(
            x=middle,
            y=shown_cells["cell"],
            mode="markers",
            name="95 % interval",
            marker={"color": QUIET, "size": 1},
            error_x={
                "type": "data",
                "array": shown_cells["likely to"] - middle,
                "color": QUIET,
                "width": 5,
            },
            hovertemplate="%{y}<br>likely %{customdata}<extra></extra>",
            customdata=[
                f"{a:.2%} to {b:.2%}"
                for a, b in zip(
                    shown_cells["likely from"], shown_cells["likely to"], strict=True
                )
            ],
        )
    )
    is_above = table["likely from"] <= real + ROUNDING
    inside = is_above & (real <= table["likely to"] + ROUNDING)
    alt = f"{picture.alt} {inside.sum()} of {len(table)} real shares are within their bar."
    return Picture(picture.figure, alt, table)


def parts(parts_by_table: Mapping[Names, Parts]) -> Picture:
    """Draw the error of tables by noise, drawing and in all; the worst first.

    Args:
        parts_by_table: The error's parts, by the names of the table's columns.
    """
    steps = {title(names): part.steps for names, part in parts_by_table.items()}
    # Several bars for each table, so only half as many tables are shown.
    figure, table = _draw_steps("table", steps, BARS // 2, x="off by")
    means = table.iloc[:, 1:].mean()
    left_out = ""
    if "left out" in table:
        left_out = f"{means['left out']:.1%} by rows left out, "
    alt = (
        f"How far {len(table)} tables are off, worst first. On average {left_out}"
        f"{means['noise']:.1%} by the noise, {means['drawing']:.1%} by drawing, "
        f"{means['in all']:.1%} in all."
    )
    return Picture(figure, alt.replace("%", " %"), table)


def number_parts(parts_by_column: Mapping[str, NumberParts]) -> Picture:
    """Draw how far each step moves columns of numbers and dates, the worst first.

    The measure is the largest gap of cumulative shares before and after a step.

    Args:
        parts_by_column: The steps of each column, by its name.
    """
    steps = {
        name: {"binning": part.binning, **part.steps}
        for name, part in parts_by_column.items()
    }
    figure, table = _draw_steps("column", steps, BARS, x="largest gap of cumulative shares")
    worst = table.fillna(0.0).iloc[0]  # without drawn values, the gap in all is unknown
    alt = (
        f"What each step does to {len(table)} columns of numbers and dates. The worst is "
        f"'{worst['column']}': binning {worst['binning']:.1%}, in all {worst['in all']:.1%}."
    )
    return Picture(figure, alt.replace("%", " %"), table)


def _draw_steps(
    noun: str,
    steps_by_name: Mapping[str, Mapping[str, float | None]],
    max_bars: int,
    *,
    x: str,
) -> tuple[go.Figure, pd.DataFrame]:
    """Draw the distances of each step, and return their table too; the worst come first.

    Args:
        noun: The title of the table's first column, such as 'table'.
        steps_by_name: The distances of each row, by the name of the step.
        max_bars: The most rows in the picture; the table has all.
        x: The title of the axis.
    """

    def total(name: str) -> float:
        """Return the distance of all steps together; 0 if it is not known."""
        return steps_by_name[name]["in all"] or 0

    ranked_names = sorted(steps_by_name, key=total, reverse=True)
    table = pd.DataFrame([steps_by_name[name] for name in ranked_names]).astype(float)
    # No rows are left out if each row is a person.
    if not table["left out"].any():
        table = table.drop(columns="left out")
    table.insert(0, noun, ranked_names)
    colors = {step: STAGE_COLOURS[step] for step in table.columns[1:]}
    return lying_bars(table.head(max_bars), noun, colors, x=x), table


def stages(axis: Axis, part: NumberParts) -> pd.DataFrame:
    """Return a table of one column's mean and quartiles at every stage, as people write them.

    Args:
        axis: The column, which writes numbers and dates.
        part: The means and quartiles of the column at each stage.
    """
    rows = {
        stage.name: [axis.show(number) for number in (stage.mean, *stage.quartiles)]
        for stage in part.stages
    }
    labels = ["mean", "lower quartile", "median", "upper quartile"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=labels).rename_axis("stage")


def changes(
    names: Sequence[str], matrix: ArrayLike, associations: Mapping[Names, Association]
) -> Picture:
    """Draw a heat map of the change of each pair's association; the table has both values.

    Args:
        names: The columns.
        matrix: The change of each pair, shape (columns, columns), NaN if there is none.
        associations: The associations by pair, those with the largest change first.
    """
    table = pd.DataFrame(
        {
            "pair": [title(pair) for pair in associations],
            "real": [association.real for association in associations.values()],
            "synthetic": [association.synthetic for association in associations.values()],
            "change": [
                association.synthetic - association.real
                for association in associations.values()
            ],
            "real correlation": [
                association.real_correlation for association in associations.values()
            ],
            "synthetic correlation": [
                association.synthetic_correlation for association in associations.values()
            ],
        }
    ).astype({"real correlation": float, "synthetic correlation": float})
    # Two colours, for weaker and for stronger associations, which fade towards no change.
    look = {"colorscale": GAPS, "zmid": 0}
    figure = square(names, matrix, "change", formats=("+.2f", "+.3f"), look=look)
    alt = "Heat map of changes of association."
    if len(table):
        worst = table.iloc[0]
        alt = (
            f"Heat map of how the association of {len(table)} pairs changed. Most changed: "
            f"{worst['pair']}, {worst['real']:.2f} in the real rows and "
            f"{worst['synthetic']:.2f} "
            "in the synthetic ones."
        )
    return Picture(figure, alt, table)


def groups(name: str, groups_of_column: Sequence[Group]) -> Picture:
    """Draw the error within each group of a column, next to chance alone.

    Args:
        name: The column.
        groups_of_column: The groups of the column, the worst first.
    """
    table = pd.DataFrame(
        {
            "group": [group.label for group in groups_of_column],
            "real rows": [group.real for group in groups_of_column],
            "synthetic rows": [group.synthetic for group in groups_of_column],
            "error": [group.error for group in groups_of_column],
            "chance alone": [group.chance for group in groups_of_column],
        }
    ).astype({"error": float})  # so that None becomes NaN
    shared_groups = table.dropna(subset="error")  # with rows in both tables
    colors = {"error": SYNTHETIC, "chance alone": QUIET}
    figure = lying_bars(
        shared_groups.head(BARS), "group", colors, x="mean error within the group"
    )
    alt = f"Error within {len(shared_groups)} groups of '{name}', worst first."
    if len(shared_groups):
        worst = shared_groups.iloc[0]
        alt += f" The worst is '{worst['group']}' with {worst['error']:.1%}."
    return Picture(figure, alt.replace("%", " %"), table)


def tabulate_lost(classes: Sequence[Lost]) -> pd.DataFrame:
    """Return a table of the groups of each size, and of those without a synthetic row.

    Args:
        classes: The groups by class of size, the last one without a largest size.
    """
    labels = [
        f"{low:,} rows or more" if high is None else f"{low:,} to {high:,} rows"
        for low, high in (size.sizes for size in classes)
    ]
    return pd.DataFrame(
        {
            "real size": labels,
            "groups": [size.groups for size in classes],
            "without a synthetic row": [size.lost for size in classes],
            "real rows": [size.rows[0] for size in classes],
            "synthetic rows": [size.rows[1] for size in classes],
        }
    )


def pair_bars(bars: Sequence[Bar], real: Mapping[Names, float] | None = None) -> Picture:
    """Draw a model's error bar of each pair, and the real error, if known.

    The table has the first pairs, up to a limit, as the number of pairs grows with the square
    of the number of columns.

    Args:
        bars: The model's error bar of each pair, and its limit.
        real: Real errors by the names of the pair; with them the picture is PRIVATE.
    """
    table = pd.DataFrame(
        {
            "pair": [title(bar.names) for bar in bars],
            "measured": ["yes" if bar.measured else "no" for bar in bars],
            "expected": [bar.expected for bar in bars],
            "bar up to": [bar.reach for bar in bars],
        }
    )
    if real is not None:
        table["real error"] = [real.get(bar.names) for bar in bars]
        table = table.sort_values("real error", ascending=False, kind="stable")
    shown_pairs = table.head(BARS)
    # Bars show the real errors if these are known; a mark shows what the model expects.
    colors = {"real error": SYNTHETIC} if real is not None else {}
    figure = lying_bars(shown_pairs, "pair", colors, x="off by")
    figure.add_trace(
        go.Scatter(
            x=shown_pairs["expected"],
            y=shown_pairs["pair"],
            mode="markers",
            name="expected, with its bar",
            marker={"symbol": "diamond", "size": 9, "color": REAL},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": shown_pairs["bar up to"] - shown_pairs["expected"],
                "arrayminus": [0 for _ in shown_pairs.index],
                "color": REAL,
                "width": 5,
            },
            hovertemplate="%{y}<br>expected %{x:.1%}<extra></extra>",
        )
    )
    alt = f"How far {len(table)} pairs are expected to be off by the model."
    if real is not None:
        within = int((table["real error"] <= table["bar up to"]).sum())
        alt = (
            f"How far {len(table)} pairs are off against the model's bars: {within} are "
            "within."
        )
    return Picture(figure, alt, table.head(limits.COMPARED_TABLES))


def repairs(
    repaired: Sequence[Repaired], real: Mapping[str, RealError] | None = None
) -> Picture:
    """Draw the estimated error of cells of every repair, and the real one, if known.

    A repair turns noisy counts, which may be negative, into counts of cells.

    Args:
        repaired: The same noisy counts under each repair.
        real: Real errors by the name of the repair; with them the picture is PRIVATE.
    """
    table = tabulate_repairs(repaired)
    colors = {"estimated error of cells": REAL}
    if real is not None:
        table.insert(
            2, "real error of columns", [real[repair.name].one_way for repair in repaired]
        )
        table.insert(
            3, "real error of pairs", [real[repair.name].two_way for repair in repaired]
        )
        colors |= {"real error of columns": DRAWING, "real error of pairs": SYNTHETIC}
    figure = lying_bars(table, "repair", colors, x="off by")
    key = "estimated error of cells" if real is None else "real error of pairs"
    best = table.sort_values(key, kind="stable").iloc[0]
    alt = f"{len(table)} repairs of the same noisy counts. Least {key}: '{best['repair']}'"
    return Picture(figure, f"{alt} with {best[key]:.1%}.".replace("%", " %"), table)


def training(trained: Training) -> Picture:
    """Draw how well classifiers trained on real and on synthetic rows predict real rows.

    Args:
        trained: The accuracies on the same test rows, of all rows and balanced over values.
    """
    scores = {
        "trained on real rows": trained.real,
        "trained on synthetic rows": trained.synthetic,
        "always the most frequent": trained.majority,
    }
    table = pd.DataFrame(
        {
            "classifier": list(scores),
            "right": [score.plain for score in scores.values()],
            "right, all values weighted equally": [
                score.balanced for score in scores.values()
            ],
        }
    )
    colors = {"right": SYNTHETIC, "right, all values weighted equally": QUIET}
    figure = lying_bars(table, "classifier", colors, x="share of real rows predicted right")
    figure.update_xaxes(range=[0, 1])
    alt = (
        f"Of {trained.tested:,} real rows '{trained.target}' is predicted right in "
        f"{trained.real.plain:.1%} by a classifier trained on real rows, "
        f"{trained.synthetic.plain:.1%} by one trained on synthetic rows, "
        f"{trained.majority.plain:.1%} by always saying the most frequent value."
    )
    return Picture(figure, alt.replace("%", " %"), table)

"""What noise did to the counts, and what a repair or a model makes of them. PUBLIC.

It shows noisy counts only: they are as publishable as the release itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from synth.domain import Domain
from synth.estimate import (
    BIAS_COUNTS,
    RECIPES,
    REPAIRS,
    ColumnSet,
    Distribution,
    NoisyCounts,
    NoisyMarginal,
    Record,
    Repaired,
    reach_of,
    spread_weights,
)
from synth.noise import DiscreteLaplace
from synth.util import Codes, Floats, Ints, split_cells

if TYPE_CHECKING:
    import pandas as pd

    from synth.estimate import MarginalsRecord
    from synth.util import Picture

# The most bars of sorted counts: more would be narrower than a pixel on a telephone.
SORTED_BARS = 360
# Sorted counts are drawn up to this many times the reach of the noise. Repairs hardly change
# larger ones, which would press the small ones flat.
REACHES_SHOWN = 3
# The most cells whose names fit below their bars.
NAMED_CELLS = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class CountsInView:
    """Noisy counts of some cells, beside the rows that a repair or a model gives them.

    Attributes:
        domain: The columns whose cells they are.
        cells: The cells, shape (k,).
        noisy: Their noisy counts, shape (k,).
        repaired: Their rows after the repair, shape (k,).
        reach: In 95 of 100 cells the noise is at most this, in rows, to either side.
        line: What made the repaired rows: the title of a repair, or a model.
    """

    domain: Domain
    cells: Ints
    noisy: Ints
    repaired: Floats
    reach: int
    line: str

    @property
    def negative(self) -> int:
        """Number of counts below 0."""
        return int((self.noisy < 0).sum())

    def draw(self, *, sort: bool, only_small: bool = False) -> "Picture":
        """Draw the counts by cell, or sorted.

        Args:
            sort: Whether the bars are sorted by the noisy count; else they have the order of
                the cells, with their names. Cells whose names do not fit are sorted.
            only_small: Whether sorted counts are drawn up to `REACHES_SHOWN` times the reach
                of the noise only.
        """
        if not sort and len(self.cells) <= NAMED_CELLS:
            return self._draw(np.arange(len(self.cells)), "")
        chosen = self.sort(only_small=only_small)
        words = f"all {len(chosen):,} counts"
        if len(chosen) < len(self.noisy):
            words = f"{len(chosen):,} smallest of {len(self.noisy):,} counts"
        drawn = thin_out(chosen)
        picture = self._draw(drawn, words)
        if len(drawn) < len(chosen):
            step = round(len(chosen) / len(drawn))
            alt = f"{picture.alt} Of the {words} every {step}th is drawn."
            return replace(picture, alt=alt)
        return picture

    def sort(self, *, only_small: bool) -> Ints:
        """Return the positions of counts, those of the smallest counts first, shape (j,).

        Args:
            only_small: Whether counts above `REACHES_SHOWN` times the reach of the noise are
                left out, as repairs hardly change them. If all are above it, none is.
        """
        order = np.argsort(self.noisy, kind="stable")
        if not only_small:
            return order
        small = order[self.noisy[order] <= REACHES_SHOWN * self.reach]
        return small if len(small) else order

    def _draw(self, chosen: Ints, words: str) -> "Picture":
        """Draw the counts at some positions, in this order; ``words`` say what it is."""
        from synth.util import draw_counts  # it loads Plotly, which a release does without

        return draw_counts(
            self._name(self.cells[chosen]),
            self.noisy[chosen],
            repaired=self.repaired[chosen],
            line=self.line,
            sorted_by=words,
        )

    def _name(self, cells: Ints) -> list[str]:
        """Return the names of cells: the titles of their columns' cells, joined."""
        codes = split_cells(cells, self.domain.shape)
        names_by_column = []
        for column, column_codes in zip(self.domain.columns, codes, strict=True):
            titles = column.titles  # a column makes them anew each time
            names_by_column.append([titles[code] for code in column_codes])
        return [" · ".join(parts) for parts in zip(*names_by_column, strict=True)]


def thin_out(order: Ints) -> Ints:
    """Return at most `SORTED_BARS` of some positions, evenly spaced, which stand for all."""
    ranks = np.unique(np.linspace(0, len(order) - 1, SORTED_BARS).round().astype(np.intp))
    return order[ranks]


def view_repaired(noisy: NoisyCounts, repaired: Distribution) -> CountsInView:
    """Return the noisy counts of all listed cells next to one repair of them.

    Args:
        noisy: The noisy counts of a histogram.
        repaired: The same counts after a repair.
    """
    return CountsInView(
        domain=noisy.domain,
        cells=noisy.cells,
        noisy=noisy.values,
        repaired=spread_weights(noisy, repaired),
        reach=int(reach_of(DiscreteLaplace(noisy.scale), 1)),
        line=REPAIRS[repaired.repair].title,
    )


def view_columns(
    noisy: NoisyCounts, repaired: Distribution, columns: Sequence[int]
) -> CountsInView:
    """Return the noisy counts of a histogram, summed by the cells of some columns.

    Args:
        noisy: The noisy counts of all cells.
        repaired: The same counts after a repair.
        columns: Numbers of the columns, ascending.
    """
    domain = Domain(tuple(noisy.domain.columns[column] for column in columns))
    cells_in_sum = noisy.domain.size // domain.size
    return CountsInView(
        domain=domain,
        cells=np.arange(domain.size),
        noisy=_sum_by_columns(noisy, noisy.split(), columns),
        repaired=repaired.expected(columns).ravel(),
        reach=int(reach_of(DiscreteLaplace(noisy.scale), cells_in_sum)),
        line=REPAIRS[repaired.repair].title,
    )


def find_negative_columns(noisy: NoisyCounts, most: int = 2) -> tuple[int, ...]:
    """Return the first columns whose summed noisy counts include one below 0.

    Single columns come before pairs. Without any it is the first column.

    Args:
        noisy: The noisy counts of all cells.
        most: The most columns that are summed together.
    """
    numbers = range(len(noisy.domain.columns))
    all_codes = noisy.split()
    for count in range(1, min(most, len(numbers)) + 1):
        for columns in combinations(numbers, count):
            if (_sum_by_columns(noisy, all_codes, columns) < 0).any():
                return columns
    return (0,)


def _sum_by_columns(
    noisy: NoisyCounts, all_codes: Sequence[Codes], columns: Sequence[int]
) -> Ints:
    """Return the noisy counts of a histogram, summed by cells of some columns, shape (k,).

    Args:
        noisy: The noisy counts of all cells.
        all_codes: For each column of the histogram the codes of its listed cells.
        columns: Numbers of the columns that stay.
    """
    shape = [noisy.domain.shape[column] for column in columns]
    place = np.ravel_multi_index([all_codes[column] for column in columns], shape)
    summed = np.bincount(place, noisy.values, minlength=math.prod(shape))
    return summed.round().astype(np.int64)


def tabulate_repairs(repairs: Sequence[Repaired]) -> "pd.DataFrame":
    """Return what each repair does to the same noisy counts, a row for each.

    Its columns are the repair's title, the estimated error of cells as a share, the rows
    after the repair, the cells with rows, and the mean change, in rows, of a cell that truly
    has 0, 1, 5, 20 or 100 rows.
    """
    import pandas as pd  # which a release does without

    table = {
        "repair": [repaired.title for repaired in repairs],
        "estimated error of cells": [repaired.error for repaired in repairs],
        "rows": [round(repaired.rows) for repaired in repairs],
        "cells with rows": [repaired.occupied for repaired in repairs],
    }
    for position, count in enumerate(BIAS_COUNTS):
        # Adding 0 turns -0.0 into 0.0.
        changes = [round(repaired.bias[position], 2) + 0.0 for repaired in repairs]
        table[f"bias at {count}"] = changes
    return pd.DataFrame(table)


def whole_counts(record: Record) -> NoisyCounts | None:
    """Return the noisy counts of all cells; None if no histogram of all columns has them.

    A model that measured one has them too, if their noise is Laplace's, as repairs need it.
    """
    if record.histogram is not None:
        return record.histogram
    if record.strategy is None or not RECIPES[record.strategy].is_whole:
        return None
    _, measured = record.measured[-1]
    scale = measured.mechanism.laplace_scale
    return None if scale is None else measured.as_counts(scale, round(record.total))


def measured_tables(record: Record) -> dict[ColumnSet, NoisyMarginal]:
    """Return the histograms that a model measured, each once, by the numbers of its columns.

    Of columns that were measured twice the newest counts are returned. The dictionary is
    empty for a histogram of all columns.
    """
    return dict(record.measured)


def find_negative_table(record: Record) -> ColumnSet:
    """Return the first measured histogram with a noisy count below 0; else the first one.

    ``record`` is that of a release by a model. Histograms of fewer columns come first.
    """
    tables = measured_tables(record)
    ordered = sorted(tables, key=len)
    negative = (columns for columns in ordered if (tables[columns].values < 0).any())
    return next(negative, next(iter(tables)))


def view_model(record: "MarginalsRecord", columns: ColumnSet) -> CountsInView:
    """Return the noisy counts of one measured histogram next to the rows of the model.

    Args:
        record: The record of a release by a model.
        columns: Numbers of the columns of one of its measured histograms.
    """
    measured = measured_tables(record)[columns]
    expected = record.expected(columns)
    assert expected is not None  # a model covers every histogram that it measured
    return CountsInView(
        domain=measured.domain,
        cells=np.arange(measured.domain.size),
        noisy=measured.values,
        repaired=np.asarray(expected, dtype=float).ravel(),
        reach=int(reach_of(measured.mechanism, 1)),
        line="the model",
    )

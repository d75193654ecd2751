"""The figures that ``open.html`` shows: columns, noisy counts, accuracy and examples. PUBLIC.

All of them follow from the noisy counts and the synthetic rows. They are JSON, so that the
page draws them and `synth.verification` compares them.
"""

import math
from collections.abc import Sequence

import numpy as np

from synth.analysis import Conclusion
from synth.bundle.examples import NOT_TO_ASK, Worked
from synth.bundle.noisy_picture import (
    NAMED_CELLS,
    CountsInView,
    find_negative_table,
    measured_tables,
    thin_out,
    view_repaired,
)
from synth.domain import Column
from synth.estimate import (
    ColumnCounts,
    HistogramRecord,
    Light,
    Record,
    Relation,
    reach_of,
    worst_relations,
)
from synth.rows import SyntheticTable
from synth.util import Document, Floats, Json, check_deadline, split_cells

# Most cells of a column, and of all columns together, that the page shows.
MAX_COLUMN_CELLS = 200
MAX_CELLS = 6000
# Most characters of a cell's title.
MAX_TITLE = 120
# Digits of numbers that are shown as they are, such as an error bar.
DIGITS = 12


def figures_of(record: Record, worked: Worked, synthetic: SyntheticTable | None) -> Document:
    """Return the figures of a release of one table, as JSON.

    Args:
        record: The noisy counts.
        worked: The worked examples: each with a question and the release's answer.
        synthetic: The synthetic rows; None if they are in parts.
    """
    return {
        "total": round(record.total),
        "scale": None if record.scale is None else float(record.scale),
        "columns": _columns(record, synthetic),
        "counts": _noisy_counts(record),
        "relations": [_relations(record, width) for width in (1, 2, 3)],
        "legend": [[light.sign, light.says, light.advice] for light in Light],
        "advice": list(NOT_TO_ASK),
        "examples": [_example(question, answer) for question, _, answer in worked],
    }


def _columns(record: Record, synthetic: SyntheticTable | None) -> list[Json]:
    """Return the figure of each column that was counted alone, until there are enough."""
    figures: list[Json] = []
    remaining_cells = MAX_CELLS
    for noisy in record.columns():
        check_deadline()
        if remaining_cells <= 0:
            break
        shown = min(MAX_COLUMN_CELLS, remaining_cells, len(noisy.counts))
        remaining_cells -= shown
        column = record.domain.columns[noisy.column]
        figures.append(_column(column, noisy, synthetic, shown=shown))
    return figures


def _column(
    column: Column, noisy: ColumnCounts, synthetic: SyntheticTable | None, *, shown: int
) -> Document:
    """Return the figure of one column: its cells with noisy and synthetic rows.

    Args:
        column: The declared column.
        noisy: Its noisy counts.
        synthetic: The synthetic rows; None if they are in parts.
        shown: The number of cells to show, those with the largest noisy counts.
    """
    rows: Sequence[int | None] = [None] * len(noisy.counts)
    if synthetic is not None:
        codes = synthetic.codes_of(noisy.column)
        rows = np.bincount(codes, minlength=len(noisy.counts)).tolist()
    largest = np.sort(np.argsort(-noisy.counts, kind="stable")[:shown])
    titles = column.titles
    return {
        "name": column.name,
        "cells": [
            [_shorten(titles[cell]), _make_whole(noisy.counts[cell]), rows[cell]]
            for cell in largest.tolist()
        ],
        "others": len(noisy.counts) - shown,
        "reach": None if noisy.reach is None else float(noisy.reach),
    }


def _noisy_counts(record: Record) -> Document:
    """Return noisy counts, the smallest first, with those below 0.

    A histogram has them with the counts after the repair. A model has the counts of the
    first measured histogram with a count below 0.
    """
    if isinstance(record, HistogramRecord):
        view = view_repaired(record.noisy, record.distribution)
        return _sorted_counts(view)
    columns = find_negative_table(record)
    measured = measured_tables(record)[columns]
    view = CountsInView(
        domain=measured.domain,
        cells=np.arange(measured.domain.size),
        noisy=measured.values,
        repaired=np.zeros(0),
        reach=int(reach_of(measured.mechanism, 1)),
        line="",
    )
    return _sorted_counts(view)


def _sorted_counts(view: CountsInView) -> Document:
    """Return the noisy counts in view that the page draws, the smallest first.

    Of many counts, those far above the noise are left out: repairs hardly change them.

    Args:
        view: The cells with their noisy counts, and with repaired ones if there is a line.
    """
    order = view.sort(only_small=len(view.noisy) > NAMED_CELLS)
    drawn = thin_out(order)
    codes = split_cells(view.cells[drawn], view.domain.shape)
    # A column makes its titles anew each time.
    titles_by_column = [column.titles for column in view.domain.columns]
    title_columns = [
        [_shorten(titles[code]) for code in column_codes]
        for titles, column_codes in zip(titles_by_column, codes, strict=True)
    ]
    repaired: list[Json] = [None] * len(drawn)
    if view.line:
        repaired = [_round(rows) for rows in view.repaired[drawn].tolist()]
    return {
        "columns": list(view.domain.names),
        "cells": [
            [" · ".join(titles), int(noisy), rows]
            for *titles, noisy, rows in zip(
                *title_columns, view.noisy[drawn].tolist(), repaired, strict=True
            )
        ],
        "all": len(view.noisy),
        "small": len(order),
        "negative": view.negative,
        "reach": view.reach,
        "line": view.line,
    }


def _relations(record: Record, width: int) -> Document:
    """Return how accurate combinations of so many columns are, the least accurate first."""
    worst, count = worst_relations(record, width)
    return {
        "width": width,
        "worst": [_relation(relation) for relation in worst],
        "all": count,
    }


def _relation(relation: Relation) -> Document:
    """Return one combination of columns, with its error; None is an unknown error."""
    is_known = not math.isnan(relation.error)
    return {
        "names": list(relation.names),
        "measured": relation.measured,
        "light": list(Light).index(relation.light),
        "error": _round(relation.error) if is_known else None,
    }


def _example(question: str, answer: Conclusion) -> Document:
    """Return a worked example: the question, and each number with its interval.

    An answer of one number has its unit instead of a label.
    """
    labels = answer.labels or (answer.unit,)
    return {
        "question": question,
        "sentence": answer.sentence,
        "numbers": [
            [label, *(_round(float(numbers[place])) for numbers in _ends(answer))]
            for place, label in enumerate(labels)
        ],
    }


def _ends(answer: Conclusion) -> tuple[Floats, Floats, Floats]:
    """Return the estimates of an answer, and the low and high ends of their intervals."""
    return answer.estimate, answer.low, answer.high


def _shorten(title: str) -> str:
    """Return a title that is cut if it is too long, with dots at its end."""
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…"


def _make_whole(count: float) -> int | float:
    """Return a count as a whole number if it is one."""
    return int(count) if float(count).is_integer() else _round(count)


def _round(number: float) -> float:
    """Return a number of `DIGITS` significant digits."""
    return float(f"{number:.{DIGITS}g}")

"""Answers and conclusions as lines of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from synth.util import Floats, Rounding

if TYPE_CHECKING:
    from synth.questions import ShownNumbers


def number_lines(
    chosen: Sequence[str],
    labels: Sequence[str],
    numbers: tuple[Floats, Floats, Floats],
    *,
    round_number: Callable[[float, int, Rounding], Any],
) -> list[tuple[Any, ...]]:
    """Return one line for each number: its label, its value, its low and its high end.

    Low ends are rounded down and high ends up. A choice has its ranks as labels, its
    candidates as values, and no ends.

    Args:
        chosen: The chosen candidates of a choice; empty for numbers.
        labels: One per number; empty if there is one number.
        numbers: Values, low and high ends, each of shape (numbers,).
        round_number: From a number, its position among the numbers and a rounding rule
            (round, floor or ceiling) to the number as shown.
    """
    if chosen:
        return [(f"{rank}", name, None, None) for rank, name in enumerate(chosen, 1)]
    values, lows, highs = numbers
    return [
        (
            label,
            round_number(float(values[place]), place, round),
            round_number(float(lows[place]), place, math.floor),
            round_number(float(highs[place]), place, math.ceil),
        )
        for place, label in enumerate(labels or ("",))
    ]


def texts_html(answers: Iterable[tuple[str, ShownNumbers]]) -> str:
    """Return answers as a table in HTML, one line for each number.

    Args:
        answers: Pairs of a question in words and its answer.
    """
    import pandas as pd

    lines = []
    for question, answer in answers:
        labels = answer.labels or ["" for _ in answer.texts]
        for label, text in zip(labels, answer.texts, strict=True):
            lines.append((question, label, text))
    table = pd.DataFrame(lines, columns=["question", "label", "answer"])
    return str(table.to_html(index=False))

"""Totals before they are asked, for a forecast. PUBLIC."""

import numpy as np

from synth.questions.arrangement import Portion
from synth.questions.moments.reading import evenly_spread
from synth.questions.quantiles.choices import drawn
from synth.util.arrays import Ints


def guessed_totals(portion: Portion, rows: int) -> Ints:
    """Totals as they would be if groups were of equal size; of a choice the first."""
    if portion.way.mechanism is None:
        question = portion.block.question
        return np.zeros(drawn(question), np.int64)
    if portion.way.strategy is not None:
        return np.zeros(portion.way.strategy.size, np.int64)
    if portion.way.cells is not None:
        return np.zeros(portion.way.cells.tally.size, np.int64)
    if portion.block.multiplies:
        return evenly_spread(portion, rows)
    found = []
    for number, grain in zip(portion.block.tallies, portion.way.grains, strict=True):
        tally = portion.block.workload.tallies[number]
        count = rows // tally.size * grain.weight if grain.steps is None else 0
        found.append(np.full(tally.size, count, dtype=np.int64))
    return np.concatenate(found) if found else np.zeros(1, np.int64)

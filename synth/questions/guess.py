"""Totals for a forecast. PUBLIC."""

import numpy as np

from synth.questions.arrangement import Portion
from synth.questions.moments.reading import evenly_spread
from synth.util import Ints


def guessed_totals(portion: Portion, rows: int) -> Ints:
    """Return totals for groups of equal size; for a choice the first."""
    way = portion.way
    if way.mechanism is None or way.strategy is not None or way.cells is not None:
        return np.zeros(way.size, np.int64)
    if portion.block.multiplies:
        return evenly_spread(portion, rows)
    found = []
    for number, grain in zip(portion.block.tallies, way.grains, strict=True):
        tally = portion.block.workload.tallies[number]
        count = rows // tally.size * grain.weight if grain.steps is None else 0
        found.append(np.full(tally.size, count, dtype=np.int64))
    return np.concatenate(found)

"""Answers from noisy sums of products, and their forecasts. PUBLIC."""

import numpy as np

from synth.questions.arrangement import Portion
from synth.questions.moments.components import directions
from synth.questions.moments.noisy import NoisySums
from synth.questions.moments.regression import lines
from synth.questions.moments.sensitivity import scales_of
from synth.questions.moments.spread import spreads
from synth.questions.numbers import Numbers
from synth.questions.totals import Totals
from synth.questions.workload import Readout
from synth.util import Ints

EVENLY_SPREAD = (
    "the forecast assumes columns that are independent and spread evenly over their ranges; "
    "slopes and directions of narrower columns have larger errors"
)
_READERS = {"spreads": spreads, "lines": lines, "directions": directions}


def read_moments(totals: Totals, reading: Readout, rows: int | None, level: float) -> Numbers:
    """Return the numbers of one answer, with intervals and expected errors.

    ``totals`` are in steps; ``rows`` is None if private.
    """
    found = NoisySums.read(totals, reading, rows)
    return _READERS[found.question.kind.reads](found, level)


def evenly_spread(portion: Portion, rows: int) -> Ints:
    """Return totals for columns that are spread evenly over their ranges."""
    weight, _ = scales_of(portion.block, portion.way.grains)
    found = []
    for number, grain in zip(portion.block.tallies, portion.way.grains, strict=True):
        tally = portion.block.workload.tallies[number]
        each = 0
        if grain.steps is None:
            each = weight**2
        elif grain.steps == grain.times:
            each = grain.steps.most**2 // 3
        found.append(np.full(tally.size, rows // tally.size * each, dtype=np.int64))
    return np.concatenate(found)

"""Noisy histograms of linked rows, repaired to what rows should have. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth.domain import LinkedPackage
from synth.estimate.models.linked_model import Target
from synth.estimate.relational.laws import BelievedRows
from synth.estimate.relational.marginals import CountLaw, LinkedMarginal
from synth.estimate.repair.column import repair_column
from synth.estimate.repair.marginal import denoise
from synth.noise import Mechanism
from synth.util import Floats, Ints


@dataclass(frozen=True, eq=False)
class NoisyLinked:
    """A histogram that was measured.

    Attributes:
        marginal: What was counted.
        values: With noise, shape (cells,).
        mechanism: The noise.
    """

    marginal: LinkedMarginal
    values: Ints
    mechanism: Mechanism


def repair_base(
    package: LinkedPackage, found: Sequence[NoisyLinked], numbers: BelievedRows
) -> Target:
    """A column of a table, all that was measured of it together.

    Args:
        package: The tables.
        found: Its noisy histograms, all of one kind.
        numbers: How many rows the table has.
    """
    one = found[0].marginal
    weights = np.array([1 / noisy.mechanism.variance for noisy in found])
    values = np.average([noisy.values for noisy in found], axis=0, weights=weights)
    shape, variance = one.shape(package), 1 / float(weights.sum())
    blocks = values.reshape(shape[0], -1) if one.law is CountLaw.BANDS else values.reshape(1, -1)
    repaired = [
        each * repair_column(block / each, variance / each**2, total) if total > 0 else 0 * block
        for block, each, total in zip(blocks, *_scales(package, one, numbers), strict=True)
    ]
    return Target(one, np.array(repaired).reshape(shape), is_base=True)


def repair_link(
    package: LinkedPackage, noisy: NoisyLinked, guess: Floats, numbers: BelievedRows
) -> Target:
    """What columns have in common, repaired around a guess.

    Args:
        package: The tables.
        noisy: The noisy histogram.
        guess: Expected counts in its shape: of pairs of rows in roots, else to any scale.
        numbers: How many rows the table has.
    """
    one = noisy.marginal
    shape = one.shape(package)
    lines = shape[0] if one.law is CountLaw.BANDS else 1
    pairs = zip(noisy.values.reshape(lines, -1), guess.reshape(lines, -1), strict=True)
    repaired = []
    scales, totals = _scales(package, one, numbers)
    if one.others:
        totals = [float(guess.sum())]
    for (values, expected), each, total in zip(pairs, scales, totals, strict=True):
        scaled = expected * (each * total / max(float(expected.sum()), 1e-9))
        if total <= 0 or not scaled.any():
            repaired.append(np.zeros(len(values)))
            continue
        found = denoise(values.astype(np.float64), scaled, noisy.mechanism, each * total)
        repaired.append(found.values)
    return Target(one, np.array(repaired).reshape(shape))


def _scales(
    package: LinkedPackage, one: LinkedMarginal, numbers: BelievedRows
) -> tuple[Sequence[int], Sequence[float]]:
    """By block of a histogram, what a row or root counts in it, and how many there are."""
    if one.law is CountLaw.BANDS:
        declared = package.tables[one.table]
        times = [1, *(declared.most // top for top in declared.tops)]
        return times, numbers.band_rows.tolist()
    if one.law is CountLaw.ROWS:
        return [1], [numbers.rows]
    return [one.units(package)], [numbers.roots]

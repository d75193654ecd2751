"""Noisy histograms of linked rows, repaired. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth.domain import LinkedPackage
from synth.estimate import denoise, repair_column
from synth.linked.laws import BelievedRows
from synth.linked.marginals import CountLaw, LinkedMarginal
from synth.linked.model import Target
from synth.noise import Mechanism
from synth.util import Floats, Ints

# Least divisor, so that nothing is divided by a sum of 0.
NOT_ZERO = 1e-9


@dataclass(frozen=True, eq=False)
class NoisyLinked:
    """A measured histogram.

    Attributes:
        marginal: The histogram.
        values: Noisy counts, shape (cells,).
        mechanism: The noise on each.
    """

    marginal: LinkedMarginal
    values: Ints
    mechanism: Mechanism


def repair_base(
    package: LinkedPackage, measurements: Sequence[NoisyLinked], numbers: BelievedRows
) -> Target:
    """Return the repaired counts of a column, from all measurements of one histogram.

    The counts are not negative, and add up to the believed rows or roots. A histogram of a
    column by band of the number of rows is repaired band by band.

    Args:
        package: The declared tables.
        measurements: Noisy counts of the same histogram, each with its noise.
        numbers: The believed rows of the table.
    """
    marginal = measurements[0].marginal
    # The mean of the measurements with the least variance.
    weights = np.array([1 / noisy.mechanism.variance for noisy in measurements])
    values = np.average([noisy.values for noisy in measurements], axis=0, weights=weights)
    shape = marginal.shape(package)
    variance = 1 / float(weights.sum())  # of this mean
    # The histogram of a column has a second axis only if it is by bands, which are the first.
    is_by_band = len(shape) > 1
    blocks = values.reshape(shape[0] if is_by_band else 1, -1)
    units, totals = _scales(package, marginal, numbers, by_band=is_by_band)
    # Each block is repaired in rows or roots, which count `unit`, and then scaled back.
    repaired = [
        unit * repair_column(block / unit, variance / unit**2, total)
        if total > 0
        else 0 * block
        for block, unit, total in zip(blocks, units, totals, strict=True)
    ]
    return Target(marginal=marginal, values=np.array(repaired).reshape(shape), is_base=True)


def repair_link(
    package: LinkedPackage, noisy: NoisyLinked, guess: Floats, *, numbers: BelievedRows
) -> Target:
    """Return the repaired counts of a histogram of two columns.

    Noisy counts are drawn towards the guess, the more the louder their noise is. A histogram
    by bands is repaired band by band.

    Args:
        package: The declared tables.
        noisy: The noisy counts and their noise.
        guess: Expected counts in the histogram's shape: of pairs of rows in roots, else to
            any scale.
        numbers: The believed rows of the table.
    """
    marginal = noisy.marginal
    shape = marginal.shape(package)
    # A histogram by bands has the band as its first axis.
    block_count = shape[0] if marginal.law is CountLaw.BANDS else 1
    noisy_blocks = noisy.values.reshape(block_count, -1)
    guessed_blocks = guess.reshape(block_count, -1)
    repaired = []
    units, totals = _scales(package, marginal, numbers)
    if marginal.others:
        # Not all roots have pairs of rows; the guess says how many do.
        totals = [float(guess.sum())]
    for values, expected, unit, total in zip(
        noisy_blocks, guessed_blocks, units, totals, strict=True
    ):
        # The guess, with the sum that the counts should have.
        scaled = expected * (unit * total / max(float(expected.sum()), NOT_ZERO))
        if total <= 0 or not scaled.any():  # nothing is expected in this block
            repaired.append(np.zeros(len(values)))
            continue
        denoised = denoise(
            values.astype(np.float64), scaled, noisy.mechanism, total=unit * total
        )
        repaired.append(denoised.values)
    return Target(marginal=marginal, values=np.array(repaired).reshape(shape))


def repair_agreement(package: LinkedPackage, noisy: NoisyLinked, roots: float) -> Target:
    """Return the repaired numbers of pairs of rows that differ and that agree in a column.

    Pairs count in whole units of a root, which all pairs of its rows share.

    Args:
        package: The declared tables.
        noisy: The noisy numbers of pairs that differ and that agree.
        roots: The expected number of roots with two rows.
    """
    total = roots * noisy.marginal.units(package)
    differ, agree = noisy.values.tolist()
    # The mean of two estimates: what agrees, and what remains of the total.
    agree = min(max((agree + total - differ) / 2, 0.0), total)
    return Target(marginal=noisy.marginal, values=np.array([total - agree, agree]))


def scale_agreement(link: Target, agreed: Target) -> Target:
    """Return counts of pairs of rows whose diagonal has the measured share of equal pairs.

    Args:
        link: Counts of pairs by a column of either row, a square table.
        agreed: The numbers of pairs that differ and that agree in this column.
    """
    values = link.values.copy()
    is_diagonal = np.eye(len(link.values), dtype=np.bool_)
    # How many pairs of the table differ and agree.
    sums = agreed.values * (values.sum() / max(float(agreed.values.sum()), NOT_ZERO))
    # Off the diagonal the two rows differ, and on it they agree.
    for cells, wanted_sum in zip((~is_diagonal, is_diagonal), sums, strict=True):
        values[cells] *= wanted_sum / max(float(values[cells].sum()), NOT_ZERO)
    return Target(marginal=link.marginal, values=values)


def _scales(
    package: LinkedPackage,
    marginal: LinkedMarginal,
    numbers: BelievedRows,
    *,
    by_band: bool = False,
) -> tuple[Sequence[int], Sequence[float]]:
    """Return what a row or root counts in each block of a histogram, and how many there are.

    A block is the counts of one band of the number of rows of the parent; without bands the
    histogram is one block. Both results have an entry for each block.

    Args:
        package: The declared tables.
        marginal: The histogram.
        numbers: The believed rows of its table.
        by_band: Whether a histogram that counts roots has blocks by band.
    """
    if marginal.law is CountLaw.BANDS:
        # `times`: how often a row counts in each band.
        return package.tables[marginal.table].times, numbers.band_rows.tolist()
    if marginal.law is CountLaw.ROWS:
        return [1], [numbers.rows]
    # A root counts all its whole units, which its rows share.
    units = marginal.units(package)
    if by_band:
        return [units] * len(numbers.band_roots), numbers.band_roots.tolist()
    return [units], [numbers.roots]

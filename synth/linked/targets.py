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
    """Return a column of a table, from all its measurements of one kind.

    Args:
        numbers: The rows of the table.
    """
    marginal = measurements[0].marginal
    weights = np.array([1 / noisy.mechanism.variance for noisy in measurements])
    values = np.average([noisy.values for noisy in measurements], axis=0, weights=weights)
    shape = marginal.shape(package)
    variance = 1 / float(weights.sum())
    blocks = values.reshape(shape[0] if len(shape) > 1 else 1, -1)
    repaired = [
        unit * repair_column(block / unit, variance / unit**2, total)
        if total > 0
        else 0 * block
        for block, unit, total in zip(
            blocks, *_scales(package, marginal, numbers, by_band=len(shape) > 1), strict=True
        )
    ]
    return Target(marginal=marginal, values=np.array(repaired).reshape(shape), is_base=True)


def repair_link(
    package: LinkedPackage, noisy: NoisyLinked, guess: Floats, *, numbers: BelievedRows
) -> Target:
    """Return what columns have in common, repaired around a guess.

    Args:
        guess: Expected counts in the histogram's shape: of pairs of rows in roots, else to
            any scale.
        numbers: The rows of the table.
    """
    marginal = noisy.marginal
    shape = marginal.shape(package)
    lines = shape[0] if marginal.law is CountLaw.BANDS else 1
    pairs = zip(noisy.values.reshape(lines, -1), guess.reshape(lines, -1), strict=True)
    repaired = []
    scales, totals = _scales(package, marginal, numbers)
    if marginal.others:
        totals = [float(guess.sum())]
    for (values, expected), unit, total in zip(pairs, scales, totals, strict=True):
        scaled = expected * (unit * total / max(float(expected.sum()), 1e-9))
        if total <= 0 or not scaled.any():
            repaired.append(np.zeros(len(values)))
            continue
        denoised = denoise(
            values.astype(np.float64), scaled, noisy.mechanism, total=unit * total
        )
        repaired.append(denoised.values)
    return Target(marginal=marginal, values=np.array(repaired).reshape(shape))


def repair_agreement(package: LinkedPackage, noisy: NoisyLinked, roots: float) -> Target:
    """Return how many pairs of rows agree in a column, from both noisy numbers.

    Args:
        noisy: The noisy numbers of pairs that differ and that agree.
        roots: Number of roots with two rows.
    """
    total = roots * noisy.marginal.units(package)
    differ, agree = noisy.values.tolist()
    agree = min(max((agree + total - differ) / 2, 0.0), total)
    return Target(marginal=noisy.marginal, values=np.array([total - agree, agree]))


def scale_agreement(link: Target, agreed: Target) -> Target:
    """Return a table of pairs of rows, whose diagonal has the share of pairs that agree."""
    values = link.values.copy()
    same = np.eye(len(link.values), dtype=np.bool_)
    parts = agreed.values * (values.sum() / max(float(agreed.values.sum()), 1e-9))
    for cells, part in zip((~same, same), parts, strict=True):
        values[cells] *= part / max(float(values[cells].sum()), 1e-9)
    return Target(marginal=link.marginal, values=values)


def _scales(
    package: LinkedPackage,
    marginal: LinkedMarginal,
    numbers: BelievedRows,
    *,
    by_band: bool = False,
) -> tuple[Sequence[int], Sequence[float]]:
    """Return the units that turn a histogram's blocks into rows or roots.

    By block of a histogram: the count of a row or root, and their number.
    """
    if marginal.law is CountLaw.BANDS:
        return package.tables[marginal.table].times, numbers.band_rows.tolist()
    if marginal.law is CountLaw.ROWS:
        return [1], [numbers.rows]
    if by_band:
        return [marginal.units(package)] * len(
            numbers.band_roots
        ), numbers.band_roots.tolist()
    return [marginal.units(package)], [numbers.roots]

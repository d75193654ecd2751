"""Releases with noisy sums of offsets and of products, made of rows that are known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from synth.domain import OFFSET_STEPS, Binned, Domain, Offsets
from synth.estimate import HistogramRecord, MomentSum, Spend
from synth.noise import DiscreteLaplace, KNorm, Norm
from synth.privacy import Guarantee
from tests.analysis.releases import record_of

Rows = Mapping[str, np.ndarray]
"""Numbers of a column, NaN where missing, or codes of a list."""


def codes_of(domain: Domain, rows: Rows) -> list[np.ndarray]:
    """The cells of all rows."""
    codes = []
    for column in domain.columns:
        values = rows[column.name]
        if isinstance(column, Binned):
            lows = np.array([low for low, _ in column.cell_ends])
            cells = np.searchsorted(lows, values, side="right") - 1
            values = np.where(np.isnan(values), column.size - 1, cells)
        codes.append(values.astype(np.int32))
    return codes


def released(
    domain: Domain,
    rows: Rows,
    moments: Sequence[MomentSum],
    *,
    scale: Fraction = Fraction(2),
    steps: Fraction = Fraction(4 * OFFSET_STEPS),
    joint: bool = False,
    public: bool = True,
) -> HistogramRecord:
    """A histogram of rows, and sums with noise of so many steps, on each or on all at
    once.
    """
    codes = codes_of(domain, rows)
    counts = np.zeros(domain.shape, np.int64)
    np.add.at(counts, tuple(codes), 1)
    noisy = counts.reshape(-1) + DiscreteLaplace(scale).draw(counts.size)
    record = record_of(domain, noisy, scale, len(codes[0]) if public else None)
    sums_of_moments = [added(domain, rows, codes, moment) for moment in moments]
    if joint:
        exact = np.concatenate(sums_of_moments)
        cube = KNorm(Norm.MAX, len(exact), steps)
        values = tuple(map(int, exact + cube.draw(1)[0]))
        paid = [
            Spend(
                what="sums",
                cost=Guarantee.pure(1),
                mechanism=cube,
                values=values,
                moments=tuple(moments),
            )
        ]
        return replace(record, spends=tuple(paid))
    noise, spends = DiscreteLaplace(steps), []
    for moment, sums in zip(moments, sums_of_moments, strict=True):
        values = tuple(map(int, sums + noise.draw(len(sums))))
        spends.append(
            Spend(
                what="sums",
                cost=Guarantee.pure(1),
                mechanism=noise,
                values=values,
                moments=(moment,),
            )
        )
    return replace(record, spends=tuple(spends))


def steps_in(offsets: Offsets, values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The steps of values inside their column's bounds, by their cells, as the engines add
    them.
    """
    grid = offsets.halves[codes] / offsets.most
    away = (values - offsets.middles[codes]) / np.where(grid > 0, grid, 1.0)
    whole_steps = np.where(grid > 0, np.trunc(away + np.copysign(0.5, away)), 0.0)
    return np.clip(whole_steps, -offsets.most, offsets.most).astype(np.int64)


def added(
    domain: Domain, rows: Rows, codes: Sequence[np.ndarray], moment: MomentSum
) -> np.ndarray:
    """Steps that rows add up to, by cell."""
    factors = moment.factors(domain)
    steps = [steps_in(f, rows[domain.names[f.column]], codes[f.column]) for f in factors]
    if len(steps) == 2:
        product = steps[0] * steps[1] / moment.steps
        steps = [np.trunc(product + np.copysign(0.5, product)).astype(np.int64)]
    for column in moment.given:
        steps[0] = np.where(np.isnan(rows[domain.names[column]]), 0, steps[0])
    if not moment.by:
        return np.array([steps[0].sum()])
    shape = moment.shape(domain)
    cells = np.ravel_multi_index(tuple(codes[column] for column in moment.by), shape)
    sums = np.zeros(int(np.prod(shape)), np.int64)
    np.add.at(sums, cells, steps[0])
    return sums

"""Releases to draw conclusions from, without a table: noisy counts made from known ones."""

from fractions import Fraction
from typing import Any

import numpy as np

from synth.domain import Domain
from synth.domain.building import Categorical, Integer
from synth.estimate import (
    HistogramRecord,
    MarginalsRecord,
    Method,
    NoisyCounts,
    NoisyMarginal,
    Repair,
    repair_counts,
)
from synth.noise import DiscreteGaussian, DiscreteLaplace
from synth.privacy import Guarantee, Neighbors

DOMAIN = Domain(
    age=Integer(20, 79, bins=12),
    hours=Integer(0, 9, bins=10),
    sex=Categorical(["F", "M"], outside="cell"),
    job=Categorical([*"abcd"], outside="cell"),
)
SHAPE = DOMAIN.shape
PURE = Guarantee.pure(1)


def true_counts(rows: int = 20_000) -> np.ndarray:
    """Rows by cell: hours grow with age, women work fewer, jobs depend on both."""
    rng = np.random.default_rng(5)
    age = np.clip(rng.normal(45, 15, rows), 20, 79.9)
    woman = rng.random(rows) < 0.5
    hours = np.clip(np.rint(2 + age / 20 - woman + rng.normal(0, 1.5, rows)), 0, 9)
    job = np.clip((age - 20) // 15 + rng.integers(-1, 2, rows), 0, 3)
    codes = ((age - 20) // 5, hours, 1 - woman.astype(int), job)
    counts = np.zeros(SHAPE, np.int64)
    np.add.at(counts, tuple(code.astype(int) for code in codes), 1)
    return counts


TRUE_COUNTS = true_counts()


def histogram_release(
    truth: np.ndarray = TRUE_COUNTS, scale: Fraction = Fraction(2), *, public: bool = True
) -> HistogramRecord:
    """A histogram of all columns with noise of a scale, by default of 20,000 known rows by
    age, hours, sex and job.
    """
    noisy = truth.reshape(-1) + DiscreteLaplace(scale).draw(truth.size)
    return record_of(DOMAIN, noisy, scale, int(truth.sum()) if public else None)


def record_of(
    domain: Domain, noisy: np.ndarray, scale: Fraction, rows: int | None
) -> HistogramRecord:
    """A histogram of these noisy counts; where the number of rows is public, of replaced
    rows.
    """
    neighbors = Neighbors.ADD_REMOVE if rows is None else Neighbors.REPLACE_ONE
    counts = NoisyCounts(
        domain=domain,
        values=np.asarray(noisy),
        scale=scale,
        neighbors=neighbors,
        guarantee=PURE,
        rows=rows,
    )
    return HistogramRecord(noisy=counts, distribution=repair_counts(counts, Repair.CLAMP))


PAIRS = ((0, 1), (0, 2), (1, 2))
"""Age, hours and sex by twos; jobs alone."""


def marginals_release(
    truth: np.ndarray = TRUE_COUNTS, variance: int = 400
) -> MarginalsRecord:
    """A model's noisy marginals: all columns alone, and age, hours and sex two at a time."""
    cliques: list[tuple[int, ...]] = [(0,), (1,), (2,), (3,), *PAIRS]
    measured = tuple((clique, _marginal(truth, clique, variance)) for clique in cliques)
    rows, guarantee = int(truth.sum()), Guarantee.zcdp(1)
    spent: dict[str, Any] = {"charged": PURE, "spent": guarantee}
    return MarginalsRecord(
        domain=DOMAIN,
        neighbors=Neighbors.REPLACE_ONE,
        **spent,
        strategy=Method.TREE,
        total=float(rows),
        rows=rows,
        measured=measured,
        spends=(),
        bars=(),
    )


def _marginal(truth: np.ndarray, clique: tuple[int, ...], variance: int) -> NoisyMarginal:
    others = tuple(axis for axis in range(truth.ndim) if axis not in clique)
    noise = DiscreteGaussian(Fraction(variance))
    counts = truth.sum(axis=others).reshape(-1)
    noisy = np.asarray(counts + noise.draw(counts.size))
    part = DOMAIN.project([DOMAIN.names[i] for i in clique])
    return NoisyMarginal(
        domain=part,
        values=noisy,
        mechanism=noise,
        guarantee=Guarantee.zcdp(1),
        rows=int(truth.sum()),
    )


def nearly(low: float, truth: float, high: float) -> bool:
    """Whether a number is within three times the reach of its 95 % interval.

    Within the interval itself it is 19 times in 20 only; of normal noise this is six
    deviations."""
    return low - (high - low) <= truth <= high + (high - low)

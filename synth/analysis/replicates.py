"""Tables like a release's own, each from its noisy counts with their noise drawn once more. PUBLIC.

A table is finished as the release was, from noisy counts that noise of the release's own law has
been added to again. So tables differ from one another as the release differs from what it was
measured of, and their spread tells of the noise: Rubin's rules for missing data hold roughly.
Tables that are drawn from the same noisy counts as they stand differ by the drawing alone.
"""

from dataclasses import replace

import numpy as np

from synth import limits
from synth.errors import LimitError, ReleaseError
from synth.estimate import (
    RECIPES,
    MarginalsRecord,
    NoisyCounts,
    NoisyMarginal,
    Record,
    believed_total,
    finish_again,
    repair_counts,
)
from synth.noise import DiscreteLaplace, Mechanism
from synth.plans import Plan
from synth.rows import SyntheticTable, decode, draw_rows
from synth.util import Ints, check_whole

MIN_TABLES = 2
"""One table alone has no spread."""
_FEW = 12
"""Up to so many noises a sum is drawn noise by noise."""


def fresh_seeds(tables: int) -> tuple[int, ...]:
    """A seed from the system for each of some tables.

    Raises:
        ArgumentError: That is no whole number of two or more.
        LimitError: They are too many.

    >>> len(set(fresh_seeds(5)))
    5
    """
    check_whole(MIN_TABLES, tables=tables)
    if tables > limits.REPLICATES:
        raise LimitError(f"{tables:,} tables are more than the limit of {limits.REPLICATES}.")
    return tuple(int(np.random.SeedSequence().entropy) for _ in range(int(tables)))  # type: ignore[arg-type]


def check_replicable(plan: Plan, record: Record) -> None:
    """See that tables can be made from the noisy counts as the release's own was.

    Raises:
        ReleaseError: They cannot.
    """
    histogram, strategy = record.histogram, record.strategy
    if histogram is not None and histogram.threshold is not None:
        raise ReleaseError(
            f"The release lists only noisy counts from {histogram.threshold} up, and noise that is "
            "drawn once more needs all of them: there are no replicates of it."
        )
    if plan.public is not None and strategy and RECIPES[strategy].settles:
        raise ReleaseError(
            "The rows were drawn around a public table, which is not in the bundle: there are no "
            "replicates of it."
        )


def replicate(plan: Plan, record: Record, rows: int, seed: int) -> SyntheticTable:
    """One table.

    Args:
        plan: Of the release.
        record: What is public of it.
        rows: How many it has.
        seed: Of its noise, its drawing and its values.

    Raises:
        ReleaseError: The release has no replicates.
    """
    check_replicable(plan, record)
    rng = np.random.default_rng(seed)
    if record.histogram is not None:
        noisy = _histogram(record.histogram, plan, rng)
        return draw_rows(repair_counts(noisy, plan.repair), rows, seed=seed)
    assert isinstance(record, MarginalsRecord)
    rules = plan.check_model(plan.domain)
    fitted = finish_again(plan, _marginals(record, rng), rows, rng, rules=rules)
    columns = list(np.ascontiguousarray(fitted.codes.T))
    return decode(plan.domain, columns, seed=seed, order=rules.order)


def _histogram(noisy: NoisyCounts, plan: Plan, rng: np.random.Generator) -> NoisyCounts:
    """With noise once more, also on the number of rows where that has some of its own."""
    values = noisy.values + law_again(DiscreteLaplace(noisy.scale), len(noisy.values), rng)
    if noisy.noisy_rows is None:
        return replace(noisy, values=values)
    law = DiscreteLaplace(plan.unit.max_rows / (plan.epsilon * limits.TOTAL_SHARE))
    total = noisy.noisy_rows + int(law_again(law, 1, rng)[0])
    return replace(noisy, values=values, noisy_rows=total)


def _marginals(record: MarginalsRecord, rng: np.random.Generator) -> MarginalsRecord:
    measured = tuple((clique, _marginal(one, rng)) for clique, one in record.measured)
    total = believed_total(record.domain.shape, measured)
    return replace(record, measured=measured, total=total)


def _marginal(noisy: NoisyMarginal, rng: np.random.Generator) -> NoisyMarginal:
    return replace(noisy, values=noisy.values + law_again(noisy.mechanism, len(noisy.values), rng))


def law_again(mechanism: Mechanism, size: int, rng: np.random.Generator, each: int = 1) -> Ints:
    """Noise that public counts get on top, shape (size,): the law in floats, past the door.

    Args:
        mechanism: Noise that is drawn for each number by itself.
        size: How many sums of noise.
        rng: Where they are from.
        each: How many noises each adds up; of many the sum is next to normal.

    >>> noise = law_again(DiscreteLaplace(2), 10_000, np.random.default_rng(1))
    >>> bool(abs(noise.var() / 8 - 1) < 0.2)
    True
    """
    law = mechanism.cell_noise.number_law
    if law.stop is None or each > _FEW:
        return np.rint(rng.normal(0, (law.variance * each) ** 0.5, size)).astype(np.int64)
    one, other = rng.geometric(law.stop, (2, each, size)).sum(axis=1)
    return np.asarray(one - other, dtype=np.int64)

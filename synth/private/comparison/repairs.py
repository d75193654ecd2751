"""The real errors of all repairs of the same noisy counts. PRIVATE."""

from dataclasses import dataclass, replace

import numpy as np

from synth.estimate import Distribution, Repaired
from synth.private.comparison.tables import Compared
from synth.util import Names, normal


@dataclass(frozen=True)
class RealError:
    """Mean total variation under a repair, before rows are drawn. PRIVATE."""

    one_way: float
    two_way: float


def real_errors(seen: Compared, repairs: list[Repaired]) -> dict[str, RealError]:
    """Return the mean total variation of columns and pairs under each repair. PRIVATE."""
    found = {}
    columns: list[Names] = [(name,) for name in seen.domain.names]
    for one in repairs:
        made = replace(one.distribution)  # a copy: the codes that it keeps go with it
        found[one.name] = RealError(_mean(seen, made, columns), _mean(seen, made, [*seen.pairs]))
    return found


def _mean(seen: Compared, made: Distribution, tables: list[Names]) -> float:
    errors = [
        float(np.abs(seen.pair(*names)[0] - normal(made.expected(seen.place(names)))).sum() / 2)
        for names in tables
    ]
    return float(np.mean(errors)) if errors else 0.0

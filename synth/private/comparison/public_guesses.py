"""The public table that was the guess, and releases with and without it. PRIVATE.

The release without it is only forecast.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from synth.estimate import ColumnSet, PublicTable, check_named
from synth.forecasts import outlook
from synth.private.comparison.tables import Compared, distance, table_of
from synth.util import Codes, normal

# Most pairs in the comparison.
PAIRS = 1000


@dataclass(frozen=True, kw_only=True)
class BesidePublic:
    """The public table itself, and the release around it. PRIVATE.

    Attributes:
        stands, released: Mean total variation of pairs of the public table's columns.
        repeated: Share of the confidential rows that are in the public table, each once.
        by_chance: That share of the synthetic table.
        without: Expected total variation of pairs of the release without the public table.
    """

    stands: float
    released: float
    repeated: float
    by_chance: float
    without: float

    @property
    def sentence(self) -> str:
        return (
            f"Error of pairs: public table alone {self.stands:.4f} off, the release around "
            f"it {self.released:.4f}; without it about {self.without:.4f} (forecast)."
        )

    @property
    def warning(self) -> str:
        """A warning if the public table nearly repeats the confidential one."""
        if self.repeated <= (1 + self.by_chance) / 2:
            return ""
        return (
            f"The public table nearly repeats the confidential one: {self.repeated:.0%} of "
            f"its rows are in it, {self.by_chance:.0%} in the synthetic table. Check that it "
            "is public."
        )


def beside_public(seen: Compared, public: PublicTable) -> BesidePublic:
    """Compare a public table with the confidential one, and with the release.

    Raises:
        ArgumentError: The release was not made around this table.
    """
    plan = seen.result.plan
    check_named(plan.public, public)
    alone = outlook(replace(plan, public=None), max(1, round(seen.result.record.total)))
    known = sorted(public.guess.codes)
    zeros = np.zeros(public.guess.rows, dtype=np.int32)
    guess = [public.guess.codes.get(a, zeros) for a in range(len(seen.domain.columns))]
    every: list[ColumnSet] = [*combinations(known, 2)]
    pairs = every[:PAIRS] or [(known[0],)]
    stands, released = (
        float(np.mean([_measure_distance(seen, rows, pair) for pair in pairs]))
        for rows in (guess, seen.synthetic)
    )
    repeated, by_chance = (
        _mean_distance(seen, rows, known) for rows in (guess, seen.synthetic)
    )
    return BesidePublic(
        stands=stands,
        released=released,
        repeated=repeated,
        by_chance=by_chance,
        without=alone.pairs.likely,
    )


def _measure_distance(seen: Compared, rows: list[Codes], place: ColumnSet) -> float:
    return distance(*(normal(table_of(one, seen.domain, place)) for one in (seen.real, rows)))


def _mean_distance(seen: Compared, rows: list[Codes], known: Sequence[int]) -> float:
    real, other = (
        Counter(map(tuple, np.column_stack([one[a] for a in known]).tolist()))
        for one in (seen.real, rows)
    )
    return (real & other).total() / max(real.total(), 1)

"""The public table that was the guess, beside the release: which is nearer. PRIVATE."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from synth.arrays import Codes, normal
from synth.comparison.tables import Compared, table_of
from synth.models.public_source import PublicTable
from synth.noisy.record import Place

PAIRS = 1000
"""Most pairs that are compared."""


@dataclass(frozen=True)
class BesidePublic:
    """The public table as it stands, and the release around it. PRIVATE.

    Attributes:
        stands, released: Mean total variation of pairs of the columns that the public table has.
        repeated: Share of the confidential rows that stand in the public table, each once.
        by_chance: The same share of the synthetic table.
    """

    stands: float
    released: float
    repeated: float
    by_chance: float

    @property
    def warning(self) -> str:
        """That the public table nearly repeats the confidential one; empty where it does not."""
        if self.repeated <= (1 + self.by_chance) / 2:
            return ""
        return (
            f"The public table nearly repeats the confidential one: {self.repeated:.0%} of its "
            f"rows stand there, {self.by_chance:.0%} in the synthetic table. See that it is public."
        )


def beside_public(seen: Compared, public: PublicTable) -> BesidePublic:
    """Compare a public table with the confidential one, and with the release."""
    known = sorted(public.guess.codes)
    zeros = np.zeros(public.guess.rows, dtype=np.int32)
    guess = [public.guess.codes.get(a, zeros) for a in range(len(seen.domain.columns))]
    every: list[Place] = [*combinations(known, 2)]
    pairs = every[:PAIRS] or [(known[0],)]
    stands, released = (
        float(np.mean([_apart(seen, rows, pair) for pair in pairs]))
        for rows in (guess, seen.synthetic)
    )
    repeated, by_chance = (_repeated(seen, rows, known) for rows in (guess, seen.synthetic))
    return BesidePublic(stands, released, repeated, by_chance)


def _apart(seen: Compared, rows: list[Codes], place: Place) -> float:
    real, other = (normal(table_of(one, seen.domain, place)) for one in (seen.real, rows))
    return float(np.abs(real - other).sum() / 2)


def _repeated(seen: Compared, rows: list[Codes], known: Sequence[int]) -> float:
    real, other = (
        Counter(map(tuple, np.column_stack([one[a] for a in known]).tolist()))
        for one in (seen.real, rows)
    )
    return (real & other).total() / max(real.total(), 1)

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
        stands, released: Mean total variation of pairs of the public table's columns, in the
            public table and in the release.
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
        """A sentence that says how far pairs are off, with the public table and without."""
        return (
            f"Error of pairs: public table alone {self.stands:.4f} off, the release around "
            f"it {self.released:.4f}; without it about {self.without:.4f} (forecast)."
        )

    @property
    def warning(self) -> str:
        """A warning if the public table nearly repeats the confidential one, else ''.

        It does if it repeats more than half of the rows that chance would not repeat.
        """
        # Beyond chance it repeats `repeated` - `by_chance`, of at most 1 - `by_chance`.
        if self.repeated <= (1 + self.by_chance) / 2:
            return ""
        return (
            f"The public table nearly repeats the confidential one: {self.repeated:.0%} of "
            f"its rows are in it, {self.by_chance:.0%} in the synthetic table. Check that it "
            "is public."
        )


def beside_public(compared: Compared, public: PublicTable) -> BesidePublic:
    """Compare a public table with the confidential one, and with the release. PRIVATE.

    Args:
        compared: The real and the synthetic rows, and the release.
        public: The table that was the release's guess.

    Raises:
        ArgumentError: The release was not made around this table.
    """
    plan = compared.result.plan
    check_named(plan.public, public)  # raises if the plan names another table
    forecast_without = outlook(
        replace(plan, public=None), max(1, round(compared.result.record.total))
    )
    public_columns = sorted(public.guess.codes)  # the numbers of its columns in the domain
    zeros = np.zeros(public.guess.rows, dtype=np.int32)
    # Columns that the public table lacks are never looked at, so any codes will do.
    guess = [public.guess.codes.get(a, zeros) for a in range(len(compared.domain.columns))]
    # A public table of one column has no pairs, so that column is compared alone.
    all_pairs: list[ColumnSet] = [*combinations(public_columns, 2)]
    pairs = all_pairs[:PAIRS] or [(public_columns[0],)]
    stands = float(np.mean([_measure_distance(compared, guess, pair) for pair in pairs]))
    released = float(
        np.mean([_measure_distance(compared, compared.synthetic, pair) for pair in pairs])
    )
    repeated = _share_repeated(compared, guess, public_columns)
    by_chance = _share_repeated(compared, compared.synthetic, public_columns)
    return BesidePublic(
        stands=stands,
        released=released,
        repeated=repeated,
        by_chance=by_chance,
        without=forecast_without.pairs.likely,
    )


def _measure_distance(compared: Compared, rows: list[Codes], place: ColumnSet) -> float:
    """Return the total variation of some columns between the real rows and other rows.

    Args:
        compared: The real rows.
        rows: Codes of the other rows, one array of shape (rows,) a column.
        place: The numbers of the compared columns.
    """
    real_table = normal(table_of(compared.real, compared.domain, place))
    table = normal(table_of(rows, compared.domain, place))
    return distance(real_table, table)


def _share_repeated(compared: Compared, rows: list[Codes], columns: Sequence[int]) -> float:
    """Return the share of the real rows that other rows repeat in some columns.

    Each other row repeats at most one real row.

    Args:
        compared: The real rows.
        rows: Codes of the other rows, one array of shape (rows,) a column.
        columns: The numbers of the columns in which rows must be equal.
    """
    real = _count_rows(compared.real, columns)
    repeated = real & _count_rows(rows, columns)  # the smaller number of each equal row
    return repeated.total() / max(real.total(), 1)


def _count_rows(codes: list[Codes], columns: Sequence[int]) -> Counter[tuple[int, ...]]:
    rows = np.column_stack([codes[column] for column in columns])
    return Counter(map(tuple, rows.tolist()))

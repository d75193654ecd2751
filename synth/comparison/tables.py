"""Both tables as codes, and the shares that stand between them. PRIVATE.

From real to synthetic a table passes through noisy shares, which are public: those of the
repaired histogram, or what a model holds its columns and pairs to be. `Between` finds them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.arrays import Codes, Floats, marginal, split_cells
from synth.bundle.result import Result
from synth.comparison.distances import Comparison, compare
from synth.counting.counts import codes
from synth.domain.domain import Domain
from synth.metrics import Names
from synth.models.choosing import Strategy
from synth.models.reconstruct import believed
from synth.models.record import Modelled
from synth.repair.histogram import Distribution
from synth.table.private_table import PrivateTable

Place = tuple[int, ...]


class Between:
    """Shares of any table of columns after the noise and before rows were drawn. PUBLIC.

    Args:
        domain: The declared columns.
        distribution: The repaired histogram; None of a model.
        believed: Expected rows by the columns' numbers, of a model.
        independent: Whether the model takes columns for independent.
    """

    def __init__(
        self,
        domain: Domain,
        distribution: Distribution | None = None,
        believed: Mapping[Place, Floats] | None = None,
        *,
        independent: bool = False,
    ) -> None:
        self.domain, self._believed = domain, believed or {}
        self._independent = independent
        self._codes: list[Codes] = []
        if distribution is not None:
            self._codes = split_cells(distribution.cells, domain.shape)
            self._weights = np.maximum(distribution.weights, 0)

    @classmethod
    def of(cls, result: Result) -> "Between":
        """What stands between the tables in a release."""
        if not isinstance(result.noisy, Modelled):
            return cls(result.plan.domain, result.distribution)
        alone = result.noisy.strategy is Strategy.INDEPENDENT
        return cls(result.plan.domain, believed=_believed(result.noisy, result), independent=alone)

    def shares(self, place: Place) -> Floats | None:
        """Shares of the cells of some columns; None where a model does not speak of them."""
        if self._codes:
            return _normal(table_of(self._codes, self.domain, place, self._weights))
        homes = [own for own in self._believed if set(place) <= set(own)]
        if not homes:
            return self._product(place) if self._independent else None
        own = min(homes, key=len)
        others = tuple(axis for axis, column in enumerate(own) if column not in place)
        return _normal(self._believed[own].sum(axis=others))

    def _product(self, place: Place) -> Floats | None:
        shares = np.ones(())
        for column in place:
            if (column,) not in self._believed:
                return None
            shares = np.multiply.outer(shares, _normal(self._believed[column,]))
        return shares


@dataclass(frozen=True, eq=False)
class Compared:
    """Real against synthetic; single tables are counted as they are asked for. PRIVATE.

    Attributes:
        domain: The declared columns.
        errors: Distances of all columns, pairs and triples.
        real, synthetic: Codes of the rows, one array a column.
        kept: Codes of the real rows that the release could use: at most so many of each person.
        between: The shares after the noise.
        table: The confidential table.
        result: The release.
    """

    domain: Domain
    errors: Comparison
    real: list[Codes]
    kept: list[Codes]
    synthetic: list[Codes]
    between: Between
    table: PrivateTable
    result: Result

    def __repr__(self) -> str:
        return "Compared(private)"

    def place(self, names: Names) -> Place:
        """The numbers of some columns, in their order."""
        return tuple(self.domain.names.index(name) for name in names)

    def pair(self, *names: str) -> tuple[Floats, Floats]:
        """Real and synthetic shares of the cells of some columns."""
        place = self.place(names)
        real, synthetic = (
            _normal(table_of(rows, self.domain, place)) for rows in (self.real, self.synthetic)
        )
        return real, synthetic

    def used(self, names: Names) -> Floats:
        """Shares of the cells of some columns in the real rows that the release could use."""
        return _normal(table_of(self.kept, self.domain, self.place(names)))

    def shares(self, name: str) -> tuple[tuple[str, ...], Floats, Floats]:
        """Cells of a column with their real and synthetic shares."""
        return self.domain[name].titles, *self.pair(name)

    def gap(self, first: str, second: str) -> Floats:
        """Synthetic minus real share of each pair of cells."""
        real, synthetic = self.pair(first, second)
        return synthetic - real

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of columns that were compared."""
        return [(names[0], names[1]) for names in self.errors.two_way.by_table]

    def matrix(self, pairs: Mapping[Names, float] | None = None) -> Floats:
        """(d, d) numbers of pairs; by default errors, with those of columns on the diagonal."""
        names = self.domain.names
        matrix = np.full((len(names), len(names)), np.nan)
        found = [self.errors.one_way.by_table, self.errors.two_way.by_table]
        for by_table in found if pairs is None else [pairs]:
            for table, value in by_table.items():
                i, j = names.index(table[0]), names.index(table[-1])
                matrix[i, j] = matrix[j, i] = value
        return matrix


def look(table: PrivateTable, result: Result) -> Compared:
    """Read the confidential table once more and compare it with a release.

    Raises:
        TableError: It cannot be read, or has no rows inside the domain.
    """
    domain, unit = result.plan.domain, result.plan.unit
    real, synthetic = codes(table, domain), result.synthetic.codes
    kept = codes(table, domain, unit) if unit.person else real
    errors = compare(domain, real, synthetic)
    return Compared(domain, errors, real, kept, synthetic, Between.of(result), table, result)


def _believed(modelled: Modelled, result: Result) -> Mapping[Place, Floats]:
    """What a model holds its columns and pairs to be; of an opened bundle it is worked out."""
    if modelled.believed:
        return modelled.believed
    choice, seed = result.plan.choice, int(result.certificate["drawing"]["seed"])
    rules = choice.check(modelled.domain)
    return believed(modelled, seed=seed, rules=rules, most_cells=choice.most_cells)


def table_of(
    rows: Sequence[Codes], domain: Domain, place: Place, weights: Floats | None = None
) -> Floats:
    """Rows by the cells of some columns, or the sum of their weights, in the columns' shape.

    >>> from synth.domain.domain import Categorical
    >>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y")) for n in "ab"))
    >>> table_of([np.array([0, 0, 1]), np.array([1, 1, 0])], domain, (0, 1)).tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    return marginal([rows[i] for i in place], [domain.shape[i] for i in place], weights)


def _normal(table: Floats) -> Floats:
    total = float(table.sum())
    return np.asarray(table / total) if total > 0 else np.full(table.shape, 1 / table.size)

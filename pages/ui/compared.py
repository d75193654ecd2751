"""A comparison with the rows' codes behind it. PRIVATE: it lives in the session alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pages.ui.draft import Release
from synth.counts import codes
from synth.domain import Domain
from synth.utility import Comparison, compare

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Compared:
    """Real against synthetic: the errors, and shares of single tables as they are asked for."""

    domain: Domain
    errors: Comparison
    real: list[npt.NDArray[Any]]
    synthetic: list[npt.NDArray[Any]]

    def __repr__(self) -> str:
        return "Compared(private)"

    def shares(self, name: str) -> tuple[tuple[str, ...], Floats, Floats]:
        """Cells of a column with their real and synthetic shares."""
        real, synthetic = (self._table(codes, (name,)) for codes in (self.real, self.synthetic))
        return self.domain[name].titles, real, synthetic

    def gap(self, first: str, second: str) -> Floats:
        """Synthetic minus real share of each pair of cells."""
        real, synthetic = (
            self._table(codes, (first, second)) for codes in (self.real, self.synthetic)
        )
        return synthetic - real

    def matrix(self) -> Floats:
        """(d, d) errors of pairs; on the diagonal those of single columns."""
        names = self.domain.names
        matrix = np.full((len(names), len(names)), np.nan)
        for found in (self.errors.one_way, self.errors.two_way):
            for table, value in found.by_table.items():
                i, j = names.index(table[0]), names.index(table[-1])
                matrix[i, j] = matrix[j, i] = value
        return matrix

    def _table(self, codes: list[npt.NDArray[Any]], names: tuple[str, ...]) -> Floats:
        places = [self.domain.names.index(name) for name in names]
        shape = tuple(self.domain.shape[i] for i in places)
        cells = np.ravel_multi_index(tuple(codes[i] for i in places), shape)
        counts = np.bincount(cells, minlength=int(np.prod(shape)))
        return (counts / counts.sum()).reshape(shape)


def look(release: Release) -> Compared:
    """Read the confidential table once more and compare it with a release."""
    assert release.source is not None
    domain = release.plan.domain
    real = codes(release.source.table, domain)
    synthetic = release.result.synthetic.codes
    return Compared(domain, compare(domain, real, synthetic), real, synthetic)

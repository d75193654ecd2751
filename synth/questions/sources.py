"""What a release says of a few columns together: noisy counts, or a model's. PUBLIC."""

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from synth.arrays import Floats
from synth.domain.domain import Domain
from synth.errors import QuestionError
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.noisy.record import Bar, Place, Record
from synth.questions.weighted import CellNoise, weighted_reach, weighted_size

MEASURED = "read off the noisy counts of a release"
MODEL = "assumed: rests on the model of a release, by the error it expects of these columns"


@dataclass(frozen=True, eq=False)
class Source:
    """Rows by the cells of some columns, as a release has them.

    Attributes:
        values: By cell, the first column being the slowest, shape (cells,).
        noise: Of every cell that was measured; None where a model says how many rows there are.
        each: Measured cells that a cell of these columns adds up.
        bar: Of the model: how far it is expected to be off.
        total: Rows that the table is believed to have.
    """

    values: Floats
    noise: CellNoise | None
    each: int = 1
    bar: Bar | None = None
    total: float = 0.0

    @property
    def remark(self) -> str:
        """Where it is from."""
        return MODEL if self.noise is None else MEASURED

    def reach(self, weights: Floats) -> float:
        """What the error of a weighted sum of cells stays within in 95 of 100 releases.

        A sum of a model is off by no more than its total variation times the range of the
        weights, of which cells that are not in it have 0.
        """
        if self.noise is not None:
            return weighted_reach(self.noise, weights, self.each)
        assert self.bar is not None
        return self.bar.reach * self.total * _range(weights)

    def size(self, weights: Floats) -> float:
        """The expected size of that error; of a model no more than the mean of its cells."""
        if self.noise is not None:
            return weighted_size(self.noise, weights, self.each)
        assert self.bar is not None
        counted = int(np.count_nonzero(weights))
        fewer = min(counted, max(1, len(self.values) - counted))
        part = min(1.0, 2 * fewer / len(self.values))
        return self.bar.expected * self.total * _range(weights) * part


def source_of(record: Record, place: Place) -> Source:
    """What a release says of some columns, given by number, ascending.

    The histogram that says it with the least noise; a model's word only where there is none.

    Raises:
        QuestionError: It says nothing of them together.
    """
    histogram = record.histogram
    if histogram is not None:
        if histogram.threshold is not None:
            _refuse(
                f"the release leaves out counts below {histogram.threshold:,}, so it has no sum"
            )
        noise: Mechanism = DiscreteLaplace(histogram.scale)
        whole = tuple(range(len(record.domain.columns)))
        return _summed(histogram.values.astype(np.float64), record.domain, whole, place, noise)
    found = [
        _summed(one.values.astype(np.float64), one.domain, clique, place, one.mechanism)
        for clique, one in record.measured
        if set(place) <= set(clique)
    ]
    if found:
        return min(found, key=lambda one: one.size(np.ones(1)))
    return _modelled(record, place)


def _modelled(record: Record, place: Place) -> Source:
    names = tuple(record.domain.names[column] for column in place)
    bars = [bar for bar in record.bars if set(bar.names) == set(names)]
    rows = record.expected(place) if bars else None
    if rows is None:
        _refuse(f"the release says nothing of {' and '.join(names)} together")
    return Source(rows.reshape(-1), None, 1, bars[0], record.total)


def _summed(
    values: Floats, domain: Domain, clique: Place, place: Place, noise: Mechanism
) -> Source:
    """A histogram added up over the columns that are not asked about."""
    assert isinstance(noise, DiscreteLaplace | DiscreteGaussian)
    others = tuple(axis for axis, column in enumerate(clique) if column not in place)
    found = values.reshape(domain.shape).sum(axis=others)
    return Source(found.reshape(-1), noise, domain.size // found.size)


def _range(weights: Floats) -> float:
    return float(max(0.0, weights.max(initial=0.0)) - min(0.0, weights.min(initial=0.0)))


def _refuse(why: str) -> NoReturn:
    raise QuestionError(why)

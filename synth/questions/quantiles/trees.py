"""Quantiles from one noisy tree over the values, all of a question at once. PUBLIC.

No public number of rows is needed. The rank of a chosen value is off by at most the largest
error of any excess D(v) = F(v) - p n.

>>> tree = ValueTree(
...     column="age",
...     tree=Hierarchy(cells=4, branching=4, root=True),
...     quantiles=(Fraction(1, 2),),
...     exact=True,
... )
>>> tree.estimates(tree.measure([np.array([1, 2, 3, 4])])).round(6).tolist()
[-4.0, -2.0, 1.0]
"""
# F(v) are the rows up to v, n all of them, and p is the quantile. Excesses are estimated by
# least squares from the noisy nodes, n too. The chosen value is the first whose excess, in
# ascending order, is at least 0, or the last value. Sorting moves no excess further from the
# true ones, as these ascend.

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import cast

import numpy as np

from synth import limits
from synth.noise import CellNoise, Mechanism, largest_normal
from synth.privacy import Guarantee, Neighbors, Unit
from synth.questions.quantiles.aims import quantiles_of, value_grid_of
from synth.questions.strategies.hierarchy import Hierarchy, best_hierarchy
from synth.questions.strategies.offered import tree_way
from synth.questions.strategies.pieces import finer_for
from synth.questions.way.strategy import Moves
from synth.questions.way.way import Way
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Tally
from synth.util import Document, Floats, Ints

# Excesses times values by which the branching of a tree is chosen.
_WORK = 1 << 18
# Excesses of a quantile that give its expected error; up to twice as many.
_SAMPLED_EXCESSES = 512
# Excesses in one step of the work.
_ROWS = 64
# Most excesses whose intervals under Laplace noise use the exact law, and not a bound.
_BY_LAW = 1 << 11
# Epsilon at which noise counts as continuous, so that the best tree is that of any budget.
_LITTLE = {True: Guarantee.pure(Fraction(1, 1000)), False: Guarantee.zcdp(Fraction(1, 10**6))}


@dataclass(frozen=True, kw_only=True)
class ValueTree:
    """A tree over the values of a column, and its excesses; see `CountStrategy`.

    ``exact``: whether any two values can be those of neighbours.
    """

    column: str
    tree: Hierarchy
    quantiles: tuple[Fraction, ...]
    exact: bool

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """None: rows are counted by value, outside the workload."""
        return ()

    @property
    def size(self) -> int:
        """Number of measured numbers."""
        return self.tree.size

    @property
    def moves(self) -> Moves:
        """How far a row moves them."""
        return self.tree.moves

    def describe(self, _: Sequence[str] = ()) -> list[Document]:
        """Return the parameters of the tree as JSON."""
        return [{"columns": [self.column], **self.tree.describe(), "weight": self.tree.grain}]

    def measure(self, counts: Sequence[Ints]) -> Ints:
        """Return the exact nodes of the tree, shape (size,)."""
        (counts_of_tree,) = counts
        return self.tree.measure(counts_of_tree)

    def estimates(self, noisy: Ints) -> Floats:
        """Return the excess of every value but the last, quantile by quantile."""
        ends = np.cumsum(self.tree.consistent(noisy))
        return np.concatenate([ends[:-1] - float(p) * ends[-1] for p in self.quantiles])

    def variances(self) -> Floats:
        """Return the variances of all excesses, as multiples of the noise's."""
        return self.some_variances(1)

    def some_variances(self, every: int) -> Floats:
        """Return the variances of every so many excesses, as multiples of the noise's."""
        variances, shared, total_variance, _ = _spreads(replace(self.tree, grain=1), every)
        excess_variances = [
            variances - 2 * p * shared + p * p * total_variance
            for p in map(float, self.quantiles)
        ]
        return np.maximum(np.concatenate(excess_variances), 0) / self.tree.grain**2

    @property
    def largest(self) -> Floats:
        """Upper bound for the size of the nodes' weights in each excess."""
        *_, largest = _spreads(replace(self.tree, grain=1), 1)
        return np.tile(largest, len(self.quantiles)) / self.tree.grain

    def halves(self, noise: CellNoise, level: float) -> Floats:
        """Return half widths of the intervals of the excesses, in rows."""
        return _halves(self, noise, level)

    def sizes(self, noise: CellNoise) -> Floats:
        """Return the expected sizes of the errors of the excesses, in rows."""
        return np.concatenate(
            [noise.number_law.mean_sizes(weights) for weights in self.weights()]
        )

    def weights(self) -> Iterator[Floats]:
        """Yield how much a step of noise on each node moves each excess, some of them at a
        time.
        """
        cells = self.tree.cells
        for quantile in self.quantiles:
            for start in range(0, cells - 1, _ROWS):
                places = np.arange(start, min(start + _ROWS, cells - 1))
                yield self.tree.weights(_sums(cells, places, quantile))


def _sums(cells: int, places: Ints, quantile: Fraction) -> Floats:
    return np.asarray((np.arange(cells) <= places[:, None]) - float(quantile))


@lru_cache(maxsize=32)
def _spreads(tree: Hierarchy, every: int) -> tuple[Floats, Floats, float, Floats]:
    """Return the noise of counts read off a tree, in units of one measured number's variance.

    Variances of the rows up to every ``every``-th value but the last, their covariances with
    all rows, the variance of these, and the largest weights of the excesses of any quantile.
    A weight is linear in the quantile, so it is largest at 0 or at 1.
    """
    total_weights = tree.weights(np.ones((1, tree.cells)))[0]
    variances = []
    shared = []
    largest = []
    places = np.arange(0, tree.cells - 1, every)
    for start in range(0, len(places), _ROWS):
        weights = tree.weights(_sums(tree.cells, places[start : start + _ROWS], Fraction(0)))
        variances.append((weights**2).sum(axis=1))
        shared.append(weights @ total_weights)
        largest.append(
            np.maximum(np.abs(weights), np.abs(weights - total_weights)).max(axis=1)
        )
    both = np.concatenate(variances), np.concatenate(shared)
    return *both, float(total_weights @ total_weights), np.concatenate(largest)


@lru_cache(maxsize=32)
def _halves(values: ValueTree, noise: CellNoise, level: float) -> Floats:
    """Return half the widths of the intervals of the counts that a tree answers."""
    squares = values.variances()
    law = noise.number_law
    if law.is_stable or len(squares) > _BY_LAW:
        return law.bounded_halves(squares, values.largest, values.size, level=level)
    return np.concatenate([law.half_widths(weights, level) for weights in values.weights()])


def tree_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the way to read quantiles off a tree, if there are not too many values.

    Nothing for an (epsilon, delta).
    """
    question = block.question
    if cost.delta or question.candidates:
        return
    cells = value_grid_of(question, block.workload.domain).intervals
    if not 2 <= cells <= limits.VALUE_STEPS:
        return
    neighbors = block.workload.neighbors
    unit = block.unit
    tree = _best_tree(
        cells, quantiles_of(question), neighbors, unit=unit, pure=cost.rho is None
    )
    values = value_tree(
        block, replace(tree, grain=finer_for(tree.moves, cost, neighbors, unit=unit))
    )
    yield from tree_way(values, block, cost, score=partial(expected_ranks, values))


def value_tree(block: Block, tree: Hierarchy) -> ValueTree:
    """Return a tree over the values of a block's question."""
    question = block.question
    (name,) = question.columns
    return ValueTree(
        column=name, tree=tree, quantiles=quantiles_of(question), exact=question.where is None
    )


def tree_of(block: Block, descriptions: Sequence[Document]) -> ValueTree | None:
    """Rebuild the tree of a block's question from its description; None if it is too large.

    Raises:
        ArgumentError: A number is wrong.
    """
    cells = value_grid_of(block.question, block.workload.domain).intervals
    if len(descriptions) != 1 or not 2 <= cells <= limits.VALUE_STEPS:
        return None
    branching, root, weight = (
        descriptions[0].get(name) for name in ("branching", "root", "weight")
    )
    tree = Hierarchy(
        cells=cells,
        branching=cast("int", branching),
        root=cast("bool", root),
        grain=cast("int", weight),
    )
    return value_tree(block, tree)


@lru_cache(maxsize=64)
def _best_tree(
    cells: int,
    quantiles: tuple[Fraction, ...],
    neighbors: Neighbors,
    *,
    unit: Unit,
    pure: bool,
) -> Hierarchy:
    """Return the tree that measures these quantiles best.

    The least mean variance of the excesses, for any budget.
    """
    tried_places = min(cells - 1, max(4, _WORK // cells // len(quantiles)))
    places = np.linspace(0, cells - 2, tried_places).round().astype(np.int64)
    sums = np.concatenate([_sums(cells, places, quantile) for quantile in quantiles])
    return best_hierarchy(sums, _LITTLE[pure], neighbors, unit=unit)


def expected_ranks(values: ValueTree, noise: Mechanism) -> float:
    """Return about an upper bound for the expected error of the worst quantile's rank."""
    # It is that of the largest error of all its excesses.
    every = max(1, values.tree.cells // _SAMPLED_EXCESSES)
    spreads = np.sqrt(values.some_variances(every) * noise.variance)
    spreads = spreads.reshape(len(values.quantiles), -1)
    worst = np.repeat(spreads[np.argmax((spreads**2).mean(axis=1))], every)
    return largest_normal(1.01 ** np.ceil(np.log(worst) / math.log(1.01)))

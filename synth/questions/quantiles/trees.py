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
_BRANCHING_WORK = 1 << 18
# Excesses of a quantile that give its average error; up to twice as many.
_SAMPLED_EXCESSES = 512
# Excesses in one step of the work.
_STEP_EXCESSES = 64
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
        """Return the estimated excess of every value but the last, one quantile after
        another.

        The excess of a value is the number of rows up to it, less the quantile's share of all
        rows. ``noisy`` holds the nodes of the tree, in steps.
        """
        rows_up_to = np.cumsum(self.tree.consistent(noisy))
        return np.concatenate(
            [rows_up_to[:-1] - float(p) * rows_up_to[-1] for p in self.quantiles]
        )

    def variances(self) -> Floats:
        """Return the variances of all excesses, as multiples of the noise's."""
        return self.some_variances(1)

    def some_variances(self, every: int) -> Floats:
        """Return the variances of the excesses of every so many values, one quantile after
        another.

        They are multiples of the noise's variance on one step. An excess is the rows up to a
        value, less the quantile's share of all rows.
        """
        # For steps of one row, so that trees of any grain share the stored result. The
        # variance of F - p n is Var F - 2 p Cov(F, n) + p^2 Var n.
        variances, shared, total_variance, _ = _spreads(replace(self.tree, grain=1), every)
        excess_variances = [
            variances - 2 * p * shared + p * p * total_variance
            for p in map(float, self.quantiles)
        ]
        return np.maximum(np.concatenate(excess_variances), 0) / self.tree.grain**2

    @property
    def largest(self) -> Floats:
        """Upper bounds of the size of the nodes' weights in each excess, in rows a step of
        noise.

        In the order of `estimates`. The excess of a value is the rows up to it, less the
        quantile's share of all rows.
        """
        *_, largest = _spreads(replace(self.tree, grain=1), 1)
        return np.tile(largest, len(self.quantiles)) / self.tree.grain

    def halves(self, noise: CellNoise, level: float) -> Floats:
        """Return half widths of the intervals of the excesses, in rows."""
        return _halves(self, noise, level)

    def sizes(self, noise: CellNoise) -> Floats:
        """Return the expected sizes of the errors of all excesses, in rows; see `estimates`.

        The excess of a value is the rows up to it, less the quantile's share of all rows.
        """
        return np.concatenate(
            [noise.number_law.mean_sizes(weights) for weights in self.weights()]
        )

    def weights(self) -> Iterator[Floats]:
        """Yield how much a step of noise on each node moves each excess, in rows.

        Each array has the shape (some values, nodes); all values of a quantile come before
        the next quantile. The excess of a value is the rows up to it, less the quantile's
        share of all rows.
        """
        cells = self.tree.cells
        for quantile in self.quantiles:
            for start in range(0, cells - 1, _STEP_EXCESSES):
                places = np.arange(start, min(start + _STEP_EXCESSES, cells - 1))
                yield self.tree.weights(_sums(cells, places, quantile))


def _sums(cells: int, places: Ints, quantile: Fraction) -> Floats:
    # How often each cell counts in the excess at each place, shape (places, cells): cells up
    # to the place once, and all cells minus the quantile.
    return np.asarray((np.arange(cells) <= places[:, None]) - float(quantile))


@lru_cache(maxsize=32)
def _spreads(tree: Hierarchy, every: int) -> tuple[Floats, Floats, float, Floats]:
    """Return the noise of numbers of rows that are read off a tree of one step a row.

    In units of the noise's variance on a step it returns: the variances of the rows up to
    every ``every``-th value but the last; their covariances with all rows; the variance of
    all rows. Last come the largest weights of a node in the excess of each of these values,
    for any quantile. Weights are linear in the quantile, so they are largest at 0 or at 1.
    """
    total_weights = tree.weights(np.ones((1, tree.cells)))[0]
    variances = []
    shared = []
    largest = []
    places = np.arange(0, tree.cells - 1, every)
    for start in range(0, len(places), _STEP_EXCESSES):
        # At quantile 0 an excess is the rows up to a value; at 1 it is that less all rows.
        weights = tree.weights(
            _sums(tree.cells, places[start : start + _STEP_EXCESSES], Fraction(0))
        )
        variances.append((weights**2).sum(axis=1))
        shared.append(weights @ total_weights)
        largest.append(
            np.maximum(np.abs(weights), np.abs(weights - total_weights)).max(axis=1)
        )
    both = np.concatenate(variances), np.concatenate(shared)
    return *both, float(total_weights @ total_weights), np.concatenate(largest)


@lru_cache(maxsize=32)
def _halves(values: ValueTree, noise: CellNoise, level: float) -> Floats:
    """Return half the widths of the intervals of all excesses of a tree, in rows.

    The excess of a value is the rows up to it, less the quantile's share of all rows.

    Args:
        values: The tree over the values, with its quantiles.
        noise: The noise on each node.
        level: The probability with which each interval holds the true excess.
    """
    squares = values.variances()
    law = noise.number_law
    # Sums of stable (Gaussian) noise have a law that follows from the variance alone. For
    # very many excesses of other noise a bound takes the place of the exact law.
    if law.is_stable or len(squares) > _BY_LAW:
        return law.bounded_halves(squares, values.largest, values.size, level=level)
    return np.concatenate([law.half_widths(weights, level) for weights in values.weights()])


def tree_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the way that reads quantiles off a noisy tree over the values of their column.

    Nothing is yielded for an (epsilon, delta), or if there are too many values.

    Args:
        block: The one question of quantiles; for other choices nothing is yielded.
        cost: The share of the budget that it may spend.
    """
    question = block.question
    if cost.delta or not question.kind.is_ranked:
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
    """Return the strategy that reads the quantiles of a block's question off this tree."""
    question = block.question
    (name,) = question.columns
    # A condition may exclude some pairs of values of neighbours.
    return ValueTree(
        column=name, tree=tree, quantiles=quantiles_of(question), exact=question.where is None
    )


def tree_of(block: Block, descriptions: Sequence[Document]) -> ValueTree | None:
    """Rebuild the tree of a block's question from its description; None if it cannot be
    built.

    That is so if the question has too many values, or if there is not exactly one
    description.

    Args:
        block: The one question of quantiles.
        descriptions: What `ValueTree.describe` returned.

    Raises:
        ArgumentError: A number is wrong.
    """
    cells = value_grid_of(block.question, block.workload.domain).intervals
    if len(descriptions) != 1 or not 2 <= cells <= limits.VALUE_STEPS:
        return None
    branching = descriptions[0].get("branching")
    root = descriptions[0].get("root")
    weight = descriptions[0].get("weight")
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
    """Return the tree that measures these quantiles best: with the least mean variance.

    The choice is the same for any budget.

    Args:
        cells: The number of values, which are the cells of the tree.
        quantiles: The quantiles, between 0 and 1.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is.
        pure: Whether the guarantee is a pure epsilon, and not a zCDP rho.
    """
    # For very many values a sample of at least 4 is enough to compare trees.
    # The work is bounded by the number of excesses times values.
    tried_places = min(cells - 1, max(4, _BRANCHING_WORK // cells // len(quantiles)))
    places = np.linspace(0, cells - 2, tried_places).round().astype(np.int64)
    sums = np.concatenate([_sums(cells, places, quantile) for quantile in quantiles])
    return best_hierarchy(sums, _LITTLE[pure], neighbors, unit=unit)


def expected_ranks(values: ValueTree, noise: Mechanism) -> float:
    """Return about an upper bound for the average error of the worst quantile's rank, in
    rows.

    It is the expected largest error of all excesses of that quantile. The excess of a value
    is the rows up to it, less the quantile's share of all rows.

    Args:
        values: The tree over the values, with its quantiles.
        noise: The noise on each node.
    """
    # A sample of the excesses, each of which stands for those up to the next one.
    stride = max(1, values.tree.cells // _SAMPLED_EXCESSES)
    deviations = np.sqrt(values.some_variances(stride) * noise.variance)
    deviations = deviations.reshape(len(values.quantiles), -1)
    worst_quantile = np.argmax((deviations**2).mean(axis=1))
    all_deviations = np.repeat(deviations[worst_quantile], stride)
    # Rounded up to powers of 1.01, so that few are distinct.
    powers = np.ceil(np.log(all_deviations) / math.log(1.01))
    return largest_normal(1.01**powers)

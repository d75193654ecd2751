"""Strategies on tiny universes, and how far rows of these move what they measure."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from synth.privacy import Neighbors
from synth.questions import Tally
from synth.questions.strategies.closed_form import ClosedForm
from synth.questions.strategies.fitted import FittedSums, fit_sums
from synth.questions.strategies.hierarchy import Hierarchy
from synth.questions.strategies.marginals import Residuals
from synth.questions.way.strategy import Moves
from synth.util import Ints

CELLS = 4


def tiny(neighbors: Neighbors) -> Iterator[tuple[Moves, Ints]]:
    """What strategies on 2 times 2 cells declare, and what a row of each cell adds; shape
    (cells, numbers)."""
    eye = np.eye(CELLS, dtype=np.int64)
    random = np.random.default_rng(5)
    for branching, root, grain in product((2, 3, 4), (True, False), (1, 5)):
        tree = Hierarchy(cells=CELLS, branching=branching, root=root, grain=grain)
        yield tree.moves, np.array([tree.measure(cell) for cell in eye])
    workloads = [random.integers(0, 2, (6, CELLS)) + eye[:1] for _ in range(4)]
    fits = [
        fit_sums(cell, sums, squared=sums % 2 == 0) for sums, cell in enumerate(workloads, 1)
    ]
    fits += [FittedSums(random.integers(1, 9, CELLS), random.integers(-5, 6, (3, CELLS)))]
    for fitted in fits:
        yield fitted.moves, np.array([fitted.measure(cell) for cell in eye])
    for tables in ([(0, 1)], [(0,), (1,)], [(0,), (0, 1)]):
        closed = ClosedForm.optimize(tables, (2, 2), neighbors)
        yield closed.moves()[0], residuals(closed, eye.reshape(CELLS, 2, 2))


def residuals(closed: ClosedForm, rows: Ints) -> Ints:
    """The residuals of tables of single rows, shape (rows, numbers)."""
    axes = range(rows.ndim - 1)
    parts = [closed.shape(subset_shape) for subset_shape in closed.subsets]
    empty = tuple(
        Tally(
            axes=(),
            classes=(),
            place=np.zeros(subset_shape, np.int64),
            size=int(np.prod(subset_shape)),
        )
        for subset_shape in parts
    )
    strategy = Residuals(closed, empty, ())
    return np.array(
        [
            strategy.measure(
                [
                    row.sum(axis=tuple(i for i in axes if i not in subset)).reshape(-1)
                    for subset in closed.subsets
                ]
            )
            for row in rows
        ]
    )

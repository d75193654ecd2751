"""The model whose marginals are closest to the measured ones.

It minimises sum_i |N mu_i - y_i|^2 / (2 s_i^2) over distributions with total N (McKenna,
Sheldon and Miklau 2019):

1. Iterative proportional fitting makes each marginal exact in turn: the answer for consistent
   marginals.
2. Mirror descent in the log potentials (their Algorithm 1) with Nesterov's momentum,
   restarted whenever the loss rises, balances contradictory ones.

Both treat only columns that are measured together with others. A column that is measured
alone, or not at all, is independent of the others, so the best fit is known: the nearest
counts with the total, which are not negative.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth.estimate.models.inference import Calibration, expand, marginals, project
from synth.estimate.models.junction import Clique, JunctionTree, junction_tree
from synth.estimate.models.junction_rows import draw_from_junction
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Codes, Floats, check_deadline

MIRROR_STEPS = 1_000
TOLERANCE = 1e-6
# On a tree of pairs two rounds are enough.
FITTING_SWEEPS = 20
# Fitting skips measured cells with fewer rows.
MIN_FITTED_ROWS = 1e-3


@dataclass(frozen=True, eq=False)
class Measurement:
    """A measured marginal.

    Attributes:
        values: Noisy counts, in the columns' shape.
        deviation: Standard deviation of the noise, in rows.
    """

    clique: Clique
    values: Floats
    deviation: float


@dataclass(frozen=True, eq=False)
class Model:
    """One distribution over all columns, stored as the marginals of a junction tree.

    Attributes:
        beliefs: Probabilities of its cliques, in the columns' shape.
    """

    tree: JunctionTree
    beliefs: list[Floats]

    def draw(self, rows: int, generator: np.random.Generator) -> Codes:
        """Draw codes, shape (rows, columns)."""
        return draw_from_junction(self.tree, self.beliefs, rows, generator=generator)


def fit(
    shape: Sequence[int],
    measurements: Sequence[Measurement],
    total: float,
    *,
    iterations: int = MIRROR_STEPS,
) -> Model:
    """Return the model whose marginals are closest to measured ones.

    Args:
        shape: Number of cells of every column.
        measurements: The measured marginals, no two of the same columns.
        total: Number of rows.
        iterations: Most steps of mirror descent.

    >>> m = Measurement((0,), np.array([30.0, 10.0]), 1.0)
    >>> [belief.round(2).tolist() for belief in fit((2, 2), [m], 40).beliefs]
    [[0.75, 0.25], [0.5, 0.5]]
    """
    tree = junction_tree(shape, [measurement.clique for measurement in measurements])
    linked_places = [place for place, clique in enumerate(tree.cliques) if len(clique) > 1]
    linked_columns = {column for place in linked_places for column in tree.cliques[place]}
    linked = [m for m in measurements if not linked_columns.isdisjoint(m.clique)]
    problem = MarginalFit(tree.restrict(linked_places), linked, total)
    flat = {clique: np.zeros_like(m.values) for clique, m in problem.targets.items()}
    potentials = _descend(problem, _proportional(problem, flat), iterations)
    beliefs = dict(zip(linked_places, problem.beliefs(potentials), strict=True))
    counts_by_clique = {m.clique: m.values for m in measurements}
    for place, clique in enumerate(tree.cliques):
        if place not in beliefs:
            (column,) = clique
            beliefs[place] = _fit_column(counts_by_clique.get(clique), shape[column], total)
    return Model(tree, [beliefs[place] for place in range(len(tree.cliques))])


def _fit_column(counts: Floats | None, size: int, total: float) -> Floats:
    """Return the probabilities of a column's cells that are nearest to its counts.

    Args:
        counts: Noisy counts of the column, shape (cells,); None if it was not measured, so
            that all cells are equally likely.
        size: Number of its cells.
        total: Number of rows.
    """
    if counts is None or total <= 0:
        return np.full(size, 1 / size)
    return project_to_simplex(counts, total) / total


# Log potentials by the columns of the measured marginals, in their shape.
Potentials = dict[Clique, Floats]


class MarginalFit:
    """The loss of a model: squared gaps to measured marginals, over their variances."""

    def __init__(
        self, tree: JunctionTree, measurements: Sequence[Measurement], total: float
    ) -> None:
        """Place each measured marginal in a clique of a junction tree that covers all.

        Args:
            tree: The junction tree.
            measurements: The measured marginals, no two of the same columns.
            total: Number of rows.
        """
        self.total = total
        self.targets = {measurement.clique: measurement for measurement in measurements}
        self.tree = tree
        # The position of the tree's clique that has all columns of a marginal, and by
        # position the marginals there. The tree covers every marginal, so none is left out.
        homes = ((clique, self.tree.home(clique)) for clique in self.targets)
        self.homes = {clique: home for clique, home in homes if home is not None}
        self.guests: list[list[Clique]] = [[] for _ in self.tree.cliques]
        for clique, home in self.homes.items():
            self.guests[home].append(clique)

    def beliefs(self, potentials: Potentials) -> list[Floats]:
        """Return the probabilities of the tree's cliques, in the columns' shapes."""
        arrays = [
            self.potential_at(potentials, home) for home in range(len(self.tree.cliques))
        ]
        return marginals(self.tree, arrays)

    def potential_at(self, potentials: Potentials, home: int) -> Floats:
        """Return the sum of the log potentials that are placed in one clique of the tree.

        Args:
            potentials: Log potentials of all measured marginals.
            home: Position of the tree's clique.

        Returns:
            The sum, with an axis for each column of the clique.
        """
        columns = self.tree.cliques[home]
        array = np.zeros([self.tree.shape[column] for column in columns])
        for clique in self.guests[home]:
            array += expand(potentials[clique], clique, columns)
        return array

    def expected(self, calibrated: Calibration, clique: Clique) -> Floats:
        """Return the expected rows of a measured marginal, in the columns' shape.

        Args:
            calibrated: The junction tree with its present log potentials.
            clique: Columns of the marginal.
        """
        home = self.homes[clique]
        belief = calibrated.belief(home)
        return project(belief, self.tree.cliques[home], clique) * self.total

    def gradient(self, potentials: Potentials) -> tuple[float, Potentials]:
        """Return the loss, and its gradient by the expected rows of each measured marginal.

        Mirror descent moves the log potentials, which have the same shapes, by that gradient.
        """
        beliefs = self.beliefs(potentials)
        loss = 0.0
        gradient = {}
        for clique, target in self.targets.items():
            home = self.homes[clique]  # the clique of the tree with all its columns
            expected = project(beliefs[home], self.tree.cliques[home], clique) * self.total
            gap = (expected - target.values) / target.deviation
            loss += float(np.vdot(gap, gap)) / 2
            gradient[clique] = gap / target.deviation
        return loss, gradient


def _proportional(problem: MarginalFit, potentials: Potentials) -> Potentials:
    """Return potentials nearer to the measured marginals, by iterative proportional fitting.

    It makes each marginal exact in turn, until a round no longer lowers the loss by a tenth.

    Args:
        problem: The loss, with the measured marginals.
        potentials: Log potentials to start from.
    """
    if not potentials:
        return potentials
    best = potentials
    least = problem.gradient(potentials)[0]
    for _ in range(FITTING_SWEEPS):
        current = dict(best)
        homes = range(len(problem.tree.cliques))
        starts = [problem.potential_at(current, home) for home in homes]
        calibrated = Calibration(problem.tree, starts)
        for clique, target in problem.targets.items():
            expected = problem.expected(calibrated, clique)
            wanted_rows = np.maximum(target.values, MIN_FITTED_ROWS)
            # The factor that makes the marginal exact; without expected rows it is 1.
            ratio = np.ones_like(wanted_rows)
            np.divide(wanted_rows, expected, out=ratio, where=expected > 0)
            current[clique] = current[clique] + np.log(ratio)
            home = problem.homes[clique]
            # Expected rows of later marginals in this round follow from the change.
            calibrated.change(home, problem.potential_at(current, home))
        loss = problem.gradient(current)[0]
        if loss >= 0.9 * least:
            return current if loss < least else best
        best = current
        least = loss
    return best


def _descend(problem: MarginalFit, potentials: Potentials, iterations: int) -> Potentials:
    """Return potentials of a smaller loss, by mirror descent with Nesterov's momentum.

    The step grows while it works and halves when it fails. It ends when ten steps lower the
    loss by less than `TOLERANCE` of it.

    Args:
        problem: The loss, with the measured marginals.
        potentials: Log potentials to start from.
        iterations: Most steps.
    """
    if not potentials:
        return potentials
    # The loss's curvature is about this times the rows. The first step is twice the inverse,
    # and halves if it is too long.
    sharpest = max(m.deviation**-2 for m in problem.targets.values())
    step = 2.0 / (max(problem.total, 1.0) * sharpest)
    momentum = 1.0
    loss, gradient = problem.gradient(potentials)
    ahead = potentials
    history = [loss]
    for _ in range(iterations):
        check_deadline()
        trial = {c: ahead[c] - step * gradient[c] for c in ahead}
        trial_loss, slope = problem.gradient(trial)
        if trial_loss > loss:
            # Too far: start again from the best potentials, without momentum.
            step /= 2
            momentum = 1.0
            ahead = potentials
            gradient = problem.gradient(ahead)[1]
            continue
        # Nesterov's sequence: from the new point a part of the last move is added.
        grown = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        lead = (momentum - 1) / grown
        ahead = {c: trial[c] + lead * (trial[c] - potentials[c]) for c in trial}
        gradient = problem.gradient(ahead)[1] if lead else slope
        potentials = trial
        loss = trial_loss
        momentum = grown
        step *= 1.1
        history.append(loss)
        if len(history) > 10 and history[-11] - loss < TOLERANCE * history[-11]:
            break
    return potentials

"""A door that knows both of two neighbouring tables, to watch a whole adaptive release.

Whatever a strategy asks, it asks of one table; `TwinDoor` lets the real door answer, and then
asks the same of the other table, all earlier answers being what they were. It gathers

- the largest change of every kind of query, against the one that was declared and paid for,
- the privacy loss of the answers that did come out: ln P(answers | mine) / P(answers |
other),
  by the laws that are claimed. Summed over the release, it is the best test of which table
  was used (Neyman, Pearson), so that an audit can do no better than to look at it.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from synth import estimate
from synth.door import Chosen, Door, Entry, Measured, Query
from synth.estimate import Evidence, Fitted, LargeRows, Method, Order
from synth.estimate.recipes.recipe import Recipe
from synth.estimate.repair.marginal import Estimate
from synth.noise import DiscreteLaplace, KNorm, Norm
from synth.privacy import OF_RANGE, ROW, Guarantee, Neighbors, Unit
from synth.privacy.gaussian_dp import noise_margin
from synth.private.counting import Counts
from synth.private.counting.counts import CodedRows
from synth.private.methods.session import Session
from synth.private.methods.strategies import follow
from tests.models import doors


class NoLedger:
    """Writes nothing: what the ledger does is tested elsewhere, and takes longer."""

    path = None
    has_repeats_only = False

    def paid(self, **_: Any) -> None:
        """Nothing was released before."""

    def spend(self, **content: Any) -> Entry:
        chosen = {
            name: content[name] for name in ("dataset", "guarantee", "neighbors", "purpose")
        }
        return Entry(number=1, time="", hash="", **chosen)


looking: list["Table"] = []
"""The neighbour, while exact answers are asked of it."""


class TwinCounts(Counts):
    """The counts of a table; and those of its neighbour while `looking` at it."""

    def dense(self) -> Any:
        if not looking:
            return super().dense()
        names = looking[0].domain.names
        counts_of_neighbour = looking[0].count(
            [names.index(name) for name in self.domain.names]
        )
        return Counts.dense(counts_of_neighbour)


class Table(CodedRows):
    """Rows whose histograms are counted once."""

    def count(self, columns: Any) -> Counts:
        counts_by_columns: dict[Any, Counts] = self.__dict__.setdefault("_kept", {})
        key = tuple(columns)
        if key not in counts_by_columns:
            counts = super().count(key)
            counts_by_columns[key] = TwinCounts(
                domain=counts.domain,
                cells=counts.cells,
                counts=counts.counts,
                rows=counts.rows,
                unit=counts.unit,
            )
        return counts_by_columns[key]


def of_both(query: Query, neighbour: Table) -> tuple[Any, Any]:
    """The exact answer to a query, and what it would be of another table."""
    mine = query.values()
    looking.append(neighbour)
    try:
        return mine, query.values()
    finally:
        looking.clear()


domain_of = cache(doors.make_domain)


def table_of(rows: Any, shape: tuple[int, ...], unit: Unit = ROW) -> Table:
    codes = np.asarray(rows, dtype=np.int32).reshape(-1, len(shape))
    return Table(
        domain=domain_of(shape),
        codes=[np.ascontiguousarray(column) for column in codes.T],
        rows=len(codes),
        unit=unit,
    )


@dataclass
class Watched:
    """What was seen of one release.

    Attributes:
        loss: ln P(answers | mine) / P(answers | other) by the claimed laws.
        epsilon: What the answers cost by the changes that were seen, summed as pure epsilon.
        rho: The same summed under Gaussian DP, by what discrete noise of each variance is
            worth.
        changes: For each kind of query the largest change, as a share of the declared one.
        chosen: The pairs chosen by their scores.
        best: For each choice, whether it was the best on mine, less whether on the other.
        values: The noisy counts and distances, one after the other.
        noises: The noise on each of them, and by how much the exact ones differ.
        choices: For each choice, the chances of all candidates on mine and on the other.
    """

    loss: float = 0.0
    epsilon: float = 0.0
    rho: float = 0.0
    changes: dict[str, float] = field(default_factory=dict)
    chosen: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    noises: list[tuple[Any, Any]] = field(default_factory=list)
    choices: list[tuple[Any, Any]] = field(default_factory=list)

    def cost(self, epsilon: float) -> None:
        self.epsilon += epsilon
        self.rho += 4 * float(OF_RANGE) * epsilon**2

    def forget(self, before: Measured, own_answer: Any, other_answer: Any) -> None:
        scale = before.mechanism.laplace_scale
        assert scale is not None
        epsilon = float(np.abs(own_answer - other_answer).sum() / scale)
        self.epsilon -= epsilon
        self.rho -= 4 * float(OF_RANGE) * epsilon**2
        self.loss -= loss_of_noise(before.mechanism, before.values, own_answer, other_answer)
        place = next(i for i, values in enumerate(self.values) if values is before.values)
        del self.values[place], self.noises[place]

    def changed(self, kind: str, change: Any, declared: Any) -> None:
        self.changes[kind] = max(self.changes.get(kind, 0.0), float(change) / declared)


class TwinDoor(Door):
    """The real door on one table, and what its answers say about the other one."""

    def __init__(self, neighbour: Table, **options: Any) -> None:
        super().__init__(ledger=NoLedger(), dataset="t", purpose="audit", **options)
        self.other, self.watched = neighbour, Watched()

    def _compare_losses(
        self, mechanism: Any, values: Any, own_answer: Any, other_answer: Any
    ) -> None:
        gap = np.abs(own_answer - other_answer)
        if isinstance(mechanism, DiscreteLaplace):
            self.watched.cost(float(gap.sum() / mechanism.scale))
        elif isinstance(mechanism, KNorm):
            assert mechanism.norm is Norm.MAX
            self.watched.cost(float(gap.max() / mechanism.scale))
        else:
            worth = mechanism.sigma2 - noise_margin(mechanism.sigma2)
            self.watched.rho += float((gap**2).sum() / (2 * worth))
        self.watched.loss += loss_of_noise(mechanism, values, own_answer, other_answer)
        self.watched.values.append(values)
        self.watched.noises.append((mechanism, gap))

    def measure(
        self, query: Query, mechanism: Any, claim: Guarantee | None = None
    ) -> Measured:
        measured = super().measure(query, mechanism, claim)
        own_answer, other_answer = of_both(query, self.other)
        self._changed(query, own_answer - other_answer)
        self._compare_losses(mechanism, measured.values, own_answer, other_answer)
        return measured

    def reduce_noise(self, query: Query, mechanism: DiscreteLaplace) -> Measured:
        """The newer answer takes the place of the older, which tells nothing more beside
        it.
        """
        before = self._answers[query]
        measured = super().reduce_noise(query, mechanism)
        own_answer, other_answer = of_both(query, self.other)
        self.watched.forget(before, own_answer, other_answer)
        self._compare_losses(mechanism, measured.values, own_answer, other_answer)
        return measured

    def _changed(self, query: Query, change: Any) -> None:
        """Every norm that noise is measured by, against the declared one."""
        gap, moves = np.abs(change), query.sensitivity
        self.watched.changed(f"{query.proof}, L1", gap.sum(), moves.l1)
        self.watched.changed(f"{query.proof}, squared L2", (gap**2).sum(), moves.squared_l2)
        self.watched.changed(f"{query.proof}, largest", gap.max(), moves.l_infinity)

    def choose(self, query: Query, cost: Guarantee) -> Chosen:
        chosen = super().choose(query, cost)
        own_scores, other_scores = of_both(query, self.other)
        self._changed(query, own_scores - other_scores)
        declared = query.sensitivity.l_infinity
        epsilon = float(cost.epsilon or float((cost.rho or 0) / OF_RANGE) ** 0.5)
        share = float(np.abs(own_scores - other_scores).max()) / declared
        if cost.rho is None:
            self.watched.cost(epsilon * share)
        else:
            self.watched.rho += (epsilon * share) ** 2 * float(OF_RANGE)
        index, chances = (
            chosen.index,
            [
                chances_of_choice(query, cost, candidate_scores)
                for candidate_scores in (own_scores, other_scores)
            ],
        )
        self.watched.loss += float(np.log(chances[0][index] / chances[1][index]))
        self.watched.choices.append((chances[0], chances[1]))
        self.watched.chosen.append(index)
        best = [int(scores[index] == scores.max()) for scores in (own_scores, other_scores)]
        self.watched.best.append(best[0] - best[1])
        return chosen


def loss_of_noise(mechanism: Any, values: Any, own_answer: Any, other_answer: Any) -> float:
    """ln P(values | mine) / P(values | other), by the exact answers and the law of the
    noise.
    """
    if isinstance(mechanism, DiscreteLaplace):
        return float(
            (np.abs(values - other_answer) - np.abs(values - own_answer)).sum()
            / mechanism.scale
        )
    if isinstance(mechanism, KNorm):
        kind = np.inf if mechanism.norm is Norm.MAX else 2
        norms = [
            math.ceil(np.linalg.norm(values - exact, kind))
            for exact in (other_answer, own_answer)
        ]
        return float((norms[0] - norms[1]) / mechanism.scale)
    squares = (values - other_answer).astype(float) ** 2 - (values - own_answer).astype(
        float
    ) ** 2
    return float(squares.sum() / (2 * float(mechanism.sigma2)))


def chances_of_choice(query: Query, cost: Guarantee, scores: Any, sizes: Any = None) -> Any:
    """Of every candidate, by the law that a door's choice has at that cost."""
    run_sizes = np.ones(len(scores), np.int64) if sizes is None else sizes
    per_square = OF_RANGE if cost.is_gaussian else Fraction(1, 8)
    rate = float(cost.epsilon or ((cost.rho or 0) / per_square) ** 0.5)
    rate /= (1 if query.monotone else 2) * query.sensitivity.l_infinity
    coins = np.exp(rate * (scores - scores.max()).astype(float))
    if cost.rho is not None:
        return np.repeat(coins / (coins * run_sizes).sum(), run_sizes)
    # A candidate's turn comes at a uniform time; it is taken if its coin falls right, and
    # those of none before it did. The integral over the time is exact for polynomials of
    # degree below 128.
    assert run_sizes.sum() <= 128
    nodes, weights = np.polynomial.legendre.leggauss(64)
    wrong = 1 - (nodes[:, None] + 1) / 2 * coins
    before = (wrong**run_sizes).prod(axis=1)[:, None] / wrong
    return np.repeat(coins * (weights[:, None] / 2 * before).sum(axis=0), run_sizes)


class NoJoiner:
    """In the place of `Together`, which only looks at what has left: every pair
    independent.
    """

    def __init__(self, evidence: Evidence, *_: Any) -> None:
        guesses = {pair: evidence.guess(pair) for pair in evidence.pairs}
        self.estimates = {pair: Estimate(guess, guess) for pair, guess in guesses.items()}

    def rows(self, *_: Any, **_options: Any) -> Any:
        return held(np.zeros((0, 1), dtype=np.int32))


def held(codes: Any) -> LargeRows:
    """Rows of these codes, of shape (rows, columns)."""
    return LargeRows(codes.T, (1,) * codes.shape[1], np.random.default_rng(0))


def no_rows(method: Recipe, *_: Any, **_generator: Any) -> Fitted:
    """In the place of `Recipe.draw`."""
    return Fitted(
        strategy=method.name,
        drawn=held(np.zeros((0, 1), dtype=np.int32)),
        estimates={},
        total=0.0,
    )


def cut_short(patch: pytest.MonkeyPatch, joiner: Any = NoJoiner, draw: Any = no_rows) -> None:
    """Leave out what methods make of answers that have left; what is asked is not changed."""
    patch.setattr(estimate, "Together", joiner)
    patch.setattr(Recipe, "draw", draw)


def watch(
    table: Table,
    neighbour: Table,
    strategy: Method,
    guarantee: Guarantee,
    neighbors: Neighbors,
    **options: Any,
) -> tuple[Watched, Session]:
    """One release of ``mine``, watched by whoever knows that it is ``mine`` or ``other``."""
    door = TwinDoor(neighbour, neighbors=neighbors, guarantee=guarantee, unit=table.unit)
    session = Session(table, door)
    follow(session, Order(strategy=strategy, **options), np.random.default_rng(0))
    return door.watched, session


def neighbours(
    rows: Any,
    neighbors: Neighbors,
    generator: np.random.Generator,
    shape: tuple[int, ...],
    unit: Unit = ROW,
) -> tuple[Table, Table]:
    """A table and a random neighbour of it.

    With a person column the first rows are one person's: half of the time as many alike as
    may be, which is the worst, else any number of any."""
    other_rows = [list(row) for row in rows[unit.max_rows :]]
    rows_before = [list(row) for row in rows[: unit.max_rows]]
    rows_after = [[int(generator.integers(size)) for size in shape] for _ in rows_before]
    if unit.person:
        rows_before, rows_after = (
            _person(rows, generator) for rows in (rows_before, rows_after)
        )
    if neighbors is Neighbors.ADD_REMOVE:
        rows_after = []
    return table_of([*rows_before, *other_rows], shape, unit), table_of(
        [*rows_after, *other_rows], shape, unit
    )


def _person(rows: list[list[int]], generator: np.random.Generator) -> list[list[int]]:
    alike = generator.random() < 0.5
    return rows[:1] * len(rows) if alike else rows[: generator.integers(len(rows) + 1)]

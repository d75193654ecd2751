"""Lower bounds of epsilon from guesses about many canaries at once.

A canary is a row whose presence a fair coin decides; under replace-one the coin decides which
of two rows is there. Whoever sees all that a release puts out, and knows every row but the
coins, guesses some of the coins and abstains from the others.

**Theorem** (Steinke, Nasr, Jagielski, "Privacy Auditing with One (1) Training Run", NeurIPS
2023, arXiv 2305.08846: Theorem 2.1 with delta = 0). If the release is epsilon-differentially
private, then, given which coins are guessed and how, the number of right guesses among r is
stochastically at most Binomial(r, e^epsilon / (1 + e^epsilon)).

*Proof.* Let S be the coins, T the guesses, a function of what is released, and t a value of
it. Given S_1, ..., S_(i-1) and T = t, the odds of S_i = s against S_i = -s are, by Bayes and
the fair coin, P(T = t | S_<i, S_i = s) / P(T = t | S_<i, S_i = -s). Both are means over the
same uniform later coins, and for each value of these the two tables are neighbours, so that
the ratio is at most e^epsilon. Each guess is thus right with probability at most e^epsilon /
(1 + e^epsilon) whatever was true of the earlier ones; adding up gives the claim.

*Both relations.* The proof needs nothing but that the two tables of one coin are neighbours:
under add-remove, with and without the canary; under replace-one, with one row of the pair and
with the other, the number of rows being the same. So the epsilon that is bounded is that of
the relation the coins were made for, and no factor of 2 comes in.

*Several releases.* Fresh coins and fresh noise: given all earlier releases the claim holds of
the next, so that right guesses and guesses may be added up into one binomial. The same
argument allows an attack whose thresholds were set by earlier releases.

*Delta.* Under (epsilon, delta) the probability is larger by at most 2 m delta alpha, with m
the number of all canaries and alpha = max_i P(v > Binomial >= v - i) / i (the same, Corollary
5.4 and the program of Appendix D).

The bound is the largest epsilon that the test rejects at level beta. It exceeds the true
epsilon with probability at most beta: by the exact binomial law, not by an approximation.

>>> round(Guesses(canaries=1000, made=100, right=75).at_least(0.05, delta=1e-4), 3)
0.673
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from synth.domain import Domain, Integer
from synth.door import Door
from synth.estimate import MarginalsRecord
from synth.noise import DiscreteLaplace, Mechanism
from synth.plans import Plan
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.private.counting import Counts
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import Order, follow
from synth.spending import synthesize
from tests.audit.twins import NoLedger
from tests.tables import write

Array = np.ndarray[Any, Any]
Clique = tuple[int, ...]


@dataclass(frozen=True)
class Guesses:
    """What came of guessing.

    Attributes:
        canaries: Coins that were thrown.
        made: Coins that were guessed.
        right: Right guesses.
    """

    canaries: int = 0
    made: int = 0
    right: int = 0

    def __add__(self, other: "Guesses") -> "Guesses":
        return Guesses(
            self.canaries + other.canaries, self.made + other.made, self.right + other.right
        )

    @cached_property
    def _ways(self) -> Array:
        """Logarithms of how many ways there are for 1, 2, ... fewer right guesses."""
        fewer = self.right - np.arange(1, self.right + 1)
        return -special.betaln(fewer + 1, self.made - fewer + 1) - math.log(self.made + 1)

    def p_value(self, epsilon: float, delta: float = 0.0) -> float:
        """Upper bound of the probability of so many right guesses, or more, under the
        claim.
        """
        if not self.right:
            return 1.0
        chance = 1 / (1 + math.exp(-epsilon))
        p = float(special.betainc(self.right, self.made - self.right + 1, chance))
        if delta:
            steps = np.arange(1, self.right + 1)
            wrong = self.made - self.right + steps
            odds = -epsilon * wrong - self.made * math.log1p(math.exp(-epsilon))
            below = np.cumsum(np.exp(self._ways + odds))
            p += 2 * self.canaries * delta * float((below / steps).max())
        return min(1.0, p)

    def at_least(self, beta: float, delta: float = 0.0) -> float:
        """A lower bound of epsilon that is wrong with probability at most ``beta``."""
        low, high = 0.0, 100.0
        if self.p_value(low, delta) >= beta:
            return 0.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if self.p_value(middle, delta) < beta else (low, middle)
            )
        return low


def guess(scores: Array, coins: Array, least: float) -> Guesses:
    """Guess the sign of every score that is at least so large, and abstain elsewhere.

    Args:
        scores: Log-likelihood ratios of heads against tails by the declared laws, shape (m,).
        coins: What was true, shape (m,).
        least: Set by public numbers before the release.
    """
    sure = np.abs(scores) >= least
    return Guesses(len(coins), int(sure.sum()), int(((scores > 0) == coins)[sure].sum()))


def log_ratio(counts: Array, mechanism: Mechanism, rows: int = 1) -> Array:
    """ln P(y | so many rows) / P(y | none) of noisy counts, by the declared law."""
    if isinstance(mechanism, DiscreteLaplace):
        return (np.abs(counts) - np.abs(counts - rows)) / float(mechanism.scale)
    return rows * (2 * counts - rows) / (2 * float(mechanism.sigma2))


@dataclass(frozen=True, eq=False)
class Released:
    """All noisy counts of some columns that a release put out.

    Attributes:
        columns: Their numbers, ascending.
        mechanism: The declared noise.
        values: The noisy counts.
        cells: What they are of, ascending; None stands for all cells.
        threshold: The least count that is listed, where not all are.
    """

    columns: Clique
    mechanism: Mechanism
    values: Array
    cells: Array | None = None
    threshold: int = 0

    def at(self, cells: Array) -> Array:
        """The noisy counts of some cells; just below the threshold where they are not
        listed.
        """
        if self.cells is None:
            return self.values[cells]
        places = np.minimum(np.searchsorted(self.cells, cells), len(self.cells) - 1)
        is_listed = self.cells[places] == cells
        return np.where(is_listed, self.values[places], self.threshold - 1)


@dataclass(frozen=True, eq=False)
class Field:
    """A table as an enemy would have it: rows that everybody knows, and canaries.

    Canaries have cells of their own wherever possible, so that none speaks through another.

    Attributes:
        shape: Cells of every column.
        heads: The row of each canary, shape (m, columns).
        tails: What stands in its place if the coin falls the other way, shape (m, columns);
            None where nothing does.
        known: Rows that everybody knows, shape (k, columns).
        unit: Whose rows a canary is; a person has all that may be used in one cell.
    """

    shape: tuple[int, ...]
    heads: Array
    tails: Array | None
    known: Array
    unit: Unit = ROW
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def neighbors(self) -> Neighbors:
        """The relation of two tables that differ in one coin."""
        return Neighbors.ADD_REMOVE if self.tails is None else Neighbors.REPLACE_ONE

    @cached_property
    def domain(self) -> Domain:
        """Columns of whole numbers, each a cell."""
        columns = (
            Integer(name=f"c{number}", minimum=0, maximum=size - 1, bins=size)
            for number, size in enumerate(self.shape)
        )
        return Domain(tuple(columns))

    def coins(self) -> Array:
        """Fair coins, one for each canary."""
        return np.random.default_rng().integers(0, 2, len(self.heads)).astype(bool)

    def planted(self, coins: Array) -> Array:
        """The canaries' rows as the coins fell, shape (rows, columns)."""
        if self.tails is None:
            return self.heads[coins]
        return np.where(coins[:, None], self.heads, self.tails)

    def cells(self, rows: Array, columns: Clique) -> Array:
        """The cells of rows in the histogram of some columns."""
        cells_of_rows = np.zeros(len(rows), np.int64)
        for column in columns:
            cells_of_rows = cells_of_rows * self.shape[column] + rows[:, column]
        return cells_of_rows

    def scores(self, released: Sequence[Released]) -> Array:
        """Log-likelihood ratio of every coin, summed over all that was released."""
        scores = np.zeros(len(self.heads))
        for histogram in released:
            for sign, cells, known_rows in self.places(histogram.columns):
                unexplained = (histogram.at(cells) - known_rows).astype(float)
                scores += sign * log_ratio(
                    unexplained, histogram.mechanism, self.unit.max_rows
                )
        return scores

    def places(self, columns: Clique) -> list[tuple[int, Array, Array]]:
        """Where a coin shows in a histogram: the sign, the cells, and the known rows in them.

        Nowhere, if canaries share cells.
        """
        if columns not in self.kept:
            rows = (
                [(1, self.heads)]
                if self.tails is None
                else [(1, self.heads), (-1, self.tails)]
            )
            cells = [(sign, self.cells(canary_rows, columns)) for sign, canary_rows in rows]
            together = np.concatenate([cells_of_side for _, cells_of_side in cells])
            shared = len(np.unique(together)) < len(together)
            known_cells, counts = self.counted(columns)
            counts, known_cells = np.append(counts, 0), np.append(known_cells, -1)

            def rows_in(wanted_cells: Array) -> Array:
                places = np.searchsorted(known_cells[:-1], wanted_cells)
                return np.where(known_cells[places] == wanted_cells, counts[places], 0)

            self.kept[columns] = [] if shared else [(s, c, rows_in(c)) for s, c in cells]
        places: list[tuple[int, Array, Array]] = self.kept[columns]
        return places

    def counted(self, columns: Clique) -> tuple[Array, Array]:
        """The occupied cells of the known rows, ascending, and how many are in each."""
        key = ("known", columns)
        if key not in self.kept:
            self.kept[key] = np.unique(self.cells(self.known, columns), return_counts=True)
        cells, counts = self.kept[key]
        return cells, counts


class PlantedRows:
    """The rows of a field as a session asks for them; the known ones are counted once."""

    unit = ROW

    def __init__(self, field: Field, coins: Array) -> None:
        self.domain, self._field, self._planted = field.domain, field, field.planted(coins)
        self.rows = len(field.known) + len(self._planted)

    def count(self, columns: Sequence[int]) -> Counts:
        """The histogram of some columns."""
        field, columns = self._field, tuple(columns)
        domain = field.kept.setdefault(
            ("domain", columns), field.domain.project(f"c{column}" for column in columns)
        )
        dense = np.bincount(field.cells(self._planted, columns), minlength=domain.size)
        cells, counts = field.counted(columns)
        dense[cells] += counts
        cells = np.flatnonzero(dense)
        return Counts(
            domain=domain, cells=cells, counts=dense[cells].astype(np.int64), rows=self.rows
        )


class OverError(Exception):
    """The budget is spent, so that all that follows only looks at what was released."""


def measured(
    field: Field, coins: Array, order: Order, guarantee: Guarantee
) -> list[Released]:
    """What a strategy lets out, up to its last payment."""
    door = Door(
        ledger=NoLedger(),
        dataset="t",
        neighbors=field.neighbors,
        guarantee=guarantee,
        purpose="audit",
    )

    def stop(_: str) -> None:
        if not session.left:
            raise OverError

    session = Session(PlantedRows(field, coins), door, task=ModelTask(progress=stop))
    try:
        follow(session, order, np.random.default_rng())
    except OverError:
        return [
            Released(c, noisy.mechanism, noisy.values)
            for c, noisy in session.evidence.measured
        ]
    message = "the strategy left some of its budget"
    raise AssertionError(message)


def synthesized(field: Field, coins: Array, plan: Plan, folder: Path) -> list[Released]:
    """What a whole release from a file lets out; persons there have a row more than is
    used.
    """
    header, rows = (
        list(field.domain.names),
        np.concatenate([field.known, field.planted(coins)]),
    )
    if field.unit.person:
        header, names = [*header, field.unit.person], np.arange(len(rows))[:, None]
        rows = np.repeat(
            np.concatenate([rows, names], axis=1), field.unit.max_rows + 1, axis=0
        )
    source = write(folder / "canaries.csv", header, rows.tolist())
    record = synthesize(plan, source).record
    if isinstance(record, MarginalsRecord):
        return [
            Released(clique, marginal.mechanism, marginal.values)
            for clique, marginal in record.measured
        ]
    noisy = record.histogram
    assert noisy is not None
    every, mechanism = tuple(range(len(field.shape))), DiscreteLaplace(noisy.scale)
    return [Released(every, mechanism, noisy.values, noisy.listed, noisy.threshold or 0)]


def rows_for(canaries: int, neighbors: Neighbors) -> int:
    """How many rows the coins of so many canaries choose from."""
    return canaries * neighbors.sensitivity


def planted(
    shape: tuple[int, ...],
    rows: Array,
    neighbors: Neighbors,
    known: Array | None = None,
    unit: Unit = ROW,
) -> Field:
    """A field of canaries: each row is one, or each two of them are."""
    none = np.zeros((0, len(shape)), np.int64)
    heads, tails = rows, None
    if neighbors is Neighbors.REPLACE_ONE:
        heads, tails = rows[0::2], rows[1::2]
    return Field(shape, heads, tails, none if known is None else known, unit)


def guessed(
    field: Field,
    release: Callable[[Field, Array], list[Released]],
    least: float,
    canaries: int,
) -> Guesses:
    """Guesses about at least so many canaries, in releases one after the other."""
    guesses = Guesses()
    while guesses.canaries < canaries:
        coins = field.coins()
        guesses += guess(field.scores(release(field, coins)), coins, least)
    return guesses

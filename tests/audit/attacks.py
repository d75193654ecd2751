"""Releases on the worst neighbours, through the door: what is seen, and the exact law of it.

The rows of a strategy say the same in all columns, so that one row more, or one in another's
place, moves every column, every pair and every distance by all that it may. Questions are put
to the two rows whose answers are farthest apart; choices to a few rows of two kinds."""

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from synth.domain import Categorical, Domain, Integer
from synth.door import Door, Query
from synth.estimate import (
    Account,
    MomentSum,
    Order,
    moment_noise,
    moment_queries,
    split_for_moments,
)
from synth.noise import DiscreteGaussian, KNorm, Norm
from synth.privacy import Guarantee, Neighbors
from synth.private.counting import AddedMoments, Engine, add_moments
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import follow
from synth.private.queries import AskedRows, asked_rows, choices, moment_sums, totals
from synth.private.table import open_any
from synth.questions import Inquiry, Portion, Way
from tests.audit.bounds import STEPS, Array, Law, added, claimed, law_of_noise, mixed
from tests.audit.canaries import OverError
from tests.audit.twins import (
    NoLedger,
    TwinDoor,
    Watched,
    chances_of_choice,
    loss_of_noise,
    table_of,
)
from tests.questions.plain import read_cell
from tests.questions.points import texts_of, vectors
from tests.questions.survey import SURVEY
from tests.tables import write

Asked = tuple[Query, Any, Any]
"""A query, its noise, None for a choice, and what it costs."""


class Attack:
    """Releases on either of two neighbours.

    Attributes:
        guarantee: What is claimed.
        neighbors: Of which neighbours.
        chooses: Whether nothing but choices is released.
    """

    chooses = False

    def __init__(self, guarantee: Guarantee, neighbors: Neighbors) -> None:
        self.guarantee, self.neighbors = guarantee, neighbors
        self.step = claimed(guarantee) / STEPS

    def run(self, which: int) -> float:
        """The loss in a release of mine (0), or of the other table (1)."""
        raise NotImplementedError

    @property
    def law(self) -> Law:
        """The law of the loss on mine."""
        raise NotImplementedError

    @property
    def parts(self) -> int:
        """How many measurements and choices there are."""
        raise NotImplementedError


class StrategyAttack(Attack):
    """A strategy on rows of four kinds."""

    SHAPE, CROWD = (4, 4, 4), 1_000

    def __init__(self, order: Order, guarantee: Guarantee, neighbors: Neighbors) -> None:
        super().__init__(guarantee, neighbors)
        rows = [[kind] * 3 for kind in range(4) for _ in range(self.CROWD)]
        other_row = [[1, 2, 3]] * (neighbors is Neighbors.REPLACE_ONE)
        self._tables = [
            table_of([*rows, *last_rows], self.SHAPE)
            for last_rows in ([[0, 0, 0]], other_row)
        ]
        self._order = order

    def watched(self, which: int) -> Watched:
        """What is seen of a release, up to the last payment."""
        mine, neighbour = self._tables[which], self._tables[1 - which]
        door = TwinDoor(neighbour, neighbors=self.neighbors, guarantee=self.guarantee)

        def stop(_: str) -> None:
            if not session.left:
                raise OverError

        session = Session(mine, door, task=ModelTask(progress=stop))
        with suppress(OverError):
            follow(session, self._order, np.random.default_rng())
        assert not session.left
        return door.watched

    def run(self, which: int) -> float:
        return (1, -1)[which] * self.watched(which).loss

    @cached_property
    def _some(self) -> list[Watched]:
        return [self.watched(0) for _ in range(8)]

    @cached_property
    def law(self) -> Law:
        """With the noise of eight releases; on such rows answers hardly ever change it."""
        return mixed(map(self._law_of, self._some))

    def _law_of(self, watched: Watched) -> Law:
        noises = [law_of_noise(noise, move, self.step) for noise, move in watched.noises]
        return added(
            [*noises, *(Law.of(np.log(a / b), a, self.step) for a, b in watched.choices)]
        )

    @property
    def parts(self) -> int:
        return len(self._some[0].noises) + len(self._some[0].choices)


class SumAttack(Attack):
    """Sums of numbers on a row at the end of its bins, and none or one at the other ends."""

    DOMAIN = Domain(
        (
            Integer(name="x", minimum=0, maximum=9, bins=1),
            Integer(name="y", minimum=0, maximum=9, bins=1),
            Categorical(name="g", categories=("a", "b")),
        )
    )

    def __init__(
        self, terms: Sequence[str], guarantee: Guarantee, neighbors: Neighbors
    ) -> None:
        super().__init__(guarantee, neighbors)
        self._account = Account(guarantee, neighbors)
        sums_by_query = moment_queries(terms, self.DOMAIN)
        costs = split_for_moments(self._account, self._account.total, sums_by_query)
        all_sums = [moment for moments in sums_by_query for moment in moments]
        other_rows = [["9", "0", "a"]] * (neighbors is Neighbors.REPLACE_ONE)
        added_ = [
            self._added([["4", "4", "b"], *last_row], all_sums)
            for last_row in ([["9", "9", "a"]], other_rows)
        ]
        self._asked = []
        for moments, cost in zip(sums_by_query, costs, strict=True):
            queries = [moment_sums(sums, moments, neighbors) for sums in added_]
            noise = moment_noise(self._account, cost, moments, values=queries[0].size)
            self._asked.append((queries, noise, self._account.claim(cost)))

    def _added(self, rows: list[list[str]], sums: Sequence[MomentSum]) -> AddedMoments:
        frame = pd.DataFrame(rows, columns=list(self.DOMAIN.names))
        return add_moments(open_any(frame), self.DOMAIN, sums)

    def run(self, which: int) -> float:
        door = Door(
            ledger=NoLedger(),  # type: ignore[arg-type]
            dataset="t",
            neighbors=self.neighbors,
            guarantee=self.guarantee,
            purpose="audit",
        )
        loss = 0.0
        for queries, noise, claim in self._asked:
            noisy = door.measure(queries[which], noise, claim).values
            loss += loss_of_noise(noise, noisy, *(query.values() for query in queries))
        return loss

    @cached_property
    def law(self) -> Law:
        gaps = (
            (noise, queries[0].values() - queries[1].values())
            for queries, noise, _ in self._asked
        )
        return added(law_of_noise(noise, gap, self.step) for noise, gap in gaps)

    @property
    def parts(self) -> int:
        return len(self._asked)


class QuestionAttack(Attack):
    """Questions to two tables of few rows.

    Args:
        asked: The questions.
        way: How they are answered.
        guarantee: What is claimed.
        neighbors: Of which neighbours.
        folder: Where tables are written.
        ends: For choices, the two kinds of rows.
    """

    def __init__(
        self,
        texts: Sequence[str],
        way: str | None,
        guarantee: Guarantee,
        neighbors: Neighbors,
        folder: Path,
        ends: tuple[list[str], list[str]] | None = None,
    ) -> None:
        super().__init__(guarantee, neighbors)
        questions = Inquiry.read(texts, SURVEY, guarantee, neighbors=neighbors).questions
        used = {name for question in questions for name in question.uses}
        domain = SURVEY.project(name for name in SURVEY.names if name in used)
        self._inquiry = Inquiry.read(texts, domain, guarantee, neighbors=neighbors, way=way)
        arrangement = self._inquiry.arrangement
        assert arrangement.spending is not None
        self._portions = [
            portion for portion in arrangement.portions if portion.way.joint is not None
        ]
        self._spent, self._folder = arrangement.spending, folder
        self.chooses = all(portion.way.mechanism is None for portion in self._portions)
        pairs = self._of_choices(*ends) if ends else [self._farthest()]
        self._asked, self._law = self._worst(pairs)
        self._known = [_known(queries) for queries in self._asked]

    @property
    def law(self) -> Law:
        return self._law

    @property
    def parts(self) -> int:
        return len(self._asked)

    @property
    def ways(self) -> list[str]:
        """How the questions are answered."""
        return list(dict.fromkeys(portion.way.name.value for portion in self._portions))

    @property
    def least_variance(self) -> float:
        """Of Gaussian noise; that of choices is said to be enough."""
        noises = [portion.way.mechanism for portion in self._portions]
        return min(
            (noise.variance for noise in noises if noise is not None), default=math.inf
        )

    def run(self, which: int) -> float:
        door = Door(
            ledger=NoLedger(),  # type: ignore[arg-type]
            dataset="t",
            neighbors=self.neighbors,
            guarantee=self._spent,
            purpose="audit",
        )
        loss = 0.0
        for queries, known_answers in zip(self._asked, self._known, strict=True):
            query, noise, cost = queries[which]
            if noise is None:
                loss += float(known_answers[door.choose(query, cost).index])
            else:
                loss += loss_of_noise(
                    noise, door.measure(query, noise, cost).values, *known_answers
                )
        return loss

    def _neighbours(
        self, base: list[Any], own_row: Any, other_row: Any
    ) -> tuple[list[Any], list[Any]]:
        replaced = self.neighbors is Neighbors.REPLACE_ONE
        return [*base, own_row], [*base, other_row] if replaced else base

    def _of_choices(self, first: list[str], second: list[str]) -> list[Any]:
        """A row of either kind, beside some of both."""
        bases = [[first] * i + [second] * j for i, j in product(range(2), repeat=2)]
        return [
            self._neighbours(base, *ends)
            for base in bases
            for ends in ((first, second), (second, first))
        ]

    def _farthest(self) -> Any:
        """The rows whose answers are farthest apart, by the norms of their noise."""
        workload, random = self._inquiry.workload, Random(0)
        texts = [texts_of(column) for column in workload.columns]
        rows = [[random.choice(column_texts) for column_texts in texts] for _ in range(400)]
        missing = workload.domain.missing_values
        points = [
            [
                read_cell(column.base, cell, missing)
                for column, cell in zip(workload.columns, row, strict=True)
            ]
            for row in rows
        ]
        losses: Any = sum(
            self._losses(portion.way, vectors(portion.block, portion.way, points))
            for portion in self._portions
        )
        first, second = np.unravel_index(int(losses.argmax()), losses.shape)
        return self._neighbours([], rows[first], rows[second])

    def _losses(self, way: Way, added: Array) -> Array:
        """Of every row against every other, or against none, at most, or mu^2 / 2.

        Of rows alike in this, few numbers that move far are seen best.
        """
        noise: Any = way.mechanism
        others = added if self.neighbors is Neighbors.REPLACE_ONE else 0 * added[:1]
        moved = 1e-9 * cdist(added, others, "hamming")
        if isinstance(noise, DiscreteGaussian):
            return (
                np.asarray(cdist(added, others, "sqeuclidean") / (2 * float(noise.sigma2)))
                - moved
            )
        norm = noise.norm if isinstance(noise, KNorm) else Norm.L1
        name = {Norm.L1: "cityblock", Norm.L2: "euclidean", Norm.MAX: "chebyshev"}[norm]
        return np.asarray(cdist(added, others, name) / float(noise.scale)) - moved

    def _worst(self, pairs: list[Any]) -> tuple[list[tuple[Asked, Asked]], Law]:
        """Of some pairs of tables the one that tells most."""
        candidates = []
        queries_of_rows: dict[str, list[Asked]] = {}
        for tables in pairs:
            for rows in tables:
                if str(rows) not in queries_of_rows:
                    queries_of_rows[str(rows)] = self._questions(rows)
            query_pairs = list(
                zip(*(queries_of_rows[str(rows)] for rows in tables), strict=True)
            )
            candidates.append(
                (
                    query_pairs,
                    added(_law_of(query_pair, self.step) for query_pair in query_pairs),
                )
            )
        return max(candidates, key=lambda candidate: self._told(candidate[1]))

    def _told(self, law: Law) -> float:
        pure = self.guarantee.epsilon is not None
        return law.allows(10_000, 0.01).epsilon if pure else -sum(law.errors)

    def _questions(self, rows: Any) -> list[Asked]:
        names = list(self._inquiry.domain.names)
        source = open_any(write(self._folder / "t.csv", names, rows))
        counted = asked_rows(self._inquiry, source, Engine.DUCKDB)
        return [query for portion in self._portions for query in _asked_of(counted, portion)]


def _asked_of(counted: AskedRows, portion: Portion) -> list[Asked]:
    way, block = portion.way, portion.block
    if way.mechanism is None:
        return [(query, None, cost) for query, cost in choices(counted, block, way)]
    return [(totals(counted, block, way), way.mechanism, way.cost)]


def _known(queries: tuple[Asked, Asked]) -> Any:
    """The exact answers of either; of a choice, the loss of every candidate."""
    if queries[0][1] is not None:
        return tuple(query.values() for query, *_ in queries)
    own_chances, other_chances = (
        chances_of_choice(q, cost, q.values(), q.sizes) for q, _, cost in queries
    )
    return np.log(own_chances / other_chances)


def _law_of(queries: tuple[Asked, Asked], step: float) -> Law:
    (query, noise, cost), known_answers = queries[0], _known(queries)
    if noise is not None:
        return law_of_noise(noise, known_answers[0] - known_answers[1], step)
    return Law.of(
        known_answers, chances_of_choice(query, cost, query.values(), query.sizes), step
    )

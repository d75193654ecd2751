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
from tests.questions.plain import held
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
        other = [[1, 2, 3]] * (neighbors is Neighbors.REPLACE_ONE)
        self._tables = [table_of([*rows, *more], self.SHAPE) for more in ([[0, 0, 0]], other)]
        self._order = order

    def watched(self, which: int) -> Watched:
        """What is seen of a release, up to the last payment."""
        mine, other = self._tables[which], self._tables[1 - which]
        door = TwinDoor(other, neighbors=self.neighbors, guarantee=self.guarantee)

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

    def _law_of(self, seen: Watched) -> Law:
        noises = [law_of_noise(noise, move, self.step) for noise, move in seen.noises]
        return added(
            [*noises, *(Law.of(np.log(a / b), a, self.step) for a, b in seen.choices)]
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
        asked = moment_queries(terms, self.DOMAIN)
        costs = split_for_moments(self._account, self._account.total, asked)
        whole = [one for what in asked for one in what]
        other = [["9", "0", "a"]] * (neighbors is Neighbors.REPLACE_ONE)
        added_ = [
            self._added([["4", "4", "b"], *own], whole) for own in ([["9", "9", "a"]], other)
        ]
        self._asked = []
        for what, cost in zip(asked, costs, strict=True):
            both = [moment_sums(one, what, neighbors) for one in added_]
            noise = moment_noise(self._account, cost, what, values=both[0].size)
            self._asked.append((both, noise, self._account.claim(cost)))

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
        for both, noise, claim in self._asked:
            seen = door.measure(both[which], noise, claim).values
            loss += loss_of_noise(noise, seen, *(query.values() for query in both))
        return loss

    @cached_property
    def law(self) -> Law:
        gaps = (
            (noise, both[0].values() - both[1].values()) for both, noise, _ in self._asked
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
        asked: Sequence[str],
        way: str | None,
        guarantee: Guarantee,
        neighbors: Neighbors,
        folder: Path,
        ends: tuple[list[str], list[str]] | None = None,
    ) -> None:
        super().__init__(guarantee, neighbors)
        whole = Inquiry.read(asked, SURVEY, guarantee, neighbors=neighbors).questions
        used = {name for question in whole for name in question.uses}
        domain = SURVEY.project(name for name in SURVEY.names if name in used)
        self._inquiry = Inquiry.read(asked, domain, guarantee, neighbors=neighbors, way=way)
        arrangement = self._inquiry.arrangement
        assert arrangement.spending is not None
        self._portions = [one for one in arrangement.portions if one.way.joint is not None]
        self._spent, self._folder = arrangement.spending, folder
        self.chooses = all(one.way.mechanism is None for one in self._portions)
        pairs = self._of_choices(*ends) if ends else [self._farthest()]
        self._asked, self._law = self._worst(pairs)
        self._known = [_known(both) for both in self._asked]

    @property
    def law(self) -> Law:
        return self._law

    @property
    def parts(self) -> int:
        return len(self._asked)

    @property
    def ways(self) -> list[str]:
        """How the questions are answered."""
        return list(dict.fromkeys(one.way.name.value for one in self._portions))

    @property
    def least_variance(self) -> float:
        """Of Gaussian noise; that of choices is said to be enough."""
        noises = [one.way.mechanism for one in self._portions]
        return min((n.variance for n in noises if n is not None), default=math.inf)

    def run(self, which: int) -> float:
        door = Door(
            ledger=NoLedger(),  # type: ignore[arg-type]
            dataset="t",
            neighbors=self.neighbors,
            guarantee=self._spent,
            purpose="audit",
        )
        loss = 0.0
        for both, known in zip(self._asked, self._known, strict=True):
            query, noise, cost = both[which]
            if noise is None:
                loss += float(known[door.choose(query, cost).index])
            else:
                loss += loss_of_noise(noise, door.measure(query, noise, cost).values, *known)
        return loss

    def _neighbours(
        self, base: list[Any], mine: Any, other: Any
    ) -> tuple[list[Any], list[Any]]:
        replaced = self.neighbors is Neighbors.REPLACE_ONE
        return [*base, mine], [*base, other] if replaced else base

    def _of_choices(self, one: list[str], other: list[str]) -> list[Any]:
        """A row of either kind, beside some of both."""
        bases = [[one] * i + [other] * j for i, j in product(range(2), repeat=2)]
        return [
            self._neighbours(base, *ends)
            for base in bases
            for ends in ((one, other), (other, one))
        ]

    def _farthest(self) -> Any:
        """The rows whose answers are farthest apart, by the norms of their noise."""
        workload, random = self._inquiry.workload, Random(0)
        texts = [texts_of(column) for column in workload.columns]
        rows = [[random.choice(one) for one in texts] for _ in range(400)]
        missing = workload.domain.missing_values
        points = [
            [
                held(c.base, cell, missing)
                for c, cell in zip(workload.columns, row, strict=True)
            ]
            for row in rows
        ]
        losses: Any = sum(
            self._losses(one.way, vectors(one.block, one.way, points))
            for one in self._portions
        )
        mine, other = np.unravel_index(int(losses.argmax()), losses.shape)
        return self._neighbours([], rows[mine], rows[other])

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
        found = []
        kept: dict[str, list[Asked]] = {}
        for tables in pairs:
            for rows in tables:
                if str(rows) not in kept:
                    kept[str(rows)] = self._questions(rows)
            both = list(zip(*(kept[str(rows)] for rows in tables), strict=True))
            found.append((both, added(_law_of(one, self.step) for one in both)))
        return max(found, key=lambda one: self._told(one[1]))

    def _told(self, law: Law) -> float:
        pure = self.guarantee.epsilon is not None
        return law.allows(10_000, 0.01).epsilon if pure else -sum(law.errors)

    def _questions(self, rows: Any) -> list[Asked]:
        names = list(self._inquiry.domain.names)
        source = open_any(write(self._folder / "t.csv", names, rows))
        counted = asked_rows(self._inquiry, source, Engine.DUCKDB)
        return [one for portion in self._portions for one in _asked_of(counted, portion)]


def _asked_of(counted: AskedRows, portion: Portion) -> list[Asked]:
    way, block = portion.way, portion.block
    if way.mechanism is None:
        return [(query, None, cost) for query, cost in choices(counted, block, way)]
    return [(totals(counted, block, way), way.mechanism, way.cost)]


def _known(both: tuple[Asked, Asked]) -> Any:
    """The exact answers of either; of a choice, the loss of every candidate."""
    if both[0][1] is not None:
        return tuple(query.values() for query, *_ in both)
    mine, other = (chances_of_choice(q, cost, q.values(), q.sizes) for q, _, cost in both)
    return np.log(mine / other)


def _law_of(both: tuple[Asked, Asked], step: float) -> Law:
    (query, noise, cost), known = both[0], _known(both)
    if noise is not None:
        return law_of_noise(noise, known[0] - known[1], step)
    return Law.of(known, chances_of_choice(query, cost, query.values(), query.sizes), step)

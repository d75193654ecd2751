"""THE ONE DOOR from private to public.

Every number that depends on a person's row leaves through a `Door`. It charges the ledger
for its whole guarantee when it is opened, before any noise is drawn, and then lets out no
more than was charged. What comes out may be shown, repaired, drawn from and published.

>>> from fractions import Fraction
>>> import numpy as np
>>> from synth.counts import Counts
>>> from synth.domain import Categorical, Domain
>>> from synth.ledger import Ledger
>>> from synth.noise.laplace import DiscreteLaplace
>>> from synth.accounting import zcdp_rho
>>> from synth.privacy import Guarantee, Neighbors
>>> domain = Domain((Categorical(name="sex", categories=("F", "M")),))
>>> counts = Counts(domain, np.array([0, 1]), np.array([40, 60]), 100)
>>> door = Door(ledger=Ledger(), dataset="survey", neighbors=Neighbors.REPLACE_ONE,
...             guarantee=Guarantee.pure(1), purpose="histogram")
>>> door.measure(counts, DiscreteLaplace.for_epsilon(1, sensitivity=2)).values.shape
(2,)
"""

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from synth.accounting import zcdp_rho
from synth.balance import Entry
from synth.cells import Cells, is_in
from synth.counts import Counts
from synth.errors import ReleaseError
from synth.ledger import Ledger
from synth.noise import bits
from synth.noise.base import Mechanism
from synth.noise.exceedances import exceedances
from synth.noise.exponential import exponential, permute_and_flip
from synth.noise.laplace import DiscreteLaplace
from synth.noisy import NoisyCounts, NoisyMarginal, least_listed
from synth.privacy import Guarantee, Neighbors

if TYPE_CHECKING:  # a histogram starts without them
    from synth.queries import Answer, Query

Arrays = dict[str, npt.NDArray[Any]]

GRID = 64
"""Distances are counted in 64ths of a row, so that they are integers."""


@dataclass(frozen=True, eq=False)
class Guess:
    """A PRIVATE histogram and a public guess of it, to be compared inside the door.

    Attributes:
        counts: The histogram.
        expected: Guessed rows of every cell, shape (counts.domain.size,).
    """

    counts: Counts
    expected: npt.NDArray[np.float64]

    def __repr__(self) -> str:
        return "Guess(private)"

    @property
    def distance(self) -> int:
        """L1 distance in units of ``1 / GRID`` rows, exact: only the guess is rounded."""
        expected = np.rint(np.clip(self.expected, 0, 1e12) * GRID).astype(np.int64)
        return int(np.abs(GRID * self.counts.dense() - expected).sum())


class Door:
    """One release's passage from private to public.

    Args:
        ledger: Where the spend is written, at once.
        dataset: The steward's name for the table.
        neighbors: The relation the guarantee is about.
        guarantee: The most that may be spent through this door.
        purpose: A few words for the ledger.
        person: The column that says whose row it is; empty where each row is a person.
        table: What the ledger's `fingerprint` says of the table.
        request: What, with the table, determines all that is measured through this door. Where
            both are given, the ledger keeps what is measured, and the same request gets the
            same values again and spends nothing.

    Attributes:
        entry: The spend.
        head: Hash of the ledger's newest event of this release.
        repeated: Whether the release was made before.

    Raises:
        LedgerError: The spend could not be written; nothing was drawn.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        dataset: str,
        neighbors: Neighbors,
        guarantee: Guarantee,
        purpose: str,
        person: str = "",
        table: str = "",
        request: str = "",
    ) -> None:
        self.neighbors = neighbors
        self.guarantee = guarantee
        self.spent: Guarantee | None = None
        self.entry: Entry = ledger.spend(
            dataset=dataset,
            guarantee=guarantee,
            neighbors=neighbors,
            purpose=purpose,
            person=person,
            table=table,
            request=request,
        )
        self.head = self.entry.hash
        self._keeper = ledger if table and request else None
        self._measured = 0
        self.repeated = bool(self._keeper and self._keeper.kept(self.entry, "1"))

    def measure(
        self, counts: Counts, mechanism: DiscreteLaplace, *, total: DiscreteLaplace | None = None
    ) -> NoisyCounts:
        """Release the histogram with noise on every cell, the empty ones included.

        Args:
            counts: The exact counts.
            mechanism: The noise of the cells.
            total: The noise of the number of rows, to be measured too where it is private.

        Raises:
            ReleaseError: The mechanisms cost more than is left of the door's guarantee.
        """
        cost = mechanism.guarantee(counts.sensitivity(self.neighbors))
        if total is not None:
            cost += total.guarantee(counts.unit.max_rows)
        self._pay(cost)
        threshold = least_listed(counts.domain.size, mechanism.scale)
        self._measured += 1
        measured = self._keep(
            str(self._measured), lambda: _measured(counts, mechanism, threshold, total)
        )
        values, listed, noisy_rows = (measured.get(n) for n in ("values", "cells", "rows"))
        if values is None or (listed is None) != (threshold is None):
            message = "The ledger keeps another form of this release; change the plan."
            raise ReleaseError(message)
        values.flags.writeable = False
        return NoisyCounts(
            counts.domain,
            values,
            mechanism.scale,
            self.neighbors,
            cost,
            counts.public_rows(self.neighbors),
            listed,
            threshold,
            None if noisy_rows is None else int(noisy_rows[0]),
        )

    def marginal(self, counts: Counts, mechanism: Mechanism) -> NoisyMarginal:
        """Release a small histogram with any noise on every cell.

        Raises:
            ReleaseError: The mechanism costs more than is left of the door's guarantee.
        """
        unit = counts.unit
        cost = _cost(mechanism, unit.sensitivity(self.neighbors), unit.squared(self.neighbors))
        self._pay(cost)
        name = "histogram of " + ", ".join(counts.domain.names)
        values = self._next(name, lambda: mechanism.release(counts.dense()))
        values.flags.writeable = False
        rows = counts.public_rows(self.neighbors)
        return NoisyMarginal(counts.domain, values, mechanism, cost, rows)

    def distances(self, guesses: Sequence[Guess], mechanism: Mechanism) -> npt.NDArray[np.int64]:
        """Release how far each guess is from its histogram, in L1, with noise on every one.

        Distances are counted in units of ``1 / GRID`` rows. One person moves each of them by at
        most the L1 sensitivity of a histogram, however the public guess is rounded: of m guesses,
        by m times that in L1 and m times its square in squared L2.

        Raises:
            ReleaseError: The mechanism costs more than is left of the door's guarantee.
        """
        each = GRID * guesses[0].counts.sensitivity(self.neighbors)
        self._pay(_cost(mechanism, each * len(guesses), each**2 * len(guesses)))
        exact = [guess.distance for guess in guesses]
        return self._next("distances", lambda: mechanism.release(np.array(exact)))

    def distance(self, guesses: Sequence[Guess], mechanism: DiscreteLaplace) -> int:
        """Release how far all guesses together are from their histograms, in L1, with noise.

        The sum is counted in units of ``1 / GRID`` rows. One person moves it by at most the L1
        sensitivity of a histogram, times the number of guesses. Each guess is asked for once.

        Raises:
            ReleaseError: The mechanism costs more than is left of the door's guarantee.
        """
        each = GRID * guesses[0].counts.sensitivity(self.neighbors)
        self._pay(mechanism.guarantee(each * len(guesses)))

        def draw() -> npt.NDArray[np.int64]:
            return mechanism.release(np.array([sum(guess.distance for guess in guesses)]))

        return int(self._next("distance", draw)[0])

    def worst(self, guesses: Sequence[Guess], *, allowed: Sequence[int], cost: Guarantee) -> int:
        """Choose a guess that is far from its histogram, after taking off what is ``allowed``.

        Permute-and-flip under a pure guarantee; under zCDP the exponential mechanism, whose
        epsilon costs epsilon^2 / 8 (Cesar, Rogers 2021, Lemma 3.2). Scores of neighbours
        differ by at most the L1 sensitivity of a histogram, in either direction.

        Args:
            guesses: The candidates; they and their number are public.
            allowed: Distance in rows that is taken off each.
            cost: What may be spent.

        Raises:
            ReleaseError: It costs more than is left of the door's guarantee.
        """
        self._pay(cost)
        scores = [g.distance - GRID * a for g, a in zip(guesses, allowed, strict=True)]
        each = GRID * guesses[0].counts.sensitivity(self.neighbors)

        def choose() -> int:
            if cost.epsilon is not None:
                return permute_and_flip(scores, epsilon=cost.epsilon, sensitivity=each)
            rate = _root(8 * (cost.rho or Fraction(0)))
            return exponential(scores, epsilon=rate, sensitivity=each)

        return int(self._next("choice", lambda: np.array([choose()]))[0])

    def answer(self, query: "Query", guarantee: Guarantee) -> "Answer":
        """Release a statistic for a part of the door's guarantee.

        Raises:
            ReleaseError: The part is more than is left, or the query is about other neighbors.
        """
        if query.neighbors is not self.neighbors:
            message = f"The query is about {query.neighbors}, this release about {self.neighbors}."
            raise ReleaseError(message)
        self._pay(guarantee)
        noise = query.mechanism(guarantee)
        return query.read(self._next("answer", lambda: noise.release(query.total)), guarantee)

    def _next(self, name: str, draw: Callable[[], npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
        """The next thing measured, which is what is kept under its number if anything is."""
        self._measured += 1
        kept = self._keep(str(self._measured), lambda: {"values": draw(), "name": np.array(name)})
        if str(kept.get("name")) != name:
            message = "The ledger keeps another form of this release; change the plan."
            raise ReleaseError(message)
        return kept["values"]

    def seed(self) -> int:
        """A fresh seed for drawing rows from what was measured; the same for the same request."""
        drawn = self._keep("seed", lambda: {"values": np.frombuffer(bits.bits(16), np.int64)})
        return int.from_bytes(drawn["values"].tobytes(), "big")

    def _keep(self, part: str, draw: Callable[[], Arrays]) -> Arrays:
        """What is kept under a name; where nothing is yet, what is drawn now.

        Only what is kept leaves, so that a release killed halfway may go on with fresh noise.
        """
        if self._keeper is None:
            return draw()
        payload, self.head = self._keeper.kept(self.entry, part) or self._keeper.keep(
            self.entry, part, _pack(draw())
        )
        return _unpack(payload)

    def _pay(self, cost: Guarantee) -> None:
        spent = cost if self.spent is None else self.spent + cost
        if not _within(spent, self.guarantee):
            message = f"This needs {cost}, more than is left of {self.guarantee}."
            raise ReleaseError(message)
        self.spent = spent


def _measured(
    counts: Counts,
    mechanism: DiscreteLaplace,
    threshold: int | None,
    total: DiscreteLaplace | None,
) -> Arrays:
    """Fresh noisy values, with the cells they belong to where not all are listed."""
    if threshold is None:
        measured = {"values": mechanism.release(counts.dense())}
    else:
        cells, values = _large(counts, mechanism, threshold)
        measured = {"cells": cells, "values": values}
    if total is not None:
        measured["rows"] = total.release(counts.counts.sum(keepdims=True))
    return measured


def _large(
    counts: Counts, mechanism: DiscreteLaplace, threshold: int
) -> tuple[Cells, npt.NDArray[np.int64]]:
    """The cells whose noisy counts reach the threshold, ascending, and those counts.

    Every cell gets independent noise. Whether that of a cell reaches the threshold is drawn
    for all cells at once; what was drawn for an occupied one is put aside, as it has noise of
    its own.
    """
    noisy = mechanism.release(counts.counts)
    kept = noisy >= threshold
    empty, noise = exceedances(counts.domain.shape, 1 / mechanism.scale, threshold)
    free = ~is_in(empty, counts.cells)
    cells = np.concatenate((counts.cells[kept], empty[free]))
    order = np.argsort(cells)
    return cells[order], np.concatenate((noisy[kept], noise[free]))[order]


def _cost(mechanism: Mechanism, sensitivity: int, squared: int) -> Guarantee:
    """What noise on integers costs that one person moves by so much in L1, and squared L2."""
    return mechanism.guarantee(sensitivity if isinstance(mechanism, DiscreteLaplace) else squared)


def _root(value: Fraction) -> Fraction:
    """The square root, rounded down to 60 binary digits after the point."""
    return Fraction(math.isqrt(value.numerator * 4**60 // value.denominator), 2**60)


def _within(spent: Guarantee, charged: Guarantee) -> bool:
    if spent.rho is not None and charged.epsilon is not None and charged.delta:
        return spent.rho <= zcdp_rho(charged.epsilon, charged.delta)
    if spent.epsilon is not None and charged.epsilon is not None:
        return spent.epsilon <= charged.epsilon and spent.delta <= charged.delta
    return spent.rho is not None and charged.rho is not None and spent.rho <= charged.rho


def _pack(measured: Arrays) -> bytes:
    """Arrays as compressed bytes, the values in the smallest type that holds them."""
    values = measured["values"]
    ends = np.array([values.min(initial=0), values.max(initial=0)])
    kind = next(k for k in ("<i1", "<i2", "<i4", "<i8") if (ends.astype(k) == ends).all())
    file = io.BytesIO()
    arrays: Any = {**measured, "values": values.astype(kind)}
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _unpack(payload: bytes) -> Arrays:
    with np.load(io.BytesIO(payload), allow_pickle=False) as file:
        measured = {name: file[name] for name in file.files}
    return {**measured, "values": measured["values"].astype(np.int64)}

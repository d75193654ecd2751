"""A utility score: one number about real and synthetic rows, bought and then PUBLIC.

The score is the mean total variation over all pairs of columns (of a table of one column, that
column's), measured with exact noise through the one door.

Let c be the real histogram of a pair, n the public number of rows the table stands for, and e the
synthetic histogram scaled to n, which is public. The score is the mean over m pairs of
|c - e| / (2 n), in L1. One unit changes each c by at most s in L1, s being the sensitivity of a
histogram: 2 k where a unit with k rows is replaced, k where it is added or removed. By the reverse
triangle inequality ||c - e| - |c' - e|| <= |c - c'| <= s for each pair, so that the sum of the m
distances moves by at most m s: that is its sensitivity, 64 m s in the 64ths of a row in which it
is counted. Discrete Laplace noise of scale 64 m s / epsilon makes the sum epsilon-differentially
private; on the score that is noise of scale s / (2 n epsilon).

>>> Score(pairs=15, noisy=2 * 64 * 15 * 2_000, rows=20_000, epsilon=Fraction(1, 20), sensitivity=2,
...       entry=4).error
0.1
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, NoReturn, overload

import numpy as np
import numpy.typing as npt

from synth.bundle import certificate_words
from synth.cells import Codes, split_cells
from synth.check import positive
from synth.counts import Counts
from synth.domain import Domain
from synth.draw import SyntheticTable
from synth.errors import ArgumentError, ReleaseError
from synth.ledger import Ledger
from synth.noise.laplace import DiscreteLaplace
from synth.privacy import Guarantee, Neighbors
from synth.queries import GRID, Guess, summed_distance
from synth.release import Door
from synth.utility import tables

SCORED_CELLS = 2_000_000
"""Pairs of more cells are left out of a score, by this public rule."""

REACH = 3
"""Laplace noise stays within so many scales in 95 of 100 cases (ln 20 = 2.996)."""


@dataclass(frozen=True)
class Score:
    """What was bought. PUBLIC.

    Attributes:
        pairs: Pairs of columns it is a mean over (1 for a table of one column).
        noisy: The sum of their L1 distances with noise, in 64ths of a row.
        rows: The public number of rows the table stands for.
        epsilon: What was paid.
        sensitivity: Of a histogram, in rows.
        entry: The spend in the ledger.
    """

    pairs: int
    noisy: int
    rows: int
    epsilon: Fraction
    sensitivity: int
    entry: int

    @property
    def error(self) -> float:
        """Mean total variation, noise included; it may fall below 0."""
        return self.noisy / (2 * GRID * self.pairs * self.rows)

    @property
    def reach(self) -> float:
        """How far the noise takes it, in 95 of 100 cases."""
        return reach(self.rows, self.epsilon, self.sensitivity)

    @property
    def k_marginal(self) -> float:
        """The k-marginal score, 1000 being perfect."""
        return 1000 * (1 - self.error)

    def to_json(self) -> dict[str, Any]:
        """The entry in a certificate."""
        return {
            "what": _what(self.pairs),
            "error": round(self.error, 6),
            "k_marginal": round(self.k_marginal, 2),
            "reach": round(self.reach, 6),
            "pairs": self.pairs,
            "rows": self.rows,
            "noisy_distance": self.noisy,
            "sensitivity": GRID * self.pairs * self.sensitivity,
            "scale": str(_mechanism(self.pairs, self.sensitivity, self.epsilon).scale),
            "epsilon": str(self.epsilon),
            "entry": self.entry,
        }


def reach(rows: float, epsilon: Fraction, sensitivity: int) -> float:
    """How far noise takes a score, in 95 of 100 cases, from public numbers.

    >>> reach(20_000, Fraction(1, 20), 2)
    0.003
    """
    positive(rows=rows)
    return REACH * sensitivity / (2 * rows * float(epsilon))


def buy(
    counts: Counts,
    synthetic: SyntheticTable,
    *,
    rows: int,
    epsilon: Fraction,
    neighbors: Neighbors,
    ledger: Ledger,
    dataset: str,
    table: str = "",
    release: str = "",
) -> Score:
    """Pay for a score. The spend is in the ledger before noise is drawn.

    Args:
        counts: The exact counts of the whole universe.
        synthetic: The synthetic rows.
        rows: The public number of rows the table stands for.
        epsilon: The price.
        neighbors: The relation of the guarantee.
        ledger: Where the spend is written.
        dataset: The steward's name for the table.
        table: What the ledger's `fingerprint` says of it.
        release: What determines the synthetic rows; the same score of the same rows is sold once.

    Raises:
        ArgumentError: There is nothing to compare, or epsilon is far too small; nothing is spent.
        LedgerError: It does not fit into the budget.
    """
    guesses = _Guesses(counts, synthetic, rows)
    if rows < 1 or not synthetic.rows or not len(guesses):
        message = "A score needs rows, and a column or pair of columns that is not too wide."
        raise ArgumentError(message)
    sensitivity = counts.sensitivity(neighbors)
    mechanism = _mechanism(len(guesses), sensitivity, epsilon)
    door = Door(
        ledger=ledger,
        dataset=dataset,
        neighbors=neighbors,
        guarantee=Guarantee.pure(epsilon),
        purpose=f"utility score: {_what(len(guesses))}",
        unit=counts.unit,
        table=table,
        request=release and f"score {epsilon} of {release}",
    )
    query = summed_distance(guesses, counts.unit, neighbors)
    noisy = int(door.measure(query, mechanism).values[0])
    return Score(len(guesses), noisy, rows, epsilon, sensitivity, door.entry.number)


def _mechanism(pairs: int, sensitivity: int, epsilon: Fraction) -> DiscreteLaplace:
    return DiscreteLaplace.for_epsilon(epsilon, sensitivity=GRID * pairs * sensitivity)


def _what(pairs: int) -> str:
    thing = "1 pair of columns" if pairs == 1 else f"{pairs:,} pairs of columns"
    return f"mean total variation of {thing}"


def _scored(domain: Domain) -> list[tuple[int, ...]]:
    """The pairs that are scored, or the one column; by public numbers."""
    chosen = tables(len(domain.columns), min(2, len(domain.columns)))
    return [t for t in chosen if np.prod([float(domain.shape[i]) for i in t]) <= SCORED_CELLS]


class _Guesses(Sequence[Guess]):
    """The pairs one at a time, so that they are never all in memory. PRIVATE."""

    def __init__(self, counts: Counts, synthetic: SyntheticTable, rows: int) -> None:
        self._counts, self._synthetic = counts, synthetic
        self._factor = rows / max(synthetic.rows, 1)
        self._places = _scored(counts.domain)
        self._codes = split_cells(counts.cells, counts.domain.shape)

    def __repr__(self) -> str:
        return "Guesses(private)"

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Guess: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Guess]: ...
    def __getitem__(self, index: int | slice) -> Guess | Sequence[Guess]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place, counts = self._places[index], self._counts
        domain = counts.domain.project(counts.domain.names[i] for i in place)
        real = _summed(self._codes, place, domain.shape, counts.counts)
        drawn = _summed(self._synthetic.codes, place, domain.shape)
        cells = np.flatnonzero(real)
        small = Counts(domain, cells, real[cells], counts.rows, counts.unit)
        return Guess(small, np.asarray(drawn * self._factor, dtype=np.float64))


def _summed(
    codes: Sequence[Codes],
    place: tuple[int, ...],
    shape: tuple[int, ...],
    counts: npt.NDArray[np.int64] | None = None,
) -> npt.NDArray[np.int64]:
    """Rows by the cells of some columns."""
    cells = np.zeros(len(codes[0]), dtype=np.int64)
    for i, size in zip(place, shape, strict=True):
        cells *= size
        cells += codes[i]
    summed = np.bincount(cells, counts, minlength=int(np.prod(shape)))
    return np.rint(summed).astype(np.int64)


def with_score(certificate: dict[str, Any], score: Score | dict[str, Any]) -> dict[str, Any]:
    """The certificate of the release and the score together: the guarantee is their sum."""
    entry = score.to_json() if isinstance(score, Score) else score
    scores = [*certificate.get("scores", []), entry]
    return {**_promising(certificate, Fraction(entry["epsilon"])), "scores": scores}


def without_scores(certificate: dict[str, Any], domain: Domain) -> dict[str, Any]:
    """The certificate of the release alone.

    Raises:
        ReleaseError: The scores are not what their numbers say, or the guarantee is not the sum.
    """
    if "scores" not in certificate:
        return certificate
    try:
        return _without_scores(certificate, len(_scored(domain)))
    except (KeyError, TypeError, ValueError, ZeroDivisionError, ArgumentError):
        _refuse("The certificate's scores do not have the published form.")


def check_paid(certificate: dict[str, Any], ledger: Ledger) -> None:
    """See that the ledger has the spend of every score.

    Raises:
        ReleaseError: It lacks one.
    """
    paid = {entry.number: entry.guarantee for entry in ledger.entries()}
    for score in certificate.get("scores", []):
        if paid.get(score["entry"]) != Guarantee.pure(Fraction(score["epsilon"])):
            _refuse("A utility score of the certificate is not recorded in this ledger.")


def _without_scores(certificate: dict[str, Any], pairs: int) -> dict[str, Any]:
    scores = certificate["scores"]
    paid = sum((Fraction(score["epsilon"]) for score in scores), Fraction(0))
    rest = {key: value for key, value in certificate.items() if key != "scores"}
    alone = _promising(rest, -paid)
    if reduce(with_score, scores, alone)["guarantee"] != certificate["guarantee"]:
        _refuse("The certificate's guarantee is not that of the release and its scores together.")
    neighbors, most = Neighbors(certificate["neighbors"]), certificate.get("max_rows", 1)
    for entry in scores:
        known = Score(
            entry["pairs"],
            entry["noisy_distance"],
            entry["rows"],
            Fraction(entry["epsilon"]),
            neighbors.sensitivity * most,
            entry["entry"],
        )
        if known.to_json() != entry or known.pairs != pairs:
            _refuse("A utility score of the certificate is not what its numbers give.")
    return alone


def _promising(certificate: dict[str, Any], more: Fraction) -> dict[str, Any]:
    """The certificate with a guarantee that costs so much more."""
    old = certificate["guarantee"]
    epsilon = Fraction(old["epsilon"]) + more
    _, _, statement = certificate_words(
        epsilon,
        Neighbors(certificate["neighbors"]),
        Fraction(old["delta"]),
        certificate["privacy_unit"],
    )
    return {**certificate, "guarantee": {**old, "epsilon": str(epsilon), "statement": statement}}


def _refuse(message: str) -> NoReturn:
    raise ReleaseError(message)

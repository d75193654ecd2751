"""A utility score: one number about real and synthetic rows, bought and then PUBLIC.

It is the mean total variation over all pairs of columns (or of the single column).

Let c be the real histogram of a pair, n the public number of rows of the table, and e the
synthetic histogram, scaled to n. The score is the mean over m pairs of |c - e| / (2 n), in
L1. One unit changes each c by at most s in L1, the sensitivity of a histogram. It is 2 k if a
unit with k rows is replaced, k if it is added or removed. So ||c - e| - |c' - e|| <= |c - c'|
<= s for each pair.

The sum of the m distances thus has sensitivity m s, or 64 m s in the counted 64ths of a row.
Discrete Laplace noise of scale 64 m s / epsilon makes it epsilon-differentially private. On
the score that is noise of scale s / (2 n epsilon)."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self, overload

import numpy as np
import numpy.typing as npt

from synth.bundle import (
    Result,
    ScoreRecord,
    SpendOfScore,
    noise_of,
    record_score,
    said_of,
    scored_pairs,
    with_score,
)
from synth.door import Ledger, note_standing
from synth.errors import ArgumentError
from synth.plans import ALONE
from synth.privacy import Guarantee, Neighbors, RowReading, Unit
from synth.private.counting import Counts, Engine, count
from synth.private.queries import Guess, summed_distance
from synth.private.table import TableLike, open_any
from synth.rows import SyntheticTable
from synth.spending.purchase import Purchase, SpendSetting
from synth.util import Codes, split_cells, sum_by_cell


@dataclass(frozen=True, kw_only=True)
class ScoreRequest:
    """A request for a release's score, paid once for the same rows.

    Attributes:
        dataset: The steward's name for the table.
        neighbors: The relation of the guarantee.
        unit: The protected unit.
        request: Text that determines the score: epsilon, the release and its rows.
    """

    dataset: str
    neighbors: Neighbors
    unit: Unit
    request: str

    def learn(self, _readings: Mapping[str, RowReading], _looked: Collection[str]) -> Self:
        """Return the request unchanged: neither the reading of rows nor looks alter it."""
        return self


@note_standing("the same call")  # errors then say what was spent
def add_score(
    result: Result,
    source: TableLike,
    epsilon: Fraction,
    *,
    ledger: Ledger,
    engine: str = Engine.DUCKDB,
) -> Result:
    """Buy a utility score of a release; its certificate then covers both.

    The score is the noisy mean total variation between real and synthetic pairs of columns.

    Args:
        result: The release.
        source: The confidential table in memory, or the path of its file.
        epsilon: What the score costs.
        ledger: It records the spend. A score that it has recorded already comes again.
        engine: The name of the engine that counts rows.

    Returns:
        The release with the score in its certificate.

    Raises:
        ArgumentError: There is nothing to compare, or epsilon is far too small; nothing is
            spent.
        LedgerError: The budget is too small.
        SynthError: The request is refused, in one sentence. The release stays unchanged.
    """
    plan = result.plan
    table = open_any(source, (*plan.domain.names, plan.unit.person))
    rows_digest = hashlib.sha256(np.stack(result.synthetic.codes).tobytes()).hexdigest()
    request = ScoreRequest(
        dataset=plan.dataset,
        neighbors=plan.neighbors,
        unit=plan.unit,
        request=f"score {epsilon} of {rows_digest} {plan.request}",
    )
    purchase = Purchase.begin(request, {ALONE: table}, setting=SpendSetting(ledger=ledger))
    counts = purchase.count(
        lambda: count(table, plan.domain, plan.unit, engine=engine),
        lambda counted: counted.rows,
    )
    public_rows = counts.public_rows(plan.neighbors)
    rows = round(result.record.total) if public_rows is None else public_rows
    score = buy(purchase, counts, result.synthetic, rows=rows, epsilon=epsilon)
    if score in result.certificate.scores:  # bought before, and found in the ledger
        return result
    return replace(result, certificate=with_score(result.certificate, score))


def buy(
    purchase: Purchase[ScoreRequest],
    counts: Counts,
    synthetic: SyntheticTable,
    *,
    rows: int,
    epsilon: Fraction,
) -> ScoreRecord:
    """Pay for a score, recorded in the ledger before noise is drawn.

    Raises the errors of `add_score`.

    Args:
        purchase: The spend that has begun.
        counts: The exact counts of all cells. PRIVATE.
        synthetic: The rows of the release.
        rows: The public number of rows of the table, or a noisy one.
        epsilon: What the score costs.
    """
    guesses = ScoreGuesses(counts, synthetic, rows)
    neighbors = purchase.spending.neighbors
    if rows < 1 or not synthetic.rows or not len(guesses):
        raise ArgumentError(
            "A score needs rows, and a column or pair of columns that is not too wide."
        )
    sensitivity = counts.sensitivity(neighbors)
    mechanism = noise_of(len(guesses), sensitivity, epsilon)
    door = purchase.open_door(
        Guarantee.pure(epsilon), f"utility score: {said_of(len(guesses))}"
    )
    query = summed_distance(guesses, counts.unit, neighbors)
    noisy = int(door.measure(query, mechanism).values[0])  # in 64ths of a row
    return record_score(
        len(guesses),
        noisy,
        rows,
        spend=SpendOfScore(epsilon=epsilon, sensitivity=sensitivity, entry=door.entry.number),
    )


class ScoreGuesses(Sequence[Guess]):
    """The pairs one at a time, so that they are never all in memory. PRIVATE."""

    def __init__(self, counts: Counts, synthetic: SyntheticTable, rows: int) -> None:
        """Compare exact counts to synthetic rows, scaled to the number of rows.

        Args:
            counts: The exact counts of all cells.
            synthetic: The rows of the release.
            rows: The public number of rows of the table, or a noisy one.
        """
        self._counts = counts
        self._synthetic = synthetic
        self._factor = rows / max(synthetic.rows, 1)
        self._places = scored_pairs(counts.domain)
        self._codes = split_cells(counts.cells, counts.domain.shape)

    def __repr__(self) -> str:
        """Show no count."""
        return "Guesses(private)"

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._places)

    if TYPE_CHECKING:  # the registry of overloads outlives what DuckDB has to free at the end

        @overload
        def __getitem__(self, index: int) -> Guess: ...
        @overload
        def __getitem__(self, index: slice) -> Sequence[Guess]: ...

    def __getitem__(self, index: int | slice) -> Guess | Sequence[Guess]:
        """Return the exact and the synthetic counts of one pair of columns, or of some pairs.

        The exact ones are of cells that are not empty. The synthetic ones are of all cells,
        flat, scaled to the number of rows of the table. PRIVATE.
        """
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = self._places[index]
        counts = self._counts
        domain = counts.domain.project(counts.domain.names[i] for i in place)
        real = _sum_cells(self._codes, place, domain.shape, counts=counts.counts)
        synthetic = _sum_cells(self._synthetic.codes, place, domain.shape)
        cells = np.flatnonzero(real)
        pair_counts = Counts(
            domain=domain, cells=cells, counts=real[cells], rows=counts.rows, unit=counts.unit
        )
        return Guess(pair_counts, np.asarray(synthetic * self._factor, dtype=np.float64))


def _sum_cells(
    codes: Sequence[Codes],
    place: tuple[int, ...],
    shape: tuple[int, ...],
    *,
    counts: npt.NDArray[np.int64] | None = None,
) -> npt.NDArray[np.int64]:
    """Return the number of rows in each cell of some columns, flat.

    Args:
        codes: For each column of the domain the cell of every row, or of every listed cell.
        place: The numbers of the columns to count by.
        shape: The number of cells of each column.
        counts: How many rows each listed cell has; None if entries of ``codes`` are rows.
    """
    summed = sum_by_cell([codes[i] for i in place], shape, counts)
    return np.rint(summed).astype(np.int64).ravel()

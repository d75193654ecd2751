"""A model's estimates, put together again from the public record of its release.

An opened bundle has the noisy counts of all marginals, the noisy distances of all pairs and the
seed of the drawing. What the model made of them follows.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np

from synth import limits
from synth.estimate.models.choice import Choice
from synth.estimate.models.choosing import Order, group_estimate
from synth.estimate.models.corrected_guess import recall
from synth.estimate.models.evidence import DISTANCES, Evidence
from synth.estimate.models.exact_columns import exact_columns
from synth.estimate.models.finishing import finish_rows
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import LargeRows, PartedRows, Place, enforce_large, here
from synth.estimate.models.names import STRATEGIES
from synth.estimate.models.pairwise import Together
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.record import MarginalsRecord
from synth.estimate.models.rules import Rules
from synth.estimate.noisy.counts import NoisyMarginal
from synth.util.arrays import Floats, SmallCodes


class Believed(Mapping[Clique, Floats]):
    """What `believed` finds, worked out when it is first needed. PUBLIC."""

    def __init__(self, work_out: Callable[[], Mapping[Clique, Floats]]) -> None:
        self._work_out = cache(work_out)

    def __getitem__(self, clique: Clique) -> Floats:
        return self._work_out()[clique]

    def __iter__(self) -> Iterator[Clique]:
        return iter(self._work_out())

    def __len__(self) -> int:
        return len(self._work_out())


def believed(
    record: MarginalsRecord,
    *,
    seed: int,
    rules: Rules | None = None,
    most_cells: int = limits.MODEL_CELLS,
    public: PublicGuess | None = None,
) -> dict[Clique, Floats]:
    """Expected rows by cell of every column and pair (or group) the model speaks of. PUBLIC.

    Args:
        record: What is public of the release.
        seed: Of the drawing.
        rules: What cannot be.
        most_cells: Of all pairs together, as the release had it.
        public: The public table that was the guess.

    Returns:
        For the numbers of these columns an array in their shape.
    """
    known = _known(record, rules, most_cells, public)
    if STRATEGIES[record.strategy].is_joint:
        found = record.measured[-1:] if STRATEGIES[record.strategy].whole else record.measured
        return {clique: group_estimate(known, clique, one).values for clique, one in found}
    known.repair_columns()
    if public is not None:
        recall(known, record.spends, record.strategy)
        known.total = record.total
        known.repair_columns()
    columns: dict[Clique, Floats] = {(i,): column for i, column in enumerate(known.columns)}
    return columns | _pairs(known, record, np.random.default_rng(seed))


def columns_again(
    record: MarginalsRecord, *, rules: Rules | None = None, most_cells: int = limits.MODEL_CELLS
) -> dict[int, Floats]:
    """The columns that rows of such a release have to the row, with no public table. PUBLIC.

    Args:
        record: What is public of the release.
        rules: What cannot be.
        most_cells: Of all pairs together, as the release had it.

    Returns:
        Expected rows by cell, shape (cells,), by the number of the column.
    """
    known, noisy = _to_finish(record, rules, most_cells)
    joint = STRATEGIES[record.strategy].is_joint
    estimates = {c: group_estimate(known, c, one) for c, one in noisy.items() if joint}
    return exact_columns(known, record.strategy, noisy, estimates)


def rows_again(
    choice: Choice,
    record: MarginalsRecord,
    rows: int | None,
    seed: np.random.Generator | int,
    *,
    rules: Rules | None = None,
) -> SmallCodes:
    """Rows as a release by this record would draw them, with no public table as its guess. PUBLIC.

    Args:
        choice: What the steward chose.
        record: What is public of a release; its noisy counts may be others.
        rows: How many; None for as many as the table has.
        seed: Of the drawing, or its source.
        rules: What `Choice.check` made of the choice's rules; by default it is asked again.

    Returns:
        Codes of shape (rows, columns).
    """
    drawn = parted_again(choice, record, rows, seed, rules=rules)
    assert isinstance(drawn, LargeRows)
    return drawn.codes.T


def parted_again(
    choice: Choice,
    record: MarginalsRecord,
    rows: int | None,
    seed: np.random.Generator | int,
    *,
    rules: Rules | None = None,
    place: Place = here,
) -> PartedRows:
    """The same where `place` holds them. PUBLIC."""
    rules = rules or choice.check(record.domain)
    known, noisy = _to_finish(record, rules, choice.most_cells)
    order = Order(record.strategy, rows, favour=choice.favour, place=place)
    generator = np.random.default_rng(seed)
    fitted = finish_rows(record.strategy, known, noisy, order, generator)
    return enforce_large(known, fitted.drawn, generator)


def _known(
    record: MarginalsRecord,
    rules: Rules | None,
    most_cells: int,
    public: PublicGuess | None = None,
) -> Evidence:
    """What came out of the door; columns are not yet repaired."""
    fresh = None if public is None else public.fresh()
    known = Evidence(record.domain, rules=rules, most_cells=most_cells, public=fresh)
    known.measured, known.total = list(record.measured), record.total
    return known


def _to_finish(
    record: MarginalsRecord, rules: Rules | None, most_cells: int
) -> tuple[Evidence, dict[Clique, NoisyMarginal]]:
    """What was known when all was measured, and the histograms that were to be joined."""
    known, traits = _known(record, rules, most_cells), STRATEGIES[record.strategy]
    known.repair_columns()
    if traits.is_joint:  # before the whole, a column said how many rows
        return known, dict(record.measured[-1:] if traits.whole else record.measured)
    pairs: dict[Clique, NoisyMarginal]
    pairs = {clique: one for clique, one in record.measured if len(clique) == 2}
    if traits.classes and pairs:
        _take_distances(known, record)
    return known, pairs


def _take_distances(known: Evidence, record: MarginalsRecord) -> None:
    paid = next(spend for spend in record.spends if spend.what == DISTANCES)
    assert paid.mechanism is not None
    known.take_distances(paid.values, paid.mechanism)


def _pairs(
    known: Evidence, record: MarginalsRecord, generator: np.random.Generator
) -> dict[Clique, Floats]:
    noisy: dict[Clique, NoisyMarginal] = {p: m for p, m in record.measured if len(p) == 2}
    if not STRATEGIES[record.strategy].classes:
        return {p: known.repaired(one, p, known.guess(p)).values for p, one in noisy.items()}
    if known.public is None:
        _take_distances(known, record)
    estimates = Together(known, noisy, generator).estimates
    return {pair: estimate.values for pair, estimate in estimates.items()}

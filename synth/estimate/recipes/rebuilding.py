"""A model's estimates and rows, rebuilt from its release's public record. PUBLIC.

Everything follows from the record and the seed of the drawing, so nothing is spent.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from synth.estimate.models.choosing import Fitted, Order
from synth.estimate.models.corrected_guess import recall
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import RowStore, place_here
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.rules import Rules
from synth.estimate.names import DISTANCES
from synth.estimate.noisy.record import (
    Bar,
)
from synth.estimate.recipes.choice import Choice
from synth.estimate.recipes.recipe import NoisyParts
from synth.estimate.recipes.record import MarginalsRecord, error_bars
from synth.estimate.recipes.registry import RECIPES
from synth.estimate.repair.marginal import Estimate
from synth.util import Floats, one_thread


class Believed(Mapping[Clique, Floats]):
    """The result of `rebuild`, computed at first use."""

    def __init__(self, work_out: Callable[[], Mapping[Clique, Floats]]) -> None:
        """Remember how to compute the expected rows."""
        self._work_out = cache(work_out)

    def __getitem__(self, clique: Clique) -> Floats:
        """Return the expected rows by cell of some columns."""
        return self._work_out()[clique]

    def __iter__(self) -> Iterator[Clique]:
        """Iterate over sets of columns."""
        return iter(self._work_out())

    def __len__(self) -> int:
        """Return the number of sets of columns."""
        return len(self._work_out())


@one_thread
def rebuild(
    record: MarginalsRecord,
    choice: Choice,
    *,
    seed: int,
    rules: Rules | None = None,
    public: PublicGuess | None = None,
) -> dict[Clique, Floats]:
    """Return expected rows by cell of every column and pair (or group), by column numbers.

    Args:
        record: The public part of a release.
        choice: The steward's choices about the model, as in the release.
        seed: Seed of the drawing, as in the release.
        rules: Rules of the release, if any.
        public: The public table that was the guess, if any.
    """
    evidence, noisy = _to_finish(record, choice, rules, public=public)
    recipe = RECIPES[record.strategy]
    generator = np.random.default_rng(seed)
    estimates = recipe.estimates(evidence, noisy, generator)
    expected_rows: dict[Clique, Floats] = {}
    # In a joint model the estimates have all columns, most as sums of wider histograms.
    if not recipe.is_joint:
        for number, column in enumerate(evidence.columns):
            expected_rows[number,] = column
    for clique, estimate in estimates.items():
        expected_rows[clique] = estimate.values
    return expected_rows


@one_thread
def columns_again(
    record: MarginalsRecord, choice: Choice, *, rules: Rules | None = None
) -> dict[int, Floats]:
    """Return expected rows of the columns that synthetic rows match exactly.

    For releases without a public table as their guess.

    Args:
        record: The public part of a release.
        choice: The steward's choices about the model, as in the release.
        rules: Rules of the release, if any.

    Returns:
        Expected rows by cell, shape (cells,), by column number.
    """
    evidence, noisy = _to_finish(record, choice, rules)
    recipe = RECIPES[record.strategy]
    estimates: dict[Clique, Estimate] = {}
    if recipe.is_joint:
        unused = np.random.default_rng(0)  # the repair of histograms draws nothing
        estimates = recipe.estimates(evidence, noisy, unused)
    return recipe.exact_columns(evidence, noisy, estimates)


@dataclass(frozen=True, kw_only=True)
class Redrawing:
    """How rows of a release are drawn once more.

    Attributes:
        rows: How many; None for as many as the table has.
        seed: Of the drawing.
        rules: The result of `Choice.check_model`, computed by default.
        place: Where many rows are held.
    """

    rows: int | None
    seed: np.random.Generator | int
    rules: Rules | None = None
    place: RowStore = place_here


def finish_again(choice: Choice, record: MarginalsRecord, redrawing: Redrawing) -> Fitted:
    """Draw rows as a release with this record would, without a public table as its guess.

    Args:
        choice: The steward's choices about the model.
        record: The public part of a release; its noisy counts may be others.
        redrawing: How many rows, by which seed, and where they are placed.
    """
    return _finish(choice, record, redrawing)[0]


def finish_with_bars(
    choice: Choice, record: MarginalsRecord, redrawing: Redrawing
) -> tuple[Fitted, tuple[Bar, ...]]:
    """Draw rows as `finish_again` does, and return error bars too.

    Args:
        choice: The steward's choices about the model.
        record: The public part of a release; its noisy counts may be others.
        redrawing: How many rows, by which seed, and where they are placed.

    Returns:
        The rows with the model's estimates; and the error bar of every pair in the model, the
        largest first.
    """
    fitted, evidence = _finish(choice, record, redrawing)
    return fitted, _bars_in_one_thread(evidence, fitted)


# In one thread, as sums in several threads are rounded otherwise.
_bars_in_one_thread = one_thread(error_bars)


@one_thread
def _finish(
    choice: Choice, record: MarginalsRecord, redrawing: Redrawing
) -> tuple[Fitted, Evidence]:
    """Return rows drawn from a record's noisy counts, and the evidence behind them.

    Arguments are those of `finish_again`. Rows obey the rules.
    """
    rules = redrawing.rules or choice.check_model(record.domain)
    evidence, noisy = _to_finish(record, choice, rules)
    order = Order(
        strategy=record.strategy,
        rows=redrawing.rows,
        favour=choice.favour,
        place=redrawing.place,
    )
    generator = np.random.default_rng(redrawing.seed)
    fitted = RECIPES[record.strategy].finish(evidence, noisy, order, generator=generator)
    fitted.drawn.enforce(evidence.rules)
    return fitted, evidence


def _to_finish(
    record: MarginalsRecord,
    choice: Choice,
    rules: Rules | None,
    *,
    public: PublicGuess | None = None,
) -> tuple[Evidence, NoisyParts]:
    """Return the evidence and the noisy histograms from which a release made its rows.

    Args:
        record: The public part of the release.
        choice: The steward's choices about the model.
        rules: The rules of the plan; None without any.
        public: The public table that was its guess, if any.
    """
    evidence = Evidence(
        record.domain,
        rules=rules,
        most_cells=choice.most_cells,
        public=public,
        histogram_repair=choice.repair,
    )
    evidence.measured = list(record.measured)
    evidence.total = record.total
    evidence.repair_columns()
    if public is not None:
        # It may drop the guess, and repairs columns as of an earlier moment.
        recall(evidence, record.spends, record.strategy)
        evidence.total = record.total
        evidence.repair_columns()
    recipe = RECIPES[record.strategy]
    noisy = recipe.pick_joined(record.measured)
    # Such a method pays for the distances of all pairs from independence, unless a public
    # table guesses pairs.
    if recipe.settles and noisy and not evidence.is_linked:
        paid = next(spend for spend in record.spends if spend.what == DISTANCES)
        assert paid.mechanism is not None
        evidence.take_distances(paid.values, paid.mechanism)
    return evidence, noisy

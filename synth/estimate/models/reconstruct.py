"""A model's estimates, rebuilt from the public record of its release.

An opened bundle has the noisy counts of all marginals, the noisy distances of all pairs and the
seed of the drawing. The model follows from these.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from synth import limits
from synth.estimate.models.choice import Choice
from synth.estimate.models.choosing import Fitted, Order
from synth.estimate.models.corrected_guess import recall
from synth.estimate.models.evidence import DISTANCES, Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import RowStore, enforce_large, place_here
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.record import MarginalsRecord
from synth.estimate.models.rules import Rules
from synth.estimate.recipes.recipe import NoisyParts
from synth.estimate.recipes.registry import RECIPES
from synth.util import Floats


class Believed(Mapping[Clique, Floats]):
    """The result of `rebuild`, computed at first use. PUBLIC."""

    def __init__(self, work_out: Callable[[], Mapping[Clique, Floats]]) -> None:
        self._work_out = cache(work_out)

    def __getitem__(self, clique: Clique) -> Floats:
        return self._work_out()[clique]

    def __iter__(self) -> Iterator[Clique]:
        return iter(self._work_out())

    def __len__(self) -> int:
        return len(self._work_out())


def rebuild(
    record: MarginalsRecord,
    *,
    seed: int,
    rules: Rules | None = None,
    most_cells: int = limits.MODEL_CELLS,
    public: PublicGuess | None = None,
) -> dict[Clique, Floats]:
    """Return expected rows by cell of every column and pair (or group) in the model. PUBLIC.

    Args:
        record: The public part of the release.
        seed: Seed of the drawing.
        rules: The rules.
        most_cells: Most cells of all pairs together, as in the release.
        public: The public table that was the guess.

    Returns:
        An array in the columns' shape, by the numbers of the columns.
    """
    known, noisy = _to_finish(record, rules, most_cells, public)
    recipe, generator = RECIPES[record.strategy], np.random.default_rng(seed)
    estimates = recipe.estimates(known, noisy, generator)
    columns = {} if recipe.is_joint else {(i,): column for i, column in enumerate(known.columns)}
    return columns | {clique: estimate.values for clique, estimate in estimates.items()}


def columns_again(
    record: MarginalsRecord, *, rules: Rules | None = None, most_cells: int = limits.MODEL_CELLS
) -> dict[int, Floats]:
    """Return the columns that rows of such a release have to the row, without a public table.
    PUBLIC.

    Args:
        record: The public part of the release.
        rules: The rules.
        most_cells: Most cells of all pairs together, as in the release.

    Returns:
        Expected rows by cell, shape (cells,), by the number of the column.
    """
    known, noisy = _to_finish(record, rules, most_cells)
    recipe = RECIPES[record.strategy]
    nothing = np.random.default_rng(0)  # a joint model starts nowhere
    estimates = recipe.estimates(known, noisy, nothing) if recipe.is_joint else {}
    return recipe.exact_columns(known, noisy, estimates)


def finish_again(
    choice: Choice,
    record: MarginalsRecord,
    rows: int | None,
    seed: np.random.Generator | int,
    *,
    rules: Rules | None = None,
    place: RowStore = place_here,
) -> Fitted:
    """Draw rows as a release with this record would, without a public table as its guess. PUBLIC.

    Args:
        choice: The steward's choices.
        record: The public part of a release; its noisy counts may be others.
        rows: How many; None for as many as the table has.
        seed: Seed of the drawing, or its source.
        rules: The result of `Choice.check_model`, computed by default.
        place: Where many rows are held.
    """
    rules = rules or choice.check_model(record.domain)
    known, noisy = _to_finish(record, rules, choice.most_cells)
    order = Order(record.strategy, rows, favour=choice.favour, place=place)
    generator = np.random.default_rng(seed)
    fitted = RECIPES[record.strategy].finish(known, noisy, order, generator)
    return replace(fitted, drawn=enforce_large(known, fitted.drawn, generator))


def _to_finish(
    record: MarginalsRecord, rules: Rules | None, most_cells: int, public: PublicGuess | None = None
) -> tuple[Evidence, NoisyParts]:
    """Return everything known after all measurements, and the histograms to join."""
    fresh = None if public is None else public.fresh()
    known = Evidence(record.domain, rules=rules, most_cells=most_cells, public=fresh)
    known.measured, known.total = list(record.measured), record.total
    known.repair_columns()
    if public is not None:
        recall(known, record.spends, record.strategy)
        known.total = record.total
        known.repair_columns()
    recipe = RECIPES[record.strategy]
    noisy = recipe.pick_joined(record.measured)
    if recipe.settles and noisy and known.public is None:
        paid = next(spend for spend in record.spends if spend.what == DISTANCES)
        assert paid.mechanism is not None
        known.take_distances(paid.values, paid.mechanism)
    return known, noisy

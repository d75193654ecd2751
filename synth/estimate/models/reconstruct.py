"""A model's estimates, rebuilt from its release's public record and the drawing's seed."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np

from synth import limits
from synth.estimate.models.choice import Choice
from synth.estimate.models.choosing import Fitted, Order
from synth.estimate.models.corrected_guess import recall
from synth.estimate.models.evidence import DISTANCES, Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import RowStore, place_here
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.record import MarginalsRecord
from synth.estimate.models.rules import Rules
from synth.estimate.recipes.recipe import NoisyParts
from synth.estimate.recipes.registry import RECIPES
from synth.util import Floats


class Believed(Mapping[Clique, Floats]):
    """The result of `rebuild`, computed at first use."""

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
    """Return expected rows by cell of every column and pair (or group), by column numbers.

    Args:
        most_cells: Most cells of all pairs together, as in the release.
        public: The public table that was the guess.
    """
    known, noisy = _to_finish(record, rules, most_cells, public)
    recipe, generator = RECIPES[record.strategy], np.random.default_rng(seed)
    estimates = recipe.estimates(known, noisy, generator)
    columns = {} if recipe.is_joint else {(i,): column for i, column in enumerate(known.columns)}
    return columns | {clique: estimate.values for clique, estimate in estimates.items()}


def columns_again(
    record: MarginalsRecord, *, rules: Rules | None = None, most_cells: int = limits.MODEL_CELLS
) -> dict[int, Floats]:
    """Return columns that rows match exactly without a public table, shape (cells,), by number."""
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
    """Draw rows as a release with this record would, without a public table as its guess.

    Args:
        record: The public part of a release; its noisy counts may be others.
        rows: How many; None for as many as the table has.
        rules: The result of `Choice.check_model`, computed by default.
        place: Where many rows are held.
    """
    rules = rules or choice.check_model(record.domain)
    known, noisy = _to_finish(record, rules, choice.most_cells)
    order = Order(record.strategy, rows, favour=choice.favour, place=place)
    generator = np.random.default_rng(seed)
    fitted = RECIPES[record.strategy].finish(known, noisy, order, generator)
    fitted.drawn.enforce(known.rules)
    return fitted


def _to_finish(
    record: MarginalsRecord, rules: Rules | None, most_cells: int, public: PublicGuess | None = None
) -> tuple[Evidence, NoisyParts]:
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
    if recipe.settles and noisy and not known.is_linked:
        paid = next(spend for spend in record.spends if spend.what == DISTANCES)
        assert paid.mechanism is not None
        known.take_distances(paid.values, paid.mechanism)
    return known, noisy

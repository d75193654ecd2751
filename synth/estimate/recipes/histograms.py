"""*dense* and *histogram*: all columns in one histogram, from which rows are drawn. PUBLIC.

By name, it is released alone (`synth.estimate.repair.histogram`). *auto* measures it as a
model's one group."""

from collections.abc import Mapping, Sequence
from functools import partial

from synth import limits
from synth.estimate.models.evidence import Evidence, NoisyMarginals
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.junction_rows import draw_from_table
from synth.estimate.models.large_rows import Draw
from synth.estimate.recipes.groups import Groups
from synth.estimate.recipes.recipe import NoisyParts
from synth.estimate.repair.marginal import Estimate


class Histogram(Groups):
    by_model = False
    is_whole = True
    takes_groups = False
    widest = 1

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        size = cells(shape, range(len(shape)))
        return super().seconds(shape, rows) + min(size, limits.DENSE_CELLS) / 4e6

    def pick_joined(self, measured: NoisyMarginals) -> NoisyParts:
        """Return the last measurement: a column before it may have measured the rows."""
        return dict(measured[-1:])

    def source(
        self, _evidence: Evidence, _noisy: NoisyParts, estimates: Mapping[Clique, Estimate]
    ) -> Draw:
        (estimate,) = estimates.values()
        return partial(draw_from_table, estimate.values)


DENSE = Histogram(
    name="dense",
    label="Histogram: every combination of all columns, for few columns",
    short="histogram",
    needs_all=True,
)
SPARSE = Histogram(
    name="histogram",
    label="Large histogram: of any size, only counts above a threshold are listed",
    short="large histogram",
    spread=DENSE.name,
    is_offered=False,
)

"""*groups*: each of the steward's groups of columns as one histogram, the others alone.
PUBLIC.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from synth.estimate.assumptions import ASSOCIATION
from synth.estimate.models.choosing import Fitted, Order, group_estimate
from synth.estimate.models.estimate import Measurement, fit
from synth.estimate.models.evidence import Evidence, NoisyMarginals, believed_total
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import Draw, place_rows
from synth.estimate.recipes.recipe import NoisyParts, Recipe
from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable
from synth.estimate.repair.marginal import Estimate
from synth.util import Floats


class Groups(Recipe):
    by_pairs = False
    is_joint = True
    takes_groups = True

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the errors: pairs inside a group are sums of its histogram."""
        cliques = with_others(table.shape, table.groups)
        columns = float(np.mean(list(table.expect_inside(cliques, 1).values())))
        inside, outside = (
            table.expect_inside(cliques, 2),
            math.hypot(ASSOCIATION, 2 * columns),
        )
        many = math.comb(len(table.shape), 2)
        pairs = (sum(inside.values()) + (many - len(inside)) * outside) / max(many, 1)
        return LikelyErrors(columns, pairs)

    def marginals(
        self, _shape: tuple[int, ...], _most_cells: int, groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        return groups

    def pick_joined(self, measured: NoisyMarginals) -> NoisyParts:
        return dict(measured)

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, _generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        return {
            clique: group_estimate(evidence, clique, one) for clique, one in noisy.items()
        }

    def draw(
        self,
        evidence: Evidence,
        noisy: NoisyParts,
        order: Order,
        generator: np.random.Generator,
    ) -> Fitted:
        evidence.total = believed_total(evidence.shape, evidence.measured)
        estimates = self.estimates(evidence, noisy, generator)
        drawn = place_rows(evidence, order.rows, generator, place=order.place)
        drawn.fill(range(len(evidence.shape)), self.source(evidence, noisy, estimates))
        return Fitted(
            strategy=self.name, drawn=drawn, estimates=estimates, total=evidence.total
        )

    def source(
        self, evidence: Evidence, noisy: NoisyParts, estimates: Mapping[Clique, Estimate]
    ) -> Draw:
        marginals = [
            Measurement(clique, one.values, float(noisy[clique].mechanism.variance ** 0.5))
            for clique, one in estimates.items()
        ]
        return fit(evidence.shape, marginals, evidence.total, iterations=200).draw

    def exact_columns(
        self, _evidence: Evidence, _noisy: NoisyParts, estimates: Mapping[Clique, Estimate]
    ) -> dict[int, Floats]:
        """Return each column's sums, from the first histogram that has it."""
        found: dict[int, Floats] = {}
        for clique, estimate in estimates.items():
            for axis, column in enumerate(clique):
                others = tuple(other for other in range(len(clique)) if other != axis)
                found.setdefault(column, np.asarray(estimate.values.sum(axis=others)))
        return found


GROUPS = Groups(
    name="groups",
    label="My groups: a histogram of each group of columns that I name",
    short="my groups",
    spread="one-shot",
    is_offered=False,
)


def with_others(shape: Sequence[int], groups: Sequence[Clique]) -> list[Clique]:
    """Return the groups, with every other column alone.

    >>> with_others((2, 3, 4), [(0, 2)])
    [(0, 2), (1,)]
    """
    grouped = {column for group in groups for column in group}
    return [*groups, *((column,) for column in range(len(shape)) if column not in grouped)]

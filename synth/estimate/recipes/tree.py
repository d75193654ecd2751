"""*tree*: columns, distances from independence, then pairs of a maximum spanning tree.
PUBLIC.

A junction tree joins them exactly (after MST, McKenna et al. 2021).
"""

from collections.abc import Sequence

from synth.estimate.models.evidence import Evidence
from synth.estimate.models.followers import measure_unexplained
from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe
from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable


class Tree(Recipe):
    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the errors: the strongest pairs are measured."""
        kept = round(len(table.sample_sizes) * (len(table.shape) - 1) / table.count)
        return table.split(open_pairs=max(1, kept))

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        return super().seconds(shape, rows) + rows * len(shape) / 1e6


TREE = Tree(
    name="tree", label="Tree of pairs: the strongest links only; fast", short="tree of pairs"
)


def spanning_pairs(evidence: Evidence) -> list[Clique]:
    """Choose pairs by falling distance that close no cycle (Kruskal).

    Pairs that follow from others come last. Of nearly equal columns, the one that explains
    others is measured."""
    part = list(range(len(evidence.shape)))
    chosen: list[Clique] = []
    apart = measure_unexplained(evidence)
    for a, b in sorted(
        evidence.pairs, key=lambda pair: (-apart[pair], -evidence.distances[pair])
    ):
        if part[a] != part[b]:
            chosen.append((a, b))
            part = [part[a] if p == part[b] else p for p in part]
    return chosen

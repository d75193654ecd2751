"""*tree*: columns; the distance of all pairs from independence; then the pairs of a maximum
spanning
tree, joined exactly by a junction tree (after MST, McKenna et al. 2021). PUBLIC.
"""

from collections.abc import Sequence

from synth.estimate.models.evidence import Evidence
from synth.estimate.models.followers import measure_unexplained
from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe
from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable

CARRIED = 0.25
"""Share of the other pairs' association that a tree of the strongest carries."""


class Tree(Recipe):
    """The strongest pairs that close no cycle."""

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the errors: only the strongest pairs are measured, and carry a part of the
        others.
        """
        kept = round(len(table.sample_sizes) * (len(table.shape) - 1) / table.count)
        return table.split(open_pairs=max(1, kept), carried=CARRIED)

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast the duration, including the join."""
        return super().seconds(shape, rows) + rows * len(shape) / 1e6


TREE = Tree("tree", "Tree of pairs: the strongest links only; fast", "tree of pairs")


def spanning_pairs(evidence: Evidence) -> list[Clique]:
    """Choose pairs by falling distance, unless they close a cycle (Kruskal).

    Pairs that follow from others come last. Of columns that are nearly the same, the one that
    explains others is measured, not any column far from independence.
    """
    part = list(range(len(evidence.shape)))
    chosen: list[Clique] = []
    apart = measure_unexplained(evidence)
    for a, b in sorted(evidence.pairs, key=lambda pair: (-apart[pair], -evidence.distances[pair])):
        if part[a] != part[b]:
            chosen.append((a, b))
            part = [part[a] if p == part[b] else p for p in part]
    return chosen

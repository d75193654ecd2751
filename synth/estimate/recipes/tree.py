"""*tree*: the strongest links only, as a spanning tree of pairs. PUBLIC.

What the method does::

    measure   columns, with a first share of the budget;
              the distance of every pair from independence;
              the pairs of a maximum spanning tree of these distances (`spanning_pairs`),
              and the columns once more, with the rest
    rows      repair the columns to one total, and each pair around independence;
              join columns and pairs by a junction tree, which is exact for a tree of pairs;
              draw rows from it, and change cells until each column has its repaired counts
    forecast  as many of the strongest pairs of a usual table are measured

Measured by `synth.private.methods.measurements.measure_tree`; rows come of `Recipe.draw`.

Source: McKenna, Miklau and Sheldon (2021), *Winning the NIST contest*, MST.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe

if TYPE_CHECKING:
    from synth.estimate.models.evidence import Evidence
    from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable


class Tree(Recipe):
    """The method that measures the pairs of a spanning tree."""

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the mean errors of columns and pairs, if the strongest pairs are measured.

        Args:
            table: A usual table, with power-law columns and assumed associations.
        """
        # A tree of n columns has n - 1 edges, each of which is a measured pair. The table has
        # a sample of its pairs only, of which the same share is measured.
        tree_edges = len(table.shape) - 1
        measured_share = tree_edges / table.count
        open_pairs = round(len(table.sample_sizes) * measured_share)
        return table.split(open_pairs=max(1, open_pairs))

    def expect_pairs(self, table: UsualTable) -> int:
        """Return the number of pairs of a tree of all columns."""
        return len(table.shape) - 1

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast the seconds, with the drawing from the tree.

        Args:
            shape: Number of cells of every column.
            rows: Number of rows.
        """
        # About a million values (rows times columns) are drawn in a second.
        return super().seconds(shape, rows) + rows * len(shape) / 1e6


TREE = Tree(name="tree", title="Tree of pairs", effect="the strongest relations only; fast")


def spanning_pairs(evidence: Evidence) -> list[Clique]:
    """Return the pairs of a maximum spanning tree of distances (Kruskal's algorithm).

    Pairs are taken by falling distance, unless they close a cycle. The distance is from what
    is expected without measuring the pair; pairs that follow from others so come last.

    Args:
        evidence: What was measured so far, with the distances of all pairs.
    """
    from synth.estimate.models.followers import measure_unexplained

    unexplained = measure_unexplained(evidence)

    def weakest_last(pair: Clique) -> tuple[float, float]:
        """Return the sort key: what is unexplained, then the distance from independence."""
        return -unexplained[pair], -evidence.distances[pair]

    # Which component of the growing forest each column is in.
    component = list(range(len(evidence.shape)))
    chosen: list[Clique] = []
    for a, b in sorted(evidence.pairs, key=weakest_last):
        if component[a] != component[b]:
            chosen.append((a, b))
            joined = component[a]
            absorbed = component[b]
            component = [joined if label == absorbed else label for label in component]
    return chosen

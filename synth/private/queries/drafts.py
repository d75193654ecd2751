"""Queries about single columns, before they are declared, for drafts.

The page of its name in ``docs/proofs`` proves each function. ``tests/audit/test_proofs.py``
searches its sensitivity among all neighbours of small tables.

>>> query = column_cells("age", np.array([3, 0, 4]), ["whole"], Unit(), Neighbors.REPLACE_ONE)
>>> query.sensitivity
Sensitivity(l1=2, squared_l2=2, l_infinity=1)
"""

from collections.abc import Sequence

import numpy as np

from synth.privacy import Neighbors, Unit
from synth.private.counting import ValueRows
from synth.private.queries.query import Query, subject
from synth.private.queries.tables import histogram_sensitivity, one_number
from synth.util import Ints


def column_cells(
    name: str, counts: Ints, cells: Sequence[object], unit: Unit, neighbors: Neighbors
) -> Query:
    """Return rows by the shape, or by the step, of one column; each row is in one cell at most.

    ``counts`` are rows of each cell, shape (k,), PRIVATE; ``cells`` are as JSON can write them.
    """
    return Query(
        f"cells of {name}",
        "column-cells",
        neighbors,
        unit,
        histogram_sensitivity(unit, neighbors),
        len(counts),
        lambda: counts,
        subject(name, len(counts), list(cells)),
    )


def listed_values(name: str, values: ValueRows, unit: Unit, neighbors: Neighbors) -> Query:
    """Return rows of each value of one column; the values are private too."""
    return Query(
        f"values of {name}",
        "listed-values",
        neighbors,
        unit,
        histogram_sensitivity(unit, neighbors),
        0,
        lambda: values.counts,
        subject(name),
        texts=values.texts,
    )


def covered_rows(
    name: str, counts: Ints, listed: Sequence[str], unit: Unit, neighbors: Neighbors
) -> Query:
    """Return how many rows have one of the listed values, which are public."""
    moves, asked = one_number(unit), subject(name, list(listed))
    return Query(
        f"rows covered of {name}",
        "covered-rows",
        neighbors,
        unit,
        moves,
        1,
        lambda: counts.sum(keepdims=True),
        asked,
    )


def distinct_values(name: str, distinct: int, unit: Unit, neighbors: Neighbors) -> Query:
    return Query(
        f"different values of {name}",
        "distinct-values",
        neighbors,
        unit,
        one_number(unit),
        1,
        lambda: np.array([distinct], np.int64),
        subject(name),
    )

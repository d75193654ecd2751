"""Queries about single columns, before they are declared, for drafts.

The page of its name in ``docs/proofs`` proves each function. ``tests/audit/test_proofs.py``
searches its sensitivity among all neighbours of small tables.

>>> query = column_cells("age", np.array([3, 0, 4]), ["whole"], Unit(), Neighbors.REPLACE_ONE)
>>> query.sensitivity
Sensitivity(l1=2, squared_l2=2, l_infinity=1)
"""

from collections.abc import Sequence

import numpy as np

from synth.door import Query, digest_subject
from synth.privacy import Neighbors, Unit
from synth.private.counting import ValueRows
from synth.private.queries.tables import histogram_sensitivity, one_number
from synth.util import Ints


def column_cells(
    name: str, counts: Ints, cells: Sequence[object], unit: Unit, neighbors: Neighbors
) -> Query:
    """Return rows by the shape, or by the step, of one column; each row is in one cell at
    most.

    ``counts`` are rows of each cell, shape (k,), PRIVATE; ``cells`` are as JSON can write
    them."""
    moves, asked = (
        histogram_sensitivity(unit, neighbors),
        digest_subject(name, len(counts), list(cells)),
    )
    what, size = f"cells of {name}", len(counts)
    return Query(
        name=what,
        proof="column-cells",
        neighbors=neighbors,
        unit=unit,
        sensitivity=moves,
        size=size,
        exact=lambda: counts,
        subject=asked,
    )


def listed_values(name: str, values: ValueRows, unit: Unit, *, neighbors: Neighbors) -> Query:
    """Return rows of each value of one column; the values are private too."""
    moves, asked, texts = (
        histogram_sensitivity(unit, neighbors),
        digest_subject(name),
        values.texts,
    )
    what, proof = f"values of {name}", "listed-values"
    return Query(
        name=what,
        proof=proof,
        neighbors=neighbors,
        unit=unit,
        sensitivity=moves,
        size=0,
        exact=lambda: values.counts,
        subject=asked,
        texts=texts,
    )


def covered_rows(
    name: str, counts: Ints, listed: Sequence[str], *, unit: Unit, neighbors: Neighbors
) -> Query:
    """Return how many rows have one of the listed values, which are public."""
    what, asked = f"rows covered of {name}", digest_subject(name, list(listed))
    return _number(
        what,
        "covered-rows",
        counts.sum(keepdims=True),
        unit=unit,
        neighbors=neighbors,
        asked=asked,
    )


def distinct_values(name: str, distinct: int, unit: Unit, *, neighbors: Neighbors) -> Query:
    what, number = f"different values of {name}", np.array([distinct], np.int64)
    return _number(
        what,
        "distinct-values",
        number,
        unit=unit,
        neighbors=neighbors,
        asked=digest_subject(name),
    )


def _number(
    what: str, proof: str, number: Ints, *, unit: Unit, neighbors: Neighbors, asked: str
) -> Query:
    return Query(
        name=what,
        proof=proof,
        neighbors=neighbors,
        unit=unit,
        sensitivity=one_number(unit),
        size=1,
        exact=lambda: number,
        subject=asked,
    )

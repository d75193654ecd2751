"""Queries about single columns, before they are declared, for drafts.

The page of its name in ``docs/proofs`` proves each function. ``tests/audit/test_proofs.py``
searches its sensitivity among all neighbours of small tables.

>>> query = column_cells(
...     "age", np.array([3, 0, 4]), ["whole"], unit=Unit(), neighbors=Neighbors.REPLACE_ONE
... )
>>> query.sensitivity
Sensitivity(l1=2, squared_l2=2, l_infinity=1)
"""

from collections.abc import Sequence

import numpy as np

from synth.door import Query, digest_subject
from synth.privacy import Neighbors, Unit
from synth.private.counting import ValueRows
from synth.private.queries.tables import count_sensitivity, histogram_sensitivity
from synth.util import Ints


def column_cells(
    name: str, counts: Ints, cells: Sequence[object], *, unit: Unit, neighbors: Neighbors
) -> Query:
    """Return the query of a histogram of one column that is not declared yet.

    Its cells are the shapes of texts, or intervals of numbers or dates. Each row is in one
    cell at most.

    Args:
        name: The column.
        counts: Rows of each cell, shape (k,). PRIVATE.
        cells: A public description of the cells, as JSON can write it, for the digest.
        unit: What is protected.
        neighbors: The relation of the sensitivity.
    """
    return Query(
        name=f"cells of {name}",
        proof="column-cells",
        neighbors=neighbors,
        unit=unit,
        sensitivity=histogram_sensitivity(unit, neighbors),
        size=len(counts),
        exact=lambda: counts,
        subject=digest_subject(name, len(counts), list(cells)),
    )


def listed_values(name: str, values: ValueRows, unit: Unit, *, neighbors: Neighbors) -> Query:
    """Return the query of the rows of each value of a column that is not declared yet.

    The values are as private as their counts. The door draws for each value separately
    whether to name it, and releases no count.

    Args:
        name: The column.
        values: The values that some rows have, and their rows. PRIVATE.
        unit: What is protected.
        neighbors: The relation of the sensitivity.
    """
    # The number of values is private, so the public size of the answer is 0.
    return Query(
        name=f"values of {name}",
        proof="listed-values",
        neighbors=neighbors,
        unit=unit,
        sensitivity=histogram_sensitivity(unit, neighbors),
        size=0,
        exact=lambda: values.counts,
        subject=digest_subject(name),
        texts=values.texts,
    )


def covered_rows(
    name: str, counts: Ints, listed_texts: Sequence[str], *, unit: Unit, neighbors: Neighbors
) -> Query:
    """Return the query of how many rows have one of the listed values of a column.

    Args:
        name: The column.
        counts: Rows of each listed value, shape (values,). PRIVATE.
        listed_texts: The listed values. PUBLIC.
        unit: What is protected.
        neighbors: The relation of the sensitivity.
    """
    covered = counts.sum(keepdims=True)
    return Query(
        name=f"rows covered of {name}",
        proof="covered-rows",
        neighbors=neighbors,
        unit=unit,
        sensitivity=count_sensitivity(unit),
        size=1,
        exact=lambda: covered,
        subject=digest_subject(name, list(listed_texts)),
    )


def distinct_values(name: str, distinct: int, unit: Unit, *, neighbors: Neighbors) -> Query:
    """Return the query of how many different values a column has.

    Args:
        name: The column.
        distinct: The exact number of its different values. PRIVATE.
        unit: What is protected.
        neighbors: The relation of the sensitivity.
    """
    number = np.array([distinct], np.int64)
    return Query(
        name=f"different values of {name}",
        proof="distinct-values",
        neighbors=neighbors,
        unit=unit,
        sensitivity=count_sensitivity(unit),
        size=1,
        exact=lambda: number,
        subject=digest_subject(name),
    )

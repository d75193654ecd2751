"""What a door takes: a query about private rows, and how far one person moves its answer.

>>> query = Query("rows", "rows", Neighbors.ADD_REMOVE, Unit(), Sensitivity(1, 1, 1), 1,
...               lambda: np.array([640]))
>>> query, query.sensitivity.l1
(Query(private), 1)
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from synth.errors import ReleaseError
from synth.privacy import Neighbors, Sensitivity, Unit
from synth.util import Cells, Document, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Support:
    """The occupied cells of a universe too large to enumerate. PRIVATE but for the shape.

    Attributes:
        cells: Ascending, shape (k,).
        shape: Cells of every column.
    """

    cells: Cells
    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Query:
    """A question whose answer is a vector of integers. All is public but what ``exact``,
    ``support`` and ``texts`` hold. Only the functions of `synth.private.queries` make one.

    Attributes:
        name: What is asked, in words.
        proof: The page of the sensitivity's proof, ``docs/proofs/<proof>.md``.
        neighbors: The relation of the sensitivity.
        unit: Whose rows neighbours differ in.
        sensitivity: How far neighbours are apart.
        size: Length of the answer; with a support, cells of the universe.
        exact: Computes the answer. PRIVATE.
        subject: Digest of all else that says what is asked.
        rows: The number of rows of the table where neighbours share it, else None.
        support: Cells of the answer where all others are 0 and only large counts are listed.
        texts: What the numbers of the answer are about, where that is as private as they are.
        sizes: How many candidates in a row have each number of the answer as their score, where
            runs of them have the same; ``size`` counts candidates then. PRIVATE.
        monotone: Whether one person moves all numbers in the same direction, none the other way.
    """

    name: str
    proof: str
    neighbors: Neighbors
    unit: Unit
    sensitivity: Sensitivity
    size: int
    exact: Callable[[], Ints]
    subject: str = ""
    rows: int | None = None
    support: Support | None = None
    texts: Sequence[str] | None = None
    sizes: Ints | None = None
    monotone: bool = False

    def __repr__(self) -> str:
        return "Query(private)"

    def values(self) -> Ints:
        """The exact answer, shape (size,), or (k,) with a support, or sizes, of k. PRIVATE.

        Raises:
            ReleaseError: It is not a vector of as many integers; nothing of it is shown.
        """
        found = np.asarray(self.exact())
        size = self.size if self.support is None else len(self.support.cells)
        size = size if self.texts is None else len(self.texts)
        if self.sizes is not None:
            size = len(self.sizes) if int(self.sizes.sum()) == self.size else -1
        if not np.issubdtype(found.dtype, np.integer) or found.shape != (size,):
            raise ReleaseError(
                f"The query '{self.name}' did not give as many whole numbers as it says."
            )
        return found

    def describe(self) -> Document:
        """How it is described beside its stored answer, as JSON. PUBLIC."""
        moves = self.sensitivity
        told: Document = {"monotone": True} if self.monotone else {}
        return told | {
            "query": self.name,
            "proof": self.proof,
            "subject": self.subject,
            "neighbors": self.neighbors.value,
            "person": self.unit.person,
            "max_rows": self.unit.max_rows,
            "sensitivity": [moves.l1, moves.squared_l2, moves.l_infinity],
        }


def subject(*asked: object) -> str:
    """A digest of public things that JSON can write."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]

"""The interface of a query about private rows, with its sensitivity. PRIVATE.

>>> query = Query(
...     name="rows",
...     proof="rows",
...     neighbors=Neighbors.ADD_REMOVE,
...     unit=Unit(),
...     sensitivity=Sensitivity(1, 1, 1),
...     size=1,
...     exact=lambda: np.array([640]),
... )
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
from synth.util import Cells, Document, Ints, Private


@dataclass(frozen=True, eq=False, repr=False)
class Support:
    """The occupied cells of a universe too large to enumerate. PRIVATE but for the shape.

    Attributes:
        cells: The occupied cells, ascending, shape (k,).
        shape: The number of cells along each axis of the universe.
    """

    cells: Cells
    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Query(Private):
    """A question whose answer is a vector of integers.

    All is public except ``exact``, ``support``, ``texts`` and ``sizes``. Only the functions
    of `synth.private.queries` make one.

    Attributes:
        name: The question, in words.
        proof: The page of the sensitivity's proof, ``docs/proofs/<proof>.md``.
        neighbors: The relation of the sensitivity.
        unit: What is protected: a row, a person or a root of linked tables.
        sensitivity: Largest difference between the answers of neighbours.
        size: Length of the answer; with a support, cells of the universe.
        exact: Computes the answer. PRIVATE.
        subject: Digest of everything else that defines the question.
        rows: The number of rows of the table if neighbours share it, else None.
        support: Cells of the answer if all others are 0 and only large counts are listed.
        texts: Subjects of the answer's numbers, if they are as private as these.
        sizes: How many successive candidates share each score; ``size`` counts candidates
            then. PRIVATE.
        monotone: Whether one person moves all numbers in the same direction.
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

    def values(self) -> Ints:
        """Compute and return the exact answer, a vector of integers. PRIVATE.

        It has ``size`` numbers. With a support, it has one for each occupied cell; with
        ``texts``, one for each text; with ``sizes``, one for each run of equal scores.

        Raises:
            ReleaseError: It is not a vector of as many integers; the message shows nothing of
                it.
        """
        answer = np.asarray(self.exact())
        size = self.size
        if self.support is not None:
            size = len(self.support.cells)
        if self.texts is not None:
            size = len(self.texts)
        if self.sizes is not None:
            # Runs that do not add up to all candidates are refused: no answer has length -1.
            size = len(self.sizes) if int(self.sizes.sum()) == self.size else -1
        if not np.issubdtype(answer.dtype, np.integer) or answer.shape != (size,):
            raise ReleaseError(
                f"The query '{self.name}' did not give as many whole numbers as it says."
            )
        return answer

    def describe(self) -> Document:
        """Return what identifies the query in the ledger, as JSON.

        It holds the question in words, the sensitivity, the neighbours and the protected
        unit; nothing private.
        """
        sensitivity = self.sensitivity
        description: Document = {"monotone": True} if self.monotone else {}
        return description | {
            "query": self.name,
            "proof": self.proof,
            "subject": self.subject,
            "neighbors": self.neighbors.value,
            "person": self.unit.person,
            "max_rows": self.unit.max_rows,
            "sensitivity": [sensitivity.l1, sensitivity.squared_l2, sensitivity.l_infinity],
        }


def digest_subject(*definition: object) -> str:
    """Return a digest, 32 hex digits, of what defines a question apart from its name.

    ``definition`` may be anything that can be written as JSON. Equal definitions have equal
    digests.
    """
    content = json.dumps(definition, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]

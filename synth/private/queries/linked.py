"""Queries about linked tables: histograms of rows and of pairs of rows, and their distances.

The page of its name in ``docs/proofs`` proves each function; ``tests/audit/test_linked.py``
searches its sensitivity among all neighbours of tiny linked tables.
"""

from collections.abc import Sequence

import numpy as np

from synth.door import Query, digest_subject
from synth.errors import ArgumentError
from synth.estimate import LinkedCodes, LinkedMarginal, unit_of
from synth.noise import MAX_VALUE
from synth.privacy import GRID, Neighbors, Sensitivity
from synth.util import Floats

# Units that a guess may have in a cell, so that no sum overflows.
MOST_UNITS = 1e15


def linked_counts(rows: LinkedCodes, one: LinkedMarginal, neighbors: Neighbors) -> Query:
    """A histogram of the rows of a table, or of pairs of rows of one parent.

    ``rows`` are those that count, each under its parent. PRIVATE.
    """
    package = rows.package
    return Query(
        name=one.in_words(package),
        proof="linked-counts",
        neighbors=neighbors,
        unit=unit_of(package),
        sensitivity=one.sensitivity(package, neighbors),
        size=int(np.prod(one.shape(package))),
        exact=lambda: rows.tally(one),
        subject=digest_subject(one.to_json(package)),
    )


def linked_distances(
    rows: LinkedCodes,
    marginals: Sequence[LinkedMarginal],
    guesses: Sequence[Floats],
    neighbors: Neighbors,
) -> Query:
    """How far each histogram by roots is from a public guess, in L1, in 64ths of a root.

    Args:
        rows: The rows that count. PRIVATE.
        marginals: The histograms; each root weighs alike.
        guesses: Guessed roots of every cell, each of shape (cells,). PUBLIC.

    Raises:
        ArgumentError: A histogram does not weigh roots alike, or a guess is of another size.
    """
    package, each = rows.package, GRID * neighbors.sensitivity
    for one, guess in zip(marginals, guesses, strict=True):
        if one.reach(package) != one.units(package):
            raise ArgumentError("Distances are of histograms by roots.")
        if guess.shape != (int(np.prod(one.shape(package))),):
            raise ArgumentError("A guess needs one number of expected roots for every cell.")

    def distance(one: LinkedMarginal, guess: Floats) -> int:
        units = one.units(package)
        expected = np.clip(np.nan_to_num(guess) * units, 0, MOST_UNITS)
        apart = int(np.abs(rows.tally(one) - np.rint(expected).astype(np.int64)).sum())
        return min(apart * GRID // units, MAX_VALUE)

    return Query(
        name="linked distances",
        proof="linked-distances",
        neighbors=neighbors,
        unit=unit_of(package),
        sensitivity=Sensitivity(each * len(marginals), each**2 * len(marginals), each),
        size=len(marginals),
        exact=lambda: np.array(
            [distance(*pair) for pair in zip(marginals, guesses, strict=True)]
        ),
        subject=digest_subject(*(one.to_json(package) for one in marginals)),
    )

"""Queries about linked tables: histograms of rows and of pairs of rows, and their distances.

The page of its name in ``docs/proofs`` proves each function; ``tests/audit/test_linked.py``
searches its sensitivity among all neighbours of tiny linked tables.
"""

from collections.abc import Sequence

import numpy as np

from synth.door import Query, digest_subject
from synth.errors import ArgumentError
from synth.linked import LinkedCodes, LinkedMarginal, unit_of
from synth.noise import MAX_VALUE
from synth.privacy import GRID, Neighbors, Sensitivity
from synth.util import Floats, Ints

# Units that a guess may have in a cell: small enough for sums of 64 bits, and every whole
# number up to it is an exact double.
MOST_UNITS = 1e15


def linked_counts(rows: LinkedCodes, marginal: LinkedMarginal, neighbors: Neighbors) -> Query:
    """Return the query of a histogram of a linked table's rows, or of pairs of its rows.

    A pair is two rows under the same parent row.

    Args:
        rows: The used rows of all tables, each with the number of its parent. PRIVATE.
        marginal: The columns of the histogram, and the weight of a row or pair.
        neighbors: Whether a root, with all rows below it, is replaced, or added or removed.
    """
    package = rows.package
    return Query(
        name=marginal.in_words(package),
        proof="linked-counts",
        neighbors=neighbors,
        unit=unit_of(package),
        sensitivity=marginal.sensitivity(package, neighbors),
        size=int(np.prod(marginal.shape(package))),
        exact=lambda: rows.tally(marginal),
        subject=digest_subject(marginal.to_json(package)),
    )


def linked_distances(
    rows: LinkedCodes,
    marginals: Sequence[LinkedMarginal],
    guesses: Sequence[Floats],
    *,
    neighbors: Neighbors,
) -> Query:
    """Return the query of the L1 distances of histograms from public guesses.

    A root is a row of the top table; a root shares a total weight of 1 among its rows below.
    Distances are in 64ths (1 / `GRID`) of a root.

    Args:
        rows: The used rows of all linked tables. PRIVATE.
        marginals: The histograms, in each of which all roots have the same weight.
        guesses: For each histogram, guessed roots of every cell, shape (cells,). PUBLIC.
        neighbors: Whether a root, with all rows below it, is replaced, or added or removed.

    Raises:
        ArgumentError: A histogram does not weigh roots alike, or a guess is of another size.
    """
    package = rows.package
    largest_move = GRID * neighbors.sensitivity  # of one distance, by one root
    for marginal, guess in zip(marginals, guesses, strict=True):
        # A root has ``units`` whole units to share; more or less would give it other weight.
        if marginal.reach(package) != marginal.units(package):
            raise ArgumentError("Distances are of histograms by roots.")
        if guess.shape != (int(np.prod(marginal.shape(package))),):
            raise ArgumentError("A guess needs one number of expected roots for every cell.")

    def measure_distance(marginal: LinkedMarginal, guess: Floats) -> int:
        """Return the distance of counts from a guess, in units of 1 / GRID roots.

        Counts are in units, of which a root has many: its rows share whole units.
        """
        units = marginal.units(package)
        expected = np.clip(np.nan_to_num(guess) * units, 0, MOST_UNITS)
        differences = rows.tally(marginal) - np.rint(expected).astype(np.int64)
        distance_in_units = int(np.abs(differences).sum())
        # A root is ``units`` units, or ``GRID`` steps; part of a step is dropped.
        return min(distance_in_units * GRID // units, MAX_VALUE)

    def exact() -> Ints:
        """Return the distance of each histogram from its guess, shape (marginals,)."""
        return np.array(
            [
                measure_distance(marginal, guess)
                for marginal, guess in zip(marginals, guesses, strict=True)
            ]
        )

    return Query(
        name="linked distances",
        proof="linked-distances",
        neighbors=neighbors,
        unit=unit_of(package),
        sensitivity=Sensitivity(
            l1=largest_move * len(marginals),
            squared_l2=largest_move**2 * len(marginals),
            l_infinity=largest_move,
        ),
        size=len(marginals),
        exact=exact,
        subject=digest_subject(*(marginal.to_json(package) for marginal in marginals)),
    )

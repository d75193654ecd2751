"""Queries about counted rows: histograms, numbers of rows, distances from public guesses.

The page of its name in ``docs/proofs`` proves each function. ``tests/audit/test_proofs.py``
searches its sensitivity among all neighbours of small tables.

>>> from synth.domain import Categorical
>>> domain = Domain((Categorical(name="sex", categories=("F", "M")),))
>>> counts = Counts(
...     domain=domain, cells=np.array([0, 1]), counts=np.array([40, 60]), rows=100
... )
>>> histogram(counts, Neighbors.REPLACE_ONE).sensitivity
Sensitivity(l1=2, squared_l2=2, l_infinity=1)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from synth.domain import Domain
from synth.door import Query, Support, digest_subject
from synth.errors import ArgumentError
from synth.noise import MAX_VALUE
from synth.privacy import GRID, Neighbors, Sensitivity, Unit, distance_sensitivity
from synth.private.counting import Counts
from synth.util import Ints, Private

# Number of low bits of a distance that are summed apart from its high bits.
_LOW_BITS = 20
# Rows that a guess may have in a cell: times `GRID` they are far below 2**63.
_MOST_EXPECTED_ROWS = 1e12


@dataclass(frozen=True, eq=False)
class Guess(Private):
    """A PRIVATE histogram and a public guess of it, to be compared inside the door.

    Attributes:
        counts: The histogram. PRIVATE.
        expected: The guessed rows of every cell, shape (counts.domain.size,).

    Raises:
        ArgumentError: The guess has another number of cells.
    """

    counts: Counts
    expected: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.expected.shape != (self.counts.domain.size,):
            raise ArgumentError("A guess needs one number of expected rows for every cell.")

    @property
    def distance(self) -> int:
        """L1 distance of counts and guess, in units of ``1 / GRID`` rows. PRIVATE.

        It is exact: only the guess is rounded to the grid. A distance that is too large for
        the door counts as its `MAX_VALUE`.
        """
        guessed_rows = np.clip(np.nan_to_num(self.expected), 0, _MOST_EXPECTED_ROWS)
        guessed_units = np.rint(guessed_rows * GRID).astype(np.int64)
        distances = np.abs(GRID * self.counts.dense() - guessed_units)
        # One sum of 64 bits could overflow. So high and low bits are summed apart, and the
        # two sums are joined as Python's integers, which have any size.
        high_bits = int((distances >> _LOW_BITS).sum())
        low_bits = int((distances & ((1 << _LOW_BITS) - 1)).sum())
        return min((high_bits << _LOW_BITS) + low_bits, MAX_VALUE)


def histogram(counts: Counts, neighbors: Neighbors) -> Query:
    """Return the query of the rows of every cell of all columns."""
    return _histogram("histogram", "histogram", counts, neighbors=neighbors)


def marginal(counts: Counts, neighbors: Neighbors) -> Query:
    """Return the query of the rows of every cell of a few columns, those of ``counts``."""
    name = "histogram of " + ", ".join(counts.domain.names)
    return _histogram(name, "marginal", counts, neighbors=neighbors)


def large_histogram(counts: Counts, neighbors: Neighbors) -> Query:
    """Return the query of the rows of every cell of a universe too large to enumerate.

    Its exact answer lists only the occupied cells; all others are 0. Which cells are occupied
    is private too, so the door lists only cells with large noisy counts.
    """
    listing_all_cells = _histogram(
        "histogram", "large-histogram", counts, neighbors=neighbors
    )
    return replace(
        listing_all_cells,
        size=counts.domain.size,
        exact=lambda: counts.counts,
        support=Support(counts.cells, counts.domain.shape),
    )


def rows(counts: Counts, neighbors: Neighbors) -> Query:
    """Return the query of the number of rows inside the domain."""
    return _number_of_rows("rows", "rows", counts, neighbors=neighbors, public_rows=None)


def fitting_rows(counts: Counts, neighbors: Neighbors) -> Query:
    """Return the query of the number of rows that fit the domain.

    If neighbours share their number of rows, the query carries it as ``rows``.
    """
    return _number_of_rows(
        "fitting rows",
        "fitting-rows",
        counts,
        neighbors=neighbors,
        public_rows=counts.public_rows(neighbors),
    )


def distances(guesses: Sequence[Guess], neighbors: Neighbors) -> Query:
    """Return the query of the L1 distance of each guess from its histogram.

    Distances are in units of ``1 / GRID`` rows. All histograms protect the same unit.
    """
    return _distance_query(
        "distances", "distances", guesses, allowed=[0] * len(guesses), neighbors=neighbors
    )


def summed_distance(guesses: Sequence[Guess], unit: Unit, neighbors: Neighbors) -> Query:
    """Return the query of the sum of the guesses' L1 distances from their histograms.

    The answer is one number, in units of ``1 / GRID`` rows.

    Args:
        guesses: The histograms, each PRIVATE, and their guesses.
        unit: What is protected; all histograms must be of this unit.
        neighbors: The relation of the sensitivity.
    """
    # One person may move every distance, and so the one sum by all of these moves.
    largest_move = distance_sensitivity(unit, neighbors) * len(guesses)

    def exact() -> Ints:
        """Return the summed distance, shape (1,); ArgumentError for another unit."""
        for guess in guesses:
            _check_unit(guess, unit)
        return _clip_whole([sum(guess.distance for guess in guesses)])

    return Query(
        name="distance",
        proof="summed-distance",
        neighbors=neighbors,
        unit=unit,
        sensitivity=_sensitivity_of_number(largest_move),
        size=1,
        exact=exact,
        subject=digest_subject(len(guesses)),
    )


def worst_guess(
    guesses: Sequence[Guess], allowed: Sequence[int], neighbors: Neighbors
) -> Query:
    """Return the query by which the worst guess is chosen: each distance, less an allowance.

    Args:
        guesses: The histograms, each PRIVATE, and their guesses, at least one.
        allowed: For each guess, the rows by which it may differ without being worse.
        neighbors: The relation of the sensitivity.
    """
    return _distance_query(
        "choice", "worst-guess", guesses, allowed=allowed, neighbors=neighbors
    )


def _distance_query(
    name: str,
    proof: str,
    guesses: Sequence[Guess],
    *,
    allowed: Sequence[int],
    neighbors: Neighbors,
) -> Query:
    """Return a query of the L1 distances of histograms from their guesses.

    The answer has one number for each guess, in units of ``1 / GRID`` rows.

    Args:
        name: The query, in words.
        proof: The page of the sensitivity's proof, ``docs/proofs/<proof>.md``.
        guesses: The histograms, each PRIVATE, and their guesses, at least one.
        allowed: For each guess, the rows that are subtracted from its distance.
        neighbors: The relation of the sensitivity.
    """
    unit = _find_shared_unit(guesses)
    largest_move = distance_sensitivity(unit, neighbors)  # of one distance, by one person
    allowances = list(zip(guesses, allowed, strict=True))

    def exact() -> Ints:
        """Return each distance less its allowance, shape (guesses,)."""
        return _clip_whole([guess.distance - GRID * rows for guess, rows in allowances])

    return Query(
        name=name,
        proof=proof,
        neighbors=neighbors,
        unit=unit,
        sensitivity=Sensitivity(
            l1=largest_move * len(guesses),
            squared_l2=largest_move**2 * len(guesses),
            l_infinity=largest_move,
        ),
        size=len(guesses),
        exact=exact,
        subject=digest_subject(*(_digest_columns(guess.counts.domain) for guess in guesses)),
    )


def histogram_sensitivity(unit: Unit, neighbors: Neighbors) -> Sensitivity:
    """Return the sensitivity of a histogram in which each row is in one cell at most.

    Args:
        unit: What is protected: a row, or a person with up to ``max_rows`` rows.
        neighbors: Whether it is replaced, or added or removed.
    """
    return Sensitivity(
        l1=unit.sensitivity(neighbors),
        squared_l2=unit.square(neighbors),
        l_infinity=unit.max_rows,
    )


def count_sensitivity(unit: Unit) -> Sensitivity:
    """Return the sensitivity of one count, which each row moves by at most 1.

    That holds whether a row is replaced, or added or removed. A person has up to ``max_rows``
    rows.
    """
    return _sensitivity_of_number(unit.max_rows)


def _sensitivity_of_number(largest_move: int) -> Sensitivity:
    """Return the sensitivity of one number that a unit moves by at most ``largest_move``."""
    return Sensitivity(l1=largest_move, squared_l2=largest_move**2, l_infinity=largest_move)


def _histogram(name: str, proof: str, counts: Counts, *, neighbors: Neighbors) -> Query:
    """Return the query of the rows of every cell of a histogram.

    If the number of rows is public, the answer has one more cell at its end: the rows that a
    public rule leaves out. All cells then add up to the public number.

    Args:
        name: The query, in words.
        proof: The page of the sensitivity's proof, ``docs/proofs/<proof>.md``.
        counts: The exact histogram. PRIVATE.
        neighbors: The relation of the sensitivity.
    """
    public_rows = counts.public_rows(neighbors)

    def exact() -> Ints:
        """Return the rows of every cell, and those left out if the total is public."""
        cell_rows = counts.dense()
        if public_rows is None:
            return cell_rows
        return np.append(cell_rows, public_rows - cell_rows.sum())

    return Query(
        name=name,
        proof=proof,
        neighbors=neighbors,
        unit=counts.unit,
        sensitivity=histogram_sensitivity(counts.unit, neighbors),
        size=counts.domain.size + (public_rows is not None),
        exact=exact,
        subject=_digest_columns(counts.domain),
        rows=public_rows,
    )


def _number_of_rows(
    name: str, proof: str, counts: Counts, *, neighbors: Neighbors, public_rows: int | None
) -> Query:
    """Return the query of the number of rows that a histogram counts.

    Args:
        name: The query, in words.
        proof: The page of the sensitivity's proof, ``docs/proofs/<proof>.md``.
        counts: The exact histogram. PRIVATE.
        neighbors: The relation of the sensitivity.
        public_rows: The rows of the whole table if neighbours share them, else None.
    """
    return Query(
        name=name,
        proof=proof,
        neighbors=neighbors,
        unit=counts.unit,
        sensitivity=count_sensitivity(counts.unit),
        size=1,
        exact=lambda: counts.counts.sum(keepdims=True),
        subject=_digest_columns(counts.domain),
        rows=public_rows,
    )


def _find_shared_unit(guesses: Sequence[Guess]) -> Unit:
    """Return the protected unit that all guesses share.

    Raises:
        ArgumentError: There is no guess, or two protect different units.
    """
    if not guesses:
        raise ArgumentError("A query about guesses needs at least one.")
    unit = guesses[0].counts.unit
    for guess in guesses:
        _check_unit(guess, unit)
    return unit


def _check_unit(guess: Guess, unit: Unit) -> None:
    """Raise ArgumentError if the histogram of a guess protects another unit."""
    if guess.counts.unit != unit:
        raise ArgumentError(
            "The guesses of one query must be about the rows of the same unit."
        )


def _digest_columns(domain: Domain) -> str:
    """Return the digest of the names of the columns and their numbers of cells."""
    return digest_subject(domain.names, domain.shape)


def _clip_whole(values: Sequence[int]) -> Ints:
    """Return whole numbers clipped to what the door takes, shape (values,).

    Clipping to 64 bits is a contraction: it moves no two numbers further apart, so it raises
    no sensitivity.
    """
    return np.array(
        [min(max(value, -MAX_VALUE), MAX_VALUE) for value in values], dtype=np.int64
    )

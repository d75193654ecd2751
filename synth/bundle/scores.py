"""Utility scores in a certificate: their payments, and the claim. PUBLIC.

`synth.spending.score` says how one is measured, and why its noise is right.

>>> spend = SpendOfScore(epsilon=Fraction(1, 20), sensitivity=2, entry=4)
>>> record_score(15, 2 * 64 * 15 * 2_000, 20_000, spend=spend).error
0.1
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import TypeVar

import numpy as np

from synth.bundle.certificate import ReleaseCertificate
from synth.bundle.certificate_parts import ScoreRecord
from synth.bundle.declaration import add_to_guarantee
from synth.domain import Domain
from synth.door import Ledger
from synth.errors import ArgumentError, ReleaseError
from synth.noise import DiscreteLaplace
from synth.privacy import GRID, Guarantee
from synth.util import positive

C = TypeVar("C", bound=ReleaseCertificate)

# A score leaves out pairs with more cells, a public rule.
SCORED_CELLS = 2_000_000

# Scales that Laplace noise stays within in 95 of 100 cases (ln 20 = 2.996).
LAPLACE_95_SCALES = 3


@dataclass(frozen=True, kw_only=True)
class SpendOfScore:
    """What a score costs.

    Attributes:
        epsilon: The spent epsilon.
        sensitivity: Sensitivity of a histogram, in rows.
        entry: The spend in the ledger.
    """

    epsilon: Fraction
    sensitivity: int
    entry: int


def record_score(
    pairs: int, noisy_distance: int, rows: int, *, spend: SpendOfScore
) -> ScoreRecord:
    """Return the record of a score, for a certificate.

    Args:
        pairs: Number of pairs in the mean (1 for a table of one column).
        noisy_distance: The noisy sum of their L1 distances, in 64ths of a row.
        rows: The public number of rows of the table.
        spend: What the score costs.
    """
    # Total variation is half the L1 distance of shares; `GRID` is 64.
    error = noisy_distance / (2 * GRID * pairs * rows)
    # One unit moves each pair's distance by the sensitivity of a histogram at most.
    return ScoreRecord(
        what=said_of(pairs),
        error=round(error, 6),
        k_marginal=round(1000 * (1 - error), 2),
        reach=round(score_reach(rows, spend.epsilon, spend.sensitivity), 6),
        pairs=pairs,
        rows=rows,
        noisy_distance=noisy_distance,
        sensitivity=GRID * pairs * spend.sensitivity,
        scale=noise_of(pairs, spend.sensitivity, spend.epsilon).scale,
        epsilon=spend.epsilon,
        entry=spend.entry,
    )


def score_reach(rows: float, epsilon: Fraction, sensitivity: int) -> float:
    """Return how far noise moves a score, in 95 of 100 cases, from public numbers.

    Args:
        rows: The number of rows of the table.
        epsilon: The cost of the score.
        sensitivity: The sensitivity of a histogram, in rows.

    >>> score_reach(20_000, Fraction(1, 20), 2)
    0.003
    """
    positive(rows=rows)
    # The noise on the summed distances has the scale pairs * GRID * sensitivity / epsilon.
    # The score divides the sum by 2 * pairs * GRID * rows.
    return LAPLACE_95_SCALES * sensitivity / (2 * rows * float(epsilon))


def noise_of(pairs: int, sensitivity: int, epsilon: Fraction) -> DiscreteLaplace:
    """Return the noise on the summed distances of so many pairs."""
    return DiscreteLaplace.for_epsilon(epsilon, sensitivity=GRID * pairs * sensitivity)


def said_of(pairs: int) -> str:
    """Return what a score of so many pairs of columns compares, in words."""
    noun = "1 pair of columns" if pairs == 1 else f"{pairs:,} pairs of columns"
    return f"mean total variation of {noun}"


def scored_pairs(domain: Domain) -> list[tuple[int, ...]]:
    """Return the pairs of columns that a score compares, by their numbers.

    A table of one column has its single column instead. Pairs with more than `SCORED_CELLS`
    cells are left out.
    """
    from synth.util import tables

    columns = len(domain.columns)
    return [
        pair
        for pair in tables(columns, min(2, columns))
        # Floats, as products of whole numbers may overflow.
        if np.prod([float(domain.shape[column]) for column in pair]) <= SCORED_CELLS
    ]


def with_score(certificate: C, score: ScoreRecord) -> C:
    """Return the certificate with one more score, whose cost the guarantee includes."""
    return replace(
        add_to_guarantee(certificate, score.epsilon), scores=(*certificate.scores, score)
    )


def without_scores(certificate: C, domain: Domain) -> C:
    """Return the certificate of the release alone, without scores and their cost.

    Args:
        certificate: The certificate with its scores.
        domain: The declared columns, which decide how many pairs a score compares.

    Raises:
        ReleaseError: A score does not follow from its numbers, or the guarantee is not the
            sum.
    """
    if not certificate.scores:
        return certificate
    try:
        paid = sum((score.epsilon for score in certificate.scores), Fraction(0))
        of_release = add_to_guarantee(replace(certificate, scores=()), -paid)
        # Adding the scores again must give the same guarantee, or it is a forgery.
        again = reduce(with_score, certificate.scores, of_release)
        if again.guarantee != certificate.guarantee:
            raise ReleaseError(
                "The certificate's guarantee does not include all of its scores."
            )
        for score in certificate.scores:
            _check_score(score, certificate, domain)
        return of_release
    except (TypeError, ValueError, ZeroDivisionError, ArgumentError):
        raise ReleaseError(
            "The certificate's scores do not have the published form."
        ) from None


def _check_score(score: ScoreRecord, certificate: ReleaseCertificate, domain: Domain) -> None:
    """Check that a score follows from its numbers.

    Args:
        score: The score in the certificate.
        certificate: The certificate, which says whose rows are protected.
        domain: The declared columns.

    Raises:
        ReleaseError: It does not.
    """
    again = record_score(
        score.pairs,
        score.noisy_distance,
        score.rows,
        spend=SpendOfScore(
            epsilon=score.epsilon,
            # A replaced row changes two counts, an added one changes one (``neighbors``).
            sensitivity=certificate.neighbors.sensitivity * certificate.max_rows,
            entry=score.entry,
        ),
    )
    if again != score or score.pairs != len(scored_pairs(domain)):
        raise ReleaseError("A utility score of the certificate is not what its numbers give.")


def check_paid(certificate: ReleaseCertificate, ledger: Ledger) -> None:
    """Check that the ledger has the spend of every score.

    Raises:
        ReleaseError: One is missing, or has another price.
    """
    paid = {entry.number: entry.guarantee for entry in ledger.entries()}
    for score in certificate.scores:
        if paid.get(score.entry) != Guarantee.pure(score.epsilon):
            raise ReleaseError(
                "A utility score of the certificate is not recorded in this ledger."
            )

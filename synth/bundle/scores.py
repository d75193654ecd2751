"""Utility scores in a certificate: what was paid for, and the claim. PUBLIC.

`synth.spending.score` says how one is measured, and why its noise is right.

>>> record_score(
...     15, 2 * 64 * 15 * 2_000, 20_000, epsilon=Fraction(1, 20), sensitivity=2, entry=4
... ).error
0.1
"""

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import TypeVar

import numpy as np

from synth.bundle.certificate import ReleaseCertificate
from synth.bundle.certificate_parts import ScoreRecord
from synth.bundle.declaration import promising
from synth.domain import Domain
from synth.door import Ledger
from synth.errors import ArgumentError, ReleaseError
from synth.noise import DiscreteLaplace
from synth.privacy import GRID, Guarantee
from synth.util import positive, tables

C = TypeVar("C", bound=ReleaseCertificate)

# A score leaves out pairs with more cells, a public rule.
SCORED_CELLS = 2_000_000

# Scales that Laplace noise stays within in 95 of 100 cases (ln 20 = 2.996).
LAPLACE_95_SCALES = 3


def record_score(
    pairs: int, noisy: int, rows: int, *, epsilon: Fraction, sensitivity: int, entry: int
) -> ScoreRecord:
    """Return the record of a score, for a certificate.

    Args:
        pairs: Number of pairs in the mean (1 for a table of one column).
        noisy: The noisy sum of their L1 distances, in 64ths of a row.
        rows: The public number of rows of the table.
        sensitivity: Sensitivity of a histogram, in rows.
        entry: The spend in the ledger.
    """
    error = noisy / (2 * GRID * pairs * rows)
    return ScoreRecord(
        what=said_of(pairs),
        error=round(error, 6),
        k_marginal=round(1000 * (1 - error), 2),
        reach=round(score_reach(rows, epsilon, sensitivity), 6),
        pairs=pairs,
        rows=rows,
        noisy_distance=noisy,
        sensitivity=GRID * pairs * sensitivity,
        scale=noise_of(pairs, sensitivity, epsilon).scale,
        epsilon=epsilon,
        entry=entry,
    )


def score_reach(rows: float, epsilon: Fraction, sensitivity: int) -> float:
    """Return how far noise moves a score, in 95 of 100 cases, from public numbers.

    >>> score_reach(20_000, Fraction(1, 20), 2)
    0.003
    """
    positive(rows=rows)
    return LAPLACE_95_SCALES * sensitivity / (2 * rows * float(epsilon))


def noise_of(pairs: int, sensitivity: int, epsilon: Fraction) -> DiscreteLaplace:
    return DiscreteLaplace.for_epsilon(epsilon, sensitivity=GRID * pairs * sensitivity)


def said_of(pairs: int) -> str:
    thing = "1 pair of columns" if pairs == 1 else f"{pairs:,} pairs of columns"
    return f"mean total variation of {thing}"


def scored_pairs(domain: Domain) -> list[tuple[int, ...]]:
    chosen = tables(len(domain.columns), min(2, len(domain.columns)))
    return [t for t in chosen if np.prod([float(domain.shape[i]) for i in t]) <= SCORED_CELLS]


def with_score(certificate: C, score: ScoreRecord) -> C:
    return replace(promising(certificate, score.epsilon), scores=(*certificate.scores, score))


def without_scores(certificate: C, domain: Domain) -> C:
    """Return the certificate of the release alone.

    Raises:
        ReleaseError: A score does not follow from its numbers, or the guarantee is not the
        sum.
    """
    if not certificate.scores:
        return certificate
    try:
        scores = certificate.scores
        paid = sum((score.epsilon for score in scores), Fraction(0))
        alone = promising(replace(certificate, scores=()), -paid)
        if reduce(with_score, scores, alone).guarantee != certificate.guarantee:
            raise ReleaseError(
                "The certificate's guarantee does not include all of its scores."
            )
        sensitivity = certificate.neighbors.sensitivity * certificate.max_rows
        for told in scores:
            known = record_score(
                told.pairs,
                told.noisy_distance,
                told.rows,
                epsilon=told.epsilon,
                sensitivity=sensitivity,
                entry=told.entry,
            )
            if known != told or told.pairs != len(scored_pairs(domain)):
                raise ReleaseError(
                    "A utility score of the certificate is not what its numbers give."
                )
        return alone
    except (TypeError, ValueError, ZeroDivisionError, ArgumentError):
        raise ReleaseError(
            "The certificate's scores do not have the published form."
        ) from None


def check_paid(certificate: ReleaseCertificate, ledger: Ledger) -> None:
    """Check that the ledger has the spend of every score; ReleaseError if one is missing."""
    paid = {entry.number: entry.guarantee for entry in ledger.entries()}
    for score in certificate.scores:
        if paid.get(score.entry) != Guarantee.pure(score.epsilon):
            raise ReleaseError(
                "A utility score of the certificate is not recorded in this ledger."
            )

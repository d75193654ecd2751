"""Checks of a release by histogram: the arithmetic of its guarantee, and the rows drawn
again.
"""

from fractions import Fraction

import numpy as np
import pyarrow.compute as pc

from synth import limits
from synth.bundle import (
    NOISY,
    PLAN,
    Archive,
    HistogramCertificate,
    beyond_of,
    claim_of,
    guard_cell,
    noisy_table,
)
from synth.domain import Domain
from synth.door import least_listed
from synth.estimate import REPAIRS, HistogramRecord, NoisyCounts, Spend, repair_counts
from synth.plans import Plan
from synth.privacy import ROW, Guarantee, Neighbors
from synth.rows import SyntheticTable, draw_rows, label_texts, value_laws
from synth.util import Cells, Ints, number_cells
from synth.verification.files import as_numbers, lists, noisy_pieces, refuse, rows_of
from synth.verification.given import Means
from synth.verification.marginals import check_moments, spend_of


def check_cells(certificate: HistogramCertificate, domain: Domain) -> None:
    if domain.size != certificate.mechanism.cells:
        refuse("The certificate's number of cells does not match the domain.")


def check_guarantee(certificate: HistogramCertificate, plan: Plan) -> None:
    """Check that the plan asks for a histogram, with noise that fits the claim."""
    if plan.by_model:
        refuse(f"'{PLAN}' asks for marginals, and the certificate is about a histogram.")
    mechanism, claim = certificate.mechanism, certificate.guarantee
    neighbors, unit = certificate.neighbors, certificate.privacy_unit
    if claim != claim_of(claim.epsilon, neighbors, unit=unit, beyond=beyond_of(certificate)):
        refuse("The certificate's statement does not follow from its epsilon and neighbours.")
    most, by_person = certificate.max_rows, unit != str(ROW)
    if not by_person and mechanism.sensitivity != neighbors.sensitivity:
        refuse(
            f"The sensitivity of one row under {neighbors.value} is {neighbors.sensitivity}."
        )
    if mechanism.sensitivity != most * neighbors.sensitivity:
        refuse(f"The sensitivity of {most} rows is {most * neighbors.sensitivity}.")
    scale, epsilon, released = mechanism.scale, claim.epsilon, certificate.released
    if released.noisy_rows is not None:
        epsilon -= epsilon * limits.TOTAL_SHARE
    epsilon -= plan.moments_epsilon
    if not scale or mechanism.sensitivity / scale != epsilon:
        refuse("The noise does not have the scale that the certificate's epsilon needs.")
    spends, everything = moments_of(certificate, plan.domain), range(len(plan.domain.columns))
    check_moments(spends, plan, [tuple(everything)])
    if sum((one.cost.epsilon or 0 for one in spends), Fraction(0)) != plan.moments_epsilon:
        refuse("The cost of the sums of numbers does not match their share of the budget.")
    if (released.rows is None) != (neighbors is Neighbors.ADD_REMOVE or by_person):
        refuse("The number of rows must be public under replace-one, and private otherwise.")
    if (released.left_out is None) == (
        released.rows is not None and released.threshold is None
    ):
        refuse(
            "Rows that rules leave out must be counted where the number of all rows is "
            "public."
        )


def moments_of(certificate: HistogramCertificate, domain: Domain) -> tuple[Spend, ...]:
    return tuple(spend_of(payment, domain) for payment in certificate.mechanism.moments)


def noisy_of(
    archive: Archive, certificate: HistogramCertificate, domain: Domain
) -> NoisyCounts:
    noisy = noisy_read(archive, certificate, domain)
    if not lists(archive, noisy_table(domain, noisy.table())):
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    if noisy.threshold is not None and (noisy.values < noisy.threshold).any():
        refuse(f"'{NOISY}' lists a count below the certificate's threshold.")
    return noisy


def noisy_read(
    archive: Archive, certificate: HistogramCertificate, domain: Domain
) -> NoisyCounts:
    released = certificate.released
    listed, values = _read_cells(archive, domain)
    if released.threshold is None and len(values) != domain.size:
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    return NoisyCounts(
        domain=domain,
        values=values,
        scale=certificate.mechanism.scale,
        neighbors=certificate.neighbors,
        guarantee=Guarantee.pure(certificate.guarantee.epsilon),
        rows=released.rows,
        listed=None if released.threshold is None else listed,
        threshold=released.threshold,
        noisy_rows=released.noisy_rows,
        left_out=released.left_out,
    )


def _read_cells(archive: Archive, domain: Domain) -> tuple[Cells, Ints]:
    # Cells are found by their labels, piece by piece.
    width, most = len(domain.columns), min(domain.size, limits.dense_cells())
    labels = [label_texts(list(map(guard_cell, column.cells))) for column in domain.columns]
    cells, values = [], []
    for piece in noisy_pieces(archive, width + 1, most):
        codes = [as_numbers(pc.index_in(piece[i], found)) for i, found in enumerate(labels)]
        cells.append(number_cells(codes, domain.shape))
        values.append(as_numbers(piece[width]))
    return np.concatenate(cells), np.concatenate(values)


def check_threshold(noisy: NoisyCounts) -> set[Means]:
    """Check which counts are listed; return whether the threshold was computed again.

    A table of too many cells is listed from a threshold up. It is the least one that the
    noise allows, and higher only if more counts reach that one than there is room for."""
    least = None
    if noisy.domain.size > limits.LISTED_CELLS:
        least = least_listed(noisy.domain.size, noisy.scale) or 1
    told = noisy.threshold
    if told == least:
        return {Means.LEAST_THRESHOLD}
    if told is None or least is None or told < least:
        refuse("The certificate's threshold does not follow from the cells and the noise.")
    return set()


def drawn_again(
    archive: Archive, certificate: HistogramCertificate, noisy: NoisyCounts, *, plan: Plan
) -> tuple[HistogramRecord, SyntheticTable, str]:
    """Draw the rows again; return the record, the rows and the sentence.

    All versions of NumPy so far draw the same rows (`tests/rows/test_draw.py`), so other rows
    are always refused."""
    rows = rows_of(archive, certificate, noisy.domain)
    if certificate.repair not in REPAIRS:
        refuse("The certificate names a repair that Synth does not know.")
    distribution = repair_counts(noisy, plan.repair)
    record = HistogramRecord(
        noisy=noisy, distribution=distribution, spends=moments_of(certificate, noisy.domain)
    )
    seed, laws = int(certificate.drawing.seed), value_laws(record)
    again = draw_rows(distribution, plan.rows, seed=seed, laws=laws)
    claim = "The synthetic rows follow from the noisy counts, the repair and the seed."
    if not rows.same(again):
        refuse(
            "The synthetic rows do not follow from the noisy counts, the repair and the seed."
        )
    return record, again, claim

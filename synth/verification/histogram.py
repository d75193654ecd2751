"""Checks of a release by histogram: the arithmetic of its guarantee, and the rows drawn again."""

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
    guarded,
    noisy_table,
)
from synth.domain import Domain
from synth.estimate import REPAIRS, HistogramRecord, NoisyCounts, Spend, repair_counts
from synth.plans import Plan
from synth.privacy import ROW, Guarantee, Neighbors
from synth.rows import SyntheticTable, draw_rows, label_texts, value_laws
from synth.util import Cells, Ints, number_cells
from synth.verification.files import (
    as_numbers,
    lists,
    noisy_pieces,
    refuse,
    rows_of,
)
from synth.verification.marginals import check_moments, spend_of


def check_cells(certificate: HistogramCertificate, domain: Domain) -> None:
    """Check that the certificate is about this domain."""
    if domain.size != certificate.mechanism.cells:
        refuse("The certificate's number of cells is not that of the domain.")


def check_guarantee(certificate: HistogramCertificate, plan: Plan) -> None:
    """Check that the plan asks for a histogram, and that the noise is right for the claim."""
    if plan.by_model:
        refuse(f"'{PLAN}' asks for marginals, and the certificate is about a histogram.")
    mechanism, claim = certificate.mechanism, certificate.guarantee
    neighbors, unit = certificate.neighbors, certificate.privacy_unit
    if claim != claim_of(claim.epsilon, neighbors, unit=unit, beyond=beyond_of(certificate)):
        refuse("The certificate's statement is not what its epsilon and neighbours give.")
    most, by_person = certificate.max_rows, unit != str(ROW)
    if not by_person and mechanism.sensitivity != neighbors.sensitivity:
        refuse(f"The sensitivity of one row under {neighbors.value} is {neighbors.sensitivity}.")
    if mechanism.sensitivity != most * neighbors.sensitivity:
        refuse(f"The sensitivity of {most} rows is {most * neighbors.sensitivity}.")
    scale, epsilon, released = mechanism.scale, claim.epsilon, certificate.released
    if released.noisy_rows is not None:
        epsilon -= epsilon * limits.TOTAL_SHARE
    epsilon -= plan.moments_epsilon
    if not scale or mechanism.sensitivity / scale != epsilon:
        refuse("The noise is not of the scale that the certificate's epsilon needs.")
    spends, everything = moments_of(certificate, plan.domain), range(len(plan.domain.columns))
    check_moments(spends, plan, [tuple(everything)])
    if sum((one.cost.epsilon or 0 for one in spends), Fraction(0)) != plan.moments_epsilon:
        refuse("The sums of numbers do not cost what is kept for them.")
    if (released.rows is None) != (neighbors is Neighbors.ADD_REMOVE or by_person):
        refuse("The number of rows is public under replace-one, and under it only.")


def moments_of(certificate: HistogramCertificate, domain: Domain) -> tuple[Spend, ...]:
    """Return the payments for sums of numbers."""
    return tuple(spend_of(payment, domain) for payment in certificate.mechanism.moments)


def noisy_of(archive: Archive, certificate: HistogramCertificate, domain: Domain) -> NoisyCounts:
    """Return the noisy counts, if they are those of the domain's cells in order."""
    noisy = noisy_read(archive, certificate, domain)
    if not lists(archive, noisy_table(domain, noisy.table())):
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    if noisy.threshold is not None and (noisy.values < noisy.threshold).any():
        refuse(f"'{NOISY}' lists a count below the certificate's threshold.")
    return noisy


def noisy_read(archive: Archive, certificate: HistogramCertificate, domain: Domain) -> NoisyCounts:
    """Return the noisy counts as in the file."""
    released = certificate.released
    listed, values = _listed(archive, domain)
    if released.threshold is None and len(values) != domain.size:
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    return NoisyCounts(
        domain,
        values,
        certificate.mechanism.scale,
        certificate.neighbors,
        Guarantee.pure(certificate.guarantee.epsilon),
        released.rows,
        None if released.threshold is None else listed,
        released.threshold,
        released.noisy_rows,
    )


def _listed(archive: Archive, domain: Domain) -> tuple[Cells, Ints]:
    """Return the cells of the file, found by their labels, and the counts; read piece by piece."""
    width, most = len(domain.columns), min(domain.size, limits.dense_cells())
    labels = [label_texts([guarded(label) for label in column.cells]) for column in domain.columns]
    cells, values = [], []
    for piece in noisy_pieces(archive, width + 1, most):
        codes = [as_numbers(pc.index_in(piece[i], found)) for i, found in enumerate(labels)]
        cells.append(number_cells(codes, domain.shape))
        values.append(as_numbers(piece[width]))
    return np.concatenate(cells), np.concatenate(values)


def drawn_again(
    archive: Archive, certificate: HistogramCertificate, noisy: NoisyCounts
) -> tuple[HistogramRecord, SyntheticTable, str]:
    """Draw the rows again; return the record, the rows and the sentence.

    All versions of NumPy so far draw the same rows (`tests/rows/test_draw.py`), so other rows are
    refused for every version in the certificate.
    """
    rows = rows_of(archive, certificate, noisy.domain)
    if certificate.repair not in REPAIRS:
        refuse("The certificate names a repair that Synth does not know.")
    distribution = repair_counts(noisy, certificate.repair)
    record = HistogramRecord(noisy, distribution, moments_of(certificate, noisy.domain))
    seed, laws = int(certificate.drawing.seed), value_laws(record)
    again = draw_rows(distribution, certificate.rows, seed=seed, laws=laws)
    claim = "The synthetic rows are what the noisy counts, the repair and the seed give."
    if not rows.same(again):
        refuse("The synthetic rows are not what the noisy counts, the repair and the seed give.")
    return record, again, claim

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
from synth.verification.bundled_rows import encode_rows, read_rows
from synth.verification.files import (
    as_numbers,
    check_plan_caveats,
    holds_table,
    read_noisy_pieces,
    refuse,
)
from synth.verification.given import Means
from synth.verification.payments import check_moments, read_spend
from synth.verification.versions import other_algorithm


def check_cells(certificate: HistogramCertificate, domain: Domain) -> None:
    """Check that the certificate has as many cells as the domain."""
    if domain.size != certificate.mechanism.cells:
        refuse("The certificate's number of cells does not match the domain.")


def check_guarantee(certificate: HistogramCertificate, plan: Plan) -> None:
    """Check that the plan asks for a histogram, with noise that fits the claim.

    Args:
        certificate: The certificate of the release alone, without payments before and after
            it.
        plan: The plan of the release.

    Raises:
        RefutedError: The plan, the statement, the noise or the costs do not fit together.
    """
    if plan.by_model:
        refuse(f"'{PLAN}' asks for marginals, and the certificate is about a histogram.")
    check_plan_caveats(certificate, plan)
    claim = certificate.guarantee
    claim_again = claim_of(
        claim.epsilon,
        certificate.neighbors,
        unit=certificate.privacy_unit,
        beyond=beyond_of(certificate),
    )
    if claim != claim_again:
        refuse("The certificate's statement does not follow from its epsilon and neighbours.")
    _check_noise(certificate, plan)
    spends = read_moments(certificate, plan.domain)
    # The histogram counts all columns together.
    all_columns = tuple(range(len(plan.domain.columns)))
    check_moments(spends, plan, [all_columns])
    cost_of_sums = sum((spend.cost.epsilon or 0 for spend in spends), Fraction(0))
    if cost_of_sums != plan.moments_epsilon:
        refuse("The cost of the sums of numbers does not match their share of the budget.")
    _check_public_rows(certificate)


def _check_noise(certificate: HistogramCertificate, plan: Plan) -> None:
    """Check the sensitivity, and that the noise costs the rest of the epsilon.

    Laplace noise costs its sensitivity divided by its scale. Before it, the epsilon pays for
    the number of rows, if that was measured, and for the sums of numbers.
    """
    mechanism = certificate.mechanism
    neighbors = certificate.neighbors
    max_rows = certificate.max_rows
    by_person = certificate.privacy_unit != str(ROW)
    # ``neighbors.sensitivity`` is 2 if a row is replaced, and 1 if it is added or removed.
    if not by_person and mechanism.sensitivity != neighbors.sensitivity:
        refuse(
            f"The sensitivity of one row under {neighbors.value} is {neighbors.sensitivity}."
        )
    if mechanism.sensitivity != max_rows * neighbors.sensitivity:
        refuse(f"The sensitivity of {max_rows} rows is {max_rows * neighbors.sensitivity}.")
    remaining_epsilon = certificate.guarantee.epsilon
    if certificate.released.noisy_rows is not None:
        # The number of rows was measured by itself, for a fixed share of the epsilon.
        remaining_epsilon -= remaining_epsilon * limits.TOTAL_SHARE
    remaining_epsilon -= plan.moments_epsilon
    # A scale of 0 would be no noise.
    if not mechanism.scale or mechanism.sensitivity / mechanism.scale != remaining_epsilon:
        refuse("The noise does not have the scale that the certificate's epsilon needs.")


def _check_public_rows(certificate: HistogramCertificate) -> None:
    """Check that exact numbers of rows are given only if they are public.

    The number of all rows is public if neighbouring tables differ in one replaced row. Then
    the rows that rules leave out have a noisy count too, if all cells are listed.
    """
    released = certificate.released
    by_person = certificate.privacy_unit != str(ROW)
    is_private = certificate.neighbors is Neighbors.ADD_REMOVE or by_person
    if (released.rows is None) != is_private:
        refuse("The number of rows must be public under replace-one, and private otherwise.")
    counts_left_out = released.rows is not None and released.threshold is None
    if (released.left_out is not None) != counts_left_out:
        refuse(
            "Rows that rules leave out must be counted where the number of all rows is "
            "public."
        )


def read_moments(certificate: HistogramCertificate, domain: Domain) -> tuple[Spend, ...]:
    """Return the payments for sums of numbers, read for the domain."""
    return tuple(read_spend(payment, domain) for payment in certificate.mechanism.moments)


def check_noisy_counts(
    archive: Archive, certificate: HistogramCertificate, domain: Domain
) -> NoisyCounts:
    """Return the noisy counts, if their file lists the right cells in order.

    Raises:
        RefutedError: It lists other cells, or a count below the threshold of listed counts.
    """
    noisy = read_noisy_counts(archive, certificate, domain)
    if not holds_table(archive, noisy_table(domain, noisy.table())):
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    if noisy.threshold is not None and (noisy.values < noisy.threshold).any():
        refuse(f"'{NOISY}' lists a count below the certificate's threshold.")
    return noisy


def read_noisy_counts(
    archive: Archive, certificate: HistogramCertificate, domain: Domain
) -> NoisyCounts:
    """Return the noisy counts as the file and the certificate have them.

    Without a threshold, all cells of the domain must be listed.

    Raises:
        RefutedError: They are not, or the file is no table of counts of this domain.
    """
    released = certificate.released
    cells, values = _read_cells(archive, domain)
    if released.threshold is None and len(values) != domain.size:
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    return NoisyCounts(
        domain=domain,
        values=values,
        scale=certificate.mechanism.scale,
        neighbors=certificate.neighbors,
        guarantee=Guarantee.pure(certificate.guarantee.epsilon),
        rows=released.rows,
        listed=None if released.threshold is None else cells,
        threshold=released.threshold,
        noisy_rows=released.noisy_rows,
        left_out=released.left_out,
    )


def _read_cells(archive: Archive, domain: Domain) -> tuple[Cells, Ints]:
    """Read the file of noisy counts, which has a label for each column and a count per line.

    Returns:
        The numbers of the cells, found by their labels, and their noisy counts; both of
        shape (lines,).

    Raises:
        RefutedError: The file has more lines than there are cells, or an unknown label.
    """
    width = len(domain.columns)
    max_cells = min(domain.size, limits.dense_cells())
    # The file spells labels so that no spreadsheet takes them for formulas.
    labels = [label_texts(list(map(guard_cell, column.cells))) for column in domain.columns]
    cells: list[Cells] = []
    values: list[Ints] = []
    for piece in read_noisy_pieces(archive, width + 1, max_cells):
        codes = [
            as_numbers(pc.index_in(piece[number], column_labels))
            for number, column_labels in enumerate(labels)
        ]
        cells.append(number_cells(codes, domain.shape))
        values.append(as_numbers(piece[width]))
    return np.concatenate(cells), np.concatenate(values)


def check_threshold(noisy: NoisyCounts) -> set[Means]:
    """Check from which threshold up counts are listed; return what was computed again.

    A table of too many cells lists only counts that reach a threshold. It is the least one
    that the noise allows, and higher only if more counts reach that one than there is room
    for.

    Returns:
        ``Means.LEAST_THRESHOLD`` if the threshold is the computed one, or rightly absent;
        nothing if it is higher, which cannot be checked.

    Raises:
        RefutedError: It is lower, or there is one where all cells must be listed.
    """
    least = None  # all cells must be listed
    if noisy.domain.size > limits.LISTED_CELLS:
        # Of so many cells it is never None, so ``or 1`` is for the type alone.
        least = least_listed(noisy.domain.size, noisy.scale) or 1
    threshold = noisy.threshold
    if threshold == least:
        return {Means.LEAST_THRESHOLD}
    if threshold is None or least is None or threshold < least:
        refuse("The certificate's threshold does not follow from the cells and the noise.")
    return set()


def draw_again(
    archive: Archive, certificate: HistogramCertificate, noisy: NoisyCounts, *, plan: Plan
) -> tuple[HistogramRecord, SyntheticTable, str]:
    """Draw the rows again from the noisy counts and compare them with the bundle's.

    All versions of NumPy so far draw the same rows (`tests/rows/test_draw.py`), so other rows
    are always refused.

    Returns:
        The noisy counts and what follows from them, the rows, and the sentence about them:
        an `OpenClaim` (not checked) if another algorithm drew them.

    Raises:
        RefutedError: The rows are others, or the repair of the counts is unknown.
    """
    rows = read_rows(archive, certificate, noisy.domain)
    # A repair makes noisy counts nonnegative; the certificate's name of it is compared later.
    if certificate.repair not in REPAIRS:
        refuse("The certificate names a repair that Synth does not know.")
    distribution = repair_counts(noisy, plan.repair)
    record = HistogramRecord(
        noisy=noisy, distribution=distribution, spends=read_moments(certificate, noisy.domain)
    )
    seed = int(certificate.drawing.seed)
    other = other_algorithm(certificate)
    if other is not None:
        return record, encode_rows(rows, record, seed), other
    again = draw_rows(distribution, plan.rows, seed=seed, laws=value_laws(record))
    claim = "The synthetic rows follow from the noisy counts, the repair and the seed."
    if not rows.same(again):
        refuse(
            "The synthetic rows do not follow from the noisy counts, the repair and the seed."
        )
    return record, again, claim

"""A release by histogram: the arithmetic of its guarantee, and the rows drawn again."""

from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow.compute as pc

from synth import limits
from synth.arrays import number_cells
from synth.bundle.archive import Archive
from synth.bundle.folder import NOISY, certificate_words, noisy_table
from synth.bundle.texts import Edition, guarded
from synth.domain.domain import Domain
from synth.noisy.counts import NoisyCounts
from synth.privacy.guarantee import ROW, Guarantee, Neighbors
from synth.repair.histogram import Repair, repair
from synth.repair.record import HistogramRecord
from synth.rows.draw import SyntheticTable, draw
from synth.rows.values import texts
from synth.verification.files import (
    as_numbers,
    edition_of,
    is_csv_of,
    noisy_pieces,
    refuse,
    rows_of,
)


def check_cells(certificate: dict[str, Any], domain: Domain) -> None:
    """See that the certificate is about this domain."""
    if domain.size != certificate["mechanism"]["cells"]:
        refuse("The certificate's number of cells is not that of the domain.")


def check_guarantee(certificate: dict[str, Any]) -> None:
    """See that the noise is what the claim needs."""
    mechanism, guarantee = certificate["mechanism"], certificate["guarantee"]
    neighbors = Neighbors(certificate["neighbors"])
    if certificate_words(
        Fraction(guarantee["epsilon"]), neighbors, unit=certificate["privacy_unit"]
    ) != (
        guarantee["kind"],
        guarantee["delta"],
        guarantee["statement"],
    ):
        refuse("The certificate's statement is not what its epsilon and neighbours give.")
    unit, most = certificate["privacy_unit"], certificate.get("max_rows", 1)
    by_person = unit != str(ROW)
    if not by_person and mechanism["sensitivity"] != neighbors.sensitivity:
        refuse(f"The sensitivity of one row under {neighbors.value} is {neighbors.sensitivity}.")
    if mechanism["sensitivity"] != most * neighbors.sensitivity:
        refuse(f"The sensitivity of {most} rows is {most * neighbors.sensitivity}.")
    scale, epsilon = Fraction(mechanism["scale"]), Fraction(guarantee["epsilon"])
    released = certificate["released"]
    if released["noisy_rows"] is not None:
        epsilon -= epsilon * limits.TOTAL_SHARE
    if not scale or mechanism["sensitivity"] / scale != epsilon:
        refuse("The noise is not of the scale that the certificate's epsilon needs.")
    if (released["rows"] is None) != (neighbors is Neighbors.ADD_REMOVE or by_person):
        refuse("The number of rows is public under replace-one, and under it only.")


def noisy_of(archive: Archive, certificate: dict[str, Any], domain: Domain) -> NoisyCounts:
    """The noisy counts, if they are those of the domain's cells in their order."""
    released, neighbors = certificate["released"], Neighbors(certificate["neighbors"])
    edition = edition_of(archive, domain)
    listed, values = _listed(archive, domain, edition)
    if released["threshold"] is None and len(values) != domain.size:
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    noisy = NoisyCounts(
        domain,
        values,
        Fraction(certificate["mechanism"]["scale"]),
        neighbors,
        Guarantee.pure(Fraction(certificate["guarantee"]["epsilon"])),
        released["rows"],
        None if released["threshold"] is None else listed,
        released["threshold"],
        released["noisy_rows"],
    )
    if not is_csv_of(archive, NOISY, noisy_table(domain, noisy.table()), edition):
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    if noisy.threshold is not None and (values < noisy.threshold).any():
        refuse(f"'{NOISY}' lists a count below the certificate's threshold.")
    return noisy


def _listed(archive: Archive, domain: Domain, edition: Edition) -> tuple[Any, Any]:
    """The cells of the file, found by their labels, and the counts; read piece by piece."""
    width, most = len(domain.columns), min(domain.size, limits.dense_cells())
    labels = [
        texts([guarded(label, edition) for label in column.cells]) for column in domain.columns
    ]
    cells, values = [], []
    for piece in noisy_pieces(archive, width + 1, most):
        codes = [as_numbers(pc.index_in(piece[i], found)) for i, found in enumerate(labels)]
        cells.append(number_cells(codes, domain.shape))
        values.append(as_numbers(piece[width]))
    return np.concatenate(cells), np.concatenate(values)


def drawn_again(
    archive: Archive, certificate: dict[str, Any], noisy: NoisyCounts
) -> tuple[HistogramRecord, SyntheticTable, str]:
    """The record, the rows, and what their being drawn again says."""
    rows = rows_of(archive, certificate, noisy.domain)
    try:
        distribution = repair(noisy, Repair(certificate["repair"]))
    except ValueError:
        refuse("The certificate names a repair that Synth does not know.")
    record = HistogramRecord(noisy, distribution)
    again = draw(distribution, certificate["rows"], seed=int(certificate["drawing"]["seed"]))
    claim = "The synthetic rows are what the noisy counts, the repair and the seed give."
    if rows.same(again):
        return record, again, claim
    if certificate["versions"].get("numpy") == version("numpy"):
        refuse("The synthetic rows are not what the noisy counts, the repair and the seed give.")
    missed = "The rows were drawn by another version of NumPy and were not drawn again."
    return record, again, missed

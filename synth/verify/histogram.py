"""A release by histogram: the arithmetic of its guarantee, and the rows drawn again."""

import io
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from synth import limits
from synth.archive import Archive
from synth.bundle import NOISY, certificate_words, noisy_table
from synth.cells import number_cells
from synth.domain import Domain
from synth.draw import SyntheticTable, draw
from synth.noisy import NoisyCounts
from synth.privacy import ROW, Guarantee, Neighbors
from synth.repair import Repair, repair
from synth.statement import Edition, guarded
from synth.verify.files import csv_of, edition_of, refuse, rows_of, same


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
    if (
        len(noisy.cells) != len(values)
        or csv_of(noisy_table(noisy), "", edition) != archive.files[NOISY]
    ):
        refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    if noisy.threshold is not None and (values < noisy.threshold).any():
        refuse(f"'{NOISY}' lists a count below the certificate's threshold.")
    return noisy


def _listed(archive: Archive, domain: Domain, edition: Edition) -> tuple[Any, Any]:
    """The cells of the file, found by their labels, and the counts."""
    archive.text(NOISY)
    try:
        table = pa_csv.read_csv(
            io.BytesIO(archive.files[NOISY]),
            read_options=pa_csv.ReadOptions(autogenerate_column_names=True, skip_rows=1),
            convert_options=pa_csv.ConvertOptions(
                column_types={f"f{i}": pa.string() for i in range(len(domain.columns))}
                | {f"f{len(domain.columns)}": pa.int64()},
                strings_can_be_null=False,
            ),
        )
        codes = [
            pc.index_in(table[i], pa.array([guarded(label, edition) for label in column.cells]))
            .combine_chunks()
            .to_numpy(zero_copy_only=False)
            for i, column in enumerate(domain.columns)
        ]
        values = table[len(domain.columns)].combine_chunks().to_numpy(zero_copy_only=False)
    except (pa.ArrowException, IndexError, KeyError):
        refuse(f"'{NOISY}' is not a table of noisy counts of the domain.")
    if any(np.issubdtype(code.dtype, np.floating) for code in codes) or values.dtype != np.int64:
        refuse(f"'{NOISY}' names a cell that the domain does not have, or holds no whole number.")
    return number_cells(codes, domain.shape), values


def drawn_again(
    archive: Archive, certificate: dict[str, Any], noisy: NoisyCounts
) -> tuple[SyntheticTable, str]:
    """The rows, and what their being drawn again says."""
    table = rows_of(archive, certificate, noisy.domain)
    try:
        distribution = repair(noisy, Repair(certificate["repair"]))
    except ValueError:
        refuse("The certificate names a repair that Synth does not know.")
    seed = int(certificate["drawing"]["seed"])
    again = draw(distribution, certificate["rows"], seed=seed)
    if same(again.table, table):
        return again, "The synthetic rows are what the noisy counts, the repair and the seed give."
    if certificate["versions"].get("numpy") != version("numpy"):
        return again, "The rows were drawn by another version of NumPy and were not drawn again."
    refuse("The synthetic rows are not what the noisy counts, the repair and the seed give.")

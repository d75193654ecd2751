"""Verify a bundle: its files, the form of its certificate, and what it claims.

The claims are checked by doing again what follows from public numbers: the arithmetic of the
guarantee, the texts, and the drawing of the synthetic rows from the noisy counts. What the
certificate says about the past (that the noise was drawn, once, exactly) no file can prove;
there the ledger helps, which keeps the certificate's digest.
"""

import hashlib
import io
import json
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from synth import limits
from synth.archive import PLAN, REPORT, Archive, guarded_table, read_archive
from synth.budget import from_terms
from synth.bundle import (
    CERTIFICATE,
    DOMAIN,
    MODEL_FORMAT,
    NOISY,
    PARQUET,
    SYNTHETIC,
    certificate_words,
    noisy_table,
)
from synth.cells import number_cells
from synth.domain import Domain
from synth.draw import SyntheticTable, draw
from synth.errors import ReleaseError, SynthError
from synth.ledger import BUNDLED, Ledger
from synth.noisy import NoisyCounts
from synth.privacy import ROW, Guarantee, Neighbors, zcdp_rho
from synth.repair import Repair, repair
from synth.report import report
from synth.schemas import read_schema, write_schema
from synth.score import check_paid, without_scores
from synth.statement import SCHEMA, guarded, texts
from synth.writing import write_csv

FORMAT = "synth-certificate-1"


@dataclass(frozen=True, eq=False)
class Verified:
    """A bundle whose every claim that can be checked holds. PUBLIC.

    Attributes:
        certificate: As it stands in the bundle.
        plan: What the steward chose, as JSON.
        noisy: The noisy counts of the histogram; None of a release by marginals.
        synthetic: The rows; None of a release by marginals, which are not drawn again.
        checks: What was checked, a sentence each.
    """

    certificate: dict[str, Any]
    plan: dict[str, Any]
    domain: Domain
    noisy: NoisyCounts | None
    synthetic: SyntheticTable | None
    checks: tuple[str, ...]


def verify(path: str | Path, ledger: Ledger | None = None) -> Verified:
    """Check a bundle.

    Args:
        path: The zip file.
        ledger: The ledger the release was recorded in, where it is at hand.

    Raises:
        ReleaseError: With the first thing that does not hold.
    """
    archive = read_archive(path)
    signed = _certificate(archive)
    _check_hashes(archive, signed)
    if signed["format"] == MODEL_FORMAT:
        return _verify_model(archive, signed, ledger)
    _check_form(signed)
    domain = _domain(archive, signed)
    certificate = without_scores(signed, domain)
    plan = _plan(archive, certificate, domain)
    _check_guarantee(certificate)
    _check_texts(archive, signed, plan, domain)
    noisy = _noisy(archive, certificate, domain)
    synthetic, drawn = _synthetic(archive, certificate, noisy)
    checks = [
        f"{len(archive.files)} files, all as the certificate's digests say.",
        "The certificate has the published form, and its arithmetic holds.",
        f"{len(noisy.values):,} noisy counts fit the domain's {domain.size:,} cells.",
        drawn,
        _check_report(archive, signed, noisy, synthetic),
    ]
    if ledger is not None:
        checks.append(_check_ledger(archive, certificate, ledger))
        check_paid(signed, ledger)
    return Verified(signed, plan, domain, noisy, synthetic, tuple(checks))


def _verify_model(archive: Archive, signed: dict[str, Any], ledger: Ledger | None) -> Verified:
    """The same for a release by marginals, whose rows are not drawn again."""
    domain = _schema(archive)
    certificate = without_scores(signed, domain)
    try:
        plan = _plan(archive, certificate, domain)
        spends = check_spends(certificate)
        _check_texts(archive, signed, plan, domain)
        rows = _rows(archive, certificate, domain).num_rows
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        _refuse("The certificate does not have the published form.")
    checks = [
        f"{len(archive.files)} files, all as the certificate's digests say.",
        f"The {spends} spends add up to the guarantee exactly, and the noise is what they pay for.",
        f"{rows:,} rows, the same in both files; they were drawn by a model, and not again.",
    ]
    if ledger is not None:
        checks.append(_check_ledger(archive, certificate, ledger))
        check_paid(signed, ledger)
    return Verified(signed, plan, domain, None, None, tuple(checks))


def check_spends(certificate: dict[str, Any]) -> int:
    """See that all that was paid is what is claimed, exactly; return the number of spends.

    Raises:
        ReleaseError: It is more or less, or a marginal's noise is not what its share pays for.
    """
    guarantee, mechanism = certificate["guarantee"], certificate["mechanism"]
    epsilon, delta = Fraction(guarantee["epsilon"]), Fraction(guarantee["delta"])
    neighbors = Neighbors(certificate["neighbors"])
    words = (guarantee["kind"], guarantee["delta"], guarantee["statement"])
    if certificate_words(epsilon, neighbors, delta) != words:
        _refuse("The certificate's statement is not what its epsilon and neighbours give.")
    costs = [from_terms(spend["cost"]) for spend in mechanism["marginals"]]
    spent = from_terms(mechanism["spent"])
    if sum(costs[1:], costs[0]) != spent:
        _refuse("The spends do not add up to what the certificate says was spent.")
    if spent.rho is None and spent != Guarantee.pure(epsilon):
        _refuse("What was spent is not the certificate's epsilon.")
    if spent.rho is not None and spent.rho > zcdp_rho(epsilon, delta):
        _refuse("What was spent is more than the certificate's epsilon and delta hold.")
    for spend, cost in zip(mechanism["marginals"], costs, strict=True):
        if "columns" in spend and _pays_for(cost, spend["noise"]) != neighbors.sensitivity:
            _refuse(f"The noise on {spend['what']} is not what its share of the budget pays for.")
    return len(costs)


def _pays_for(cost: Guarantee, noise: dict[str, str]) -> Fraction:
    """The sensitivity that a share of the budget pays for under this noise."""
    if cost.epsilon is not None:
        return cost.epsilon * Fraction(noise["scale"])
    return 2 * (cost.rho or Fraction(0)) * Fraction(noise["sigma2"])


def _certificate(archive: Archive) -> dict[str, Any]:
    certificate = archive.json(CERTIFICATE)
    form = certificate.get("format")
    if form not in (FORMAT, MODEL_FORMAT):
        known = isinstance(form, str) and form.startswith("synth-certificate-")
        _refuse(
            f"The certificate has the form '{form}', which this version of Synth does not know."
            if known
            else "The certificate was not made by Synth."
        )
    return certificate


def _check_hashes(archive: Archive, certificate: dict[str, Any]) -> None:
    hashes = certificate.get("sha256")
    if not isinstance(hashes, dict) or not hashes:
        _refuse("The certificate lists no digests of files.")
    for name, digest in hashes.items():
        if name not in archive.files:
            _refuse(f"The bundle lacks the file '{name}'.")
        if hashlib.sha256(archive.files[name]).hexdigest() != digest:
            _refuse(f"'{name}' is not the file that the certificate was written for.")
    extra = sorted(set(archive.files) - set(hashes) - {CERTIFICATE})
    if extra:
        _refuse(f"The bundle holds a file that the certificate does not list: '{extra[0]}'.")


def _check_form(certificate: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator  # here, because it is slow to import

    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    errors = sorted(Draft202012Validator(schema).iter_errors(certificate), key=lambda e: e.path)
    if errors:
        place = ".".join(str(step) for step in errors[0].absolute_path)
        where = (
            f"'{place}' is not as the published schema wants it" if place else "a part is missing"
        )
        _refuse(f"The certificate does not have the published form: {where}.")


def _schema(archive: Archive) -> Domain:
    try:
        domain = read_schema(archive.text(DOMAIN).encode())
    except ReleaseError:
        raise
    except SynthError as error:
        message = f"'{DOMAIN}' in the bundle cannot be used. {error}"
        raise ReleaseError(message) from None
    return domain


def _domain(archive: Archive, certificate: dict[str, Any]) -> Domain:
    domain = _schema(archive)
    if domain.size != certificate["mechanism"]["cells"]:
        _refuse("The certificate's number of cells is not that of the domain.")
    return domain


def _plan(archive: Archive, certificate: dict[str, Any], domain: Domain) -> dict[str, Any]:
    plan = archive.json(PLAN)
    if plan.get("domain") != json.loads(json.dumps(write_schema(domain))):
        _refuse(f"'{PLAN}' is about another domain than '{DOMAIN}'.")
    claims = (certificate["guarantee"]["epsilon"], certificate["neighbors"])
    if (plan.get("epsilon"), plan.get("neighbors")) != claims:
        _refuse(f"'{PLAN}' asks for another guarantee than the certificate gives.")
    return plan


def _check_guarantee(certificate: dict[str, Any]) -> None:
    mechanism, guarantee = certificate["mechanism"], certificate["guarantee"]
    neighbors = Neighbors(certificate["neighbors"])
    if certificate_words(
        Fraction(guarantee["epsilon"]), neighbors, unit=certificate["privacy_unit"]
    ) != (
        guarantee["kind"],
        guarantee["delta"],
        guarantee["statement"],
    ):
        _refuse("The certificate's statement is not what its epsilon and neighbours give.")
    unit, most = certificate["privacy_unit"], certificate.get("max_rows", 1)
    by_person = unit != str(ROW)
    if not by_person and mechanism["sensitivity"] != neighbors.sensitivity:
        _refuse(f"The sensitivity of one row under {neighbors.value} is {neighbors.sensitivity}.")
    if mechanism["sensitivity"] != most * neighbors.sensitivity:
        _refuse(f"The sensitivity of {most} rows is {most * neighbors.sensitivity}.")
    scale, epsilon = Fraction(mechanism["scale"]), Fraction(guarantee["epsilon"])
    released = certificate["released"]
    if released["noisy_rows"] is not None:
        epsilon -= epsilon * limits.TOTAL_SHARE
    if not scale or mechanism["sensitivity"] / scale != epsilon:
        _refuse("The noise is not of the scale that the certificate's epsilon needs.")
    if (released["rows"] is None) != (neighbors is Neighbors.ADD_REMOVE or by_person):
        _refuse("The number of rows is public under replace-one, and under it only.")


def _check_texts(
    archive: Archive, certificate: dict[str, Any], plan: dict[str, Any], domain: Domain
) -> None:
    try:
        expected = texts(certificate, plan, domain)
    except (KeyError, TypeError, ValueError):
        _refuse(f"'{PLAN}' is not a plan.")
    for name, content in expected.items():
        if archive.text(name).encode() != content:
            _refuse(f"'{name}' does not say what the certificate and the domain say.")


def _noisy(archive: Archive, certificate: dict[str, Any], domain: Domain) -> NoisyCounts:
    released, neighbors = certificate["released"], Neighbors(certificate["neighbors"])
    listed, values = _listed(archive, domain)
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
    if len(noisy.cells) != len(values) or _csv(noisy_table(noisy), "") != archive.files[NOISY]:
        _refuse(f"'{NOISY}' does not list the cells of the domain in their order.")
    if noisy.threshold is not None and (values < noisy.threshold).any():
        _refuse(f"'{NOISY}' lists a count below the certificate's threshold.")
    return noisy


def _listed(archive: Archive, domain: Domain) -> tuple[Any, Any]:
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
            pc.index_in(table[i], pa.array([guarded(label) for label in column.cells]))
            .combine_chunks()
            .to_numpy(zero_copy_only=False)
            for i, column in enumerate(domain.columns)
        ]
        values = table[len(domain.columns)].combine_chunks().to_numpy(zero_copy_only=False)
    except (pa.ArrowException, IndexError, KeyError):
        _refuse(f"'{NOISY}' is not a table of noisy counts of the domain.")
    if any(np.issubdtype(code.dtype, np.floating) for code in codes) or values.dtype != np.int64:
        _refuse(f"'{NOISY}' names a cell that the domain does not have, or holds no whole number.")
    return number_cells(codes, domain.shape), values


def _synthetic(
    archive: Archive, certificate: dict[str, Any], noisy: NoisyCounts
) -> tuple[SyntheticTable, str]:
    """The rows, and what their being drawn again says."""
    table = _rows(archive, certificate, noisy.domain)
    try:
        distribution = repair(noisy, Repair(certificate["repair"]))
    except ValueError:
        _refuse("The certificate names a repair that Synth does not know.")
    seed = int(certificate["drawing"]["seed"])
    again = draw(distribution, certificate["rows"], seed=seed)
    if _same(again.table, table):
        return again, "The synthetic rows are what the noisy counts, the repair and the seed give."
    if certificate["versions"].get("numpy") != version("numpy"):
        return again, "The rows were drawn by another version of NumPy and were not drawn again."
    _refuse("The synthetic rows are not what the noisy counts, the repair and the seed give.")


def _rows(archive: Archive, certificate: dict[str, Any], domain: Domain) -> pa.Table:
    """The rows as both files hold them."""
    table = _parquet(archive)
    if tuple(table.column_names) != domain.names:
        _refuse(f"'{PARQUET}' does not have the columns of the domain.")
    if table.num_rows != certificate["rows"]:
        _refuse("The certificate's number of synthetic rows is not that of the table.")
    if _csv(table, domain.missing_marker) != archive.files.get(SYNTHETIC):
        _refuse(f"'{SYNTHETIC}' and '{PARQUET}' do not hold the same rows.")
    return table


def _parquet(archive: Archive) -> pa.Table:
    try:
        return pq.read_table(io.BytesIO(archive.files[PARQUET]))
    except KeyError:
        _refuse(f"The bundle lacks the file '{PARQUET}'.")
    except (pa.ArrowException, OSError):
        _refuse(f"'{PARQUET}' is not a Parquet file.")


def _check_report(
    archive: Archive, certificate: dict[str, Any], noisy: NoisyCounts, synthetic: SyntheticTable
) -> str:
    if certificate["versions"].get("plotly") != version("plotly"):
        return "The report was drawn by another version of Plotly and was not drawn again."
    if report(certificate, noisy, synthetic) != archive.text(REPORT):
        _refuse(f"'{REPORT}' does not show what the noisy counts and the synthetic rows give.")
    return "The report shows what the noisy counts and the synthetic rows give."


def _check_ledger(archive: Archive, certificate: dict[str, Any], ledger: Ledger) -> str:
    digest = hashlib.sha256(archive.files[CERTIFICATE]).hexdigest()
    recorded = certificate["ledger"]
    entries = {entry.number: entry for entry in ledger.entries()}
    if not isinstance(recorded, dict) or recorded["entry"] not in entries:
        _refuse("The release is not recorded in this ledger.")
    entry = entries[recorded["entry"]]
    if recorded["head"] not in {event.hash for event in ledger.events()}:
        _refuse("The certificate's ledger head is not in this ledger.")
    claim, paid = certificate["guarantee"], entry.guarantee
    if paid.epsilon != Fraction(claim["epsilon"]) or paid.delta < Fraction(claim["delta"]):
        _refuse(
            f"Entry {entry.number} of the ledger is a spend of {entry.guarantee}, not this one."
        )
    if ledger.kept(entry, f"{BUNDLED}{digest}") is None:
        _refuse("The certificate is not one that this ledger has seen.")
    return f"Entry {entry.number} of the ledger paid for it, and the ledger knows the certificate."


def _csv(table: pa.Table, missing: str) -> bytes:
    with TemporaryDirectory(prefix="synth-") as folder:
        path = Path(folder) / "table.csv"
        write_csv([guarded_table(table)], path, missing=guarded(missing))
        return path.read_bytes()


def _same(one: pa.Table, other: pa.Table) -> bool:
    pairs = zip(one.columns, other.columns, strict=True)
    return all(_plain(a).equals(_plain(b)) for a, b in pairs)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def _refuse(message: str) -> NoReturn:
    raise ReleaseError(message)

"""What every bundle is checked for: files, digests, the form of the certificate, the ledger."""

import hashlib
import io
import json
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from synth.accounting import zcdp_rho
from synth.archive import PLAN, REPORT, Archive, guarded_table
from synth.bundle import CAVEATS, CERTIFICATE, DOMAIN, MODEL_FORMAT, PARQUET, SYNTHETIC
from synth.domain import Domain
from synth.draw import SyntheticTable
from synth.errors import ReleaseError, SynthError
from synth.ledger import BUNDLED, Ledger
from synth.models.modelled import Modelled
from synth.noisy import NoisyCounts
from synth.privacy import Guarantee, Unit
from synth.report import report
from synth.schemas import read_schema, write_schema
from synth.statement import guarded, schema_of, texts
from synth.writing import write_csv

FORMAT = "synth-certificate-1"


def certificate_of(archive: Archive) -> dict[str, Any]:
    """The certificate, if its form is known."""
    certificate = archive.json(CERTIFICATE)
    form = certificate.get("format")
    if form not in (FORMAT, MODEL_FORMAT):
        known = isinstance(form, str) and form.startswith("synth-certificate-")
        refuse(
            f"The certificate has the form '{form}', which this version of Synth does not know."
            if known
            else "The certificate was not made by Synth."
        )
    return certificate


def check_hashes(archive: Archive, certificate: dict[str, Any]) -> None:
    """See that every file is there, is listed, and is the one that was listed."""
    hashes = certificate.get("sha256")
    if not isinstance(hashes, dict) or not hashes:
        refuse("The certificate lists no digests of files.")
    for name, digest in hashes.items():
        if name not in archive.files:
            refuse(f"The bundle lacks the file '{name}'.")
        if hashlib.sha256(archive.files[name]).hexdigest() != digest:
            refuse(f"'{name}' is not the file that the certificate was written for.")
    extra = sorted(set(archive.files) - set(hashes) - {CERTIFICATE})
    if extra:
        refuse(f"The bundle holds a file that the certificate does not list: '{extra[0]}'.")


def check_form(certificate: dict[str, Any]) -> None:
    """See that the certificate is as the published schema wants it."""
    from jsonschema import Draft202012Validator  # here, because it is slow to import

    schema = json.loads(schema_of(certificate).read_text(encoding="utf-8"))
    found = Draft202012Validator(schema).iter_errors(certificate)
    errors = sorted(found, key=lambda error: [str(step) for step in error.absolute_path])
    if errors:
        refuse(f"The certificate does not have the published form: {_where(errors[0])}.")
    if certificate.get("caveats", list(CAVEATS)) != list(CAVEATS):
        refuse("The certificate's caveats are not those that every release has.")


def _where(error: Any) -> str:
    place = ".".join(str(step) for step in error.absolute_path)
    if error.validator == "additionalProperties":
        return f"'{place}' claims more than it may" if place else "it claims more than it may"
    return f"'{place}' is not as the published schema wants it" if place else "a part is missing"


def domain_of(archive: Archive) -> Domain:
    """The declared domain."""
    try:
        domain = read_schema(archive.text(DOMAIN).encode())
    except ReleaseError:
        raise
    except SynthError as error:
        message = f"'{DOMAIN}' in the bundle cannot be used. {error}"
        raise ReleaseError(message) from None
    return domain


def plan_of(archive: Archive, certificate: dict[str, Any], domain: Domain) -> dict[str, Any]:
    """The plan, if it is about this domain, this guarantee and this privacy unit."""
    plan = archive.json(PLAN)
    if plan.get("domain") != json.loads(json.dumps(write_schema(domain))):
        refuse(f"'{PLAN}' is about another domain than '{DOMAIN}'.")
    claims = (certificate["guarantee"]["epsilon"], certificate["neighbors"])
    if (plan.get("epsilon"), plan.get("neighbors")) != claims:
        refuse(f"'{PLAN}' asks for another guarantee than the certificate gives.")
    if _unit(plan) != (certificate["privacy_unit"], certificate.get("max_rows", 1)):
        refuse(f"'{PLAN}' protects another privacy unit than the certificate says.")
    return plan


def _unit(plan: dict[str, Any]) -> tuple[str, int]:
    try:
        unit = Unit(plan.get("person", ""), plan.get("max_rows", 1))
    except SynthError:
        refuse(f"'{PLAN}' is not a plan.")
    return str(unit), unit.max_rows


def check_texts(
    archive: Archive, certificate: dict[str, Any], plan: dict[str, Any], domain: Domain
) -> None:
    """See that the texts say what the certificate, the plan and the domain say."""
    try:
        expected = texts(certificate, plan, domain)
    except (KeyError, TypeError, ValueError):
        refuse(f"'{PLAN}' is not a plan.")
    for name, content in expected.items():
        if archive.text(name).encode() != content:
            refuse(f"'{name}' does not say what the certificate and the domain say.")


def rows_of(archive: Archive, certificate: dict[str, Any], domain: Domain) -> pa.Table:
    """The rows as both files hold them."""
    table = _parquet(archive)
    if tuple(table.column_names) != domain.names:
        refuse(f"'{PARQUET}' does not have the columns of the domain.")
    if table.num_rows != certificate["rows"]:
        refuse("The certificate's number of synthetic rows is not that of the table.")
    if csv_of(table, domain.missing_marker) != archive.files.get(SYNTHETIC):
        refuse(f"'{SYNTHETIC}' and '{PARQUET}' do not hold the same rows.")
    return table


def _parquet(archive: Archive) -> pa.Table:
    try:
        return pq.read_table(io.BytesIO(archive.files[PARQUET]))
    except KeyError:
        refuse(f"The bundle lacks the file '{PARQUET}'.")
    except (pa.ArrowException, OSError):
        refuse(f"'{PARQUET}' is not a Parquet file.")


def check_report(
    archive: Archive,
    certificate: dict[str, Any],
    noisy: NoisyCounts | Modelled,
    synthetic: SyntheticTable,
) -> str:
    """See that the report shows what it should; return the sentence."""
    if certificate["versions"].get("plotly") != version("plotly"):
        return "The report was drawn by another version of Plotly and was not drawn again."
    if report(certificate, noisy, synthetic) != archive.text(REPORT):
        refuse(f"'{REPORT}' does not show what the noisy counts and the synthetic rows give.")
    return "The report shows what the noisy counts and the synthetic rows give."


def check_ledger(archive: Archive, certificate: dict[str, Any], ledger: Ledger) -> str:
    """See that a spend of the ledger paid for it; return the sentence."""
    digest = hashlib.sha256(archive.files[CERTIFICATE]).hexdigest()
    recorded = certificate["ledger"]
    entries = {entry.number: entry for entry in ledger.entries()}
    if not isinstance(recorded, dict) or recorded["entry"] not in entries:
        refuse("The release is not recorded in this ledger.")
    entry = entries[recorded["entry"]]
    if recorded["head"] not in {event.hash for event in ledger.events()}:
        refuse("The certificate's ledger head is not in this ledger.")
    claim, paid = certificate["guarantee"], entry.guarantee
    if not _covers(paid, Fraction(claim["epsilon"]), Fraction(claim["delta"])):
        refuse(f"Entry {entry.number} of the ledger is a spend of {entry.guarantee}, not this one.")
    if ledger.kept(entry, f"{BUNDLED}{digest}") is None:
        refuse("The certificate is not one that this ledger has seen.")
    return f"Entry {entry.number} of the ledger paid for it, and the ledger knows the certificate."


def _covers(paid: Guarantee, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether it was paid in full: as it is claimed, or as the rho that keeps the claim."""
    if paid.rho is not None:
        return bool(delta) and paid.rho == zcdp_rho(epsilon, delta)
    return paid.epsilon == epsilon and paid.delta >= delta


def csv_of(table: pa.Table, missing: str) -> bytes:
    """A table as the bundle's CSV files are written."""
    with TemporaryDirectory(prefix="synth-") as folder:
        path = Path(folder) / "table.csv"
        write_csv([guarded_table(table)], path, missing=guarded(missing))
        return path.read_bytes()


def same(one: pa.Table, other: pa.Table) -> bool:
    """Whether two tables hold the same values, however they are coded."""
    pairs = zip(one.columns, other.columns, strict=True)
    return all(_plain(a).equals(_plain(b)) for a, b in pairs)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def refuse(message: str) -> NoReturn:
    """Say what does not hold."""
    raise ReleaseError(message)

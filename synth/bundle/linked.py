"""A release of linked tables as it was made, and its files. PUBLIC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import fill

import numpy as np
import pyarrow as pa

from synth.bundle.archive import PLAN, certificate_of, write_zip
from synth.bundle.certificate import LinkedCertificate
from synth.bundle.certificate_parts import Claim, Drawing, LinkedPayment
from synth.bundle.certify import record_of_spend, versions
from synth.bundle.claims import CONDITIONS, in_words
from synth.bundle.data_package import PROFILE, synthetic_fields
from synth.bundle.declaration import declaration_record, extend_sentence, linked_rows_fit
from synth.bundle.exports.tables import BUNDLED_TABLES, CSV
from synth.bundle.guard import guard_cell, write_guarded
from synth.bundle.resources import DATA_PACKAGE, Described, WrittenFile
from synth.bundle.texts import LISTS_OPEN_PARTS, STATEMENT, json_bytes, list_caveats
from synth.bundle.writer import (
    CERTIFICATE,
    NOISY,
    NOTHING_PROTECTED,
    bytes_writers,
    keep_digest,
    write_files,
)
from synth.domain import LOOKED_UP, LinkedPackage, LinkedTable
from synth.door import ALGORITHM, Entry, Ledger, Preparation, sum_preparations
from synth.linked import LinkedMarginal, LinkedSpend, estimate_roots
from synth.plans import LinkedPlan
from synth.privacy import Neighbors, plain, reading_caveats, scientific
from synth.rows import numbers, slices, write_parquet
from synth.util import Document, Json, Protection, Writer, write_number

SCHEMA_FILE = "certificate.schema.json"
# The neighbouring packages, which must look alike.
RELATIONS = {
    Neighbors.ADD_REMOVE: "differ by one root more; the number of roots is private",
    Neighbors.REPLACE_ONE: "differ in one replaced root; the number of keys is public",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedResult:
    """A release of linked tables: everything in it is PUBLIC.

    Attributes:
        spends: What was measured and paid, in order.
        certificate: Without the digests of files.
        repeated: Whether it comes from the ledger, at no cost.
    """

    plan: LinkedPlan
    spends: tuple[LinkedSpend, ...]
    tables: Mapping[str, pa.Table]
    certificate: LinkedCertificate
    entry: Entry | None = None
    repeated: bool = False

    def write(
        self,
        directory: str | Path,
        ledger: Ledger | None = None,
        formats: Sequence[str] = (CSV.name,),
        protection: Protection = NOTHING_PROTECTED,
    ) -> dict[str, Path]:
        """Write one file a table and what describes them, as ``csv``, ``parquet`` or both.

        The ledger of the release keeps the digest of the certificate.

        Raises:
            ReleaseError: A file cannot be written, or something else is there.
            LedgerError: The ledger cannot be written.
        """
        writers = self._writers(formats)
        paths = write_files(directory, writers, self.certificate, self._described, protection)
        keep_digest(paths[CERTIFICATE].read_bytes(), self.entry, ledger)
        return paths

    def write_archive(
        self,
        path: str | Path,
        ledger: Ledger | None = None,
        protection: Protection = NOTHING_PROTECTED,
    ) -> Path:
        """Write the bundle; the ledger of the release keeps the digest of its certificate.

        Raises:
            ReleaseError: It cannot be written, or something else is there.
        """
        writers = self._writers([*BUNDLED_TABLES])
        made = write_zip(path, writers, self.certificate, self._described, protection)
        keep_digest(certificate_of(made), self.entry, ledger)
        return made

    def _writers(self, formats: Sequence[str]) -> dict[str, Writer]:
        return {
            **table_files(self.plan.package, self.tables, formats),
            NOISY: partial(write_noisy, self.spends),
            **bytes_writers(linked_texts(self.certificate, self.plan)),
        }

    @property
    def _described(self) -> Described:
        return partial(describe_linked, self.certificate, self.plan.package)


def linked_names(package: LinkedPackage, formats: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the files that `LinkedResult.write` writes into a folder."""
    tables = [f"{one.name}.{kind}" for one in package.tables for kind in formats]
    return (*tables, NOISY, PLAN, STATEMENT, SCHEMA_FILE, DATA_PACKAGE, CERTIFICATE)


def table_files(
    package: LinkedPackage, tables: Mapping[str, pa.Table], formats: Sequence[str]
) -> dict[str, Writer]:
    found: dict[str, Writer] = {}
    for one in package.tables:
        pieces = slices(tables[one.name])
        if CSV.name in formats:
            missing = guard_cell(one.domain.missing_marker)
            found[f"{one.name}.csv"] = partial(write_guarded, pieces, missing=missing)
        if "parquet" in formats:
            found[f"{one.name}.parquet"] = partial(write_parquet, pieces)
    return found


def write_noisy(spends: Sequence[LinkedSpend], path: Path) -> None:
    lengths = [len(one.values) for one in spends]
    columns = {
        "payment": np.repeat(np.arange(1, len(spends) + 1), lengths),
        "cell": np.concatenate([np.arange(length) for length in lengths]),
        "noisy_count": np.concatenate([one.values for one in spends]),
    }
    table = pa.table([numbers(column) for column in columns.values()], [*columns])
    write_guarded(slices(table), path)


def linked_texts(certificate: LinkedCertificate, plan: LinkedPlan) -> dict[str, bytes]:
    return {
        PLAN: json_bytes(plan.to_json()),
        STATEMENT: linked_statement(certificate).encode(),
        SCHEMA_FILE: certificate.schema.read_bytes(),
    }


def linked_claim(plan: LinkedPlan, preparations: Sequence[Preparation] = ()) -> Claim:
    """Return the claim of a release, which covers the payments before it too."""
    paid = sum_preparations(preparations)
    epsilon, delta = plan.epsilon, plan.delta
    if paid is not None:
        epsilon, delta = epsilon + (paid.epsilon or 0), delta + paid.delta
    provenance = plan.package.provenance
    beyond = extend_sentence(
        [one.kind for one in preparations],
        taken=provenance.origin == LOOKED_UP,
        vouched=provenance.vouched,
        looked=provenance.looked,
    )
    told = f"({plain(epsilon)}, {scientific(delta)})" if delta else plain(epsilon)
    statement = (
        f"{in_words(epsilon, plan.neighbors, 'root')} The released files are "
        f"{told}-differentially private for packages of tables that "
        f"{RELATIONS[plan.neighbors]}. A root is {plan.unit}."
    )
    kind = "(epsilon, delta)-" if delta else "pure epsilon-"
    return Claim(
        kind=f"{kind}differential privacy",
        epsilon=epsilon,
        delta=delta,
        statement=statement + beyond,
    )


def certify_linked(
    plan: LinkedPlan,
    spends: Sequence[LinkedSpend],
    tables: Mapping[str, pa.Table],
    *,
    entry: Entry,
    head: str | None,
    seed: int,
    preparations: Sequence[Preparation] = (),
) -> LinkedCertificate:
    """Return the certificate of a release, without the digests of its files.

    Args:
        head: The hash of the ledger's newest event of the release; None without a ledger
        file. preparations: Checks and drafts that were paid before; the certificate covers
        them too.
    """
    package, provenance = plan.package, plan.package.provenance
    return LinkedCertificate(
        created=entry.time,
        rows_fit=linked_rows_fit(package, preparations),
        guarantee=linked_claim(plan, preparations),
        neighbors=plan.neighbors,
        privacy_unit=str(plan.unit),
        max_rows=max(one.most for one in package.tables),
        caveats=linked_caveats(plan),
        domain_origin=provenance.origin,
        declaration=declaration_record(provenance, preparations),
        number_of_rows="; ".join(roots_in_words(plan, spends)),
        dataset=entry.dataset,
        ledger=record_of_spend(entry, head),
        versions=versions(),
        mechanism="noisy histograms of linked rows, joined by a model",
        algorithm=ALGORITHM,
        payments=tuple(payment_of(package, one) for one in spends),
        drawing=Drawing("evenly, column by column", str(seed)),
        rows={name: table.num_rows for name, table in tables.items()},
    )


def linked_caveats(plan: LinkedPlan) -> tuple[str, ...]:
    """Return the caveats of a release: what counts as a row of each table is among them."""
    return (*CONDITIONS, *reading_caveats(plan.readings_by_name), *LinkedCertificate.CAVEATS)


def payment_of(package: LinkedPackage, one: LinkedSpend) -> LinkedPayment:
    marginals = tuple(each.to_json(package) for each in one.marginals)
    return LinkedPayment(
        what=one.what(package),
        marginals=marginals,
        is_distance=one.is_distance,
        numbers=len(one.values),
        cost=one.cost,
        noise=one.mechanism,
    )


def roots_in_words(plan: LinkedPlan, spends: Sequence[LinkedSpend]) -> list[str]:
    package = plan.package
    measured: dict[LinkedMarginal, list[LinkedSpend]] = {}
    for spend in spends:
        if not spend.is_distance:
            measured.setdefault(spend.marginals[0], []).append(spend)
    root = [spend for one in measured if one.table == 0 for spend in measured[one]]
    many, precision = estimate_roots([(spend.values, spend.mechanism) for spend in root])
    bar = write_number(1.96 / precision**0.5)
    told = [f"About {max(0, many):,.0f} (± {bar}) roots, from the noisy counts"]
    for one, several in measured.items():
        for child in package.children(one.table):
            if one.columns != (package.number(child),):
                continue
            below, units = package.tables[child], one.units(package)
            weights = np.array([1 / spend.mechanism.variance for spend in several])
            sums = np.average([s.values for s in several], axis=0, weights=weights) / units
            over, most = sums[below.most + 1 :], below.most
            noise = 1.96 / float(weights.sum()) ** 0.5 / units
            above, gone = (
                f"{max(0, over @ each):,.0f} (± {write_number(noise * (each @ each) ** 0.5)})"
                for each in (np.ones(3), np.array([1, most + 1, 3 * most + 1]))
            )
            told.append(
                f"about {above} have more than {most} rows of '{below.name}'; at least "
                f"{gone} of these rows are left out"
            )
    return told


def linked_statement(certificate: LinkedCertificate) -> str:
    rows = "\n".join(
        f"{name}: {many:,} synthetic rows" for name, many in certificate.rows.items()
    )
    return f"""{fill(certificate.rows_fit, 86)}

ABOUT THESE FILES

Synthetic tables, made from the confidential package '{certificate.dataset}'. No row describes
a real person. The keys link the tables; they are made up and do not depend on the real keys.
A key may equal a real one by chance, and then says nothing about that person.

{rows}

THE GUARANTEE

{fill(certificate.guarantee.statement, 86)}

{list_caveats(certificate)}

HOW IT WAS MADE

{len(certificate.payments)} histograms of rows and of pairs of rows were measured with exact noise;
their costs{_and_payments(certificate)} add up to the guarantee. All else follows from these
noisy counts.
{fill(f"Declarations: {certificate.domain_origin}.", 86)}
{fill(certificate.number_of_rows, 86)}.

HOW TO CHECK IT

python -m synth verify BUNDLE.zip            checks files, costs, noise and keys
python -m synth verify BUNDLE.zip --redraw   draws all rows again from the noisy counts
{LISTS_OPEN_PARTS}
"""  # noqa: E501


def _and_payments(certificate: LinkedCertificate) -> str:
    many = len(certificate.declaration.preparations)
    return f" and those of {many} payments before" if many else ""


def describe_linked(
    certificate: LinkedCertificate, package: LinkedPackage, written: Mapping[str, WrittenFile]
) -> dict[str, bytes]:
    resources: list[Json] = []
    for one in package.tables:
        for suffix, media in (
            ("csv", "text/csv"),
            ("parquet", "application/vnd.apache.parquet"),
        ):
            name = f"{one.name}.{suffix}"
            if name in written:
                schema: Document = (
                    {"schema": _schema(package, one)} if suffix == "csv" else {}
                )
                told: Document = {"type": "table", "encoding": "utf-8"} if schema else {}
                key = one.name if schema else name
                resources.append(
                    _resource(key, name, media, file=written[name]) | told | schema
                )
    others = sorted(
        name
        for name in written
        if name.split(".")[0] not in [one.name for one in package.tables]
    )
    kinds = {".csv": "text/csv", ".json": "application/json", ".txt": "text/plain"}
    resources += [_resource(n, n, kinds[Path(n).suffix], file=written[n]) for n in others]
    content: Document = {
        "$schema": PROFILE,
        "name": package.name,
        "description": certificate.guarantee.statement,
        "created": certificate.created,
        "resources": resources,
    }
    return {DATA_PACKAGE: json_bytes(content)}


def _resource(name: str, path: str, mediatype: str, *, file: WrittenFile) -> Document:
    return {
        "name": name,
        "path": path,
        "format": Path(path).suffix[1:],
        "mediatype": mediatype,
        "bytes": file.bytes,
        "hash": f"sha256:{file.sha256}",
    }


def _schema(package: LinkedPackage, one: LinkedTable) -> Document:
    fields: dict[str, Json] = {str(f["name"]): f for f in synthetic_fields(one.domain)}
    for name, kind in one.keys:
        pattern = package.pattern(package.tables.index(one), name)
        kind = str(pattern.write_field()["type"]) if pattern else kind
        kind = "integer" if kind in ("integer", "number") else "string"
        told: Document = {
            "name": guard_cell(name),
            "type": kind,
            "constraints": {"required": True},
        }
        fields[guard_cell(name)] = told
    schema: Document = {"fields": [fields[guard_cell(name)] for name in one.order]}
    schema["missingValues"] = []
    return schema | package.key_constraints(one, guard_cell)

"""A release of linked tables as it was made, and its files. PUBLIC."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import fill

import numpy as np
import pyarrow as pa

from synth.bundle.archive import certificate_of, write_zip
from synth.bundle.certificate import LinkedCertificate
from synth.bundle.certificate_parts import Claim, Drawing, LinkedPayment
from synth.bundle.certify import SpendOfRelease, record_of_spend, versions
from synth.bundle.claims import CONDITIONS, in_words
from synth.bundle.data_package import PROFILE, synthetic_fields
from synth.bundle.declaration import declaration_record, extend_sentence, linked_rows_fit
from synth.bundle.exports.tables import BUNDLED_TABLES, CSV
from synth.bundle.file_names import CERTIFICATE, NOISY, OPEN_PAGE, PLAN, SCHEMA
from synth.bundle.guard import guard_cell, write_guarded
from synth.bundle.open_html import write_page
from synth.bundle.resources import DATA_PACKAGE, Described, WrittenFile
from synth.bundle.texts import (
    LINE_LENGTH,
    LISTS_OPEN_PARTS,
    STATEMENT,
    decision_lines,
    json_bytes,
    list_caveats,
)
from synth.bundle.writer import bytes_writers, keep_digest, write_files
from synth.domain import LOOKED_UP, LinkedPackage, LinkedTable
from synth.door import ALGORITHM, Entry, Ledger, Preparation, sum_preparations
from synth.linked import LinkedMarginal, LinkedSpend, estimate_roots, reach_of_roots
from synth.noise import WeightedNoise, blend_reach
from synth.plans import LinkedPlan
from synth.privacy import Neighbors, plain, reading_caveats, scientific
from synth.rows import numbers, slices, write_parquet
from synth.util import (
    NOTHING_PROTECTED,
    Document,
    Floats,
    Json,
    Protection,
    Writer,
    write_number,
)

# The neighbouring packages, which must look alike.
RELATIONS = {
    Neighbors.ADD_REMOVE: "differ by one root more; the number of roots is private",
    Neighbors.REPLACE_ONE: "differ in one replaced root; the number of keys is public",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedResult:
    """A release of linked tables: everything in it is PUBLIC.

    Attributes:
        plan: The plan of the release.
        spends: The paid measurements, in order.
        tables: The synthetic rows of each table, by its name.
        certificate: Without the digests of files.
        entry: The spend in the ledger.
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
        *,
        protection: Protection = NOTHING_PROTECTED,
    ) -> dict[str, Path]:
        """Write one file a table and what describes them, as ``csv``, ``parquet`` or both.

        Args:
            directory: The folder for the files.
            ledger: The ledger of the release, which stores the digest of the certificate.
            formats: The names of the formats.
            protection: The files that are never written over.

        Returns:
            The path of each file, by its name.

        Raises:
            ReleaseError: A file cannot be written, or something else is there.
            LedgerError: The ledger cannot be written.
        """
        writers = self._writers(formats)
        paths = write_files(
            directory,
            writers,
            self.certificate,
            described=self._described,
            protection=protection,
        )
        keep_digest(paths[CERTIFICATE].read_bytes(), self.entry, ledger)
        return paths

    def write_archive(
        self,
        path: str | Path,
        ledger: Ledger | None = None,
        protection: Protection = NOTHING_PROTECTED,
    ) -> Path:
        """Write the bundle as one zip, with rows in all formats, and return its path.

        Args:
            path: The zip file to write.
            ledger: The ledger of the release, which stores the digest of the certificate.
            protection: The files that are never written over.

        Raises:
            ReleaseError: It cannot be written, or something else is there.
        """
        writers = self._writers([*BUNDLED_TABLES])
        written = write_zip(
            path, writers, self.certificate, described=self._described, protection=protection
        )
        keep_digest(certificate_of(written), self.entry, ledger)
        return written

    def _writers(self, formats: Sequence[str]) -> dict[str, Writer]:
        """Return the function that writes each file to a path, by the file's name."""
        return {
            **table_files(self.plan.package, self.tables, formats),
            NOISY: partial(write_noisy, self.spends),
            **bytes_writers(linked_texts(self.certificate, self.plan)),
        }

    @property
    def _described(self) -> Described:
        return partial(describe_linked, self.certificate, self.plan.package)


def linked_names(package: LinkedPackage, formats: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the files that `LinkedResult.write` writes into a folder.

    Args:
        package: The declared tables.
        formats: The names of the formats of their rows: ``csv``, ``parquet`` or both.
    """
    tables = [f"{table.name}.{kind}" for table in package.tables for kind in formats]
    texts = (PLAN, STATEMENT, OPEN_PAGE, SCHEMA)
    return (*tables, NOISY, *texts, DATA_PACKAGE, CERTIFICATE)


def table_files(
    package: LinkedPackage, tables: Mapping[str, pa.Table], formats: Sequence[str]
) -> dict[str, Writer]:
    """Return the function that writes each file of rows to a path, by the file's name.

    Args:
        package: The declared tables.
        tables: The synthetic rows of each table, by its name.
        formats: The names of the formats: ``csv``, ``parquet`` or both.
    """
    writers: dict[str, Writer] = {}
    for table in package.tables:
        pieces = slices(tables[table.name])  # of limited length, to be written one by one
        if CSV.name in formats:
            missing = _markers_of(table, tables[table.name].column_names)
            writers[f"{table.name}.csv"] = partial(write_guarded, pieces, missing=missing)
        if "parquet" in formats:
            writers[f"{table.name}.parquet"] = partial(write_parquet, pieces)
    return writers


def _markers_of(table: LinkedTable, names: Sequence[str]) -> list[str]:
    """Return the guarded text of a missing value in each column of a table's CSV file.

    Keys are never missing, so that theirs is not used. `names` are those of all columns.
    """
    domain = table.domain
    markers = dict(zip(domain.written, domain.markers, strict=True))
    return [guard_cell(markers.get(name, domain.missing_marker)) for name in names]


def write_noisy(spends: Sequence[LinkedSpend], path: Path) -> None:
    """Write the noisy counts of all payments as one CSV file.

    It has a line for each count: the number of the payment, from 1 up; the number of the cell
    in the payment's histogram, from 0 up; and the noisy count.
    """
    lengths = [len(spend.values) for spend in spends]
    columns = {
        "payment": np.repeat(np.arange(1, len(spends) + 1), lengths),
        "cell": np.concatenate([np.arange(length) for length in lengths]),
        "noisy_count": np.concatenate([spend.values for spend in spends]),
    }
    table = pa.table([numbers(column) for column in columns.values()], [*columns])
    write_guarded(slices(table), path)


def linked_texts(certificate: LinkedCertificate, plan: LinkedPlan) -> dict[str, bytes]:
    """Return the bytes of the plan, the statement, the page and the schema, by file name."""
    statement_text = linked_statement(certificate)
    return {
        PLAN: json_bytes(plan.to_json()),
        STATEMENT: statement_text.encode(),
        OPEN_PAGE: write_page(certificate, statement_text, None),
        SCHEMA: certificate.schema.read_bytes(),
    }


def linked_claim(plan: LinkedPlan, preparations: Sequence[Preparation] = ()) -> Claim:
    """Return the claim of a release, which covers the payments before it too.

    Args:
        plan: The plan of the release.
        preparations: The drafts and checks of its declarations that were paid before.
    """
    paid = sum_preparations(preparations)
    epsilon = plan.epsilon
    delta = plan.delta
    if paid is not None:
        epsilon += paid.epsilon or 0
        delta += paid.delta
    provenance = plan.package.provenance
    beyond = extend_sentence(
        [preparation.kind for preparation in preparations],
        taken=provenance.origin == LOOKED_UP,
        vouched=provenance.vouched,
        looked=provenance.looked,
    )
    parameters = f"({plain(epsilon)}, {scientific(delta)})" if delta else plain(epsilon)
    statement = (
        f"{in_words(epsilon, plan.neighbors, 'root')} The released files are "
        f"{parameters}-differentially private for packages of tables that "
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
    spend: SpendOfRelease,
    seed: int,
) -> LinkedCertificate:
    """Return the certificate of a release of linked tables, without the digests of its files.

    Args:
        plan: The plan of the release.
        spends: The payments in order, each with its noisy counts.
        tables: The synthetic rows of each table, by its name; only their number is used.
        spend: The ledger's record of the release.
        seed: The public seed of the rows.
    """
    entry = spend.entry
    preparations = spend.preparations
    package = plan.package
    provenance = package.provenance
    return LinkedCertificate(
        created=entry.time,
        rows_fit=linked_rows_fit(package, preparations),
        guarantee=linked_claim(plan, preparations),
        neighbors=plan.neighbors,
        privacy_unit=str(plan.unit),
        # ``most``: the most rows of a table that are kept under one row of the table above.
        max_rows=max(table.most for table in package.tables),
        caveats=linked_caveats(plan),
        domain_origin=provenance.origin,
        declaration=declaration_record(provenance, preparations),
        number_of_rows="; ".join(roots_in_words(plan, spends)),
        dataset=entry.dataset,
        ledger=record_of_spend(entry, spend.head),
        versions=versions(),
        mechanism="noisy histograms of linked rows, joined by a model",
        algorithm=ALGORITHM,
        payments=tuple(payment_of(package, spend) for spend in spends),
        drawing=Drawing("evenly, column by column", str(seed)),
        rows={name: table.num_rows for name, table in tables.items()},
    )


def linked_caveats(plan: LinkedPlan) -> tuple[str, ...]:
    """Return the caveats of a release: what counts as a row of each table is among them."""
    return (*CONDITIONS, *reading_caveats(plan.readings_by_name), *LinkedCertificate.CAVEATS)


def payment_of(package: LinkedPackage, spend: LinkedSpend) -> LinkedPayment:
    """Return the certificate's part about a payment, which has no noisy counts."""
    marginals = tuple(marginal.to_json(package) for marginal in spend.marginals)
    return LinkedPayment(
        what=spend.what(package),
        marginals=marginals,
        is_distance=spend.is_distance,
        numbers=len(spend.values),
        cost=spend.cost,
        noise=spend.mechanism,
    )


def roots_in_words(plan: LinkedPlan, spends: Sequence[LinkedSpend]) -> list[str]:
    """Return sentences on the number of roots, and on the rows that limits leave out.

    A root is a row of the top table, with all rows that belong to it. Of some tables, only a
    limited number of rows of one parent is used.

    Args:
        plan: The plan of the release.
        spends: The payments of the release, each with its noisy counts.
    """
    # The payments for each histogram, which may have been measured more than once.
    spends_of: dict[LinkedMarginal, list[LinkedSpend]] = {}
    for spend in spends:
        if not spend.is_distance:
            spends_of.setdefault(spend.marginals[0], []).append(spend)
    root_spends: list[LinkedSpend] = []
    for marginal, marginal_spends in spends_of.items():
        if marginal.table == 0:  # the top table
            root_spends += marginal_spends
    measurements = [(spend.values, spend.mechanism) for spend in root_spends]
    roots = estimate_roots(measurements)
    # Rounded up, so that the interval still holds.
    bar = write_number(reach_of_roots(measurements), end=math.ceil)
    sentences = [f"About {max(0, roots):,.0f} (± {bar}) roots, from the noisy counts"]
    for marginal, marginal_spends in spends_of.items():
        for child in plan.package.children(marginal.table):
            # A histogram of the numbers of children alone, by parent.
            if marginal.columns == (plan.package.number(child),):
                sentences.append(
                    _say_left_out(plan.package, child, marginal, spends=marginal_spends)
                )
    return sentences


def _say_left_out(
    package: LinkedPackage,
    child: int,
    marginal: LinkedMarginal,
    *,
    spends: Sequence[LinkedSpend],
) -> str:
    """Return the sentence on the rows of a table that its limit leaves out.

    The marginal counts parents by their number of children: up to the limit, and then in
    three cells above it, whose least number of children is known.

    Args:
        package: The declared tables.
        child: The number of the table of the children.
        marginal: The histogram of parents.
        spends: The payments for it, each with its noisy counts.
    """
    table = package.tables[child]
    limit = table.most
    # Counts are in units, of which the rows of one root share a fixed number.
    units = marginal.units(package)
    # The payments' counts are averaged, each weighted by the inverse of its variance. The
    # variance of such an average is 1 over the sum of the weights.
    weights = np.array([1 / spend.mechanism.variance for spend in spends])
    counts = np.average([spend.values for spend in spends], axis=0, weights=weights) / units
    counts_above = counts[limit + 1 :]
    shares = weights / weights.sum() / units

    def estimate(factors: Floats) -> str:
        """Return a weighted sum of the three counts in words, with its 95 % interval.

        The interval follows from the law of the noise. ``factors`` has shape (3,).
        """
        reach = blend_reach(
            [
                WeightedNoise(spend.mechanism.cell_noise.number_law, share * factors)
                for spend, share in zip(spends, shares, strict=True)
            ]
        )
        return (
            f"{max(0, counts_above @ factors):,.0f} (± {write_number(reach, end=math.ceil)})"
        )

    parents = estimate(np.ones(3))
    # Parents in the three cells have more than 1, 2 or 4 times the limit. So they have at
    # least 1, limit + 1 or 3 limit + 1 rows too many.
    rows = estimate(np.array([1, limit + 1, 3 * limit + 1]))
    return (
        f"about {parents} have more than {limit} rows of '{table.name}'; about "
        f"{rows} of these rows, or more, are left out"
    )


def linked_statement(certificate: LinkedCertificate) -> str:
    """Return the statement about linked tables, the text of the file `STATEMENT`."""
    rows = "\n".join(
        f"{name}: {rows_of_table:,} synthetic rows"
        for name, rows_of_table in certificate.rows.items()
    )
    return f"""{fill(certificate.rows_fit, LINE_LENGTH)}

ABOUT THESE FILES

Synthetic tables, made from the confidential package '{certificate.dataset}'. No row describes
a real person. The keys link the tables; they are made up and do not depend on the real keys.
A key may equal a real one by chance, and then says nothing about that person.

{rows}

THE GUARANTEE

{fill(certificate.guarantee.statement, LINE_LENGTH)}

{list_caveats(certificate)}

HOW IT WAS MADE

{len(certificate.payments)} histograms of rows and of pairs of rows were measured with exact noise;
their costs{_and_payments(certificate)} add up to the guarantee. All else follows from these
noisy counts.
{fill(f"Declarations: {certificate.domain_origin}.", LINE_LENGTH)}
{decision_lines(certificate)}{fill(certificate.number_of_rows, LINE_LENGTH)}.

HOW TO CHECK IT

synth verify BUNDLE.zip   checks files, costs, noise and keys, and draws all rows again
{LISTS_OPEN_PARTS}
"""  # noqa: E501


def _and_payments(certificate: LinkedCertificate) -> str:
    """Return the words on payments before the release, if there were any."""
    payments = len(certificate.declaration.preparations)
    return f" and those of {payments} payments before" if payments else ""


def describe_linked(
    certificate: LinkedCertificate, package: LinkedPackage, written: Mapping[str, WrittenFile]
) -> dict[str, bytes]:
    """Return the bytes of the data package that describes the written files, by its name.

    Args:
        certificate: The certificate of the release.
        package: The declared tables.
        written: The digest and size of each written file, by name.
    """
    resources: list[Json] = []
    for table in package.tables:
        csv_name = f"{table.name}.csv"
        if csv_name in written:
            resource = _resource(table.name, csv_name, "text/csv", file=written[csv_name])
            resource |= {"type": "table", "encoding": "utf-8"}
            resource["schema"] = _schema(package, table)
            resources.append(resource)
        name = f"{table.name}.parquet"
        if name in written:
            media = "application/vnd.apache.parquet"
            resources.append(_resource(name, name, media, file=written[name]))
    # All other files, such as the plan; no table may have one of their names.
    table_names = {table.name for table in package.tables}
    media_types = {
        ".csv": "text/csv",
        ".json": "application/json",
        ".txt": "text/plain",
        ".html": "text/html",
    }
    for name in sorted(written):
        if name.split(".")[0] not in table_names:
            media = media_types[Path(name).suffix]
            resources.append(_resource(name, name, media, file=written[name]))
    content: Document = {
        "$schema": PROFILE,
        "name": package.name,
        "description": certificate.guarantee.statement,
        "created": certificate.created,
        "resources": resources,
    }
    return {DATA_PACKAGE: json_bytes(content)}


def _resource(name: str, path: str, mediatype: str, *, file: WrittenFile) -> Document:
    """Return the data package's entry of a file.

    Args:
        name: The name of the entry.
        path: The name of the file.
        mediatype: The media type of the file.
        file: The digest and the size of the file.
    """
    return {
        "name": name,
        "path": path,
        "format": Path(path).suffix[1:],
        "mediatype": mediatype,
        "bytes": file.bytes,
        "hash": f"sha256:{file.sha256}",
    }


def _schema(package: LinkedPackage, table: LinkedTable) -> Document:
    """Return the Table Schema of a table's CSV file: its columns, its keys and its links.

    Args:
        package: The declared tables.
        table: The table.
    """
    fields: dict[str, Json] = {
        str(field["name"]): field for field in synthetic_fields(table.domain)
    }
    for name, declared_type in table.keys:
        # Synthetic keys follow a declared pattern, or count up.
        pattern = package.pattern(package.tables.index(table), name)
        key_type = declared_type
        if pattern:
            key_type = str(pattern.write_field()["type"])
        key_field: Document = {
            "name": guard_cell(name),
            "type": "integer" if key_type in ("integer", "number") else "string",
            "constraints": {"required": True},
        }
        fields[guard_cell(name)] = key_field
    schema: Document = {
        "fields": [fields[guard_cell(name)] for name in table.order],
        "missingValues": [],
    }
    return schema | package.key_constraints(table, guard_cell)

"""Rows drawn at no cost: dummies of a declaration, and rows of a release with set shares.
PUBLIC.

Their files and certificates say that they are no release.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from synth import limits
from synth.analysis import RowRequest, draw_where, read_where
from synth.bundle.archive import write_zip
from synth.bundle.certificate import DrawnCertificate
from synth.bundle.certificate_parts import (
    NOT_IN_LEDGER,
    STEMS,
    Claim,
    Drawing,
    DrawnFrom,
    ShareRecord,
)
from synth.bundle.certify import record_identifiers, versions
from synth.bundle.claims import claim_of
from synth.bundle.data_package import describe_files
from synth.bundle.declaration import beyond_domain
from synth.bundle.dictionary import DICTIONARY, dictionary
from synth.bundle.exports.export import made_by, writer_of
from synth.bundle.exports.format import FileFormat
from synth.bundle.exports.tables import BUNDLED_TABLES
from synth.bundle.file_names import CERTIFICATE, DOMAIN, OPEN_PAGE, SCHEMA
from synth.bundle.open_html import write_page
from synth.bundle.resources import DESCRIBING
from synth.bundle.result import Result
from synth.bundle.texts import LISTS_OPEN_PARTS, STATEMENT, json_bytes
from synth.bundle.writer import write_bytes
from synth.domain import Domain, refuse_short, write_schema
from synth.door import drafts_of, sum_preparations
from synth.errors import DomainError, ReleaseError
from synth.privacy import ROW, Neighbors, Unit
from synth.rows import Shares, SyntheticTable, draw_independent, fresh_seed
from synth.util import NOTHING_PROTECTED, Protection, Writer, check_whole, in_range

DUMMY = (
    "This is a dummy, made from the declaration only. Synth read no table for it, so it says "
    "no more than the declaration. Use it to write code."
)
SET = (
    "The shares of these rows were set, not measured. For shares, counts or means, ask the "
    "release itself."
)
PLAIN = (
    "These rows were drawn again from a release and contain no more information. For shares, "
    "counts and means, ask the release itself."
)


WORDS = {
    DrawnFrom.DECLARATION: "a dummy table, made from a declaration alone",
    DrawnFrom.RELEASE: "rows whose shares were set, not measured",
}
"""What rows are that are no release."""


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows that are no release, with their certificate.

    Attributes:
        rows: The rows.
        certificate: Their certificate, without the digests of files.
    """

    rows: SyntheticTable
    certificate: DrawnCertificate

    def write_archive(
        self,
        path: str | Path,
        formats: Sequence[FileFormat] = (),
        protection: Protection = NOTHING_PROTECTED,
    ) -> Path:
        """Write the bundle as one zip, and return its path.

        Args:
            path: The zip file to write.
            formats: Formats of the rows in addition to CSV and Parquet.
            protection: The files that are never written over.

        Raises:
            ReleaseError: It can't be written, or something else is there.
        """
        # It also names the versions of the packages that write the formats.
        certificate = made_by(self.certificate, formats)
        described = describe_files(certificate, self.rows.domain)
        writers = drawn_writers(certificate, self.rows, formats)
        return write_zip(
            path, writers, certificate, described=described, protection=protection
        )


def refuse_drawn_file(path: str | Path) -> None:
    """Refuse a file of rows whose name says that they are a dummy, or have set shares.

    Raises:
        ReleaseError: It has such a name.

    >>> refuse_drawn_file("synthetic.csv")
    """
    name = Path(path).name
    # The typed Parquet file of such rows is named ``dummy_typed``, say.
    for source, stem in STEMS.items():
        if name.partition(".")[0].casefold() in (stem, f"{stem}_typed"):
            raise ReleaseError(
                f"'{name}' is named like {WORDS[source]}; rename it if it is none."
            )


def draw_dummy(
    domain: Domain, rows: int, shares: Shares, *, seed: int | None = None
) -> DrawnRows:
    """Draw a dummy of a declaration: no table is opened, and nothing is spent.

    Args:
        domain: The declaration.
        rows: The number of rows.
        shares: The share of rows in a cell, by column and by the cell's label.
        seed: The public seed; by default fresh from the system.

    Raises:
        SynthError: There are too many rows, too few IDs, or shares of undeclared values.
    """
    _check_rows(domain, rows)
    seed = fresh_seed() if seed is None else seed
    # Each column is drawn by itself; cells without a share get equal parts of the rest.
    table = draw_independent(domain, rows, shares, seed=seed)
    beyond = beyond_domain(domain)
    guarantee, neighbors, unit = _protect_declaration(domain, beyond)
    fields: dict[str, Any] = {
        "guarantee": guarantee,
        "neighbors": neighbors,
        "privacy_unit": str(unit),
        "max_rows": unit.max_rows,
        "domain_origin": domain.origin,
        "dataset": "no table",
        "ledger": NOT_IN_LEDGER,
    }
    certificate = _certify(
        domain,
        table.rows,
        DrawnFrom.DECLARATION,
        shares=shares,
        seed=seed,
        caveats=(DUMMY + beyond,),
        **fields,
    )
    return DrawnRows(table, certificate)


def _protect_declaration(domain: Domain, beyond: str) -> tuple[Claim, Neighbors, Unit]:
    """Return the guarantee of a declaration, which neighbours it compares, and its unit.

    A dummy publishes its declaration. If that was drafted from a table for a budget, the
    dummy has the guarantee of these drafts; otherwise nothing was spent.

    Args:
        domain: The declaration, with its paid drafts.
        beyond: The statement's last sentences, about the declaration; empty for none.

    Raises:
        DomainError: The drafts protect different units, so that their costs cannot be added.
    """
    drafts = drafts_of(domain)
    paid = sum_preparations(drafts)
    if paid is None:
        none = Claim(
            kind="nothing spent",
            epsilon=Fraction(0),
            delta=Fraction(0),
            statement=DUMMY + beyond,
        )
        # Nothing was spent, so the last two only fill their fields of the certificate.
        return none, Neighbors.REPLACE_ONE, ROW
    protected = {(draft.neighbors, draft.unit) for draft in drafts}
    if len(protected) > 1:
        raise DomainError(
            "The drafts of this declaration protect different units, so their costs cannot "
            "be added. Draft the declaration anew, with one unit."
        )
    neighbors, unit = protected.pop()
    # The cost of a draft is an epsilon, with or without a delta, and no rho.
    assert paid.epsilon is not None
    claim = claim_of(paid.epsilon, neighbors, paid.delta, unit=str(unit), beyond=beyond)
    return replace(claim, statement=f"{DUMMY} {claim.statement}"), neighbors, unit


def request_rows(
    domain: Domain, rows: int, *, where: str, shares: Shares, seed: int | None = None
) -> RowRequest:
    """Return a request for rows of a release.

    Args:
        domain: The declaration.
        rows: The number of rows.
        where: The condition that all rows must meet; empty for none.
        shares: The share of rows in a cell, by column and by the cell's label; of one column.
        seed: The public seed; by default fresh from the system.

    Raises:
        SynthError: There are too many rows, too few IDs, or the condition is wrong.
    """
    _check_rows(domain, rows)
    seed = fresh_seed() if seed is None else seed
    return RowRequest(rows=rows, where=read_where(where, domain), shares=shares, seed=seed)


def draw_more(result: Result, digest: str, request: RowRequest) -> DrawnRows:
    """Draw rows of a release that meet a condition and have given shares: nothing is spent.

    Args:
        result: The release.
        digest: The SHA-256 digest of its certificate, in hexadecimal digits.
        request: The number of rows, the condition, the shares and the seed.

    Raises:
        SynthError: Such rows cannot be drawn; one sentence says why.
    """
    plan = result.plan
    condition = request.where
    table = draw_where(plan, result.record, result.synthetic, request=request)
    # The guarantee and the like are taken over from the release.
    fields = {name: getattr(result.certificate, name) for name in SAME}
    fields["release"] = digest
    fields["where"] = "" if condition is None else str(condition)
    certificate = _certify(
        plan.domain,
        table.rows,
        DrawnFrom.RELEASE,
        shares=request.shares,
        seed=request.seed,
        caveats=(_caveat_of(fields["where"], request.shares),),
        **fields,
    )
    return DrawnRows(table, certificate)


def certify_without_release(
    certificate: DrawnCertificate, domain: Domain
) -> DrawnCertificate:
    """Return the certificate of rows of a release as far as it follows without the release.

    Args:
        certificate: The certificate of the bundle. It supplies the seed, the shares, and all
            that was taken over from the release.
        domain: The declared columns of the bundle.
    """
    # The share of rows in a cell, by column and by the cell's label.
    shares: dict[str, dict[str, Fraction]] = {}
    for record in certificate.shares:
        shares.setdefault(record.column, {})[record.cell] = record.share
    fields = {name: getattr(certificate, name) for name in (*SAME, "release", "where")}
    fields["domain_origin"] = domain.origin
    return _certify(
        domain,
        certificate.rows,
        DrawnFrom.RELEASE,
        shares=shares,
        seed=int(certificate.drawing.seed),
        caveats=(_caveat_of(certificate.where, shares),),
        **fields,
    )


def _caveat_of(where: str, shares: Shares) -> str:
    """Return the caveat of rows of a release: whether something was set."""
    return SET if shares or where else PLAIN


# Fields taken over from the release's certificate.
SAME = (
    "guarantee",
    "neighbors",
    "privacy_unit",
    "max_rows",
    "domain_origin",
    "dataset",
    "ledger",
)


def _check_rows(domain: Domain, rows: int) -> None:
    """Check that so many rows can be drawn, with unique IDs.

    Raises:
        SynthError: There are too many rows, or too few IDs.
    """
    check_whole(1, rows=rows)
    in_range(1, limits.ROWS_MAX, rows=rows)
    refuse_short(domain.identifiers, rows)


def _certify(
    domain: Domain,
    rows: int,
    source: DrawnFrom,
    *,
    shares: Shares,
    seed: int,
    **fields: Any,
) -> DrawnCertificate:
    """Return the certificate of drawn rows, made now and without digests of files.

    Args:
        domain: The declared columns.
        rows: The number of rows.
        source: What they were drawn from: a declaration or a release.
        shares: The share of rows in a cell that somebody set, by column and by the cell's
            label.
        seed: The public seed.
        fields: The fields of the certificate that depend on the source, by name.
    """
    return DrawnCertificate(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        number_of_rows=f"{rows} rows, as many as were asked for",
        versions=versions(),
        source=source,
        shares=tuple(
            ShareRecord(name, cell, share)
            for name, cells in shares.items()
            for cell, share in cells.items()
        ),
        rows=rows,
        identifiers=record_identifiers(domain, rows),
        drawing=Drawing("systematic", str(seed)),
        **fields,
    )


def drawn_texts(certificate: DrawnCertificate, domain: Domain) -> dict[str, bytes]:
    """Return the bytes of the files about the rows, by name; they follow without the rows."""
    statement_text = drawn_statement(certificate, domain)
    return {
        STATEMENT: statement_text.encode(),
        OPEN_PAGE: write_page(certificate, statement_text, None),
        DOMAIN: json_bytes(write_schema(domain)),
        DICTIONARY: dictionary(domain).encode(),
        SCHEMA: certificate.schema.read_bytes(),
    }


def drawn_names(
    certificate: DrawnCertificate, formats: Sequence[FileFormat]
) -> tuple[str, ...]:
    """Return the names of all files of a bundle of drawn rows.

    Args:
        certificate: Its certificate, which says whether the rows are a dummy.
        formats: Formats of the rows in addition to CSV and Parquet.
    """
    stem = STEMS[certificate.source]
    rows = [f"{stem}.{name}" for name in BUNDLED_TABLES]
    others = [drawn_name(certificate, kind) for kind in formats]
    texts = (STATEMENT, OPEN_PAGE, DOMAIN, DICTIONARY, SCHEMA)
    return (*rows, *others, *texts, *DESCRIBING, CERTIFICATE)


def drawn_writers(
    certificate: DrawnCertificate, rows: SyntheticTable, formats: Sequence[FileFormat] = ()
) -> dict[str, Writer]:
    """Return the writer of each file of a bundle of drawn rows, by the file's name.

    A writer is a function that writes the file to a path. The certificate and the files that
    describe the others are not among them.

    Args:
        certificate: The certificate of the rows.
        rows: The rows.
        formats: Formats of the rows in addition to CSV and Parquet.
    """
    stem = STEMS[certificate.source]
    writers: dict[str, Writer] = {}
    for name, table_format in BUNDLED_TABLES.items():
        writers[f"{stem}.{name}"] = partial(table_format.write, rows)
    for file_format in formats:
        writers[drawn_name(certificate, file_format)] = writer_of(rows, file_format)
    for name, content in drawn_texts(certificate, rows.domain).items():
        writers[name] = write_bytes(content)
    return writers


def drawn_name(certificate: DrawnCertificate, kind: FileFormat) -> str:
    """Return the name of the drawn rows' file of a format."""
    stem = STEMS[certificate.source]
    # In a release, the file is synthetic.xlsx or the like, or typed.parquet.
    return kind.file.replace("synthetic", stem).replace("typed", f"{stem}_typed")


def drawn_statement(certificate: DrawnCertificate, domain: Domain) -> str:
    """Return the statement about drawn rows, the text of the file `STATEMENT`.

    Args:
        certificate: The certificate of the rows.
        domain: The declared columns of the rows.
    """
    is_dummy = certificate.source is DrawnFrom.DECLARATION
    title = "DUMMY TABLE" if is_dummy else "ROWS OF A RELEASE, DRAWN ONCE MORE"
    lines = [title, "", *certificate.caveats, ""]
    lines.append(
        f"{certificate.rows:,} rows of {len(domain.written)} columns. Drawing them cost no "
        "budget."
    )
    if certificate.where:
        lines.append(f"All rows meet this condition: {certificate.where}.")
    for record in certificate.shares:
        share = f"{float(record.share):.6g}"
        lines.append(f"Set share of '{record.column}': {record.cell} is {share} of the rows.")
    lines += [column.in_words for column in domain.identifiers]
    if not is_dummy:
        lines += ["", f"Release: its certificate has the SHA-256 {certificate.release}."]
    # The statement of a dummy that cost nothing is its caveat, which is above already.
    if not is_dummy or certificate.guarantee.epsilon:
        lines += ["", certificate.guarantee.statement]
    lines += [
        "",
        "synth verify FILE.zip    checks every file against the certificate.",
        LISTS_OPEN_PARTS,
    ]
    return "\n".join(lines) + "\n"

"""Checks of every bundle: files, digests, the form of the certificate, the ledger."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from filecmp import cmp
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from synth import limits
from synth.bundle import (
    CERTIFICATE,
    CONDITIONS,
    DDI,
    DESCRIBING,
    DOMAIN,
    NOISY,
    OPEN_PAGE,
    PLAN,
    SCHEMA,
    AnswersCertificate,
    Archive,
    Certificate,
    DrawnCertificate,
    LinkedCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
    WrittenFile,
    codebook,
    describe_files,
    form_of,
    guarded_table,
    json_bytes,
    only_explains,
    part_schemas,
    published_schemas,
    sha256,
    write_pages,
    write_texts,
)
from synth.domain import Domain, read_schema, write_schema
from synth.door import BUNDLED, Ledger
from synth.errors import (
    RefutedError,
    ReleaseError,
    SynthError,
    name_some,
)
from synth.estimate import Record
from synth.foreign import Folder
from synth.plans import Plan
from synth.privacy import Guarantee, RowReading
from synth.rows import SyntheticTable, slices, write_csv
from synth.util import Document, Ints, Json, inside
from synth.verification.pages import same_page
from synth.verification.verdict import OpenClaim
from synth.verification.versions import (
    is_of_here,
    lacks_only_later_fields,
    not_compared,
    other_algorithm,
    refuse_newer,
    writer_of,
)

if TYPE_CHECKING:
    from synth.plans import LinkedPlan

P = TypeVar("P", Plan, "LinkedPlan")


# Without its key, a ledger is what whoever could write the file says.
UNSEALED = (
    "The ledger holds this certificate and a spend that pays for it, but its key file is not "
    "here, so its seals were not checked: anyone who can write the file could have added "
    "both. Verify with the key file next to the ledger."
)
# What readers raise where a forged file contradicts itself, which it can anywhere.
CONTRADICTIONS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
# Most names of other files in a sentence.
SHOWN_NAMES = 3
# Parts that may be long, and hold no exact number.
_LONG = ("questions", "answers")


def read_certificate(archive: Archive) -> Document:
    """Return the certificate as JSON, if its form is known and its texts are short.

    Raises:
        RefutedError: A text is longer than `limits.RECORD_TEXT`.
        OtherVersionError: It has the form of another version of Synth.
        ReleaseError: It is no certificate.
    """
    content = archive.json(CERTIFICATE)
    may_be_long = _LONG if form_of(content) is AnswersCertificate else ()
    # Go through the document level by level: a deeply nested one would exhaust a recursion.
    level: list[Json] = [
        {name: part for name, part in content.items() if name not in may_be_long}
    ]
    while level:
        if any(isinstance(part, str) and len(part) > limits.RECORD_TEXT for part in level):
            refuse(f"The certificate holds a text of over {limits.RECORD_TEXT:,} characters.")
        level = inside(level)  # the values directly inside these
    return content


def parse_certificate(content: Document) -> Certificate:
    """Return the certificate, if it fits the schema.

    Raises:
        OtherVersionError: A newer version made the bundle, with parts that are unknown here.
        ReleaseError: It does not fit the published schema.
        RefutedError: It lacks a caveat that every certificate of its kind has.
    """
    try:
        certificate = Certificate.from_json(content)
    except ReleaseError:
        refuse_newer(content)
        raise
    if is_of_here(certificate) and other_algorithm(certificate) is not None:
        refuse(f"Synth {writer_of(certificate)} does not have the certificate's algorithm.")
    if isinstance(certificate, DrawnCertificate):
        return certificate
    if not _has_common_caveats(certificate):
        refuse("The certificate lacks the caveats of every release.")
    return certificate


def _has_common_caveats(certificate: Certificate) -> bool:
    """Return whether a certificate has the caveats of its kind, in their order.

    First come the conditions of every guarantee, then the rule that says what a row is, then
    the caveats of the kind. The rule must be one of those known. Which one the plan asks for,
    and what else a release says, is compared later.
    """
    caveats = certificate.caveats
    # Of linked tables, each has its own rule for rows, so only both ends are compared.
    if isinstance(certificate, LinkedCertificate):
        begins = caveats[: len(CONDITIONS)] == CONDITIONS
        return begins and caveats[-len(certificate.CAVEATS) :] == certificate.CAVEATS
    known_beginnings = [(*CONDITIONS, rule.caveat) for rule in RowReading]
    others = caveats[len(CONDITIONS) + 1 :]
    # A release of one table may have more caveats: about a public table, a delta, a repair,
    # or rules that were taken from the rows.
    is_release = isinstance(certificate, ReleaseCertificate)
    has_rule = caveats[: len(CONDITIONS) + 1] in known_beginnings
    return has_rule and (is_release or others == certificate.CAVEATS)


def check_reading(certificate: Certificate, reading: RowReading, name: str) -> None:
    """Check that the certificate counts rows as the plan or inquiry does.

    Its caveat about this comes directly after the conditions of every guarantee.

    Args:
        certificate: The certificate of the bundle.
        reading: What counts as a row by the plan or inquiry.
        name: The name of the file with the plan or inquiry, for the sentence.

    Raises:
        RefutedError: It has another caveat.
    """
    if certificate.caveats[len(CONDITIONS)] != reading.caveat:
        refuse(f"'{name}' reads rows in another way than the certificate says.")


def check_plan_caveats(certificate: ReleaseCertificate, plan: Plan) -> None:
    """Check that the certificate has the caveats of the plan.

    The caveats of the plan come after those of every release and the rule for rows. A
    histogram has no others, and for a model one about an unneeded delta may follow.

    Args:
        certificate: The certificate of a release of one table.
        plan: The plan in the same bundle.

    Raises:
        RefutedError: They are not the caveats of the plan.
    """
    caveats = certificate.caveats[len(CONDITIONS) + 1 :]
    if isinstance(certificate, MarginalsCertificate):
        caveats = caveats[: len(plan.caveats)]
    if caveats != plan.caveats:
        refuse(
            f"The certificate does not describe the public table of '{PLAN}', the repair, or "
            "the relations taken from the rows correctly."
        )


def check_hashes(archive: Archive, certificate: Document) -> None:
    """Check that every listed file is there, unchanged, and no other.

    Args:
        archive: The unpacked bundle.
        certificate: The content of its certificate, with SHA-256 digests by file name.

    Raises:
        RefutedError: A file is missing, changed, or not listed; or no digests are listed.
    """
    hashes = certificate.get("sha256")
    if not isinstance(hashes, dict) or not hashes:
        refuse("The certificate lists no digests of files.")
    for name, digest in hashes.items():
        if name not in archive:
            refuse(f"The bundle lacks the file '{name}'.")
        if sha256(archive.path(name)) != digest:
            refuse(f"'{name}' does not match the certificate.")
    extra = sorted(set(archive) - set(hashes) - {CERTIFICATE})
    if extra:
        refuse(f"The bundle holds a file that the certificate does not list: '{extra[0]}'.")


def check_names(
    archive: Archive, names: Collection[str], certificate: Certificate
) -> list[str]:
    """Check that a bundle holds the files of these names, all of them and no others.

    Another version may have written fewer or more files that only explain.

    Args:
        archive: The unpacked bundle.
        names: The names of the files that this version writes.
        certificate: Its certificate, which names the version that wrote it.

    Returns:
        The names of files that this version does not write, and another version did.

    Raises:
        RefutedError: A file is missing, or there is another one.
    """
    of_here = is_of_here(certificate)
    for name in names:
        if name not in archive and (of_here or not only_explains(name)):
            refuse(f"The bundle lacks the file '{name}'.")
    extra = sorted({*archive} - {*names})
    for name in extra:
        if of_here or not only_explains(name):
            refuse(f"The bundle holds '{name}', and Synth writes no such file into it.")
    return extra


def describe_other_files(
    archive: Archive, names_checked: Collection[str] = ()
) -> list[OpenClaim]:
    """Return a sentence about other files in the folder of the bundle, if there are any.

    The certificate does not list them, so they make no claim.

    Args:
        archive: The files of the bundle, and the names of the others.
        names_checked: Names of files that are checked elsewhere.
    """
    others = [f"'{name}'" for name in archive.other_names if name not in names_checked]
    if not others:
        return []
    sentence = (
        "The folder also holds files that the certificate does not list, and they were not "
        f"checked: {name_some(others, SHOWN_NAMES)}."
    )
    return [OpenClaim(sentence)]


def read_domain(archive: Archive) -> Domain:
    """Return the domain that the bundle declares: its columns with their possible values.

    Raises:
        ReleaseError: The file is missing, or declares no domain.
    """
    try:
        return read_schema(archive.text(DOMAIN).encode())
    except ReleaseError:
        raise
    except SynthError as error:
        raise ReleaseError(f"'{DOMAIN}' in the bundle cannot be used. {error}") from None


def check_plan_file(
    archive: Archive, certificate: ReleaseCertificate, domain: Domain
) -> Plan:
    """Return the plan of the bundle, if it has this domain, guarantee and privacy unit.

    Args:
        archive: The unpacked bundle.
        certificate: The certificate of the release alone, without payments before and after
            it.
        domain: The domain that the bundle declares.

    Raises:
        RefutedError: It is no plan, or asks for something else.
    """
    plan = read_plan(archive, Plan.from_json, "a plan")
    if write_schema(plan.domain) != write_schema(domain):
        refuse(f"'{PLAN}' is about another domain than '{DOMAIN}'.")
    # Only marginals may have a delta, which is checked with them.
    guarantee = (certificate.guarantee.epsilon, certificate.neighbors)
    if (plan.epsilon, plan.neighbors) != guarantee:
        refuse(f"'{PLAN}' asks for another guarantee than the certificate gives.")
    protected = (certificate.privacy_unit, certificate.max_rows)
    if (str(plan.unit), plan.unit.max_rows) != protected:
        refuse(f"'{PLAN}' protects another privacy unit than the certificate says.")
    check_reading(certificate, plan.reading, PLAN)
    check_plan_form(archive, plan, certificate)
    return plan


def read_plan(
    archive: Archive, read_document: Callable[[Document], P], description: str
) -> P:
    """Return the plan of a bundle.

    Args:
        archive: The unpacked bundle.
        read_document: Makes the plan, of one table or of linked ones, from its JSON.
        description: The kind of plan, for the sentence: "a plan".

    Raises:
        RefutedError: The file holds no such plan.
        OtherVersionError: A newer version wrote it, with parts that are unknown here.
        ReleaseError: The file is missing or is no JSON.
    """
    try:
        return read_document(archive.json(PLAN))
    except ReleaseError:
        raise
    except SynthError:
        refuse_newer(archive.json(CERTIFICATE))
        refuse(f"'{PLAN}' is not {description}.")


def check_plan_form(
    archive: Archive, plan: "Plan | LinkedPlan", certificate: Certificate
) -> None:
    """Check that the plan's file has the bytes that Synth writes.

    The file of another version may lack fields that came later, and has no others.

    Args:
        archive: The unpacked bundle.
        plan: The plan that was read from its file.
        certificate: Its certificate, which names the version that wrote it.

    Raises:
        RefutedError: The file has other bytes, or other fields.
    """
    content = plan.to_json()
    if has_bytes(archive.path(PLAN), json_bytes(content)):
        return
    document = archive.json(PLAN)
    is_earlier = lacks_only_later_fields(document, content)
    is_in_form = has_bytes(archive.path(PLAN), json_bytes(document))
    if is_of_here(certificate) or not (is_earlier and is_in_form):
        refuse(f"'{PLAN}' is not a plan in Synth's form.")


def check_described(archive: Archive, certificate: Certificate, domain: Domain) -> list[str]:
    """Check the files that describe the other files of the bundle, such as a data package.

    Returns:
        The names of the ones that another version wrote otherwise.

    Raises:
        RefutedError: One has other bytes than Synth writes.
    """
    described = describe_files(certificate, domain)(
        listed_in(archive, certificate, DESCRIBING)
    )
    return check_contents(archive, described, "the files", certificate=certificate)


def listed_in(
    archive: Archive, certificate: Certificate, describing: Sequence[str]
) -> dict[str, WrittenFile]:
    """Return the files that a certificate lists, with their digests and sizes, by name.

    Args:
        archive: The unpacked bundle.
        certificate: The bundle's certificate.
        describing: The names of files that describe others, which are left out.
    """
    return {
        name: WrittenFile(digest, archive.path(name).stat().st_size)
        for name, digest in certificate.sha256.items()
        if name not in describing
    }


def check_contents(
    archive: Archive, contents: Mapping[str, bytes], source: str, *, certificate: Certificate
) -> list[str]:
    """Check that files have exactly these contents.

    Args:
        archive: The unpacked bundle.
        contents: The bytes that each file must have, by its name.
        source: The origin of the contents, for the sentence.
        certificate: Its certificate, which names the version that wrote it.

    Returns:
        The names of files that only explain, and that another version wrote otherwise.

    Raises:
        RefutedError: Another file has other bytes, or this version wrote it.
    """
    differing = [
        name
        for name, content in contents.items()
        if name not in archive or not has_bytes(archive.path(name), content)
    ]
    return [
        name
        for name in differing
        if is_reworded(archive, name, contents[name], source=source, certificate=certificate)
    ]


def check_written(
    archive: Archive, path: Path, source: str, *, certificate: Certificate
) -> list[str]:
    """Check that the bundle's file of a name is the one that was written again at a path.

    Args:
        archive: The unpacked bundle.
        path: The file as this version writes it, under the same name.
        source: The origin of the content, for the sentence.
        certificate: Its certificate, which names the version that wrote the bundle.

    Returns:
        The file's name if another version worded it otherwise; else nothing.

    Raises:
        RefutedError: The file differs in more than words that only explain.
    """
    name = path.name
    if name in archive and same_bytes(path, archive.path(name)):
        return []
    # Only a page or a schema is compared further, and they are short.
    content = path.read_bytes() if only_explains(name) else b""
    if is_reworded(archive, name, content, source=source, certificate=certificate):
        return [name]
    return []


def is_reworded(
    archive: Archive, name: str, content: bytes, *, source: str, certificate: Certificate
) -> bool:
    """Return whether a file that only explains has other words, as another version wrote it.

    It is False for an absent file, which only later versions write, and for a file that
    differs by nothing but schemas that an earlier version published.

    Args:
        archive: The unpacked bundle.
        name: The name of a file that is absent, or has other bytes than this version writes.
        content: What this version writes.
        source: The origin of the content, for the sentence.
        certificate: Its certificate, which names the version that wrote it.

    Raises:
        RefutedError: This version wrote it, or it does not only explain.
    """
    if is_of_here(certificate) or not only_explains(name):
        refuse(f"'{name}' does not match {source}.")
    if name not in archive:
        return False
    return not _has_earlier_schemas(archive, name, content)


def _has_earlier_schemas(archive: Archive, name: str, content: bytes) -> bool:
    """Return whether a file differs by schemas alone that an earlier version published.

    The certificate itself is checked by the schema of this version.

    Args:
        archive: The unpacked bundle, of another version.
        name: The name of a file that is there.
        content: What this version writes.
    """
    if name == SCHEMA:
        return sha256(archive.path(name)) in published_schemas()
    if name != OPEN_PAGE:
        return False
    page, schemas = part_schemas(archive.text(name))
    digests = {hashlib.sha256(text.encode()).hexdigest() for text in schemas}
    is_same = same_page(part_schemas(content.decode())[0], page)
    return is_same and digests <= published_schemas()


def check_texts(
    archive: Archive, certificate: ReleaseCertificate, plan: Plan, *, domain: Domain
) -> list[str]:
    """Check the statement and the other texts that certificate, plan and domain give.

    Returns:
        The names of the ones that another version wrote otherwise.

    Raises:
        RefutedError: A text has other bytes.
    """
    texts = write_texts(certificate, plan.to_json(), domain)
    return check_contents(
        archive, texts, "the certificate and the domain", certificate=certificate
    )


def check_pages(
    archive: Archive,
    certificate: ReleaseCertificate,
    record: Record,
    *,
    synthetic: SyntheticTable | None,
) -> str:
    """Check the page ``open.html`` and the notebook; return the sentence.

    Numbers may differ in their last bits, as processors round differently. Another version of
    Synth may draw other figures, or estimate better.

    Args:
        archive: The unpacked bundle.
        certificate: The bundle's certificate.
        record: The noisy counts.
        synthetic: The synthetic rows; None if they are in parts.

    Returns:
        The sentence; an `OpenClaim` (not checked) if another version of Synth wrote them
        otherwise.

    Raises:
        RefutedError: They show something else.
    """
    pages = write_pages(certificate, record, synthetic)
    there = {name: page for name, page in pages.items() if name in archive}
    for name, content in there.items():
        if same_page(content.decode(), archive.text(name)):
            continue
        if is_of_here(certificate):
            refuse(f"'{name}' does not follow from the certificate and the noisy counts.")
        if not _has_earlier_schemas(archive, name, content):
            return not_compared(name, certificate)
    if OPEN_PAGE not in archive:
        return f"The bundle has no '{OPEN_PAGE}'."
    return f"'{OPEN_PAGE}' follows from the certificate, the noisy counts and the rows."


def check_codebook(
    archive: Archive, certificate: ReleaseCertificate, synthetic: SyntheticTable
) -> list[str]:
    """Check the DDI codebook, which counts the synthetic rows; return one sentence.

    It is an `OpenClaim` (not checked) if another version of Synth wrote the codebook
    otherwise.

    Raises:
        RefutedError: It says something else.
    """
    if DDI not in archive:
        return []
    if not has_bytes(archive.path(DDI), codebook(certificate, synthetic)):
        if not is_of_here(certificate):
            return [not_compared(DDI, certificate)]
        refuse(f"'{DDI}' does not follow from the domain and the synthetic rows.")
    return [f"'{DDI}' describes the columns, and counts the synthetic rows alone."]


def check_ledger(archive: Archive, certificate: Certificate, ledger: Ledger) -> str:
    """Check that a ledger's spend paid for the release; return the sentence.

    Args:
        archive: The unpacked bundle.
        certificate: The certificate of the release alone, without payments before and after
            it.
        ledger: The ledger of the spend.

    Returns:
        The sentence; an `OpenClaim` (not checked) if the ledger's key is absent.

    Raises:
        RefutedError: The ledger lacks the spend, or records another price.
    """
    claim = Guarantee(
        epsilon=certificate.guarantee.epsilon, delta=certificate.guarantee.delta
    )

    def pays(paid: Guarantee) -> bool:
        """Return whether the guarantee of a spend in the ledger is the release's price."""
        # A release with a delta may be paid in rho, converted from its epsilon and delta.
        if paid.rho is not None:
            from synth.privacy import to_rho

            return bool(claim.delta) and paid == to_rho(claim)
        # A delta may have been charged that the release did not need, and does not claim.
        return paid.epsilon == claim.epsilon and paid.delta >= claim.delta

    return recorded_in(archive, certificate, ledger, pays=pays)


def recorded_in(
    archive: Archive,
    certificate: Certificate,
    ledger: Ledger,
    *,
    pays: Callable[[Guarantee], bool],
) -> str:
    """Check that the ledger has the spend and the certificate; return the sentence.

    Args:
        archive: The unpacked bundle.
        certificate: The bundle's certificate, which names an entry and an event of the
            ledger.
        ledger: The ledger of the spend.
        pays: Returns whether the guarantee of that entry is the price of these files.

    Returns:
        The sentence; an `OpenClaim` (not checked) if the ledger's key is absent, so that
        anyone could have written the ledger.

    Raises:
        RefutedError: The ledger lacks the entry, the event or the certificate's digest, or
            the price is another.
    """
    recorded = certificate.ledger_record
    entries = {entry.number: entry for entry in ledger.entries()}
    if recorded is None or recorded.entry not in entries:
        refuse("The release is not recorded in this ledger.")
    entry = entries[recorded.entry]
    if recorded.head not in {event.hash for event in ledger.events()}:
        refuse("The certificate's ledger head is not in this ledger.")
    if not pays(entry.guarantee):
        refuse(
            f"Entry {entry.number} of the ledger is a spend of {entry.guarantee}, not this "
            "one."
        )
    asked_by = entry.by if entry.approved_by else ""
    if (recorded.requested_by, recorded.approved_by) != (asked_by, entry.approved_by):
        refuse(
            f"The certificate names other persons than entry {entry.number} of the ledger."
        )
    # When files are written, the ledger keeps the certificate's digest under their spend.
    if ledger.kept(entry, f"{BUNDLED}{archive.digest}") is None:
        refuse("The ledger does not know this certificate.")
    if not ledger.sealed:  # its key file is not there
        return OpenClaim(UNSEALED)
    persons = f" {recorded.persons_in_words}." if recorded.approved_by else ""
    return (
        f"Entry {entry.number} of the ledger paid for it, and the ledger knows the "
        f"certificate.{persons}"
    )


def read_noisy_pieces(
    archive: Archive, width: int, max_rows: int
) -> Iterator[pa.RecordBatch]:
    """Yield the file of noisy counts in pieces: columns of labels, then whole numbers.

    Args:
        archive: The unpacked bundle.
        width: The number of columns; the last one has the counts.
        max_rows: The most rows that the file may have.

    Raises:
        RefutedError: It has more rows, or another form.
    """
    # Columns are known by their position, so the line of names is skipped. An empty label is
    # a text and not a missing value.
    names = [f"f{i}" for i in range(width)]
    kinds = dict.fromkeys(names, pa.string()) | {names[-1]: pa.int64()}
    rows = 0
    try:
        with pa_csv.open_csv(
            archive.path(NOISY),
            pa_csv.ReadOptions(
                column_names=names, skip_rows=1, block_size=limits.GROUP_MB * 2**20
            ),
            convert_options=pa_csv.ConvertOptions(
                column_types=kinds, strings_can_be_null=False
            ),
        ) as file:
            for piece in file:
                rows += piece.num_rows
                if rows > max_rows:
                    refuse(f"'{NOISY}' lists more counts than there are cells.")
                yield piece
    except (pa.ArrowException, OSError):
        refuse(f"'{NOISY}' is not a table of noisy counts of the domain.")


def as_numbers(column: pa.Array) -> Ints:
    """Return the whole numbers of a column, shape (rows,).

    Raises:
        RefutedError: One is missing: a count is no whole number, or a label is unknown.
    """
    if column.null_count:
        refuse(
            f"'{NOISY}' names a cell that the domain does not have, or holds no whole number."
        )
    return np.asarray(column.to_numpy(zero_copy_only=False))


def holds_table(archive: Archive, table: pa.Table) -> bool:
    """Return whether the file of noisy counts holds exactly this table, byte for byte.

    The table is written to a temporary file in the form of Synth, and the files are compared.
    """
    with Folder() as folder:
        path = folder / "table.csv"
        write_csv((partial(guarded_table, part) for part in slices(table)), path)
        return same_bytes(path, archive.path(NOISY))


def has_bytes(path: Path, content: bytes) -> bool:
    """Return whether a file has this content."""
    # The size comes first, so that no file of another size is read.
    return path.stat().st_size == len(content) and path.read_bytes() == content


def same_bytes(path: Path, other_path: Path) -> bool:
    """Return whether two files have the same content."""
    return cmp(path, other_path, shallow=False)


def refuse_unopened(certificate: Certificate) -> NoReturn:
    """Raise a `ReleaseError` that says what a bundle holds instead of a release of one table.

    Args:
        certificate: The bundle's certificate, of linked tables or of answers.
    """
    if isinstance(certificate, LinkedCertificate):
        raise ReleaseError(
            "This bundle holds linked tables, which only the command line checks so far: "
            "type 'synth verify' and the name of the file. Its tables are the CSV files "
            "inside."
        )
    raise ReleaseError("These are answers to questions, not a release.")


def refuse(message: str) -> NoReturn:
    """Raise a `RefutedError` with this message."""
    raise RefutedError(message)

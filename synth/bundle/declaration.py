"""A certificate's statements about the declaration: its origin, its cost, and whether rows
fit.

PUBLIC. The guarantee of a release covers all payments: drafts and checks of the declaration,
and the release. If the declaration used rows without payment, the guarantee says so."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar, cast

from synth.bundle.certificate import Certificate, LinkedCertificate, ReleaseCertificate
from synth.bundle.certificate_parts import DeclarationRecord, PreparationRecord
from synth.bundle.claims import claim_of
from synth.bundle.typed_json import read_typed, write
from synth.domain import LOOKED_UP, Domain, LinkedPackage, Provenance, thaw
from synth.door import (
    Entry,
    Ledger,
    Preparation,
    drafts_of,
    preparations_of,
    sum_preparations,
    tables_looked_at,
)
from synth.errors import ArgumentError, ReleaseError
from synth.estimate import (
    NONE_STOOD_OUT,
    RECIPES,
    FitsSaid,
    Record,
    digest_of,
    measured_pairs,
    relations_sentence,
    released_fits,
)
from synth.util import Document

C = TypeVar("C", bound=ReleaseCertificate)

# Certificates that say what their declarations owe to the rows.
Declared = ReleaseCertificate | LinkedCertificate

# The first words of a release that is mostly noise.
MOSTLY_NOISE = "Few or no rows fit the description, so this release is mostly noise."
# What somebody did who saw exact numbers. The ledger counts a look for the whole dataset.
LOOKED = (
    "the steward looked at exact numbers of rows that fit, in this table or another of "
    "its dataset"
)
DROWNED = "Noise outweighs the rows, so this release is mostly noise."


def declaration_record(
    provenance: Provenance, preparations: Sequence[Preparation]
) -> DeclarationRecord:
    paid = tuple(read_typed(PreparationRecord, one.to_json()) for one in preparations)
    return DeclarationRecord(provenance.looked, provenance.vouched, paid)


def with_preparations(certificate: C, preparations: Sequence[Preparation]) -> C:
    paid = sum_preparations(preparations)
    if paid is None:
        return promising(certificate)
    return promising(certificate, paid.epsilon or Fraction(0), paid.delta)


def without_preparations(certificate: C) -> C:
    """Return the certificate of the release alone.

    Raises:
        ReleaseError: The guarantee is not the sum of the release and its preparations.
    """
    said = certificate.declaration
    paid = sum_preparations(preparations_in(certificate))
    if paid is None:
        return certificate
    alone = replace(certificate, declaration=replace(said, preparations=()))
    alone = promising(alone, -(paid.epsilon or Fraction(0)), -paid.delta)
    again = with_preparations(replace(alone, declaration=said), preparations_in(certificate))
    if again != certificate:
        raise ReleaseError("The guarantee does not include all preparations of the release.")
    return alone


def promising(
    certificate: C, epsilon: Fraction = Fraction(0), delta: Fraction = Fraction(0)
) -> C:
    old = certificate.guarantee
    claim = claim_of(
        old.epsilon + epsilon,
        certificate.neighbors,
        old.delta + delta,
        unit=certificate.privacy_unit,
        beyond=beyond_of(certificate),
    )
    return replace(certificate, guarantee=claim)


def beyond_of(certificate: Certificate) -> str:
    """Return the guarantee's part about the declaration; that of answers stands alone."""
    if not isinstance(certificate, Declared):
        return ""
    said = certificate.declaration
    kinds = [one.kind for one in said.preparations]
    taken = certificate.domain_origin == LOOKED_UP
    return extend_sentence(
        kinds, taken=taken, vouched=said.taken_is_public, looked=said.looked
    )


def beyond_domain(domain: Domain, kinds: Sequence[str] = ()) -> str:
    paid = [*["draft"] * len(domain.drafts), *kinds]
    return extend_sentence(
        paid, taken=domain.origin == LOOKED_UP, vouched=domain.vouched, looked=domain.looked
    )


def beyond_answers(domain: Domain) -> str:
    """Return that part for answers, whose guarantee covers them alone; it names the
    drafts.
    """
    paid = sum_preparations(drafts_of(domain))
    drafted = f" The declaration was drafted from the table for {paid}, which adds to this."
    return drafted * bool(paid) + beyond_domain(replace(domain, drafts=()))


def extend_sentence(kinds: Sequence[str], *, taken: bool, vouched: bool, looked: bool) -> str:
    """Return the guarantee's part about the declaration.

    Args:
        kinds: Kinds of the paid preparations.
        taken: Whether the declaration was taken from the rows.
        vouched: Whether the steward vouches that this is public.
        looked: Whether the steward looked at exact numbers of rows that fit.

    >>> said = extend_sentence(["check"], taken=False, vouched=False, looked=False)
    >>> said.partition(".")[0]
    ' This counts the check of the declaration that was made before'
    """
    said = ""
    if kinds:
        what = " and the ".join(sorted(set(kinds), reverse=True))
        were = "were" if len(set(kinds)) > 1 else "was"
        said += (
            f" This counts the {what} of the declaration that {were} made before. All drafts "
            "and checks for the dataset count, of whichever table or declaration."
        )
    if taken and vouched:
        said += (
            " The declaration was taken from the confidential rows. The steward vouches that "
            "it is public."
        )
    elif taken:
        said += (
            " The declaration is not covered: it was taken from the confidential rows and is "
            "released unchanged."
        )
    if looked:
        said += f" The declaration may depend on the table: before the release, {LOOKED}."
    return said


def rows_fit(record: Record, preparations: Sequence[Preparation]) -> tuple[str, bool]:
    own = released_fits(record)
    check = last_check(record.domain, preparations)
    # The check may have been of an earlier file of the dataset: the release itself knows
    # better.
    few = own.is_few or (check is not None and check.is_few and not own.is_known)
    before = fits_before(check, looked=record.domain.looked)
    noise = MOSTLY_NOISE if few else DROWNED if own.is_drowned else ""
    said = [noise, before, own.sentence, relations_of(record)]
    return " ".join(filter(None, said)), few or own.is_drowned


def fits_before(check: FitsSaid | None, *, looked: bool) -> str:
    """Return the sentence about the rows that fit, known before a release.

    Args:
        check: The last check of the declaration.
        looked: Whether the steward looked at exact numbers.
    """
    if check is not None:
        return f"Checked before the release: {check.sentence}."
    if looked:
        return f"Before the release, {LOOKED}."
    return "The steward did not check before the release whether rows fit."


def linked_rows_fit(package: LinkedPackage, preparations: Sequence[Preparation]) -> str:
    """Return the sentence about the rows of each linked table that fit, known before a
    release.
    """
    checks = {one.name: last_check(one.own, preparations) for one in package.tables}
    if not package.provenance.looked and not any(checks.values()):
        return fits_before(None, looked=False)
    few = any(check is not None and check.is_few for check in checks.values())
    said = [MOSTLY_NOISE] if few else []
    for one in package.tables:
        before = fits_before(checks[one.name], looked=one.domain.looked)
        said.append(f"Table '{one.name}': {before[:1].lower()}{before[1:]}")
    return " ".join(said)


def relations_of(record: Record) -> str:
    """Say how many pairs of columns a release measured; empty for a single column."""
    columns, measured = len(record.domain.columns), measured_pairs(record)
    if columns > 1 and not measured and not loses_relations(record):
        return "No pair of columns was measured: relations come from the public table."
    compared = any(one.values and not (one.moments or one.columns) for one in record.spends)
    lost = (NONE_STOOD_OUT,) * compared
    return relations_sentence(measured, columns, *lost)


def loses_relations(record: Record) -> bool:
    """Return whether the rows keep no relation: none was measured, or known from a public
    table.
    """
    kept = record.strategy is not None and RECIPES[record.strategy].has_relations
    return len(record.domain.columns) > 1 and not measured_pairs(record) and not kept


def last_check(domain: Domain, preparations: Sequence[Preparation]) -> FitsSaid | None:
    digest = digest_of(domain)
    checks = [
        said
        for one in preparations
        if one.kind == "check"
        and (said := FitsSaid.from_json(cast("Document", thaw(one.said)))).declaration
        == digest
    ]
    return checks[-1] if checks else None


def preparations_in(certificate: Declared) -> tuple[Preparation, ...]:
    """Return the payments before the release; ReleaseError if one is impossible."""
    try:
        listed = certificate.declaration.preparations
        return tuple(Preparation.from_json(cast("Document", write(one))) for one in listed)
    except ArgumentError:
        raise ReleaseError("The certificate lists an impossible preparation.") from None


def check_declaration(certificate: Declared, provenance: Provenance) -> None:
    """Check the statements about the declaration; ReleaseError if one is missing or wrong."""
    said = certificate.declaration
    if certificate.domain_origin != provenance.origin:
        raise ReleaseError("The certificate does not say where the declaration comes from.")
    if (said.looked, said.taken_is_public) != (provenance.looked, provenance.vouched):
        raise ReleaseError(
            "The certificate does not list the steward's looks and assurances correctly."
        )
    listed = [one.to_json() for one in preparations_in(certificate)]
    if any(thaw(one) not in listed for one in provenance.drafts):
        raise ReleaseError("The certificate leaves out a paid draft of the declaration.")
    for one in said.preparations:
        if one.neighbors is not certificate.neighbors or bool(one.person) == (
            certificate.privacy_unit == "one row"
        ):
            raise ReleaseError("A preparation protects another unit than the release.")


def check_fit_said(certificate: ReleaseCertificate, record: Record) -> None:
    """Check the statement about rows that fit against its numbers; ReleaseError if it is
    wrong.
    """
    try:
        expected, _ = rows_fit(record, preparations_in(certificate))
    except ArgumentError as error:
        raise ReleaseError(str(error)) from None
    if certificate.rows_fit != expected:
        raise ReleaseError(
            "The certificate's sentence about the rows that fit does not follow from its "
            "numbers."
        )


def check_prepared(certificate: Declared, ledger: Ledger) -> None:
    """Check the statements about the declaration against the ledger.

    It has the spend of every check, and of every draft that it knows. The certificate leaves
    out no look at the dataset or its tables, and no draft or check, that the ledger recorded
    before the spend of the release.

    Raises:
        ReleaseError: A spend is missing, or has another price; or something is left out.
    """
    entries = {entry.number: entry for entry in ledger.entries()}
    paid = {entry.hash: entry.guarantee for entry in entries.values()}
    listed = preparations_in(certificate)
    for one in listed:
        if paid.get(one.entry) != one.guarantee and (
            one.kind == "check" or one.entry in paid
        ):
            raise ReleaseError(
                f"A {one.kind} of the certificate is not recorded in this ledger."
            )
    recorded = certificate.ledger_record
    spend = entries.get(recorded.entry) if recorded else None
    if spend is None:
        return
    check_looks(ledger, spend, is_said=certificate.declaration.looked)
    known = {one.entry for one in listed}
    for left_out in _preparations_before(ledger, spend):
        if left_out.neighbors is certificate.neighbors and left_out.entry not in known:
            raise ReleaseError(
                f"The certificate leaves out a {left_out.kind} that the ledger records."
            )


def check_looks(ledger: Ledger, spend: Entry, *, is_said: bool) -> None:
    """Check that a certificate says so if somebody looked at the rows before its spend.

    Args:
        is_said: Whether the certificate says it.

    Raises:
        ReleaseError: The ledger recorded a look before the spend, and the certificate is
        silent.
    """
    if is_said:
        return
    # A table that the ledger cannot recognise belongs to its dataset all the same.
    marks = {mark: mark for mark in ledger.tables_of(spend.number) or ("",)}
    if tables_looked_at(ledger, spend.dataset, marks, before=spend.number):
        raise ReleaseError(
            "By the ledger, the steward looked at exact numbers of the rows before the "
            "release, and the certificate does not say so."
        )


def _preparations_before(ledger: Ledger, spend: Entry) -> list[Preparation]:
    # Those of other persons were paid under another name, and cannot be added.
    marks = ledger.tables_of(spend.number)
    recorded = preparations_of(ledger, spend.dataset, marks, before=spend.number)
    preparations = [stored.preparation for stored in recorded]
    return [paid for paid in preparations if paid.unit.person == spend.person]

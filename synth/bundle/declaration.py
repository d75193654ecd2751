"""A certificate's statements about the declaration: its origin, its cost, and rows that fit.

PUBLIC. The guarantee of a release covers all payments: drafts and checks of the declaration,
and the release. If the declaration used rows without payment, the guarantee says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar, cast

from synth.bundle.certificate import Certificate, LinkedCertificate, ReleaseCertificate
from synth.bundle.certificate_parts import (
    ColumnDecision,
    DeclarationRecord,
    PreparationRecord,
)
from synth.bundle.claims import claim_of
from synth.bundle.typed_json import read_typed, write
from synth.domain import (
    DECLARED,
    DRAFTED,
    LOOKED_UP,
    Decisions,
    Domain,
    Provenance,
    thaw,
)
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
from synth.privacy import ROW
from synth.util import Document

if TYPE_CHECKING:
    from synth.domain import LinkedPackage


C = TypeVar("C", bound=ReleaseCertificate)

# Certificates that say what their declarations owe to the rows.
Declared = ReleaseCertificate | LinkedCertificate

# The first words of a release that is mostly noise.
MOSTLY_NOISE = "Few or no rows fit the description, so this release is mostly noise."
# What somebody did who saw exact numbers. The ledger counts a look for the whole dataset.
LOOK_IN_WORDS = (
    "the steward looked at exact numbers of rows that fit, in this table or another of "
    "its dataset"
)
# What is known of the rows that fit a description without a check, by its origin.
FITS_BY_ORIGIN = {
    DECLARED: "The steward did not check before the release whether rows fit.",
    DRAFTED: "Before the release, the description was drafted from noisy counts of the rows.",
    LOOKED_UP: "Before the release, the description was taken from the confidential rows.",
}
DROWNED = "Noise outweighs the rows, so this release is mostly noise."


def declaration_record(
    provenance: Provenance, preparations: Sequence[Preparation]
) -> DeclarationRecord:
    """Return the certificate's part about the declaration.

    Args:
        provenance: Where the declaration comes from, and what the steward saw or vouches for.
        preparations: The drafts and checks that were paid before the release.
    """
    paid = tuple(
        read_typed(PreparationRecord, preparation.to_json()) for preparation in preparations
    )
    return DeclarationRecord(
        looked=provenance.looked,
        taken_is_public=provenance.vouched,
        preparations=paid,
        left_out=_list_decisions(provenance.decisions.left_out),
        agreed=_list_decisions(provenance.decisions.agreed),
    )


def _list_decisions(decisions: Mapping[str, str]) -> tuple[ColumnDecision, ...]:
    return tuple(ColumnDecision(name, decision) for name, decision in decisions.items())


def decisions_in(certificate: Declared) -> Decisions:
    """Return what a certificate says of left-out columns, and of agreed losses."""
    declaration = certificate.declaration
    return Decisions(
        left_out={record.column: record.decision for record in declaration.left_out},
        agreed={record.column: record.decision for record in declaration.agreed},
    )


def with_preparations(certificate: C, preparations: Sequence[Preparation]) -> C:
    """Return the certificate with a guarantee that covers earlier payments, too.

    Args:
        certificate: A certificate whose guarantee is that of the release alone.
        preparations: The drafts and checks that were paid before the release.
    """
    paid = sum_preparations(preparations)
    if paid is None:
        # Nothing is added but the statement's last sentences, about the declaration.
        return add_to_guarantee(certificate)
    return add_to_guarantee(certificate, paid.epsilon or Fraction(0), paid.delta)


def without_preparations(certificate: C) -> C:
    """Return the certificate of the release alone, without the payments before it.

    These are drafts and checks of the declaration; `with_preparations` added them.

    Raises:
        ReleaseError: The guarantee is not the sum of the release and its preparations.
    """
    declaration = certificate.declaration
    paid = sum_preparations(preparations_in(certificate))
    if paid is None:
        return certificate
    of_release = replace(certificate, declaration=replace(declaration, preparations=()))
    of_release = add_to_guarantee(of_release, -(paid.epsilon or Fraction(0)), -paid.delta)
    # Adding them again must give the same certificate, or its statement is a forgery.
    again = with_preparations(
        replace(of_release, declaration=declaration), preparations_in(certificate)
    )
    if again != certificate:
        raise ReleaseError("The guarantee does not include all preparations of the release.")
    return of_release


def add_to_guarantee(
    certificate: C, epsilon: Fraction = Fraction(0), delta: Fraction = Fraction(0)
) -> C:
    """Return the certificate with so much more epsilon and delta in its guarantee.

    The guarantee's statement follows from the sums. Amounts may be negative.
    """
    claim = claim_of(
        certificate.guarantee.epsilon + epsilon,
        certificate.neighbors,
        certificate.guarantee.delta + delta,
        unit=certificate.privacy_unit,
        beyond=beyond_of(certificate),
    )
    return replace(certificate, guarantee=claim)


def beyond_of(certificate: Certificate) -> str:
    """Return the last sentences of a guarantee, about the declaration; empty for none.

    Certificates of answers and of rows that are no release return nothing here: their
    guarantees name the declaration in another way.
    """
    if not isinstance(certificate, Declared):
        return ""
    declaration = certificate.declaration
    kinds = [preparation.kind for preparation in declaration.preparations]
    taken = certificate.domain_origin == LOOKED_UP
    return extend_sentence(
        kinds, taken=taken, vouched=declaration.taken_is_public, looked=declaration.looked
    )


def beyond_domain(domain: Domain, kinds: Sequence[str] = ()) -> str:
    """Return the last sentences of a guarantee, about a declaration with its paid drafts.

    Args:
        domain: The declaration.
        kinds: The kinds of other preparations that were paid.
    """
    paid_kinds = ["draft" for _ in domain.drafts] + [*kinds]
    return extend_sentence(
        paid_kinds,
        taken=domain.origin == LOOKED_UP,
        vouched=domain.vouched,
        looked=domain.looked,
    )


def beyond_answers(domain: Domain) -> str:
    """Return the last sentences of the guarantee of answers, about their declaration.

    This guarantee covers the answers alone, so the sentences name the drafts that were paid
    before, and their cost.
    """
    # With the drafts, the sentence would say that the guarantee counts them.
    sentence = beyond_domain(replace(domain, drafts=()))
    paid = sum_preparations(drafts_of(domain))
    if paid is None:
        return sentence
    return (
        f" The declaration was drafted from the table for {paid}, which adds to this."
        f"{sentence}"
    )


def extend_sentence(kinds: Sequence[str], *, taken: bool, vouched: bool, looked: bool) -> str:
    """Return the last sentences of a guarantee, about the declaration; empty for none.

    Args:
        kinds: Kinds of the payments before, "draft" or "check", which the guarantee covers.
        taken: Whether the declaration was taken from the rows.
        vouched: Whether the steward vouches that this is public.
        looked: Whether the steward looked at exact numbers of rows that fit.

    >>> sentence = extend_sentence(["check"], taken=False, vouched=False, looked=False)
    >>> sentence.partition(".")[0]
    ' This counts the check of the declaration that was made before'
    """
    sentence = ""
    if kinds:
        # Against the alphabet, so that the draft precedes the check.
        preparations = " and the ".join(sorted(set(kinds), reverse=True))
        were = "were" if len(set(kinds)) > 1 else "was"
        sentence += (
            f" This counts the {preparations} of the declaration that {were} made before. "
            "All drafts and checks for the dataset count, of whichever table or declaration."
        )
    if taken and vouched:
        sentence += (
            " The declaration was taken from the confidential rows. The steward vouches that "
            "it is public."
        )
    elif taken:
        sentence += (
            " The declaration is not covered: it was taken from the confidential rows and is "
            "released unchanged."
        )
    if looked:
        sentence += (
            f" The declaration may depend on the table: before the release, {LOOK_IN_WORDS}."
        )
    return sentence


def rows_fit(record: Record, preparations: Sequence[Preparation]) -> tuple[str, bool]:
    """Return the certificate's sentences about the rows that fit the declaration.

    They follow from noisy numbers: those of the release, and those of a paid check before it.

    Returns:
        The sentences, and whether the release is mostly noise.
    """
    # What the release's own noisy counts say: that few rows fit (``is_few``), or that noise
    # hides them (``is_drowned``). ``is_known`` is True if noise does not hide their number.
    fits = released_fits(record)
    check = last_check(record.domain, preparations)
    # The check may have been of an earlier file of the dataset: the release itself knows
    # better.
    checked_few = check is not None and check.is_few and not fits.is_known
    is_few = fits.is_few or checked_few
    sentences: list[str] = []
    if is_few:
        sentences.append(MOSTLY_NOISE)
    elif fits.is_drowned:
        sentences.append(DROWNED)
    sentences.append(fits_before(check, record.domain.provenance))
    sentences += [fits.sentence, relations_of(record)]
    return " ".join(filter(None, sentences)), is_few or fits.is_drowned


def fits_before(check: FitsSaid | None, provenance: Provenance) -> str:
    """Return the sentence about the rows that fit, known before a release.

    Args:
        check: The last paid check of the declaration, with noisy numbers; None without one.
        provenance: Where the declaration comes from, and whether the steward looked at exact
            numbers.
    """
    if check is not None:
        return f"Checked before the release: {check.sentence}."
    if provenance.looked:
        return f"Before the release, {LOOK_IN_WORDS}."
    # Whoever drafts from the rows sees which of them the draft describes.
    return FITS_BY_ORIGIN[provenance.origin]


def linked_rows_fit(package: "LinkedPackage", preparations: Sequence[Preparation]) -> str:
    """Return what was known before a release about how many rows fit the declaration.

    There is a sentence for each linked table, with the result of its last paid check. If no
    table was checked, drafted or looked at, one sentence says so for all.

    Args:
        package: The linked tables with their declarations.
        preparations: The drafts and checks that were paid before the release, in order.
    """
    # ``own``: the table's columns without those that are looked up in public tables.
    checks = {table.name: last_check(table.own, preparations) for table in package.tables}
    was_checked = any(check is not None for check in checks.values())
    provenance = package.provenance
    was_drafted = provenance.origin != DECLARED
    if not (was_checked or was_drafted or provenance.looked):
        return FITS_BY_ORIGIN[DECLARED]
    sentences: list[str] = []
    if any(check is not None and check.is_few for check in checks.values()):
        sentences.append(MOSTLY_NOISE)
    for table in package.tables:
        sentence = fits_before(checks[table.name], table.domain.provenance)
        lowered = f"{sentence[:1].lower()}{sentence[1:]}"
        sentences.append(f"Table '{table.name}': {lowered}")
    return " ".join(sentences)


def relations_of(record: Record) -> str:
    """Return a sentence on how many pairs of columns a release measured.

    It is empty for a table of one column.
    """
    columns = len(record.domain.columns)
    pairs = measured_pairs(record)
    # A method that keeps relations without measuring a pair has them from a public table.
    if columns > 1 and not pairs and not loses_relations(record):
        return "No pair of columns was measured: relations come from the public table."
    # A spend on distances has values, and neither sums nor columns.
    compared_pairs = any(
        spend.values and not spend.moments and not spend.columns for spend in record.spends
    )
    if compared_pairs:  # all were compared, so if none was measured, none stood out
        return relations_sentence(pairs, columns, NONE_STOOD_OUT)
    return relations_sentence(pairs, columns)


def loses_relations(record: Record) -> bool:
    """Return whether the rows keep no relation between columns.

    A relation is kept if the method keeps relations, or if a pair of columns was measured. A
    table of one column has none to lose.
    """
    if record.strategy is not None and RECIPES[record.strategy].has_relations:
        return False
    return len(record.domain.columns) > 1 and not measured_pairs(record)


def last_check(domain: Domain, preparations: Sequence[Preparation]) -> FitsSaid | None:
    """Return the noisy result of this declaration's last paid check; None without one.

    Args:
        domain: The declaration. Checks of others are recognised by their digest and skipped.
        preparations: The drafts and checks that were paid, in order.
    """
    digest = digest_of(domain)
    # ``said`` is the result of a draft or check as immutable JSON, hence `thaw`.
    checks = [
        FitsSaid.from_json(cast("Document", thaw(preparation.said)))
        for preparation in preparations
        if preparation.kind == "check"
    ]
    of_domain = [check for check in checks if check.declaration == digest]
    return of_domain[-1] if of_domain else None


def preparations_in(certificate: Declared) -> tuple[Preparation, ...]:
    """Return the drafts and checks that were paid before the release, by its certificate.

    Raises:
        ReleaseError: One of them is impossible.
    """
    try:
        return tuple(
            Preparation.from_json(cast("Document", write(record)))
            for record in certificate.declaration.preparations
        )
    except ArgumentError:
        raise ReleaseError("The certificate lists an impossible preparation.") from None


def check_declaration(certificate: Declared, provenance: Provenance) -> None:
    """Check a certificate's statements about the declaration.

    Args:
        certificate: The certificate.
        provenance: What the declaration in the bundle says of itself.

    Raises:
        ReleaseError: A statement is missing or wrong.
    """
    declaration = certificate.declaration
    if certificate.domain_origin != provenance.origin:
        raise ReleaseError("The certificate does not say where the declaration comes from.")
    if (declaration.looked, declaration.taken_is_public) != (
        provenance.looked,
        provenance.vouched,
    ):
        raise ReleaseError(
            "The certificate does not list the steward's looks and assurances correctly."
        )
    if decisions_in(certificate) != provenance.decisions:
        raise ReleaseError(
            "The certificate does not name the left-out columns and agreed losses correctly."
        )
    preparations = [preparation.to_json() for preparation in preparations_in(certificate)]
    # The declaration holds its drafts as immutable JSON, so they are made comparable first.
    if any(thaw(draft) not in preparations for draft in provenance.drafts):
        raise ReleaseError("The certificate leaves out a paid draft of the declaration.")
    by_person = certificate.privacy_unit != str(ROW)
    for preparation in declaration.preparations:
        if (
            preparation.neighbors is not certificate.neighbors
            or bool(preparation.person) != by_person
        ):
            raise ReleaseError("A preparation protects another unit than the release.")


def check_fit_said(certificate: ReleaseCertificate, record: Record) -> None:
    """Check a certificate's statement about the rows that fit the declaration.

    Args:
        certificate: The certificate.
        record: The noisy counts, from which the statement follows.

    Raises:
        ReleaseError: It is wrong.
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
    """Check a certificate's statements about the declaration against the ledger.

    The ledger must have the spend of every check, and the right price of every draft that it
    has. The certificate must mention each draft, each check and each look at exact numbers
    that the ledger recorded before the spend of the release.

    Args:
        certificate: The certificate of a release of one table, or of linked tables.
        ledger: The ledger of its spend.

    Raises:
        ReleaseError: A spend is missing, or has another price; or something is left out.
    """
    entries = {entry.number: entry for entry in ledger.entries()}
    paid = {entry.hash: entry.guarantee for entry in entries.values()}
    preparations = preparations_in(certificate)
    for preparation in preparations:
        # A draft may have been paid in another ledger; a check must be in this one.
        must_be_here = preparation.kind == "check" or preparation.entry in paid
        if must_be_here and paid.get(preparation.entry) != preparation.guarantee:
            raise ReleaseError(
                f"A {preparation.kind} of the certificate is not recorded in this ledger."
            )
    recorded = certificate.ledger_record
    spend = entries.get(recorded.entry) if recorded else None
    if spend is None:
        return
    check_looks(ledger, spend, is_said=certificate.declaration.looked)
    listed_entries = {preparation.entry for preparation in preparations}
    for recorded_before in _preparations_before(ledger, spend):
        # Payments for other neighbours cannot be added to the guarantee.
        is_comparable = recorded_before.neighbors is certificate.neighbors
        if is_comparable and recorded_before.entry not in listed_entries:
            raise ReleaseError(
                f"The certificate leaves out a {recorded_before.kind} that the ledger "
                "records."
            )


def check_looks(ledger: Ledger, spend: Entry, *, is_said: bool) -> None:
    """Check that a certificate says so if somebody looked at the rows before its spend.

    Args:
        ledger: The ledger, which records looks at exact numbers.
        spend: The ledger's entry of the spend.
        is_said: Whether the certificate says it.

    Raises:
        ReleaseError: The ledger recorded a look before the spend, and the certificate is
            silent.
    """
    if is_said:
        return
    # A mark is a keyed digest of a table. A table that the ledger cannot recognise has none
    # (""), and belongs to its dataset all the same. Marks stand for the tables' names here.
    marks = {mark: mark for mark in ledger.tables_of(spend.number) or ("",)}
    if tables_looked_at(ledger, spend.dataset, marks, before=spend.number):
        raise ReleaseError(
            "By the ledger, the steward looked at exact numbers of the rows before the "
            "release, and the certificate does not say so."
        )


def _preparations_before(ledger: Ledger, spend: Entry) -> list[Preparation]:
    """Return the drafts and checks of a dataset that the ledger recorded before a spend.

    Those that protect persons by another column cannot be added to the spend, and are left
    out.

    Args:
        ledger: The ledger.
        spend: The entry of the spend in the ledger.
    """
    marks = ledger.tables_of(spend.number)  # keyed digests of the tables
    recorded = preparations_of(ledger, spend.dataset, marks, before=spend.number)
    preparations = [stored.preparation for stored in recorded]
    return [paid for paid in preparations if paid.unit.person == spend.person]

"""A certificate's statements about the declaration: its origin, its cost, and whether rows fit.

PUBLIC. The guarantee of a release covers all payments: drafts and checks of the declaration, and
the release itself. If the declaration used rows without payment, the sentence of the guarantee says
so.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar, cast

from synth.bundle.certificate import Certificate, ReleaseCertificate
from synth.bundle.certificate_parts import DeclarationRecord, PreparationRecord
from synth.bundle.claims import claim_of
from synth.bundle.typed_json import read_typed, write
from synth.domain import LOOKED_UP, Domain, thaw
from synth.door import Ledger
from synth.errors import ArgumentError, ReleaseError
from synth.estimate import (
    FitsSaid,
    Preparation,
    Record,
    digest_of,
    drafts_of,
    measured_pairs,
    relations_sentence,
    released_fits,
    sum_preparations,
)
from synth.util import Document

C = TypeVar("C", bound=ReleaseCertificate)

MOSTLY_NOISE = "Few or no rows fit the declaration, so that what was released is mostly noise. "
"""The first words of a release that is mostly noise."""


def declaration_record(domain: Domain, preparations: Sequence[Preparation]) -> DeclarationRecord:
    """Return the origin of a declaration, and its paid drafts and checks."""
    paid = tuple(read_typed(PreparationRecord, one.to_json()) for one in preparations)
    return DeclarationRecord(domain.looked, domain.vouched, paid)


def with_preparations(certificate: C, preparations: Sequence[Preparation]) -> C:
    """Return the certificate with a guarantee that includes the payments before the release.

    Args:
        certificate: Its guarantee is that of the release alone.
        preparations: Drafts and checks of its declaration.
    """
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
        raise ReleaseError(
            "The guarantee is not that of the release and its preparations together."
        )
    return alone


def promising(certificate: C, epsilon: Fraction = Fraction(0), delta: Fraction = Fraction(0)) -> C:
    """Return the certificate with a guarantee that costs this much more."""
    old = certificate.guarantee
    claim = claim_of(
        old.epsilon + epsilon,
        certificate.neighbors,
        old.delta + delta,
        certificate.privacy_unit,
        beyond=beyond_of(certificate),
    )
    return replace(certificate, guarantee=claim)


def beyond_of(certificate: Certificate) -> str:
    """Return the sentence's part about the declaration; that of answers stands alone."""
    if not isinstance(certificate, ReleaseCertificate):
        return ""
    said = certificate.declaration
    kinds = [one.kind for one in said.preparations]
    return extend_sentence(
        kinds,
        taken=certificate.domain_origin == LOOKED_UP,
        vouched=said.taken_is_public,
        looked=said.looked,
    )


def beyond_domain(domain: Domain, kinds: Sequence[str] = ()) -> str:
    """Return the same part for a declaration, before there is a release."""
    drafts = ["draft"] * len(domain.drafts)
    return extend_sentence(
        [*drafts, *kinds],
        taken=domain.origin == LOOKED_UP,
        vouched=domain.vouched,
        looked=domain.looked,
    )


def beyond_answers(domain: Domain) -> str:
    """Return the same part for answers, whose guarantee covers them alone; it names the drafts."""
    paid = sum_preparations(drafts_of(domain))
    drafted = f" The declaration was drafted from the table for {paid}, which adds to this."
    return drafted * bool(paid) + beyond_domain(replace(domain, drafts=()))


def extend_sentence(kinds: Sequence[str], *, taken: bool, vouched: bool, looked: bool) -> str:
    """Return the part of the guarantee's sentence about the declaration.

    Args:
        kinds: Kinds of the paid preparations.
        taken: Whether the declaration was taken from the rows.
        vouched: Whether the steward vouches that this is public.
        looked: Whether the steward looked at exact numbers of rows that fit.

    >>> extend_sentence(["check"], taken=False, vouched=False, looked=False)
    ' This counts the check of the declaration that was made before.'
    """
    said = ""
    if kinds:
        what = " and the ".join(sorted(set(kinds), reverse=True))
        were = "were" if len(set(kinds)) > 1 else "was"
        said += f" This counts the {what} of the declaration that {were} made before."
    if taken and vouched:
        said += (
            " The declaration was taken from the confidential rows; the steward vouches that what "
            "it says is public."
        )
    elif taken:
        said += (
            " The declaration is not covered: it was taken from the confidential rows, and what it "
            "says of them is released as it is."
        )
    if looked:
        said += (
            " The declaration may depend on the table: the steward looked at exact numbers of rows "
            "that fit before the release."
        )
    return said


def rows_fit(record: Record, preparations: Sequence[Preparation]) -> tuple[str, bool]:
    """Return the finding about the release, and whether it is noise.

    The finding is the noisy number of rows that fit, and how many pairs were measured.
    """
    own = released_fits(record)
    check = last_check(record.domain, preparations)
    few = own.is_few or (check is not None and check.is_few)
    if check is not None:
        before = f"Checked before the release: {check.sentence}."
    elif record.domain.looked:
        before = "The steward looked at exact numbers of rows that fit before the release."
    else:
        before = "Whether rows fit the declaration was not checked before the release."
    said = [
        MOSTLY_NOISE * few + before,
        f"The release's own noisy counts {own.sentence}.",
        relations_sentence(measured_pairs(record), len(record.domain.columns)),
    ]
    return " ".join(filter(None, said)), few or own.is_drowned


def last_check(domain: Domain, preparations: Sequence[Preparation]) -> FitsSaid | None:
    """Return the newest check of exactly this declaration; None if there was none."""
    digest = digest_of(domain)
    checks = [
        said
        for one in preparations
        if one.kind == "check"
        and (said := FitsSaid.from_json(cast("Document", thaw(one.said)))).declaration == digest
    ]
    return checks[-1] if checks else None


def preparations_in(certificate: ReleaseCertificate) -> tuple[Preparation, ...]:
    """Return the payments before the release that the certificate lists.

    Raises:
        ReleaseError: A payment is impossible.
    """
    try:
        listed = certificate.declaration.preparations
        return tuple(Preparation.from_json(cast("Document", write(one))) for one in listed)
    except ArgumentError:
        raise ReleaseError("The certificate lists a preparation that cannot be.") from None


def check_declaration(certificate: ReleaseCertificate, domain: Domain) -> None:
    """Check the certificate's statements about the declaration.

    Raises:
        ReleaseError: A statement is missing or wrong.
    """
    said = certificate.declaration
    if certificate.domain_origin != domain.origin:
        raise ReleaseError("The certificate does not say where the declaration comes from.")
    if (said.looked, said.taken_is_public) != (domain.looked, domain.vouched):
        raise ReleaseError(
            "The certificate does not say what the steward looked at, or vouches for."
        )
    listed = [one.to_json() for one in preparations_in(certificate)]
    if any(thaw(one) not in listed for one in domain.drafts):
        raise ReleaseError(
            "The certificate leaves out a draft that the declaration was paid for with."
        )
    for one in said.preparations:
        if one.neighbors is not certificate.neighbors or bool(one.person) == (
            certificate.privacy_unit == "one row"
        ):
            raise ReleaseError("A preparation protects something else than the release.")


def check_fit_said(certificate: ReleaseCertificate, record: Record) -> None:
    """Check the certificate's statement about rows that fit against its numbers.

    Raises:
        ReleaseError: It is wrong.
    """
    try:
        expected, _ = rows_fit(record, preparations_in(certificate))
    except ArgumentError as error:
        raise ReleaseError(str(error)) from None
    if certificate.rows_fit != expected:
        raise ReleaseError(
            "The certificate does not say of the rows that fit what its numbers say."
        )


def check_prepared(certificate: ReleaseCertificate, ledger: Ledger) -> None:
    """Check that the ledger has the spend of every check, and of every draft that it knows.

    Raises:
        ReleaseError: A spend is missing, or has another price.
    """
    paid = {entry.hash: entry.guarantee for entry in ledger.entries()}
    for one in preparations_in(certificate):
        if paid.get(one.entry) != one.guarantee and (one.kind == "check" or one.entry in paid):
            raise ReleaseError(f"A {one.kind} of the certificate is not recorded in this ledger.")

"""What a check of a bundle found: its sentences, its open parts, and its verdict. PUBLIC."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from synth.bundle import (
    AnswersCertificate,
    Archive,
    Certificate,
    DrawnCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
    Result,
)
from synth.domain import Domain
from synth.estimate import Record
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.util import list_html, paragraph_html
from synth.verification.leaves import OpenPart
from synth.verification.verdict import OpenClaim, StewardClaim, Verdict

if TYPE_CHECKING:
    from synth.bundle import Manifest
    from synth.estimate import MarginalsRecord
    from synth.questions import Answer, Inquiry


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Verified:
    """The findings about files whose checkable claims all hold.

    Files with a claim that does not hold raise a `RefutedError` instead.

    Attributes:
        certificate: The certificate of the files.
        domain: The declared columns.
        checks: A sentence about each claim.
        archive: The files.
        open_parts: The parts of the certificate that were neither computed again nor compared
            with a sealed ledger. Sentences of ``not_checked`` name them, too.
    """

    certificate: Certificate
    domain: Domain
    checks: tuple[str, ...]
    archive: Archive
    open_parts: tuple[OpenPart, ...] = field(default=(), kw_only=True)

    @property
    def confirmed(self) -> tuple[str, ...]:
        """The sentences about claims that hold."""
        return tuple(check for check in self.checks if not isinstance(check, OpenClaim))

    @property
    def not_checked(self) -> tuple[str, ...]:
        """The sentences about claims that were not checked, and why."""
        open_claims = (check for check in self.checks if isinstance(check, OpenClaim))
        return tuple(claim for claim in open_claims if not isinstance(claim, StewardClaim))

    @property
    def for_steward(self) -> tuple[str, ...]:
        """The sentences about claims that only the steward's ledger can show."""
        return tuple(check for check in self.checks if isinstance(check, StewardClaim))

    @property
    def in_words(self) -> str:
        """All sentences in one text, first those about claims that hold."""
        sentence = f"Nothing that the bundle claims is refuted. {' '.join(self.confirmed)}"
        if self.not_checked:
            sentence += f" Not checked: {' '.join(self.not_checked)}"
        if self.for_steward:
            sentence += f" Only the steward can check: {' '.join(self.for_steward)}"
        return sentence

    def __repr__(self) -> str:
        """Return the verdict and the numbers of claims, without the files."""
        counts = [f"{len(self.confirmed)} checks hold"]
        if self.not_checked:
            counts.append(f"{len(self.not_checked)} not checked")
        if self.for_steward:
            counts.append(f"{len(self.for_steward)} for the steward only")
        return f"{type(self).__name__}({self.verdict.value}: {', '.join(counts)})"

    def _repr_html_(self) -> str:
        """Return the verdict, and a sentence about each claim, for a notebook."""
        title = paragraph_html("", title=self.verdict.value.capitalize())
        parts = (
            ("", self.confirmed),
            ("Not checked", self.not_checked),
            ("Only the steward can check", self.for_steward),
        )
        lists = (
            paragraph_html("", title=name) + list_html(sentences)
            for name, sentences in parts
            if sentences
        )
        return title + "".join(lists)

    @property
    def verdict(self) -> Verdict:
        """The verdict: confirmed, or not checked if a claim is open that could be checked."""
        return Verdict.NOT_CHECKED if self.not_checked else Verdict.CONFIRMED


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VerifiedRelease(Verified):
    """A verified release of one table.

    Attributes:
        plan: The plan of the release.
        record: Its noisy counts, and the model's beliefs.
        synthetic: The synthetic rows of the bundle.
    """

    certificate: ReleaseCertificate
    plan: Plan
    record: Record
    synthetic: SyntheticTable

    @cached_property
    def result(self) -> Result:
        """The release, rebuilt from the bundle without a spend and without the table.

        It has no ledger entry, and counts as repeated, which is to say at no cost.
        """
        return Result(
            plan=self.plan,
            record=self.record,
            certificate=self.certificate,
            repeated=True,
            synthetic=self.synthetic,
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VerifiedParts(Verified):
    """A verified release whose rows are in a folder of parts.

    Attributes:
        plan: The plan of the release.
        record: Its noisy counts, and the model's beliefs.
        manifest: The list of the parts, with their digests and numbers of rows.
    """

    certificate: MarginalsCertificate
    plan: Plan
    record: MarginalsRecord
    manifest: Manifest


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VerifiedDrawn(Verified):
    """Verified rows that are no release: a dummy, or rows of a release drawn once more."""

    certificate: DrawnCertificate


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VerifiedAnswers(Verified):
    """Verified answers.

    Attributes:
        inquiry: The questions, and how they were asked.
        answers: The answers, in the order of the questions; empty if this version cannot
            compute them again.
    """

    certificate: AnswersCertificate
    inquiry: Inquiry
    answers: list[Answer]

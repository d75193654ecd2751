"""Certificates: the guarantee, how the release was made, and the digests of its files. PUBLIC.

No other module reads or writes them. `synth.bundle.schema` makes the published JSON schemas from
these classes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NoReturn, Self, cast

from synth.bundle.certificate_parts import (
    AnswerRecord,
    Claim,
    ColumnNames,
    DeclarationRecord,
    Digest,
    Drawing,
    DrawnFrom,
    ExpectedError,
    HistogramMechanism,
    HistogramReleased,
    IdentifierRecord,
    LedgerRecord,
    LinkedPayment,
    MarginalsMechanism,
    MarginalsReleased,
    MechanismClaim,
    Natural,
    PortionRecord,
    PositiveCount,
    RowsClaim,
    ScoreRecord,
    ShareRecord,
)
from synth.bundle.typed_json import DEFAULT_OMITTED, WrongFormError, read_typed, says, write
from synth.errors import OtherVersionError, ReleaseError
from synth.estimate import Favour
from synth.privacy import Guarantee, Neighbors
from synth.util import Document, read_json

SCHEMAS = Path(__file__).parent / "schemas"

REFUSALS = (
    "The guarantee is about what was released. That a release was refused, or was stopped by a "
    "limit on rows, memory or time, is not covered."
)
"""What the guarantee does not cover; what it takes for a row is said behind it."""

ANSWER_CAVEATS = (
    "Each interval holds the true answer with a chance of at least 95 % for itself, not all of "
    "them at once.",
    "For questions that were chosen after looking at a release or at earlier answers of the same "
    "table, the intervals no longer hold. The guarantee does.",
    "Conditions are about values after the declaration's rules for values outside and missing "
    "ones. A missing value meets '!=' and 'not'.",
    "Where a mean over all rows is divided by the public number of rows, a row without a readable "
    "value counts as the middle of the declared range.",
)
"""Further caveats of answers."""

LINKED_CAVEATS = (
    "The guarantee is about keys: all rows that carry one key come, go or are replaced together, "
    "under a key that nobody else uses. A single row that takes the key of another root changes "
    "two roots.",
    "Rows of a root are chosen by a declared rule that looks at no other root. Rows without a "
    "root, and rows above the limit of their parent, are left out.",
)
"""What has to be known of linked tables."""

OfPerson = Annotated[int, says(minimum=1, description="of one person that are used")]

WRITTEN = (
    "format", "source", "release", "where", "shares", "rows_fit", "created", "guarantee",
    "neighbors", "privacy_unit", "max_rows", "caveats", "questions", "spent", "portions",
    "mechanism", "domain_origin",
    "noisy_counts", "declaration", "number_of_rows", "released", "expected_error", "favour",
    "predict", "algorithm", "repair", "drawing", "rows", "identifiers", "answers",
    "dataset", "ledger", "versions", "scores", "payments", "sha256",
)  # fmt: skip
"""The fields of all certificates, in reading order."""


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What every certificate says, of a release or of answers.

    Attributes:
        format: The version of the form.
        created: When the spend was made, UTC, ISO 8601.
        guarantee: What is promised.
        neighbors: The relation of the guarantee.
        privacy_unit: Whose data is protected, in words.
        max_rows: Rows of one person that are used.
        caveats: What the guarantee does not cover, and what counts as a row.
        domain_origin: Whether the domain was declared or looked up.
        number_of_rows: Rows of the table and how they are known, in words.
        dataset: The steward's name of the table.
        ledger: Where the spend is recorded.
        versions: Of Synth and of the packages that the release depends on.
        sha256: Digests by name of file; none before files are written.
    """

    TITLE: ClassVar[str]
    PUBLISHED: ClassVar[str]
    CAVEATS: ClassVar[ColumnNames] = ()

    format: str
    created: Annotated[str, says(description="when the spend was made, UTC, ISO 8601")]
    guarantee: Claim
    neighbors: Neighbors
    privacy_unit: str
    max_rows: OfPerson
    caveats: Annotated[
        ColumnNames,
        says(
            minItems=1,
            description="what the guarantee does not cover, and what counts as a row of the table",
        ),
    ]
    domain_origin: str
    number_of_rows: str
    dataset: str
    ledger: Literal["not recorded in a ledger"] | LedgerRecord
    versions: Mapping[str, str]
    sha256: Mapping[str, Digest] = field(default_factory=dict)

    @classmethod
    def from_json(cls, content: Document) -> "Certificate":
        """Read the certificate that `to_json` wrote.

        Raises:
            OtherVersionError: It has the form of another version of Synth.
            ReleaseError: It does not have the published form.
        """
        kind = form_of(content)
        _check_published(content, schema_path(kind))
        try:
            return read_typed(kind, content)
        except WrongFormError as error:
            _not_published(_unlike(str(error)))

    def to_json(self) -> Document:
        """Return the certificate as JSON."""
        content = cast("Document", write(self))
        return dict(sorted(content.items(), key=lambda one: WRITTEN.index(one[0])))

    def to_bytes(self) -> bytes:
        """Return the file."""
        return (json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n").encode()

    def sign(self, digests: Mapping[str, str]) -> Self:
        """Return the certificate with the digests of these files."""
        return replace(self, sha256=dict(digests))

    @property
    def schema(self) -> Path:
        """Path of its published schema."""
        return schema_path(type(self))

    @property
    def ledger_record(self) -> LedgerRecord | None:
        """The record of the spend; None without a ledger file."""
        return self.ledger if isinstance(self.ledger, LedgerRecord) else None


@dataclass(frozen=True, kw_only=True)
class ReleaseCertificate(Certificate):
    """What the certificate of every release says.

    Attributes:
        rows_fit: What noisy numbers say of the rows that fit the declaration.
        mechanism: The noise.
        noisy_counts: Which counts were released, in words.
        declaration: What it owes to the rows.
        released: The numbers of rows that left with the noisy counts.
        algorithm: What asked for the noisy counts and made rows of them.
        drawing: How the rows were drawn.
        rows: Synthetic rows.
        identifiers: Columns of IDs.
        scores: Utility scores that were bought.
    """

    rows_fit: Annotated[
        str, says(description="what noisy numbers say of the rows that fit the declaration")
    ]
    mechanism: MechanismClaim
    noisy_counts: str
    declaration: DeclarationRecord
    released: RowsClaim
    algorithm: Annotated[
        PositiveCount, says(description="which algorithm asked for the counts and made the rows")
    ]
    drawing: Drawing
    rows: Natural
    identifiers: Annotated[
        tuple[IdentifierRecord, ...],
        says(
            minItems=1,
            description="columns of IDs: each different, drawn from the pattern and the seed of "
            "the drawing; no real key was read, and an ID that equals one says nothing of it",
        ),
    ] = field(default=(), metadata=DEFAULT_OMITTED)
    scores: Annotated[
        tuple[ScoreRecord, ...],
        says(
            minItems=1,
            description="utility scores bought afterwards; the guarantee is that of the "
            "release and of them together",
        ),
    ] = field(default=(), metadata=DEFAULT_OMITTED)

    @property
    def repair_words(self) -> str:
        """How negative counts were repaired, in words."""
        return "of each marginal, around the model"


@dataclass(frozen=True, kw_only=True)
class HistogramCertificate(ReleaseCertificate):
    """The certificate of a release by histogram."""

    TITLE = "Certificate of a differentially private release made with Synth"
    PUBLISHED = "certificate"

    format: Literal["synth-certificate-2"] = "synth-certificate-2"
    mechanism: HistogramMechanism
    released: Annotated[
        HistogramReleased, says(description="the numbers that left with the noisy counts")
    ]
    repair: str

    @property
    def repair_words(self) -> str:
        """How negative counts were repaired, in words."""
        return self.repair


@dataclass(frozen=True, kw_only=True)
class MarginalsCertificate(ReleaseCertificate):
    """The certificate of a release by marginals."""

    TITLE = "Certificate of a differentially private release of marginals made with Synth"
    PUBLISHED = "certificate.model"

    format: Literal["synth-certificate-model-2"] = "synth-certificate-model-2"
    mechanism: MarginalsMechanism
    released: Annotated[MarginalsReleased, says(description="how many rows the table has")]
    expected_error: Annotated[
        tuple[ExpectedError, ...],
        says(
            description="of pairs of columns: share of rows in the wrong place, from public numbers"
        ),
    ]
    favour: Annotated[
        Favour, says(description="what the rows are nearest to, where it is not the counts")
    ] = field(default=Favour.ERRORS, metadata=DEFAULT_OMITTED)
    predict: Annotated[
        str, says(minLength=1, description="the column whose pairs came first, to be predicted")
    ] = field(default="", metadata=DEFAULT_OMITTED)

    @property
    def repair_words(self) -> str:
        """How negative counts were repaired, in words."""
        strong = "; the rows favour associations" if self.favour is Favour.ASSOCIATIONS else ""
        first = f"; pairs with '{self.predict}', to be predicted, came first" * bool(self.predict)
        return super().repair_words + strong + first


@dataclass(frozen=True, kw_only=True)
class AnswersCertificate(Certificate):
    """The certificate of answers to questions.

    Attributes:
        questions: What was asked, in canonical form.
        spent: What was paid for all answers together; None where all of it was public already.
        portions: What was measured, and how.
        rows: Rows of the table, where that is public.
        answers: What follows from it.
    """

    TITLE = "Certificate of differentially private answers given with Synth"
    PUBLISHED = "certificate.answers"
    CAVEATS = ANSWER_CAVEATS

    format: Literal["synth-certificate-answers-2"] = "synth-certificate-answers-2"
    questions: Annotated[
        ColumnNames, says(minItems=1, description="what was asked, in canonical form")
    ]
    spent: Guarantee | None = field(default=None, metadata=DEFAULT_OMITTED)
    portions: Annotated[
        tuple[PortionRecord, ...],
        says(minItems=1, description="what was measured at once, and with which noise"),
    ]
    rows: Annotated[int | None, says(description="rows of the table, where public")]
    answers: Annotated[
        tuple[AnswerRecord, ...],
        says(minItems=1, description="one a question, in order; they follow from the noisy values"),
    ]


@dataclass(frozen=True, kw_only=True)
class DrawnCertificate(Certificate):
    """The certificate of rows that are no release: a dummy, or rows of a release drawn once more.

    Attributes:
        source: What they were drawn from.
        release: The digest of the release's certificate; empty of a dummy.
        where: The condition that all rows meet; empty for none.
        shares: Shares that somebody set.
        rows: Rows.
        identifiers: Columns of IDs.
        drawing: How they were drawn.
    """

    TITLE = "Certificate of a dummy, or of rows of a release with set shares, made with Synth"
    PUBLISHED = "certificate.drawn"

    format: Literal["synth-certificate-drawn-1"] = "synth-certificate-drawn-1"
    source: Annotated[DrawnFrom, says(description="a declaration alone makes a dummy")]
    release: str = field(default="", metadata=DEFAULT_OMITTED)
    where: Annotated[str, says(description="the condition that all rows meet")] = field(
        default="", metadata=DEFAULT_OMITTED
    )
    shares: Annotated[
        tuple[ShareRecord, ...], says(minItems=1, description="set by somebody, not measured")
    ] = field(default=(), metadata=DEFAULT_OMITTED)
    rows: PositiveCount
    identifiers: tuple[IdentifierRecord, ...] = field(default=(), metadata=DEFAULT_OMITTED)
    drawing: Drawing


@dataclass(frozen=True, kw_only=True)
class LinkedCertificate(Certificate):
    """The certificate of a release of linked tables.

    Attributes:
        mechanism: The noise, in words.
        algorithm: What asked for the noisy counts and made rows of them.
        payments: What was measured, and what it cost.
        drawing: How the rows were drawn.
        rows: Synthetic rows of each table.
    """

    TITLE = "Certificate of a differentially private release of linked tables made with Synth"
    PUBLISHED = "certificate.linked"
    CAVEATS = LINKED_CAVEATS

    format: Literal["synth-certificate-linked-1"] = "synth-certificate-linked-1"
    mechanism: str
    algorithm: Annotated[
        PositiveCount, says(description="which algorithm asked for the counts and made the rows")
    ]
    payments: Annotated[
        tuple[LinkedPayment, ...], says(minItems=1, description="in order; the costs add up")
    ]
    drawing: Drawing
    rows: Annotated[Mapping[str, Natural], says(description="synthetic rows by table")]


FORMS = (
    HistogramCertificate,
    MarginalsCertificate,
    AnswersCertificate,
    DrawnCertificate,
    LinkedCertificate,
)
_NAMED = re.compile("synth-certificate-[a-z0-9-]{1,40}")


def form_of(content: Document) -> type[Certificate]:
    """Return the class of a certificate in JSON.

    Raises:
        OtherVersionError: It has the form of another version of Synth.
        ReleaseError: It is no certificate.
    """
    form = content.get("format")
    found = next((kind for kind in FORMS if kind.format == form), None)
    if found is not None:
        return found
    if isinstance(form, str) and _NAMED.fullmatch(form):
        raise OtherVersionError(
            f"The certificate has the form '{form}', which this version of Synth does not know; "
            "verify it with the version that wrote it."
        )
    raise ReleaseError("The certificate was not made by Synth.")


def schema_path(kind: type[Certificate]) -> Path:
    """Return the path of the published schema of a class."""
    return SCHEMAS / f"{kind.PUBLISHED}.schema.json"


def _check_published(content: Document, path: Path) -> None:
    """Check a certificate against the published schema."""
    from jsonschema import Draft202012Validator  # here, because it is slow to import

    schema = read_json(path.read_bytes(), f"'{path.name}'")
    found = Draft202012Validator(schema).iter_errors(content)
    errors = sorted(found, key=lambda error: [str(step) for step in error.absolute_path])
    if errors:
        place = ".".join(str(step) for step in errors[0].absolute_path)
        if errors[0].validator == "additionalProperties":
            _not_published((f"'{place}'" if place else "it") + " claims more than it may")
        _not_published(_unlike(place))


def _unlike(place: str) -> str:
    return f"'{place}' is not as the published schema wants it" if place else "a part is missing"


def _not_published(why: str) -> NoReturn:
    raise ReleaseError(f"The certificate does not have the published form: {why}.")

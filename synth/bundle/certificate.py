"""Certificates: the guarantee, how the release was made, and the digests of its files.
PUBLIC.

`synth.bundle.schema` makes the published JSON schemas from these classes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NoReturn, Self, cast

from synth.bundle.certificate_parts import (
    AnswerRecord,
    Claim,
    ColumnNames,
    DeclarationRecord,
    Digest,
    Drawing,
    DrawnFrom,
    ErrorBar,
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
from synth.bundle.typed_json import WrongFormError, read_typed, says, write
from synth.errors import OtherVersionError, ReleaseError
from synth.estimate import Favour
from synth.privacy import Guarantee, Neighbors
from synth.util import Document, omitted, read_json

if TYPE_CHECKING:
    from jsonschema import ValidationError

SCHEMAS = Path(__file__).parent / "schemas"

ANSWER_CAVEATS = (
    "Each interval alone contains the true answer with a probability of at least 95 %; all "
    "of them together may not.",
    "If you chose a question after you saw a release or earlier answers of the same table, "
    "its interval no longer holds. The guarantee does.",
    "Conditions apply after the rules for missing values and values outside. A missing value "
    "meets '!=' and 'not'.",
    "In a mean over all rows with a public number of rows, a row without a readable value "
    "counts as the middle of the declared range.",
)

# Caveats of linked tables.
LINKED_CAVEATS = (
    "The guarantee protects keys: all rows with one key are added, removed or replaced "
    "together, under a key that no one else has. A row that takes the key of another root "
    "changes two roots.",
    "A declared rule chooses the rows of each root, independently of other roots. Rows "
    "without a root, and rows above the limit of their parent, are left out.",
)

OfPerson = Annotated[int, says("of one person that are used", minimum=1)]

# The fields of all certificates, in reading order.
WRITTEN = (
    "format",
    "source",
    "release",
    "where",
    "shares",
    "rows_fit",
    "created",
    "guarantee",
    "neighbors",
    "privacy_unit",
    "max_rows",
    "caveats",
    "questions",
    "spent",
    "portions",
    "mechanism",
    "domain_origin",
    "noisy_counts",
    "declaration",
    "number_of_rows",
    "released",
    "error_bars",
    "favour",
    "predict",
    "algorithm",
    "repair",
    "drawing",
    "rows",
    "identifiers",
    "answers",
    "dataset",
    "ledger",
    "versions",
    "scores",
    "payments",
    "sha256",
)


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """The common part of all certificates.

    Attributes:
        TITLE: The title of the published schema.
        PUBLISHED: The name of the schema's file, without its ending.
        CAVEATS: The last caveats of every certificate of this kind.
        format: The version of the form.
        created: When the spend was made, UTC, ISO 8601.
        guarantee: The guarantee, in numbers and in words.
        neighbors: Which tables the guarantee compares.
        privacy_unit: Whose data is protected, in words.
        max_rows: Rows of one person that are used.
        caveats: Limits of the guarantee, and the definition of a row.
        domain_origin: Whether the domain was declared or looked up.
        number_of_rows: Rows of the table and how they are known, in words.
        dataset: The name of the dataset in the ledger.
        ledger: The spend in the ledger, and the newest event then.
        versions: Of Synth and of the packages that the release depends on.
        sha256: Digests by name of file; none before files are written.
    """

    TITLE: ClassVar[str]
    PUBLISHED: ClassVar[str]
    CAVEATS: ClassVar[ColumnNames] = ()

    format: str
    created: Annotated[str, says("when the spend was made, UTC, ISO 8601")]
    guarantee: Claim
    neighbors: Neighbors
    privacy_unit: str
    max_rows: OfPerson
    caveats: Annotated[
        ColumnNames, says("limits of the guarantee, and the definition of a row", minItems=1)
    ]
    domain_origin: str
    number_of_rows: str
    dataset: str
    ledger: Literal["not recorded in a ledger"] | LedgerRecord
    versions: Mapping[str, str]
    sha256: Mapping[str, Digest] = field(default_factory=dict)

    @classmethod
    def from_json(cls, content: Document) -> "Certificate":
        """Return the certificate of the JSON that `to_json` wrote, as one of its own class.

        Raises:
            OtherVersionError: It has the form of another version of Synth.
            ReleaseError: It does not have the published form.
        """
        kind = form_of(content)
        _check_published(content, schema_path(kind))
        try:
            return read_typed(kind, content)
        except WrongFormError as error:
            _refuse_form(_describe_mismatch(str(error)))

    def to_json(self) -> Document:
        """Return the certificate as JSON, its fields in reading order."""
        content = cast("Document", write(self))
        return {name: content[name] for name in sorted(content, key=WRITTEN.index)}

    def to_bytes(self) -> bytes:
        """Return the certificate as the bytes of its file: JSON in UTF-8."""
        return (json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n").encode()

    def sign(self, digests: Mapping[str, str]) -> Self:
        """Return the certificate with the digests of the files, by name."""
        return replace(self, sha256=dict(digests))

    @property
    def schema(self) -> Path:
        """The path of the published schema of this kind."""
        return schema_path(type(self))

    @property
    def ledger_record(self) -> LedgerRecord | None:
        """The spend in the ledger; None if it is not recorded."""
        return self.ledger if isinstance(self.ledger, LedgerRecord) else None


@dataclass(frozen=True, kw_only=True)
class ReleaseCertificate(Certificate):
    """The certificate of a release of one table.

    Attributes:
        rows_fit: The rows that fit the declaration, by noisy numbers.
        mechanism: The measurements, and their noise.
        noisy_counts: Which counts were released, in words.
        declaration: The part of the declaration that comes from the rows.
        released: The numbers of rows that left with the noisy counts.
        algorithm: Its queries, and how rows follow from the answers.
        drawing: How the rows were drawn, and the seed.
        rows: The number of synthetic rows.
        identifiers: The columns of unique IDs.
        scores: Utility scores that were bought afterwards.
    """

    rows_fit: Annotated[str, says("how many rows fit the declaration, by noisy numbers")]
    mechanism: MechanismClaim
    noisy_counts: str
    declaration: DeclarationRecord
    released: RowsClaim
    algorithm: Annotated[
        PositiveCount, says("the algorithm that chose the counts and made the rows")
    ]
    drawing: Drawing
    rows: Natural
    identifiers: Annotated[
        tuple[IdentifierRecord, ...],
        says(
            "columns of unique IDs, drawn from the pattern and the seed. No real key "
            "was read; an ID that equals one reveals nothing about it",
            minItems=1,
        ),
    ] = omitted(())
    scores: Annotated[
        tuple[ScoreRecord, ...],
        says("utility scores bought afterwards; the guarantee includes them", minItems=1),
    ] = omitted(())

    @property
    def repair_words(self) -> str:
        """How the noisy counts were repaired, in words."""
        return "of each marginal, around the model"


@dataclass(frozen=True, kw_only=True)
class HistogramCertificate(ReleaseCertificate):
    """The certificate of a release by a histogram of all cells.

    Attributes:
        repair: The name of the repair of the noisy counts.
    """

    TITLE = "Certificate of a differentially private release made with Synth"
    PUBLISHED = "certificate"

    format: Literal["synth-certificate-3"] = "synth-certificate-3"
    mechanism: HistogramMechanism
    released: Annotated[
        HistogramReleased, says("the numbers that left with the noisy counts")
    ]
    repair: str

    @property
    def repair_words(self) -> str:
        """The name of the repair."""
        return self.repair


@dataclass(frozen=True, kw_only=True)
class MarginalsCertificate(ReleaseCertificate):
    """The certificate of a release by a model of marginals.

    Attributes:
        error_bars: How far off single pairs of columns may be, largest first.
        favour: The target of the rows: the counts, or the associations.
        predict: The column whose pairs came first; empty for none.
    """

    TITLE = "Certificate of a differentially private release of marginals made with Synth"
    PUBLISHED = "certificate.model"

    format: Literal["synth-certificate-model-4"] = "synth-certificate-model-4"
    mechanism: MarginalsMechanism
    released: Annotated[MarginalsReleased, says("how many rows the table has")]
    error_bars: Annotated[
        tuple[ErrorBar, ...],
        says("how far off single pairs of columns may be, largest first"),
    ]
    favour: Annotated[Favour, says("the target of the rows, if other than the counts")] = (
        omitted(Favour.ERRORS)
    )
    predict: Annotated[
        str, says("the column whose pairs came first, to be predicted", minLength=1)
    ] = omitted("")

    @property
    def repair_words(self) -> str:
        """How the noisy counts were repaired, and the target of the rows, in words."""
        words = super().repair_words
        if self.favour is Favour.ASSOCIATIONS:
            words += "; the rows favour associations"
        if self.predict:
            words += f"; pairs with '{self.predict}', to be predicted, came first"
        return words


@dataclass(frozen=True, kw_only=True)
class AnswersCertificate(Certificate):
    """The certificate of answers to questions.

    Attributes:
        questions: In canonical form.
        spent: The cost of all answers together; None if all of it was public already.
        rows: Rows of the table, if public.
    """

    TITLE = "Certificate of differentially private answers given with Synth"
    PUBLISHED = "certificate.answers"
    CAVEATS = ANSWER_CAVEATS

    format: Literal["synth-certificate-answers-3"] = "synth-certificate-answers-3"
    questions: Annotated[ColumnNames, says("the questions, in canonical form", minItems=1)]
    spent: Guarantee | None = omitted(None)
    portions: Annotated[
        tuple[PortionRecord, ...],
        says("measurements made at once, and their noise", minItems=1),
    ]
    rows: Annotated[int | None, says("rows of the table, if public")]
    answers: Annotated[
        tuple[AnswerRecord, ...],
        says("one per question, in order; they follow from the noisy values", minItems=1),
    ]


@dataclass(frozen=True, kw_only=True)
class DrawnCertificate(Certificate):
    """The certificate of rows that are no release.

    Attributes:
        release: The digest of the release's certificate; empty of a dummy.
        where: The condition that all rows meet; empty for none.
        shares: Shares that somebody set.
    """

    TITLE = "Certificate of a dummy, or of rows of a release with set shares, made with Synth"
    PUBLISHED = "certificate.drawn"

    format: Literal["synth-certificate-drawn-2"] = "synth-certificate-drawn-2"
    source: Annotated[DrawnFrom, says("a declaration alone makes a dummy")]
    release: str = omitted("")
    where: Annotated[str, says("the condition that all rows meet")] = omitted("")
    shares: Annotated[
        tuple[ShareRecord, ...], says("set by a person, not measured", minItems=1)
    ] = omitted(())
    rows: PositiveCount
    identifiers: tuple[IdentifierRecord, ...] = omitted(())
    drawing: Drawing


@dataclass(frozen=True, kw_only=True)
class LinkedCertificate(Certificate):
    """The certificate of a release of linked tables.

    Attributes:
        rows_fit: The rows of each table that fit, known before the release.
        declaration: The part of the declarations that comes from the rows.
        rows: The synthetic rows of each table.
    """

    TITLE = "Certificate of a differentially private release of linked tables made with Synth"
    PUBLISHED = "certificate.linked"
    CAVEATS = LINKED_CAVEATS

    format: Literal["synth-certificate-linked-4"] = "synth-certificate-linked-4"
    rows_fit: Annotated[str, says("known before the release: rows that fit the declarations")]
    mechanism: str
    declaration: DeclarationRecord
    algorithm: Annotated[
        PositiveCount, says("the algorithm that chose the counts and made the rows")
    ]
    payments: Annotated[
        tuple[LinkedPayment, ...], says("in order; the costs add up", minItems=1)
    ]
    drawing: Drawing
    rows: Annotated[Mapping[str, Natural], says("synthetic rows by table")]


FORMS = (
    HistogramCertificate,
    MarginalsCertificate,
    AnswersCertificate,
    DrawnCertificate,
    LinkedCertificate,
)
_NAMED = re.compile("synth-certificate-[a-z0-9-]{1,40}")


def form_of(content: Document) -> type[Certificate]:
    """Return the class of a certificate, by the ``format`` in its JSON.

    Raises:
        OtherVersionError: It has the form of another version of Synth.
        ReleaseError: It is no certificate.
    """
    form = content.get("format")
    for kind in FORMS:
        if kind.format == form:
            return kind
    if isinstance(form, str) and _NAMED.fullmatch(form):
        raise OtherVersionError(
            f"The certificate has the form '{form}', which this version of Synth does not "
            "know; verify it with the version that wrote it."
        )
    raise ReleaseError("The certificate was not made by Synth.")


def schema_file_text(schema: Document) -> str:
    """Return a published JSON schema as the text of its file."""
    return json.dumps(schema, indent=1) + "\n"


def published_schemas() -> set[str]:
    """Return the digests of the schemas that earlier versions published, in hexadecimal."""
    lines = (SCHEMAS / "earlier.txt").read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if not line.startswith("#")}


def schema_path(kind: type[Certificate]) -> Path:
    """Return the path of the published schema of a kind of certificate."""
    return SCHEMAS / f"{kind.PUBLISHED}.schema.json"


def _check_published(content: Document, path: Path) -> None:
    """Check that a certificate has the form of its published schema.

    Args:
        content: The certificate as JSON.
        path: The file of the schema.

    Raises:
        ReleaseError: It has not; the sentence names the first faulty part.
    """
    from jsonschema import Draft202012Validator  # here, because it is slow to import

    schema = read_json(path.read_bytes(), f"'{path.name}'")
    errors = sorted(Draft202012Validator(schema).iter_errors(content), key=_steps_of)
    if errors:
        # The path of the faulty part, empty for the whole certificate.
        place = ".".join(_steps_of(errors[0]))
        # A field that the schema does not have.
        if errors[0].validator == "additionalProperties":
            part = f"'{place}'" if place else "it"
            _refuse_form(f"{part} claims too much")
        _refuse_form(_describe_mismatch(place))


def _steps_of(error: "ValidationError") -> list[str]:
    """Return the steps from the whole certificate to the part that an error is about."""
    return [str(step) for step in error.absolute_path]


def _describe_mismatch(place: str) -> str:
    """Return the fault at a place of the certificate, or at none."""
    return f"'{place}' does not match the published schema" if place else "a part is missing"


def _refuse_form(why: str) -> NoReturn:
    raise ReleaseError(f"The certificate does not have the published form: {why}.")

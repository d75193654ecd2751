"""Certificates: what was promised, how it was made, and of which files. PUBLIC.

They are read and written here and nowhere else. `synth.bundle.schema` makes the published JSON
schemas out of these classes.
"""

import json
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
    ExpectedError,
    HistogramMechanism,
    HistogramReleased,
    LedgerRecord,
    MarginalsMechanism,
    MarginalsReleased,
    MechanismClaim,
    Natural,
    PortionRecord,
    RowsClaim,
    ScoreRecord,
)
from synth.bundle.typed_json import WrongFormError, after, left_out, read, says, write
from synth.check import Document, read_json
from synth.errors import ReleaseError
from synth.models.names import Favour
from synth.privacy.guarantee import Guarantee, Neighbors

SCHEMAS = Path(__file__).parent / "schemas"

REFUSALS = (
    "The guarantee is about what was released. That a release was refused, or was stopped by a "
    "limit on rows, memory or time, is not covered."
)
"""What the guarantee does not cover; what it takes for a row is said behind it."""
EARLIER_READING = (
    "Rows are those that the reader tells apart. A cell that cannot be read counts as a value that "
    "is not declared; a row whose cells cannot be told apart is left out, and still is a row of "
    "the table."
)
"""What certificates of earlier states say of rows."""

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
"""What has to be known of answers besides."""

UNTOLD_UNTIL, APART_UNTIL = 4, 5
"""The last algorithms for models that certificates do not tell, and whose pure distances got their
noise each by itself."""
OfPerson = Annotated[int, says(minimum=1, description="of one person that are used")]


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What every certificate says, of a release or of answers.

    Attributes:
        format: The version of the form.
        created: When the spend was made, UTC, ISO 8601.
        guarantee: What is promised.
        neighbors: The relation of the guarantee.
        privacy_unit: Whose data is protected, in words.
        max_rows: Rows of one person that are used; None in a certificate of an earlier version.
        caveats: What the guarantee does not cover; none in a certificate of an earlier version.
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
    max_rows: OfPerson | None = field(default=None, metadata=left_out())
    caveats: Annotated[
        ColumnNames,
        says(
            minItems=1,
            items=None,
            description="what the guarantee does not cover, and what counts as a row of the table",
        ),
    ] = field(default=(), metadata=left_out(required=True))
    domain_origin: str
    number_of_rows: str
    dataset: str
    ledger: Literal["not recorded in a ledger"] | LedgerRecord
    versions: Mapping[str, str]
    sha256: Mapping[str, Digest] = field(default_factory=dict)

    @classmethod
    def from_json(cls, content: Document) -> "Certificate":
        """The certificate that `to_json` wrote, of whichever form.

        Raises:
            ReleaseError: It does not have the published form.
        """
        kind = form_of(content)
        _check_published(content, schema_path(kind, _form_of(content)))
        try:
            return read(kind, content)
        except WrongFormError as error:
            _not_published(_unlike(str(error)))

    def to_json(self) -> Document:
        """The certificate as it is written."""
        return dict(cast("Document", write(self)))

    def to_bytes(self) -> bytes:
        """The file."""
        return (json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n").encode()

    def signed(self, digests: Mapping[str, str]) -> Self:
        """The certificate of these files."""
        return replace(self, sha256=dict(digests))

    @property
    def schema(self) -> Path:
        """The published form that it has."""
        return schema_path(type(self), _form_of(self.to_json()))

    @property
    def most_rows(self) -> int:
        """Rows of one person that are used."""
        return 1 if self.max_rows is None else self.max_rows

    @property
    def recorded(self) -> LedgerRecord | None:
        """Where the spend is recorded; None where that is in no ledger file."""
        return self.ledger if isinstance(self.ledger, LedgerRecord) else None


@dataclass(frozen=True, kw_only=True)
class ReleaseCertificate(Certificate):
    """What the certificate of every release says.

    Attributes:
        rows_fit: What noisy numbers say of the rows that fit the declaration; empty in a
            certificate of an earlier version.
        declaration: What it owes to the rows; None in a certificate of an earlier version.
        mechanism: The noise.
        noisy_counts: Which counts were released, in words.
        released: The numbers of rows that left with the noisy counts.
        drawing: How the rows were drawn.
        rows: Synthetic rows.
        scores: Utility scores that were bought.
    """

    rows_fit: Annotated[
        str, says(description="what noisy numbers say of the rows that fit the declaration")
    ] = field(default="", metadata={**after("format"), **left_out(required=True)})
    declaration: DeclarationRecord | None = field(
        default=None, metadata={**after("domain_origin"), **left_out(required=True)}
    )
    mechanism: MechanismClaim = field(metadata=after("caveats"))
    noisy_counts: str = field(metadata=after("domain_origin"))
    released: RowsClaim = field(metadata=after("number_of_rows"))
    drawing: Drawing = field(metadata=after("released"))
    rows: Natural = field(metadata=after("drawing"))
    scores: Annotated[
        tuple[ScoreRecord, ...],
        says(
            minItems=1,
            description="utility scores bought afterwards; the guarantee is that of the "
            "release and of them together",
        ),
    ] = field(default=(), metadata={**after("ledger"), **left_out(written_after="versions")})

    @property
    def repaired(self) -> str:
        """How negative counts were repaired, in words."""
        return "of each marginal, around the model"


@dataclass(frozen=True, kw_only=True)
class HistogramCertificate(ReleaseCertificate):
    """The certificate of a release by histogram."""

    TITLE = "Certificate of a differentially private release made with Synth"
    PUBLISHED = "certificate"

    format: Literal["synth-certificate-1"] = "synth-certificate-1"
    mechanism: HistogramMechanism = field(metadata=after("caveats"))
    number_of_rows: str = field(default="", metadata=left_out())
    released: Annotated[
        HistogramReleased, says(description="the numbers that left with the noisy counts")
    ] = field(metadata=after("number_of_rows"))
    repair: str = field(metadata=after("released"))

    @property
    def repaired(self) -> str:
        """How negative counts were repaired, in words."""
        return self.repair


@dataclass(frozen=True, kw_only=True)
class MarginalsCertificate(ReleaseCertificate):
    """The certificate of a release by marginals."""

    TITLE = "Certificate of a differentially private release of marginals made with Synth"
    PUBLISHED = "certificate.model"

    format: Literal["synth-certificate-model-1"] = "synth-certificate-model-1"
    mechanism: MarginalsMechanism = field(metadata=after("caveats"))
    released: Annotated[MarginalsReleased, says(description="how many rows the table has")] = field(
        metadata=after("number_of_rows")
    )
    expected_error: Annotated[
        tuple[ExpectedError, ...],
        says(
            description="of pairs of columns: share of rows in the wrong place, from public numbers"
        ),
    ] = field(metadata=after("released"))
    favour: Annotated[
        Favour, says(description="what the rows are nearest to, where it is not the counts")
    ] = field(default=Favour.ERRORS, metadata={**after("expected_error"), **left_out()})
    predict: Annotated[
        str, says(minLength=1, description="the column whose pairs came first, to be predicted")
    ] = field(default="", metadata={**after("favour"), **left_out()})
    algorithm: Annotated[
        int,
        says(
            minimum=UNTOLD_UNTIL + 1, description="which algorithm made the rows, from the fifth on"
        ),
    ] = field(default=UNTOLD_UNTIL, metadata={**after("predict"), **left_out()})

    @property
    def repaired(self) -> str:
        """How negative counts were repaired, in words."""
        strong = "; the rows favour associations" if self.favour is Favour.ASSOCIATIONS else ""
        first = f"; pairs with '{self.predict}', to be predicted, came first" * bool(self.predict)
        return super().repaired + strong + first


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

    format: Literal["synth-certificate-answers-1"] = "synth-certificate-answers-1"
    questions: Annotated[
        ColumnNames, says(minItems=1, description="what was asked, in canonical form")
    ] = field(metadata=after("caveats"))
    spent: Guarantee | None = field(default=None, metadata={**after("questions"), **left_out()})
    portions: Annotated[
        tuple[PortionRecord, ...],
        says(minItems=1, description="what was measured at once, and with which noise"),
    ] = field(metadata=after("spent"))
    rows: Annotated[int | None, says(description="rows of the table, where public")] = field(
        metadata=after("number_of_rows")
    )
    answers: Annotated[
        tuple[AnswerRecord, ...],
        says(minItems=1, description="one a question, in order; they follow from the noisy values"),
    ] = field(metadata=after("rows"))


FORMS = (HistogramCertificate, MarginalsCertificate, AnswersCertificate)


def form_of(content: Document) -> type[Certificate]:
    """Which certificate a JSON object is.

    Raises:
        ReleaseError: None that is known.
    """
    form = content.get("format")
    found = next((kind for kind in FORMS if kind.format == form), None)
    if found is None:
        known = isinstance(form, str) and form.startswith("synth-certificate-")
        message = (
            f"The certificate has the form '{form}', which this version of Synth does not know."
            if known
            else "The certificate was not made by Synth."
        )
        raise ReleaseError(message)
    return found


def schema_path(kind: type[Certificate], form: str = "") -> Path:
    """The published form of certificates of a kind; the first had no caveats.

    The first of answers had fewer kinds of questions. The second did not say what a release's
    declaration owes to the rows; the third, of marginals, not what its rows favour, the fourth
    knows no Gaussian DP, the fifth neither what is to be predicted nor the algorithm, and the
    sixth no noise on all distances together.
    """
    told = "" if form == ".second" and kind is AnswersCertificate else form
    return SCHEMAS / f"{kind.PUBLISHED}{told}.schema.json"


def _form_of(content: Document) -> str:
    """Which of the published forms a certificate has, as the name of its schema says it."""
    if "caveats" not in content:
        return ".first"
    if not {"rows_fit", "declaration"} & content.keys():
        return ".second"
    algorithm = content.get("algorithm")
    is_new = isinstance(algorithm, int) and algorithm > APART_UNTIL
    if content.get("format") != MarginalsCertificate.format or is_new:
        return ""
    if {"predict", "algorithm"} & content.keys():
        return ".sixth"
    if _is_gaussian(content):
        return ".fifth"
    return ".fourth" if "favour" in content else ".third"


def _is_gaussian(content: Document) -> bool:
    """Whether costs were added up by Gaussian DP."""
    mechanism = content.get("mechanism")
    return isinstance(mechanism, dict) and mechanism.get("accounting") == "Gaussian (mu-GDP)"


def has_form(certificate: Certificate, path: Path) -> bool:
    """Whether a certificate is also as an earlier published schema wants it."""
    try:
        _check_published(certificate.to_json(), path)
    except ReleaseError:
        return False
    return True


def _check_published(content: Document, path: Path) -> None:
    """See that the certificate is as the published schema wants it."""
    from jsonschema import Draft202012Validator  # here, because it is slow to import

    schema = read_json(path.read_bytes(), f"'{path.name}'")
    found = Draft202012Validator(schema).iter_errors(content)
    errors = sorted(found, key=lambda error: [str(step) for step in error.absolute_path])
    if errors:
        place = ".".join(str(step) for step in errors[0].absolute_path)
        more = errors[0].validator == "additionalProperties"
        _not_published(_too_much(place) if more else _unlike(place))


def _too_much(place: str) -> str:
    return f"'{place}' claims more than it may" if place else "it claims more than it may"


def _unlike(place: str) -> str:
    return f"'{place}' is not as the published schema wants it" if place else "a part is missing"


def _not_published(why: str) -> NoReturn:
    message = f"The certificate does not have the published form: {why}."
    raise ReleaseError(message)

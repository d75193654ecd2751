"""The files of answers: JSON, a table, a statement, and the files to ask again. PUBLIC.

All but the inquiry and the declaration follow from the certificate; `verify` compares them.
"""

from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import cast

import pyarrow as pa

from synth import limits
from synth.bundle.certificate import AnswersCertificate
from synth.bundle.certificate_parts import (
    AnswerRecord,
    PortionRecord,
)
from synth.bundle.file_names import CERTIFICATE, OPEN_PAGE, SCHEMA
from synth.bundle.guard import write_guarded
from synth.bundle.open_html import write_page
from synth.bundle.resources import ANSWER_COLUMNS, DESCRIBING, TABLE
from synth.bundle.texts import (
    LINE_LENGTH,
    LISTS_OPEN_PARTS,
    cost_in_words,
    json_bytes,
    promise,
    spend_in_words,
)
from synth.bundle.typed_json import write
from synth.bundle.writer import bytes_writers
from synth.domain import Domain, write_schema
from synth.errors import ReleaseError
from synth.privacy import terms
from synth.questions import KINDS, Inquiry, QuestionKind
from synth.util import Document, Json, Writer

ANSWERS = "answers.json"
DECLARATION = "declaration.json"
INQUIRY = "inquiry.json"
STATEMENT = "statement.txt"
# The files of a folder of answers.
ANSWER_FILES = (
    ANSWERS,
    DECLARATION,
    INQUIRY,
    STATEMENT,
    OPEN_PAGE,
    SCHEMA,
    TABLE,
    *DESCRIBING,
    CERTIFICATE,
)

# Longest answer whose numbers the statement shows.
_MAX_SHOWN_NUMBERS = 12


def answer_writers(certificate: AnswersCertificate, inquiry: Inquiry) -> dict[str, Writer]:
    """Return the writer of each file, by its name, without the certificate.

    Args:
        certificate: The certificate of the answers, without digests.
        inquiry: The questions, and how they were asked.

    Raises:
        ReleaseError: The certificate is too long to be read again.
    """
    if len(certificate.to_bytes()) > limits.RECORD_MB * 2**20:
        # Readers refuse a longer file (`Archive`).
        raise ReleaseError(
            f"The certificate of these answers is larger than {limits.RECORD_MB} MB, the "
            "limit; ask fewer questions, or tables of fewer cells."
        )
    return writers_of(certificate, inquiry)


def writers_of(certificate: AnswersCertificate, inquiry: Inquiry) -> dict[str, Writer]:
    """Return the writer of each file that certificate and inquiry give, by its name.

    A writer is a function that writes the file to a path.
    """
    statement_text = answers_statement(certificate, inquiry.domain)
    contents = {
        ANSWERS: json_bytes(answers_json(certificate)),
        DECLARATION: json_bytes(write_schema(inquiry.domain)),
        INQUIRY: json_bytes(inquiry.to_json()),
        STATEMENT: statement_text.encode(),
        OPEN_PAGE: write_page(certificate, statement_text, None),
        SCHEMA: certificate.schema.read_bytes(),
    }
    table = answers_table(certificate)

    def write_table(path: Path) -> None:
        write_guarded([table], path)

    return bytes_writers(contents) | {TABLE: write_table}


def answers_json(certificate: AnswersCertificate) -> Document:
    """Return the content of the file `ANSWERS`: the answers with their cost.

    Epsilon and delta are those of the guarantee; if the cost is a rho, it implies them. The
    cost itself is an object of its parameters, empty if nothing was spent.
    """
    claim = certificate.guarantee
    return {
        "answers": [write(answer) for answer in certificate.answers],
        "epsilon": str(claim.epsilon),
        "delta": str(claim.delta),
        "spent": cast("Document", terms(certificate.spent)) if certificate.spent else {},
    }


def answers_table(certificate: AnswersCertificate) -> pa.Table:
    """Return the answers as a table of texts, a row for each number of an answer.

    Its columns are `ANSWER_COLUMNS`.
    """
    lines = [line for answer in certificate.answers for line in _lines(answer)]
    # ``zip`` turns the rows into columns.
    columns = [pa.array(column, pa.string()) for column in zip(*lines, strict=True)]
    return pa.Table.from_arrays(columns, names=list(ANSWER_COLUMNS))


def _lines(answer: AnswerRecord) -> Iterator[tuple[str, ...]]:
    """Yield the table's row for each number of an answer.

    An answer has one number, or one for each label. A row is a text for each column of
    `ANSWER_COLUMNS`, empty if there is no value.
    """
    values: tuple[Json, ...] = (
        answer.value if isinstance(answer.value, tuple) else (answer.value,)
    )
    for number, value in enumerate(values):
        ends = [
            end[number] if isinstance(end, tuple) else end
            for end in (answer.low, answer.high)
        ]
        label = answer.labels[number] if answer.labels else ""
        cells = (value, *ends, answer.expected_error)  # ``ends``: low and high
        texts = ("" if cell is None else str(cell) for cell in cells)
        yield (answer.question, label, *texts, answer.way.value)


def answers_statement(certificate: AnswersCertificate, domain: Domain) -> str:
    """Return the statement about answers, the text of the file `STATEMENT`.

    Args:
        certificate: The certificate of the answers.
        domain: The declared columns of the table.
    """
    count = len(certificate.questions)
    questions = "One question" if count == 1 else f"{count:,} questions"
    # One paragraph for each measurement. Below, ``chr(10)`` is a line break.
    portions = "\n".join(
        fill(_describe_portion(portion), LINE_LENGTH) for portion in certificate.portions
    )
    return f"""ABOUT THESE FILES

{questions} to the confidential table '{certificate.dataset}', answered with noise.

THE ANSWERS

{chr(10).join(_answer_line(*pair) for pair in enumerate(certificate.answers, 1))}

{promise(certificate)}
HOW IT WAS MADE

{portions}
Noise is drawn exactly, on the operating system's randomness.
Domain: {certificate.domain_origin}, of {len(domain.columns)} columns. \
Number of rows: {certificate.number_of_rows}.
The answers follow from the noisy numbers only.
Spend: {spend_in_words(certificate)}.

HOW TO CHECK IT

synth verify ANSWERS.zip   checks every file against the certificate, and that the
                           answers follow from the noisy numbers. A folder will do.
                           {LISTS_OPEN_PARTS}
"""


def _answer_line(number: int, answer: AnswerRecord) -> str:
    """Return the statement's lines about one answer; its numbers only if they are few.

    Args:
        number: The number of the question, from 1 up.
        answer: The answer.
    """
    lines = list(_lines(answer))
    head = f"{number}. {answer.question}"
    if len(lines) > _MAX_SHOWN_NUMBERS:
        return f"{head}\n   {len(lines):,} numbers, in {TABLE}"
    shown = [head, *(f"   {_line(line)}" for line in lines)]
    if _is_yes_or_no(answer.question):
        # The probability that it is wrong is a part of the answer.
        shown += [_indented(remark) for remark in answer.remarks]
    return "\n".join(shown)


def _indented(remark: str) -> str:
    """Return a remark as a sentence of the statement, below the number of its question."""
    sentence = f"{remark[:1].upper()}{remark[1:]}."
    margin = "   "
    return fill(sentence, LINE_LENGTH, initial_indent=margin, subsequent_indent=margin)


def _line(row: tuple[str, ...]) -> str:
    """Return the statement's line about one number, from a row of the table.

    Args:
        row: A text for each column of `ANSWER_COLUMNS`.
    """
    question, label, value, low, high, error, _ = row
    line = value or "no answer"
    if label:
        line = f"{label}: {line}"
    if low and high:
        line += f", from {low} to {high}"
    if error and not _is_yes_or_no(question):
        # Some kinds have errors in ranks.
        kind = _kind_of(question)
        unit = " rows of rank" if kind is not None and kind.is_ranked else ""
        line += f" (expected error {error}{unit})"
    return line


def _is_yes_or_no(question: str) -> bool:
    """Return whether a question compares a claimed figure; its error is a probability."""
    kind = _kind_of(question)
    return kind is not None and "claimed" in kind.takes


def _kind_of(question: str) -> QuestionKind | None:
    """Return the kind of a question, which its first word names; None if it is unknown."""
    return KINDS.get(question.partition(" ")[0])


def _describe_portion(portion: PortionRecord) -> str:
    """Return the statement's paragraph about one measurement.

    It names the questions, the noise, how far neighbouring tables differ, and the cost.
    """
    noun = "Questions" if len(portion.questions) > 1 else "Question"
    numbers = ", ".join(map(str, portion.questions))
    head = f"{noun} {numbers}: {portion.way.words}"
    sensitivity = portion.sensitivity
    # The certificate leaves out all three if the answers were public already.
    if sensitivity is None or portion.cost is None or portion.noise is None:
        return f"{head}; nothing was spent."
    # The name of the noise's law, and its parameters.
    fields = cast("dict[str, str]", write(portion.noise))
    law = fields.pop("law")
    noise = ", ".join([law, *(f"{name} {value}" for name, value in fields.items())])
    proof = "exact" if sensitivity.exact else "a proved bound"
    return (
        f"{head}; {noise}. Neighbours differ by at most {sensitivity.l1:,} in l1, the square "
        f"root of {sensitivity.squared_l2:,} in l2, and {sensitivity.l_infinity:,} in "
        f"l-infinity ({proof}). Cost: {cost_in_words(portion.cost)}."
    )

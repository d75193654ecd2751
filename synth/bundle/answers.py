"""The files of answers: JSON, a table, a statement, and the files to ask again. PUBLIC.

All but the inquiry and the declaration follow from the certificate; `verify` compares them.

Make the certificate of answers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from textwrap import fill
from typing import cast

import pyarrow as pa

from synth import limits
from synth.bundle.certificate import ANSWER_CAVEATS, AnswersCertificate
from synth.bundle.certificate_parts import (
    AnswerRecord,
    PortionRecord,
    ProductGrain,
    RowsGrain,
    SumGrain,
)
from synth.bundle.certify import record_of_spend, versions
from synth.bundle.claims import CONDITIONS, claim_of_answers
from synth.bundle.declaration import beyond_answers
from synth.bundle.guard import write_guarded
from synth.bundle.resources import ANSWER_COLUMNS, DESCRIBING, TABLE
from synth.bundle.texts import (
    LISTS_OPEN_PARTS,
    cost_in_words,
    json_bytes,
    promise,
    spend_in_words,
)
from synth.bundle.typed_json import read_typed, write
from synth.bundle.writer import CERTIFICATE, bytes_writers
from synth.domain import Domain, Steps, write_schema
from synth.door import Entry
from synth.errors import ReleaseError
from synth.noise import CHOICES, describe
from synth.privacy import Guarantee, terms
from synth.questions import KINDS, Answer, Grain, Inquiry, Portion, in_canonical_form
from synth.util import Document, Ints, Json, Writer

# The time of the spend, if there was none.
NEVER_SPENT = "never: nothing was spent"


def certify_answers(
    inquiry: Inquiry,
    noisy: Sequence[Ints],
    answers: Iterable[Answer],
    *,
    rows: int | None,
    entry: Entry | None,
    head: str | None,
) -> AnswersCertificate:
    """Return the certificate of answers, without the digests of their files.

    Args:
        noisy: Noisy numbers for each portion of the arrangement.
        rows: The number of rows if it is public, else None.
        head: Hash of the ledger's newest event; None without a ledger file.
    """
    arrangement = inquiry.arrangement
    return certify_portions(
        inquiry,
        tuple(map(portion_record, arrangement.portions, noisy)),
        tuple(read_typed(AnswerRecord, one.to_json()) for one in answers),
        spent=arrangement.spending,
        rows=rows,
        entry=entry,
        head=head,
    )


def certify_portions(
    inquiry: Inquiry,
    portions: tuple[PortionRecord, ...],
    answers: tuple[AnswerRecord, ...],
    *,
    spent: Guarantee | None,
    rows: int | None,
    entry: Entry | None,
    head: str | None,
) -> AnswersCertificate:
    """Return the certificate of answers whose measurements are recorded already.

    Args:
        portions: The measurements, and their noise.
        answers: One for each question.
        spent: The cost of all answers together; None if nothing was spent.
        rows: The number of rows if it is public, else None.
        entry: The spend; None if nothing was spent.
        head: Hash of the ledger's newest event; None without a ledger file.
    """
    unit = inquiry.unit
    claim = claim_of_answers(
        spent, inquiry.neighbors, str(unit), beyond=beyond_answers(inquiry.domain)
    )
    return AnswersCertificate(
        created=entry.time if entry else NEVER_SPENT,
        guarantee=claim,
        neighbors=inquiry.neighbors,
        privacy_unit=str(unit),
        max_rows=unit.max_rows,
        caveats=(*CONDITIONS, inquiry.reading.caveat, *ANSWER_CAVEATS),
        questions=tuple(str(in_canonical_form(one)) for one in inquiry.questions),
        spent=spent,
        portions=portions,
        domain_origin=inquiry.domain.origin,
        number_of_rows=rows_in_words(rows),
        rows=rows,
        answers=answers,
        dataset=inquiry.dataset,
        ledger=record_of_spend(entry, head),
        versions=versions(),
    )


def rows_in_words(rows: int | None) -> str:
    return "private" if rows is None else f"{rows}, public"


def portion_record(portion: Portion, noisy: Ints) -> PortionRecord:
    way, universe, joint = portion.way, portion.block.workload.universe, portion.way.joint
    questions = tuple(reading.question + 1 for reading in portion.block.readings)
    if way.cost is None or joint is None:
        return PortionRecord(questions=questions, way=way.name)
    choice = {"law": CHOICES[way.cost.rho is not None]}
    sensitivity = {
        **asdict(joint.sensitivity),
        "exact": joint.exact,
        "least": asdict(joint.least),
    }
    told = {
        "questions": list(questions),
        "way": way.name.value,
        "grains": [write(grain_record(grain, universe)) for grain in way.grains],
        "noise": choice if way.mechanism is None else describe(way.mechanism),
        "sensitivity": sensitivity,
        "cost": terms(way.cost),
        "noisy": noisy.tolist(),
        "strategy": [] if way.strategy is None else way.strategy.describe(universe.names),
    }
    return read_typed(PortionRecord, told)


def grain_record(grain: Grain, universe: Domain) -> RowsGrain | SumGrain | ProductGrain:
    found = tuple(
        SumGrain(
            column=universe.names[steps.column],
            middle=steps.middle,
            grid=steps.grid,
            most=steps.most,
        )
        for steps in (grain.steps, grain.times)
        if steps is not None
    )
    if not found:
        return RowsGrain(grain.weight)
    alone = len(found) == 1 and grain.weight == 1
    return found[0] if alone else ProductGrain(found, grain.weight)


def grain_of(record: RowsGrain | SumGrain | ProductGrain, names: Sequence[str]) -> Grain:
    """Read how totals became whole numbers, in columns of these names.

    Raises:
        ValueError: The record names another column.
        ArgumentError: A size is wrong.
    """
    if isinstance(record, RowsGrain):
        return Grain(record.weight)
    factors = record.factors if isinstance(record, ProductGrain) else (record,)
    steps = (
        Steps(column=names.index(o.column), middle=o.middle, grid=o.grid, most=o.most)
        for o in factors
    )
    return Grain(record.weight if isinstance(record, ProductGrain) else 1, *steps)


ANSWERS, DECLARATION, INQUIRY = "answers.json", "declaration.json", "inquiry.json"
STATEMENT, SCHEMA = "statement.txt", "certificate.schema.json"
# The files of a folder of answers.
ANSWER_FILES = (
    *(ANSWERS, DECLARATION, INQUIRY, STATEMENT, SCHEMA, TABLE),
    *DESCRIBING,
    CERTIFICATE,
)

# Longest answer whose numbers the statement shows.
_MAX_SHOWN_NUMBERS = 12


def answer_writers(certificate: AnswersCertificate, inquiry: Inquiry) -> dict[str, Writer]:
    """Return the writer of each file, without the certificate.

    Raises:
        ReleaseError: The certificate is too long to be read again.
    """
    if len(certificate.to_bytes()) > limits.RECORD_MB * 2**20:
        raise ReleaseError(
            f"The certificate of these answers is larger than {limits.RECORD_MB} MB, the "
            "limit; ask fewer questions, or tables of fewer cells."
        )
    return writers_of(certificate, inquiry)


def writers_of(certificate: AnswersCertificate, inquiry: Inquiry) -> dict[str, Writer]:
    contents = {
        ANSWERS: json_bytes(answers_json(certificate)),
        DECLARATION: json_bytes(write_schema(inquiry.domain)),
        INQUIRY: json_bytes(inquiry.to_json()),
        STATEMENT: answers_statement(certificate, inquiry.domain).encode(),
        SCHEMA: certificate.schema.read_bytes(),
    }
    table = answers_table(certificate)
    return bytes_writers(contents) | {TABLE: lambda path: write_guarded([table], path)}


def answers_json(certificate: AnswersCertificate) -> Document:
    """Return the answers with their cost; for a rho also the epsilon and delta that it
    implies.
    """
    claim = certificate.guarantee
    return {
        "answers": [write(answer) for answer in certificate.answers],
        "epsilon": str(claim.epsilon),
        "delta": str(claim.delta),
        "spent": cast("Document", terms(certificate.spent)) if certificate.spent else {},
    }


def answers_table(certificate: AnswersCertificate) -> pa.Table:
    lines = [line for answer in certificate.answers for line in _lines(answer)]
    columns = [pa.array(column, pa.string()) for column in zip(*lines, strict=True)]
    return pa.Table.from_arrays(columns, names=list(ANSWER_COLUMNS))


def _lines(answer: AnswerRecord) -> Iterator[tuple[str, ...]]:
    several = isinstance(answer.value, tuple)
    values = cast("tuple[Json, ...]", answer.value) if several else (answer.value,)
    for number, value in enumerate(values):
        ends = [
            end[number] if isinstance(end, tuple) else end
            for end in (answer.low, answer.high)
        ]
        label = answer.labels[number] if answer.labels else ""
        told = (value, *ends, answer.expected_error)
        numbers = ("" if one is None else str(one) for one in told)
        yield (answer.question, label, *numbers, answer.way.value)


def answers_statement(certificate: AnswersCertificate, domain: Domain) -> str:
    many = len(certificate.questions)
    asked = "One question" if many == 1 else f"{many:,} questions"
    portions = "\n".join(fill(_describe_portion(one), 86) for one in certificate.portions)
    return f"""ABOUT THESE FILES

{asked} to the confidential table '{certificate.dataset}', answered with noise.

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

python -m synth verify ANSWERS.zip   checks every file against the certificate, and that the
                                     answers follow from the noisy numbers. A folder will do.
                                     {LISTS_OPEN_PARTS}
"""


def _answer_line(number: int, answer: AnswerRecord) -> str:
    lines = list(_lines(answer))
    head = f"{number}. {answer.question}"
    if len(lines) > _MAX_SHOWN_NUMBERS:
        return f"{head}\n   {len(lines):,} numbers, in {TABLE}"
    return "\n".join([head, *(f"   {_line(*line)}" for line in lines)])


def _line(
    question: str, label: str, value: str, low: str, high: str, error: str, _: str
) -> str:
    within = f", from {low} to {high}" if low and high else ""
    kind = KINDS.get(question.partition(" ")[0])
    unit = " rows of rank" if kind is not None and kind.is_ranked else ""
    about = f" (expected error {error}{unit})" if error else ""
    return f"{label}: " * bool(label) + (value or "no answer") + within + about


def _describe_portion(portion: PortionRecord) -> str:
    many = len(portion.questions) > 1
    numbers = ", ".join(map(str, portion.questions))
    head = f"Question{'s' * many} {numbers}: {portion.way.words}"
    moves, cost, noise = portion.sensitivity, portion.cost, portion.noise
    if moves is None or cost is None or noise is None:
        return f"{head}; nothing was spent."
    told = cast("dict[str, str]", write(noise))
    law = ", ".join([told.pop("law"), *(f"{name} {value}" for name, value in told.items())])
    sure = "exact" if moves.exact else "a proved bound"
    return (
        f"{head}; {law}. Neighbours differ by at most {moves.l1:,} in l1, the square root of "
        f"{moves.squared_l2:,} in l2, and {moves.l_infinity:,} in l-infinity ({sure}). Cost: "
        f"{cost_in_words(cost)}."
    )

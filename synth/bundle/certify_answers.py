"""Make the certificate of answers: guarantee, measurements and answers. PUBLIC."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from synth.bundle.certificate import ANSWER_CAVEATS, AnswersCertificate
from synth.bundle.certificate_parts import (
    NEVER_SPENT,
    AnswerRecord,
    PortionRecord,
    ProductGrain,
    RowsGrain,
    SumGrain,
)
from synth.bundle.certify import record_of_spend, versions
from synth.bundle.claims import CONDITIONS, claim_of_answers
from synth.bundle.declaration import beyond_answers
from synth.bundle.typed_json import read_typed, write
from synth.domain import Steps
from synth.door import Entry
from synth.noise import CHOICES, describe
from synth.privacy import Guarantee, terms
from synth.questions import Answer, Grain, Inquiry, Portion, in_canonical_form
from synth.util import Ints


@dataclass(frozen=True, kw_only=True)
class SpendOfAnswers:
    """What a ledger says of answers.

    Attributes:
        spent: The cost of all answers together; None if nothing was spent.
        entry: The spend; None if nothing was spent.
        head: Hash of the ledger's newest event; None without a ledger file.
    """

    spent: Guarantee | None
    entry: Entry | None
    head: str | None


def certify_answers(
    inquiry: Inquiry,
    noisy: Sequence[Ints],
    answers: Iterable[Answer],
    *,
    rows: int | None,
    spend: SpendOfAnswers,
) -> AnswersCertificate:
    """Return the certificate of answers, without the digests of their files.

    Args:
        inquiry: The questions, and how they are asked.
        noisy: Noisy numbers for each portion, a block of questions that are measured
            together; for a private choice the index of what was chosen.
        answers: One for each question, in order.
        rows: The number of rows if it is public, else None.
        spend: What the ledger says of the answers.
    """
    return certify_portions(
        inquiry,
        tuple(map(portion_record, inquiry.arrangement.portions, noisy)),
        tuple(read_typed(AnswerRecord, answer.to_json()) for answer in answers),
        rows=rows,
        spend=spend,
    )


def certify_portions(
    inquiry: Inquiry,
    portions: tuple[PortionRecord, ...],
    answers: tuple[AnswerRecord, ...],
    *,
    rows: int | None,
    spend: SpendOfAnswers,
) -> AnswersCertificate:
    """Return the certificate of answers whose measurements are recorded already.

    Args:
        inquiry: The questions, and how they are asked.
        portions: The measurements, and their noise.
        answers: One for each question, in order.
        rows: The number of rows if it is public, else None.
        spend: What the ledger says of the answers.
    """
    spent = spend.spent
    entry = spend.entry
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
        # ``reading``: what counts as a row of the table.
        caveats=(*CONDITIONS, inquiry.reading.caveat, *ANSWER_CAVEATS),
        questions=tuple(str(in_canonical_form(question)) for question in inquiry.questions),
        spent=spent,
        portions=portions,
        domain_origin=inquiry.domain.origin,
        number_of_rows=rows_in_words(rows),
        rows=rows,
        answers=answers,
        dataset=inquiry.dataset,
        ledger=record_of_spend(entry, spend.head),
        versions=versions(),
    )


def rows_in_words(rows: int | None) -> str:
    """Return the certificate's sentence on the number of rows."""
    return "private" if rows is None else f"{rows}, public"


def portion_record(portion: Portion, noisy: Ints) -> PortionRecord:
    """Return the certificate's part about a measurement.

    Args:
        portion: Questions that are measured together, with the way to answer them.
        noisy: The noisy numbers, or the index of the choice; ignored if nothing is spent.
    """
    way = portion.way
    names = portion.block.workload.universe.names
    # Certificates number questions from 1.
    questions = tuple(reading.question + 1 for reading in portion.block.readings)
    if way.cost is None or way.joint is None:
        return PortionRecord(questions=questions, way=way.name)
    # The law of a private choice: the first for pure epsilon, the second for a rho.
    noise: object = {"law": CHOICES[way.cost.rho is not None]}
    if way.mechanism is not None:  # no choice: noise was added to numbers
        noise = describe(way.mechanism)
    # ``way.joint`` says how far neighbouring tables differ in all numbers of the portion.
    fields = {
        "questions": list(questions),
        "way": way.name.value,
        "grains": [write(grain_record(grain, names)) for grain in way.grains],
        "noise": noise,
        "sensitivity": {
            **asdict(way.joint.sensitivity),
            "exact": way.joint.exact,
            "least": asdict(way.joint.least),
        },
        "cost": terms(way.cost),
        "noisy": noisy.tolist(),
        "strategy": [] if way.strategy is None else way.strategy.describe(names),
    }
    return read_typed(PortionRecord, fields)


def grain_record(grain: Grain, names: Sequence[str]) -> RowsGrain | SumGrain | ProductGrain:
    """Return how totals became whole numbers, as the certificate says it.

    Noise is added to whole numbers, so numbers of columns are counted in steps of a grid.

    Args:
        grain: The grid of one or two columns; none for counts of rows.
        names: The names of the columns.
    """
    # Columns that are summed have a grid: one, or the two columns of a product.
    factors = tuple(
        SumGrain(
            column=names[steps.column],
            middle=steps.middle,
            grid=steps.grid,
            most=steps.most,
        )
        for steps in (grain.steps, grain.times)
        if steps is not None
    )
    if not factors:
        return RowsGrain(grain.weight)
    # A plain sum has no weight in the certificate; a weighted one is written as a product.
    if len(factors) == 1 and grain.weight == 1:
        return factors[0]
    return ProductGrain(factors, grain.weight)


def grain_of(record: RowsGrain | SumGrain | ProductGrain, names: Sequence[str]) -> Grain:
    """Read from a certificate how totals became whole numbers.

    Args:
        record: The certificate's part: counts of rows, or numbers in steps of a grid.
        names: The names of all columns, in order.

    Raises:
        ValueError: The record names another column.
        ArgumentError: A size is wrong.
    """
    if isinstance(record, RowsGrain):
        return Grain(record.weight)
    if isinstance(record, SumGrain):
        return Grain(1, _read_steps(record, names))
    steps = (_read_steps(factor, names) for factor in record.factors)
    return Grain(record.weight, *steps)


def _read_steps(record: SumGrain, names: Sequence[str]) -> Steps:
    """Return the grid of a column's numbers, with the column's number instead of its name.

    Raises:
        ValueError: No column has this name.
    """
    return Steps(
        column=names.index(record.column),
        middle=record.middle,
        grid=record.grid,
        most=record.most,
    )

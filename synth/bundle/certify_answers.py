"""Make the certificate of answers. PUBLIC."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

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
from synth.bundle.typed_json import read_typed, write
from synth.domain import Domain, Steps
from synth.door import Entry
from synth.noise import CHOICES, describe
from synth.privacy import terms
from synth.questions import Answer, Grain, Inquiry, Portion, in_canonical_form
from synth.util import Ints

# The time of the spend, if there was none.
NOTHING_SPENT = "never: nothing was spent"


def certify_answers(
    inquiry: Inquiry,
    noisy: Sequence[Ints],
    answers: Iterable[Answer],
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
    arrangement, unit = inquiry.arrangement, inquiry.unit
    claim = claim_of_answers(
        arrangement.spending, inquiry.neighbors, str(unit), beyond=beyond_answers(inquiry.domain)
    )
    return AnswersCertificate(
        created=entry.time if entry else NOTHING_SPENT,
        guarantee=claim,
        neighbors=inquiry.neighbors,
        privacy_unit=str(unit),
        max_rows=unit.max_rows,
        caveats=(*CONDITIONS, inquiry.reading.caveat, *ANSWER_CAVEATS),
        questions=tuple(str(in_canonical_form(one)) for one in inquiry.questions),
        spent=arrangement.spending,
        portions=tuple(map(portion_record, arrangement.portions, noisy)),
        domain_origin=inquiry.domain.origin,
        number_of_rows=rows_in_words(rows),
        rows=rows,
        answers=tuple(read_typed(AnswerRecord, one.to_json()) for one in answers),
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
        return PortionRecord(questions, way.name)
    choice = {"law": CHOICES[way.cost.rho is not None]}
    sensitivity = {**asdict(joint.sensitivity), "exact": joint.exact, "least": asdict(joint.least)}
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
        SumGrain(universe.names[steps.column], steps.middle, steps.grid, steps.most)
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
    steps = (Steps(names.index(o.column), o.middle, o.grid, o.most) for o in factors)
    return Grain(record.weight if isinstance(record, ProductGrain) else 1, *steps)

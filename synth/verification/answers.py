"""Answers: their costs, the arrangement of the questions, and the answers read again. PUBLIC.

`verify` computes every sensitivity again from the questions and the declared domain, and
checks the noise's cost and the spend. A certificate of this version must name its
arrangement."""

import math
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import NoReturn, cast

import numpy as np

from synth.bundle import (
    DECLARATION,
    INQUIRY,
    ROUNDING,
    AnswerRecord,
    AnswersCertificate,
    Archive,
    ChoiceNoise,
    LeastMove,
    MoveRecord,
    PortionRecord,
    beyond_answers,
    check_looks,
    claim_of_answers,
    grain_of,
    portion_record,
    read_typed,
    rows_in_words,
    write,
    writers_of,
)
from synth.domain import read_schema, write_schema
from synth.door import Ledger
from synth.errors import ArgumentError, QuestionError, ReleaseError, SynthError
from synth.estimate import rounding_digest
from synth.foreign import Folder
from synth.privacy import Sensitivity, covers, in_zcdp, sum_up
from synth.questions import (
    Answer,
    Arrangement,
    Inquiry,
    Portion,
    block_of,
    in_canonical_form,
    read_answers,
    spending_of,
    way_again,
)
from synth.util import Document
from synth.util.version import __version__
from synth.verification.files import check_reading, recorded_in, refuse, same_bytes
from synth.verification.pages import CLOSE, TINY
from synth.verification.verdict import OpenClaim

_Norms = Sensitivity | MoveRecord | LeastMove
WORKED_OUT = (
    "The largest difference of neighbours was computed again from the questions; for it, the "
    "noise costs as much as the certificate says."
)
ARRANGED_ELSEWHERE = OpenClaim(
    "Another version of Synth, or another kind of machine, chose how to answer the "
    "questions. This choice was not checked."
)
NOT_ARRANGED = OpenClaim(
    "Another version of Synth, or another kind of machine, arranged the questions "
    "differently. The sensitivity and the answers were not checked."
)
OTHER_PORTIONS = "The certificate's portions do not follow from the questions."
OTHER_NUMBERS = "the noisy numbers do not match the questions"
TOO_LITTLE = "there is less noise than the cost needs"


def inquiry_of(archive: Archive, certificate: AnswersCertificate) -> Inquiry:
    try:
        inquiry = Inquiry.from_json(archive.json(INQUIRY))
        declared = write_schema(read_schema(archive.text(DECLARATION).encode()))
    except ReleaseError:
        raise
    except SynthError as error:
        refuse(f"'{INQUIRY}' or '{DECLARATION}' cannot be used. {error}")
    if declared != write_schema(inquiry.domain):
        refuse(f"'{INQUIRY}' is about another domain than '{DECLARATION}'.")
    questions = tuple(str(in_canonical_form(one)) for one in inquiry.questions)
    if questions != certificate.questions:
        refuse(f"'{INQUIRY}' asks other questions than the certificate answers.")
    if inquiry.neighbors is not certificate.neighbors:
        refuse(f"'{INQUIRY}' is about other neighbours than the certificate.")
    protected = (certificate.privacy_unit, certificate.max_rows)
    if (str(inquiry.unit), inquiry.unit.max_rows) != protected:
        refuse(f"'{INQUIRY}' protects another privacy unit than the certificate says.")
    if (inquiry.dataset, inquiry.domain.origin) != (
        certificate.dataset,
        certificate.domain_origin,
    ):
        refuse(f"'{INQUIRY}' is about another table than the certificate.")
    check_reading(certificate, inquiry.reading, INQUIRY)
    rows = certificate.rows
    if (rows is not None) != inquiry.unit.shares_rows(inquiry.neighbors) or rows == 0:
        refuse(
            "The number of rows must be public under replace-one of one row, and private "
            "otherwise."
        )
    if certificate.number_of_rows != rows_in_words(rows):
        refuse("The certificate's sentence on the number of rows does not match its number.")
    return inquiry


def check_portions(certificate: AnswersCertificate, inquiry: Inquiry) -> None:
    """Check that noise matches payments, within the spend."""
    for portion in certificate.portions:
        _check_price(portion)
    costs = [one.cost for one in certificate.portions if one.cost is not None]
    spent = certificate.spent
    if spent != spending_of(inquiry.guarantee, costs):
        refuse("The certificate's spend does not match the inquiry.")
    neighbors, unit = certificate.neighbors, certificate.privacy_unit
    claim = claim_of_answers(spent, neighbors, unit, beyond=beyond_answers(inquiry.domain))
    if certificate.guarantee != claim:
        refuse("The certificate's statement does not follow from the spend.")
    total = sum_up(costs)
    if costs and (spent is None or total is None or not covers(spent, total)):
        refuse("The costs of the portions exceed the spend.")


def _check_price(told: PortionRecord) -> None:
    # A choice has no noise.
    if isinstance(told.noise, ChoiceNoise | None):
        return
    if told.cost is None or told.sensitivity is None:
        _refuse(told, "the sensitivity or the cost is missing")
    said, size = told.sensitivity, len(told.noisy)
    moves = Sensitivity(said.l1, said.squared_l2, said.l_infinity)
    if not told.noise.fits(size):
        _refuse(told, "the noise is of another dimension")
    if size == 1 and told.noise.meets(told.cost, moves):
        return
    if not covers(told.cost, told.noise.price(moves)):
        _refuse(told, TOO_LITTLE)


def arrangement_of(
    certificate: AnswersCertificate, inquiry: Inquiry
) -> tuple[Arrangement | None, list[str]]:
    """Compute the certificate's arrangement again; return it with remarks.

    It is None if this version does not know how a portion was measured. An arrangement of
    this version must also follow from the inquiry."""
    asked = sorted(number for told in certificate.portions for number in told.questions)
    if asked != list(range(1, len(inquiry.questions) + 1)):
        refuse(OTHER_PORTIONS)
    other = _other_arrangement(certificate.portions, inquiry)
    here = (
        _is_of_here(certificate) and certificate.versions.get(ROUNDING) == rounding_digest()
    )
    if other is not None and here:
        refuse(other)
    found = [_portion_again(told, inquiry) for told in certificate.portions]
    portions = tuple(portion for portion in found if portion is not None)
    if len(portions) < len(found):
        return None, [NOT_ARRANGED]
    said = [WORKED_OUT] if other is None else [WORKED_OUT, ARRANGED_ELSEWHERE]
    return Arrangement(inquiry.workload, inquiry.guarantee, portions), said


def _other_arrangement(told: Sequence[PortionRecord], inquiry: Inquiry) -> str | None:
    try:
        portions = inquiry.arrangement.portions
    except QuestionError as error:
        return str(error)
    asked = [
        tuple(one.question + 1 for one in portion.block.readings) for portion in portions
    ]
    if [one.questions for one in told] != asked:
        return OTHER_PORTIONS
    found = (_difference(*pair) for pair in zip(told, portions, strict=True))
    return next((why for why in found if why is not None), None)


def _difference(told: PortionRecord, portion: Portion) -> str | None:
    right = portion_record(portion, np.zeros(0, np.int64))
    one, other = (cast("Document", write(each)) for each in (replace(told, noisy=()), right))
    for name in (*other, *one):
        if one.get(name) != other.get(name):
            return _about(told, f"'{name}' does not answer these questions")
    return None if _is_noisy(told, portion) else _about(told, OTHER_NUMBERS)


def _is_noisy(told: PortionRecord, portion: Portion) -> bool:
    candidates = portion.way.candidates
    chosen = candidates is None or all(0 <= one < candidates for one in told.noisy)
    return len(told.noisy) == portion.way.size and chosen


def _portion_again(told: PortionRecord, inquiry: Inquiry) -> Portion | None:
    # No version measures less than questions, grids and strategy give for the same cost.
    workload = inquiry.workload
    block = block_of(workload, [workload.readings[number - 1] for number in told.questions])
    strategy = [cast("Document", write(one)) for one in told.strategy]
    if told.cost is not None and inquiry.way not in (None, told.way):
        _refuse(told, f"'{INQUIRY}' asks for another way")
    try:
        grains = [grain_of(one, workload.universe.names) for one in told.grains]
        way = way_again(block, told.way, told.cost, grains=grains, strategy=strategy)
    except ArgumentError as error:
        _refuse(told, str(error).rstrip("."))
    if way is None:
        if told.cost is None:
            _refuse(told, "the answers were not public before")
        return None
    portion = Portion(block, way)
    if isinstance(told.noise, ChoiceNoise | None) and portion.way.mechanism is not None:
        _refuse(told, TOO_LITTLE)
    said, right = told.sensitivity, portion.way.joint
    if said is not None and right is not None:
        most = said if said.exact else said.least
        if _exceeds(right.least, said) or _exceeds(most, right.sensitivity):
            _refuse(told, "neighbours differ by another amount than the certificate says")
    if not _is_noisy(told, portion):
        _refuse(told, OTHER_NUMBERS)
    return portion if _difference(told, portion) is None else None


def _exceeds(one: _Norms, other: _Norms) -> bool:
    norms = ("l1", "squared_l2", "l_infinity")
    return any(getattr(one, norm) > getattr(other, norm) for norm in norms)


def read_again(
    certificate: AnswersCertificate, arrangement: Arrangement
) -> tuple[list[Answer], str]:
    """Return the answers, if they follow from the noisy numbers, and the sentence that says
    so.
    """
    noisy = [np.array(one.noisy, np.int64) for one in certificate.portions]
    found = read_answers(arrangement, noisy, certificate.rows)
    again = tuple(read_typed(AnswerRecord, one.to_json()) for one in found)
    if _alike(*map(write, (again, certificate.answers))):
        return found, "The answers and their intervals follow from the noisy numbers."
    if _is_of_here(certificate):
        refuse("The answers do not follow from the noisy numbers.")
    said = "Another version of Synth computed the answers; they were not computed again."
    return found, OpenClaim(said)


def _is_of_here(certificate: AnswersCertificate) -> bool:
    made = certificate.versions
    return (made.get("synth"), made.get("numpy")) == (__version__, version("numpy"))


def _alike(one: object, other: object) -> bool:
    # Numbers may differ up to a billionth.
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(_alike(one[k], other[k]) for k in one)
        case list(), list():
            return len(one) == len(other) and all(map(_alike, one, other))
        case ((int() | float()), (int() | float())):
            return math.isclose(one, other, rel_tol=CLOSE, abs_tol=TINY)
    return one == other


def check_files(archive: Archive, certificate: AnswersCertificate, inquiry: Inquiry) -> str:
    with Folder() as folder:
        for name, writer in writers_of(certificate, inquiry).items():
            writer(folder / name)
            if not same_bytes(folder / name, archive.path(name)):
                refuse(f"'{name}' does not match the certificate and the inquiry.")
    return "The table, the statement and the other files match the certificate."


def check_spend(
    archive: Archive, certificate: AnswersCertificate, inquiry: Inquiry, *, ledger: Ledger
) -> str:
    """Check that a ledger's spend paid for the answers, and that no look before it is
    hidden.
    """
    spent = certificate.spent
    if spent is None:
        return "Nothing was spent, so no ledger entry is needed."
    checked = recorded_in(
        archive, certificate, ledger, pays=lambda paid: paid in (spent, in_zcdp(spent))
    )
    record = certificate.ledger_record
    number = None if record is None else record.entry
    (spend,) = (entry for entry in ledger.entries() if entry.number == number)
    check_looks(ledger, spend, is_said=inquiry.domain.looked)
    return checked


def _refuse(told: PortionRecord, why: str) -> NoReturn:
    refuse(_about(told, why))


def _about(told: PortionRecord, why: str) -> str:
    numbers = ", ".join(map(str, told.questions))
    return f"Question{'s' * (len(told.questions) > 1)} {numbers}: {why}."

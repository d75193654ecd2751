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
from synth.verification.files import (
    check_reading,
    check_written,
    recorded_in,
    refuse,
)
from synth.verification.pages import ROUNDING_TOLERANCE, TINY
from synth.verification.verdict import OpenClaim
from synth.verification.versions import is_of_here

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


def check_inquiry(archive: Archive, certificate: AnswersCertificate) -> Inquiry:
    """Return the inquiry of a bundle of answers, if it is the one that was certified.

    An inquiry is the questions, the domain, and how the answers are protected.

    Raises:
        RefutedError: It has other questions, another domain, another table or another
            protection than the certificate says.
    """
    inquiry = _read_inquiry(archive)
    # In canonical form, two spellings of one question are the same text.
    questions = tuple(str(in_canonical_form(question)) for question in inquiry.questions)
    if questions != certificate.questions:
        refuse(f"'{INQUIRY}' asks other questions than the certificate answers.")
    if inquiry.neighbors is not certificate.neighbors:
        refuse(f"'{INQUIRY}' is about other neighbours than the certificate.")
    protected = (certificate.privacy_unit, certificate.max_rows)
    if (str(inquiry.unit), inquiry.unit.max_rows) != protected:
        refuse(f"'{INQUIRY}' protects another privacy unit than the certificate says.")
    table = (certificate.dataset, certificate.domain_origin)
    if (inquiry.dataset, inquiry.domain.origin) != table:
        refuse(f"'{INQUIRY}' is about another table than the certificate.")
    check_reading(certificate, inquiry.reading, INQUIRY)
    _check_rows(certificate, inquiry)
    return inquiry


def _read_inquiry(archive: Archive) -> Inquiry:
    """Return the inquiry, if its domain is the one that the bundle declares.

    Raises:
        RefutedError: It is another domain, or one of the two files cannot be used.
        ReleaseError: A file is missing or is no JSON.
    """
    try:
        inquiry = Inquiry.from_json(archive.json(INQUIRY))
        declared = write_schema(read_schema(archive.text(DECLARATION).encode()))
    except ReleaseError:
        raise
    except SynthError as error:
        refuse(f"'{INQUIRY}' or '{DECLARATION}' cannot be used. {error}")
    if declared != write_schema(inquiry.domain):
        refuse(f"'{INQUIRY}' is about another domain than '{DECLARATION}'.")
    return inquiry


def _check_rows(certificate: AnswersCertificate, inquiry: Inquiry) -> None:
    """Check the number of rows, which is public where neighbours have equally many.

    Raises:
        RefutedError: It is given although it is private, is missing although it is public, is
            0, or the sentence about it says something else.
    """
    rows = certificate.rows
    if (rows is not None) != inquiry.unit.shares_rows(inquiry.neighbors) or rows == 0:
        refuse(
            "The number of rows must be public under replace-one of one row, and private "
            "otherwise."
        )
    if certificate.number_of_rows != rows_in_words(rows):
        refuse("The certificate's sentence on the number of rows does not match its number.")


def check_portions(certificate: AnswersCertificate, inquiry: Inquiry) -> None:
    """Check that each portion pays for its noise, and that the spend covers all portions.

    A portion is a block of questions that are measured together, with one noise. Portions
    without a cost were public already.

    Raises:
        RefutedError: There is too little noise, or the costs, the spend and the claim do not
            fit together.
    """
    for portion in certificate.portions:
        _check_price(portion)
    costs = [portion.cost for portion in certificate.portions if portion.cost is not None]
    spent = certificate.spent
    if spent != spending_of(inquiry.guarantee, costs):
        refuse("The certificate's spend does not match the inquiry.")
    claim = claim_of_answers(
        spent,
        certificate.neighbors,
        certificate.privacy_unit,
        beyond=beyond_answers(inquiry.domain),
    )
    if certificate.guarantee != claim:
        refuse("The certificate's statement does not follow from the spend.")
    total = sum_up(costs)  # None if there are none, or if they cannot be added
    if costs and (spent is None or total is None or not covers(spent, total)):
        refuse("The costs of the portions exceed the spend.")


def _check_price(record: PortionRecord) -> None:
    """Check that a portion's noise costs at most the cost of the portion.

    Raises:
        RefutedError: It costs more, has another dimension, or lacks a sensitivity or cost.
    """
    # A private choice has no noise, and neither have answers that were public already.
    if isinstance(record.noise, ChoiceNoise | None):
        return
    if record.cost is None or record.sensitivity is None:
        _refuse(record, "the sensitivity or the cost is missing")
    size = len(record.noisy)
    if not record.noise.fits(size):
        _refuse(record, "the noise is of another dimension")
    norms = record.sensitivity
    sensitivity = Sensitivity(norms.l1, norms.squared_l2, norms.l_infinity)
    # For one number, the exact delta of the noise may allow less noise than its price in rho.
    if size == 1 and record.noise.meets(record.cost, sensitivity):
        return
    if not covers(record.cost, record.noise.price(sensitivity)):
        _refuse(record, TOO_LITTLE)


def arrange_again(
    certificate: AnswersCertificate, inquiry: Inquiry
) -> tuple[Arrangement | None, list[str]]:
    """Arrange the certificate's questions again: which are measured together, and how.

    If this version of Synth made the certificate on a machine that rounds like this one, the
    same arrangement must follow from the inquiry. Another version may have chosen another.

    Returns:
        The arrangement, or None if this version does not know how a portion was measured; and
        sentences about what was checked.

    Raises:
        RefutedError: The arrangement does not answer the questions.
    """
    numbers = sorted(number for record in certificate.portions for number in record.questions)
    if numbers != list(range(1, len(inquiry.questions) + 1)):
        refuse(OTHER_PORTIONS)
    difference = _find_difference(certificate.portions, inquiry)
    # The digest shows how a machine rounds, on which the choice of an arrangement depends.
    rounds_alike = certificate.versions.get(ROUNDING) == rounding_digest()
    if difference is not None and _is_of_here(certificate) and rounds_alike:
        refuse(difference)
    arranged = [_portion_again(record, inquiry) for record in certificate.portions]
    portions = tuple(portion for portion in arranged if portion is not None)
    if len(portions) < len(arranged):
        return None, [NOT_ARRANGED]
    remarks: list[str] = [WORKED_OUT]
    if difference is not None:
        remarks.append(ARRANGED_ELSEWHERE)
    return Arrangement(inquiry.workload, inquiry.guarantee, portions), remarks


def _find_difference(records: Sequence[PortionRecord], inquiry: Inquiry) -> str | None:
    """Return a sentence on how this version arranges the questions differently.

    Args:
        records: The portions of the certificate, each a block of questions measured together.
        inquiry: The questions.

    Returns:
        The first difference; None if there is none.
    """
    try:
        portions = inquiry.arrangement.portions
    except QuestionError as error:
        return str(error)
    questions = [
        tuple(reading.question + 1 for reading in portion.block.readings)
        for portion in portions
    ]
    if [record.questions for record in records] != questions:
        return OTHER_PORTIONS
    for record, portion in zip(records, portions, strict=True):
        difference = _difference(record, portion)
        if difference is not None:
            return difference
    return None


def _difference(record: PortionRecord, portion: Portion) -> str | None:
    """Return a sentence on the first field in which a record differs from a portion.

    Args:
        record: A portion as the certificate has it.
        portion: The portion of the same questions, arranged by this version.

    Returns:
        The sentence; None if they agree. Noisy numbers cannot be computed again, so only
        their number and range are compared.
    """
    # Both are compared as JSON, without their noisy numbers.
    no_numbers = np.zeros(0, np.int64)
    again = cast("Document", write(portion_record(portion, no_numbers)))
    signed = cast("Document", write(replace(record, noisy=())))
    for name in (*again, *signed):
        if signed.get(name) != again.get(name):
            return _about(record, f"'{name}' does not answer these questions")
    return None if _is_noisy(record, portion) else _about(record, OTHER_NUMBERS)


def _is_noisy(record: PortionRecord, portion: Portion) -> bool:
    """Return whether a record has as many noisy numbers as the portion's way to answer gives.

    A private choice gives the number of a candidate, from 0 up, which must exist.
    """
    if len(record.noisy) != portion.way.size:
        return False
    candidates = portion.way.candidates
    return candidates is None or all(0 <= choice < candidates for choice in record.noisy)


def _portion_again(record: PortionRecord, inquiry: Inquiry) -> Portion | None:
    """Return the portion of a record, arranged again from its description.

    The record says how its questions were answered: by which way, on which grids of whole
    numbers (``grains``), and by which strategy. Nothing is chosen here.

    Returns:
        The portion; None if this version would measure it in another way, which is no fault.

    Raises:
        RefutedError: No version writes this: another way than the inquiry asks for, less
            noise than the cost needs, or noisy numbers that the way does not give.
    """
    # No version measures less than questions, grids and strategy give for the same cost.
    workload = inquiry.workload
    readings = [workload.readings[number - 1] for number in record.questions]
    block = block_of(workload, readings)
    strategy = [cast("Document", write(step)) for step in record.strategy]
    # ``inquiry.way`` is the way that the questioner asked for; None for the best.
    if record.cost is not None and inquiry.way not in (None, record.way):
        _refuse(record, f"'{INQUIRY}' asks for another way")
    try:
        grains = [grain_of(grain, workload.universe.names) for grain in record.grains]
        way = way_again(block, record.way, record.cost, grains=grains, strategy=strategy)
    except ArgumentError as error:
        _refuse(record, str(error).rstrip("."))
    if way is None:
        # Only a public number of rows costs nothing, and these questions ask for more.
        if record.cost is None:
            _refuse(record, "the answers were not public before")
        return None
    portion = Portion(block, way)
    # The way adds noise to numbers, and the record has none.
    if isinstance(record.noise, ChoiceNoise | None) and portion.way.mechanism is not None:
        _refuse(record, TOO_LITTLE)
    _check_sensitivity(record, portion)
    if not _is_noisy(record, portion):
        _refuse(record, OTHER_NUMBERS)
    return portion if _difference(record, portion) is None else None


def _check_sensitivity(record: PortionRecord, portion: Portion) -> None:
    """Check that the recorded sensitivity lies between the bounds computed again.

    A sensitivity is the largest difference of neighbours, in three norms. Both the record and
    the computation give an upper bound, and a difference (``least``) that neighbours reach.
    Neither may reach more than the other allows.

    Raises:
        RefutedError: They contradict each other.
    """
    signed = record.sensitivity
    again = portion.way.joint
    # Numbers that were public already have none; `_difference` compares whether both say so.
    if signed is None or again is None:
        return
    # An exact bound is reached as well.
    reached = signed if signed.exact else signed.least
    if _exceeds(again.least, signed) or _exceeds(reached, again.sensitivity):
        _refuse(record, "neighbours differ by another amount than the certificate says")


def _exceeds(norms: _Norms, bounds: _Norms) -> bool:
    """Return whether any of the norms is larger than its bound."""
    names = ("l1", "squared_l2", "l_infinity")
    return any(getattr(norms, name) > getattr(bounds, name) for name in names)


def read_again(
    certificate: AnswersCertificate, arrangement: Arrangement
) -> tuple[list[Answer], str]:
    """Compute the answers again from the noisy numbers, and compare them.

    Args:
        certificate: The certificate, with the noisy numbers and the answers.
        arrangement: How the questions were measured.

    Returns:
        The answers computed again, and the sentence: an `OpenClaim` (not checked) if they
        differ and another version of Synth or NumPy made the certificate.

    Raises:
        RefutedError: They differ, and this version made the certificate.
    """
    noisy = [np.array(portion.noisy, np.int64) for portion in certificate.portions]
    answers = read_answers(arrangement, noisy, certificate.rows)
    records = tuple(read_typed(AnswerRecord, answer.to_json()) for answer in answers)
    if _alike(write(certificate.answers), write(records)):
        return answers, "The answers and their intervals follow from the noisy numbers."
    if _is_of_here(certificate):
        refuse("The answers do not follow from the noisy numbers.")
    sentence = "Another version of Synth computed the answers; they were not computed again."
    return answers, OpenClaim(sentence)


def _is_of_here(certificate: AnswersCertificate) -> bool:
    """Return whether this version of Synth and of NumPy computed the answers."""
    versions = certificate.versions
    return is_of_here(certificate) and versions.get("numpy") == version("numpy")


def _alike(signed: object, again: object) -> bool:
    """Return whether two JSON values are equal.

    Numbers may differ by `ROUNDING_TOLERANCE` (1e-9, relatively) or `TINY` (1e-12), as
    processors round differently.
    """
    match signed, again:
        case dict(), dict():
            return signed.keys() == again.keys() and all(
                _alike(signed[name], again[name]) for name in signed
            )
        case list(), list():
            return len(signed) == len(again) and all(map(_alike, signed, again))
        case ((int() | float()), (int() | float())):
            return math.isclose(signed, again, rel_tol=ROUNDING_TOLERANCE, abs_tol=TINY)
    return signed == again


def check_files(
    archive: Archive, certificate: AnswersCertificate, inquiry: Inquiry
) -> tuple[str, list[str]]:
    """Check the table, the statement and the other written files.

    Returns:
        The sentence, and the names of files that only explain and that another version
        wrote otherwise.

    Raises:
        RefutedError: A file has other bytes than certificate and inquiry give.
    """
    otherwise: list[str] = []
    with Folder() as folder:
        for name, writer in writers_of(certificate, inquiry).items():
            writer(folder / name)
            source = "the certificate and the inquiry"
            otherwise += check_written(
                archive, folder / name, source, certificate=certificate
            )
    sentence = "The table, the statement and the other files match the certificate."
    if otherwise:
        sentence = "The table of the answers matches the certificate."
    return sentence, otherwise


def check_spend(
    archive: Archive, certificate: AnswersCertificate, inquiry: Inquiry, *, ledger: Ledger
) -> str:
    """Check that the ledger's spend paid for the answers; return the sentence.

    If the ledger recorded that somebody looked at exact numbers before, the inquiry's domain
    must say so.

    Raises:
        ReleaseError: The ledger lacks the spend, or the look is not mentioned.
    """
    spent = certificate.spent
    if spent is None:
        return "Nothing was spent, so no ledger entry is needed."
    # The ledger may have the (epsilon, delta) itself, or the rho of zCDP that it contains.
    checked = recorded_in(
        archive, certificate, ledger, pays=lambda paid: paid in (spent, in_zcdp(spent))
    )
    # The check above found this entry.
    record = certificate.ledger_record
    number = None if record is None else record.entry
    (spend,) = (entry for entry in ledger.entries() if entry.number == number)
    check_looks(ledger, spend, is_said=inquiry.domain.looked)
    return checked


def _refuse(record: PortionRecord, why: str) -> NoReturn:
    refuse(_about(record, why))


def _about(record: PortionRecord, why: str) -> str:
    """Return the sentence that says why the questions of a portion are refused."""
    noun = "Questions" if len(record.questions) > 1 else "Question"
    return f"{noun} {', '.join(map(str, record.questions))}: {why}."

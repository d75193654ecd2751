"""Answers and forecasts as lines of text, in the units of the questions."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from synth.bundle import Asked
from synth.errors import escape_text
from synth.privacy import spell
from synth.questions import NO_INTERVAL, Answer, Inquiry
from synth.util import write_number

if TYPE_CHECKING:
    from synth.analysis import Offer
    from synth.questions import Alternative


# Largest width of a padded column; longer texts extend beyond it.
MAX_PADDED_WIDTH = 60


def answer_lines(answers: Sequence[Answer]) -> list[str]:
    """Return answers as lines of a table with a header, and then their remarks as notes."""
    rows: list[tuple[str, ...]] = [("Question", "Answer", "95 % interval", "Way")]
    for answer in answers:
        rows += _answer_rows(answer)
    return [*_align_rows(rows), *_remarks(answers)]


def spent_line(result: Asked) -> str:
    """Return what answers cost, as a sentence."""
    if result.repeated:
        return "These were asked before: nothing was spent."
    return _promise(result.inquiry, "Spent")


def forecast_lines(inquiry: Inquiry | None, answers: Sequence[Answer]) -> list[str]:
    """Return the average errors of answers as lines of a table, and then their cost.

    Args:
        inquiry: The questions that are asked of the table; None if all answers are free.
        answers: The expected answers, free ones too.
    """
    cost = "It would cost nothing." if inquiry is None else _promise(inquiry, "It would cost")
    return [*forecast_table(answers), cost]


def forecast_table(answers: Sequence[Answer]) -> list[str]:
    """Return the average errors of answers as a table of lines."""
    rows = [("Question", "Average error", "Way")]
    rows += [
        (str(answer.question), answer.error_text, answer.way.words) for answer in answers
    ]
    return [*_align_rows(rows), *_remarks(answers)]


def offer_lines(offers: "Sequence[Offer]") -> list[str]:
    """Return the average errors of free and of paid answers as lines of a table.

    A star marks the smaller error of each question.
    """
    rows: list[tuple[str, ...]] = [
        ("Question", "Free from the release", "Asked with the others")
    ]
    for offer in offers:
        free_error = offer.free.error_text
        paid_error = offer.asked.error_text
        if offer.is_better:
            errors = (f"* {free_error}", f"  {paid_error}")
        else:
            errors = (f"  {free_error}", f"* {paid_error}")
        rows.append((str(offer.free.question), *errors))
    return ["", *_align_rows(rows)]


def ways_lines(alternatives: Sequence["Alternative"]) -> list[str]:
    """Return the methods of noise with their costs and errors, as lines of a table.

    A star marks the method that is taken. The last column is left out if no method has a
    largest error of all answers.
    """
    rows = [("Way", "It would cost", "Average error", "Largest of all")]
    for alternative in alternatives:
        name = alternative.way.value if alternative.way else "each its own"
        spent = alternative.inquiry.arrangement.spending
        cost = spell(spent) if spent is not None else "nothing"
        errors = "; ".join(dict.fromkeys(answer.error_text for answer in alternative.answers))
        largest = ""
        if alternative.largest is not None:
            largest = f"± {write_number(alternative.largest)} rows"
        star = "*" if alternative.taken else " "
        rows.append((f"{star} {name}", cost, errors, largest))
    if all(alternative.largest is None for alternative in alternatives):
        return ["", *_align_rows([row[:-1] for row in rows])]
    return ["", *_align_rows(rows)]


def _answer_rows(answer: Answer) -> Iterator[tuple[str, ...]]:
    """Yield an answer as rows of a table: question, answer, 95 % interval, way of the noise.

    Several numbers have a row each, with their labels, below a row with the question.
    """
    question = str(answer.question)
    if answer.chosen:
        yield question, ", ".join(answer.chosen), NO_INTERVAL, answer.way.value
        return
    if answer.labels:
        yield question, "", "", answer.way.value
    for number, label in enumerate(answer.labels or (question,)):
        value = answer.value_text(number)
        interval = "public" if answer.is_public else answer.interval_text(number)
        if answer.labels:
            yield f"  {label}", value, interval, ""
        else:
            yield label, value, interval, answer.way.value


def _promise(inquiry: Inquiry, verb: str) -> str:
    """Return a sentence on the cost of an inquiry, which begins with ``verb``."""
    spent = inquiry.arrangement.spending
    if spent is None:
        return "All of it is public: nothing is spent."
    return f"{verb} {spell(spent)}, for {inquiry.unit} ({inquiry.neighbors.value})."


def _remarks(answers: Sequence[Answer]) -> list[str]:
    remarks = dict.fromkeys(remark for answer in answers for remark in answer.remarks)
    return [f"Note: {remark}." for remark in remarks]


def _align_rows(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows of texts as lines with aligned columns, safe for a terminal.

    A column is as wide as its longest text, not counting texts that are too long to align.
    """
    escaped_rows = [[escape_text(text) for text in row] for row in rows]
    widths = [
        max(len(text) for text in column if len(text) <= MAX_PADDED_WIDTH)
        for column in zip(*escaped_rows, strict=True)
    ]
    lines: list[str] = []
    for row in escaped_rows:
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        lines.append("   ".join(padded).rstrip())
    return lines

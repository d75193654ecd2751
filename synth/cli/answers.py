"""Answers and forecasts as lines of text, in the units of the questions."""

from collections.abc import Iterator, Sequence

from synth.analysis import Offer
from synth.bundle import Asked
from synth.errors import escape_text
from synth.privacy import spell
from synth.questions import NO_INTERVAL, Alternative, Answer, Inquiry
from synth.util import write_number

# Largest width of a padded column; longer texts extend beyond it.
MAX_PADDED_WIDTH = 60


def answer_lines(answers: Sequence[Answer]) -> list[str]:
    rows: list[tuple[str, ...]] = [("Question", "Answer", "95 % interval", "Way")]
    for answer in answers:
        rows += _answer_rows(answer)
    return [*_align_rows(rows), *_remarks(answers)]


def spent_line(asked: Asked) -> str:
    if asked.repeated:
        return "These were asked before: nothing was spent."
    return _promise(asked.inquiry, "Spent")


def forecast_lines(inquiry: Inquiry | None, answers: Sequence[Answer]) -> list[str]:
    cost = "It would cost nothing." if inquiry is None else _promise(inquiry, "It would cost")
    return [*forecast_table(answers), cost]


def forecast_table(answers: Sequence[Answer]) -> list[str]:
    rows = [("Question", "Expected error", "Way")]
    rows += [(str(one.question), one.error_text, one.way.words) for one in answers]
    return [*_align_rows(rows), *_remarks(answers)]


def offer_lines(offers: Sequence[Offer]) -> list[str]:
    rows: list[tuple[str, ...]] = [
        ("Question", "Free from the release", "Asked with the others")
    ]
    for one in offers:
        stars = ("* ", "  ") if one.is_better else ("  ", "* ")
        errors = (
            star + each.error_text
            for star, each in zip(stars, (one.free, one.asked), strict=True)
        )
        rows.append((str(one.free.question), *errors))
    return ["", *_align_rows(rows)]


def ways_lines(found: Sequence[Alternative]) -> list[str]:
    rows = [("Way", "It would cost", "Expected error", "Largest of all")]
    for one in found:
        name = one.way.value if one.way else "each its own"
        spent = one.inquiry.arrangement.spending
        cost = spell(spent) if spent is not None else "nothing"
        errors = "; ".join(dict.fromkeys(each.error_text for each in one.answers))
        largest = "" if one.largest is None else f"± {write_number(one.largest)} rows"
        rows.append((f"{'*' if one.taken else ' '} {name}", cost, errors, largest))
    some = any(one.largest is not None for one in found)
    return ["", *_align_rows([row if some else row[:-1] for row in rows])]


def _answer_rows(answer: Answer) -> Iterator[tuple[str, ...]]:
    question = str(answer.question)
    if answer.chosen:
        yield question, ", ".join(answer.chosen), NO_INTERVAL, answer.way.value
        return
    if answer.labels:
        yield question, "", "", answer.way.value
    for i, label in enumerate(answer.labels or (question,)):
        within = "public" if answer.is_public else answer.interval_text(i)
        head = (f"  {label}", "") if answer.labels else (label, answer.way.value)
        yield head[0], answer.value_text(i), within, head[1]


def _promise(inquiry: Inquiry, verb: str) -> str:
    spent = inquiry.arrangement.spending
    if spent is None:
        return "All of it is public: nothing is spent."
    return f"{verb} {spell(spent)}, for {inquiry.unit} ({inquiry.neighbors.value})."


def _remarks(answers: Sequence[Answer]) -> list[str]:
    found = dict.fromkeys(remark for answer in answers for remark in answer.remarks)
    return [f"Note: {remark}." for remark in found]


def _align_rows(rows: Sequence[tuple[str, ...]]) -> list[str]:
    clean = [[escape_text(text) for text in row] for row in rows]
    widths = [
        max(len(text) for text in column if len(text) <= MAX_PADDED_WIDTH)
        for column in zip(*clean, strict=True)
    ]
    return [
        "   ".join(
            text.ljust(width) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in clean
    ]

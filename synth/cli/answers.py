"""Answers and forecasts as lines of text, in the units of the questions."""

import math
from collections.abc import Iterator, Sequence

from synth.bundle import Asked
from synth.domain import Column
from synth.errors import escape_text
from synth.privacy import spell
from synth.questions import Alternative, Answer, Inquiry, Offer

MAX_PADDED_WIDTH = 60
"""Characters of a column that is filled up with blanks; longer texts stand out."""


def answer_lines(answers: Sequence[Answer]) -> list[str]:
    """A table: question, answer with its reach, 95 % interval, way; remarks below."""
    rows: list[tuple[str, ...]] = [("Question", "Answer", "95 % interval", "Way")]
    for answer in answers:
        rows += _answer_rows(answer)
    return [*_align_rows(rows), *_remarks(answers)]


def spent_line(asked: Asked) -> str:
    """What it cost, and whom that protects."""
    if asked.repeated:
        return "These were asked before: nothing was spent."
    return _promise(asked.inquiry, "Spent")


def forecast_lines(inquiry: Inquiry | None, answers: Sequence[Answer]) -> list[str]:
    """A table: question, expected error, way; what it would cost below, None for nothing."""
    cost = "It would cost nothing." if inquiry is None else _promise(inquiry, "It would cost")
    return [*forecast_table(answers), cost]


def forecast_table(answers: Sequence[Answer]) -> list[str]:
    """A table: question, expected error, way; remarks below."""
    rows = [("Question", "Off by", "Way")]
    rows += [(str(one.question), _error(one), one.way.words) for one in answers]
    return [*_align_rows(rows), *_remarks(answers)]


def offer_lines(offers: Sequence[Offer]) -> list[str]:
    """A table: question, expected error of the release and of asking; a star at the better."""
    rows: list[tuple[str, ...]] = [("Question", "Free from the release", "Asked with the others")]
    for one in offers:
        stars = ("* ", "  ") if one.is_better else ("  ", "* ")
        errors = (
            star + _error(each) for star, each in zip(stars, (one.free, one.asked), strict=True)
        )
        rows.append((str(one.free.question), *errors))
    return ["", *_align_rows(rows)]


def ways_lines(found: Sequence[Alternative]) -> list[str]:
    """A table: way, what it would cost, expected errors; the one that is taken has a star."""
    rows = [("Way", "It would cost", "Off by", "Largest of all")]
    for one in found:
        name = one.way.value if one.way else "each its own"
        spent = one.inquiry.arrangement.spending
        cost = spell(spent) if spent is not None else "nothing"
        errors = "; ".join(dict.fromkeys(map(_error, one.answers)))
        largest = "" if one.largest is None else f"± {number(one.largest)} rows"
        rows.append((f"{'*' if one.taken else ' '} {name}", cost, errors, largest))
    some = any(one.largest is not None for one in found)
    return ["", *_align_rows([row if some else row[:-1] for row in rows])]


def number(value: float, reach: float | None = None) -> str:
    """A number with the digits that its reach leaves: two of the reach's own.

    >>> number(1234.5678, 0.123), number(1234.5678, 45), number(0.5)
    ('1,234.57', '1,235', '0.5')
    """
    size = abs(value) if reach is None else reach
    if not math.isfinite(value):
        return "unknown"
    if not size or not math.isfinite(size):
        return f"{value:,.10g}"
    whole = value == round(value) and size == round(size)
    digits = 0 if whole else max(0, 1 - math.floor(math.log10(size)))
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if reach is None and "." in text else text


def _answer_rows(answer: Answer) -> Iterator[tuple[str, ...]]:
    question = str(answer.question)
    if answer.chosen:
        yield question, ", ".join(answer.chosen), "none", answer.way.value
        return
    if not answer.labels:
        yield question, *_show_number(answer, 0), answer.way.value
        return
    yield question, "", "", answer.way.value
    for i, label in enumerate(answer.labels):
        yield f"  {label}", *_show_number(answer, i), ""


def _show_number(answer: Answer, i: int) -> tuple[str, str]:
    """One number with its reach, and its interval."""
    value, low, high = (float(one[i]) for one in (answer.value, answer.low, answer.high))
    if math.isnan(value):
        return "no answer", "none"
    if answer.is_public:
        return number(value), "public"
    column = answer.column_of(i)
    if math.isnan(low):
        told = answer.shown(value, i)
        return (told if isinstance(told, str) else number(value)), "none"
    reach = max(value - low, high - value)
    middle = answer.shown(value, i)
    if column is not None and isinstance(middle, str):
        ends = (str(answer.shown(low, i, math.floor)), str(answer.shown(high, i, math.ceil)))
        return (
            f"{middle} ± {number(reach / column.told_unit)}{unit_of(column)}",
            " to ".join(ends),
        )
    if math.isnan(reach):
        return number(value, abs(value) / 100), "none"
    texts = [number(one, reach) for one in (value, reach, low, high)]
    return f"{texts[0]} ± {texts[1]}", f"{texts[2]} to {texts[3]}"


def _error(answer: Answer) -> str:
    """An expected error in the unit of its question."""
    if answer.is_public:
        return "none"
    if math.isnan(answer.expected_error):
        return "no answer"
    question = answer.question
    unit = " rows" if question.kind.in_rows else unit_of(answer.column)
    short = question.kind.is_ranked or question.is_bare
    return f"{'up to' if short else '±'} {number(answer.expected_error)}{unit}"


def unit_of(column: Column | None) -> str:
    """The unit of an error, as a word after it."""
    return f" {column.told_in}" if column is not None and column.told_in else ""


def _promise(inquiry: Inquiry, verb: str) -> str:
    spent = inquiry.arrangement.spending
    if spent is None:
        return "All of it is public: nothing is spent."
    return f"{verb} {spell(spent)}, for {inquiry.unit} ({inquiry.neighbors.value})."


def _remarks(answers: Sequence[Answer]) -> list[str]:
    found = dict.fromkeys(remark for answer in answers for remark in answer.remarks)
    return [f"Note: {remark}." for remark in found]


def _align_rows(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows of texts as lines; what a terminal should not see is spelled out."""
    clean = [[escape_text(text) for text in row] for row in rows]
    widths = [
        max(len(text) for text in column if len(text) <= MAX_PADDED_WIDTH)
        for column in zip(*clean, strict=True)
    ]
    return [
        "   ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in clean
    ]

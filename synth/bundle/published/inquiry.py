"""The schema of an inquiry: questions, and how they are asked. PUBLIC."""

from synth import limits
from synth.bundle.published.declaration import OF_DECLARATION
from synth.bundle.published.forms import (
    Fields,
    describe,
    document,
    listing,
    mapping,
    or_null,
    record,
    refer,
    text,
    texts,
    truth,
    whole,
    word,
)
from synth.bundle.published.plan import READING
from synth.bundle.published.shared import (
    ASKED_COST,
    DATASET,
    MAX_ROWS,
    NEIGHBORS,
    PERSON,
    ROWS_NEED_PERSON,
    SHARED,
)
from synth.estimate import ASKED_WAYS
from synth.questions import COMPARED, KINDS
from synth.util import Document

_SIGNS = ("=", "!=", "<", "<=", ">", ">=")
_COLUMN = text("The name of the column.", minLength=1)
_VALUE: Document = {
    "description": "A value of the column: a text, or a whole number.",
    "type": ["string", "integer"],
}


def _joined(word: str, about: str) -> Document:
    """Return the schema of conditions that a word joins."""
    parts = listing(about, {"$ref": "#/$defs/condition"}, minItems=2)
    return record(about, {word: parts})


_CONDITION: Document = {
    "description": "A condition on rows.",
    "type": "object",
    "oneOf": [
        record(
            "A comparison of the value of a column.",
            {
                "column": _COLUMN,
                "sign": word("How it is compared.", _SIGNS),
                "value": _VALUE,
            },
        ),
        record(
            "The value of a column is one of these.",
            {"column": _COLUMN, "in": listing("The values.", _VALUE, minItems=1)},
        ),
        record(
            "The value of a column is missing.",
            {"column": _COLUMN, "missing": {"description": "Always true.", "const": True}},
        ),
        _joined("and", "All of these conditions hold."),
        _joined("or", "At least one of these conditions holds."),
        record(
            "A condition does not hold.",
            {"not": refer("The condition that does not hold.", "condition")},
        ),
    ],
}
_QUESTION: Document = record(
    "A question. Which fields a kind of question takes, the reader checks.",
    {"kind": word("The kind of question.", KINDS)},
    {
        "columns": texts("The columns that it is about; absent if it names none."),
        "by": texts("The columns whose values are the groups; absent without groups."),
        "where": or_null(
            refer("The condition on rows.", "condition"), "Null or absent: all rows."
        ),
        "k": whole(
            "The number of most frequent values. If absent, 1.",
            minimum=1,
            maximum=limits.CATEGORIES,
        ),
        "counts": truth("Whether the most frequent values come with counts. If absent, not."),
        "over": word(
            "Whether a mean is over rows or over persons. If absent, rows.",
            ("rows", "persons"),
        ),
        "weight": refer(
            "Its share of the budget, relative to the other questions. If absent, 1.", "exact"
        ),
        "quantiles": listing(
            "The quantiles, ascending, each between 0 and 1. Absent for a median.",
            {"$ref": "#/$defs/exact"},
            maxItems=limits.QUANTILES,
        ),
        "interval": truth("Whether quantiles come with an interval. If absent, not."),
        "candidates": listing(
            "Conditions; the answer is the condition that most rows meet. Absent for "
            "other kinds.",
            {"$ref": "#/$defs/condition"},
            maxItems=limits.CANDIDATES,
        ),
        "claimed": or_null(
            record(
                "A claimed figure that is compared with the real one.",
                {
                    "of": word("The kind of figure: rows, or their share.", COMPARED),
                    "figure": refer("The claimed figure; a share is from 0 to 1.", "exact"),
                    "within": refer("How far from it the real figure may be.", "exact"),
                },
            ),
            "Null or absent for other kinds.",
        ),
        "outcome": or_null(
            refer("The condition whose odds are explained.", "condition"),
            "Null or absent: the first column is the outcome, or there is none.",
        ),
        "reference": mapping(
            "For listed columns that explain an outcome, the value with which the others are "
            "compared, by column. If absent, the most usual one.",
            {"type": "string"},
        ),
    },
)
_ASKER = text("Who has a claimed figure compared; absent if nobody is named.", minLength=1)
_FIELDS: Fields = {
    "questions": listing(
        "The questions, answered together.",
        {"$ref": "#/$defs/question"},
        minItems=1,
        maxItems=limits.QUESTIONS,
    ),
    "domain": refer("The declared columns.", "declaration"),
    "guarantee": describe(ASKED_COST, "The most that all answers may cost together."),
    "neighbors": NEIGHBORS,
    "person": PERSON,
    "max_rows": MAX_ROWS,
    "way": or_null(
        word(
            "How all questions are answered.",
            ["auto", *ASKED_WAYS],
        ),
        "Null or auto: the way of least error.",
    ),
    "dataset": DATASET,
}


def inquiry_schema() -> Document:
    """Return the schema of an inquiry.

    The reader checks more: which parts a kind of question takes, and that each question fits
    the declared columns.
    """
    content = {
        **record("The inquiry.", _FIELDS, {"reading": READING, "asker": _ASKER}),
        **ROWS_NEED_PERSON,
    }
    definitions: Fields = {
        **SHARED,
        **OF_DECLARATION,
        "condition": _CONDITION,
        "question": _QUESTION,
    }
    return document(
        title="Inquiry",
        about="Questions to one table and how they are asked: inquiry.json of answers.",
        content=content,
        definitions=definitions,
    )

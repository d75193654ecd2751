"""What several schemas refer to: exact numbers, costs, and paid drafts and checks. PUBLIC."""

from synth import limits
from synth.bundle.published.forms import (
    Fields,
    constant,
    digest,
    mapping,
    record,
    text,
    whole,
    word,
)
from synth.privacy import Neighbors
from synth.util import Document

# A number as people type it: a decimal, with or without an exponent, or a fraction.
_TYPED = (
    r"^\s*[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?"
    r"|[0-9]+/[0-9]*[1-9][0-9]*)\s*$"
)
_POSITIVE = "^[1-9][0-9]*(/[1-9][0-9]*)?$"

EXACT: Document = {
    "description": (
        "An exact number. Synth writes a text such as 1/3 or 20; it also reads decimals such "
        "as 0.1 and 1e-9, which mean exactly what they say, and plain numbers."
    ),
    "type": ["string", "number"],
    "pattern": _TYPED,
    "maxLength": limits.NUMBER_TEXT,
}

_EPSILON = text("The epsilon, an exact number above 0.", pattern=_POSITIVE)
_DELTA = text("The delta, an exact number above 0; absent if it is 0.", pattern=_POSITIVE)
_RHO = text(
    "The rho of zero-concentrated differential privacy, an exact number above 0.",
    pattern=_POSITIVE,
)
_MU_SQUARED = text(
    "The square of the mu of Gaussian differential privacy, an exact number above 0.",
    pattern=_POSITIVE,
)
_OF_EPSILON: Document = record(
    "A cost in epsilon, with or without a delta.", {"epsilon": _EPSILON}, {"delta": _DELTA}
)
_OF_RHO: Document = record("A cost in rho.", {"rho": _RHO})
COST: Document = {
    "description": "A privacy loss, in one of its measures.",
    "oneOf": [
        _OF_EPSILON,
        _OF_RHO,
        record("A cost in mu squared.", {"mu_squared": _MU_SQUARED}),
    ],
}
# The most that answers may cost: an epsilon with or without a delta, or a rho.
ASKED_COST: Document = {
    "description": "A privacy loss, in epsilon with or without a delta, or in rho.",
    "oneOf": [_OF_EPSILON, _OF_RHO],
}

NEIGHBORS = word(
    "Which tables the guarantee compares. replace-one: one row, or one person with all rows, "
    "is replaced by another. add-remove: one is there or not.",
    Neighbors,
)
PERSON = text(
    "The name of the column that identifies the person. Empty if each row is a person."
)
MAX_ROWS = whole(
    "The most rows of one person that are used. It is 1 unless a column identifies persons.",
    minimum=1,
)
ROWS_NEED_PERSON: Document = {
    "if": {"properties": {"max_rows": {"minimum": 2}}, "required": ["max_rows"]},
    "then": {"properties": {"person": {"minLength": 1}}},
}
DATASET = text(
    "The name of the dataset in the ledger: one name for all tables about the same people."
)


def _preparation(kind: Document) -> Document:
    """Return the schema of a paid draft or check; `kind` says which."""
    fields: Fields = {
        "kind": kind,
        "guarantee": _OF_EPSILON,
        "neighbors": NEIGHBORS,
        "person": PERSON,
        "max_rows": MAX_ROWS,
        "entry": digest("The hash of the spend in the ledger, which ties the payment to it."),
        "said": mapping("The noisy numbers that were released, by name.", True),
    }
    about = "A payment for the declaration before the release, and its result."
    return {**record(about, fields), **ROWS_NEED_PERSON}


DRAFT = _preparation(
    constant("A draft: noisy counts from which the declaration was made.", "draft")
)
PREPARATION = _preparation(
    word(
        "draft: noisy counts from which the declaration was made. check: the noisy number of "
        "rows that fit it.",
        ("draft", "check"),
    )
)
SHARED: Fields = {"exact": EXACT, "cost": COST}

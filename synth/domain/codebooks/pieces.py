"""Common parts of readers and writers of other tools' declarations.

>>> is_number("-8"), is_whole("1.5"), exact_number("7")
(True, False, 7)
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from synth.errors import DomainError
from synth.util import Json

ForeignDocument = dict[str, Any]
# A Table Schema, and a list of what the other tool's declaration lacks.
Converted = tuple[ForeignDocument, list[str]]

# From this many digits on, Python reads no whole number.
INT_DIGITS = 4_300


def listed_codes(book: Mapping[str, str]) -> ForeignDocument:
    named = {code: label for code, label in book.items() if label}
    labels = [{"value": c, "label": named[c]} if c in named else c for c in book]
    field = {"type": "string", "constraints": {"enum": [*book], "required": True}}
    return field | ({"categories": labels} if named else {})


def codes_of(items: Iterable[Json]) -> list[str]:
    return [str(item["value"] if isinstance(item, Mapping) else item) for item in items]


def label_map(items: Iterable[Json]) -> ForeignDocument:
    return {str(item["value"]): item["label"] for item in items if isinstance(item, Mapping)}


def is_number(text: Json) -> bool:
    try:
        return isinstance(text, str | int | float) and math.isfinite(float(text))
    except (TypeError, ValueError):
        return False


def is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def exact_number(text: str | int | float) -> int | float:
    return int(text) if is_whole(str(text)) and len(str(text)) < INT_DIGITS else float(text)


def refuse_codebook(message: str) -> NoReturn:
    """Raise DomainError, with the message on one line."""
    raise DomainError(" ".join(message.split()))

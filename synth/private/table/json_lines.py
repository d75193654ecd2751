"""Lines of JSON, one object a line, each read by itself. PRIVATE.

- The columns are declared. A key that a line lacks, and ``null``, is a missing value.
- A number is its own text, digit by digit; so are ``NaN`` and ``Infinity``, which are no
  JSON. ``"41"`` and ``41`` are the same. Truth is ``true`` or ``false``.
- A list, an object or a text that is none is a value that is not declared.
- A line that is no object, or has a key twice, is no row that can be read.

>>> parse_object(b'{"age": 1.50, "sex": "f", "note": null}', ["age", "sex", "note", "town"])
[b'1.50', b'f', None, None]
"""

import json
from collections.abc import Sequence
from typing import Any

from synth.domain import UNREADABLE

# Most bytes of a line that is read: its parts take many times as much memory.
MAX_LINE_BYTES = 1 << 24


def parse_object(line: bytes, names: Sequence[str]) -> list[bytes | None] | None:
    """Return the bytes of a line's cells, one for each name; None if it is no object.

    A missing cell is None. A byte that is no text stays in its cell, which then can't be
    read; other cells are not harmed.

    Args:
        line: A line of the file, without its end.
        names: The declared columns, which are the keys of the object.
    """
    # The decoder leaves numbers as texts, and refuses an object with a key twice.
    try:
        parsed = _DECODER.decode(line.decode(errors="surrogateescape"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    return [_bytes_of(parsed.get(name)) for name in names]


def _bytes_of(value: Any) -> bytes | None:
    """Return the bytes of a value's cell; None if it is missing.

    Numbers come as their own texts. A list or an object becomes `UNREADABLE`.
    """
    match value:
        case None:
            return None
        case bool():
            return b"true" if value else b"false"
        case str():
            try:
                return value.encode(errors="surrogateescape")
            except UnicodeEncodeError:  # half a character
                pass
    return UNREADABLE.encode()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of a JSON object as a dictionary.

    Raises:
        ValueError: A key is there twice, so that the line is no row.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError
    return values


_DECODER = json.JSONDecoder(
    parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_unique
)

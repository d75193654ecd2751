"""The entry of the register as YAML. PUBLIC.

Texts are written between double quotes with the escapes of JSON, which YAML reads as well.
So no text can end early or become something else than a text.
"""

import json
import unicodedata
from collections.abc import Iterator

from synth.util import Document, Json

HEAD = (
    "# An entry for the register of differential privacy deployments, made by Synth from a",
    "# certificate. OPEN marks what only your organisation can say.",
)


def write_yaml(entry: Document) -> bytes:
    """Return an entry as the bytes of a file of YAML.

    >>> write_yaml({"tier": 3, "names": ["a\\u202e"]}).decode().splitlines()[2:]
    ['tier: 3', 'names:', '  - "a\\\\u202e"']
    """
    return "\n".join([*HEAD, *_list_lines(entry, ""), ""]).encode()


def _list_lines(entry: Document, indent: str) -> Iterator[str]:
    """Yield the lines of an object."""
    for name, value in entry.items():
        if isinstance(value, dict):
            yield f"{indent}{name}:"
            yield from _list_lines(value, f"{indent}  ")
        elif isinstance(value, list):
            yield f"{indent}{name}:"
            yield from (f"{indent}  - {_write_value(part)}" for part in value)
        else:
            yield f"{indent}{name}: {_write_value(value)}"


def _write_value(value: Json) -> str:
    """Return a number or a text; characters that are no letters or signs are escaped."""
    if isinstance(value, float):
        # Without a point, readers of YAML take a number with an exponent for a text.
        mantissa, _, power = repr(value).partition("e")
        return f"{float(mantissa)!r}e{power}" if power else mantissa
    if not isinstance(value, str):
        return json.dumps(value)
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(map(_escape, quoted))


def _escape(character: str) -> str:
    if unicodedata.category(character)[0] in "CZ" and character != " ":
        number = ord(character)
        return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    return character

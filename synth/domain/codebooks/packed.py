"""Codes, labels and ranges in one cell, as people write them in a sheet.

>>> split_codes("1 = male; 2 = female")
{'1': 'male', '2': 'female'}
>>> split_codes("1, Yes | 0, No"), split_codes("F, M")
({'1': 'Yes', '0': 'No'}, {'F': '', 'M': ''})
>>> split_range("18 - 99"), split_range("-5 to 4.5"), split_range("A-B")
(('18', '99'), ('-5', '4.5'), None)
"""

import re

SEPARATORS = ("|", "\n", ";", ",", "/")
# Separators of a code from its label.
_LABELED = re.compile(r"[=:→]|\s[-–—]\s")
# Longest code with a label after it.
CODE_LENGTH = 80
_NUMBER = r"([-+−]?\d+(?:[.,]\d+)?)"
_RANGE = re.compile(
    rf"[\[(]?\s*{_NUMBER}\s*(?:-|–|—|to|bis|\.\.+|…|;|,)\s*{_NUMBER}\s*[\])]?"
)


def split_codes(text: str) -> dict[str, str]:
    mark = next((one for one in SEPARATORS if one in text), None)
    items = [item.strip() for item in text.split(mark)] if mark else [text.strip()]
    return dict(_split_item(item, mark) for item in items if item)


def _split_item(item: str, mark: str | None) -> tuple[str, str]:
    found = _LABELED.search(item, 1)
    before = item[: found.start()].rstrip() if found and item[0] not in "=:" else ""
    if found and 0 < len(before) <= CODE_LENGTH:
        return _bare(before), _bare(item[found.end() :])
    code, comma, label = item.partition(",")
    if mark in ("|", "\n", ";") and comma:
        return _bare(code), _bare(label)
    return _bare(item), ""


def _bare(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted else text


def split_range(text: str) -> tuple[str, str] | None:
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        return None
    low, high = (
        end.replace("−", "-").replace(",", ".").lstrip("+") for end in found.groups()
    )
    return low, high

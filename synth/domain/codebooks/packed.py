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
    """Return the labels of the codes in a cell, by code; empty for a code without a label."""
    # The first of these that occurs parts the entries; the others may be in labels.
    separator = next((mark for mark in SEPARATORS if mark in text), None)
    entries = (
        [entry.strip() for entry in text.split(separator)] if separator else [text.strip()]
    )
    return dict(_split_entry(entry, separator) for entry in entries if entry)


def _split_entry(entry: str, separator: str | None) -> tuple[str, str]:
    """Return the code and the label of one entry of a cell; the label may be empty.

    `separator` is the sign between entries; None if the cell is one entry.
    """
    # The search begins at the second character, as a code has at least one.
    mark = _LABELED.search(entry, 1)
    # An entry that begins with such a sign has no code before it.
    if mark and entry[0] not in "=:":
        code = entry[: mark.start()].rstrip()
        if 0 < len(code) <= CODE_LENGTH:
            return _bare(code), _bare(entry[mark.end() :])
    # Without "=" a comma may part code and label, unless commas part the entries.
    code, comma, label = entry.partition(",")
    if separator in ("|", "\n", ";") and comma:
        return _bare(code), _bare(label)
    return _bare(entry), ""


def _bare(text: str) -> str:
    """Return a text without the blanks and quotes around it."""
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if is_quoted else text


def split_range(text: str) -> tuple[str, str] | None:
    """Return the low and high end of a range such as "18 - 99", as decimal texts.

    None if the text is something else.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        return None
    low, high = map(_plain_number, match.groups())
    return low, high


def _plain_number(text: str) -> str:
    return text.replace("−", "-").replace(",", ".").lstrip("+")

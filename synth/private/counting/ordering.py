"""The order of listed texts: of the calendar, or of the numbers that they hold. PRIVATE.

>>> place_of("10-19 years"), place_of("none")
((10.0, '10-19 years'), (inf, 'none'))
>>> place_of("1e+05")
(100000.0, '1e+05')
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from synth import limits
from synth.domain import MONTH_NAMES, WEEKDAYS, constraints
from synth.drafting import DraftColumn, truth_field
from synth.util import Document


def place_of(text: str) -> tuple[float, str]:
    """Return the first number of a text, infinite without one, and the text itself.

    Sorted by this pair, texts are in the order of their numbers, and those without at the
    end.
    """
    # Digits behind another number, or behind its point, do not begin one; nor does a minus.
    # A power of ten belongs to it, as in 1e+05, which R writes for 100000.
    number = re.search(r"(?<![\d.])-?\d+([.,]\d+)?([eE][+-]?\d{1,3}\b)?", text)
    if number is None:
        return float("inf"), text
    return float(number[0].replace(",", ".")), text


def ordered_texts(texts: Sequence[str]) -> tuple[list[str], bool]:
    """Return texts in the order of the calendar or of their numbers, and whether that is one.

    Texts without such an order are sorted alphabetically, and the second value is False. It
    is also False for plain numbers: they are sorted, but may be codes.

    >>> ordered_texts(["oct", "jan"]), ordered_texts(["[10-20)", "[0-10)"])
    ((['jan', 'oct'], True), (['[0-10)', '[10-20)'], True))
    >>> ordered_texts(["b", "a"])
    (['a', 'b'], False)
    """
    for names in (MONTH_NAMES, WEEKDAYS):
        # Names in full, or cut to three letters.
        place_by_name = {name: place for place, name in enumerate(names)}
        place_by_name |= {name[:3]: place for place, name in enumerate(names)}
        if len(texts) > 1 and all(text.casefold() in place_by_name for text in texts):
            return sorted(texts, key=lambda text: place_by_name[text.casefold()]), True
    # A number, an interval such as "10-19", "5 to 9" or "[0,10)", or an open one: "65+".
    bands = [
        re.fullmatch(r"\W*\d[\d.,]*(\s*(-|–|to|,)\s*\d[\d.,]*|\+)?\W*", text)
        for text in texts
    ]
    if len(texts) > 1 and all(bands):
        is_interval = any(re.search(r"[^\d.,]", text) for text in texts)
        return sorted(texts, key=place_of), is_interval
    return sorted(texts), False


def take_scale(column: DraftColumn, scale: Sequence[str]) -> DraftColumn:
    """Return a drafted column with all values that the type of a frame lists in order.

    So a step of a scale that no row has stays a step, and so does one of few rows. A column
    that is left out, or whose rows hold other values, stays unchanged.

    Args:
        column: The drafted column.
        scale: The values in their order; both truth values of a column of such; empty if the
            type lists none.

    >>> field = {"name": "a", "type": "string", "constraints": {"enum": ["hi", "lo"]}}
    >>> drafted = DraftColumn(field=field, reason="2 categories")
    >>> take_scale(drafted, ["lo", "mid", "hi"]).field["constraints"]["enum"]
    ['lo', 'mid', 'hi']
    """
    if not scale or column.left_out or not 1 < len(scale) <= limits.DRAFTED_VALUES:
        return column
    listed = constraints(column.field).get("enum")
    rows_hold_others = isinstance(listed, list) and not {*map(str, listed)} <= {*scale}
    if rows_hold_others or column.field.get("type") == "boolean":
        return column
    values = [text for text in scale if text not in column.missing]
    required = constraints(column.field).get("required", False)
    field: Document = {
        "name": column.name,
        "type": "string",
        "constraints": {"required": required, "enum": values},
    }
    truth = truth_field(field)
    if truth is not None:
        return replace(column, field=truth)
    return replace(column, field={**field, "categoriesOrdered": True})

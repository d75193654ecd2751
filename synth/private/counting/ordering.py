"""The order of listed texts: of the calendar, or of the numbers that they hold. PRIVATE.

>>> place_of("10-19 years"), place_of("none")
((10.0, '10-19 years'), (inf, 'none'))
"""

import re
from collections.abc import Sequence

from synth.domain import MONTH_NAMES, WEEKDAYS


def place_of(text: str) -> tuple[float, str]:
    """Return the first number of a text, infinite without one, and the text itself."""
    number = re.search(r"(?<![\d.])-?\d+([.,]\d+)?", text)
    if number is None:
        return float("inf"), text
    return float(number[0].replace(",", ".")), text


def ordered_texts(texts: Sequence[str]) -> tuple[list[str], bool]:
    """Return texts in the order of the calendar or of their numbers.

    Also returns whether they have such an order; other texts are sorted alphabetically.

    >>> ordered_texts(["oct", "jan"]), ordered_texts(["[10-20)", "[0-10)"])
    ((['jan', 'oct'], True), (['[0-10)', '[10-20)'], True))
    >>> ordered_texts(["b", "a"])
    (['a', 'b'], False)
    """
    for names in (MONTH_NAMES, WEEKDAYS):
        place_by_name = {name: place for place, name in enumerate(names)}
        place_by_name |= {name[:3]: place for place, name in enumerate(names)}
        if len(texts) > 1 and all(text.casefold() in place_by_name for text in texts):
            return sorted(texts, key=lambda text: place_by_name[text.casefold()]), True
    bands = [
        re.fullmatch(r"\W*\d[\d.,]*(\s*(-|–|to|,)\s*\d[\d.,]*|\+)?\W*", text)
        for text in texts
    ]
    if len(texts) > 1 and all(bands):
        band = any(re.search(r"[^\d.,]", text) for text in texts)
        return sorted(texts, key=place_of), band
    return sorted(texts), False

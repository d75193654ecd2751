"""The order of listed texts: of the calendar, or of the numbers that they hold. PRIVATE.

>>> place_of("10-19 years"), place_of("none")
((10.0, '10-19 years'), (inf, 'none'))
>>> place_of("1e+05")
(100000.0, '1e+05')
"""

import re
from collections.abc import Sequence

from synth.domain import MONTH_NAMES, WEEKDAYS


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

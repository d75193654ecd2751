"""Lines that programs and people write below a table, told by the row's first filled cell.

>>> is_line_below(["", "Total", "981"]), is_line_below(["Totals Ltd", "981"])
(True, False)
"""

import re
from collections.abc import Iterable

BELOW_WORDS = (
    "(grand )?totals?|sum|summe|gesamt|insgesamt|subtotal|sources?|quellen?|notes?"
    "|anmerkung(en)?|footnotes?"
)
_BELOW = re.compile(BELOW_WORDS, re.IGNORECASE)


def is_line_below(cells: Iterable[str]) -> bool:
    """Return whether a row begins like a line below a table, such as a total or a source.

    It depends on this row alone.

    Args:
        cells: The texts of the row in the order of the columns.
    """
    first_cell = next((cell.strip() for cell in cells if cell.strip()), "")
    word, colon, _ = first_cell.partition(":")
    # A sentence after a colon says where the rows come from; a total stands by itself.
    return bool(_BELOW.fullmatch(word if colon else first_cell))

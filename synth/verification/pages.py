"""Compare two reports whose numbers were computed by two kinds of processor. PUBLIC.

NumPy's exponentials may differ in their last bits, in decimals and in the arrays of pictures.

>>> same_page("a share of 0.30000000000000004", "a share of 0.3"), same_page("0.31", "0.3")
(True, False)
"""

import base64
import re
from collections.abc import Callable

import numpy as np

from synth.util import Floats, read_json

_ARRAY = re.compile(r'"dtype":"f8","bdata":("[^"]*")')
_PAGE_NUMBER = re.compile(r"(-?[0-9]+[.][0-9]+(?:e[+-]?[0-9]+)?)")

# Largest relative and absolute difference that counts as rounding.
CLOSE, TINY = 1e-9, 1e-12


def same_page(one: str, other: str) -> bool:
    """Return whether two pages are equal up to the last bits of numbers."""
    if one == other:
        return True
    first, second = one.splitlines(), other.splitlines()
    return len(first) == len(second) and all(map(_same_line, first, second))


def _same_line(one: str, other: str) -> bool:
    if one == other:
        return True
    rest, arrays = _cut_out(_ARRAY, one, _decode_chart)
    other_rest, other_arrays = _cut_out(_ARRAY, other, _decode_chart)
    words, numbers = _cut_out(_PAGE_NUMBER, rest, _spelled_out)
    other_words, other_numbers = _cut_out(_PAGE_NUMBER, other_rest, _spelled_out)
    ones, others = [*arrays, *numbers], [*other_arrays, *other_numbers]
    return (words, list(map(len, ones))) == (other_words, list(map(len, others))) and all(
        np.allclose(a, b, rtol=CLOSE, atol=TINY) for a, b in zip(ones, others, strict=True)
    )


def _cut_out(
    pattern: re.Pattern[str], text: str, read: Callable[[str], Floats]
) -> tuple[str, list[Floats]]:
    return pattern.sub("\0", text), [read(found) for found in pattern.findall(text)]


def _decode_chart(quoted: str) -> Floats:
    try:
        return np.frombuffer(
            base64.b64decode(read_json(quoted, "The chart"), validate=True), "<f8"
        )
    except ValueError:
        return np.array([np.nan])  # like no other


def _spelled_out(text: str) -> Floats:
    return np.array([float(text)])

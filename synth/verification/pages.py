"""Compare two pages whose numbers were computed by two kinds of processor. PUBLIC.

NumPy's exponentials may differ in their last bits, and so may the decimals of a page.

>>> same_page("a share of 0.30000000000000004", "a share of 0.3"), same_page("0.31", "0.3")
(True, False)
"""

import re

import numpy as np

from synth.util import Floats

_NUMBER = re.compile(r"-?[0-9]+[.][0-9]+(?:e[+-]?[0-9]+)?")

# Largest relative and absolute difference that counts as rounding.
ROUNDING_TOLERANCE = 1e-9
TINY = 1e-12


def same_page(page: str, other_page: str) -> bool:
    """Return whether two pages are equal up to the last bits of numbers.

    Both are texts: HTML, or a notebook. They are compared line by line.
    """
    if page == other_page:
        return True
    lines = page.splitlines()
    other_lines = other_page.splitlines()
    return len(lines) == len(other_lines) and all(map(_same_line, lines, other_lines))


def _same_line(line: str, other_line: str) -> bool:
    """Return whether two lines have the same words, and numbers that are close.

    Numbers are close if they differ by at most `ROUNDING_TOLERANCE` (1e-9, relative) plus
    `TINY` (1e-12).
    """
    if line == other_line:
        return True
    numbers = _list_numbers(line)
    other_numbers = _list_numbers(other_line)
    # As many numbers, too: a page may hold the mark itself, and NumPy would stretch an array.
    has_same_words = _NUMBER.sub("\0", line) == _NUMBER.sub("\0", other_line)
    if not has_same_words or len(numbers) != len(other_numbers):
        return False
    return bool(
        np.allclose(numbers, other_numbers, rtol=ROUNDING_TOLERANCE, atol=TINY),
    )


def _list_numbers(line: str) -> Floats:
    """Return the decimals in a line, in order, shape (decimals,)."""
    return np.array([float(text) for text in _NUMBER.findall(line)])

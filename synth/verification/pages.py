"""Compare two pages whose numbers were computed by two kinds of processor. PUBLIC.

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
CLOSE = 1e-9
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

    Numbers are close if they differ by at most `CLOSE` (1e-9, relative) plus `TINY` (1e-12).
    """
    if line == other_line:
        return True
    words, numbers = _cut_out_numbers(line)
    other_words, other_numbers = _cut_out_numbers(other_line)
    # The arrays must have equal lengths, as NumPy would stretch an array of one number.
    lengths = [len(values) for values in numbers]
    other_lengths = [len(values) for values in other_numbers]
    if words != other_words or lengths != other_lengths:
        return False
    pairs = zip(numbers, other_numbers, strict=True)
    return all(
        np.allclose(values, other_values, rtol=CLOSE, atol=TINY)
        for values, other_values in pairs
    )


def _cut_out_numbers(line: str) -> tuple[str, list[Floats]]:
    """Split a line into its words and its numbers.

    Returns:
        The line with a mark in place of each number; and the numbers. First comes an array
        for each array of a Plotly chart, then an array of length 1 for each decimal.
    """
    text, arrays = _cut_out(_ARRAY, line, _decode_chart)
    words, decimals = _cut_out(_PAGE_NUMBER, text, _decode_decimal)
    return words, [*arrays, *decimals]


def _cut_out(
    pattern: re.Pattern[str], text: str, decode: Callable[[str], Floats]
) -> tuple[str, list[Floats]]:
    """Return a text with a NUL character for each match, and the decoded matches.

    Args:
        pattern: It has exactly one group, which holds the numbers as text.
        text: The text to search.
        decode: Returns the numbers of that group's text, shape (numbers,).
    """
    return pattern.sub("\0", text), [decode(match) for match in pattern.findall(text)]


def _decode_chart(quoted: str) -> Floats:
    """Return the numbers of an array in a Plotly chart, shape (numbers,).

    Args:
        quoted: The array as a JSON string: base64 of little-endian 64-bit floats.

    Returns:
        The numbers; if they are damaged, one NaN, which makes every comparison fail.
    """
    try:
        return np.frombuffer(
            base64.b64decode(read_json(quoted, "The chart"), validate=True), "<f8"
        )
    except ValueError:
        return np.array([np.nan])


def _decode_decimal(text: str) -> Floats:
    return np.array([float(text)])

"""Cells of a code book that would keep a pattern busy."""

from time import process_time

import pytest

from synth.domain.codebooks.packed import split_codes, split_range


def test_a_cell_of_blanks_takes_no_time() -> None:
    """A cell of 130,000 blanks between two letters is read at once.

    An earlier pattern took a second for each such cell, and a code book may have sixty. 10 s
    of the processor are far less than that.
    """
    cell, start = f"a{' ' * 130_000}b", process_time()
    for _ in range(60):
        assert list(split_codes(cell).values()) == [""]
        assert split_range(f"1{' ' * 130_000}x") is None
    assert process_time() - start < 10


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("1 = male; 2=female", {"1": "male", "2": "female"}),
        ("1 - one | 2 – two", {"1": "one", "2": "two"}),
        ("a-b = c", {"a-b": "c"}),
        ("= x", {"= x": ""}),
        ("a" * 80 + " = x", {"a" * 80: "x"}),
        ("a" * 81 + " = x", {"a" * 81 + " = x": ""}),
    ],
)
def test_a_code_and_its_label(text: str, codes: dict[str, str]) -> None:
    """A code and its label in a cell are parted at an equals sign or a dash between blanks.

    A dash without blanks belongs to the code, a cell that begins with a sign is no pair, and
    a code has at most 80 characters.
    """
    assert split_codes(text) == codes

"""The statement of linked tables names what was paid before their release."""

from types import SimpleNamespace
from typing import Any

import pytest

from synth.bundle.linked import _and_payments


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (0, ""),
        (1, " and those of 1 payments before"),
        (3, " and those of 3 payments before"),
    ],
)
def test_payments_before_a_release_are_counted(number: int, sentence: str) -> None:
    """The statement of linked tables says how many payments were made before, if any."""
    certificate: Any = SimpleNamespace(
        declaration=SimpleNamespace(preparations=(SimpleNamespace(),) * number)
    )

    assert _and_payments(certificate) == sentence

"""What holds private data shows its name alone, whatever a class or a dataclass would
write.
"""

from dataclasses import dataclass

import pytest

from synth.util import Private


@dataclass(frozen=True)
class Held(Private):
    rows: tuple[int, ...]


class Shown(Held):
    def __init__(self) -> None:
        super().__init__((640,))


@pytest.mark.parametrize("private", [Held((640,)), Shown()])
def test_private_data_is_not_shown(private: Held) -> None:
    for text in (repr(private), str(private), f"{private}", f"{[private]}"):
        assert "640" not in text
        assert f"{type(private).__name__}(private)" in text

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
    """No text of an object with private data holds the data: it shows the class's name only.

    Neither a dataclass nor its subclass prints the number 640, by repr, str, format or in a
    list.
    """
    for text in (repr(private), str(private), f"{private}", f"{[private]}"):
        assert "640" not in text
        assert f"{type(private).__name__}(private)" in text

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


@pytest.mark.parametrize("made", [Held((640,)), Shown()])
def test_private_data_is_not_shown(made: Held) -> None:
    for said in (repr(made), str(made), f"{made}", f"{[made]}"):
        assert "640" not in said
        assert f"{type(made).__name__}(private)" in said

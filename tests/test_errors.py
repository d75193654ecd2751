"""Messages of errors: nothing in them moves a cursor or turns the direction of text."""

import pytest

import synth
from synth.errors import DomainError


def test_a_message_spells_out_what_cannot_be_seen() -> None:
    name = "a\x1b[2J\r\u202e\x9b\u2066\x7f Größe"
    with pytest.raises(DomainError) as caught:
        synth.Domain(**{name: synth.Integer(97, 18)})
    said = str(caught.value)
    assert said.startswith(r"Column 'a\x1b[2J\r\u202e\x9b\u2066\x7f Größe': minimum 97")

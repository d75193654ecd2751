"""IDs of rows: each different, of the pattern, the same from wherever they are drawn."""

import re

import numpy as np
import pytest

from synth.domain import Identifier
from synth.rows import spell_identifiers

FORMS = {
    "P###": r"P\d{3}",
    "@-#@": "[A-Z]-[0-9][A-Z]",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "####################": r"\d{20}",
}


@pytest.mark.parametrize("pattern", FORMS)
def test_ids_are_of_the_pattern_and_each_different(pattern: str) -> None:
    one = Identifier(pattern=pattern)
    found = spell_identifiers(one, np.arange(min(one.capacity, 20_000)), 7).to_pylist()
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(FORMS[pattern], text) for text in found)


def test_running_numbers_start_at_one() -> None:
    assert spell_identifiers(Identifier(pattern="number"), np.arange(3), 7).to_pylist() == [
        1,
        2,
        3,
    ]


def test_rows_beyond_have_none() -> None:
    for pattern in ("P#", "number"):
        ids = spell_identifiers(
            Identifier(pattern=pattern, most=4), np.arange(6), 7
        ).to_pylist()
        assert [text is None for text in ids] == [False] * 4 + [True] * 2


def test_a_row_has_its_id_in_any_part() -> None:
    one = Identifier(pattern="P######", name="key")
    whole = spell_identifiers(one, np.arange(1_000), 7).to_pylist()
    assert spell_identifiers(one, np.arange(400, 1_000), 7).to_pylist() == whole[400:]


def test_seeds_and_names_give_others() -> None:
    one, other = (
        Identifier(pattern="P######", name="a"),
        Identifier(pattern="P######", name="b"),
    )
    given = ((one, 7), (one, 8), (other, 7))
    drawn = [
        spell_identifiers(column, np.arange(9), seed).to_pylist() for column, seed in given
    ]
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]


def test_these_very_ids_are_drawn() -> None:
    """Verification draws them again, on any machine and by any version."""
    one = Identifier(pattern="P######", name="key")
    drawn = spell_identifiers(one, np.arange(3), 7).to_pylist()
    assert drawn == ["P286026", "P966617", "P873562"]

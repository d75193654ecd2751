"""IDs of rows: each different, of the pattern, the same from wherever they are drawn."""

import re

import numpy as np
import pytest

from synth.domain import Identifier
from synth.rows import spell_identifiers

# A pattern of IDs, and the regular expression that they match.
FORMS = {
    "P###": r"P\d{3}",
    "@-#@": "[A-Z]-[0-9][A-Z]",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "####################": r"\d{20}",
}


@pytest.mark.parametrize("pattern", FORMS)
def test_ids_are_of_the_pattern_and_each_different(pattern: str) -> None:
    """IDs match their pattern, and none comes twice.

    As many are drawn as the pattern allows, at most 20,000. The 7 is the seed.
    """
    column = Identifier(pattern=pattern)
    spelled = spell_identifiers(
        column, np.arange(min(column.capacity, 20_000)), 7
    ).to_pylist()
    assert len(set(spelled)) == len(spelled)
    assert all(re.fullmatch(FORMS[pattern], text) for text in spelled)


def test_running_numbers_start_at_one() -> None:
    """IDs with the pattern number are the numbers of the rows from 1, whatever the seed."""
    ids = spell_identifiers(Identifier(pattern="number"), np.arange(3), 7)
    assert ids.to_pylist() == [1, 2, 3]


def test_rows_beyond_have_none() -> None:
    """Rows beyond the most IDs of a column, here 4, have none."""
    for pattern in ("P#", "number"):
        ids = spell_identifiers(
            Identifier(pattern=pattern, most=4), np.arange(6), 7
        ).to_pylist()
        assert [text is None for text in ids] == [False] * 4 + [True] * 2


def test_a_row_has_its_id_in_any_part() -> None:
    """A row has the same ID whether all rows or only a later part of them is drawn."""
    column = Identifier(pattern="P######", name="key")
    all_ids = spell_identifiers(column, np.arange(1_000), 7).to_pylist()
    assert spell_identifiers(column, np.arange(400, 1_000), 7).to_pylist() == all_ids[400:]


def test_seeds_and_names_give_others() -> None:
    """Another seed, and another name of the column, give other IDs."""

    def draw_ids(name: str, seed: int) -> list[str]:
        column = Identifier(pattern="P######", name=name)
        return list(map(str, spell_identifiers(column, np.arange(9), seed).to_pylist()))

    ids = draw_ids("a", 7)
    assert ids != draw_ids("a", 8)
    assert ids != draw_ids("b", 7)
    assert draw_ids("a", 8) != draw_ids("b", 7)


def test_these_very_ids_are_drawn() -> None:
    """A pattern, a name and a seed give the same IDs on any machine and in any version.

    Verification draws them again. The three IDs were recorded from this drawing, and may
    never change.
    """
    column = Identifier(pattern="P######", name="key")
    spelled = spell_identifiers(column, np.arange(3), 7).to_pylist()
    assert spelled == ["P286026", "P966617", "P873562"]

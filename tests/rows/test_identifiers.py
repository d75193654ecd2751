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
    column = Identifier(pattern=pattern)
    spelled = spell_identifiers(
        column, np.arange(min(column.capacity, 20_000)), 7
    ).to_pylist()
    assert len(set(spelled)) == len(spelled)
    assert all(re.fullmatch(FORMS[pattern], text) for text in spelled)


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
    column = Identifier(pattern="P######", name="key")
    all_ids = spell_identifiers(column, np.arange(1_000), 7).to_pylist()
    assert spell_identifiers(column, np.arange(400, 1_000), 7).to_pylist() == all_ids[400:]


def test_seeds_and_names_give_others() -> None:
    column_a, column_b = (
        Identifier(pattern="P######", name="a"),
        Identifier(pattern="P######", name="b"),
    )
    columns_and_seeds = ((column_a, 7), (column_a, 8), (column_b, 7))
    spelled = [
        spell_identifiers(column, np.arange(9), seed).to_pylist()
        for column, seed in columns_and_seeds
    ]
    assert spelled[0] != spelled[1] != spelled[2] != spelled[0]


def test_these_very_ids_are_drawn() -> None:
    """Verification draws them again, on any machine and by any version."""
    column = Identifier(pattern="P######", name="key")
    spelled = spell_identifiers(column, np.arange(3), 7).to_pylist()
    assert spelled == ["P286026", "P966617", "P873562"]

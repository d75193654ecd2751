"""Drafts of real tables publish no identifier and no extreme, invent no code, lose no
measure.
"""

import pytest

from tests.counting.real_tables import FOLDER, KEPT_ASIDE, LOOKED_AT, RealTable, find_faults


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the shared tables are not here")
@pytest.mark.parametrize("table", LOOKED_AT, ids=lambda table: table.path)
def test_a_draft_is_right(table: RealTable) -> None:
    assert [*find_faults(table)] == []


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the shared tables are not here")
@pytest.mark.parametrize("table", KEPT_ASIDE, ids=lambda table: table.path)
def test_a_draft_of_a_table_kept_aside_is_right(table: RealTable) -> None:
    assert [*find_faults(table)] == []

"""Pages of a table of 76 columns: the processor's time until they are there."""

import math
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

from tests.app.steward import go_to, visit
from tests.wide import wide_draft

pytestmark = pytest.mark.slow

MOST_SECONDS = 0.3
# A page that other work slows down is opened again; the quickest of these counts.
VISITS = 6


@pytest.mark.parametrize("page", ["data", "domain", "plan", "release"])
def test_a_page_of_seventy_six_columns_opens_in_three_tenths_of_a_second(
    tmp_path: Path, page: str
) -> None:
    """Each page of 76 columns takes at most 0.3 seconds of a processor when it is opened.

    Each visit is that of a new session, of a table with another number of rows, so that no
    forecast is at hand from the visit before.
    """
    draft = wide_draft(tmp_path, 76)
    other_page = "domain" if page == "data" else "data"
    quickest = math.inf
    for number in range(VISITS):
        app = visit(other_page, replace(draft, about_rows=3_000 + number))
        start = process_time()
        go_to(app, page)
        quickest = min(quickest, process_time() - start)
        assert not app.exception
    assert quickest <= MOST_SECONDS

"""One changed row of a table of PostgreSQL changes one row that Synth counts."""

from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from tests.databases.conftest import Server
from tests.fuzz.neighbour_postgresql import DEFINED, postgresql_table
from tests.fuzz.neighbours import Case, Reader, find_failures, usual_histogram
from tests.fuzz.test_neighbours import PAIRS, SEED, SHOWN

pytestmark = [pytest.mark.databases, pytest.mark.slow, pytest.mark.timeout(300 + PAIRS)]

PAIRS_OF_A_CASE = 21
CASES = max(1, PAIRS // (10 * PAIRS_OF_A_CASE))
"""A tenth of the pairs that are asked for, as other inputs have."""


@pytest.mark.usefixtures("inside")  # a process for each table takes longest
def test_neighbours_are_one_row_apart(server: Server, tmp_path: Path) -> None:
    """Two tables of PostgreSQL that differ in one record are read as one row apart.

    The tables are random. The first part counts them in one engine and this process, as a
    process for each table takes longest. One case is also read as releases read it.
    """
    with server.connect() as connection, connection.cursor() as cursor, Reader() as engine:

        def run(*statements: str) -> None:
            for statement in statements:
                cursor.execute(statement)

        run(*DEFINED)
        draw = partial(postgresql_table, run=run, address=server.address("fuzz"))
        seeds = range(SEED, SEED + CASES)
        failures = [*islice(find_failures(draw, seeds, tmp_path, engine.histogram), SHOWN)]
        failures += find_failures(
            lambda random: keep_two_versions(draw(random)), [SEED], tmp_path, usual_histogram
        )
    print(f"postgresql: {CASES * PAIRS_OF_A_CASE:,} pairs")
    assert not failures, "\n".join(failures)


def keep_two_versions(case: Case) -> Case:
    """The case with two of its versions."""
    return replace(case, versions=case.versions[:2])

"""A release that goes past the common beginning hides looks and payments; this layer sees
it.
"""

import pytest

from tests.audit import path
from tests.audit.path_mutants.beginnings import OF_BEGINNINGS
from tests.audit.path_mutants.told import Mutant, seen_by
from tests.conftest import Report

LINKED = "a linked release that goes past the beginning"


@pytest.mark.mutant
@pytest.mark.parametrize(
    "mutant",
    seen_by("9 recalled before a release", path.recalling, {LINKED: OF_BEGINNINGS[LINKED]}),
    ids=lambda mutant: mutant.name,
)
def test_a_linked_release_that_skips_the_beginning_is_caught(
    mutant: Mutant, report: Report
) -> None:
    """The audit notices a release of linked tables that skips the common beginning.

    The beginning recalls looks and payments for the tables, which such a release would hide.
    A mutant is a change of the code that its layer of the audit must detect.
    """
    mutant.catch(report)

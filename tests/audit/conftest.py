"""What the audit counts of its tests, for the summary at its end."""

import pytest

from tests.audit import tally

COUNTED = {
    "test_exact_loss": ("exact losses", "checked"),
    "test_proofs": ("sensitivities by exhaustive search", "checked"),
}


@pytest.fixture(autouse=True)
def counted(request: pytest.FixtureRequest) -> None:
    """Count a test of a module that is counted."""
    if request.path.stem in COUNTED:
        section, word = COUNTED[request.path.stem]
        tally.add(section, **{word: 1})

"""What the audit counts of its tests, for the summary at its end, and what its tests
share.
"""

from pathlib import Path

import numpy as np
import pytest

from synth.private.table import PrivateTable, open_table
from tests.audit import tally
from tests.audit.upgrades import DrawnLaws

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


@pytest.fixture
def drawn_laws(monkeypatch: pytest.MonkeyPatch) -> DrawnLaws:
    return DrawnLaws(monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> PrivateTable:
    generator = np.random.default_rng(1)
    codes = generator.integers(0, 3, (300, 3))
    codes[:, 1] = np.where(generator.random(300) < 0.8, codes[:, 0], codes[:, 1])
    lines = ["a,b,c", *(",".join("xyz"[code] for code in row) for row in codes)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return open_table(tmp_path / "t.csv")

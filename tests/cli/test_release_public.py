"""``--public FILE --vouched-by NAME`` on the command line, from a release to its
verification.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.__main__ import main
from synth.domain import write_schema

DOMAIN = synth.Domain(age=synth.Integer(0, 99, bins=10), sex=["f", "m"])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a confidential table of 1,000 rows and a public one, its
    first 600 rows.
    """
    frame = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
    frame.to_csv(tmp_path / "now.csv", index=False)
    frame[:600].to_csv(tmp_path / "old.csv", index=False)
    (tmp_path / "domain.json").write_text(json.dumps(write_schema(DOMAIN)))
    return tmp_path


def _run_release(files: Path, *words: str) -> int:
    domain = ["--domain", str(files / "domain.json"), "--epsilon", "1"]
    bundle = ["--out", str(files / "r.zip")]
    return main(["release", str(files / "now.csv"), *domain, *bundle, *words])


def test_a_release_and_its_verification(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A release that used a public table names who vouches for it, and verifies with that
    table only.

    With the public table, claims that need a ledger stay open: status 3. Another table is
    refuted: status 1.
    """
    old = str(files / "old.csv")
    assert _run_release(files, "--public", old, "--vouched-by", "The Office") == 0
    assert main(["verify", str(files / "r.zip"), "--public", old, "-v"]) == 3
    output = capsys.readouterr()[0]
    assert "for which The Office vouches; your table has the same 600 rows" in output
    assert main(["verify", str(files / "r.zip"), "--public", str(files / "now.csv")]) == 1
    assert "not the one that 'plan.json' names by its digest" in capsys.readouterr()[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--public", "old.csv"], "Who vouches that the public table is public?"),
        (["--vouched-by", "me"], "say which one by --public FILE"),
        (["--public", "now.csv", "--vouched-by", "me"], "is the confidential table itself"),
    ],
)
def test_what_cannot_be_is_refused(
    files: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A public table needs a person who vouches for it, and must not be the confidential
    table.
    """
    arguments = [str(files / word) if word.endswith(".csv") else word for word in words]
    assert _run_release(files, *arguments) == 2
    assert message in capsys.readouterr()[1]
    assert not (files / "r.zip").exists()

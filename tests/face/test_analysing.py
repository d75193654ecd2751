"""`synth.analyse`: conclusions of a bundle, and one sentence for whatever is none."""

from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.cli.main import main

FRAME = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
DOMAIN = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = synth.release(FRAME, DOMAIN, epsilon=5, method="dense")
    return made.save(tmp_path_factory.mktemp("bundle") / "release.zip")


def test_questions_are_answered_with_intervals(bundle: Path) -> None:
    analysis = synth.analyse(bundle)
    assert repr(analysis) == "Analysis(1,000 rows, 2 columns)"
    assert analysis.rows.shape == (1000, 2)
    found = analysis.ask(["count where sex = f", "table sex"])
    assert found.table.columns.tolist()[:4] == ["question", "label", "estimate", "low"]
    assert len(found.table) == 3
    assert abs(found[0].estimate[0] - 500) < 50
    assert found[0].low[0] < found[0].estimate[0] < found[0].high[0]
    assert found[0].sentence == "The 95 % interval counts the noise of the release."


def test_rows_without_their_bundle_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "synthetic.csv"
    path.write_text("age,sex\n20,f\n")
    with pytest.raises(synth.SynthError, match=r"no bundle: rows without their noisy counts"):
        synth.analyse(path)


def test_the_command_line_says_the_same(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", str(bundle), "--question", "share where sex = f", "--json"]) == 0
    assert '"unit": "share"' in capsys.readouterr().out
    assert main(["analyse", str(bundle), "--question", "count where height > 2"]) == 2
    assert "height" in capsys.readouterr().err

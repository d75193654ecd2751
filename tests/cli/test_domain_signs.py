"""Signs and special values from the rows to a verified release, on the command line."""

import csv
import json
from pathlib import Path
from random import Random

import pytest

from synth.cli.main import main
from tests.tables import write

# The exit status of `verify` if no claim is refuted, but the ledger was not there to check.


def test_a_look_at_a_laboratory_value_is_released_and_drawn_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 600 levels 150 are below 5, 60 are the code -7, and 30 were refused.

    The draft gives each of the three a cell of its own. The release has rows of each, and is
    the same when drawn again. The mean is that of the levels from 5 to 200 alone.
    """
    draw = Random(1)
    levels = [str(draw.randint(5, 200)) for _ in range(360)]
    texts = [*levels, *["<5"] * 150, *["-7"] * 60, *["refused"] * 30]
    table = write(tmp_path / "t.csv", ["crp"], [[text] for text in texts])
    domain = tmp_path / "d.json"
    assert main(["domain", "draft", str(table), "--look", "--out", str(domain)]) == 0
    assert "a cell for each sign: 'crp' (<5, refused)" in capsys.readouterr().err
    (field,) = json.loads(domain.read_text(encoding="utf-8"))["fields"]
    assert (field["synth:spikes"], field["synth:signs"]) == (["-7"], ["<5", "refused"])

    arguments = [str(table), "--domain", str(domain)]
    bundle = tmp_path / "b.zip"
    rows = tmp_path / "o"
    outputs = ["--out", str(rows), "--out", str(bundle)]
    assert main(["release", *arguments, "--epsilon", "5", "--no-ledger", *outputs]) == 0
    assert main(["verify", str(bundle)]) == 0
    with (rows / "synthetic.csv").open(encoding="utf-8", newline="") as file:
        cells = [row["crp"] for row in csv.DictReader(file)]
    for text, times in {"<5": 150, "-7": 60, "refused": 30}.items():
        assert cells.count(text) == pytest.approx(times, abs=15)

    capsys.readouterr()
    assert (
        main(
            [
                "ask",
                *arguments,
                "--epsilon",
                "50",
                "--no-ledger",
                "--question",
                "mean crp",
                "--json",
            ]
        )
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    mean = sum(map(int, levels)) / len(levels)
    assert answer["answers"][0]["value"] == pytest.approx(mean, abs=1)

"""``dummy`` and ``draw`` on the command line: a file each, verified; bad options by a sentence."""

import zipfile
from pathlib import Path

import pytest

from synth.cli.main import main
from tests.bundle.bundles import make


def run(*words: str) -> int:
    return main(list(words))


def test_a_dummy_and_rows_of_a_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = make(tmp_path)
    domain = tmp_path / "domain.json"
    with zipfile.ZipFile(bundle) as files:
        domain.write_bytes(files.read("domain.json"))
    shares = tmp_path / "shares.json"
    shares.write_text('{"sex": {"F": 0.75}}', encoding="utf-8")
    out = str(tmp_path / "dummy.zip")
    assert run("dummy", str(domain), "--rows", "40", "--shares", str(shares), "-o", out) == 0
    assert "This is a dummy" in capsys.readouterr().out
    assert run("verify", out) == 0
    assert "Confirmed." in capsys.readouterr().out
    assert run("analyse", out, "--question", "share where sex = F") == 2
    assert "This is a dummy" in capsys.readouterr().err
    drawn = str(tmp_path / "set_shares.zip")
    where = ("--where", "sex = F", "--rows", "40", "-o", drawn)
    assert run("draw", str(bundle), *where) == 0
    assert "were set, not measured" in capsys.readouterr().out
    assert run("verify", drawn, "--release", str(bundle)) == 0
    assert run("verify", drawn) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--rows", "0"), "--rows must be a whole number from 1 up."),
        (("--rows", "5", "--shares", "sex: F=2"), "must be from 0 to 1"),
        (("--rows", "5", "--shares", "no.json"), "The file of shares 'no.json' cannot be read."),
    ],
)
def test_bad_options_are_refused(
    words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("dummy", "domain.json", *words) == 2
    assert sentence in capsys.readouterr().err

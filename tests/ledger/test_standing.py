"""After a spend nothing fails without saying that it stands: every command, every place to
fail.
"""

import os
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from typing import Any
from unittest.mock import Mock, patch

import pandas as pd
import pytest

import synth
from synth.cli.main import main
from synth.door import Door, Ledger, note_standing
from synth.errors import ReleaseError
from tests.fit_tables import DATE, write_dates, write_declaration

STANDS = (
    "The spend counts, and the ledger stores the result: the same command returns it at no "
    "further cost."
)
LOST = "The spend counts, but no ledger stores the result: the same command spends again."
COMMANDS = {
    "release": "release {table} --domain {domain} --epsilon 1 --anyway --out {folder}/out",
    "release one-shot": "release {table} --domain {domain} --epsilon 1 "
    "--method one-shot --anyway "
    "--out {folder}/b.zip",
    "release parts": "release {table} --domain {domain} --epsilon 1 "
    "--method one-shot --anyway "
    "--in-parts --out {folder}/parts",
    "release check": "release {table} --domain {domain} --epsilon 1 "
    "--check 1 --out {folder}/out",
    "release score": "release {table} --domain {domain} --epsilon 1 "
    "--score 1 --out {folder}/out",
    "ask": "ask {table} --domain {domain} --epsilon 1 --question {asked}",
    "ask json": "ask {table} --domain {domain} --epsilon 1 --question {asked} --json",
    "ask out": "ask {table} --domain {domain} --epsilon 1 "
    "--question {asked} --out {folder}/out",
    "check": "check {table} --domain {domain} --epsilon 1",
    "draft": "domain draft {table} --columns sex --epsilon 1",
    "draft out": "domain draft {table} --columns sex --epsilon 1 --out {folder}/drafted.json",
}
LEDGER = " --ledger {folder}/l.db --dataset us --budget 9"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table of dates and sexes, its declaration and an empty ledger."""
    write_dates(tmp_path / "t.csv")
    write_declaration(tmp_path / "d.json", DATE)
    Ledger(tmp_path / "l.db").close()
    return tmp_path


def command_words(name: str, folder: Path, ledger: str = LEDGER) -> list[str]:
    """The words of a command of `COMMANDS`, in this folder and with this ledger."""
    places = {"table": folder / "t.csv", "domain": folder / "d.json", "folder": folder}
    return [
        word.format(**places, asked="table sex") for word in (COMMANDS[name] + ledger).split()
    ]


def count_spends(folder: Path) -> int:
    """Return how many spends the folder's ledger has recorded."""
    with Ledger(folder / "l.db", readonly=True) as book:
        return len(book.entries())


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("fail", [MemoryError, KeyboardInterrupt, ZeroDivisionError])
def test_a_failure_after_the_spend_says_that_it_stands(
    name: str,
    fail: type[BaseException],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A command that fails after its spend says that the spend counts and can be had again.

    The failure comes when noise is drawn. The same command then succeeds without another
    spend. Only a release with a check, or with a score, spends once more for its second part.
    """
    with patch.object(Door, "measure", Mock(side_effect=fail)):
        assert main(command_words(name, folder)) == 2
    assert capsys.readouterr().err.endswith(f" {STANDS}\n")

    spends_before = count_spends(folder)

    assert main(command_words(name, folder)) == 0
    further_spends = int(name in ("release check", "release score"))
    assert count_spends(folder) == spends_before + further_spends


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.first_case
def test_output_that_cannot_be_written_says_that_it_stands(
    name: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A command whose output cannot be written says that the spend counts and can be had
    again.

    First the standard output is full. Then commands that write files fail as no file can be
    put in its place. A command without files succeeds the second time, without another spend.
    """
    if "draft out" not in name:  # which prints nothing
        with Path("/dev/full").open("w") as full, monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", full)
            assert main(command_words(name, folder)) == 2
        assert capsys.readouterr().err.endswith(f"The output cannot be written. {STANDS}\n")
        spent = count_spends(folder)

    with monkeypatch.context() as patched:
        for results in ("parts", "out"):
            rmtree(folder / results, ignore_errors=True)
        (folder / "b.zip").unlink(missing_ok=True)
        if " " in name or name == "release":  # all but ask, check and draft write files
            patched.setattr(os, "replace", Mock(side_effect=OSError))
            assert main(command_words(name.replace("json", "out"), folder)) == 2
            assert capsys.readouterr().err.endswith(f" {STANDS}\n")
            return

    assert main(command_words(name, folder)) == 0
    assert count_spends(folder) == spent


def test_without_a_ledger_it_says_that_what_was_bought_is_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a ledger, a failure after the spend says that the same command spends again."""
    monkeypatch.setattr(Door, "measure", Mock(side_effect=MemoryError))
    assert main(command_words("ask", folder, " --no-ledger")) == 2
    assert capsys.readouterr().err.endswith(f" {LOST}\n")


def test_a_failure_before_the_spend_says_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that the budget of 1/2 cannot pay does not speak of a spend."""
    assert main(command_words("ask", folder, LEDGER.replace("9", "1/2"))) == 2
    assert "stands" not in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "ascii:strict"])
@pytest.mark.first_case
def test_answers_are_printed_in_any_encoding(encoding: str, folder: Path) -> None:
    """Answers are printed in any encoding, although a sign may be missing in it.

    Without a ledger the answers could not be had again.
    """
    finished = run_command(folder, "ask", "", PYTHONIOENCODING=encoding, LANG="C")
    assert (finished.returncode, b"table sex" in finished.stdout) == (0, True)


@pytest.mark.slow
def test_a_closed_pipe_says_that_it_stands(folder: Path) -> None:
    """If nobody reads the output, or it is full, the command says that the spend counts.

    Run again, it prints the answers, and only one spend is recorded.
    """
    read_end, write = os.pipe()
    os.close(read_end)

    finished = run_command(folder, "ask", LEDGER, to=write)
    assert finished.returncode == 2
    assert finished.stderr.decode().endswith(
        f"No program reads the output any more. {STANDS}\n"
    )

    with Path("/dev/full").open("w") as full:
        finished = run_command(folder, "ask", LEDGER, to=full.fileno())
    assert finished.returncode == 2
    assert finished.stderr.decode().endswith(f"The output cannot be written. {STANDS}\n")

    assert (run_command(folder, "ask", LEDGER).returncode, count_spends(folder)) == (0, 1)


def run_command(
    folder: Path, name: str, ledger: str, to: int = subprocess.PIPE, **options: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "synth", *command_words(name, folder, ledger)]
    errors = subprocess.PIPE
    return subprocess.run(
        command, stdout=to, stderr=errors, env=os.environ | options, check=False, timeout=60
    )


def test_a_call_in_python_says_that_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed call in Python, the error says that the spend stands and the same call
    is free.

    An error of Synth says so in its message, and any other one in a note. The same two calls
    then succeed, and two spends are recorded.
    """
    frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    written: dict[str, Any] = {
        "epsilon": 1,
        "ledger": tmp_path / "l.db",
        "dataset": "us",
        "budget": 3,
    }

    with monkeypatch.context() as patched:
        patched.setattr(Door, "measure", Mock(side_effect=ReleaseError("No.")))
        text = STANDS.replace("command", "call")
        with pytest.raises(ReleaseError, match=rf"^No\. {text}$"):
            synth.ask(frame, {"sex": ["f", "m"]}, "count where sex = f", **written)
        patched.setattr(Door, "measure", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt) as caught:
            synth.release(frame, {"sex": ["f", "m"]}, **written)
        assert caught.value.__notes__ == [text]

    synth.ask(frame, {"sex": ["f", "m"]}, "count where sex = f", **written)
    synth.release(frame, {"sex": ["f", "m"]}, **written)
    assert count_spends(tmp_path) == 2


def test_a_block_within_another_leaves_it_to_that() -> None:
    """Of two nested blocks that note spends, only the outer one adds its sentence to an
    error.

    The sentence names the outer block's way to the result, "a".
    """

    def fail() -> None:
        with note_standing("a"), note_standing("b") as spends:
            spends.note(is_stored=True)
            raise ReleaseError("No.")

    with pytest.raises(ReleaseError, match=r"^No\. The spend counts, and .*: a returns it"):
        fail()

"""Cells that seem to hold line breaks are said before any spend; a terminal asks what they
are.
"""

import io
import json
import warnings
import zipfile
from pathlib import Path

import pytest

import synth
from synth.cli import commands
from synth.cli.main import main
from synth.domain import write_schema
from synth.door import Ledger
from synth.verification import verify
from tests.table.test_plain_copy import TEXTS

# Below the header 3 rows if cells may hold line breaks, and else 6 lines, of which only
# the one of y can be split into three cells.
BODY = b'a,b,note\nx,1,"one\ntwo"\ny,2,none\nx,2,"three\nfour\nfive"\n'
# What is said of the file if nobody chose how to read it.
SAID = (
    "2 cells seem to hold line breaks (first on line 2). As the file is read now, 5 lines "
    "are left out."
)


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The words of a release of the table with line breaks in cells, with a new ledger."""
    (tmp_path / "t.csv").write_bytes(BODY)
    (tmp_path / "d.json").write_text(json.dumps(write_schema(TEXTS)))
    arguments = [
        "release",
        tmp_path / "t.csv",
        "--domain",
        tmp_path / "d.json",
        "--epsilon",
        "1",
    ]
    arguments += ["--out", tmp_path / "r.zip", "--anyway", "--ledger", tmp_path / "l.db"]
    return [*map(str, arguments), "--dataset", "people", "--budget", "3"]


class Terminal(io.StringIO):
    """A terminal that somebody types at."""

    def isatty(self) -> bool:
        return True


def type_answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Make stdin and stderr a terminal at which somebody types this text."""
    monkeypatch.setattr(commands.sys, "stdin", Terminal(text))
    monkeypatch.setattr(commands.sys.stderr, "isatty", lambda: True)


def read_certificate(tmp_path: Path) -> dict[str, object]:
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        return dict(json.loads(archive.read("certificate.json")))


def test_a_script_gets_the_sentence_before_the_spend_and_goes_on(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a terminal, a release warns once (SAID) that cells may hold line breaks, and
    goes on.

    Then each of the 6 lines below the header counts as a row.
    """
    assert main(words) == 0
    errors = capsys.readouterr().err
    assert errors.count(SAID) == 1
    assert "Choose lines=span if cells may hold line breaks." in errors
    assert read_certificate(tmp_path)["rows"] == 6


def test_a_terminal_asks_and_reads_rows_over_lines(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """At a terminal a release of cells with line breaks asks how to read them.

    Answer 1 reads rows that go on over line ends: 3 rows. A wrong answer is asked again. The
    chosen reading is in the certificate, the plan, the statement and the command to run it
    again.
    """
    type_answer(monkeypatch, "what?\n1\n")
    assert main(words) == 0
    errors = " ".join(capsys.readouterr().err.split())
    assert errors.count(SAID) == 1
    assert errors.count("1 or 2? ") == 2

    stored = read_certificate(tmp_path)
    assert stored["rows"] == 3
    assert "A row of the file may continue over line ends" in str(stored["caveats"])
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        assert json.loads(archive.read("plan.json"))["reading"] == "span"
        statement = " ".join(archive.read("statement.txt").decode().split())
        assert "A row of the file may continue over line ends" in statement
        assert "--read lines=span" in archive.read("run_again.txt").decode()
    assert verify(tmp_path / "r.zip").certificate.caveats == tuple(stored["caveats"])  # type: ignore[arg-type]


def test_a_terminal_asks_and_takes_lines_as_rows(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a terminal is asked how to read line breaks in cells, answer 2 takes lines as rows.

    There are 6 of them, and the certificate says how they were read.
    """
    type_answer(monkeypatch, "2\n")
    assert main(words) == 0
    assert read_certificate(tmp_path)["rows"] == 6
    assert "Each line of the file" in str(read_certificate(tmp_path)["caveats"])


def test_a_terminal_without_an_answer_spends_nothing(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """If a terminal is asked how to read line breaks in cells and gives no answer, nothing is
    spent.

    Here the input ends at once. No ledger is made.
    """
    type_answer(monkeypatch, "")
    assert main(words) == 2
    assert "Nothing was spent: say --read lines=span" in capsys.readouterr().err
    assert not (tmp_path / "l.db").exists()


@pytest.mark.parametrize(("option", "rows"), [("lines=one", 6), ("lines=span", 3)])
def test_what_was_said_by_an_option_is_not_asked(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, rows: int
) -> None:
    """If --read says how to read line breaks in cells, a terminal is not asked.

    Its input is empty here. The file has 6 lines below its header, and 3 rows if they may go
    on over line ends.
    """
    type_answer(monkeypatch, "")
    assert main([*words, "--read", option]) == 0
    assert read_certificate(tmp_path)["rows"] == rows


def test_the_plan_of_a_bundle_reads_rows_as_the_release_did(
    words: list[str], tmp_path: Path
) -> None:
    """A release by the plan of an earlier bundle reads line breaks in cells as that one did.

    The earlier one was told that rows may go on over line ends, so both have 3 rows.
    """
    assert main([*words, "--read", "lines=span"]) == 0
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        (tmp_path / "plan.json").write_bytes(archive.read("plan.json"))
        (tmp_path / "domain.json").write_bytes(archive.read("domain.json"))
    again = ["release", str(tmp_path / "t.csv"), "--plan", str(tmp_path / "plan.json")]
    output_options = ["--out", str(tmp_path / "r.zip"), "--overwrite", "--anyway"]
    assert main([*again, *output_options]) == 0
    assert read_certificate(tmp_path)["rows"] == 3


@pytest.mark.usefixtures("words")
def test_python_warns_and_goes_on(tmp_path: Path) -> None:
    """In Python a table with line breaks in cells raises a warning (SAID), and lines are
    rows.

    A table without any raises none.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = synth.release(tmp_path / "t.csv", TEXTS, epsilon=1, anyway=True)
    messages = [str(warning.message) for warning in caught]
    assert any(text.startswith(f"Private, for you alone: {SAID}") for text in messages)
    assert len(release.table) == 6

    path = tmp_path / "plain.csv"
    path.write_bytes(b"a,b\nx,1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        synth.release(path, TEXTS, epsilon=1, anyway=True, ledger=False)


@pytest.mark.usefixtures("words")
def test_a_draft_proposes_that_cells_hold_line_breaks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A draft of the declaration notes that two cells seem to hold line breaks (SAID)."""
    out = str(tmp_path / "draft.json")
    assert main(["domain", "draft", str(tmp_path / "t.csv"), "--look", "--out", out]) == 0
    assert f"Note: {SAID}" in capsys.readouterr().err


def test_a_spend_of_either_reading_is_a_spend_of_its_own(
    words: list[str], tmp_path: Path
) -> None:
    """Releases of a file with and without line breaks in cells are two spends of
    epsilon 1.
    """
    assert main([*words, "--read", "lines=span"]) == 0
    assert main([*words[:-2], "--read", "lines=one", "--overwrite"]) == 0
    assert Ledger(tmp_path / "l.db").balance("people").spent == 2

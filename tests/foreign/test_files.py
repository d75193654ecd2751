"""What is no file is not opened: a pipe would be waited for, for ever."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from synth.bundle import read_archive
from synth.cli.main import main
from synth.collecting import read_closed, read_collected
from synth.domain import Derived, load_schema, read_codebooks
from synth.door import Ledger
from synth.drafting import read_candidates
from synth.errors import SynthError
from synth.estimate import load_rules
from synth.foreign import open_file, read_file
from synth.plans import Projects
from synth.private.table import open_table
from synth.questions import read_questions
from synth.spending import read_public
from synth.verification import verify
from tests.collecting.forms import make_design
from tests.tables import MIXED

SENTENCE = "is a pipe, a device or a folder; expected a file."
PROJECT = "12345678-1234-4234-8234-123456789012"
# name: (the name of the file, what opens it)
OPENS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "table": ("t.csv", open_table),
    "parquet": ("t.parquet", open_table),
    "folder of parquet": ("t/part.parquet", lambda path: open_table(path.parent)),
    "workbook": ("t.xlsx", open_table),
    "statistics": ("t.sav", open_table),
    "public table": ("t.csv", lambda path: read_public(path, MIXED, "me")),
    "declaration": ("d.json", load_schema),
    "code book": ("d.xlsx", load_schema),
    "code books": ("d.xml", lambda path: read_codebooks([("d.xml", path)])),
    "labels": ("d.sav", load_schema),
    "answers": ("a.json", lambda path: read_collected([path], make_design())),
    "zip of answers": ("a.zip", lambda path: read_collected([path], make_design())),
    "folder of answers": (
        "a/a.json",
        lambda path: read_collected([path.parent], make_design()),
    ),
    "closed questions": ("q.txt", read_closed),
    "questions": ("q.json", read_questions),
    "bundle": ("b.zip", read_archive),
    "bundle to verify": ("b.zip", verify),
    "candidates": ("c.json", lambda path: read_candidates(str(path))),
    "rules": ("r.json", load_rules),
    "lookup": ("l.csv", lambda path: Derived(lookup="a", table=path)),  # type: ignore[arg-type]
    "ledger": ("l.db", Ledger),
    "key": ("l.db.key", lambda path: Ledger(path.with_name("l.db"))),
    "project": (f"{PROJECT}.json", lambda path: Projects(path.parent).open(PROJECT)),
}
OTHERWISE = {"ledger": "it is a pipe or a device", "project": "no (such )?project"}
"""Where another sentence is expected."""


@pytest.fixture
def pipe(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a pipe that nobody writes to."""

    def make(name: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if name == "l.db.key":
            Ledger(tmp_path / "l.db").close()
            path.unlink()
        os.mkfifo(path)
        return path

    return make


def outcome(act: Callable[[], object]) -> str:
    """The sentence that an act ends with, if it does."""
    sentences: list[str] = []

    def run() -> None:
        try:
            sentences.append(f"did: {act()}")
        except SynthError as error:
            sentences.append(str(error))

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    return sentences[0] if sentences else "waits"


@pytest.mark.parametrize("opener", OPENS)
def test_a_pipe_is_refused(opener: str, pipe: Callable[[str], Path]) -> None:
    """Everything that opens a file refuses a pipe of that name, and does not wait for it.

    Nobody ever writes to the pipe, so a reader that opened it would wait for ever. Then the
    outcome would be the word waits.
    """
    name, open_path = OPENS[opener]
    path = pipe(name)
    sentence = OTHERWISE.get(opener, re.escape(SENTENCE))
    assert re.search(sentence, outcome(lambda: open_path(path)))


@pytest.mark.parametrize(
    "words",
    [
        "domain check PIPE",
        "domain convert PIPE --map name=1",
        "domain draft PIPE",
        "collect read PIPE --form PIPE",
        "release PIPE --domain PIPE --epsilon 1 --dataset d --out x",
        "verify PIPE",
    ],
)
def test_a_command_refuses_a_pipe(
    words: str, pipe: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A command with a pipe in place of a file ends with an error code and one line."""
    path = str(pipe("pipe"))
    code = outcome(lambda: main([path if word == "PIPE" else word for word in words.split()]))
    assert code in ("did: 1", "did: 2")
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].endswith(SENTENCE)
    assert len(lines) == 1


def test_a_device_and_a_folder_too(tmp_path: Path) -> None:
    """Devices, folders and impossible names are refused like pipes.

    A file is read up to the limit and one byte beyond, so that the caller sees that it is
    larger. Of five bytes with the limit 3 these are four.
    """
    for path in (tmp_path, Path("/dev/zero")):
        with pytest.raises(SynthError, match=re.escape(SENTENCE)):
            open_file(path)
    with pytest.raises(SynthError, match="cannot be the name of a file"):
        open_file("a\0b")

    (tmp_path / "t").write_bytes(b"12345")
    assert read_file(tmp_path / "t", 3) == b"1234"


def test_a_pipe_that_takes_a_files_place_is_seen(
    tmp_path: Path, pipe: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe that takes the place of a file between the check and the opening is refused.

    The system's answer about the path is replaced by that about a file. The opened pipe is
    looked at again.
    """
    (tmp_path / "t").touch()
    facts_of_a_file, path = os.stat(tmp_path / "t"), pipe("pipe")
    monkeypatch.setattr(os, "stat", lambda _path: facts_of_a_file)
    with pytest.raises(SynthError, match=re.escape(SENTENCE)):
        open_file(path)

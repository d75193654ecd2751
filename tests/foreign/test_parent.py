"""The child process: its death is one sentence, its limits hold, and it ends with its
parent.
"""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synth import limits
from synth.errors import LimitError
from synth.foreign import Folder, parent, read_apart
from synth.private.table import open_table
from tests.foreign.files import LINUX, write_sheet, write_workbook
from tests.patience import until
from tests.processes import is_alive
from tests.tables import ROOT

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def test_where_memory_has_no_limit_such_files_may_only_be_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a system that cannot limit memory, large workbooks are refused and never read.

    Their limit is lowered to 0 MB. A gzip file needs little memory, whatever its size, and is
    still read.
    """
    monkeypatch.setattr(parent, "MEMORY_IS_LIMITED", False)
    path = write_workbook(tmp_path / "t.xlsx", write_sheet("A1"))
    open_table(path)

    monkeypatch.setattr(limits, "FOREIGN_FILE_MB", 0)
    with pytest.raises(
        LimitError, match=r"'t.xlsx' is larger than 0 MB, the limit .* as CSV"
    ):
        open_table(path)

    zipped = tmp_path / "t.csv.gz"
    zipped.write_bytes(gzip.compress(b"a\n1\n"))
    assert open_table(zipped).header == ("a",)


def run_as_child(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let the child that reads foreign files run this code instead."""
    monkeypatch.setattr(parent, "COMMAND", (sys.executable, "-P", "-c", code))


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.abort()",
        "raise MemoryError('cell 4711')",
        "import sys; print('cell 4711'); sys.exit(1)",
        "import os; os.kill(os.getpid(), 9)",
    ],
)
def test_its_death_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any, code: str
) -> None:
    """If the child that reads a file crashes or is killed, the user gets one sentence.

    Nothing that the child prints is shown, as that could be a cell, here 4711.
    """
    path = write_workbook(tmp_path / "t.xlsx", write_sheet("A1"))
    run_as_child(monkeypatch, code)
    sentence = (
        "'t.xlsx' needs more than 2,048 MB of memory to be read, the limit "
        "(SYNTH_FOREIGN_MB), or it is damaged."
    )
    with pytest.raises(LimitError, match=f"^{re.escape(sentence)}$"):
        open_table(path)
    assert "4711" not in "".join(capfd.readouterr())


def test_its_time_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that takes longer than the limit, here 1 second, is ended.

    The user gets one sentence that names the setting.
    """
    monkeypatch.setenv("SYNTH_FOREIGN_SECONDS", "1")
    run_as_child(monkeypatch, "import time; time.sleep(600)")
    path = write_workbook(tmp_path / "t.xlsx", write_sheet("A1"))
    with pytest.raises(
        LimitError, match=r"needs more than 1 seconds to be read, the limit \(SYN"
    ):
        open_table(path)


@LINUX
def test_the_limits_are_what_the_server_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's setting limits the memory of the child that reads a file.

    64 MB are too few to read even a small workbook.
    """
    path = write_workbook(tmp_path / "t.xlsx", write_sheet("A1", "A1048576"))
    monkeypatch.setenv("SYNTH_FOREIGN_MB", "64")
    with pytest.raises(LimitError, match=r"needs more than 64 MB of memory"):
        open_table(path)


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    """A child ends when its parent is killed, although it waits for a file.

    The file is a pipe to which nobody writes. The parent starts the child, prints its number
    and kills itself.
    """
    code = (
        "import json, os, subprocess, sys\n"
        "from synth.foreign import parent\n"
        "child = subprocess.Popen(parent.COMMAND, stdin=subprocess.PIPE)\n"
        "child.stdin.write(json.dumps({'task': 'gzip', 'source': sys.argv[1], 'folder': '/',"
        " 'memory_mb': 500, 'seconds': 60, 'unpacked_mb': 1, 'ratio': 1, 'free_mb': "
        "1}).encode()"
        " + b'\\n')\n"
        "child.stdin.flush()\nprint(child.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    done = subprocess.run(
        [sys.executable, "-c", code, str(pipe)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    child = int(done.stdout)
    assert until(lambda: not is_alive(child)), "the child is still there"


def test_it_starts_with_next_to_nothing() -> None:
    """The module of the child imports no large library at its start, so it starts quickly."""
    code = (
        "import sys, synth.foreign.child; print({'numpy', 'pandas', 'pyarrow'} & "
        "set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_what_a_child_answers_is_no_program(tmp_path: Path) -> None:
    """The answer of a child is plain JSON, which cannot make its parent run code."""
    with Folder() as folder:
        (tmp_path / "t.gz").write_bytes(gzip.compress(b"a"))
        answer = read_apart("gzip", tmp_path / "t.gz", folder, name="t.gz")
        assert json.loads(json.dumps(answer)) == {"unpacked": "unpacked"}

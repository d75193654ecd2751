"""A reader who types what a page says, in one folder: its commands and its programs.

The reader makes no file but by what the page says. A program whose first line names a file,
such as `# clinic.py`, is saved under this name; any other is typed at Python's prompt, which
stays open until the end of the page.
"""

import contextlib
import io
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from synth.cli.main import main
from tests.tables import ROOT

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
EXTRA_PACKAGES = ("adbc_driver_postgresql", "authlib", "pyreadstat", "pyspark", "webview")
"""What the extras of the package install. A reader has none, unless the page asks for one."""
SAVED = re.compile(r"# (\w+\.py)\b")
BUDGET_WARNING = "The budget of"
"""How the warning begins that the first spend on a dataset gives."""
STATUS = re.compile(r"`(\w+)`[^.]*?\sexits\s+with\s+(\d)")
"""The sentence of a page that says with which status a command exits there."""


def read_fences(text: str) -> list[tuple[str, str]]:
    """The language and the code of each fence, in the order of the page."""
    return FENCED.findall(text)


def list_commands(code: str) -> list[str]:
    """The commands of a fence; one that ends with a backslash goes on in the next line."""
    return [line for line in code.replace("\\\n", " ").splitlines() if line.strip()]


def list_shell_signs(code: str) -> list[str]:
    """Comments, and words with a sign that stands for files, outside quotation marks."""
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", code)
    return re.findall(r"(?<!\S)#.*|\S*[*?\[\]]\S*", unquoted)


def list_promises(code: str) -> list[str]:
    """What the comments of a program say that it prints, line by line."""
    printing = [line for line in code.splitlines() if "print(" in line and "  # " in line]
    return [line.split("  # ")[1] for line in printing]


def work_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder whose ledger is new, with the package of this repository."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SYNTH_HOME", str(folder / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def hide_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process find no package of an extra, as in a new environment."""
    for name in EXTRA_PACKAGES:
        monkeypatch.setitem(sys.modules, name, None)


class Reader:
    """Somebody who types a page in the current folder, whose ledger is `SYNTH_HOME`'s.

    Attributes:
        names: What Python's prompt knows.
        printed: What the last command or program printed.
        statuses: The statuses other than 0 that the page names, by command.
    """

    def __init__(self) -> None:
        self.printed = ""
        self.statuses: dict[str, int] = {}
        self.names: dict[str, object] = {"__name__": "__main__"}

    def type_page(self, text: str) -> None:
        """Type all commands and programs of a page, from its top to its end."""
        self.statuses = {name: int(status) for name, status in STATUS.findall(text)}
        for language, code in read_fences(text):
            if language == "console":
                for command in list_commands(code):
                    self.type_command(command)
            elif language == "python":
                self.type_program(code)

    def type_command(self, line: str) -> None:
        """Type a command: of Synth, or of Python with a saved program. It says something, and
        exits with 0, or with the status that a sentence of the page names.
        """
        command, *words = shlex.split(line)
        if command == "python":
            self.run_saved(words[0])
            return
        assert command == "synth", line
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = main(words)
        self.printed = printed.getvalue()
        assert status == self.statuses.get(words[0], 0), (line, self.printed)
        assert self.printed or "--out" in words, line

    def type_program(self, code: str) -> None:
        """Save a program, or run it: it prints what its comments promise, in order, and warns
        of nothing but a first budget.
        """
        if saved := SAVED.match(code):
            Path(saved[1]).write_text(code, encoding="utf-8")
            return
        with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", BUDGET_WARNING, UserWarning)
            exec(compile(code, "page", "exec"), self.names)
        self.printed = printed.getvalue()
        promised, lines = list_promises(code), self.printed.splitlines()
        assert [line for line in lines if line in promised] == promised, lines

    def run_saved(self, name: str) -> None:
        """Run a saved program in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-W", "error", name], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

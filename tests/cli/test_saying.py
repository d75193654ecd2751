"""What is printed: no name moves the cursor, turns text around, or fails for its encoding."""

import io
import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import synth.cli
from synth.cli.main import main
from synth.cli.saying import say, say_file, say_json
from synth.errors import ReleaseError
from tests.fit_tables import DATE, write_dates, write_declaration

# Control characters that move a cursor or set a title, and such as turn text around.
EVIL = "\x1b]0;x\x07\x9b2J\u202e\u2066\x7f"
# What no printed line may hold: control characters but line feeds, and invisible ones.
UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def capture_bytes(
    encoding: str, monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]
) -> bytes:
    """What reaches a terminal of this encoding."""
    to = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", to)
        act()
    to.flush()
    to.seek(0)
    return to.buffer.read()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_lines_and_json_reach_any_terminal(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text with odd characters is printed in any encoding, and its control characters are
    escaped.

    Two lines stay two lines, because a line break in a text is escaped too. JSON reads back
    as it was.
    """
    text = f"é 😀 € {EVIL}\nmore"
    lines = capture_bytes(encoding, monkeypatch, lambda: say(text, "next")).decode(encoding)
    assert (lines.count("\n"), UNSEEN.search(lines)) == (2, None)

    for indent in (None, 1):
        output = capture_bytes(
            encoding, monkeypatch, partial(say_json, {text: [text]}, indent=indent)
        )
        assert UNSEEN.search(output.decode(encoding)) is None
        assert json.loads(output.decode(encoding)) == {text: [text]}


def test_a_file_is_printed_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file printed to stdout is unchanged; if the encoding lacks a character, it is
    refused.
    """
    assert capture_bytes("utf-8", monkeypatch, lambda: say_file("é\t\n")) == "é\t\n".encode()
    with pytest.raises(
        ReleaseError, match=r"lacks a character of this file; name one by --out"
    ):
        capture_bytes("ascii", monkeypatch, lambda: say_file("é"))


def test_nothing_else_prints_what_it_is_told() -> None:
    """Only a few modules of the command line call print, so that no other text goes
    unescaped.

    `saying` escapes what it prints. The others print fixed text: a question, an empty line,
    the address of a server, and an example in a docstring.
    """
    folder = Path(synth.cli.__file__).parent
    printing = {
        path.stem for path in folder.glob("*.py") if " print(" in path.read_text("utf-8")
    }
    printing_modules = {"app", "desktop", "launchers"}
    assert printing == {"saying", "main"} | printing_modules


@pytest.mark.parametrize(
    "command", ["check", "domain check", "domain draft", "release", "ask"]
)
def test_a_name_reaches_no_terminal_as_it_is(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Control characters in names of files and columns are escaped in whatever a command
    prints.
    """
    # A table whose file and whose first column of texts have the name.
    name = EVIL.replace("\r", "")
    write_dates(tmp_path / "t.csv")
    write_declaration(tmp_path / "d.json", DATE)
    table = tmp_path / f"{name}.csv"
    (tmp_path / "t.csv").rename(table)
    table.write_text(table.read_text("utf-8").replace("sex", name, 1), "utf-8")
    declared = json.loads((tmp_path / "d.json").read_text("utf-8"))
    for field in declared["fields"]:
        field["name"] = field["name"].replace("sex", name)
    (tmp_path / "d.json").write_text(json.dumps(declared), "utf-8")

    domain = ["--domain", tmp_path / "d.json", "--dataset", "us"]
    words = {
        "check": ["check", table, *domain, "--epsilon", 1, "--columns", name],
        "domain check": ["domain", "check", tmp_path / "d.json"],
        "domain draft": ["domain", "draft", table, "--look"],
        "release": ["release", table, *domain, "--epsilon", 1, "--out", tmp_path / name],
        "ask": ["ask", table, *domain, "--epsilon", 1, "--question", f'table "{name}"'],
    }[command]
    main([str(word) for word in words])

    captured = capsys.readouterr()
    assert UNSEEN.search(captured.out + captured.err) is None
    assert r"\x1b" in captured.out + captured.err or r"\u001b" in captured.out

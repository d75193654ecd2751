"""Every command's help: it fits 80 columns, and its examples and questions run as shown."""

import re
import shlex
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from synth.cli.ask import question_examples
from synth.cli.listening import HOST
from synth.cli.main import COMMANDS, EXAMPLES, main
from synth.collecting import read_design
from tests import patience
from tests.cli.conftest import Line
from tests.collecting.forms import answer_line

VERBS = {*EXAMPLES, *COMMANDS, ""} - {"ask --forecast"}


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints with --help."""
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    return capsys.readouterr().out


def examples_of_help(text: str) -> list[list[str]]:
    """The words of each example at the end of a help."""
    lines = re.split(r"\nexamples?:\n", text)[1].replace("\\\n", " ").splitlines()
    assert all(line.startswith("  python -m synth ") for line in lines)
    return [shlex.split(line)[3:] for line in lines]


@pytest.mark.parametrize("command", sorted(VERBS))
def test_help_fits_a_terminal_and_ends_with_examples(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The help of each command fits 80 columns, and ends with examples of that
    very command.
    """
    monkeypatch.setenv("COLUMNS", "80")
    text = help_of(command, capsys)
    assert max(map(len, text.splitlines())) <= 80
    # The usage line says "[options]", but for commands that only lead to others.
    assert "[options]" in text.partition("\n\n")[0] or command in (
        "",
        "domain",
        "collect",
        "ledger",
    )
    for words in examples_of_help(text):
        assert not command or words[: len(command.split())] == command.split()


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert re.fullmatch(r"synth \d+\.\d+\.\d+\n", capsys.readouterr().out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all examples run, one after the other."""
    return tmp_path_factory.mktemp("examples")


@pytest.mark.slow
@pytest.mark.parametrize("command", [example for example in EXAMPLES if example != "app"])
def test_examples_run_in_the_order_of_the_help(
    command: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every example of the help works as it stands, in one folder, after those before it.

    What it prints or names below demo/ is there afterwards.
    """
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SYNTH_HOME", str(folder))

    if command == "collect read":  # people have answered in the meantime
        receive_answers(folder / "demo")
    (*_, words) = examples_of_help(help_of(command.removesuffix(" --forecast"), capsys))
    if command == "ask --forecast":
        words = examples_of_help(help_of("ask", capsys))[0]
    # "> FILE" at the end is the shell's: the output goes there.
    words, to = (words[:-2], words[-1]) if ">" in words else (words, "")

    assert main(words) == 0, words
    output = capsys.readouterr().out
    assert output or words[0] == "domain"
    if to:
        Path(to).write_text(output)
    for name in re.findall(r"demo/[\w./]+", " ".join([*words, to])):
        assert Path(name).exists()


def receive_answers(demo: Path) -> None:
    """What 40 people sent, as files in a folder."""
    design = read_design((demo / "form.html").read_bytes(), "form.html")
    (demo / "answers").mkdir()
    for person in range(40):
        line = answer_line(design, [person % 2], person)
        (demo / "answers" / f"{person}.json").write_text(line)


@pytest.mark.slow
@pytest.mark.parametrize("question", re.findall(r"^  (.+)$", question_examples(), re.M))
def test_questions_of_the_help_are_understood(
    question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Line
) -> None:
    """Every example of a question in the help of `ask` can be asked of the example survey."""
    monkeypatch.chdir(tmp_path)
    cli.output("example", "--out", "demo")
    options = ("--epsilon", "1", "--forecast", "--rows", "20000")
    declared = ("--domain", "demo/survey.schema.json", "--question", question)
    assert cli.output("ask", *declared, *options)


@pytest.mark.slow
def test_the_app_serves_at_the_port_of_its_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The example of `synth app` starts a server that answers.

    It runs at a free port, in place of the one of the example, and without a browser.
    """
    ((*words, _),) = examples_of_help(help_of("app", capsys))
    line = [sys.executable, "-m", "synth", *words]
    with (
        patience.port() as port,
        subprocess.Popen([*line, str(port), "--headless"], stdout=subprocess.PIPE) as served,
    ):
        try:
            assert answers_at(f"http://{HOST}:{port}/_stcore/health")
        finally:
            served.terminate()


def answers_at(url: str, patience: float = 60.0) -> bool:
    """Whether a server answers there in time."""
    end = monotonic() + patience
    while monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return True
        sleep(0.2)
    return False


def test_a_wrong_word_is_answered_with_the_nearest(cli: Line) -> None:
    """A misspelled command or option is refused with the nearest one that there is.

    If none is near, as for --domain of `dummy`, none is proposed.
    """
    assert cli.refusal("releas").startswith(
        "There is no command releas; did you mean release?"
    )
    refusal = cli.refusal("release", "t.csv", "--epslon", "1")
    assert refusal.startswith("There is no --epslon; did you mean --epsilon? (see ")
    assert refusal.endswith(" release --help).")
    assert cli.refusal("dummy", "d", "--rows", "9", "--out", "o", "--domain", "d").startswith(
        "There is no --domain; it is an option of other commands (see "
    )

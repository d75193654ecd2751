"""A function of the user's file on the command line: its numbers, and its errors."""

import os
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.cli.functions import function_of, progress_bar
from synth.cli.main import main
from synth.errors import ArgumentError
from tests.analysis.releases import nearly
from tests.cli.conftest import Line

CODE = """import pandas as pd


def old(frame):
    return float((frame["age"] >= 60).mean())


def fails(frame):
    return frame["height"].mean()


def nothing(frame):
    return None


number = 3
"""


FIRST = "on the table of the release"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a release at epsilon 5 of 1,000 people, half of whom are 60 or older."""
    frame = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
    domain = synth.Domain(age=synth.Integer(20, 99, bins=4), sex=["f", "m"])
    release = synth.release(frame, domain, epsilon=5, method="dense")
    return release.save(tmp_path_factory.mktemp("bundle") / "release.zip")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A Python file with four names: a function that works, two that fail, and a number."""
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return path


def test_a_function_has_an_interval(
    bundle: Path, file: Path, cli: Line, capsys: pytest.CaptureFixture[str]
) -> None:
    """A function of the user's file is run on simulated tables, which gives its interval.

    The function `old` is the share of people of 60 or more, which is 1/2 in the table.
    """
    words = ["analyse", str(bundle), "--function", f"{file}:old", "--columns", "age"]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert "old of age" in captured.out
    assert f"The code of {file} was run." in captured.out
    assert captured.err == ""  # no bar where nobody looks at one

    (report,) = cli.report(*words)["answers"]
    assert nearly(report["low"], 0.5, report["high"])
    assert (report["simulated"], report["way"]) == (True, "release")


@pytest.mark.parametrize(
    ("name", "extra_words", "why"),
    [
        ("fails", ["age"], f"failed {FIRST}, in row 9: KeyError: 'height'"),
        ("nothing", ["age"], f"The function gives 'None' {FIRST}, which is no number."),
        ("number", ["age"], "'mine.py' defines no function 'number'."),
        (
            "old",
            ["age", "--question", "count"],
            "goes with --columns, and not with questions.",
        ),
        ("old", [","], "Name the columns of the function's DataFrame."),
        ("old", ["height"], "The release has no column 'height'."),
    ],
)
def test_errors_in_one_sentence(
    bundle: Path, file: Path, name: str, extra_words: list[str], why: str, cli: Line
) -> None:
    """A function that fails, returns no number or does not exist is refused in one sentence.

    Row 9 of the file is where the function `fails` reads a column that the release lacks.
    """
    words = ["analyse", bundle, "--function", f"{file}:{name}", "--columns", *extra_words]
    assert why in cli.refusal(*words)


def test_columns_go_with_a_function(bundle: Path, cli: Line) -> None:
    assert "--columns and --by-model go with --function." in cli.refusal(
        "analyse", str(bundle), "--question", "count", "--columns", "age"
    )


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    """A text that names no function, no file, a failing file or no Python file is refused."""
    bad = tmp_path / "bad.py"
    text = tmp_path / "text.txt"
    bad.write_text("x = 1\nraise ValueError('mine')\n")
    text.write_text("x")
    for argument, why in (
        ("mine.py", "is written FILE.py:name, but it is 'mine.py'"),
        (f"{tmp_path}/none.py:f", "There is no file"),
        (f"{bad}:f", "'bad.py' fails in row 2: ValueError: mine"),
        (f"{text}:f", "is no file of Python code"),
    ):
        with pytest.raises(ArgumentError, match=why):
            function_of(argument)


def test_a_bar_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the bar shows progress: of its 30 marks, 15 are full at table 50 of 100.

    A pseudo-terminal takes the place of stderr, because a pipe would get no bar.
    """
    main_end, end = os.openpty()
    with os.fdopen(end, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        progress_bar(50, 100)
    assert b"[###############...............] table 50 of 100" in os.read(main_end, 100)
    os.close(main_end)

"""`synth.analyse`: conclusions of a bundle, and one sentence for whatever is none."""

import zipfile
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.cli.main import main
from tests.analysis.releases import nearly
from tests.api.people import DOMAIN, FRAME


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a release at epsilon 1 of 1,000 people, half of them f."""
    release = synth.release(FRAME, DOMAIN, epsilon=1, method="dense")
    return release.save(tmp_path_factory.mktemp("bundle") / "release.zip")


def test_questions_are_answered_with_intervals(bundle: Path) -> None:
    """A release answers questions with an interval each; every number is a row of the table.

    Half of 1,000 rows are f. A count has one number, and a table of two categories two.
    """
    analysis = synth.analyse(bundle)
    assert repr(analysis) == "Analysis(1,000 rows, 2 columns)"
    assert analysis.rows.shape == (1000, 2)

    answers = analysis.ask(["count where sex = f", "table sex"])
    assert answers.table.columns.tolist()[:4] == ["question", "label", "estimate", "low"]
    assert len(answers.table) == 3
    assert abs(answers[0].estimate[0] - 500) < 50
    assert answers[0].low[0] <= answers[0].estimate[0] <= answers[0].high[0]
    assert answers[0].sentence == "The 95 % interval counts the noise of the release."


def test_rows_without_their_bundle_are_refused(tmp_path: Path) -> None:
    """Synthetic rows alone cannot be analysed, since they do not show how much noise they
    have.
    """
    path = tmp_path / "synthetic.csv"
    path.write_text("age,sex\n20,f\n")
    with pytest.raises(synth.SynthError, match=r"no bundle. Rows alone do not show"):
        synth.analyse(path)


def test_the_command_line_says_the_same(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`synth analyse` answers a question as JSON, and refuses a column that there is not."""
    assert main(["analyse", str(bundle), "--question", "share where sex = f", "--json"]) == 0
    assert '"unit": "share"' in capsys.readouterr().out
    assert main(["analyse", str(bundle), "--question", "count where height > 2"]) == 2
    assert "height" in capsys.readouterr().err


def test_questions_that_have_an_answer_get_it(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of four questions two have no answer: the others are answered, and the exit status is
    2.
    """
    questions = (
        "count where sex = f",
        "mean height",
        "count where weight > 2",
        "count where sex = m",
    )
    words = [word for question in questions for word in ("--question", question)]
    assert main(["analyse", str(bundle), *words]) == 2
    captured = capsys.readouterr()
    assert questions[0] in captured.out
    assert questions[3] in captured.out
    assert captured.err.count("is not declared") == 2


def test_numbers_come_first_and_a_note_on_all_once(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A remark that holds for all answers is printed once, and details only with -v.

    Each answer has two lines, of which the first is the question.
    """
    arguments = ["--question", "share where sex = m", "--question", "share where sex = f"]
    command = ["analyse", str(bundle), *arguments]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[2]) == ("share where sex = m", "share where sex = f")
    assert sum("The 95 % interval" in line for line in lines) == 1

    assert main([*command, "-v"]) == 0
    assert "How: " in capsys.readouterr().out
    assert "How: " not in "".join(lines)


def test_a_function_sees_the_columns_it_asks_for(bundle: Path) -> None:
    """A function gets a frame of its columns only, and its interval is simulated.

    Half of the people are of 58 or more: ages 60 and 80.
    """
    analysis = synth.analyse(bundle)
    columns_seen = []

    def older(frame: pd.DataFrame) -> dict[str, float]:
        columns_seen.append(tuple(frame.columns))
        return {"old": float((frame["age"] >= 58).mean()), "all": len(frame)}

    estimate = analysis.interval(older, columns=("age",))

    assert set(columns_seen) == {("age",)}
    assert estimate.labels == ("old", "all")
    assert nearly(estimate.low[0], 0.5, estimate.high[0])
    assert estimate.simulated
    assert estimate.question == "older of age"


def test_a_function_that_fails_says_so_with_its_row(bundle: Path) -> None:
    """A function of the user that raises, or returns no number, is refused with the reason.

    The same holds for different results on simulated tables, and for columns that there are
    not.
    """
    analysis = synth.analyse(bundle)

    def fails(_: pd.DataFrame) -> float:
        message = "what I said"
        raise KeyError(message)

    with pytest.raises(synth.SynthError, match=r"in row \d+: KeyError: 'what I said'"):
        analysis.interval(fails, columns=("age",))

    with pytest.raises(synth.SynthError, match=r"gives 'many' .* which is no number"):
        analysis.interval(lambda _: "many", columns=("age",))
    with pytest.raises(synth.SynthError, match=r"gives .nan. on .* which is no number"):
        analysis.interval(lambda _: float("nan"), columns=("age",))

    results = iter([[1.0], [1.0, 2.0]])  # one number first, and then two
    with pytest.raises(
        synth.SynthError, match=r"different names on table 1 of those redrawn"
    ):
        analysis.interval(lambda _: next(results), columns=("age",))

    with pytest.raises(synth.SynthError, match="has no column 'height'"):
        analysis.interval(len, columns=("height",))
    with pytest.raises(synth.SynthError, match="Name the columns"):
        analysis.interval(len, columns=())


def test_a_bundle_that_does_not_verify_is_used_by_name_only(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed bundle is analysed only with `anyway`, and every answer
    carries the reason.
    """
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            ending = b"\n" if name == "statement.txt" else b""
            target.writestr(name, source.read(name) + ending)
    sentence = "'statement.txt' does not match the certificate."
    with pytest.raises(synth.SynthError, match=sentence):
        synth.analyse(broken)

    stamped = synth.analyse(broken, anyway=True)
    assert repr(stamped).endswith("unverified)")
    (answer,) = stamped.ask("count where sex = f")
    assert answer.stamp == sentence
    assert answer.to_json()["unverified"] == sentence

    words = ["analyse", str(broken), "--question", "count where sex = f"]
    assert main([*words, "--anyway"]) == 0
    assert f"UNVERIFIED: {sentence}" in capsys.readouterr().out
    assert main(words) == 2
    assert sentence in capsys.readouterr().err


def test_two_groups_are_compared_on_the_command_line(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`analyse --less` answers the difference of two means, and does not go with --over."""
    words = ["analyse", str(bundle), "--question", "mean age where sex = f"]
    assert main([*words, "--less", "mean age where sex = m"]) == 0
    assert "mean age where sex = f less mean age where sex = m" in capsys.readouterr().out
    assert main([*words, "--less", "mean age", "--over", "mean age"]) == 2
    assert "not with each other" in capsys.readouterr().err


def test_one_bundle_and_question_give_one_interval(bundle: Path) -> None:
    """The same bundle and question give the same interval again, although it is simulated.

    The simulation is seeded by the bundle's digest, of 64 hexadecimal digits.
    """
    first, second = (synth.analyse(bundle) for _ in range(2))
    for analysis in (first, second):
        assert len(analysis.digest) == 64
    text = "regression age on sex"
    assert first.ask(text)[0].to_json() == second.ask(text)[0].to_json()
    estimates = [
        analysis.interval(lambda f: f["age"].mean(), columns=("age",))
        for analysis in (first, second)
    ]
    assert estimates[0].to_json() == estimates[1].to_json()

"""``python -m synth compare``: of rows, and of a bundle, which tells more."""

from pathlib import Path

import pytest

from synth.cli.main import main
from tests.cli.conftest import Line


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The example survey and a release of three of its columns, as paths by name.

    The release cost epsilon 1 and its score 0.1, which together are the whole budget.
    """
    folder = tmp_path_factory.mktemp("compare")
    assert main(["example", "--out", str(folder)]) == 0
    paths = {
        "table": str(folder / "survey.csv"),
        "domain": str(folder / "survey.schema.json"),
        "bundle": str(folder / "b.zip"),
        "rows": str(folder / "out" / "synthetic.csv"),
        "ledger": str(folder / "ledger.db"),
    }
    arguments = ["release", paths["table"], "--domain", paths["domain"], "--method", "dense"]
    arguments += [
        "--columns",
        "age,sex,smoker",
        "--epsilon",
        "1",
        "--out",
        str(folder / "out"),
    ]
    arguments += ["--out", paths["bundle"], "--score", "0.1", "--ledger", paths["ledger"]]
    assert main([*arguments, "--dataset", "survey", "--budget", "1.1"]) == 0
    return paths


@pytest.fixture
def cli(cli: Line) -> Line:
    return cli.beginning_with("compare")


def test_a_bundle_is_compared_in_full(
    files: dict[str, str], tmp_path: Path, cli: Line
) -> None:
    """A comparison with a bundle reports errors by column and by pair, and the paid score.

    Three columns have three pairs. The score is within 4 of its 95 % reaches of the exact
    error, unless by a chance of 6e-6.

    The written report is private: it replaces an older page, and only its owner may read it.
    """
    page = tmp_path / "internal.html"
    # --target predicts this column: trained on synthetic rows, tested on real ones.
    options = ("--target", "smoker", "--out", str(page), "--overwrite")
    page.write_text("older, and open to all")
    report = cli.report(files["table"], files["bundle"], *options)
    assert len(report["by_table"]) == len(report["parts"]) == 3 + 3
    assert set(report["numbers"]) == {"age"}
    assert "pooled" in {repair["repair"] for repair in report["repairs"]}
    assert report["bars"]["bars"] > 20
    (score,) = report["scores"]
    assert (
        abs(score["error"] - report["two_way"]["mean"]) < 4 * score["reach"]
    )  # 6e-6 by chance
    assert report["training"]["target"] == "smoker"
    assert "PRIVATE - do not share" in page.read_text(encoding="utf-8")
    assert page.stat().st_mode & 0o777 == 0o600


def test_rows_alone_are_compared_by_their_domain(files: dict[str, str], cli: Line) -> None:
    """Synthetic rows without their bundle are compared by a domain, but without parts of the
    error.

    Tables are listed with the worst first.
    """
    options = ("--domain", files["domain"], "--columns", "age,sex,smoker")
    report = cli.report(files["table"], files["rows"], *options)
    assert "parts" not in report
    assert report["by_table"][0]["error"] >= report["by_table"][1]["error"]


@pytest.mark.parametrize(
    ("synthetic", "options", "message"),  # `synthetic` is a name of the fixture `files`
    [
        ("rows", (), "A table of synthetic rows needs --domain; a bundle has its own, and"),
        ("rows", ("--target", "sex"), "--target needs the bundle of the release"),
        ("bundle", ("--columns", "sex"), "A bundle has its domain; leave out --domain"),
        ("bundle", ("--target", "pay"), "'pay' cannot be predicted; these can: 'age', 'sex'"),
        (
            "bundle",
            ("--out", "/no/such/x.html"),
            "There is no folder '/no/such' for 'x.html'",
        ),
    ],
)
def test_bad_input_is_one_sentence(
    files: dict[str, str], cli: Line, synthetic: str, options: tuple[str, ...], message: str
) -> None:
    """Options that do not fit rows or a bundle are refused by a sentence that says why."""
    assert cli.refusal(files["table"], files[synthetic], *options).startswith(message)


def test_a_score_beyond_the_budget_is_refused_and_nothing_is_spent(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A score that the budget does not pay is refused; the one that was paid comes again for
    free.
    """
    arguments = ["release", files["table"], "--domain", files["domain"], "--method", "dense"]
    arguments += ["--columns", "age,sex,smoker", "--epsilon", "1", "--out", str(tmp_path)]
    arguments += ["--ledger", files["ledger"], "--dataset", "survey", "--score", "0.2"]
    assert main(arguments) == 2
    assert "only 0 is left" in capsys.readouterr().err

    # The same release with the score of 0.1 is stored in the ledger.
    assert main([*arguments[:-1], "0.1", "--overwrite"]) == 0
    assert "nothing was spent" in capsys.readouterr().out

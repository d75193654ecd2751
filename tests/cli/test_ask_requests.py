"""`synth analyse --asker`, `synth ask --request` and `synth ledger checks`."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main
from tests.bundle.bundles import make_bundle
from tests.cli.conftest import Line

ROWS = [["FM"[n % 2], "4", "1", "2024-02-03", "yes"] for n in range(200)]
TEXT = "close to 0.5 within 0.2: share where sex = F"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 200 rows, half of them F."""
    return make_bundle(tmp_path_factory.mktemp("checked"), rows=ROWS)


@pytest.fixture
def table(tmp_path: Path) -> tuple[str, str]:
    """A table of 200 rows, half of them F, and its declaration."""
    path = tmp_path / "people.csv"
    path.write_text("sex\n" + "F\nM\n" * 100)
    domain = tmp_path / "d.json"
    field = {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"]}}
    domain.write_text(json.dumps({"fields": [field]}))
    return str(path), str(domain)


def write_request(cli: Line, bundle: Path, path: Path) -> None:
    words = ("analyse", bundle, "--question", TEXT, "--asker", "Ada", "--out", path)
    assert "synth ask TABLE --request" in cli.output(*map(str, words))


def test_a_request_is_written_allowed_and_answered(
    bundle: Path, table: tuple[str, str], tmp_path: Path, cli: Line
) -> None:
    """At epsilon 2 and a tolerance of 40 rows, a wrong answer has a probability of
    exp(-80) / 2. The second question is one check too many.
    """
    request, ledger = tmp_path / "r.json", str(tmp_path / "l.db")
    write_request(cli, bundle, request)
    words = ["ask", table[0], "--domain", table[1], "--request", str(request)]
    words += ["--ledger", ledger, "--budget", "9"]
    assert main([*words, "--epsilon", "2"]) == 2  # nobody allowed it yet
    allow = ("ledger", "checks", "1", "--dataset", "people", "--asker", "Ada")
    assert "0 of 1 used" in cli.output(*allow, "--ledger", ledger)

    report = cli.report(*words, "--epsilon", "2")
    assert report["answers"][0]["value"] == ["yes"]
    assert cli.report(*words, "--epsilon", "2")["repeated"]
    assert main([*words, "--epsilon", "1"]) == 2
    shown = cli.output("ledger", "show", "--ledger", ledger)
    assert "Checks by Ada: 1 of 1 used." in shown
    summary = cli.report("ledger", "show", "--ledger", ledger)
    assert summary["datasets"][0]["checks"] == [{"asker": "Ada", "limit": 1, "used": 1}]
    lines = cli.output("ledger", "export", "--ledger", ledger).splitlines()
    contents = [json.loads(line)["content"] for line in lines]
    assert {"limit": 1, "asker": "Ada"} in contents
    assert [c["asker"] for c in contents if "checks" in c] == ["Ada"]


def test_a_forecast_names_the_epsilon_for_five_percent(
    bundle: Path, table: tuple[str, str], tmp_path: Path, cli: Line
) -> None:
    """For a tolerance of 40 rows it is ln(10) / 40 = 0.0576."""
    request = tmp_path / "r.json"
    write_request(cli, bundle, request)
    words = ("ask", "--domain", table[1], "--request", str(request), "--forecast")
    assert "an epsilon of 0.058" in cli.output(*words, "--epsilon", "1", "--rows", "200")
    report = cli.report(*words, "--error", "0.05", "--rows", "200")
    assert report["needed"]["epsilon"] == "0.0576"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--asker", "Ada"], "go together"),
        (["--out", "r.json"], "go together"),
        (["--asker", "Ada", "--out", "r.json", "--less", "count"], "one --question alone"),
        (["--asker", "Ada", "--out", "r.json", "--question", "count"], "one question"),
        (["--asker", "Ada", "--out", "r.zip"], "json"),
    ],
)
def test_wrong_options_of_a_request_are_refused(
    bundle: Path, words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyse", str(bundle), "--question", TEXT, *words]) == 2
    assert why in capsys.readouterr().err


def test_a_request_stands_alone(
    table: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """No other question goes with it, and a file of something else is none."""
    words = ["ask", table[0], "--domain", table[1], "--epsilon", "1", "--no-ledger"]
    assert main([*words, "--request", table[1]]) == 2
    assert "is no request" in capsys.readouterr().err
    assert main([*words, "--request", table[1], "--question", "count"]) == 2
    assert "leave out --question" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["many", "--dataset", "people"], "is a whole number"),
        (["3", "--dataset", "nobody"], "knows no dataset 'nobody'"),
        (["9999999", "--dataset", "people"], "from 0 to"),
    ],
)
def test_wrong_checks_are_refused(
    table: tuple[str, str],
    tmp_path: Path,
    words: list[str],
    why: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ledger = str(tmp_path / "l.db")
    ask = ["ask", table[0], "--domain", table[1], "--question", "count where sex = F"]
    assert main([*ask, "--epsilon", "1", "--ledger", ledger, "--budget", "2"]) == 0
    assert main(["ledger", "checks", *words, "--ledger", ledger]) == 2
    assert why in capsys.readouterr().err

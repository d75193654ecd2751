"""`synth approve`: what the second person sees, and the decision."""

import io
from pathlib import Path

import pytest

from synth import limits
from synth.door import Ledger
from synth.errors import WaitingError
from tests.cli.conftest import Line
from tests.ledger.two_persons import WORDS, act_as, ask, open_with_persons

DOSSIER = {
    "promise": "Nobody is seen.",
    "choices": ["Method: auto."],
    "forecast": ["1,000 rows: little."],
    "vouches": True,
    "tables": [
        {"table": "", "remark": "Marked.", "columns": [{"name": "sex", "type": "string"}]}
    ],
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger in which ann asks for a spend, by request 4."""
    monkeypatch.setattr(limits, "SCRYPT_COST", 2**4)
    path = tmp_path / "ledger.db"
    ledger = act_as(open_with_persons(path), "ann")
    with pytest.raises(WaitingError):
        ask(ledger, dossier=DOSSIER)
    return path


def test_requests_are_listed_and_shown(path: Path, cli: Line) -> None:
    """The list has a line for each; one of them comes with all that the second sees."""
    listed = cli.output("approve", "--ledger", path)
    assert "ann asks of 'survey': histogram, epsilon 0.25 (waiting)" in listed
    shown = cli.output("approve", 4, "--ledger", path).splitlines()
    assert shown[1:] == [
        "Promise: Nobody is seen.",
        "The request vouches that values taken from the rows are public.",
        "Method: auto.",
        "Forecast, by the number of rows:",
        "1,000 rows: little.",
        "Columns: Marked.",
        "  sex: type string",
    ]
    report = cli.report("approve", 4, "--ledger", path)
    assert (report["by"], report["state"], report["dossier"]) == ("ann", "waiting", DOSSIER)


def test_a_request_is_refused_with_a_reason(
    path: Path, cli: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(WORDS["bo"] + "\n"))
    words = ("approve", 4, "--as", "bo", "--refuse", "too much", "--ledger", path)
    assert "bo refused request 4" in cli.output(*words)
    assert Ledger(path).persons.request(4).reason == "too much"
    assert cli.output("approve", "--ledger", path) == "No request waits.\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--as", "bo"), "Name the NUMBER of the request"),
        ((4, "--refuse", "no"), "Say who refuses the request"),
        (("four",), "NUMBER must be the number of a request"),
        ((5,), "The ledger has no request 5"),
    ],
)
def test_a_line_that_decides_nothing_is_refused(
    path: Path, cli: Line, words: tuple[object, ...], sentence: str
) -> None:
    status, _, err = cli("approve", *words, "--ledger", path)
    assert status == 2
    assert sentence in err

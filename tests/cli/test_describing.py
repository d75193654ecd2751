"""`synth release` without `--domain`: three ways to describe the columns, in one command.

The epsilon is so large that noise decides nothing: a column of two values is described, and
one of texts that all differ cannot be.
"""

import json
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

from synth.cli import describing
from synth.domain import DRAFTED, LOOKED_UP
from synth.door import Ledger
from tests.cli.conftest import Line
from tests.cli.test_commands_line_breaks import Terminal
from tests.tables import write

LEFT_OUT = "Left out: 'note' ("
PRIVATE_DRAFT = (
    "A private draft described 1 of 2 columns for epsilon 30 and delta 1e-09; the draft and "
    "the release together cost epsilon 60 and delta 1e-09."
)
DRAFT = ["--delta", "1e-9"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of two columns: sexes, and notes that all differ."""
    rows = [["FM"[number % 2], f"note {number} of words"] for number in range(2_000)]
    return write(tmp_path / "people.csv", ["sex", "note"], rows)


@pytest.fixture
def release(cli: Line, table: Path, tmp_path: Path) -> Line:
    """The release of the table at epsilon 60, with its bundle and ledger in the folder."""
    return cli.beginning_with(
        *("release", table, "--epsilon", 60, "--out", tmp_path / "r.zip"),
        *("--ledger", tmp_path / "l.db", "--dataset", "people"),
        *("--budget", "epsilon=100,delta=1e-5"),
    )


def read_bundle(bundle: Path, name: str) -> dict[str, object]:
    with zipfile.ZipFile(bundle) as archive:
        return dict(json.loads(archive.read(name)))


def type_answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Make stdin and stderr a terminal at which somebody types this text."""
    monkeypatch.setattr(describing.sys, "stdin", Terminal(text))
    monkeypatch.setattr(describing.sys.stderr, "isatty", lambda: True)


def spends_of(ledger: Path) -> list[tuple[Fraction | None, Fraction]]:
    """The epsilon and the delta of each spend in a ledger."""
    with Ledger(ledger, readonly=True) as book:
        return [(e.guarantee.epsilon, e.guarantee.delta) for e in book.entries()]


def test_a_delta_pays_for_a_draft_and_the_sum_is_exact(
    release: Line, cli: Line, tmp_path: Path
) -> None:
    """With a delta, half of epsilon and the whole delta pay for a draft, the rest for rows.

    The ledger has both lines. Terminal and certificate name the parts and the column that is
    left out, the certificate has their exact sum, and the bundle is confirmed.
    """
    printed = release.output(*DRAFT)
    assert PRIVATE_DRAFT in printed
    assert LEFT_OUT in printed
    delta = Fraction(1, 10**9)
    assert spends_of(tmp_path / "l.db") == [(30, delta), (30, 0)]

    certificate = read_bundle(tmp_path / "r.zip", "certificate.json")
    guarantee = certificate["guarantee"]
    assert isinstance(guarantee, dict)
    assert (guarantee["epsilon"], Fraction(guarantee["delta"])) == ("60", delta)
    assert certificate["domain_origin"] == DRAFTED
    declaration = certificate["declaration"]
    assert isinstance(declaration, dict)
    (draft,) = declaration["preparations"]
    assert draft["guarantee"] == {"epsilon": "30", "delta": "1/1000000000"}
    (left_out,) = declaration["left_out"]
    assert left_out["column"] == "note"
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        assert "'note'" in archive.read("statement.txt").decode()
    verdict = cli.output("verify", tmp_path / "r.zip", "--ledger", tmp_path / "l.db")
    assert verdict.startswith("Confirmed.")


def test_the_same_command_again_spends_nothing(release: Line, tmp_path: Path) -> None:
    """The same command returns the same draft and release, though the bundle is there."""
    release.output(*DRAFT)
    bundle = (tmp_path / "r.zip").read_bytes()
    again = release.report(*DRAFT)
    assert again["repeated"]
    assert again["draft"] == PRIVATE_DRAFT
    assert [*again["left_out"]] == ["note"]
    assert (tmp_path / "r.zip").read_bytes() == bundle
    assert len(spends_of(tmp_path / "l.db")) == 2


def test_a_look_is_free_and_the_certificate_says_so(release: Line, tmp_path: Path) -> None:
    """With --look the rows get all of epsilon, and terminal and certificate name the look."""
    printed = release.output("--look")
    assert describing.DRAFTED_FROM_ROWS in printed
    assert LEFT_OUT in printed
    assert spends_of(tmp_path / "l.db") == [(60, 0)]
    certificate = read_bundle(tmp_path / "r.zip", "certificate.json")
    assert certificate["domain_origin"] == LOOKED_UP


def test_a_script_is_told_the_three_ways(release: Line, tmp_path: Path) -> None:
    """Without a description, a delta and a look, one sentence names all three; no spend."""
    sentence = release.refusal()
    for way in ("--domain FILE", "--delta 1e-9", "--look"):
        assert way in sentence
    assert not (tmp_path / "l.db").exists()
    assert not (tmp_path / "r.zip").exists()


@pytest.mark.parametrize(
    ("typed", "spends", "said"),
    [
        ("1\n", [(30, Fraction(1, 10**9)), (30, 0)], PRIVATE_DRAFT),
        ("what?\n2\n", [(60, 0)], describing.DRAFTED_FROM_ROWS),
        ("3\n", None, "Nothing was spent: begin a description by synth domain template"),
        ("", None, "Nothing describes the columns: give a description by --domain FILE"),
    ],
)
def test_a_terminal_asks_which_way(
    release: Line,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    spends: object,
    said: str,
) -> None:
    """At a terminal 1 is a private draft, 2 a look, and 3 or the end of the input neither.

    ``typed`` is what the person types, ``spends`` are the spends then, None for none.
    """
    type_answer(monkeypatch, typed)
    status, out, err = release()
    assert said in " ".join((out + err).split())
    assert status == (2 if spends is None else 0)
    if spends is None:
        assert not (tmp_path / "l.db").exists()
    else:
        assert spends_of(tmp_path / "l.db") == spends


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([*DRAFT, "--method", "one-shot"], "--method needs a description of the columns"),
        ([*DRAFT, "--predict", "sex"], "--predict needs a description of the columns"),
        ([*DRAFT, "--repair", "none"], "--repair needs a description of the columns"),
        ([*DRAFT, "--rows", "0"], "--rows must be a whole number"),
        ([*DRAFT, "--max-rows", "2"], "person"),
        ([*DRAFT, "--person", "pid"], "The table has no column 'pid'"),
        ([*DRAFT, "--columns", "sex,age"], "The table has no column 'age'"),
        ([*DRAFT, "--engine", "spark"], "--engine spark needs a description of the columns"),
        (["--delta", "0"], "delta must be above 0"),
        (["--delta", "2"], "delta must be above 0 and below 0.001"),
        (["--look", "--domain", "d.json"], "--look drafts a description from the rows"),
        (["--look", "--plan", "p.json"], "--look drafts a description from the rows"),
    ],
)
def test_what_a_draft_cannot_have_is_refused_before_it(
    release: Line, tmp_path: Path, words: list[str], sentence: str
) -> None:
    """Options that must know the columns, and wrong ones, are refused before any spend."""
    assert sentence in release.refusal(*words)
    ledger = tmp_path / "l.db"
    assert not ledger.exists() or spends_of(ledger) == []


def test_a_budget_that_is_too_small_for_both_pays_for_neither(
    release: Line, cli: Line, table: Path, tmp_path: Path
) -> None:
    """A budget that would pay for the draft alone refuses the command before the draft.

    What the command buys besides, a check and a score, counts too.
    """
    release.output(*DRAFT)  # leaves 40, of which a draft at epsilon 25 would be paid
    refusal = cli.refusal(
        *("release", table, "--epsilon", 50, *DRAFT, "--out", tmp_path / "s.zip"),
        *("--ledger", tmp_path / "l.db", "--dataset", "people"),
    )
    assert refusal.startswith("This release costs 50")
    with_check = cli.refusal(
        *("release", table, "--epsilon", 30, *DRAFT, "--check", 20, "--score", 1),
        *("--out", tmp_path / "s.zip", "--ledger", tmp_path / "l.db"),
        *("--dataset", "people"),
    )
    assert with_check.startswith("This release costs 51")
    assert len(spends_of(tmp_path / "l.db")) == 2


def test_too_few_rows_are_refused_before_the_draft(
    cli: Line, table: Path, tmp_path: Path
) -> None:
    """If no column can be expected to be described, the draft is refused and not paid."""
    refusal = cli.refusal(
        *("release", table, "--epsilon", "1/100", *DRAFT, "--out", tmp_path / "s.zip"),
        *("--ledger", tmp_path / "l.db"),
    )
    assert refusal.startswith("The table has too few rows for a private draft of 2 columns")
    assert spends_of(tmp_path / "l.db") == []

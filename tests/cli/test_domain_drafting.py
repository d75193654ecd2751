"""``domain draft --epsilon``: hopes, a draft in the ledger, and options that do not go
together.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from synth.cli.main import main
from synth.domain import read_schema
from synth.door import drafts_of
from tests.cli.conftest import Line
from tests.tables import write

ROWS = [[str(20 + i % 50), "FM"[i % 2]] for i in range(400)]


@pytest.fixture
def table(tmp_path: Path) -> str:
    """The path of a table with the ages and sexes of 400 people."""
    return str(write(tmp_path / "t.csv", ["age", "sex"], ROWS))


@pytest.mark.slow
def test_a_draft_is_paid_once_and_its_file_counts_it(
    table: str, tmp_path: Path, cli: Line, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same draft again spends nothing, and a draft beyond the budget is refused.

    Of a budget of 100 the first draft costs 90. One for 91 would need --overwrite for its
    file, and then exceeds the 10 that are left.
    """
    book = ["--ledger", str(tmp_path / "l.db"), "--dataset", "people"]
    out = tmp_path / "domain.json"
    args = ["domain", "draft", table, "--epsilon", "90", "--out", str(out), *book]

    assert main([*args, "--budget", "100"]) == 0
    domain = read_schema(out)
    assert domain.names == ("age", "sex")
    (paid,) = drafts_of(domain)
    assert str(paid.guarantee) == "epsilon = 90"
    errors = capsys.readouterr().err
    assert "Columns settled: 2" in errors

    assert main(args) == 0
    assert "nothing is spent again" in capsys.readouterr().err
    assert read_schema(out) == domain

    # The words up to the epsilon are the same; 91 takes the place of 90.
    assert "is there already" in cli.refusal(*args[:4], "91", *args[5:])
    assert "only 10 is left" in cli.refusal(*args[:4], "91", *args[5:], "--overwrite")


def test_a_bare_draft_offers_both_ways(table: str, cli: Line) -> None:
    """Without options, `domain draft` explains the free draft and, given the rows, the paid
    one.

    For 50,000 rows the cheapest offered epsilon, 0.1 of the usual budget of 3, is enough for
    both columns. For 50 rows no offered epsilon is.
    """
    errors = cli("domain", "draft", table)[2]
    assert "Quick draft: free, review before you publish (--look)." in errors
    errors = cli("domain", "draft", table, "--rows", "50000")[2]
    assert (
        "Private draft: costs 0.1 of 3, publishable, describes up to 2 of 2 columns: "
        in errors
    )
    assert "--epsilon 0.1 --delta 1e-07." in errors
    assert "too few rows" in cli("domain", "draft", table, "--rows", "50")[2]


def test_a_forecast_spends_nothing(table: str, cli: Line) -> None:
    """The forecast of a draft says each column's part: epsilon 1 is shared by two columns."""
    assert "Each of 2 columns gets epsilon = 0.5" in cli.output(
        "domain", "draft", table, "--epsilon", "1", "--forecast", "--rows", "400"
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--epsilon", "1", "--look"], "two ways to draft"),
        (["--epsilon", "1", "--forecast"], "--rows N"),
        (["--delta", "1e-9"], "--delta is for a draft with a guarantee"),
        (["--max-rows", "3"], "--max-rows is for a draft with a guarantee"),
        (["--epsilon", "1", "--columns", "age,agee"], "no column 'agee'"),
        (["--epsilon", "0"], "above 0"),
        (["--epsilon", "1", "--person", "nobody"], "no column 'nobody'"),
        (["--epsilon", "1", "--candidates", "none.json"], "cannot be read"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: list[str], sentence: str, table: str, capsys: Any
) -> None:
    """Options that exclude or need each other are refused in words, without a row of the
    table.
    """
    assert main(["domain", "draft", table, *options]) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert not printed.out
    assert json.dumps(ROWS[0]) not in printed.err

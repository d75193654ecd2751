"""`synth ledger`: what it shows, verifies and exports."""

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.privacy import Guarantee, zcdp_rho
from tests.cli.conftest import Line
from tests.ledger.ledgers import ledger_with_budget, spend, write_filled
from tests.ledger.test_ledger_names import write_older


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger may be made."""
    return tmp_path / "ledger.db"


def test_show_verify_and_export(path: Path, cli: Line) -> None:
    """`ledger show`, `verify` and `export` describe a ledger with two spends of 1/4 of a
    budget of 1.

    Its five entries are the budget, and each spend with its result. Fixed in advance, two
    spends would cost by advanced composition sqrt(2 * 2 ln(1e9)) / 4 + 2 / 4 (e^(1/4) - 1) =
    2.418 at delta 1e-9.
    """
    write_filled(path)
    output = cli.output("ledger", "show", "--ledger", str(path), "-v").splitlines()
    assert output[0] == "survey: budget epsilon = 1, replace-one; spent 0.5, left 0.5"
    assert len(output) == 5
    assert output[3:] == [
        "  In all, for one row, replace-one: epsilon = 0.5",
        "  Had they been fixed in advance, epsilon with delta = 1e-09: basic 0.5, advanced "
        "2.418, zCDP 2.117; the least is 0.5. Not enforced.",
    ]

    # Without -v the remark is left out, and lines fit a terminal.
    short = cli.output("ledger", "show", "--ledger", str(path)).splitlines()
    assert (short[0], short[-1]) == (output[0], output[3])
    assert all(len(line) <= 80 for line in short)

    assert cli.output("ledger", "verify", "--ledger", str(path)).startswith(
        "5 entries, none edited. Head "
    )
    assert len(cli.report("ledger", "export", "--ledger", str(path))["events"]) == 5
    assert cli.report("ledger", "show", "--ledger", str(path))["datasets"][0]["left"] == "1/2"


def test_without_its_key_a_ledger_is_not_confirmed(path: Path, cli: Line) -> None:
    """Without its key file a ledger cannot be checked for edits: `verify` has status 3.

    The actions `show` and `export` still work, and say on stderr that the key is missing.
    """
    write_filled(path).with_name("ledger.db.key").unlink()
    output = cli.output("ledger", "verify", "--ledger", path, status=3)
    assert "none edited" not in output
    assert "Not checked: the key file is not here, so no seal was checked." in output
    assert cli.report("ledger", "verify", "--ledger", path, status=3)["sealed"] is False
    for action in ("show", "export"):
        status, _, err = cli("ledger", action, "--ledger", path)
        assert status == 0
        assert "the key file is not here" in err


def test_exported_lines_are_checked_against_the_chain(path: Path, cli: Line) -> None:
    """Exported lines that somebody keeps elsewhere show later whether the ledger was edited.

    Any lines of the export are accepted; a changed one is refused, and so is a file that is
    not text or not a file.
    """
    lines = cli.output("ledger", "export", "--ledger", write_filled(path)).splitlines()
    assert [json.loads(line)["kind"] for line in lines] == [
        "budget",
        "spend",
        "kept",  # the stored result of the spend before
        "spend",
        "kept",
    ]

    exported = path.with_name("ledger.jsonl")
    exported.write_text("\n".join(lines[1:3]) + "\n", encoding="utf-8")
    verify = ("ledger", "verify", "--ledger", path, "--lines", exported)
    assert cli.output(*verify).splitlines()[1] == "2 lines, all of them in the chain."
    assert cli.report(*verify)["lines"] == 2

    exported.write_text(
        "\n".join([lines[0], lines[1].replace("1/4", "1/8")]), encoding="utf-8"
    )
    assert cli.refusal(*verify) == "Line 2 of 'ledger.jsonl' is not in the ledger."
    exported.write_bytes(b"\xff")  # no UTF-8
    assert cli.refusal(*verify).endswith("cannot be read.")
    if hasattr(os, "mkfifo"):
        exported.unlink()
        os.mkfifo(exported)  # nobody writes to it: who reads it waits
        assert cli.refusal(*verify).endswith(
            "is a pipe, a device or a folder; expected a file."
        )


def show_dataset(path: Path, cli: Line) -> tuple[list[str], dict[str, Any]]:
    """What is shown of the one dataset of a ledger: as lines, and as JSON."""
    lines = cli.output("ledger", "show", "--ledger", str(path), "-v").splitlines()
    return lines, cli.report("ledger", "show", "--ledger", str(path))["datasets"][0]


def test_fifty_tenths_are_shown_as_enforced_and_as_they_might_have_been(
    path: Path, cli: Line
) -> None:
    """Fifty spends of 1/10 count as their sum, 5, and are also shown by better theorems.

    These hold only for spends fixed in advance, and give 4.24 by advanced composition and
    3.54 by zCDP at delta 1e-6. They are A5 and A6 of the source notes.
    """
    with ledger_with_budget(path, "epsilon=6,delta=1e-6") as ledger:
        for _ in range(50):
            spend(ledger, "1/10")
    lines, report = show_dataset(path, cli)
    assert (report["spent"], report["left"]) == ("5", "1")
    assert (report["budget_delta"], report["spent_delta"]) == ("1/1000000", "0")
    assert report["left_delta"] == "1/1000000"

    (subtotal,) = report["sums"]
    assert subtotal["enforced"] == {"epsilon": "5"}
    assert subtotal["implied"] is None
    better = subtotal["had_they_been_fixed_in_advance"]
    assert better["delta"] == "1/1000000"
    sums = [round(better[name], 2) for name in ("basic", "advanced", "zcdp", "least")]
    assert sums == [5.0, 4.24, 3.54, 3.54]
    assert lines[-2] == "  In all, for one row, replace-one: epsilon = 5"
    assert (
        "basic 5, advanced 4.243, zCDP 3.542; the least is 3.542. Not enforced." in lines[-1]
    )


def test_a_spend_of_rho_is_readable(path: Path, cli: Line) -> None:
    """A rho is shown in decimals, rounded up, with the epsilon that it implies.

    The first rho is the largest one that implies epsilon 1 at delta 1e-6, about 0.024. The
    other is 0.01, which implies less than 0.01 + 2 sqrt(0.01 ln 1e6) = 0.753. They add up to
    0.034.
    """
    rho = Guarantee.zcdp(zcdp_rho(Fraction(1), Fraction(1, 10**6)))
    with ledger_with_budget(path, "rho=1/2,delta=1e-6") as ledger:
        spend(ledger, guarantee=rho)
        spend(ledger, guarantee=Guarantee.zcdp(Fraction(1, 100)))

    lines, report = show_dataset(path, cli)
    assert "rho = about 0.024" in lines[1]
    assert "(rounded up) (zCDP), which implies epsilon = 1.001 with delta = 1e-06" in lines[1]
    assert "rho = 0.01 (zCDP), which implies epsilon = 0.6217 with" in lines[2]
    assert lines[3].startswith("  In all, for one row, replace-one: rho = about 0.034")
    assert len(lines) == 4, "a sum of rho is as good chosen one after another"

    (subtotal,) = report["sums"]
    assert subtotal["had_they_been_fixed_in_advance"] is None
    assert Fraction(subtotal["enforced"]["rho"]) == rho.rho + Fraction(1, 100)
    assert subtotal["implied"]["delta"] == "1/1000000"


def test_a_budget_of_rho_that_was_changed_after_a_spend_is_told(
    path: Path, cli: Line
) -> None:
    """A change of a budget of rho after a spend is followed by a warning, in text and JSON.

    A rho provably limits a series of spends only if it was fixed before the first.
    """
    with ledger_with_budget(path, "rho=1/2,delta=1e-6") as ledger:
        spend(ledger, "1/10")
    assert show_dataset(path, cli)[1]["warning"] is None

    change = ("ledger", "budget", "--ledger", path, "rho=1,delta=1e-6", "--dataset", "survey")
    cli.output(*change, "--reason", "a second wave")
    lines, report = show_dataset(path, cli)
    assert report["warning"].startswith(
        "The budget was changed after the first spend. A rho or"
    )
    assert lines[-1].strip() == report["warning"]


def test_the_command_line_says_one_sentence(path: Path, cli: Line) -> None:
    assert cli.refusal("ledger", "show", "--ledger", path) == f"There is no ledger '{path}'."


def test_a_change_of_the_budget_is_shown_with_date_and_reason(path: Path, cli: Line) -> None:
    """A changed budget is shown with its date and reason, and what is left follows from it.

    A budget of 3 with 1 spent is raised to 9, so 8 is left, then lowered to 2, so 1 is left.
    The change is entry 3, after the budget and the spend.
    """
    with ledger_with_budget(path, "3") as ledger:
        spend(ledger, "1")
    change = cli.beginning_with(
        "ledger", "budget", "--ledger", path, "9", "--dataset", "survey"
    )
    output = cli.output(*change.first, "--reason", "a second wave").splitlines()
    assert output[0] == (
        "The budget of 'survey' is now epsilon = 9, replace-one; it was epsilon = 3, "
        "replace-one."
    )
    assert output[1] == "Entry 3 of the ledger records the reason: a second wave"

    lines, report = show_dataset(path, cli)
    assert lines[0] == "survey: budget epsilon = 9, replace-one; spent 1, left 8"
    assert lines[2].split()[0] == "3"
    assert lines[2].endswith("budget changed to epsilon = 9, replace-one: a second wave")
    set_budget, changed_budget = report["budgets"]
    assert (set_budget["budget"], set_budget["reason"]) == ("epsilon = 3, replace-one", None)
    assert (changed_budget["entry"], changed_budget["reason"]) == (3, "a second wave")
    assert changed_budget["time"][:10] == lines[2].split()[1][:10]

    assert "a second wave" in cli.output("ledger", "export", "--ledger", path)
    assert cli.output("ledger", "verify", "--ledger", path).startswith(
        "3 entries, none edited."
    )
    assert (
        cli.report(*change.first[:4], "2", "--dataset", "survey", "--reason", "less")["left"]
        == "1"
    )


def test_a_change_that_is_refused_leaves_the_ledger_as_it_was(path: Path, cli: Line) -> None:
    """No refused change of a budget writes a byte, and none makes a ledger."""
    with ledger_with_budget(path, "3") as ledger:
        spend(ledger, "1")
    before = path.read_bytes()
    change = cli.beginning_with("ledger", "budget", "--ledger", path)
    reason = ("--dataset", "survey", "--reason", "why not")
    assert "because 1 is already spent" in change.refusal("0.5", *reason)
    assert "is epsilon = 3, replace-one already" in change.refusal("3", *reason)
    assert "counts add-remove neighbours" in change.refusal(
        "9", *reason, "--neighbors", "add-remove"
    )
    assert "budget must be a number" in change.refusal("many", *reason)
    assert "needs a reason" in change.refusal("9", "--dataset", "survey", "--reason", " ")
    assert "knows no dataset 'surveys'" in change.refusal(
        "9", "--dataset", "surveys", "--reason", "x"
    )
    assert path.read_bytes() == before

    absent = path.with_name("none.db")
    assert (
        cli.refusal("ledger", "budget", "--ledger", absent, "9", *reason)
        == f"There is no ledger '{absent}'."
    )
    assert not absent.exists()


def test_every_command_that_spends_refuses_another_budget(
    path: Path, files: tuple[Path, Path], tmp_path: Path, cli: Line
) -> None:
    """A command that names another budget than the ledger's is refused, and changes nothing.

    The budget is 3. A larger one, a smaller one and one with a delta are tried with every
    command that spends; blanks around the dataset's name do not count.
    """
    table, domain = files
    ledger_with_budget(path, "3", "mixed").close()
    before = path.read_bytes()
    declared = (table, "--domain", domain, "--epsilon", "1")
    written = ("--out", tmp_path / "out")
    for budget in ("9", "2", "epsilon=3,delta=1e-6"):
        book = ("--ledger", path, "--dataset", " mixed ", "--budget", budget)
        for words in (
            ("release", *declared, *written),
            ("release", *declared, *written, "--check", "1/10"),
            ("release", *declared, *written, "--score", "1/10"),
            ("ask", *declared, "--question", "count", *written),
            ("check", *declared),
            ("check", table, "--domain", domain, "--look"),
            ("domain", "draft", table, "--epsilon", "1", "--out", tmp_path / "out.json"),
        ):
            refusal = cli(*words, *book)
            assert refusal[:2] == (2, ""), words
            assert (
                "The budget of 'mixed' is epsilon = 3, replace-one, and not" in refusal[2]
            ), words
    assert path.read_bytes() == before
    assert not [*tmp_path.glob("out*")]


def test_budgets_that_cannot_be_compared_are_said_to_be_replaced(
    path: Path, cli: Line
) -> None:
    """If two spellings of a dataset had budgets in different units, a change says that it
    replaces both.

    Older ledgers took "survey" and "survey " for two datasets. A wrong version said that
    there was no budget before.
    """
    write_older(path, ("budget", "survey", "1"), ("budget", "survey ", "rho=1,delta=1e-9"))
    output = cli.output(
        "ledger",
        "budget",
        "--ledger",
        path,
        "2",
        "--dataset",
        "survey",
        "--reason",
        "one for both",
    )
    assert "is now epsilon = 2, replace-one; its spellings had several" in output

"""What entries add up to: exact sums of whatever was promised, of one kind only."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.cli.main import main
from synth.errors import LedgerError
from synth.ledger.ledger import Ledger
from synth.privacy.budget import parse_budget
from synth.privacy.guarantee import Guarantee
from tests.ledger.ledgers import ADD, REPLACE, budgeted, spend


@given(st.lists(st.fractions(min_value=Fraction(1, 50), max_value=1), min_size=1, max_size=12))
def test_sums_are_those_of_exact_rationals(costs: list[Fraction]) -> None:
    ledger, spent = budgeted(None), Fraction(0)
    for cost in costs:
        if spent + cost <= 1:
            spend(ledger, cost)
            spent += cost
        else:
            with pytest.raises(LedgerError, match="only"):
                spend(ledger, cost)
    assert ledger.balance("survey").spent == spent
    assert ledger.verify() == 1 + len(ledger.entries())


def test_a_rho_budget_counts_half_the_square_of_epsilon(path: Path) -> None:
    ledger = budgeted(path, "rho=1/2,delta=1e-9")
    spend(ledger, guarantee=Guarantee.zcdp(Fraction(3, 8)))
    spend(ledger, "1/2")
    assert ledger.balance("survey").left == 0
    with pytest.raises(LedgerError, match=r"with delta = 0.000000001, replace-one\) only 0 is"):
        spend(ledger, guarantee=Guarantee.zcdp(Fraction(1, 10**6)))


def test_the_delta_of_a_budget_is_spent_too(path: Path) -> None:
    ledger = budgeted(path, "epsilon=3,delta=1e-6")
    costly = Guarantee.approximate(Fraction(1), Fraction(6, 10**7))
    spend(ledger, guarantee=costly)
    with pytest.raises(LedgerError, match="only 2 is left"):
        spend(ledger, guarantee=costly)
    with pytest.raises(LedgerError, match="The budget is an epsilon, but"):
        spend(ledger, guarantee=Guarantee.zcdp(Fraction(1, 9)))
    strict = budgeted(None, "3")
    with pytest.raises(LedgerError, match="allows no delta, but this release costs epsilon = 1"):
        spend(strict, guarantee=costly)


def test_neighbours_of_two_kinds_are_not_added_up(path: Path) -> None:
    ledger = budgeted(path)
    with pytest.raises(LedgerError, match=r"counts replace-one neighbours, but .* add-remove"):
        spend(ledger, neighbors=ADD)


def test_rows_and_persons_are_not_added_up(path: Path) -> None:
    ledger = budgeted(path)
    assert spend(ledger, "1/4").protects == "one row"
    refused = (
        r"^Earlier spends on 'survey' protect one row, but this release protects one person by "
        r"the column 'who'; they cannot be added up\. Declare the same privacy unit, or give"
    )
    with pytest.raises(LedgerError, match=refused):
        spend(ledger, "1/4", person="who")
    assert ledger.balance("survey").spent == Fraction(1, 4)
    ledger = budgeted(path, dataset="by person")
    spend(ledger, "1/4", dataset="by person", person="who")
    entry = spend(Ledger(path), "1/4", dataset="by person", person="who")
    assert entry.protects == "one person by the column 'who'"
    with pytest.raises(
        LedgerError, match=r"one person by the column 'who', but .* protects one row"
    ):
        spend(ledger, dataset="by person")
    with pytest.raises(LedgerError, match="but this release protects one person by the column 'h"):
        spend(ledger, dataset="by person", person="household")


def test_tables_of_a_dataset_are_numbered_by_their_first_spend(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = budgeted(path, "9")
    ledger.set_budget("other", parse_budget("9", REPLACE))
    fingerprints = ["u", "t", "u", "", "v"]
    for number, table in enumerate(fingerprints):
        spend(ledger, "1", table=table, request=f"r{number}")
    spend(ledger, "1", dataset="other", table="t", request="r")
    assert ledger.tables("survey") == {3: 1, 4: 2, 5: 1, 7: 3}
    assert ledger.tables("other") == {8: 1}
    assert ledger.known_as("t") == ["survey", "other"]
    assert "this one becomes its table 4" in ledger.remarks("survey", "new")[0]
    assert main(["ledger", "show", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition("one row")[2] for line in lines[1:6]] == [
        ", table 1",
        ", table 2",
        ", table 1",
        "",
        ", table 3",
    ]
    assert main(["ledger", "show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["datasets"]
    assert [s["table"] for s in shown[0]["spends"]] == [1, 2, 1, None, 3]

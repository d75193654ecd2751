"""Parts of a budget that are reserved for projects."""

from fractions import Fraction
from pathlib import Path

import pytest

from synth.door import Ledger
from synth.errors import ArgumentError, LedgerError, WaitingError
from synth.privacy import Guarantee
from tests.ledger.ledgers import ledger_with_budget, spend
from tests.ledger.two_persons import act_as, open_with_persons


def test_others_cannot_spend_what_is_reserved(path: Path) -> None:
    """Of a budget of 1, 3/4 are reserved: others spend 1/4, the project all of the rest."""
    ledger = ledger_with_budget(path)
    ledger.reserve("survey", "3/4", "atlas")
    with pytest.raises(LedgerError, match=r"0\.75 is reserved for other projects"):
        spend(ledger, "1/2")
    assert spend(ledger, "1/4").project == ""
    atlas = Ledger(path, project="atlas")
    assert spend(atlas, "1/2").project == "atlas"
    balance = atlas.balance("survey")
    assert balance.rest_of(balance.reservations[0]) == (Fraction(1, 4), 0)
    with pytest.raises(LedgerError, match=r"0\.25 is reserved for other projects"):
        spend(Ledger(path, project="other"), "1/8")
    spend(atlas, "1/4")
    assert atlas.balance("survey").left == 0


def test_a_refused_spend_is_recorded(path: Path) -> None:
    ledger = ledger_with_budget(path)
    ledger.reserve("survey", "1", "atlas")
    with pytest.raises(LedgerError, match="1 is reserved"):
        spend(ledger, "1/2")
    assert ledger.events()[-1].kind == "refusal"


def test_a_new_amount_replaces_the_one_before_and_0_ends_it(path: Path) -> None:
    ledger = ledger_with_budget(path)
    for amount in ("1", "1/2"):
        ledger.reserve("survey", amount, " atlas ")
    assert [kept.amount for kept in ledger.balance("survey").reservations] == [Fraction(1, 2)]
    ledger.reserve("survey", "0", "atlas")
    assert ledger.balance("survey").reservations == ()


def test_no_more_than_the_rest_is_reserved(path: Path) -> None:
    ledger = ledger_with_budget(path)
    ledger.reserve("survey", "3/4", "atlas")
    with pytest.raises(LedgerError, match="only 1 is left, less than what all projects"):
        ledger.reserve("survey", "1/2", "other")


def test_a_delta_is_reserved_too(path: Path) -> None:
    ledger = ledger_with_budget(path, "epsilon=1,delta=1e-6")
    ledger.reserve("survey", "epsilon=1/2,delta=1e-6", "atlas")
    cost = Guarantee.approximate(Fraction(1, 4), Fraction(1, 10**7))
    with pytest.raises(LedgerError, match="a delta of 1e-06 is reserved"):
        spend(ledger, guarantee=cost)
    assert spend(Ledger(path, project="atlas"), guarantee=cost).project == "atlas"
    assert spend(ledger, "1/4").number


@pytest.mark.parametrize(
    ("amount", "sentence"),
    [
        ("-1", "must be 0 or more"),
        ("much", "The amount"),
        ("rho=1,delta=1e-9", "The budget is in epsilon"),
    ],
)
def test_an_amount_that_cannot_be_reserved_is_refused(
    path: Path, amount: str, sentence: str
) -> None:
    ledger = ledger_with_budget(path)
    with pytest.raises(ArgumentError, match=sentence):
        ledger.reserve("survey", amount, "atlas")
    assert len(ledger.events()) == 1


def test_a_dataset_without_a_budget_has_nothing_to_reserve(path: Path) -> None:
    with pytest.raises(LedgerError, match="has no budget, so nothing of it can be reserved"):
        Ledger(path).reserve("survey", "1", "atlas")


def test_a_project_has_a_name(path: Path) -> None:
    with pytest.raises(LedgerError, match="The name of a project needs"):
        ledger_with_budget(path).reserve("survey", "1", " ")


def test_two_persons_agree_to_a_reservation(path: Path) -> None:
    ledger = act_as(open_with_persons(path), "ann")
    with pytest.raises(WaitingError) as caught:
        ledger.reserve("survey", "1/2", "atlas")
    act_as(ledger, "bo").persons.approve(caught.value.request)
    kept = act_as(ledger, "ann").reserve("survey", "1/2", "atlas")
    assert (kept.by, kept.approved_by) == ("ann", "bo")

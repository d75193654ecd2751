"""How many figures an asker may have checked: declared, counted, refused, exported."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from synth.door import Asker, Ledger
from synth.errors import ArgumentError, LedgerError, SynthError
from synth.privacy import Guarantee, Neighbors, parse_budget

COST = Guarantee.pure(Fraction(1, 100))
RELATION = Neighbors.REPLACE_ONE


def open_ledger(path: Path | None = None) -> Ledger:
    """A ledger with a budget for the survey."""
    ledger = Ledger(path)
    ledger.set_budget("survey", parse_budget("3", RELATION))
    return ledger


def ask(ledger: Ledger, name: str, checks: int = 1, request: str = "") -> int:
    """Spend for the checks of an asker; return the number of the spend."""
    return ledger.spend(
        dataset="survey",
        guarantee=COST,
        neighbors=RELATION,
        purpose="1 question",
        table=ledger.keyed_digest([b"t"]) if request else "",
        request=request,
        asker=Asker(name=name, checks=checks),
    ).number


def test_nobody_has_checks_until_a_number_is_declared() -> None:
    ledger = open_ledger()
    with pytest.raises(LedgerError, match="No number of checks of 'survey' is declared"):
        ask(ledger, "Ada")
    assert not ledger.entries()


def test_a_number_is_used_up_by_an_asker_in_any_spelling() -> None:
    """Capitals and blanks do not make another person, and another person has their own."""
    ledger = open_ledger()
    ledger.allow_checks("survey", 2, "Ada Lovelace")
    ask(ledger, "Ada Lovelace")
    ask(ledger, "ada  LOVELACE")
    with pytest.raises(LedgerError, match="has used 2 of 2 checks of 'survey'"):
        ask(ledger, "Ada Lovelace")
    with pytest.raises(LedgerError, match="declared for 'Grace'"):
        ask(ledger, "Grace")
    assert [a.words for a in ledger.checks("survey")] == [
        "Checks by Ada Lovelace: 2 of 2 used."
    ]
    ledger.allow_checks("survey", 3, "Ada Lovelace")
    ask(ledger, "Ada Lovelace")


def test_a_number_for_all_counts_for_each_asker() -> None:
    """Whoever has a number of their own has that one, be it smaller."""
    ledger = open_ledger()
    ledger.allow_checks("survey", 1)
    ledger.allow_checks("survey", 0, "Mallory")
    for name in ("Ada", "Grace"):
        ask(ledger, name)
        with pytest.raises(LedgerError, match="1 of 1"):
            ask(ledger, name)
    with pytest.raises(LedgerError, match="0 of 0"):
        ask(ledger, "Mallory")
    words = [allowance.words for allowance in ledger.checks("survey")]
    assert words[0] == "Checks by anybody else who is named: 1 each."
    assert "Checks by Ada: 1 of 1 used." in words


def test_several_figures_of_one_request_are_several_checks() -> None:
    ledger = open_ledger()
    ledger.allow_checks("survey", 3, "Ada")
    ask(ledger, "Ada", checks=2)
    with pytest.raises(LedgerError, match=r"2 of 3 checks .* this request has 2"):
        ask(ledger, "Ada", checks=2)


def test_the_same_request_is_no_further_check(tmp_path: Path) -> None:
    """It gets the stored answer, although the number is used up."""
    ledger = open_ledger(tmp_path / "l.db")
    ledger.allow_checks("survey", 1, "Ada")
    first = ask(ledger, "Ada", request="the question")
    assert ask(ledger, "Ada", request="the question") == first
    assert ledger.checks("survey")[0].used == 1


def test_a_race_uses_no_check_twice(tmp_path: Path) -> None:
    """Eight connections ask at once, and five checks are allowed: five are spent."""
    path = tmp_path / "l.db"
    open_ledger(path).allow_checks("survey", 5, "Ada")

    def try_one(_: int) -> bool:
        with Ledger(path) as ledger:
            try:
                ask(ledger, "Ada")
            except LedgerError:
                return False
            return True

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(try_one, range(8)))
    assert sum(outcomes) == 5
    with Ledger(path) as ledger:
        assert len(ledger.entries()) == 5
        assert ledger.verify() == len(ledger.events())


def test_a_misspelt_dataset_is_refused() -> None:
    """It does not become a dataset, whose name would count as known from then on."""
    ledger = open_ledger()
    with pytest.raises(LedgerError, match="knows no dataset 'surveys'"):
        ledger.allow_checks("surveys", 3)
    assert ledger.datasets() == ["survey"]


@pytest.mark.parametrize(
    ("limit", "asker", "error"),
    [
        (-1, "Ada", ArgumentError),
        (10**7, "Ada", ArgumentError),
        (3, "a" * 1000, ArgumentError),
        (3, "Ada\u202e", ArgumentError),
    ],
)
def test_a_wrong_number_or_name_is_refused(
    limit: int, asker: str, error: type[SynthError]
) -> None:
    ledger = open_ledger()
    with pytest.raises(error):
        ledger.allow_checks("survey", limit, asker)
    assert not ledger.checks("survey")

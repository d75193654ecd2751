"""What entries add up to: exact sums of whatever was promised, of one kind only."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.cli.main import main
from synth.door import Balance, Ledger
from synth.door.ledger.sqlite_store import Store
from synth.errors import LedgerError
from synth.privacy import Guarantee, Neighbors, in_advance, parse_budget
from tests.ledger.ledgers import ADD, REPLACE, ledger_with_budget, spend


@pytest.mark.slow
@given(
    st.lists(st.fractions(min_value=Fraction(1, 50), max_value=1), min_size=1, max_size=12)
)
def test_sums_are_those_of_exact_rationals(costs: list[Fraction]) -> None:
    """Whatever fractions are spent, the ledger refuses exactly those that would exceed 1.

    Each refusal is an entry too, so the chain has a budget, the spends and the refusals.
    """
    ledger = ledger_with_budget(None)
    spent = Fraction(0)

    for cost in costs:
        if spent + cost <= 1:
            spend(ledger, cost)
            spent += cost
        else:
            with pytest.raises(LedgerError, match="only"):
                spend(ledger, cost)

    assert ledger.balance("survey").spent == spent
    refusals = [event for event in ledger.events() if event.kind == "refusal"]
    assert ledger.verify() == 1 + len(ledger.entries()) + len(refusals)


def test_a_rho_budget_counts_half_the_square_of_epsilon(path: Path) -> None:
    """Under a budget of rho, an epsilon costs half of its square.

    Epsilon 1/2 costs (1/2)^2 / 2 = 1/8, which with 3/8 makes the whole rho of 1/2. So nothing
    is left for a rho of 10^-6.
    """
    ledger = ledger_with_budget(path, "rho=1/2,delta=1e-9")
    spend(ledger, guarantee=Guarantee.zcdp(Fraction(3, 8)))
    spend(ledger, "1/2")
    assert ledger.balance("survey").left == 0
    with pytest.raises(
        LedgerError, match=r"with delta = 0.000000001, replace-one\) only 0 is"
    ):
        spend(ledger, guarantee=Guarantee.zcdp(Fraction(1, 10**6)))


def test_the_delta_of_a_budget_is_spent_too(path: Path) -> None:
    """Deltas add up against the budget's delta.

    After 6e-7 of a delta of 1e-6, only 4e-7 is left, although epsilon would do. A rho is no
    epsilon and delta, and a budget without a delta pays none.
    """
    ledger = ledger_with_budget(path, "epsilon=3,delta=1e-6")
    costly = Guarantee.approximate(Fraction(1), Fraction(6, 10**7))
    spend(ledger, guarantee=costly)
    with pytest.raises(LedgerError, match=r"a delta of 6e-07, but .* only 4e-07 is left"):
        spend(ledger, guarantee=costly)

    with pytest.raises(LedgerError, match="The budget is an epsilon, but"):
        spend(ledger, guarantee=Guarantee.zcdp(Fraction(1, 9)))

    strict = ledger_with_budget(None, "3")
    with pytest.raises(
        LedgerError, match="allows no delta, but this release costs epsilon = 1"
    ):
        spend(strict, guarantee=costly)


def test_neighbours_of_two_kinds_are_not_added_up(path: Path) -> None:
    """A budget for replace-one neighbours pays no release for add-remove neighbours."""
    ledger = ledger_with_budget(path)
    with pytest.raises(
        LedgerError, match=r"counts replace-one neighbours, but .* add-remove"
    ):
        spend(ledger, neighbors=ADD)


def test_rows_and_persons_are_not_added_up(path: Path) -> None:
    """The first spend of a dataset settles whether one row or one person is protected.

    A spend that protects another unit is refused: a person after rows, rows after a person,
    or a household after a person.
    """
    ledger = ledger_with_budget(path)
    assert spend(ledger, "1/4").protects == "one row"

    refused = (
        r"^Earlier spends on 'survey' protect one row, but this release protects one person "
        r"by "
        r"the column 'who'; they cannot be added up\. Declare the same privacy unit, or give"
    )
    with pytest.raises(LedgerError, match=refused):
        spend(ledger, "1/4", person="who")
    assert ledger.balance("survey").spent == Fraction(1, 4)

    ledger = ledger_with_budget(path, dataset="by person")
    spend(ledger, "1/4", dataset="by person", person="who")
    entry = spend(Ledger(path), "1/4", dataset="by person", person="who")
    assert entry.protects == "one person by the column 'who'"
    with pytest.raises(
        LedgerError, match=r"person by the column 'who', but .* protects one row"
    ):
        spend(ledger, dataset="by person")
    with pytest.raises(
        LedgerError, match="but this release protects one person by the column 'h"
    ):
        spend(ledger, dataset="by person", person="household")


def write_older(path: Path, text: str = "2") -> Ledger:
    """A ledger of a version that added up whatever was spent.

    It has three spends of 3/4: two that protect rows, and one that protects persons.
    """
    ledger = ledger_with_budget(path, text)
    store = Store(path)
    for person in ("", "who", ""):
        content = {
            "guarantee": {"epsilon": "3/4"},
            "neighbors": REPLACE.value,
            "purpose": "histogram",
        }
        if person:
            content["person"] = person
        with store.writing():
            store.append("spend", "survey", content)
    return ledger


def test_an_older_ledger_that_holds_both_counts_them_apart(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an older ledger that mixed rows and persons, both are added up apart.

    Two spends of 3/4 for rows and one for persons are 3/2 and 3/4. The larger sum counts
    against the budget of 2, so 1/2 is left. Nothing more can be spent, and the budget cannot
    be below 3/2.
    """
    ledger = write_older(path)
    balance = ledger.balance("survey")
    assert [
        (subtotal.protects, subtotal.total(balance.budget)) for subtotal in balance.subtotals
    ] == [
        ("one row", Guarantee.pure(Fraction(3, 2))),
        ("one person by the column 'who'", Guarantee.pure(Fraction(3, 4))),
    ]
    assert (balance.spent, balance.left) == (Fraction(3, 2), Fraction(1, 2)), "never 9/4"

    for person in ("", "who"):
        with pytest.raises(LedgerError, match="they cannot be added up"):
            spend(ledger, "1/100", person=person)

    ledger.change_budget("survey", parse_budget("3/2", REPLACE), "less")
    with pytest.raises(
        LedgerError, match=r"cannot be epsilon = 1, replace-one, because 1.5 is"
    ):
        ledger.change_budget("survey", parse_budget("1", REPLACE), "even less")

    assert main(["ledger", "show", "--ledger", str(path), "-v"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("spent 1.5, left 0")
    assert [line for line in lines if "In all" in line] == [
        "  In all, for one row, replace-one: epsilon = 1.5",
        "  In all, for one person by the column 'who', replace-one: epsilon = 0.75",
    ]
    assert main(["ledger", "show", "--ledger", str(path), "--json"]) == 0
    sums = json.loads(capsys.readouterr().out)["datasets"][0]["sums"]
    assert [sum["enforced"] for sum in sums] == [{"epsilon": "3/2"}, {"epsilon": "3/4"}]


def test_relations_are_counted_apart_where_no_budget_keeps_them_apart() -> None:
    """Without a budget, spends under the two relations are added up apart.

    A ledger in memory may hold both. Replace-one has epsilon 1/4. Add-remove has an epsilon
    of 1/4, which is (1/4)^2 / 2 = 1/32 in rho, and a rho of 1/32: together 1/16.
    """
    ledger = Ledger()
    spend(ledger, "1/4")
    spend(ledger, "1/4", neighbors=ADD)
    spend(ledger, guarantee=Guarantee.zcdp(Fraction(1, 32)), neighbors=ADD)

    balance = ledger.balance("survey")
    assert balance.spent == 0
    assert [subtotal.total(balance.budget) for subtotal in balance.subtotals] == [
        Guarantee.pure(Fraction(1, 4)),
        Guarantee.zcdp(Fraction(1, 16)),
    ]

    assert ledger.balance("others").subtotals == ()


def test_a_rho_is_spent_without_a_budget_or_from_one_of_rho(path: Path) -> None:
    """A rho is paid from a budget of rho, or without a budget in memory, but not from an
    epsilon.

    Of a rho of 1/50 the first spend leaves 1/100, and its repetition is free. Epsilon 1/10
    costs (1/10)^2 / 2 = 1/200, so half of that is left.
    """
    rho = Guarantee.zcdp(Fraction(1, 100))
    assert spend(Ledger(), guarantee=rho).guarantee == rho

    with pytest.raises(LedgerError, match="no budget for 'survey' yet; give it one"):
        spend(Ledger(path), guarantee=rho)

    ledger = ledger_with_budget(path, "rho=1/50,delta=1e-6")
    spend_options = {"guarantee": rho, "table": "t", "request": "r"}
    first = spend(ledger, **spend_options)
    assert spend(Ledger(path), **spend_options) == first, "the same request again is free"
    assert ledger.balance("survey").left == Fraction(1, 100)

    spend(ledger, "1/10")
    with pytest.raises(
        LedgerError, match=r"This release costs 0.01, but .* only 0.005 is left"
    ):
        spend(ledger, guarantee=rho)
    assert ledger.balance("survey").stated_delta == Fraction(1, 10**6)

    strict = ledger_with_budget(None, "3")
    sentence = "^The budget is an epsilon, but this release costs a rho; give a rho budget.$"
    with pytest.raises(LedgerError, match=sentence):
        spend(strict, guarantee=rho)
    assert strict.entries() == []


def test_a_spend_of_epsilon_and_delta_is_no_rho(path: Path) -> None:
    """A budget of rho refuses a spend that only holds as epsilon and delta, in
    one sentence.
    """
    ledger = ledger_with_budget(path, "rho=1/2,delta=1e-6")
    with pytest.raises(
        LedgerError, match="allows no delta, but this release costs epsilon = 1"
    ):
        spend(ledger, guarantee=Guarantee.approximate(1, Fraction(1, 10**9)))
    assert ledger.entries() == []


def test_what_might_have_been_buys_nothing(path: Path) -> None:
    """Spends are added up as they come, although a sum that was fixed in advance would be
    less.

    Forty spends of 1/10 use the budget of 4. Had all been fixed in advance, an epsilon below
    3.5 would hold at the same delta. That leaves nothing for another spend.
    """
    ledger = ledger_with_budget(path, "epsilon=4,delta=1e-6")
    for _ in range(40):
        spend(ledger, "1/10")

    (subtotal,) = ledger.balance("survey").subtotals
    better = in_advance(subtotal.guarantees, Fraction(1, 10**6))
    assert better.least < 3.5

    with pytest.raises(LedgerError, match="only 0 is left"):
        spend(ledger, "1/10")


def test_a_budget_that_was_changed_after_the_first_spend_is_told(path: Path) -> None:
    """The ledger tells of a budget of rho that was changed after the first spend.

    Its guarantee for all spends together needs a budget that was fixed before the first one.
    A sum of pure epsilons holds whatever the budget was.
    """
    ledger = ledger_with_budget(path, "rho=1/2,delta=1e-6")
    ledger.change_budget("survey", parse_budget("rho=1,delta=1e-6", REPLACE), "more")

    spend(ledger, "1/10")
    assert not ledger.balance("survey").was_moved, "before the first spend it may change"
    ledger.change_budget("survey", parse_budget("rho=2,delta=1e-6", REPLACE), "more")
    # Now it was changed after a spend.
    assert not ledger.balance("survey").fixed
    assert ledger.balance("survey").was_moved

    ledger = ledger_with_budget(path, "1", dataset="pure")
    spend(ledger, "1/10", dataset="pure")
    ledger.change_budget("pure", parse_budget("2", REPLACE), "more")
    assert not ledger.balance("pure").was_moved, "a sum of epsilons holds as it is"


def test_tables_of_a_dataset_are_numbered_by_their_first_spend(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tables of a dataset are numbered in the order of their first spends.

    Five spends are on tables u, t, u, one without a fingerprint, and v: tables 1, 2, 1, none
    and 3. Entries 1 and 2 are budgets, so the spends begin with entry 3.
    """
    ledger = ledger_with_budget(path, "9")
    ledger.set_budget("other", parse_budget("9", REPLACE))
    fingerprints = ["u", "t", "u", "", "v"]
    for number, table in enumerate(fingerprints):
        spend(ledger, "1", table=table, request=f"r{number}")
    spend(ledger, "1", dataset="other", table="t", request="r")

    assert ledger.tables("survey") == {3: 1, 4: 2, 5: 1, 7: 3}
    assert ledger.tables("other") == {8: 1}
    assert ledger.known_as("t") == ["survey", "other"]
    assert "this one becomes its table 4" in ledger.remarks("survey", "new")[0]

    assert main(["ledger", "show", "--ledger", str(path), "-v"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition("one row")[2] for line in lines[1:6]] == [
        ", table 1",
        ", table 2",
        ", table 1",
        "",
        ", table 3",
    ]
    assert main(["ledger", "show", "--ledger", str(path), "--json"]) == 0
    datasets = json.loads(capsys.readouterr().out)["datasets"]
    assert [s["table"] for s in datasets[0]["spends"]] == [1, 2, 1, None, 3]


def test_a_balance_says_what_a_release_would_leave_and_whether_the_budget_allows_it() -> None:
    """A budget of epsilon 3 and delta 1e-9 allows both, and no more of either.

    A budget of rho 1/2 pays for epsilon 1. No epsilon pays for a rho.
    """
    budget = parse_budget("epsilon=3,delta=1e-9", Neighbors.REPLACE_ONE)
    balance = Balance(dataset="people", budget=budget, spends=())
    assert balance.left_after(Guarantee.pure(1)) == 2
    assert balance.left_after(Guarantee.pure(4)) == -1
    assert balance.left_after(Guarantee.zcdp(1)) is None
    allowed = {
        Guarantee.pure(3): True,
        Guarantee.pure(4): False,
        Guarantee.approximate(3, Fraction(1, 10**9)): True,
        Guarantee.approximate(1, Fraction(1, 10**6)): False,
        Guarantee.zcdp(1): False,
    }
    assert {cost: balance.allows(cost) for cost in allowed} == allowed

    rho = parse_budget("rho=1/2,delta=1e-9", Neighbors.REPLACE_ONE)
    in_rho = Balance(dataset="people", budget=rho, spends=())
    assert in_rho.left_after(Guarantee.pure(1)) == 0
    assert in_rho.allows(Guarantee.approximate(1, Fraction(1, 10**6)))

    without = Balance(dataset="people", budget=None, spends=())
    assert without.left_after(Guarantee.pure(1)) is None
    assert without.allows(Guarantee.pure(9))

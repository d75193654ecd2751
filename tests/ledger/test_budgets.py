"""Budgets: set once, raised or lowered only with a reason that the ledger records."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest

from synth import limits
from synth.door import Ledger
from synth.errors import LedgerError
from synth.privacy import Neighbors, parse_budget
from tests.ledger.ledgers import ADD, REPLACE, ledger_with_budget, spend


@contextmanager
def assert_unchanged(path: Path) -> Iterator[None]:
    """Assert that the block changes no byte of a ledger."""
    before = path.read_bytes()
    yield
    assert path.read_bytes() == before


@pytest.mark.parametrize("spelling", ["survey", " survey ", "ｓｕｒｖｅｙ"])
@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("9", REPLACE),
        ("2", REPLACE),
        ("epsilon=3,delta=1e-6", REPLACE),
        ("rho=3,delta=1e-6", REPLACE),
        ("3", ADD),
        ("3.000000000000000000000001", REPLACE),
    ],
)
def test_another_budget_is_refused_whatever_the_spelling(
    path: Path, spelling: str, text: str, relation: Neighbors
) -> None:
    """A budget of 3 stays as it was first set; the refusal names the command that changes it.

    Refused are larger, smaller, other and nearly equal budgets, under any spelling of the
    name.
    """
    ledger_with_budget(path, "3").close()
    with assert_unchanged(path), Ledger(path) as ledger:
        with pytest.raises(
            LedgerError, match=r"of '.*' is epsilon = 3, replace-one, and not"
        ) as no:
            ledger.set_budget(spelling, parse_budget(text, relation))
        assert "`synth ledger budget`" in str(no.value)


@pytest.mark.parametrize("text", ["3", "3.0", "6/2", "epsilon=3"])
def test_the_same_budget_again_changes_nothing(path: Path, text: str) -> None:
    """A budget that equals the one that is set may be given again."""
    ledger_with_budget(path, "3").close()
    with assert_unchanged(path):
        ledger_with_budget(path, text).close()


def test_a_change_is_recorded_with_date_reason_and_person(path: Path) -> None:
    """A changed budget is recorded with its reason and its person, beside the first one.

    Of 9 after a spend of 1/2, 17/2 is left. The entries are the first budget, the spend and
    the change. A budget may be lowered down to what was spent.
    """
    ledger_with_budget(path, "3").close()
    with Ledger(path, by="ann@example.org") as ledger:
        spend(ledger, "1/2")
        change = ledger.change_budget(
            " survey", parse_budget("9", REPLACE), "  a second\n wave "
        )

        assert (change.number, change.reason, change.by) == (
            3,
            "a second wave",
            "ann@example.org",
        )

        balance = ledger.balance("survey")
        assert [str(budget.budget) for budget in balance.budgets] == [
            "epsilon = 3, replace-one",
            "epsilon = 9, replace-one",
        ]
        assert balance.changes == (change,)
        assert str(balance.left) == "17/2"
        assert ledger.verify() == 3
        assert json.loads([*ledger.lines()][-1])["content"]["reason"] == "a second wave"

        lower = ledger.change_budget(
            "survey", parse_budget("0.5", REPLACE), "the wave was called off"
        )
        assert ledger.balance("survey").left == 0
        assert lower.time[:10] >= change.time[:10]


@pytest.mark.parametrize(
    "reason", ["", "  \n ", "x" * (limits.REASON + 1), "a\u202eb", "a\0b"]
)
def test_a_change_needs_a_reason_that_can_be_shown(path: Path, reason: str) -> None:
    """A reason must have visible text, no hidden or control characters, and not
    be too long.
    """
    ledger_with_budget(path, "3").close()
    with (
        assert_unchanged(path),
        Ledger(path) as ledger,
        pytest.raises(LedgerError, match="needs a reason"),
    ):
        ledger.change_budget("survey", parse_budget("9", REPLACE), reason)


def test_a_change_is_of_a_known_dataset_and_another_budget_above_the_spends(
    path: Path,
) -> None:
    """A change is refused for an unknown dataset, to the same budget, or below what was
    spent.

    No refusal changes a byte of the ledger.
    """
    with ledger_with_budget(path, "3") as ledger:
        spend(ledger, "2")

    with assert_unchanged(path), Ledger(path) as ledger:
        for name, text, sentence in (
            (
                "Survey",
                "9",
                "knows no dataset 'Survey', so there is no budget to change; it has",
            ),
            ("survey", "3", "is epsilon = 3, replace-one already"),
            ("survey", "1.9", "because 2 is already spent"),
        ):
            with pytest.raises(LedgerError, match=sentence):
                ledger.change_budget(name, parse_budget(text, REPLACE), "why not")


def test_the_relation_may_change_before_the_first_spend_only(path: Path) -> None:
    """A budget may change from replace-one to add-remove until something is
    spent, not after.
    """
    with ledger_with_budget(path, "3") as ledger:
        ledger.change_budget("survey", parse_budget("3", ADD), "wrong relation")
        spend(ledger, "1", neighbors=ADD)
        with pytest.raises(LedgerError, match="counts replace-one neighbours"):
            ledger.change_budget("survey", parse_budget("3", REPLACE), "wrong relation")


def test_of_many_first_budgets_at_once_one_stays_and_the_others_are_refused(
    path: Path,
) -> None:
    """If eight ledgers on one file set a first budget at once, one succeeds and seven are
    refused.

    Thread n sets epsilon n, so the budget that stays tells who succeeded.
    """
    Ledger(path).close()
    ready = Barrier(8)

    def set_first(number: int) -> bool:
        with Ledger(path) as ledger:
            ready.wait()
            try:
                ledger.set_budget("survey", parse_budget(str(number), REPLACE))
            except LedgerError:
                return False
            return True

    with ThreadPoolExecutor(8) as pool:
        has_set = [*pool.map(set_first, range(1, 9))]

    assert sum(has_set) == 1
    with Ledger(path, readonly=True) as ledger:
        (only,) = ledger.balance("survey").budgets
        assert only.budget.amount == 1 + has_set.index(True)


def test_a_default_budget_gives_way_to_one_that_is_there(path: Path) -> None:
    """A default budget is set only for a dataset that has none."""
    default = parse_budget("3", REPLACE)
    with Ledger(path) as ledger:
        ledger.set_budget("survey", parse_budget("9", REPLACE))
        assert not ledger.set_default_budget("survey", default)
        assert ledger.set_default_budget("other", default)
        assert ledger.balance("survey").budget == parse_budget("9", REPLACE)

    with Ledger() as ledger:
        assert ledger.set_default_budget("survey", default)

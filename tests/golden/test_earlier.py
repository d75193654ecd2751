"""Ledgers of earlier states: their spends count, and what they released is made by nobody
again.
"""

import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

import synth
from synth.__main__ import main
from tests.golden.earlier import HERE, LEDGERS, WIDE, Request, command_of

SPENT = {
    "first": (Fraction(4, 3), Fraction(276204162905580463, 2**64)),
    "fourth": (Fraction(31, 21), Fraction(305411897577495029, 2**64)),
    "sixth": (Fraction(31, 21), Fraction(305411897577495029, 2**64)),
}
"""An epsilon of 3 for people, a rho of 1/2 for patients: what is spent of each, to the last
digit.

Before algorithm 4 an epsilon with a delta was charged by zCDP, and since by Gaussian DP."""
LEAST = (Fraction(1, 10**9), Fraction(1, 2**64))
"""How much more than what is left is asked for; an epsilon is written in 40 characters."""
ASKED = ("--question", "count where age < 50")
REQUESTS = [
    (name, request)
    for name, states in LEDGERS.items()
    for state in states.values()
    for request in state
]


@pytest.fixture(params=LEDGERS)
def name(request: pytest.FixtureRequest) -> str:
    """The name of each kept ledger, after the algorithm of the versions that wrote it."""
    return str(request.param)


def copy_ledger(name: str, folder: Path) -> Path:
    """A copy of a ledger."""
    with zipfile.ZipFile(HERE / f"{name}.zip") as archive:
        archive.extractall(folder)
    return folder / "ledger.db"


def list_spends(path: Path) -> list[str]:
    """What each spend of a ledger costs."""
    with synth.Ledger(path, readonly=True) as ledger:
        assert ledger.verify() == len(ledger.events())
        return [str(entry.guarantee) for entry in ledger.entries()]


def test_spends_count_to_the_last_digit(name: str, tmp_path: Path) -> None:
    """What earlier versions spent is added up exactly, of budgets of epsilon 3 and rho 1/2.

    People have spends of epsilon 1 and 1/3, and in later ledgers 1/7. Patients have one spend
    of epsilon 1 with a delta of 1e-9, as a rho. `SPENT` has both sums.
    """
    with synth.Ledger(copy_ledger(name, tmp_path)) as ledger:
        balances = [ledger.balance(dataset) for dataset in ("people", "patients")]

        assert tuple(balance.spent for balance in balances) == SPENT[name]
        assert [balance.left for balance in balances] == [
            Fraction(3) - SPENT[name][0],
            Fraction(1, 2) - SPENT[name][1],
        ]
        assert ledger.datasets() == ["people", "patients"]


def test_spends_under_another_spelling_count_for_the_one_name(tmp_path: Path) -> None:
    """Spends for "people" in full-width letters (`WIDE`) count for "people" too.

    The first versions took the two spellings for two names.
    """
    with synth.Ledger(copy_ledger("first", tmp_path)) as ledger:
        assert {entry.dataset for entry in ledger.balance("people").spends} == {
            WIDE,
            "people",
        }
        assert ledger.balance(WIDE) == ledger.balance("people")


@pytest.mark.parametrize(("place", "unit"), [(0, "--epsilon"), (1, "--rho")])
def test_what_is_left_can_be_spent_and_no_more(
    place: int, unit: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of an earlier ledger exactly the rest can be spent, and not a tiny amount (`LEAST`)
    more.

    The budgets are epsilon 3 for people and rho 1/2 for patients. `SPENT` has what is spent.
    """
    path = copy_ledger(name, tmp_path)
    dataset = ("people", "patients")[place]
    amount_left = (Fraction(3), Fraction(1, 2))[place] - SPENT[name][place]

    before = list_spends(path)
    neighbors = ("replace-one", "add-remove")[place]
    words = ("ask", dataset, *ASKED, "--neighbors", neighbors, unit)

    # A little too much is refused, and nothing is spent.
    assert main(command_of((*words, str(amount_left + LEAST[place])), tmp_path)) == 2
    messages = read_sentences(capsys)
    assert len(messages) == 1
    assert "is left" in messages[0]
    assert list_spends(path) == before

    # All that is left is granted.
    assert main(command_of((*words, str(amount_left)), tmp_path)) == 0
    with synth.Ledger(path, readonly=True) as ledger:
        assert ledger.balance(dataset).left == 0


@pytest.mark.parametrize(("name", "request_"), REQUESTS)
def test_what_was_released_is_refused_before_any_spend(
    name: str, request_: Request, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A request that an earlier version answered is refused, and is not paid for once more.

    There would be budget left. This version cannot repeat what another one released.
    """
    path = copy_ledger(name, tmp_path)
    before = list_spends(path)

    assert main(command_of(request_, tmp_path)) == 2
    messages = read_sentences(capsys)
    assert len(messages) == 1
    assert "version of Synth" in messages[0]

    assert list_spends(path) == before
    assert not (tmp_path / "made.zip").exists()


def read_sentences(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What stands on stderr beside the stages and notes; nothing is printed as an answer."""
    out, err = capsys.readouterr()
    assert out == ""
    return [
        line for line in err.splitlines() if not line.endswith("...") and line[:5] != "Note:"
    ]

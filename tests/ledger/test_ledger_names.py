"""Names of datasets: one spelling each, whatever they were typed with."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.cli.main import main
from synth.door import Ledger, standard
from synth.door.ledger.chain import mark
from synth.door.ledger.names import look_alike
from synth.door.ledger.sqlite_store import Store
from synth.errors import LedgerError
from synth.privacy import parse_budget, terms
from tests.ledger.ledgers import ADD, REPLACE, ledger_with_budget, spend


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201])
def test_a_dataset_needs_a_printable_name(name: str) -> None:
    with pytest.raises(LedgerError, match="A dataset needs a name of 1 to 200 printable"):
        spend(Ledger(), dataset=name)


ONE_NAME = [
    "survey 2024",
    " survey 2024 ",
    "survey\u00a02024",
    "survey  2024",
    "\uff53urvey 2024",
]


@pytest.mark.parametrize(
    "name", ["a\u202eb", "a\u200bb", "a\x1b[2J", "a\u2800b", "a\ufe0fb", "\u3164"]
)
def test_a_name_with_what_is_not_seen_or_turns_text_is_refused(name: str) -> None:
    """A dataset's name with a character that is not seen, or turns the text, is refused."""
    with pytest.raises(
        LedgerError, match="without any that are not seen or that turn the direc"
    ):
        spend(Ledger(), dataset=name)


def test_spellings_of_one_name_share_one_budget(path: Path) -> None:
    """Spaces, wide letters and composed accents make no other name, so no second budget.

    Four spends of 1/4 under four spellings use the budget of 1, and the fifth is refused.
    Entry 1 is the budget, so the second spend is entry 3.
    """
    ledger = ledger_with_budget(path, "1", "survey 2024")
    for name in ONE_NAME[:4]:
        spend(ledger, "1/4", dataset=name, table="t", request=name)

    with pytest.raises(
        LedgerError, match=r"of the budget of 'survey 2024' .* only 0 is left"
    ):
        spend(ledger, "1/4", dataset=ONE_NAME[4])

    assert ledger.datasets() == ["survey 2024"]

    again = spend(ledger, "1/4", dataset=ONE_NAME[4], table="t", request=ONE_NAME[1])
    assert again.number == 3, "a request is found again under every spelling"

    composed = "caf\u00e9"
    decomposed = "cafe\u0301"
    ledger.set_budget(composed, parse_budget("1", REPLACE))
    spend(ledger, 1, dataset=decomposed)
    assert ledger.balance(composed).left == ledger.balance(decomposed).left == 0


def write_older(path: Path, *events: tuple[str, str, str]) -> Ledger:
    """A ledger as earlier versions wrote it: a budget for each spelling of a name."""
    store = Store(path)
    for kind, name, amount in events:
        budget = parse_budget(amount, ADD if "=" in amount else REPLACE)
        content: dict[str, Any] = {
            "neighbors": budget.neighbors.value,
            "budget": terms(budget.guarantee),
            "delta": None if budget.delta is None else str(budget.delta),
        }
        if kind == "spend":
            content = {"guarantee": content["budget"], "purpose": "histogram"} | {
                "neighbors": "replace-one"
            }
        with store.writing():
            store.append(kind, name, content, mark=f"t {mark(store.key, name, 't', name)}")
    return Ledger(path)


def test_an_older_ledgers_spellings_are_one_dataset_within_all_its_budgets(
    path: Path,
) -> None:
    """An older ledger kept 'survey' and 'survey ' apart, with budgets 1 and 3; now they are
    one.

    Their spends are added up to 3/4, and the smaller budget of 1 holds until one is set for
    both. Then 5 - 3/4 = 17/4 is left. A request that was paid before is found under its old
    spelling: it is entry 4.
    """
    ledger = write_older(
        path,
        ("budget", "survey", "1"),
        ("spend", "survey", "1/2"),
        ("budget", "survey ", "3"),
        ("spend", "survey ", "1/4"),
    )

    ledger = Ledger(path)
    assert ledger.datasets() == ["survey"]
    balance = ledger.balance("survey ")
    assert (balance.dataset, balance.spent, balance.left) == ("survey", Fraction(3, 4), 1 / 4)

    with pytest.raises(
        LedgerError, match=r"costs 0.5, but .* \(epsilon = 1, .* only 0.25 is left"
    ):
        spend(ledger, "1/2")

    assert spend(ledger, "1/4", table="t", request="survey ").number == 4, "paid before"

    ledger.change_budget("survey", parse_budget("5", REPLACE), "one for all spellings")
    assert ledger.balance("survey").left == Fraction(17, 4), (
        "one that is set for all is in force"
    )
    with pytest.raises(LedgerError, match=r"because 0\.75 is already spent"):
        ledger.change_budget("survey ", parse_budget("1/2", REPLACE), "less")

    assert Ledger(path).verify() == 6, "the refusal is one of them"


def test_more_spent_than_any_one_budget_leaves_nothing(path: Path) -> None:
    """If an older ledger's spellings have spent more than one budget together, nothing is
    left.

    Each of three spellings had a budget of 1 and spent it: 1 - 3 = -2.
    """
    names = ("survey", "survey ", " survey")
    events = [(kind, name, "1") for name in names for kind in ("budget", "spend")]
    ledger = write_older(path, *events)

    assert ledger.balance("survey").left == -2
    with pytest.raises(LedgerError, match="only 0 is left"):
        spend(ledger, "1/100")


def test_budgets_that_cannot_be_compared_are_none_until_one_is_set(path: Path) -> None:
    """If an older ledger's spellings have an epsilon and a rho as budgets, neither is in
    force.

    Nothing can be spent until one budget is set for both by a change. Then a spend of 1/4 of
    1 leaves 3/4.
    """
    ledger = write_older(
        path, ("budget", "survey", "1"), ("budget", "survey ", "rho=1,delta=1e-9")
    )

    sentence = (
        "'survey', 'survey ' are one dataset, and their budgets cannot be compared; give it"
    )
    with pytest.raises(LedgerError, match=sentence):
        spend(ledger, "1/4")
    with pytest.raises(
        LedgerError, match="'survey' is set in several ways that cannot be compared"
    ):
        ledger.set_budget("survey", parse_budget("1", REPLACE))

    ledger.change_budget("survey", parse_budget("1", REPLACE), "one for both spellings")
    spend(ledger, "1/4")
    assert ledger.balance("survey ").left == Fraction(3, 4)


@pytest.mark.parametrize(
    ("first_name", "second_name", "alike"),
    [
        ("survey", "Survey", True),
        ("survey", "surv\u0435y", True),  # a Cyrillic ie
        ("HEALTH", "\u0397EALTH", True),  # a Greek Eta
        ("\u0441\u043e\u0440\u0435", "cope", True),
        ("Wave I", "Wave l", True),
        ("wave 1", "wave l", True),
        ("2o2o", "2020", True),
        ("survey-2024", "survey_2024", True),
        ("survey 2024", "Survey2024", True),
        ("modern", "modem", True),
        ("\u039b\u03cc\u03b3\u03bf\u03c2", "\u039b\u039f\u0393\u039f\u03a3", True),
        ("survey 2024", "survey 2025", False),
        ("survey", "surveys", False),
        ("\u0939\u093f", "\u0939\u093e", False),
    ],
)
def test_names_that_a_reader_may_take_for_each_other(
    first_name: str, second_name: str, alike: bool
) -> None:
    """The ledger warns of a new name that a reader may take for one that it has.

    Such are other cases, letters of other scripts that look the same, 1 for l, 0 for o, other
    separators, and rn for m. Another year, a plural, and other letters of one script are
    different names.
    """
    ledger = Ledger()
    ledger.set_budget(first_name, parse_budget("1", REPLACE))

    assert ledger.look_alikes(second_name) == [first_name] * alike
    assert ledger.look_alikes(first_name) == []


@given(st.text(max_size=20))
def test_the_standard_spelling_of_a_name_stays(name: str) -> None:
    """The standard spelling of any text is its own standard, and looks like the text."""
    assert standard(standard(name)) == standard(name)
    assert look_alike(name, standard(name))


def test_what_a_column_is_called_cannot_command_a_terminal(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Signs in a column's name that command a terminal are printed as escapes.

    The name would clear the screen and turn the direction of the text.
    """
    with ledger_with_budget(path) as ledger:
        spend(ledger, person="\x1b[2J\u202ewho")

    assert main(["ledger", "show", "--ledger", str(path)]) == 0

    output = capsys.readouterr().out
    assert r"by the column '\x1b[2J\u202ewho'" in output
    assert output.replace("\n", "").isprintable()


class Releases:
    """Releases of small tables by the command line, which all use one ledger."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        field = {
            "name": "sex",
            "type": "string",
            "constraints": {"enum": ["F", "M"], "required": True},
        }
        self.folder = folder
        self.capsys = capsys
        self.domain = folder / "d.json"
        self.domain.write_text(json.dumps({"fields": [field]}))

    def release(self, table: str, rows: str, *options: str) -> tuple[int, str]:
        """Release a table of these rows with epsilon 1 of a budget of 2.

        Returns the exit code, and what was printed to stderr.
        """
        (self.folder / table).write_text(f"sex\n{rows}")
        words = ["release", str(self.folder / table), "--domain", str(self.domain)]
        words += ["--epsilon", "1", "--out", str(self.folder / "out"), "--overwrite"]
        words += ["--ledger", str(self.folder / "l.db"), "--budget", "2", "--anyway"]
        status = main([*words, *options])
        return status, self.capsys.readouterr().err

    @property
    def ledger(self) -> Ledger:
        """The ledger of all these releases."""
        return Ledger(self.folder / "l.db")


@pytest.fixture
def releases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Releases:
    """Two releases: a table of one row in survey.csv, and one of two rows in visits.csv."""
    made = Releases(tmp_path, capsys)
    assert made.release("survey.csv", "F\n") == (0, "")
    status, errors = made.release("visits.csv", "F\nM\n")
    assert status == 0
    assert "'visits' is new in this ledger; it has 'survey'." in errors
    assert "If these are the same people, say so by --dataset NAME." in errors
    return made


def test_a_file_names_its_dataset(releases: Releases) -> None:
    """Without --dataset, each file gets a budget of its own, under the file's name.

    The note about it, which `releases` checks, says how to share a budget.
    """
    assert releases.ledger.datasets() == ["survey", "visits"]


def test_a_name_that_looks_like_a_known_one_is_refused(releases: Releases) -> None:
    """A typing error in a name must not open a second budget for the same people."""
    status, errors = releases.release("survey_v2.csv", "F\nM\nM\n", "--dataset", "Survey")
    assert status == 2
    assert errors.endswith(
        "The ledger has a dataset 'survey', which looks like 'Survey': give --dataset "
        "'survey' to share its budget, or add --new-dataset if 'Survey' is to have one of "
        "its own all the same.\n"
    )
    assert releases.ledger.datasets() == ["survey", "visits"]


def test_a_known_table_under_a_new_name_is_refused(releases: Releases) -> None:
    """A table that was released before, here as survey, cannot get another budget."""
    status, errors = releases.release("copy.csv", "F\n", "--dataset", "patients")
    assert status == 2
    assert (
        "The same table was released before as 'survey': give --dataset 'survey' to" in errors
    )
    assert releases.ledger.datasets() == ["survey", "visits"]


def test_a_known_name_with_another_table_shares_the_budget(releases: Releases) -> None:
    """Another table under a known name spends of the same budget, and a note says so."""
    status, errors = releases.release("survey_v2.csv", "F\nM\n", "--dataset", "survey")
    assert status == 0
    assert (
        "Note: The name 'survey' was used before with another table; both count again"
        in errors
    )
    assert releases.ledger.balance("survey").left == 0


def test_a_new_name_for_a_new_table_is_noted(releases: Releases) -> None:
    """A name unlike all others, with a table unlike all others, gets a budget and a note."""
    status, errors = releases.release("patients.csv", "M\n", "--dataset", "patients")
    assert status == 0
    assert "Note: 'patients' is new in this ledger; it has 'survey', 'visits'." in errors


def test_a_name_that_looks_alike_gets_a_budget_if_it_is_asked_for(releases: Releases) -> None:
    """With --new-dataset, a name like a known one gets a budget, also for a known table."""
    for _ in range(2):
        status, _ = releases.release(
            "copy.csv", "F\n", "--dataset", "Survey", "--new-dataset"
        )
        assert status == 0
    assert releases.ledger.datasets() == ["survey", "visits", "Survey"]

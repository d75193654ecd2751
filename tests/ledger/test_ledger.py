"""The ledger: budgets, exact sums, repeated requests, the chain, and everything that goes wrong."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth import limits
from synth.cli.main import main
from synth.errors import ArgumentError, LedgerError
from synth.ledger import sqlite_store
from synth.ledger.chain import canonical
from synth.ledger.entries import Entry
from synth.ledger.ledger import Ledger
from synth.ledger.names import look_alike, standard
from synth.privacy.budget import Budget, parse_budget, terms
from synth.privacy.guarantee import Guarantee, Neighbors

REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def budgeted(path: Path | None, text: str = "1", dataset: str = "survey") -> Ledger:
    ledger = Ledger(path)
    ledger.set_budget(dataset, parse_budget(text, REPLACE))
    return ledger


def spend(ledger: Ledger, epsilon: Any = "1/2", dataset: str = "survey", **rest: Any) -> Entry:
    return ledger.spend(
        dataset=dataset,
        guarantee=rest.pop("guarantee", None) or Guarantee.pure(Fraction(epsilon)),
        neighbors=rest.pop("neighbors", REPLACE),
        purpose="histogram",
        **rest,
    )


def test_ten_tenths_are_exactly_one_and_nothing_more_fits(path: Path) -> None:
    ledger = budgeted(path)
    for _ in range(10):
        spend(ledger, "1/10")
    assert ledger.balance("survey").left == 0
    with pytest.raises(LedgerError, match=r"This release costs 1/10{30}, but of the budget"):
        spend(ledger, Fraction(1, 10**30))


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


def test_who_spends_is_written_down_where_it_is_known(path: Path) -> None:
    with Ledger(path, by="ann@example.org") as ledger:
        ledger.set_budget("survey", parse_budget("1", REPLACE))
        assert spend(ledger, "1/4").by == "ann@example.org"
    with Ledger(path) as ledger:
        assert spend(ledger, "1/4").by == ""
        assert [entry.by for entry in ledger.entries()] == ["ann@example.org", ""]
        shown = [event["content"].get("by") for event in ledger.export()["events"]]
        assert shown == ["ann@example.org", "ann@example.org", None]
        assert ledger.verify() == 3


def test_a_budget_is_needed_in_a_file_and_can_change(path: Path) -> None:
    ledger = Ledger(path)
    with pytest.raises(LedgerError, match="no budget for 'survey' yet; give it one"):
        spend(ledger)
    ledger = budgeted(path, "2")
    spend(ledger, "3/2")
    with pytest.raises(LedgerError, match=r"cannot be epsilon = 1, replace-one, because 1.5 is"):
        budgeted(path, "1")
    with pytest.raises(LedgerError, match="counts add-remove neighbours"):
        ledger.set_budget("survey", parse_budget("5", ADD))
    budgeted(path, "1.5")
    assert Ledger(path).balance("survey").left == 0
    assert spend(Ledger(), 1).number == 1, "in memory, no budget is needed"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0", "budget must be above 0, but it is 0."),
        ("-1", "budget must be above 0, but it is -1."),
        ("much", "The budget must be a number such as 1, 0.1 or 1/3, but it is 'much'."),
        ("epsilon=1,delta=2", "delta must be below 1, such as 1e-9, but it is 2."),
        ("rho=1,delta=1", "delta must be below 1, such as 1e-9, but it is 1."),
        ("epsilon=1,delta=0", "delta must be above 0, but it is 0."),
        *[
            (text, "A budget is one number such as 3 or 1.5 (epsilon), epsilon=3,delta=1e-9 or rho")
            for text in (
                "rho=1",
                "1,5",
                "1,",
                ",1",
                ",",
                "3,delta=1e-9",
                "epsilon=1,5,delta=1e-8",
                "epsilon=1,epsilon=2",
                "epsilon=1,delta=1e-9,delta=1e-6",
                "epsilon=1,rho=1,delta=1e-9",
                "epsilon=1,sigma=2",
                "Epsilon=1",
                "epsilon=1=2",
                "=3",
                "epsilon=3,",
                "delta=1e-9",
            )
        ],
        *[
            (text, f"The budget must be a number such as 1, 0.1 or 1/3, but it is {text!r}.")
            for text in (
                "1 5",
                "1_000",
                "\uff11",
                "1/2/3",
                "1/0",
                "0x1",
                "nan",
                "inf",
                "1;5",
                "1\u00a0000",
                "1e",
                "1e999",
                "--1",
                ".",
                "1.5.2",
                "",
            )
        ],
    ],
)
def test_a_budget_that_makes_no_sense(text: str, sentence: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_budget(text, REPLACE)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        (" 1.5 ", "3/2"),
        ("+1", "1"),
        ("1e2", "100"),
        (".5", "1/2"),
        ("2.", "2"),
        ("1/3", "1/3"),
        (" epsilon = 3 , delta = 1e-9 ", "3"),
        ("delta=1e-9,rho=1/2", "1/2"),
    ],
)
def test_a_budget_that_is_one_number(text: str, amount: str) -> None:
    assert parse_budget(text, REPLACE).amount == Fraction(amount)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201])
def test_a_dataset_needs_a_printable_name(name: str) -> None:
    with pytest.raises(LedgerError, match="A dataset needs a name of 1 to 200 printable"):
        spend(Ledger(), dataset=name)


ONE_NAME = ["survey 2024", " survey 2024 ", "survey\u00a02024", "survey  2024", "\uff53urvey 2024"]


@pytest.mark.parametrize(
    "name", ["a\u202eb", "a\u200bb", "a\x1b[2J", "a\u2800b", "a\ufe0fb", "\u3164"]
)
def test_a_name_with_what_is_not_seen_or_turns_text_is_refused(name: str) -> None:
    with pytest.raises(LedgerError, match="without any that are not seen or that turn the direc"):
        spend(Ledger(), dataset=name)


def test_spellings_of_one_name_share_one_budget(path: Path) -> None:
    ledger = budgeted(path, "1", "survey 2024")
    for name in ONE_NAME[:4]:
        spend(ledger, "1/4", dataset=name, table="t", request=name)
    with pytest.raises(LedgerError, match=r"of the budget of 'survey 2024' .* only 0 is left"):
        spend(ledger, "1/4", dataset=ONE_NAME[4])
    assert ledger.datasets() == ["survey 2024"]
    again = spend(ledger, "1/4", dataset=ONE_NAME[4], table="t", request=ONE_NAME[1])
    assert again.number == 3, "a request is found again under every spelling"
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    ledger.set_budget(composed, parse_budget("1", REPLACE))
    spend(ledger, 1, dataset=decomposed)
    assert ledger.balance(composed).left == ledger.balance(decomposed).left == 0


def older(path: Path, *events: tuple[str, str, str]) -> Ledger:
    """A ledger as earlier versions wrote it: a budget for each spelling of a name."""
    ledger = Ledger(path)
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
        with ledger._store.writing():
            ledger._store.append(kind, name, content, ledger._mark(name, "t", name))
    return ledger


def test_an_older_ledgers_spellings_are_one_dataset_within_all_its_budgets(path: Path) -> None:
    ledger = older(
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
    with pytest.raises(LedgerError, match=r"costs 0.5, but .* \(epsilon = 1, .* only 0.25 is left"):
        spend(ledger, "1/2")
    assert spend(ledger, "1/4", table="t", request="survey ").number == 4, "paid before"
    ledger.set_budget("survey", parse_budget("5", REPLACE))
    assert ledger.balance("survey").left == Fraction(17, 4), "one that is set for all is in force"
    with pytest.raises(LedgerError, match=r"because 0\.75 is already spent"):
        ledger.set_budget("survey ", parse_budget("1/2", REPLACE))
    assert Ledger(path).verify() == 5


def test_more_spent_than_any_one_budget_leaves_nothing(path: Path) -> None:
    names = ("survey", "survey ", " survey")
    events = [(kind, name, "1") for name in names for kind in ("budget", "spend")]
    ledger = older(path, *events)
    assert ledger.balance("survey").left == -2
    with pytest.raises(LedgerError, match="only 0 is left"):
        spend(ledger, "1/100")


def test_budgets_that_cannot_be_compared_are_none_until_one_is_set(path: Path) -> None:
    ledger = older(path, ("budget", "survey", "1"), ("budget", "survey ", "rho=1,delta=1e-9"))
    sentence = "'survey', 'survey ' are one dataset, and their budgets cannot be compared; give it"
    with pytest.raises(LedgerError, match=sentence):
        spend(ledger, "1/4")
    ledger.set_budget("survey", parse_budget("1", REPLACE))
    spend(ledger, "1/4")
    assert ledger.balance("survey ").left == Fraction(3, 4)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
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
def test_names_that_a_reader_may_take_for_each_other(one: str, other: str, alike: bool) -> None:
    ledger = Ledger()
    ledger.set_budget(one, parse_budget("1", REPLACE))
    assert ledger.look_alikes(other) == [one] * alike
    assert ledger.look_alikes(one) == []


@given(st.text(max_size=20))
def test_the_standard_spelling_of_a_name_stays(name: str) -> None:
    assert standard(standard(name)) == standard(name)
    assert look_alike(name, standard(name))


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


def test_what_a_column_is_called_cannot_command_a_terminal(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with budgeted(path) as ledger:
        spend(ledger, person="\x1b[2J\u202ewho")
    assert main(["ledger", "show", str(path)]) == 0
    said = capsys.readouterr().out
    assert r"by the column '\x1b[2J\u202ewho'" in said
    assert said.replace("\n", "").isprintable()


def test_the_same_request_is_charged_once_and_another_is_not(path: Path) -> None:
    ledger = budgeted(path)
    first = spend(ledger, table="t1", request="r")
    assert spend(Ledger(path), table="t1", request="r") == first
    assert ledger.balance("survey").spent == Fraction(1, 2)
    assert spend(ledger, table="t2", request="r").number != first.number
    with pytest.raises(LedgerError, match="only 0 is left"):
        spend(ledger, table="t1", request="another")
    assert spend(Ledger(path), table="t1", request="r") == first, "even with nothing left"


def test_without_a_request_every_spend_counts() -> None:
    ledger = budgeted(None)
    assert spend(ledger, table="t").number != spend(ledger, table="t").number


def test_what_is_kept_first_stays(path: Path) -> None:
    ledger = budgeted(path)
    entry = spend(ledger)
    assert ledger.kept(entry, "1") is None
    kept = ledger.keep(entry, "1", b"first")
    assert Ledger(path).keep(entry, "1", b"second") == kept == ledger.kept(entry, "1")
    assert kept[0] == b"first"
    assert kept[1] == ledger.head


def test_what_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEPT_BYTES", 4)
    ledger = budgeted(None)
    with pytest.raises(LedgerError, match="too large to be kept"):
        ledger.keep(spend(ledger), "1", b"12345")


def test_fingerprints_know_a_table_and_only_with_the_key(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("age\n41\n")
    one, other = Ledger(tmp_path / "a.db"), Ledger(tmp_path / "b.db")
    print_ = one.fingerprint(table)
    assert print_ == Ledger(tmp_path / "a.db").fingerprint(table) != other.fingerprint(table)
    for digest in (sha256,):
        assert digest(table.read_bytes()).hexdigest()[:32] != print_
    table.write_text("age\n42\n")
    assert one.fingerprint(table) != print_


def test_remarks_on_a_name_with_another_table_and_a_table_with_another_name(path: Path) -> None:
    ledger = budgeted(path, "9")
    ledger.set_budget("other", parse_budget("9", REPLACE))
    spend(ledger, table="t1", request="r")
    assert ledger.remarks("survey", "t1") == []
    assert "'survey' was used before with another table" in ledger.remarks("survey", "t2")[0]
    assert "The same table was released before as 'survey';" in ledger.remarks("other", "t1")[0]


def test_a_clock_set_back_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = budgeted(path)
    spend(ledger)

    class Yesterday(datetime):
        @classmethod
        def now(cls, _zone: Any = None) -> datetime:
            return datetime(1999, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(sqlite_store, "datetime", Yesterday)
    spend(ledger)
    assert [e.time[:4] for e in Ledger(path).entries()][-1] == "1999"
    with pytest.raises(LedgerError, match="only 0 is left"):
        spend(ledger)


def test_an_export_can_be_checked_by_anybody_and_shows_no_digest(path: Path) -> None:
    ledger = budgeted(path)
    spend(ledger, table="fingerprint", request="r")
    export = ledger.export()
    before = "0" * 64
    for event in export["events"]:
        shown = [before, *(event[k] for k in ("number", "time", "kind", "dataset", "content"))]
        before = sha256(canonical(shown).encode()).hexdigest()
        assert event["hash"] == before
    assert export["head"] == before
    assert "fingerprint" not in json.dumps(export)


# What goes wrong.


def filled(path: Path) -> Path:
    with budgeted(path) as ledger:
        for request in "ab":
            ledger.keep(spend(ledger, "1/4", table="t", request=request), "1", b"noisy")
    return path


EDITS = {
    "a cheaper spend": "UPDATE events SET content = replace(content, '1/4', '1/8') WHERE number=2",
    "a larger budget": """UPDATE events SET content = replace(content, '"1"', '"9"')""",
    "another name": "UPDATE events SET dataset = 'x' WHERE number = 2",
    "another time": "UPDATE events SET time = '2000-01-01' WHERE number = 3",
    "another table": "UPDATE events SET mark = 'u v' WHERE number = 2",
    "a spend less": "DELETE FROM events WHERE number = 2",
    "the first less": "DELETE FROM events WHERE number = 1",
    "the last less": "DELETE FROM events WHERE number = 5",
    "all less": "DELETE FROM events",
    "an end less": "DELETE FROM ending",
    "two swapped": "UPDATE events SET number = -number WHERE number > 3",
    "no JSON": "UPDATE events SET content = 'oops' WHERE number = 4",
    "a new hash": "UPDATE events SET hash = lower(hex(randomblob(32))) WHERE number = 5",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_ledger_is_refused(path: Path, edit: str) -> None:
    connection = sqlite3.connect(filled(path))
    connection.execute(EDITS[edit])
    connection.commit()
    connection.close()
    for readonly in (False, True):
        with pytest.raises(
            LedgerError, match=r"'ledger.db' was edited: ent(ry \d|ries at its end)"
        ):
            Ledger(path, readonly=readonly)


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE kept SET payload = 'other'",
        "UPDATE kept SET part = '2'",
        "DELETE FROM kept WHERE number = 3",
        "INSERT INTO kept VALUES (9, 2, '2', 'more')",
    ],
)
def test_edited_kept_values_are_found(path: Path, edit: str) -> None:
    connection = sqlite3.connect(filled(path))
    connection.execute(edit)
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match=r"was edited: entry \d is not as it was written"):
        Ledger(path).verify()


def test_values_that_were_edited_never_leave(path: Path) -> None:
    connection = sqlite3.connect(filled(path))
    connection.execute("UPDATE kept SET payload = 'other'")
    connection.commit()
    ledger = Ledger(path)
    with pytest.raises(LedgerError, match="was edited: entry 3"):
        ledger.kept(ledger.entries()[0], "1")


def test_an_edit_under_an_open_ledger_stops_the_next_spend(path: Path) -> None:
    ledger = Ledger(filled(path))
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM events WHERE number = 5")
    connection.execute("UPDATE events SET dataset = 'x' WHERE number = 4")
    connection.commit()
    with pytest.raises(LedgerError, match="was edited: entry 4"):
        spend(ledger, "1/4")


def test_a_chain_written_anew_without_the_key_is_refused(path: Path) -> None:
    filled(path)
    forged = path.with_name("forged.db")
    filled(forged)
    forged.replace(path)
    with pytest.raises(LedgerError, match="was edited: entry 1"):
        Ledger(path)


def test_without_its_key_a_ledger_can_be_read_and_not_spent_from(path: Path) -> None:
    filled(path).with_name("ledger.db.key").unlink()
    with Ledger(path, readonly=True) as ledger:
        assert (ledger.verify(), ledger.sealed) == (5, False)
    with pytest.raises(LedgerError, match=r"key file 'ledger.db.key' of the ledger is missing"):
        Ledger(path)
    path.with_name("ledger.db.key").write_bytes(b"short")
    with pytest.raises(LedgerError, match=r"key file 'ledger.db.key' of the ledger is damaged"):
        Ledger(path)


LOST = (
    r"^The ledger 'ledger.db' is (gone|empty), but its key file 'ledger.db.key' is here: restore "
)


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("left", ["gone", "empty"])
def test_a_ledger_that_was_cut_or_deleted_beside_its_key_is_refused(
    path: Path, left: str, readonly: bool
) -> None:
    filled(path).unlink()
    if left == "empty":
        path.touch()
    for _ in range(2):
        with pytest.raises(LedgerError, match=LOST.replace("(gone|empty)", left)) as caught:
            Ledger(path, readonly=readonly)
    assert "all earlier spends are forgotten, remove the key file too" in str(caught.value)
    assert path.exists() == (left == "empty"), "nothing is made"
    path.with_name("ledger.db.key").unlink()
    if not readonly:
        assert Ledger(path).datasets() == [], "a new one that was really meant"


def test_a_ledger_whose_tables_are_gone_is_not_begun_anew(path: Path) -> None:
    filled(path).unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("VACUUM")
    assert path.stat().st_size > 0
    with pytest.raises(LedgerError, match="cannot be used: the file is not a ledger"):
        Ledger(path)


def test_a_ledger_cut_anywhere_never_opens_with_a_spend_less(path: Path) -> None:
    content, refused = filled(path).read_bytes(), 0
    troubles = "is empty, but|not a ledger|is damaged|was edited|cannot be read"
    for size in [*range(0, 32, 5), *range(32, len(content), 512), len(content) - 1]:
        path.write_bytes(content[:size])
        with suppress(LedgerError), Ledger(path) as ledger:
            assert len(ledger.verify() and ledger.entries()) == 2, size
            continue
        refused += 1
        with pytest.raises(LedgerError, match=troubles):
            Ledger(path).verify()
    assert refused > 30


def test_a_killed_writers_journal_is_rolled_back(path: Path) -> None:
    filled(path)
    code = (
        "import os, signal; from tests.ledger.test_ledger import *\n"
        "ledger = Ledger(sys.argv[1])\n"
        "ledger._store._connection.execute('PRAGMA cache_size = 1')\n"
        "with ledger._store.writing():\n"
        "    spend = [ledger._store.append('spend', 'x' * 3000, {}) for _ in range(9)]\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, str(path)], check=False, cwd=root)
    journal = path.with_name("ledger.db-journal")
    assert journal.stat().st_size > 0
    with Ledger(path, readonly=True) as ledger:
        assert ledger.verify() == 5
    assert not journal.exists()


@pytest.mark.parametrize("spent", [False, True])
def test_the_key_of_another_ledger(path: Path, tmp_path: Path, spent: bool) -> None:
    other = tmp_path / "other.db"
    (filled if spent else lambda p: Ledger(p).close())(path)
    Ledger(other).close()
    shutil.copy(tmp_path / "other.db.key", tmp_path / "ledger.db.key")
    with pytest.raises(LedgerError, match="or its key file is that of another ledger; restore bot"):
        Ledger(path)


@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_key_of_another_length(path: Path, content: bytes) -> None:
    filled(path).with_name("ledger.db.key").write_bytes(content)
    for readonly in (False, True):
        with pytest.raises(
            LedgerError, match=r"'ledger\.db\.key' of the ledger is damaged; restore"
        ):
            Ledger(path, readonly=readonly)


def test_folders_and_links_in_the_place_of_a_ledger(path: Path, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="cannot be used: it is a folder"):
        Ledger(tmp_path)
    (tmp_path / "far").mkdir()
    path.symlink_to(tmp_path / "far" / "real.db")
    filled(path)
    assert (tmp_path / "far" / "real.db.key").exists()
    assert Ledger(path).verify() == Ledger(tmp_path / "far" / "real.db").verify() == 5
    (tmp_path / "far" / "real.db").write_bytes(b"")
    with pytest.raises(LedgerError, match=r"is empty, but its key file 'real\.db\.key' is here"):
        Ledger(path)
    (tmp_path / "far" / "real.db.key").rename(tmp_path / "ledger.db.key")
    with pytest.raises(LedgerError, match=r"is empty, but its key file 'ledger\.db\.key' is here"):
        Ledger(path)
    (tmp_path / "ledger.db.key").unlink()
    (tmp_path / "ledger.db.key").mkdir()
    with pytest.raises(LedgerError, match=r"is empty, but|its key file cannot be read or written"):
        Ledger(path)


def test_a_ledger_moved_without_its_key(path: Path, tmp_path: Path) -> None:
    moved = filled(path).rename(tmp_path / "moved.db")
    with pytest.raises(LedgerError, match=r"key file 'moved\.db\.key' of the ledger is missing"):
        Ledger(moved)
    with pytest.raises(LedgerError, match=r"'ledger\.db' is gone, but its key file"):
        Ledger(path)


def test_a_newer_version_is_refused(path: Path) -> None:
    connection = sqlite3.connect(filled(path))
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(LedgerError, match=r"newer version of Synth \(form 7; this one reads up to"):
        Ledger(path)


def test_other_files_are_no_ledgers(path: Path, tmp_path: Path) -> None:
    path.write_text("age,sex\n41,F\n")
    with pytest.raises(LedgerError, match="the file is not a ledger"):
        Ledger(path)
    assert path.read_text().startswith("age"), "and is left alone"
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    shutil.copy(tmp_path / "other.db", path)
    path.with_name("ledger.db.key").write_bytes(bytes(32))
    with pytest.raises(LedgerError, match="the file is not a ledger"):
        Ledger(path)
    with pytest.raises(LedgerError, match=r"The folder of the ledger, '.*nowhere', does not exist"):
        Ledger(tmp_path / "nowhere" / "ledger.db")
    with pytest.raises(LedgerError, match=r"There is no ledger '.*absent.db'"):
        Ledger(tmp_path / "absent.db", readonly=True)


def test_a_damaged_file(path: Path) -> None:
    filled(path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * len(content[4096:])
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"is damaged|was edited|cannot be read"):
        Ledger(path)


def test_a_locked_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LEDGER_WAIT_SECONDS", 0.05)
    ledger = Ledger(filled(path))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LedgerError, match="another process has locked it for 30 seconds"):
        spend(ledger, "1/4")
    other.execute("ROLLBACK")
    spend(ledger, "1/4")


def test_a_full_disk_spends_nothing_and_keeps_the_ledger_whole(path: Path) -> None:
    ledger = Ledger(filled(path))
    pages = ledger._store._rows("PRAGMA page_count")[0][0]
    ledger._store._rows(f"PRAGMA max_page_count = {pages}")

    def spend_on() -> None:
        for _ in range(400):
            spend(ledger, "1/10000")

    sentence = r"'ledger.db' cannot be written, so nothing was released: the disk is full\."
    with pytest.raises(LedgerError, match=sentence):
        spend_on()
    left = ledger.balance("survey").left
    with Ledger(path) as again:
        again.verify()
        assert again.balance("survey").left == left
        spend(again, "1/10000")


def test_a_file_that_may_not_grow(path: Path) -> None:
    """The system refuses the write in the middle of a spend."""
    filled(path)
    code = (
        "import resource, signal, sys; from tests.ledger.test_ledger import *\n"
        "ledger = Ledger(sys.argv[1]); signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))\n"
        "try: spend(ledger, '1/4')\n"
        "except LedgerError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert run.stdout.startswith(
        "The ledger 'ledger.db' cannot be written, so nothing was released: the disk "
    )
    assert Ledger(path).balance("survey").left == Fraction(1, 2)


def test_a_read_only_file(path: Path) -> None:
    ledger = Ledger(filled(path))
    ledger._store._rows("PRAGMA query_only = 1")
    with pytest.raises(LedgerError, match="so nothing was released: the file is read-only"):
        spend(ledger, "1/4")
    assert Ledger(path, readonly=True).balance("survey").left == Fraction(1, 2)


# Races.


def forked(code: str, path: Path) -> list[str]:
    """The lines that a script and its forked children print."""
    command = [sys.executable, "-c", code, str(path)]
    root = Path(__file__).parents[2]
    return subprocess.run(command, stdout=-1, text=True, check=True, cwd=root).stdout.split()


RACER = """
import os, sys; from tests.ledger.test_ledger import *
children = []
for _ in range(8):
    child = os.fork()
    if child:
        children.append(child)
        continue
    ledger, granted = Ledger(sys.argv[1]), 0
    for _ in range(300):
        try:
            spend(ledger, "1/100")
            granted += 1
        except LedgerError as error:
            assert "only 0 is left" in str(error), error
    os.write(1, f"{granted}\\n".encode())
    os._exit(0)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.slow
def test_eight_processes_share_a_budget_of_a_hundred(path: Path) -> None:
    budgeted(path).close()
    granted = [int(line) for line in forked(RACER, path)]
    assert (len(granted), sum(granted)) == (8, 100)
    with Ledger(path) as ledger:
        assert ledger.verify() == 101
        assert ledger.balance("survey").left == 0


MAKER = """
import os, sys; from tests.ledger.test_ledger import *
for _ in range(4):
    if not os.fork():
        mark = Ledger(sys.argv[1]).fingerprint(Path(sys.argv[1] + ".key"))
        os.write(1, f"{mark}\\n".encode())
        os._exit(0)
for _ in range(4):
    assert os.wait()[1] == 0
"""


def test_processes_that_make_the_ledger_at_once_share_one_key(path: Path) -> None:
    marks = forked(MAKER, path)
    assert len(marks) == 4
    assert len(set(marks)) == 1
    assert {p.name for p in path.parent.iterdir()} == {"ledger.db", "ledger.db.key"}


STARTS = {
    "before the key": ("_make_key", False),
    "after the key": ("_make_key", True),
    "before the tables": ("_make_tables", False),
    "after the tables": ("_make_tables", True),
    "before it is checked": ("check", False),
    "after it is checked": ("check", True),
    "while the key is read": ("_read_key", False),
}


@pytest.mark.parametrize("moment", STARTS)
def test_a_start_that_was_killed_goes_on_and_loses_nothing_later(path: Path, moment: str) -> None:
    name, after = STARTS[moment]
    code = (
        "from synth.ledger import sqlite_store; from synth.ledger.sqlite_store import Store\n"
        "from tests.ledger.test_ledger import *\n"
        "from tests.audit.test_crash import dying\n"
        f"dying(Store if hasattr(Store, {name!r}) else sqlite_store, {name!r}, 1, {after})\n"
        "Ledger(sys.argv[1])\n"
    )
    root = Path(__file__).parents[2]
    died = subprocess.run([sys.executable, "-c", code, str(path)], check=False, cwd=root)
    assert died.returncode == -9
    assert filled(path).stat().st_size > 0
    assert {p.name for p in path.parent.iterdir()} == {"ledger.db", "ledger.db.key"}
    assert Ledger(path).verify() == 5
    path.write_bytes(b"")
    with pytest.raises(LedgerError, match=LOST):
        Ledger(path)


# The command line.


def test_show_verify_and_export(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(path)
    assert main(["ledger", "show", str(path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "survey: budget epsilon = 1, replace-one; spent 0.5, left 0.5"
    assert len(shown) == 3
    assert main(["ledger", "verify", str(path)]) == 0
    assert capsys.readouterr().out.startswith("5 entries, none edited. Head ")
    assert main(["ledger", "export", str(path)]) == 0
    assert len(json.loads(capsys.readouterr().out)["events"]) == 5
    assert main(["ledger", "show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["datasets"][0]["left"] == "1/2"


def test_the_command_line_says_one_sentence(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "show", str(path)]) == 2
    assert capsys.readouterr().err == f"There is no ledger '{path}'.\n"


def test_a_release_is_recorded_repeated_and_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, domain = tmp_path / "t.csv", tmp_path / "d.json"
    table.write_text("sex\nF\nM\nF\n")
    field = {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"], "required": True}}
    domain.write_text(json.dumps({"fields": [field]}))

    def release(out: str, *more: str) -> tuple[int, str]:
        files = [str(table), "--domain", str(domain), "--out", str(tmp_path / out)]
        status = main(["release", *files, "--ledger", str(tmp_path / "l.db"), *more])
        said = capsys.readouterr()
        return status, said.out + said.err

    assert release("a", "--epsilon", "1", "--dataset", "survey", "--budget", "1.5")[0] == 0
    status, said = release("b", "--epsilon", "1", "--dataset", "survey")
    assert status == 0
    assert "made before: nothing was spent" in said
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
    status, said = release("c", "--epsilon", "1", "--dataset", "survey", "--repair", "clamp")
    assert (status, "nothing was spent" in said) == (0, True), "repairs are free"
    status, said = release("c", "--epsilon", "0.6", "--dataset", "survey")
    assert status == 2
    assert "only 0.5 is left" in said
    table.write_text("sex\nF\nM\nM\n")
    assert (
        "used before with another table"
        in release("c", "--epsilon", "1/2", "--dataset", "survey")[1]
    )
    assert (
        "released before as 'survey'"
        in release("c", "--epsilon", "1", "--dataset", "x", "--budget", "1")[1]
    )
    certificate = json.loads((tmp_path / "a" / "certificate.json").read_text())
    assert certificate["ledger"]["head"] in {e.hash for e in Ledger(tmp_path / "l.db").events()}
    assert (
        main(
            [
                "release",
                str(table),
                "--domain",
                str(domain),
                "--out",
                str(tmp_path / "a"),
                "--epsilon",
                "1",
                "--budget",
                "1",
            ]
        )
        == 2
    )
    assert "--budget needs --ledger" in capsys.readouterr().err


def test_a_new_name_gets_a_budget_of_its_own_only_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = tmp_path / "d.json"
    field = {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"], "required": True}}
    domain.write_text(json.dumps({"fields": [field]}))

    def release(table: str, rows: str, *more: str) -> tuple[int, str]:
        (tmp_path / table).write_text(f"sex\n{rows}")
        words = ["release", str(tmp_path / table), "--domain", str(domain), "--epsilon", "1"]
        words += ["--out", str(tmp_path / "out"), "--ledger", str(tmp_path / "l.db")]
        status = main([*words, "--budget", "2", *more])
        return status, capsys.readouterr().err

    asks = "say by --dataset NAME whose data it is, the same for all tables about the same people"
    status, said = release("survey.csv", "F\n")
    assert (status, said) == (
        2,
        f"The ledger knows no dataset 'survey.csv': {asks}; it has none yet.\n",
    )
    assert Ledger(tmp_path / "l.db").datasets() == []
    status, said = release("survey.csv", "F\n", "--dataset", "survey")
    assert (status, "Note" in said) == (0, False)
    status, said = release("survey_v2.csv", "F\nM\n")
    assert status == 2, "a row was appended"
    assert said.endswith(f"no dataset 'survey_v2.csv': {asks}; it has 'survey'.\n")
    status, said = release("survey_v2.csv", "F\nM\n", "--dataset", "Survey")
    assert status == 2
    assert said.endswith(
        "The ledger has a dataset 'survey', which looks like 'Survey': give --dataset 'survey' to "
        "share its budget, or add --new-dataset if 'Survey' is to have one of its own all the "
        "same.\n"
    )
    status, said = release("copy.csv", "F\n", "--dataset", "patients")
    assert status == 2
    assert "The same table was released before as 'survey': give --dataset 'survey' to" in said
    assert Ledger(tmp_path / "l.db").datasets() == ["survey"], "nothing was spent or set"

    status, said = release("survey_v2.csv", "F\nM\n", "--dataset", "survey")
    assert status == 0
    assert "Note: The name 'survey' was used before with another table; both count again" in said
    assert Ledger(tmp_path / "l.db").balance("survey").left == 0
    status, said = release("patients.csv", "M\n", "--dataset", "patients")
    assert (status, "Note: 'patients' is new in this ledger; it has 'survey'." in said) == (0, True)
    for _ in range(2):
        status, said = release("copy.csv", "F\n", "--dataset", "Survey", "--new-dataset")
        assert status == 0
    assert Ledger(tmp_path / "l.db").datasets() == ["survey", "patients", "Survey"]
    assert main(["release", "t.csv", "--domain", str(domain), "--epsilon", "1", "--out", "o"]) == 2


def test_budgets_compare_and_print() -> None:
    one = parse_budget(" 1/3 ", REPLACE)
    assert one == Budget(Guarantee.pure(Fraction(1, 3)), REPLACE)
    assert str(one) == "epsilon = 1/3, replace-one"

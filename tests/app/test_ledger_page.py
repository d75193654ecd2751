"""The ledger in the app: budgets, a restart, strangers, bundles opened again."""

import json
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import home
from synth.door import Ledger
from synth.door.ledger.sqlite_store import Store
from synth.privacy import Guarantee, Neighbors, parse_budget, zcdp_rho
from tests.app.steward import (
    FIELD,
    account_texts,
    choose,
    choose_example,
    draft_of,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of 150 people of the column sex, in a home of its own."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table = tmp_path / "people.csv"
    table.write_text("sex\n" + "F\nM\nM\n" * 50)
    return table


def visit_declared(path: Path) -> AppTest:
    """Open the app with the table chosen and its column declared."""
    app = use_file(visit(), path)
    app.session_state["draft"] = draft_of(app).with_declaration({"fields": [FIELD]})
    return app.run()


def release_with_budget(path: Path, epsilon: str = "1", budget: str | None = None) -> AppTest:
    """Release the table in the app; without a budget it is the default of 3."""
    app = visit_declared(path)
    go_to(app, "plan")
    app.text_input(key="choice_epsilon").input(epsilon).run()
    go_to(app, "release")
    if budget is not None:
        app.text_input(key="choice_budget").input(budget).run()
    app.checkbox(key="agreed").check().run()
    return press(app, f"Release with epsilon {epsilon}")


def test_a_release_is_in_the_ledger_of_the_home(path: Path) -> None:
    """A release in the app is recorded in the ledger of the home: budget 2.5, spent 1, left
    1.5. Its five entries are the budget, the spend, the noisy counts, the seed and the
    certificate.
    """
    app = release_with_budget(path, budget="2.5")
    assert not app.exception
    assert "Released" in text_of(app)

    ledger = Ledger(home.folder() / "ledger.db", readonly=True)
    assert str(ledger.balance("people").left) == "3/2"

    go_to(app, "ledger")
    assert account_texts(app) == ["2.5", "1", "1.5"]

    press(app, "Check the whole ledger")
    (checked,) = app.success
    assert checked.value.startswith("5 entries in the whole ledger, none edited.")


def bar_texts(app: AppTest) -> list[str]:
    """The words at the bars of the page, in their order."""
    return [bar.proto.text.replace("\\", "") for bar in app.get("progress")]


def shown_tables(app: AppTest) -> list[dict[str, list[Any]]]:
    """The tables of the page, by column."""
    return [frame.value.to_dict("list") for frame in app.dataframe]


def at_hand(app: AppTest, budget: str, *spends: Guarantee) -> AppTest:
    """Return the page Ledger of a table for which these amounts were spent before."""
    with Ledger(home.folder() / "ledger.db") as ledger:
        mark = ledger.fingerprint(*draft_of(app).source.table.files)
        ledger.set_budget("people", parse_budget(budget, Neighbors.REPLACE_ONE))
        for number, guarantee in enumerate(spends):
            ledger.spend(
                dataset="people",
                guarantee=guarantee,
                neighbors=Neighbors.REPLACE_ONE,
                purpose="answers",
                table=mark,
                request=str(number),
            )
    return go_to(app, "ledger")


def test_what_is_enforced_and_what_might_have_been_are_apart(path: Path) -> None:
    """The page separates the sum that counts from the smaller sums of better composition
    theorems. 50 spends of 0.1 are 5, which is what the ledger enforces. The theorems hold
    only for costs that were fixed in advance, and zCDP gives the smallest sum.
    """
    tenths = [Guarantee.pure(Fraction(1, 10))] * 50
    app = at_hand(use_file(visit(), path), "epsilon=6,delta=1e-6", *tenths)
    assert not app.exception
    assert account_texts(app) == ["6", "5", "1"]

    _, better = shown_tables(app)
    assert "**Enforced total:** it protects one row (replace-one)" in text_of(app)
    assert better["basic sum"] == ["5"]
    assert better["the least"] == better["zCDP"]
    assert better["delta"] == ["1e-06"]

    words = text_of(app)
    enforced = words.index("Enforced")
    fixed = words.index("Had they been fixed in advance")
    assert enforced < fixed
    assert "nothing enforces it" in words[fixed:]


def test_a_spend_of_rho_is_readable_on_the_page(path: Path) -> None:
    """Spends of rho are added up exactly, shown as short numbers, and rounded to the safe
    side. About 0.0243560 (the rho for epsilon 1 and delta 1e-6) and 0.01 are 0.0343560 of
    0.5, rounded up. What is left is rounded down. Rhos add up without loss, so no smaller sum
    is offered.
    """
    for_epsilon_1 = Guarantee.zcdp(zcdp_rho(Fraction(1), Fraction(1, 10**6)))
    app = at_hand(
        use_file(visit(), path),
        "rho=1/2,delta=1e-6",
        for_epsilon_1,
        Guarantee.zcdp(Fraction(1, 100)),
    )
    assert not app.exception
    assert account_texts(app) == [
        "0.5",
        "about 0.0343560 (rounded up)",
        "about 0.465644 (rounded down)",
    ]

    spends, sums = shown_tables(app)
    assert spends["cost"][1] == (
        "rho = 0.01 (zCDP), which implies epsilon = 0.6217 with delta = 1e-06"
    )
    assert sums["in all"][0].startswith(
        "rho = about 0.0343560 (rounded up) (zCDP), which implies"
    )
    assert "fixed in advance" not in text_of(app), (
        "a sum of rho is as good chosen one after another"
    )


def test_rows_and_persons_are_apart_on_the_page(path: Path) -> None:
    """The page shows spends that protect rows and spends that protect persons apart, and
    never adds them up. An older version could write a spend for persons beside one for rows,
    so it is written into the store directly. The budget is about rows: 1 of 2 is spent.
    """
    app = at_hand(use_file(visit(), path), "2", Guarantee.pure(1))

    store = Store(home.folder() / "ledger.db")
    with store.writing():
        content = {
            "guarantee": {"epsilon": "1"},
            "neighbors": "replace-one",
            "purpose": "of an older version",
            "person": "who",
        }
        store.append("spend", "people", content)

    go_to(app, "data")
    go_to(app, "ledger")
    assert account_texts(app) == ["2", "1", "1"]
    assert shown_tables(app)[1]["protects"] == ["one row", "one person by the column 'who'"]
    sentence = "What protects rows and what protects persons is never added up."
    assert sentence in [caption.value for caption in app.caption]


def test_a_restart_finds_plan_release_and_budget_again(path: Path) -> None:
    """After a restart the ledger gives the release back at no cost, with the same values and
    rows. 0.5 of the default budget of 3 is spent once.
    """
    before = release_with_budget(path, "0.5")
    first = draft_of(before).release

    again = use_file(visit(), path)
    assert "This table was released before: its declaration and plan are back." in text_of(
        again
    )
    assert (draft_of(again).epsilon, draft_of(again).domain.names) == ("0.5", ("sex",))

    go_to(again, "release")
    assert "Getting that release back spends nothing" in text_of(again)
    press(again, "Get the stored release")
    assert not again.exception

    second = draft_of(again).release
    assert (second.result.record.noisy.values == first.result.record.noisy.values).all()
    assert second.result.synthetic.table.equals(first.result.synthetic.table)
    assert second.files["certificate.json"].read_bytes() == (
        first.files["certificate.json"].read_bytes()
    )

    go_to(again, "ledger")
    assert account_texts(again) == ["3", "0.5", "2.5"]


@pytest.mark.slow
def test_a_table_that_was_read_otherwise_is_read_so_again(path: Path) -> None:
    """A restart reads a released file as the steward had it read, and not as it is guessed.

    The header alone speaks for commas: by them no column is named sex, and the plan would
    have none of its columns.
    """
    path.write_text("sex;note, long, and short\n" + "F;a, b\nM;c\nM;d\n" * 50)
    app = use_file(visit(), path)
    assert "sex" not in draft_of(app).source.table.header
    press(app, "Read it that way")
    app.session_state["draft"] = draft_of(app).with_declaration({"fields": [FIELD]})
    go_to(app.run(), "release")
    app.checkbox(key="agreed").check().run()
    press(app, "Release with epsilon 1")
    assert "Released" in text_of(app)

    again = use_file(visit(), path)
    assert not again.exception
    assert draft_of(again).source.table.header == ("sex", "note, long, and short")
    assert draft_of(again).domain.names == ("sex",)
    assert "its declaration and plan are back" in text_of(again)


def test_a_plan_that_fits_no_column_any_more_is_left_aside(path: Path) -> None:
    """A stored plan of other columns is a sentence, and the table can be described anew."""
    release_with_budget(path)
    (stored,) = (home.folder() / "plans").iterdir()
    content = json.loads(stored.read_text())
    content["plan"]["domain"]["fields"][0]["name"] = "another"
    stored.write_text(json.dumps(content))

    again = use_file(visit(), path)
    assert not again.exception
    assert "its plan does not fit the columns as the file is read now" in text_of(again)
    assert draft_of(again).source.table.header == ("sex",)


def test_a_budget_is_never_exceeded(path: Path) -> None:
    """A release that needs more than is left of the budget is refused, and a budget cannot
    fall below what is spent. After 1 of a budget of 1.5, a release for 0.6 is refused. The
    budget can be raised to 2 with a reason, but not set to 0.9.
    """
    release_with_budget(path, "1", budget="1.5")

    app = use_file(visit(), path)
    choose(app, epsilon="0.6")
    go_to(app, "release")
    text = text_of(app).replace("*", "")
    assert (
        "Spend epsilon 0.6 of 1.5 on 1 column; with 1 spent before, it is 1.6 in all" in text
    )

    app.checkbox(key="agreed").check().run()
    press(app, "Release with epsilon 0.6")
    assert "only 0.5 is left" in text_of(app)
    assert draft_of(app).releases == ()

    go_to(app, "ledger")
    app.text_input(key="budget_reason").input("a second wave").run()
    app.text_input(key="new_budget").input("0.9").run()
    press(app, "Set the budget")
    assert "because 1 is already spent" in text_of(app)

    app.text_input(key="new_budget").input("2").run()
    press(app, "Set the budget")
    assert account_texts(app) == ["2", "1", "1"]
    (change,) = (frame for frame in shown_tables(app) if "reason" in frame)
    assert change["budget"] == ["epsilon = 2, replace-one"]
    assert change["reason"] == ["a second wave"]

    with Ledger(home.folder() / "ledger.db", readonly=True) as ledger:
        assert [
            budget_change.reason for budget_change in ledger.balance("people").changes
        ] == ["a second wave"]


def test_a_budget_is_not_changed_without_a_reason(path: Path) -> None:
    """A change of the budget without a reason is refused, and the budget stays as it was."""
    app = go_to(release_with_budget(path, "1", budget="1.5"), "ledger")
    app.text_input(key="new_budget").input("9").run()
    press(app, "Set the budget")
    assert "A change of the budget needs a reason" in text_of(app)
    assert account_texts(app) == ["1.5", "1", "0.5"]


def test_who_has_another_table_sees_nothing_of_the_first(path: Path, tmp_path: Path) -> None:
    """A user with another table sees the name and the bar of the people of the first, and
    neither its spends nor its declaration.

    Where users sign in, the bars of other people wait for a click.
    """
    release_with_budget(path)
    other_path = tmp_path / "other.csv"
    other_path.write_text("sex\nF\n")

    app = use_file(visit(), other_path)
    go_to(app, "ledger")
    assert bar_texts(app) == [
        "**people**: epsilon 1 of 3 spent, 2 left; delta 0 of 1e-06 spent"
    ]
    assert not app.dataframe  # of spends
    assert "**other**: no budget is set." in text_of(app)
    assert draft_of(app).fields == ({"name": "sex"},)


def test_another_table_under_the_same_name_is_told(path: Path) -> None:
    """If a file has the name of an earlier table and other content, the page says so."""
    release_with_budget(path)
    path.write_text("sex\nM\nM\n")
    assert "The name 'people' was used before with another table" in text_of(
        use_file(visit(), path)
    )


@pytest.mark.slow
def test_a_rehearsal_spends_nothing_real(path: Path) -> None:
    """A release of the simulated survey is a rehearsal, and no ledger is written for it."""
    app = visit("data", choose_example())
    go_to(release_by_plan(app), "ledger")
    assert "rehearsal on simulated data" in text_of(app)
    assert not (path.parent / "home" / "ledger.db").exists()


def test_other_people_wait_for_a_click_where_users_sign_in(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server where users sign in, the bars of other people are shown on demand."""
    release_with_budget(path)
    other_path = tmp_path / "other.csv"
    other_path.write_text("sex\nF\n")
    app = use_file(visit(), other_path)
    monkeypatch.setattr("pages.ui.shell.gate.signed_in", lambda: "ann@example.org")

    go_to(app, "ledger")
    assert not app.get("progress")
    app.toggle(key="everybody").set_value(True).run()
    assert len(app.get("progress")) == 1


@pytest.mark.slow
def test_the_delta_of_the_budget_is_named(path: Path) -> None:
    """The page names the delta that is allowed, spent and left, beside each epsilon.

    Of epsilon 3 and delta 1e-6, epsilon 1 and delta 1e-9 are spent.
    """
    spend = Guarantee.approximate(Fraction(1), Fraction(1, 10**9))
    app = at_hand(use_file(visit(), path), "epsilon=3,delta=1e-6", spend)
    assert account_texts(app) == ["3", "1", "2"]
    assert bar_texts(app)[0].endswith("; delta 1e-09 of 1e-06 spent, 9.99e-07 left")

    app.text_input(key="budget_reason").input("no more delta").run()
    app.text_input(key="new_budget").input("epsilon=2,delta=1e-9").run()
    press(app, "Set the budget")
    assert bar_texts(app)[0].endswith("; delta 1e-09 of 1e-09 spent, 0 left")


def test_a_check_that_finds_an_edit_names_the_entry(path: Path) -> None:
    """If an entry was edited while the page was open, the check says which, and nothing else
    is shown of this ledger.
    """
    app = go_to(release_with_budget(path), "ledger")
    with sqlite3.connect(home.folder() / "ledger.db") as connection:
        connection.execute("UPDATE events SET dataset = 'x' WHERE number = 2")
    press(app, "Check the whole ledger")
    assert not app.exception
    assert not app.success
    assert not app.dataframe
    (error,) = app.error
    assert "was edited: entry 2" in error.value.replace("\\", "")


def test_a_check_that_finds_a_lost_value_says_so_beside_the_button(path: Path) -> None:
    """A stored value that was changed is found by the check alone, which says so there.

    The rest of the page stays.
    """
    app = go_to(release_with_budget(path), "ledger")
    with sqlite3.connect(home.folder() / "ledger.db") as connection:
        connection.execute("UPDATE kept SET payload = x'00'")
    press(app, "Check the whole ledger")
    assert not app.exception
    assert not app.success
    (error,) = app.error
    assert "was edited: entry 3" in error.value.replace("\\", "")
    assert account_texts(app)


def test_an_edited_ledger_is_one_sentence_and_the_app_opens(path: Path) -> None:
    """If somebody edits an entry of the ledger, the app opens and names that entry.

    Entry 2 is the spend of the release.
    """
    release_with_budget(path)
    with sqlite3.connect(home.folder() / "ledger.db") as connection:
        connection.execute("UPDATE events SET dataset = 'x' WHERE number = 2")

    app = use_file(visit(), path)
    assert not app.exception
    assert "'ledger.db' was edited: entry 2" in text_of(app)


def test_a_home_that_cannot_be_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the home cannot be made, here below a file, the app opens and says what to set."""
    monkeypatch.setenv("SYNTH_HOME", str(path / "below-a-file"))
    app = use_file(visit(), path)
    assert not app.exception
    assert "set SYNTH_HOME to another folder" in text_of(app)


def test_all_people_have_a_bar_and_their_entries_no_gaps(path: Path) -> None:
    """The page numbers the entries of each dataset from 1, and begins with a bar for each.

    The people of the table come first. For people 1 and 0.5 of 3 are spent, which is 50 %,
    and for others 2 of 2. In the ledger itself the numbers run over all entries.
    """
    app = at_hand(
        use_file(visit(), path), "3", Guarantee.pure(1), Guarantee.pure(Fraction(1, 2))
    )

    with Ledger(home.folder() / "ledger.db") as ledger:
        ledger.set_budget("others", parse_budget("2", Neighbors.REPLACE_ONE))
        ledger.spend(
            dataset="others",
            guarantee=Guarantee.pure(2),
            neighbors=Neighbors.REPLACE_ONE,
            purpose="answers",
        )

    go_to(go_to(app, "data"), "ledger")
    assert not app.exception
    assert list(app.dataframe[0].value["no."]) == [1, 2]

    bars = [progress.proto for progress in app.get("progress")]
    assert [(bar.value, bar.text.replace("\\", "")) for bar in bars] == [
        (50, "**people**: epsilon 1.5 of 3 spent, 1.5 left"),
        (100, "**others**: epsilon 2 of 2 spent, 0 left"),
    ]
    assert "Download the ledger" in [
        button.proto.label for button in app.get("download_button")
    ]


@pytest.mark.parametrize(
    ("platform", "variable", "ends"),
    [
        ("linux", "XDG_DATA_HOME", "synth"),
        ("win32", "LOCALAPPDATA", "Synth"),
        ("darwin", "HOME", "Library/Application Support/Synth"),
    ],
)
def test_the_usual_home_of_each_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, variable: str, ends: str
) -> None:
    """Without SYNTH_HOME the home is the usual folder for data of each platform."""
    monkeypatch.delenv("SYNTH_HOME", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr("sys.platform", platform)
    assert home.folder() == tmp_path / ends


@pytest.mark.usefixtures("path")
def test_a_remembered_plan_that_is_broken_is_forgotten() -> None:
    """A remembered plan that is no JSON, no object or not there counts as none, and raises no
    error.
    """
    plans: Any = home.folder() / "plans"
    plans.mkdir()
    (plans / "x.json").write_text("[")
    (plans / "y.json").write_text(json.dumps([]))
    (plans / "z.json").write_text(json.dumps({"plan": {}}))
    for table in ("x", "y", "z", "not there"):
        assert home.recall_plan(table) is None

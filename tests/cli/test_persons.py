"""`synth ledger persons` and `reserve`, and `--as` and `--project` of commands that spend."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from synth import limits
from synth.door import Ledger
from tests.cli.conftest import Line
from tests.ledger.ledgers import ledger_with_budget
from tests.ledger.two_persons import WORDS, open_with_persons


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a ledger may be made, whose passphrases cost little."""
    monkeypatch.setattr(limits, "SCRYPT_COST", 2**4)
    return tmp_path / "ledger.db"


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Type lines at the standard input of the next command."""

    def type_lines(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_lines


def test_persons_are_set_shown_and_ended(
    path: Path, cli: Line, types: Callable[..., None]
) -> None:
    """Two persons type their passphrases twice; both agree to the end of the setting."""
    ledger = ("--ledger", path)
    types(WORDS["ann"], WORDS["ann"], WORDS["bo"], WORDS["bo"])
    output = cli.output("ledger", "persons", "--names", "ann,bo", *ledger)
    assert output.startswith("The ledger needs two persons since ")
    assert output.endswith(": ann, bo.\n")
    (setting,) = cli.report("ledger", "persons", *ledger)["settings"]
    assert (setting["dataset"], setting["names"]) == (None, ["ann", "bo"])

    types(WORDS["ann"])
    status, _, err = cli("ledger", "persons", "--off", "--as", "ann", *ledger)
    assert status == 4
    assert "Request 3 waits for bo: one person alone may spend again." in err
    types(WORDS["bo"])
    assert "bo approved request 3" in cli.output("approve", 3, "--as", "bo", *ledger)
    types(WORDS["ann"])
    output = cli.output("ledger", "persons", "--off", "--as", "ann", *ledger)
    assert output == "One person alone may spend: nothing is set to two persons.\n"


def test_passphrases_that_differ_set_nothing(
    path: Path, cli: Line, types: Callable[..., None]
) -> None:
    types(WORDS["ann"], WORDS["bo"])
    status, _, err = cli("ledger", "persons", "--names", "ann,bo", "--ledger", path)
    assert status == 2
    assert "The two passphrases differ; nothing was set." in err
    assert Ledger(path).persons.settings() == []


def test_names_and_the_end_exclude_each_other(path: Path, cli: Line) -> None:
    words = ("ledger", "persons", "--names", "ann,bo", "--off", "--ledger", path)
    status, _, err = cli(*words)
    assert status == 2
    assert "--off ends the setting, so it does not go with names; leave one." in err


def test_addresses_are_set_without_passphrases(path: Path, cli: Line) -> None:
    addresses = "ann@example.org,bo@example.org"
    words = ("ledger", "persons", "--signed-in", addresses, "--dataset", "survey")
    (setting,) = cli.report(*words, "--ledger", path)["settings"]
    assert setting["signed_in"] == addresses.split(",")


def test_a_check_waits_and_is_paid_after_its_approval(
    path: Path, cli: Line, types: Callable[..., None], tmp_path: Path
) -> None:
    """Status 4 and the number of the request; after the approval, the same command spends."""
    table, schema = write_survey(tmp_path)
    open_with_persons(path).close()
    line = cli.beginning_with("check", table, "--domain", schema, "--ledger", path)
    words = ("--dataset", "survey", "--epsilon", "0.1")
    status, _, err = line(*words)
    assert status == 2
    assert "Say who you are by --as NAME" in err
    types(WORDS["ann"])
    status, _, err = line(*words, "--as", "ann")
    assert status == 4
    assert "Request 4 waits for bo or cy" in err
    assert "`synth approve 4` shows it." in err
    types(WORDS["bo"])
    cli.output("approve", 4, "--as", "bo", "--ledger", path)
    types(WORDS["ann"])
    line.output(*words, "--as", "ann")
    (entry,) = Ledger(path).entries()
    assert (entry.by, entry.approved_by) == ("ann", "bo")
    assert ", by ann and bo" in cli.output("ledger", "show", "--ledger", path)


def test_a_look_waits_for_the_second_person(
    path: Path, cli: Line, tmp_path: Path, types: Callable[..., None]
) -> None:
    """`check --look` shows no exact number before the approval."""
    table, schema = write_survey(tmp_path)
    open_with_persons(path).close()
    line = cli.beginning_with("check", table, "--domain", schema, "--ledger", path)
    types(WORDS["ann"])
    status, out, err = line("--look", "--dataset", "survey", "--as", "ann")
    assert (status, out) == (4, "")
    assert "a look at exact numbers of the rows" in err


def test_a_project_spends_what_is_reserved_for_it(
    path: Path, cli: Line, tmp_path: Path
) -> None:
    table, schema = write_survey(tmp_path)
    ledger_with_budget(path).close()
    words = ("ledger", "reserve", "0.75", "--dataset", "survey", "--project", "atlas")
    output = cli.output(*words, "--ledger", path)
    assert output.startswith("Of the budget of 'survey', 0.75 is reserved for the project")
    line = cli.beginning_with("check", table, "--domain", schema, "--ledger", path)
    spend = ("--dataset", "survey", "--epsilon", "0.5")
    status, _, err = line(*spend)
    assert status == 2
    assert "0.75 is reserved for other projects" in err
    line.output(*spend, "--project", "atlas")
    shown = cli.output("ledger", "show", "--ledger", path)
    assert "Reserved for the project 'atlas': 0.75, with 0.25 left" in shown


def test_who_acts_needs_a_ledger(cli: Line, tmp_path: Path) -> None:
    table, schema = write_survey(tmp_path)
    words = (
        "check",
        table,
        "--domain",
        schema,
        "--epsilon",
        "1",
        "--no-ledger",
        "--as",
        "ann",
    )
    status, _, err = cli(*words)
    assert (status, err) == (2, "--as does not go with --no-ledger.\n")


def write_survey(folder: Path) -> tuple[Path, Path]:
    """A small table and its declaration."""
    table = folder / "survey.csv"
    table.write_text("sex\n" + "f\nm\n" * 30)
    schema = folder / "survey.json"
    schema.write_text(
        '{"fields": [{"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}]}'
    )
    return table, schema

"""`synth.check`: the look and the check before a release, in the words of the command
line.
"""

import json
from pathlib import Path

import pytest

import synth
from synth.cli.main import main
from synth.domain import write_schema
from tests.tables import write

# A declaration that all rows fit, and one whose values of `sex` no row has.
RIGHT = synth.Domain(sex=["f", "m"], age=synth.Integer(0, 99, bins=5))
WRONG = synth.Domain(sex=["1", "2"], age=synth.Integer(0, 99, bins=5))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [["fm"[n % 2], str(n % 90)] for n in range(900)]
    return write(tmp_path_factory.mktemp("check") / "t.csv", ["sex", "age"], rows)


def test_a_look_says_before_the_spend_what_does_not_fit(table: Path, tmp_path: Path) -> None:
    """Without epsilon, synth.check is a look: exact numbers of rows that fit, by column.

    No row of 900 has a declared sex, and all have a declared age. What a notebook shows by
    itself has no exact number.
    """
    check = synth.check(table, WRONG, ledger=tmp_path / "l.jsonl", dataset="t", budget=3)
    assert check.notes == (
        "Only 0 of 900 rows (0.0 %) fit column 'sex'; Synth leaves out the others.",
    )
    assert (check.together, check.columns, check.is_few) == (0, {"sex": 0, "age": 900}, True)
    assert "900" not in repr(check)
    assert synth.check(table, RIGHT).notes == ()


def test_a_release_after_a_look_says_so(table: Path) -> None:
    """A release with a domain that was looked at says that it may depend on the table."""
    check = synth.check(table, RIGHT)
    release = synth.release(table, check.domain, epsilon=1)
    assert "may depend on the table" in str(release.certificate.to_json())


def test_the_look_has_the_words_of_the_command_line(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Notes of a look are the same sentences in Python as by `synth check --look`."""
    declaration = tmp_path / "d.json"
    declaration.write_text(json.dumps(write_schema(WRONG)))
    options = [
        "--domain",
        str(declaration),
        "--look",
        "--out",
        str(tmp_path / "o.json"),
        "--json",
    ]
    assert main(["check", str(table), *options]) == 0
    output = json.loads(capsys.readouterr().out)
    assert tuple(output["alarms"]) == synth.check(table, WRONG).notes


def test_a_check_is_paid_and_a_release_with_its_ledger_is_refused(
    table: Path, tmp_path: Path
) -> None:
    """A paid check that finds few rows makes a later release with the same ledger be refused.

    Of a budget of 3 it costs 2: epsilon 1 for all columns together, and 1 for `sex`. Each of
    the two numbers has a note, since few rows fit.
    """
    where = {"ledger": tmp_path / "l.jsonl", "dataset": "t"}
    check = synth.check(table, WRONG, 1, columns=["sex"], budget=3, **where)  # type: ignore[arg-type]
    assert (check.is_few, [*check.columns], len(check.notes)) == (True, ["sex"], 2)
    assert not check.domain.looked
    assert synth.Ledger(where["ledger"]).balance("t").spent == 2  # type: ignore[arg-type]
    with pytest.raises(synth.SynthError, match="Not released: by the check"):
        synth.release(table, WRONG, epsilon=1, **where)  # type: ignore[arg-type]

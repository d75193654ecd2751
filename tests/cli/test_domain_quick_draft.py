"""The quick draft in Python and on the command line: the same draft, advice and words."""

import json
from pathlib import Path

import pytest

import synth
from tests.cli.conftest import Line
from tests.tables import SHARED

TABLES = (
    "bank_marketing/bank.csv",
    "birdstrikes/birdstrikes.csv",
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv",
    "german_credit/german_credit.csv",
    "horse_colic/horse_colic.csv",
    "penguins/penguins_raw.csv",
    "salaries_ai/salaries.csv",
    "titanic/titanic.csv",
)


def same(path: Path, folder: Path, cli: Line) -> synth.Draft:
    """Draft both ways, and see that nothing differs."""
    status, _, told = cli("domain", "draft", path, "--look", "--out", folder / "d.json")
    assert status == 0
    found = synth.draft(path)
    assert json.loads((folder / "d.json").read_text()) == found.document
    notes = [line.removeprefix("Note: ") for line in told.splitlines()]
    places = [notes.index(note) for note in found.notes]
    assert places == sorted(places), "in the same order"
    return found


def test_a_draft_is_the_same_in_python_and_on_the_command_line(tmp_path: Path, cli: Line) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{n:05},{'FM'[n % 2]},{n % 7}" for n in range(600)]
    path.write_text("\n".join(["file,sex,visits", *rows]))
    found = same(path, tmp_path, cli)
    assert found.domain.names == ("sex", "visits")


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_drafts_of_shared_tables_are_the_same(name: str, tmp_path: Path, cli: Line) -> None:
    if not (SHARED / name).exists():
        pytest.skip("the shared tables are not at hand")
    same(SHARED / name, tmp_path, cli)

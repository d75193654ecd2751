"""The quick draft and the forecast in the app, Python and the command line: the same
words.
"""

import json
from pathlib import Path
from shutil import copy

import pytest

import synth
from synth.drafting import Review
from tests.app import steward
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


def draft_three_ways(path: Path, folder: Path, cli: Line) -> synth.Draft:
    """Draft a table by command, in Python and in the app, and check that nothing differs.

    Return the draft.
    """
    status, _, errors = cli("domain", "draft", path, "--look", "--out", folder / "d.json")
    assert status == 0
    draft = synth.draft(path)
    assert json.loads((folder / "d.json").read_text()) == draft.document
    notes = [line.removeprefix("Note: ") for line in errors.splitlines()]
    places = [notes.index(note) for note in draft.notes]
    assert places == sorted(places), "in the same order"
    app = steward.go_to(steward.use_file(steward.visit(), path), "domain")
    look = next(
        b.label for b in app.button if b.label.startswith(("Look at the data", "Quick"))
    )
    app_draft = steward.draft_of(steward.press(app, look))
    assert app_draft.domain is not None
    assert app_draft.domain.columns == draft.domain.columns
    assert (*app_draft.look.values(),) == draft.columns
    assert (
        app_draft.look_remarks
        == draft.notes[len(draft.notes) - len(app_draft.look_remarks) :]
    )
    out = [column for column in draft.columns if column.review is Review.IDENTIFIERS]
    rows = steward.rows_of(app)
    assert all(f"It {column.reason}." in rows[column.name]["lost"] for column in out)
    return draft


def test_a_draft_is_the_same_in_python_and_on_the_command_line(
    tmp_path: Path, cli: Line
) -> None:
    """Command, Python and app draft the same declaration; a column of file numbers is left
    out.

    The numbers of the column `file` differ in every row, so they look like identifiers.
    """
    path = tmp_path / "t.csv"
    rows = [f"{n:05},{'FM'[n % 2]},{n % 7}" for n in range(600)]
    path.write_text("\n".join(["file,sex,visits", *rows]))
    draft = draft_three_ways(path, tmp_path, cli)
    assert draft.domain.names == ("sex", "visits")


@pytest.mark.slow
def test_what_a_plan_will_lose_is_said_in_the_same_words(tmp_path: Path, cli: Line) -> None:
    """Fifteen columns have 105 pairs, too many for 900 rows at epsilon 1: none is kept.

    Python, the command line and the app say so in the same sentences, and name the same
    changes in the same order.
    """
    path = tmp_path / "t.csv"
    names = "abcdefghijklmno"
    rows = [",".join("fmx"[(n * k) % 3] for k in range(1, 16)) for n in range(900)]
    path.write_text("\n".join([",".join(names), *rows]))
    domain = tmp_path / "d.json"
    assert cli("domain", "draft", path, "--look", "--out", domain)[0] == 0

    forecast = synth.forecast(synth.Domain.from_schema(domain), epsilon=1, rows=900)
    assert forecast.relations.startswith("This table would show no relation between columns")

    output = cli("forecast", "--domain", domain, "--epsilon", "1", "--rows", "900")[1]
    app = steward.go_to(steward.use_file(steward.visit(), path), "domain")
    look = next(
        b.label for b in app.button if b.label.startswith(("Look at the data", "Quick"))
    )
    page = steward.go_to(steward.press(app, look), "plan")
    assert forecast.relations in output
    assert forecast.relations in steward.text_of(page)

    *changes, public = forecast.changes
    places = [output.index(f"{c.sentence} {c.relations}") for c in (*changes[:1], *changes)]
    assert places == sorted(places)
    assert public.sentence in output
    offered = [b.label for b in page.button if str(b.key).startswith("change ")]
    assert offered == [change.title for change in changes]


def test_a_draft_of_few_rows_proposes_nothing_and_says_why(tmp_path: Path, cli: Line) -> None:
    """From 9 rows no column is described: the draft has names only, and a note says why."""
    path = tmp_path / "t.csv"
    out = tmp_path / "d.json"
    path.write_text("age,sex\n" + "41,f\n42,m\n43,f\n" * 3)

    status, _, errors = cli("domain", "draft", path, "--look", "--out", out)
    assert status == 0
    assert errors.startswith("Note: Too few rows of the table can be read")
    assert "taken from the private data" not in errors  # nothing was
    fields = [{"name": "age"}, {"name": "sex"}]
    assert json.loads(out.read_text()) == {"fields": fields, "missingValues": [""]}
    assert synth.draft(path).document == json.loads(out.read_text())


def test_chosen_columns_are_released_beside_open_ones(tmp_path: Path, cli: Line) -> None:
    """A column that a draft left open is refused, and the others can be released without it.

    "03/04/2014" may be 3 April or 4 March, so the draft leaves the column `day` open.
    """
    path = tmp_path / "t.csv"
    out = tmp_path / "d.json"
    path.write_text("day,sex\n" + "03/04/2014,f\n05/06/2014,m\n" * 100)
    assert cli("domain", "draft", path, "--look", "--out", out)[0] == 0

    words = ["release", path, "--domain", out, "--epsilon", 5, "--budget", 5]
    assert "Column 'day'" in cli.refusal(*words, "--out", tmp_path / "no")
    assert "no column 'sax'; did you mean 'sex'?" in cli.refusal(
        *words, "--columns", "sax", "--out", tmp_path / "no"
    )

    assert cli(*words, "--columns", "sex", "--out", tmp_path / "o", "--anyway")[0] == 0
    assert (tmp_path / "o" / "synthetic.csv").read_text().startswith("sex\n")
    assert (
        cli("forecast", "--domain", out, "--columns", "sex", "--epsilon", 5, "--rows", 200)[0]
        == 0
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_drafts_of_shared_tables_are_the_same(name: str, tmp_path: Path, cli: Line) -> None:
    """Command, Python and app draft the same declaration of a real table, in the
    same words.
    """
    if not (SHARED / name).exists():
        pytest.skip("the shared tables are not at hand")
    draft_three_ways(Path(copy(SHARED / name, tmp_path)), tmp_path, cli)


def test_a_release_names_what_stays_out_and_keeps_other_names_secret(
    tmp_path: Path, cli: Line
) -> None:
    """Terminal, certificate and statement name the columns that a declaration leaves out.

    A name that the steward deletes from the declaration, as that of 'hiv_ward' here, is
    printed for the steward alone, and is in no file.
    """
    rows = [f"{1000 + 7 * i},{'fm'[i % 2]},{'ab'[i % 2]},x" for i in range(290)]
    rows += [f"{9000 + i},f,town {i},x" for i in range(10)]
    path = tmp_path / "t.csv"
    path.write_text("person_id,sex,town,hiv_ward\n" + "\n".join(rows) + "\n")
    assert cli("domain", "draft", path, "--look", "--out", tmp_path / "d.json")[0] == 0
    document = json.loads((tmp_path / "d.json").read_text())
    assert document["synth:left_out"] == {
        "person_id": "is a key that identifies rows or persons",
        "town": "was to decide, and nobody decided",
    }
    document["fields"] = [new for new in document["fields"] if new["name"] != "hiv_ward"]
    (tmp_path / "d.json").write_text(json.dumps(document))

    words = ["release", path, "--domain", tmp_path / "d.json", "--epsilon", "1"]
    status, out, err = cli(*words, "--out", tmp_path / "out")
    sentence = (
        "Left out: 'person_id' (is a key that identifies rows or persons); 'town' (was to "
        "decide, and nobody decided)."
    )
    assert status == 0
    assert sentence in out
    assert "nothing of them is released: 'hiv_ward'." in err
    statement = (tmp_path / "out" / "statement.txt").read_text()
    assert sentence in " ".join(statement.split())
    for file in (tmp_path / "out").rglob("*"):
        assert file.is_dir() or b"hiv_ward" not in file.read_bytes(), file

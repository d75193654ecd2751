"""The page Domain, run without a browser: the card, many columns at once, a look at the
data.
"""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.domain import DECLARED, DRAFTED, LOOKED_UP, read_schema, write_schema
from tests.app.steward import (
    draft_of,
    error_texts,
    go_to,
    press,
    rows_of,
    text_of,
    use_file,
    visit,
)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page with a table of which nothing is declared, and a ledger of its own."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table = tmp_path / "people.csv"
    table.write_text(
        "sex,visit,hours,person_id\n" + "1,2024-05-17,40,7\n2,2024-08-01,38,8\n" * 60
    )
    return go_to(use_file(visit(), table), "domain")


def test_a_date_by_the_calendar_and_a_number_with_spikes(people: AppTest) -> None:
    """The user can cut dates by the calendar, and give single numbers a cell of their own
    (spikes). From February to December there are four quarters. The spike 40 cuts the bin
    from 35, and 99 is above the bounds. Signs are texts that are no numbers; a semicolon
    separates those with a comma.
    """
    people.selectbox(key="open_column").select("visit").run()
    people.selectbox(key="column visit kind").select("date").run()
    people.text_input(key="column visit minimum").input("2024-02-10").run()
    people.text_input(key="column visit maximum").input("2024-12-31").run()
    people.selectbox(key="column visit period").select("quarter").run()
    assert draft_of(people).domain["visit"].labels == (
        "2024-Q1",
        "2024-Q2",
        "2024-Q3",
        "2024-Q4",
    )

    people.selectbox(key="open_column").select("hours").run()
    people.selectbox(key="column hours kind").select("integer").run()
    people.text_input(key="column hours edges").input("0, 35, 60").run()
    people.text_input(key="column hours spikes").input("40, 99").run()
    labels = ("0 to 34", "35 to 39", "40", "41 to 60", "99")
    assert draft_of(people).domain["hours"].labels == labels
    people.text_input(key="column hours signs").input(">60, no, thanks;").run()
    assert draft_of(people).domain["hours"].signs == (">60, no, thanks",)
    people.text_input(key="column hours signs").input(">60, n.d.").run()
    assert draft_of(people).domain["hours"].cells == (*labels, ">60", "n.d.", "(missing)")
    assert not people.error


def test_a_code_book_is_pasted_and_a_wrong_one_is_one_sentence(people: AppTest) -> None:
    """A pasted code book sets the categories and their labels.

    One that lists a code twice is refused, and the categories stay.
    """
    people.selectbox(key="column sex kind").select("categorical").run()
    people.text_area(key="column sex book").input("1, male\n2, female").run()
    assert draft_of(people).domain["sex"].titles[:2] == ("1 · male", "2 · female")
    captions = [caption.value.replace("\\", "") for caption in people.caption]
    assert any("1 · male | 2 · female" in caption for caption in captions)

    people.text_area(key="column sex book").input("1, male\n1, female").run()
    assert error_texts(people) == ["The code book lists '1' twice."]
    assert draft_of(people).domain["sex"].labels == ("1", "2")


def test_many_columns_are_declared_left_out_and_chosen(people: AppTest) -> None:
    """The columns that the search finds can be declared, left out, chosen alone or taken in,
    all at once. Only sex and hours are declared, so only these can take part.
    """
    people.text_input(key="search").input("sex, hours").run()
    people.selectbox(key="all_kind").select("integer")
    people.text_input(key="all_minimum").input("0")
    people.text_input(key="all_maximum").input("9")
    press(people, "Declare 2 columns")
    assert "2 columns declared anew." in text_of(people)
    assert draft_of(people).chosen_names == ("sex", "hours")

    people.text_input(key="search").input("hours").run()
    people.button(key="part_out").click().run()
    assert draft_of(people).chosen_names == ("sex",)

    press(people, "Only these")
    assert draft_of(people).chosen_names == ("hours",)

    people.text_input(key="search").input("").run()
    press(people, "Take part")
    assert draft_of(people).chosen_names == ("sex", "hours")


def test_a_wrong_change_of_many_columns_changes_nothing(people: AppTest) -> None:
    """If a change of many columns is invalid, none of them changes.

    The code book lists a code twice.
    """
    before = draft_of(people).fields
    people.selectbox(key="all_kind").select("categorical")
    people.text_area(key="all_codes").input("1\n1")
    press(people, "Declare 4 columns")
    assert error_texts(people) == ["The code book lists '1' twice."]
    assert draft_of(people).fields == before


def test_looking_at_the_data_is_asked_for_and_stamps_plan_and_certificate(
    people: AppTest,
) -> None:
    """Values that were looked up in the rows are marked in the plan and in the certificate.

    Nothing is looked up before the user presses the button. Starting afresh removes the
    values and the mark.
    """
    assert draft_of(people).domain is None
    press(people, "Look at the data for 4 columns")
    assert "Not publishable yet" in text_of(people)

    people.text_input(key="search").input("sex, hours").run()
    press(people, "Only these")
    assert draft_of(people).plan().domain.origin == LOOKED_UP

    go_to(people, "release")
    people.checkbox(key="agreed").check().run()
    press(people, "Release with epsilon 1")
    files = draft_of(people).release.files
    certificate = json.loads(files["certificate.json"].read_text())
    assert certificate["domain_origin"] == LOOKED_UP

    go_to(people, "domain")
    press(people, "Start afresh with the names only")
    assert draft_of(people).domain is None
    assert "Not publishable yet" not in text_of(people)


def test_a_draft_with_a_guarantee_is_confirmed_paid_and_counted(people: AppTest) -> None:
    """A draft of the declaration is made after a confirmation, and its cost is part of the
    declaration. The table has 120 rows only, so the draft gets epsilon 90 of a budget of 100.
    Without a delta, the page warns of what cannot be found.
    """
    assert "cannot be taken back" in text_of(people)
    people.text_input(key="draft epsilon").input("90").run()
    people.text_input(key="draft delta").input("").run()
    assert "Without a delta" in text_of(people)
    assert any(b.label == "Draft 4 columns" and b.disabled for b in people.button)

    people.text_input(key="choice_budget").input("100").run()
    people.checkbox(key="draft agreed").check().run()
    press(people, "Draft 4 columns")
    assert not people.error

    now = draft_of(people)
    assert now.origin == DRAFTED
    assert [paid_draft["guarantee"]["epsilon"] for paid_draft in now.drafts] == ["90"]
    assert now.domain is not None
    assert "sex" in now.domain.names
    assert read_schema(write_schema(now.domain)).drafts == now.domain.drafts


def test_a_universe_too_large_to_write_down_is_no_obstacle(people: AppTest) -> None:
    """A declaration with 10^8 cells (10,000 by 10,000) is accepted, and the next step is
    open. That is too many for a histogram, but other methods can model them.
    """
    fields = [
        {
            "name": name,
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 9999},
            "synth:bins": 10_000,
        }
        for name in ("sex", "hours")
    ]
    content = json.dumps({"fields": fields}).encode()
    people.file_uploader[0].upload("domain.json", content, "application/json").run()
    assert "You can go on all the same" in text_of(people)
    assert not people.error
    assert not next(b for b in people.button if b.label == "Next: Plan").disabled


def test_what_an_import_did_not_say_is_shown(people: AppTest) -> None:
    """After an import the page names what is still missing and which columns differ.

    SDV metadata has no categories; the table has no column gone; and the metadata knows sex
    only.
    """
    columns = {"sex": {"sdtype": "categorical"}, "gone": {"sdtype": "boolean"}}
    content = json.dumps({"columns": columns}).encode()
    people.file_uploader[0].upload("sdv.json", content, "application/json").run()

    words = text_of(people)
    for note in (
        "Column 'sex' needs categories",
        "In the table and not in the declaration: visit, hours, person_id.",
        "In the declaration and not in the table: gone.",
    ):
        assert note in words
    assert not people.error


def test_after_a_look_the_sheet_shows_an_example_and_the_share_of_empty_cells(
    tmp_path: Path,
) -> None:
    """After a look at the rows the sheet shows an example and the share of empty cells of
    each column. One of each four rows has no hours. The page is then marked as private.
    """
    table = tmp_path / "people.csv"
    table.write_text("sex,hours\n" + "F,40\nM,\nF,38\nF,40\n" * 50)
    app = go_to(use_file(visit(), table), "domain")
    assert "example" not in app.data_editor[0].value.columns

    press(app, "Look at the data for 2 columns")
    sheet_rows = app.data_editor[0].value
    assert list(sheet_rows["example"]) == ["F", "40"]
    assert list(sheet_rows["empty"]) == ["0.0 %", "25.0 %"]
    assert "Private - do not share" in text_of(app)


def test_below_ten_rows_a_look_proposes_nothing_and_says_why(tmp_path: Path) -> None:
    """Of a table with nine rows a look fills in nothing, and the page says that 10 rows are
    needed. The columns stay undeclared.
    """
    table = tmp_path / "few.csv"
    table.write_text(
        "sex,visit,hours\n" + "1,2024-05-17,40\n2,2024-08-01,38\n3,2024-09-03,37\n" * 3
    )
    app = go_to(use_file(visit(), table), "domain")
    press(app, "Look at the data for 3 columns")
    assert "Too few rows of the table can be read: a draft needs at least 10" in text_of(app)

    assert draft_of(app).fields == ({"name": "sex"}, {"name": "visit"}, {"name": "hours"})
    assert draft_of(app).origin == DECLARED
    assert draft_of(app).undeclared_names() == ["sex", "visit", "hours"]


def test_columns_that_lose_values_wait_until_the_user_agrees(tmp_path: Path) -> None:
    """Of 110 rows ten have a town, or a job, of their own: both columns stay out.

    One press agrees to one of them, another one to both. Each loss stays on the page.
    """
    table = tmp_path / "towns.csv"
    rows = [f"{'ab'[i % 2]},{'cd'[i % 2]},f" for i in range(100)]
    rows += [f"town {i},job {i},m" for i in range(10)]
    table.write_text("town,job,sex\n" + "\n".join(rows) + "\n")
    app = go_to(use_file(visit(), table), "domain")
    press(app, "Look at the data for 3 columns")

    assert draft_of(app).domain.names == ("sex",)
    assert draft_of(app).losing_names == ("town", "job")
    lost = "12 values: 2 listed, 10 become (other), 9.1 % of the rows"
    assert [rows_of(app)[name]["values"] for name in ("town", "job")] == [lost, lost]
    assert [row["status"] for row in rows_of(app).values()] == ["decide", "decide", "clear"]
    assert "1 of 3 columns goes on. 2 wait for you: town, job." in text_of(app)

    # The card of the first is open; after the answer it is that of the next.
    app.button(key="decide town True").click().run()
    assert draft_of(app).domain.names == ("town", "sex")
    assert rows_of(app)["town"]["values"] == lost
    assert app.selectbox(key="open_column").value == "job"

    app = go_to(use_file(visit(), table), "domain")
    press(app, "Look at the data for 3 columns")
    press(app, "Take in town and job")
    assert draft_of(app).domain.names == ("town", "job", "sex")
    assert draft_of(app).losing_names == ()


def test_plan_and_release_name_what_stays_out_and_a_name_may_be_kept_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both pages name each column that takes no part, with its reason.

    What public files say of them is in the domain of the plan. The user may take a name out
    of it. Whoever agrees to a loss is recorded there, too.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table = tmp_path / "towns.csv"
    rows = [f"{1000 + 7 * i},{'ab'[i % 2]},{'cd'[i % 2]},f" for i in range(100)]
    rows += [f"{9000 + i},town {i},job {i},m" for i in range(10)]
    table.write_text("person_id,town,job,sex\n" + "\n".join(rows) + "\n")
    app = go_to(use_file(visit(), table), "domain")
    press(app, "Look at the data for 4 columns")
    app.selectbox(key="open_column").select("job").run()
    app.button(key="decide job True").click().run()

    decisions = draft_of(app).domain.decisions
    assert decisions.left_out == {
        "person_id": "is a key that identifies rows or persons",
        "town": "was to decide, and nobody decided",
    }
    assert decisions.agreed == {"job": "values that are not listed come out as (other)"}
    for page in ("plan", "release"):
        text = text_of(go_to(app, page)).replace("\\", "")
        assert "'person_id' (is a key that identifies rows or persons)" in text
        assert "'town' (was to decide, and nobody decided)" in text

    go_to(app, "domain").multiselect(key="withheld").select("town").run()
    decisions = draft_of(app).domain.decisions
    assert [*decisions.left_out] == ["person_id"]
    assert "Left out, and named in no file: 'town'" in text_of(go_to(app, "plan"))

    # A described column that the user leaves out is named, and an undescribed one is not.
    changed = draft_of(app).change(left_out=frozenset({"person_id", "town", "job"}))
    assert {*changed.domain.decisions.left_out} == {"job", "person_id"}
    described = draft_of(app).with_declaration(write_schema(draft_of(app).domain))
    assert [*described.domain.decisions.left_out] == ["person_id"]


GERMAN = "sex;income\n" + "".join(f"{1 + n % 2};{n % 60},5\n" for n in range(300))


def test_decimal_commas_are_read_by_one_click_that_can_be_undone(tmp_path: Path) -> None:
    """The column waits, the click reads the file with decimal commas and describes it as
    numbers, and Undo takes both back. The other column stays as it is.
    """
    table = tmp_path / "german.csv"
    table.write_text(GERMAN)
    app = go_to(use_file(visit(), table), "domain")
    press(app, "Look at the data for 2 columns")
    before = draft_of(app)
    assert "It holds numbers with a decimal comma" in text_of(app)
    assert rows_of(app)["income"]["status"] == "decide"

    press(app, "Read decimal commas: income")
    assert draft_of(app).source.table.asked == ("delimiter=;", "decimal=,")
    assert draft_of(app).field_of("income")["type"] == "number"
    assert draft_of(app).field_of("sex") == before.field_of("sex")
    assert rows_of(app)["income"]["status"] == "clear"
    assert not app.exception

    app.button(key="undo").click().run()
    assert draft_of(app).source.table.asked == ("delimiter=;",)
    assert draft_of(app).field_of("income")["type"] == "string"
    assert "Read decimal commas: income" in [button.label for button in app.button]


def test_decimal_commas_are_not_read_where_another_column_has_points(tmp_path: Path) -> None:
    """A file has one decimal mark: with commas, the numbers of the other column were lost."""
    table = tmp_path / "mixed.csv"
    rows = "".join(f"{number % 70}.5;{number % 60},5\n" for number in range(300))
    table.write_text(f"weight;income\n{rows}")
    app = go_to(use_file(visit(), table), "domain")
    press(app, "Look at the data for 2 columns")
    assert rows_of(app)["income"]["status"] == "decide"
    assert not [button for button in app.button if "decimal commas" in button.label]

"""Code books in the step Domain: mapped on screen, one of several tables, several at once."""

import json
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from synth.domain import LOOKED_UP
from tests.app.steward import draft_of, go_to, press, text_of, use_file, visit


@pytest.fixture
def people_page() -> AppTest:
    """The step Domain, with a table of the columns sex and age."""
    app = visit()
    app.file_uploader[0].upload("people.csv", b"sex,age\n1,41\n", "text/csv").run()
    return go_to(app, "domain")


def upload_books(page: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Upload code books on the page of the step Domain."""
    for name, content in files:
        page.file_uploader[0].upload(name, content, "text/csv")
    page.run()
    assert not page.exception
    return page


@pytest.mark.slow
def test_a_sheet_is_mapped_with_guesses_chosen_beforehand(people_page: AppTest) -> None:
    """Headings that Synth knows are mapped beforehand, and the user maps the others.

    A box holds the number of the column in the book: Field is 0, Von is 2, Fragebogen is 4.
    It holds -1 if none was guessed.
    """
    book = b"Field;Codes;Von;Bis;Fragebogen\nsex;1=male, 2=female;;;F1\nage;;0;99;F2\n"
    upload_books(people_page, ("book.csv", book))
    assert "**book.csv** has 5 columns" in text_of(people_page)

    boxes = {box.label: box for box in people_page.selectbox if "not in it" in box.options}
    assert boxes["Name of the column"].value == 0
    assert boxes["Smallest value"].value == 2
    assert boxes["Description of the column"].value == -1

    boxes["Description of the column"].set_value(4).run()
    press(people_page, "Use this data dictionary")

    assert not people_page.error
    assert draft_of(people_page).chosen_names == ("sex", "age")
    fields = {field["name"]: field for field in draft_of(people_page).fields}
    assert fields["sex"]["categories"][1] == {"value": "2", "label": "female"}
    assert fields["age"]["description"] == "F2"
    assert "has 5 columns" not in text_of(people_page)


def test_titles_that_tell_nothing_are_said(people_page: AppTest) -> None:
    """A code book whose headings mean nothing can be used after the user ticks a box.

    It lists the values of sex only, so only that column is declared. The headings are x, y
    and z.
    """
    upload_books(people_page, ("book.csv", b"x;y;z\nsex;1;male\nsex;2;female\n"))
    people_page.checkbox[0].check().run()
    press(people_page, "Use this data dictionary")
    assert draft_of(people_page).chosen_names == ("sex",)


def test_one_of_several_tables_is_chosen(people_page: AppTest) -> None:
    """If a data package describes several tables, the user picks one, and its columns are
    declared. Both tables, a and b, declare the column age here.
    """
    age = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
    resources = [{"name": name, "schema": {"fields": [age]}} for name in ("a", "b")]

    upload_books(
        people_page, ("datapackage.json", json.dumps({"resources": resources}).encode())
    )
    press(people_page, "Take it")
    assert draft_of(people_page).chosen_names == ("age",)


def test_two_that_disagree_are_refused(people_page: AppTest) -> None:
    """Two code books with different bounds for a column are refused, and nothing is declared.

    1.csv says that age goes from 0 to 19, and 2.csv from 0 to 29.
    """
    books = [(f"{i}.csv", f"name,min,max\nage,0,{i}9\n".encode()) for i in (1, 2)]
    upload_books(people_page, *books)
    (error,) = people_page.error
    assert "disagree on column 'age': '1.csv' says integer from 0 to 19" in str(
        error.value
    ).replace("\\", "")
    assert draft_of(people_page).domain is None


@pytest.mark.slow
def test_a_look_goes_on_where_the_labels_of_the_file_stop(tmp_path: Path) -> None:
    """The labels of an SPSS file leave two columns open; a look at the rows settles both.

    The description is marked as taken from the data. Codes for missing values stay with
    their column, and are shown on its card.
    """
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"edu": [1.0, 2, 3, 8, 9] * 40, "hours": [0.0, 8, 9, 12] * 50})
    labels = {1: "low", 2: "middle", 3: "high", 8: "refused", 9: "unknown"}
    pyreadstat.write_sav(
        frame,
        tmp_path / "t.sav",
        variable_value_labels={"edu": labels},
        missing_ranges={"edu": [8, 9]},
    )
    app = go_to(use_file(visit(), tmp_path / "t.sav"), "domain")
    press(app, "Take the labels of the table's own file")
    assert not app.exception
    assert draft_of(app).origin == LOOKED_UP
    assert draft_of(app).undeclared_names() == ["edu", "hours"]
    assert "whether there are others is to decide" in text_of(app)

    press(app, "Look at the data for 2 columns")
    assert not app.exception
    draft = draft_of(app)
    assert draft.undeclared_names() == []
    assert draft.columns["edu"].labels == ("1", "2", "3", "8", "9")
    assert draft.columns["edu"].reasons == ("8", "9")
    assert draft.columns["hours"].labels[-1] == "12"
    app.selectbox(key="open_column").select("edu").run()
    label = "Spellings of a missing value in this column"
    assert next(box.value for box in app.text_input if box.label == label) == "8, 9"

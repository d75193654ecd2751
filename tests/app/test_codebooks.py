"""Code books in the step Domain: mapped on screen, one of several tables, several at once."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.steward import draft, go, press, said, visit


@pytest.fixture
def people() -> AppTest:
    app = visit()
    app.file_uploader[0].upload("people.csv", b"sex,age\n1,41\n", "text/csv").run()
    return go(app, "domain")


def take(page: AppTest, *files: tuple[str, bytes]) -> AppTest:
    for name, content in files:
        page.file_uploader[0].upload(name, content, "text/csv")
    page.run()
    assert not page.exception
    return page


def test_a_sheet_is_mapped_with_guesses_chosen_beforehand(people: AppTest) -> None:
    book = b"Field;Codes;Von;Bis;Fragebogen\nsex;1=male, 2=female;;;F1\nage;;0;99;F2\n"
    take(people, ("book.csv", book))
    assert "**book.csv** has 5 columns" in said(people)
    boxes = {box.label: box for box in people.selectbox if "not in it" in box.options}
    assert boxes["Name of the column"].value == 0
    assert boxes["Smallest value"].value == 2
    assert boxes["Description of the column"].value == -1
    boxes["Description of the column"].set_value(4).run()
    press(people, "Use this data dictionary")
    assert not people.error
    assert draft(people).chosen_names == ("sex", "age")
    fields = {field["name"]: field for field in draft(people).fields}
    assert fields["sex"]["categories"][1] == {"value": "2", "label": "female"}
    assert fields["age"]["description"] == "F2"
    assert "has 5 columns" not in said(people)


def test_titles_that_tell_nothing_are_said(people: AppTest) -> None:
    take(people, ("book.csv", b"x;y;z\nsex;1;male\nsex;2;female\n"))
    people.checkbox[0].check().run()
    press(people, "Use this data dictionary")
    assert draft(people).chosen_names == ("sex",)


def test_one_of_several_tables_is_chosen(people: AppTest) -> None:
    age = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
    resources = [{"name": name, "schema": {"fields": [age]}} for name in ("a", "b")]
    take(people, ("datapackage.json", json.dumps({"resources": resources}).encode()))
    press(people, "Take it")
    assert draft(people).chosen_names == ("age",)


def test_two_that_disagree_are_refused(people: AppTest) -> None:
    books = [(f"{i}.csv", f"name,min,max\nage,0,{i}9\n".encode()) for i in (1, 2)]
    take(people, *books)
    (error,) = people.error
    assert "disagree on column 'age': '1.csv' says integer from 0 to 19" in str(
        error.value
    ).replace("\\", "")
    assert draft(people).domain is None

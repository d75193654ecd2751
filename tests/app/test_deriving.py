"""Columns that follow from others, in step 2: added, shown made up, refused, kept."""

from pathlib import Path

import pytest

from pages.ui.shell.draft import Draft
from pages.ui.shell.release import Source
from synth.private.table import open_table
from tests.app.steward import draft_of as draft_in
from tests.app.steward import error_texts, go_to, press, text_of, use_file, visit

AGE = {"name": "age", "type": "integer", "constraints": {"minimum": 18, "maximum": 97}}
GROUP = {"name": "age_group", "synth:derived": {"formula": "bins(age, 30)"}}


def draft_of(folder: Path) -> Draft:
    """Return the draft of a table of age and age_group, without a declaration."""
    path = folder / "people.csv"
    path.write_text("age,age_group\n41,30 and over\n", encoding="utf-8")
    return Draft(source=Source(title="people.csv", table=open_table(path)))


def test_a_declaration_brings_them_and_the_plan_has_them(tmp_path: Path) -> None:
    """A derived column of an imported declaration is in the plan and comes back from its
    JSON. GROUP derives age_group from age.
    """
    draft = draft_of(tmp_path).with_declaration({"fields": [AGE, GROUP]})
    assert draft.plan().domain.written == ("age", "age_group")
    again = draft_of(tmp_path).with_plan(draft.plan().to_json())
    assert again.plan() == draft.plan()


def test_one_that_follows_from_what_is_left_out_is_said_to_be_wrong(tmp_path: Path) -> None:
    """A derived column is reported as wrong if the column it follows from is left out.

    GROUP derives age_group from age. The domain then has the remaining column sex only.
    """
    sex = {"name": "sex", "type": "string", "constraints": {"enum": ["f"]}}
    path = tmp_path / "more.csv"
    path.write_text("age,sex\n41,f\n", encoding="utf-8")
    draft = Draft(source=Source(title="more.csv", table=open_table(path))).with_declaration(
        {"fields": [AGE, sex, GROUP]}
    )

    without = draft.change(left_out=frozenset({"age"}))
    assert without.derived_columns == (
        (),
        {"age_group": "Column 'age_group' follows from 'age', which does not take part."},
    )
    assert without.domain is not None
    assert without.domain.written == ("sex",)


def test_one_is_added_shown_made_up_refused_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user adds a derived column by a formula; it is shown on made-up rows and can be
    removed. A formula with a column that does not take part is refused. Made-up rows show no
    real value.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table = tmp_path / "people.csv"
    table.write_text("age\n" + "41\n55\n" * 30, encoding="utf-8")

    app = use_file(visit(), table)
    app.session_state["draft"] = draft_in(app).with_declaration({"fields": [AGE]})
    go_to(app, "domain")

    # No column wage takes part, so the formula is refused.
    app.text_input(key="derived_name").input("age_group")
    app.text_input(key="derived_formula").input("bins(wage, 30)").run()
    press(app, "Add the column")
    said_wrong = "Column 'age_group' follows from 'wage', which does not take part."
    assert error_texts(app) == [said_wrong]

    app.text_input(key="derived_formula").input("bins(age, 30)").run()
    press(app, "Add the column")
    assert not app.error
    assert "was added; it follows from others." in text_of(app)
    assert draft_in(app).plan().domain.written == ("age", "age_group")
    made_up_rows = next(
        d.value for d in app.dataframe if list(d.value) == ["age", "age_group"]
    )
    assert set(made_up_rows["age_group"].dropna()) <= {"under 30", "30 and over"}

    press(app, "Remove")
    assert draft_in(app).plan().domain.written == ("age",)
    assert not app.exception

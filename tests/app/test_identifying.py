"""ID columns, in step 2: added with a pattern, refused, in the plan, removed, kept in a
project.
"""

from pathlib import Path

import pytest

from tests.app.steward import draft_of as draft_in
from tests.app.steward import error_texts, go_to, press, text_of, use_file, visit
from tests.app.test_deriving import AGE, draft_of

KEY = {"name": "pid", "synth:identifier": "P####"}


def test_a_declaration_brings_it_and_the_plan_has_it(tmp_path: Path) -> None:
    """An ID column of an imported declaration is in the plan and comes back from its JSON.

    KEY declares pid with the pattern P####.
    """
    draft = draft_of(tmp_path).with_declaration({"fields": [KEY, AGE]})
    assert draft.plan().domain.written == ("pid", "age")
    again = draft_of(tmp_path).with_plan(draft.plan().to_json())
    assert again.plan() == draft.plan()


def test_one_is_added_refused_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user adds a column of made-up IDs by a name and a pattern, and can remove it.

    The name of a column that takes part is refused, and so is a pattern without # for a digit
    and @ for a letter.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table = tmp_path / "people.csv"
    table.write_text("pid,age\n" + "k1,41\nk2,55\n" * 30, encoding="utf-8")
    app = use_file(visit(), table)
    app.session_state["draft"] = draft_in(app).with_declaration({"fields": [AGE]})
    go_to(app, "domain")

    # The name of a column that takes part is refused.
    app.text_input(key="id_name").input("age")
    press(app, "Add IDs")
    assert error_texts(app) == [
        "Column 'age' takes part. Leave it out, or choose another name."
    ]

    # A pattern without # and @ is refused.
    app.text_input(key="id_name").input("pid")
    app.text_input(key="id_pattern ").input("=HYPERLINK")
    press(app, "Add IDs")
    assert error_texts(app)[0].startswith("Column 'pid': a pattern is made of # for a digit")

    app.text_input(key="id_pattern ").input("P####")
    press(app, "Add IDs")
    assert not app.error
    assert "Synth draws the IDs of column 'pid': the pattern P####." in text_of(app)
    assert "'pid': the pattern P####." in text_of(app)
    assert draft_in(app).plan().domain.written == ("pid", "age")

    press(app, "Remove")
    assert draft_in(app).plan().domain.written == ("age",)
    assert not app.exception

"""A dummy of the declaration, in step 2: made, refused, and gone once the declaration
changes.
"""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.app.steward import draft_of as draft_in
from tests.app.steward import error_texts, go_to, plain_text, press, use_file, visit
from tests.app.test_deriving import AGE


def is_dummy_offered(app: AppTest) -> bool:
    return any(
        "dummy.zip" in plain_text(button.label) for button in app.get("download_button")
    )


def test_one_is_made_refused_and_gone(tmp_path: Path) -> None:
    """A dummy is made of the declaration, and is gone once the declaration changes.

    The field for shares takes no path of a file on the server, so such a path is refused.
    """
    table = tmp_path / "people.csv"
    table.write_text("age\n" + "41\n55\n" * 30, encoding="utf-8")
    app = use_file(visit(), table)
    app.session_state["draft"] = draft_in(app).with_declaration({"fields": [AGE]})
    go_to(app, "domain")

    app.text_input(key="dummy_shares").input("/etc/shares.json").run()
    press(app, "Make a dummy")
    assert "The share of a cell of '/etc/shares.json'" in error_texts(app)[0]
    assert not is_dummy_offered(app)

    app.text_input(key="dummy_shares").input("").run()
    press(app, "Make a dummy")
    assert not app.error
    assert is_dummy_offered(app)

    app.session_state["draft"] = draft_in(app).change(missing_values=("?",))
    app.run()
    assert not is_dummy_offered(app)
    assert not app.exception

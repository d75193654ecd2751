"""A steward at the app, without a browser: what he opens, chooses, presses and reads."""

import json
import re
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui.shell.draft import Draft, start
from pages.ui.shell.release import Source
from synth.domain import write_schema
from synth.lessons import SURVEY_COLUMNS, SURVEY_NAME, survey, survey_domain
from synth.private.table import open_table
from tests.tables import ROOT

FIELD = {
    "name": "sex",
    "type": "string",
    "constraints": {"enum": ["F", "M"], "required": True},
}


def visit(step: str = "data", draft: Draft | None = None) -> AppTest:
    """The app, opened anew at a step, with what was chosen before."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=240)
    if draft is not None:
        app.session_state["draft"] = draft
    return app.run() if step == "data" else go_to(app, step)


@cache
def choose_example() -> Draft:
    """What is chosen once the simulated survey is; its table stays until the tests are
    over.
    """
    table, _ = survey.write_example(tempfile.mkdtemp(prefix="synth-survey-"))
    chosen = start(
        Source(title=SURVEY_NAME, table=open_table(table), simulated=True), Draft()
    )
    left_out = frozenset(survey_domain().names) - set(SURVEY_COLUMNS)
    declared = chosen.with_declaration(write_schema(survey_domain()))
    return replace(declared, left_out=left_out, about_rows=survey.ROWS)


def go_to(app: AppTest, step: str) -> AppTest:
    return app.switch_page(f"pages/steps/{step}.py").run()


def press(app: AppTest, label: str) -> AppTest:
    return next(b for b in app.button if b.label == label).click().run()


def tick(app: AppTest, label: str) -> AppTest:
    return next(b for b in app.checkbox if b.label == label).check().run()


def use_file(app: AppTest, table: Path | str) -> AppTest:
    """Choose a file on the server, in the step Data."""
    app.text_input(key="path").input(str(table)).run()
    return press(app, "Use this file")


def draft_of(app: AppTest) -> Draft:
    current: Draft = app.session_state["draft"]
    return current


def choose(app: AppTest, **choices: object) -> AppTest:
    """Choose something without its widget; it counts from the next run on."""
    app.session_state["draft"] = replace(draft_of(app), **choices)  # type: ignore[arg-type]
    return app


def text_of(app: AppTest) -> str:
    """Everything that a page says, as it is read: without what keeps it from being
    Markdown. The words of the table of columns come last.
    """
    everything = [
        *app.error,
        *app.warning,
        *app.info,
        *app.success,
        *app.header,
        *app.markdown,
        *app.caption,
    ]
    words = [plain_text(element.value) for element in everything]
    words += [" ".join((row["values"], *row["lost"])) for row in rows_of(app).values()]
    return " ".join(words)


def rows_of(app: AppTest) -> dict[str, dict[str, Any]]:
    """The rows of the table of columns in the step Domain, by the name of the column.

    A row has what the browser gets: the status, the values in words, what is lost, an example
    and bars. There is none on another page.
    """
    tables = [
        json.loads(element.proto.json)
        for element in app.get("bidi_component")
        if element.proto.component_name == "columns"
    ]
    return {row["name"]: row for table in tables for row in table["rows"]}


def plain_text(text: str) -> str:
    return str(text).replace("\\", "").replace("&#58;", ":")


def error_texts(app: AppTest) -> list[str]:
    return [plain_text(error.value) for error in app.error]


def account_texts(app: AppTest) -> list[str]:
    """The budget, what is spent and what is left, at the first bar of the page Ledger."""
    words = plain_text(app.get("progress")[0].proto.text)
    match = re.search(r": (?:epsilon|rho) (.*?) of (.*?) spent, (.*?) left", words)
    assert match is not None, words
    spent, budget, left = match.groups()
    return [budget, spent, left]


def metric_texts(app: AppTest) -> list[str]:
    return [metric.value for metric in app.metric]


def release_by_plan(app: AppTest, epsilon: str = "1") -> AppTest:
    """Release by the plan, in the step Release."""
    if epsilon != "1":
        choose(app, epsilon=epsilon)
    go_to(app, "release")
    app.checkbox(key="agreed").check().run()
    return press(app, f"Release with epsilon {epsilon}")

"""The schema of projects: what the app saves is right by it, and what it refuses, the app
refuses, too.
"""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from pages.ui.shell.saved import CODECS, choices_of, read_draft
from synth.bundle.published import project as projects
from synth.domain import LOOKED_UP
from synth.door import Preparation
from synth.plans import KnownTable, Project, Started
from synth.plans.project import PROJECT_FORMAT
from tests.app.test_projects_page import draft_with_everything, store_and_read
from tests.published.changes import GONE, change, faults, is_read
from tests.published.documents import CHECK, DECLARATION


def saved_project() -> dict[str, Any]:
    """A project with all kinds of columns, drafts, a check, questions and a release."""
    draft = draft_with_everything().with_declaration(DECLARATION)
    draft = replace(draft, checks=(Preparation.from_json(CHECK),))
    project = replace(
        store_and_read(draft),
        table=KnownTable(title="people.csv", header=("sex", "hours"), path="/data/p.csv"),
        started=(Started("people", "a" * 32, "{}"),),
    )
    document: dict[str, Any] = json.loads(json.dumps(project.to_json()))
    return document


PROJECT = saved_project()


def read(document: dict[str, Any]) -> object:
    """Read a project with all its choices, as the app does."""
    return read_draft(Project.from_json(document))


def test_every_saved_project_has_the_form() -> None:
    """With everything, as it begins, and with values from the rows."""
    assert faults("project", PROJECT) == []
    draft = draft_with_everything()
    for changed in (draft, replace(draft, origin=LOOKED_UP, rules=None)):
        document = store_and_read(changed).to_json()
        assert faults("project", document) == []
        assert is_read(read, json.loads(json.dumps(document)))


def test_the_schema_has_the_choices_that_the_app_saves() -> None:
    schema: Any = projects.project_schema()
    choices = schema["properties"]["choices"]
    assert set(choices["properties"]) == set(CODECS)
    assert set(choices["required"]) == {
        n for n, codec in CODECS.items() if not codec.may_lack
    }
    assert set(schema["properties"]) == {part.name for part in fields(Project)} | {"form"}
    assert schema["properties"]["form"]["const"] == PROJECT_FORMAT
    assert set(choices_of(draft_with_everything())) == set(CODECS)


REFUSED: list[tuple[str, Any]] = [
    ("form", GONE),
    ("form", "synth-project-3"),
    ("identifier", GONE),
    ("identifier", "../plans"),
    ("name", " "),
    ("name", 5),
    ("owner", None),
    ("private", "yes"),
    ("revision", -1),
    ("later", 1),
    ("table", GONE),
    ("table/title", 5),
    ("table/header", "sex"),
    ("table/later", 1),
    ("started", {}),
    ("started/0/request", GONE),
    ("choices", []),
    ("choices/later", 1),
    ("choices/fields", GONE),
    ("choices/fields/0/name", GONE),
    ("choices/fields/0/type", 5),
    ("choices/fields/0/constraints", []),
    ("choices/fields/2/synth:spikes", 40),
    ("choices/derived/0/place", GONE),
    ("choices/derived/0/place", -1),
    ("choices/derived/0/synth:derived", GONE),
    ("choices/derived/0/synth:derived/formula", ""),
    ("choices/derived/2/synth:identifier", "P-1"),
    ("choices/missing_values", ""),
    ("choices/origin", "from memory"),
    ("choices/drafts/0", {}),
    ("choices/checks/0/entry", "abc"),
    ("choices/checks/0/person", True),
    ("choices/checks/0/later", 1),
    ("choices/left_out", {"sex": 1}),
    ("choices/decisions", []),
    ("choices/decisions/synth:agreed", {"sex": 1}),
    ("choices/epsilon", 1),
    ("choices/neighbors", "both"),
    ("choices/method", "guess"),
    ("choices/repair", None),
    ("choices/groups", [["sex", 1]]),
    ("choices/rules", []),
    ("choices/max_rows", "3"),
    ("choices/favour", "speed"),
    ("choices/moments", [1]),
    ("choices/rows", 1.5),
    ("choices/asking/questions/0/ask", GONE),
    ("choices/asking/measure", "delta"),
    ("choices/asking/way", "magic"),
    ("choices/asking/free", 1),
    ("choices/asking/later", 1),
    ("choices/dossier", []),
    ("choices/dossier/purpose", 5),
    ("choices/dossier/later", "x"),
    ("choices/dossier/sector", "Farming"),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_a_change_is_refused_by_the_schema_and_by_the_app(place: str, value: Any) -> None:
    changed = change(PROJECT, place, value)
    assert faults("project", changed) != []
    assert not is_read(read, changed)


WIDER: list[tuple[str, Any]] = [
    # What is no question, and a name that occurs twice.
    ("choices/asking/questions/0/ask", "how many?"),
    ("choices/asking/questions/0/weight", "much"),
    ("choices/fields/0/name", "hours"),
]


@pytest.mark.parametrize(("place", "value"), WIDER)
def test_the_app_refuses_what_no_schema_can_state(place: str, value: Any) -> None:
    changed = change(PROJECT, place, value)
    assert faults("project", changed) == []
    assert not is_read(read, changed)


NARROWER: list[tuple[str, Any]] = [
    # The app never writes other decisions, and ignores them.
    ("choices/decisions/synth:later", {}),
]


@pytest.mark.parametrize(("place", "value"), NARROWER)
def test_the_schema_is_narrower_than_the_app(place: str, value: Any) -> None:
    changed = change(PROJECT, place, value)
    assert faults("project", changed) != []
    assert is_read(read, changed)

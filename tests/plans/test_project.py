"""A project as JSON: read back as it was written, and refused in one sentence otherwise."""

import json
from dataclasses import replace
from typing import Any

import pytest

from synth import limits
from synth.errors import ProjectError
from synth.plans import KnownTable, Project, Started
from synth.plans.project import checked_name, read_project

PROJECT = Project(
    identifier="0123456789abcdef" * 2,
    name="people of Bonn",
    table=KnownTable(
        title="people.csv",
        mark="ab" * 16,
        header=("sex", "age"),
        path="/data/people.csv",
        options=("delimiter=;",),
    ),
    choices={"epsilon": "1", "fields": [{"name": "sex"}, {"name": "age"}]},
    private=True,
    owner="ann@example.org",
    started=(Started("people", "ab" * 16, "{}"), Started("people", "cd" * 16, "{}")),
    revision=3,
    changed="2026-11-22T13:00:00+00:00",
)


def written_project(**changes: Any) -> bytes:
    """A file of the project, with some entries changed."""
    return json.dumps({**PROJECT.to_json(), **changes}).encode()


@pytest.mark.parametrize("project", [PROJECT, replace(PROJECT, started=(), private=False)])
def test_a_project_is_read_as_it_was_written(project: Project) -> None:
    assert read_project(json.dumps(project.to_json()).encode()) == project


def test_a_release_started_again_is_the_latest_and_not_twice_there() -> None:
    """A release that is started again moves to the end of the list, and is in it once."""
    earlier, later = PROJECT.started
    assert PROJECT.with_started(earlier).started == (later, earlier)


HOSTILE = [
    (b"", "not valid JSON at line 1"),
    (b"\xff\xfe{", "not UTF-8"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"form": NaN}', "holds NaN, which is no number of JSON"),
    (b'{"form": "a", "form": "b"}', "says 'form' twice; leave one"),
    (b"[1]", "no project of Synth"),
    (b"{}", "no project of Synth"),
    (b'{"form": ["synth-project-2"]}', "no project of Synth"),
    (written_project(form="synth-project-1"), "another version of Synth"),
    (written_project(identifier="../../etc/passwd"), "'identifier'"),
    (written_project(identifier=7), "'identifier'"),
    (written_project(name=""), "needs a name"),
    (written_project(name="x" * (limits.PROJECT_NAME + 1)), "needs a name"),
    (written_project(revision=True), "'revision'"),
    (written_project(revision=-1), "'revision'"),
    (written_project(private="no"), "'private'"),
    (written_project(table=[]), "'table'"),
    (written_project(table={"title": "a"}), "'mark'"),
    (written_project(table={**PROJECT.to_json()["table"], "header": [1]}), "'header'"),  # type: ignore[dict-item]
    (written_project(choices=None), "'choices'"),
    (written_project(started={"dataset": "people"}), "'started'"),
    (written_project(started=[{"dataset": "people", "table": ""}]), "'request'"),
]


@pytest.mark.parametrize(("text", "sentence"), HOSTILE)
def test_a_hostile_file_is_one_sentence(text: bytes, sentence: str) -> None:
    """A file that is no project, or a forged one, is refused in one sentence with the wrong
    entry.
    """
    with pytest.raises(ProjectError, match=sentence) as caught:
        read_project(text)
    assert str(caught.value).count(".") == 1


def test_a_file_that_is_too_large_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond the limit of its size, here set to 0 MB, is refused before it
    is parsed.
    """
    monkeypatch.setattr(limits, "PROJECT_MB", 0)
    with pytest.raises(ProjectError, match="larger than 0 MB"):
        read_project(written_project())


def test_blanks_around_a_name_go() -> None:
    assert checked_name("  people \n of  Bonn ") == "people of Bonn"

"""Projects in the app: saved by themselves, listed, opened, taken up; and what goes wrong."""

import json
import os
import re
import threading
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
import streamlit as st
from streamlit import runtime
from streamlit.testing.v1 import AppTest

from pages.ui.shell import desk as desks
from pages.ui.shell import gate, home, state
from pages.ui.shell.ask_choices import Choices
from pages.ui.shell.browser import browser_key, is_browser
from pages.ui.shell.desk import Desk, open_desk
from pages.ui.shell.draft import Draft
from pages.ui.shell.line import Line
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Source
from pages.ui.shell.saved import CODECS, NOT_KEPT, choices_of, read_draft
from pages.ui.shell.tour import SENTENCES
from synth.domain import LOOKED_UP, FrozenMap, write_schema
from synth.errors import DomainError, ProjectError
from synth.estimate import Method
from synth.lessons import survey_domain
from synth.plans import KnownTable, Project, new_identifier
from synth.private.table import open_table
from synth.questions import parse
from tests.app.steward import choose, draft_of, go_to, press, text_of, use_file, visit
from tests.patience import SECONDS, until

CSV = b"sex,age,note\nF,30,zebra\nM,40,zebra\n"
SCHEMA: dict[str, Any] = {
    "fields": [
        {
            "name": "sex",
            "type": "string",
            "constraints": {"enum": ["F", "M"], "required": True},
        },
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    ]
}


@pytest.fixture(autouse=True)
def ann(monkeypatch: pytest.MonkeyPatch) -> None:
    """The visitor of the app is Ann, in every test."""
    monkeypatch.setattr(state, "visitor", lambda _: "ann")


def upload_table(app: AppTest, content: bytes = CSV) -> AppTest:
    """Upload a table in the step Data; by default two people of sex and age."""
    return app.file_uploader[0].upload("people.csv", content, "text/csv").run()


def declare_columns(app: AppTest) -> AppTest:
    """Declare sex and age in the step Domain by uploading a Table Schema."""
    go_to(app, "domain")
    return (
        app.file_uploader[0]
        .upload("domain.json", json.dumps(SCHEMA).encode(), "application/json")
        .run()
    )


def project_files() -> list[Path]:
    """Return the project files of this home."""
    return sorted((home.place() / "projects").glob("*"))


def read_project_json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


# What is stored.


def draft_with_everything() -> Draft:
    """Return a draft in which every kind of choice was made."""
    imported = Draft().with_declaration(write_schema(survey_domain()))
    weighted_question = replace(parse("count where age >= 65"), weight=Fraction(2))
    return replace(
        imported,
        left_out=frozenset({"age"}),
        about_rows=20_000,
        epsilon="1/2",
        method=Method.GROUPS,
        delta="1e-9",
        groups=(("sex", "age"), ("sex", "region")),
        rules={"order": [["start", "end"]]},
        person="id",
        max_rows=3,
        asking=Choices(line="cou", questions=(weighted_question,), wanted="5"),
        dossier=FrozenMap({"purpose": "teaching", "published": "2026-1"}),
    )


def store_and_read(draft: Draft) -> Project:
    """Return the project that stores a draft, after its choices went through JSON."""
    document = json.loads(json.dumps(choices_of(draft)))
    return Project(
        identifier=new_identifier(),
        name="people",
        table=KnownTable(title="people.csv"),
        choices=document,
    )


def test_every_choice_is_kept_or_named() -> None:
    assert set(CODECS) | NOT_KEPT == {field.name for field in fields(Draft)}
    assert not set(CODECS) & NOT_KEPT


def test_a_draft_comes_back_as_it_was() -> None:
    """A draft with every kind of choice comes back from its project file unchanged.

    CODECS names each stored choice, and the project also names the table it expects.
    """
    before = draft_with_everything()
    after = read_draft(store_and_read(before))
    for name in CODECS:
        assert getattr(after, name) == getattr(before, name), name
    assert after.expected == KnownTable(title="people.csv")


HOSTILE: list[tuple[str, Any]] = [
    ("fields", {}),
    ("fields", [{"name": 1}]),
    ("fields", [{"name": "a"}, {"name": "a"}]),
    ("fields", [{"name": "a", "type": []}]),
    ("fields", [{"name": "a", "type": "string", "constraints": 5}]),
    ("fields", [{"name": "a", "type": "string", "constraints": {"enum": "ab"}}]),
    ("missing_values", "NA"),
    ("neighbors", "both"),
    ("method", []),
    ("about_rows", True),
    ("about_rows", -1),
    ("max_rows", 1e400),
    ("groups", [["a"], "b"]),
    ("drafts", [{"kind": "gift"}]),
    ("asking", {"line": ""}),
    ("asking", None),
    ("dossier", []),
    ("dossier", {"unknown": "x"}),
    ("dossier", {"sector": "Farming"}),
]


@pytest.mark.parametrize(("name", "value"), HOSTILE)
def test_a_choice_edited_by_hand_is_one_sentence(name: str, value: Any) -> None:
    """A project file with an invalid choice is refused with one sentence that names the
    choice. HOSTILE lists a choice and a value of the wrong form, as somebody might type it
    into the file.
    """
    project = store_and_read(draft_with_everything())
    edited = replace(project, choices={**project.choices, name: value})
    with pytest.raises(ProjectError, match=f"no valid '{name}'"):
        read_draft(edited)


@pytest.mark.parametrize("name", [n for n, codec in CODECS.items() if not codec.may_lack])
def test_a_project_of_a_version_with_fewer_choices_is_one_sentence(name: str) -> None:
    """A project file that lacks a choice is refused with one sentence that names the choice.

    CODECS names every choice that this version stores.
    """
    project = store_and_read(draft_with_everything())
    choices = {key: value for key, value in project.choices.items() if key != name}
    with pytest.raises(ProjectError) as caught:
        read_draft(replace(project, choices=choices))
    assert str(caught.value) == (
        f"The project file has no valid '{name}': it is of another version of Synth, or was "
        "edited by hand, and stays as it is."
    )


def test_a_column_that_makes_no_sense_is_told_on_its_card() -> None:
    """A project with a column that cannot be read is opened, and the column shows its error.

    A column can then be corrected in the app, so the whole project need not be refused.
    """
    odd = [{"name": "a", "type": "integer", "constraints": {"minimum": {}}}]
    project = store_and_read(draft_with_everything())
    edited = read_draft(replace(project, choices={**project.choices, "fields": odd}))
    assert isinstance(edited.columns["a"], DomainError)


# In the app.


def test_a_project_saves_itself_and_comes_back() -> None:
    """A project is saved from the first choice on, without any value of the table, and can be
    opened later. It then waits for its table, and recognises it. `zebra` is a value in the
    rows.
    """
    first = visit()
    upload_table(first)
    assert project_files() == []  # nothing was chosen but a table: nothing would be lost

    declare_columns(first)
    assert [path.suffix for path in project_files()] == [".json"]
    saved_text = project_files()[0].read_text(encoding="utf-8")
    assert "zebra" not in saved_text
    assert read_project_json(project_files()[0])["private"] is False

    go_to(first, "plan")
    again = visit()
    assert "Your projects" in [header.value for header in again.header]
    go_to(again, "plan")

    press(again, "Go on with people.csv")
    assert "Choose the table of the project" in text_of(again)
    go_to(again, "data")
    assert "waits for its table" in text_of(again)

    upload_table(again)
    assert "This is the table of the project" in text_of(again)
    assert draft_of(again).fields == draft_of(first).fields
    assert draft_of(again).project == draft_of(first).project


def visit_open() -> AppTest:
    """Open the app anew, and open its only project."""
    app = visit()
    return app.button(key=f"open_{project_files()[0].stem}").click().run()


def test_another_version_of_the_table_and_another_table_are_told_apart() -> None:
    """A table with the same columns keeps the declaration of the open project.

    A table with other columns begins a project of its own, and leaves the saved one alone.
    """
    declare_columns(upload_table(visit()))

    newer = upload_table(visit_open(), CSV + b"F,50,zebra\n")
    assert "another file, such as a newer version" in text_of(newer)
    assert draft_of(newer).domain is not None

    other_table = upload_table(visit_open(), b"town,year\nBonn,1999\n")
    assert "begins a project of its own" in text_of(other_table)
    assert draft_of(other_table).domain is None
    assert len(project_files()) == 1


def test_a_second_table_with_the_same_columns_has_a_project_of_its_own() -> None:
    """Nothing is kept in silence: its description is taken over by a click, into its own
    project, and that of the first table stays as it was.
    """
    app = declare_columns(upload_table(visit()))
    first_project = draft_of(app).project
    go_to(app, "data")
    app.file_uploader[0].upload("others.csv", CSV + b"F,50,zebra\n", "text/csv").run()
    assert draft_of(app).domain is None
    assert draft_of(app).project != first_project
    assert "begins a description and a project of its own" in text_of(app)
    assert "'people.csv' is about another table with the same columns." in text_of(app)

    press(app, "Take over its description")
    assert draft_of(app).chosen_names == ("sex", "age")
    assert draft_of(app).project != first_project
    assert "taken over. Check that they fit" in text_of(app)
    titles = {read_project_json(path)["table"]["title"] for path in project_files()}
    assert titles == {"people.csv", "others.csv"}


def test_the_very_same_content_keeps_its_description() -> None:
    """A table that is uploaded once more is recognised by its content."""
    app = declare_columns(upload_table(visit()))
    project = draft_of(app).project
    go_to(app, "data")
    app.file_uploader[0].upload("copy.csv", CSV, "text/csv").run()
    assert draft_of(app).source.title == "copy.csv"
    assert draft_of(app).chosen_names == ("sex", "age")
    assert draft_of(app).project == project


@pytest.mark.slow
def test_a_table_on_the_server_comes_back_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project opens its table by the path on the server, without an upload.

    It does not if the file has changed, or if the folder may no longer be read.
    """
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.csv").write_bytes(CSV)
    monkeypatch.setenv("SYNTH_FOLDERS", str(tmp_path / "data"))

    declare_columns(use_file(visit(), "people.csv"))
    assert draft_of(visit_open()).source is not None

    (tmp_path / "data" / "people.csv").write_bytes(CSV + b"F,50,zebra\n")
    assert draft_of(visit_open()).source is None  # it changed: it is asked for
    (tmp_path / "data" / "people.csv").write_bytes(CSV)
    monkeypatch.delenv("SYNTH_FOLDERS")
    assert draft_of(visit_open()).source is None


def test_whoever_has_the_table_can_take_the_project_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another person does not see the project, but is offered a copy of it after uploading
    the same table. So two project files exist afterwards, and neither person overwrites the
    other's.
    """
    declare_columns(upload_table(visit()))

    monkeypatch.setattr(state, "visitor", lambda _: "bo")
    app = visit()
    assert "Your projects" not in [header.value for header in app.header]

    upload_table(app)
    assert "This table has a project here" in text_of(app)
    press(app, "Take it up")
    assert draft_of(app).domain is not None
    assert len(project_files()) == 2


def test_what_was_read_from_the_table_is_marked_private() -> None:
    """A project whose declaration was read from the rows is marked private, in its file and
    on the first page. Its notes are not saved, because they may tell what was found in the
    rows.
    """
    app = declare_columns(upload_table(visit()))
    choose(app, origin=LOOKED_UP, notes=("12 values",))
    go_to(app, "plan").number_input(key="choice_rows").set_value(5).run()

    saved = read_project_json(project_files()[0])
    assert saved["private"] is True
    assert saved["choices"]["notes"] == []  # they may tell what was found in the rows
    assert "Its description holds values from the rows: keep it private." in text_of(visit())


def test_a_full_disk_is_a_sentence_until_it_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full, the page says that the project cannot be saved, and goes on.

    The choice of 500 rows counts in the session, although the project on the disk stays as it
    was until the next save.
    """
    app = declare_columns(upload_table(visit()))
    before = read_project_json(project_files()[0])

    # The disk is full when the project is flushed to it.
    def full(_handle: int) -> NoReturn:
        raise OSError(28, "No space left on device")

    go_to(app, "plan")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        app.number_input(key="choice_rows").set_value(500).run()
        assert "The project cannot be saved" in text_of(app)
        assert read_project_json(project_files()[0]) == before
        assert draft_of(app).rows == 500

    app.number_input(key="choice_rows").set_value(600).run()
    assert "The project cannot be saved" not in text_of(app)
    assert read_project_json(project_files()[0])["choices"]["rows"] == 600


def test_two_tabs_on_one_project() -> None:
    """If two tabs change one project, the tab that saves second gets a project of its own.

    So no choice is lost: one project has 700 rows, the other 800.
    """
    first = declare_columns(upload_table(visit()))
    second = upload_table(visit_open())
    go_to(second, "plan").number_input(key="choice_rows").set_value(700).run()
    go_to(first, "plan").number_input(key="choice_rows").set_value(800).run()

    assert "Another tab changed this project" in text_of(first)

    names = {
        read_project_json(path)["name"]: read_project_json(path)["choices"]["rows"]
        for path in project_files()
    }
    assert names == {"people.csv": 700, "people.csv (changed in another tab)": 800}


@pytest.mark.slow
def test_two_tabs_that_agree_stay_on_one_project() -> None:
    """A page that was loaded again and the one before it may both save the same choices."""
    first = declare_columns(upload_table(visit()))
    second = upload_table(visit_open())
    go_to(second, "plan").number_input(key="choice_rows").set_value(700).run()
    go_to(first, "plan").number_input(key="choice_rows").set_value(700).run()

    assert "Another tab changed this project" not in text_of(first)
    assert len(project_files()) == 1

    # Both go on with the stored one.
    first.number_input(key="choice_rows").set_value(800).run()
    assert [read_project_json(path)["choices"]["rows"] for path in project_files()] == [800]


def test_a_damaged_file_is_a_sentence_on_the_first_page() -> None:
    """A project file of an unknown form is reported on the first page, and the file is left
    as it is. The app opens all the same.
    """
    declare_columns(upload_table(visit()))
    project_files()[0].write_text('{"form": "synth-project-7"}')

    app = visit()
    assert not app.exception
    assert "another version of Synth" in text_of(app)
    assert project_files()[0].read_text() == '{"form": "synth-project-7"}'


def test_projects_are_renamed_and_deleted() -> None:
    """The first page renames a project and deletes it, with its file."""
    declare_columns(upload_table(visit()))

    app = visit()
    key = project_files()[0].stem
    app.text_input(key=f"name_{key}").set_value("people of Bonn").run()
    app.button(key=f"rename_{key}").click().run()
    assert "people of Bonn" in text_of(app)

    app.button(key=f"delete_{key}").click().run()
    assert project_files() == []


def test_the_tour_has_a_sentence_a_step_and_can_be_left() -> None:
    """The tour shows a sentence on each of its six steps.

    Leaving it removes the sentences and keeps the declaration of the survey, with which the
    tour begins.
    """
    app = visit()
    app.button(key="tour").click().run()
    assert "Tour, 1 of 6." in text_of(app)

    go_to(app, "plan")
    assert SENTENCES["plan"] in text_of(app)

    app.button(key="leave_tour").click().run()
    assert "Tour," not in text_of(app)
    assert draft_of(app).domain is not None


# Desks, and the line of releases.


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_bytes(CSV)
    return path


def test_a_desk_passes_to_the_next_page_of_the_same_browser(table: Path) -> None:
    """The work of a closed page passes to the next page of the same person and the same
    browser. A desk holds the work of one page, and the secret "k" tells the browser. While
    its page is open, nobody else gets it.
    """
    open_pages = {"one"}
    first_desk = open_desk("ann", "k", lambda: "one" in open_pages, closing=0)
    folder = PrivateFolder(first_desk.is_open, grace=60)
    first_desk.put("folder", folder)
    first_desk.put(
        "draft",
        Draft(source=Source(title="people.csv", table=open_table(table)), project="p"),
    )

    second = open_desk("ann", "k", lambda: True, closing=0)
    assert second is not first_desk  # its page is there
    second.put("draft", first_desk.things["draft"])

    # Only the later page is told that another has the project, and only for that project.
    assert desks.is_open_elsewhere(second, "p")
    assert not desks.is_open_elsewhere(first_desk, "p")
    assert not desks.is_open_elsewhere(second, "q")

    # The first page is closed.
    open_pages.clear()
    assert open_desk("bo", "k", lambda: True, closing=0) is not first_desk, "another person"
    assert open_desk("ann", "another", lambda: True, closing=0) is not first_desk
    assert open_desk("ann", "", lambda: True, closing=0) is not first_desk, "no secret"
    assert open_desk("ann", "k", None) is not first_desk, "no page"

    after = open_desk("ann", "k", lambda: True, closing=0)
    assert after is first_desk
    assert after.things["folder"] is folder
    again = open_desk("ann", "k", lambda: True, closing=0)
    assert again is not first_desk, "it has a page again"


def test_nothing_passes_on_where_the_browser_is_not_known(table: Path) -> None:
    """Without the secret of a browser (the empty text) a page gets a new desk, although an
    old one is left. Otherwise somebody else could get the work of a closed page.
    """
    left_desk = open_desk("ann", "", lambda: False, closing=0)
    left_desk.put(
        "draft",
        Draft(source=Source(title="people.csv", table=open_table(table)), project="p"),
    )

    assert left_desk.is_left
    assert open_desk("ann", "", lambda: True, closing=0) is not left_desk


def test_what_is_at_work_keeps_its_files_when_the_page_is_gone() -> None:
    """A folder that a release holds outlives its page, and is removed after the release.

    Without the hold it would go 0.05 seconds after the page is closed; 0.3 seconds pass here.
    """
    folder = PrivateFolder(lambda: False, grace=0.05)
    with folder.hold():
        threading.Event().wait(0.3)
        assert folder.path.exists()

    assert until(lambda: not folder.path.exists())


class Waiter:
    """Something that stands in a line."""

    is_stopped = False


def test_one_is_at_work_and_the_others_wait_in_order() -> None:
    """Releases run one at a time in the order in which they joined the line.

    One that is stopped while it waits leaves the line at once. So the third, once stopped,
    ends before the first.
    """
    line = Line()
    first = Waiter()
    second = Waiter()
    third = Waiter()
    for waiter in (first, second, third):
        line.join(waiter)  # type: ignore[arg-type]
    done: list[Waiter] = []

    def work(waiter: Waiter) -> None:
        with line.turn(waiter):  # type: ignore[arg-type]
            done.append(waiter)

    threads = [threading.Thread(target=work, args=(w,)) for w in (third, second)]
    for thread in threads:
        thread.start()
    assert [line.before(w) for w in (first, second, third)] == [0, 1, 2]  # type: ignore[arg-type]

    third.is_stopped = True  # it waits no more
    assert until(lambda: done == [third])

    work(first)
    for thread in threads:
        thread.join(SECONDS)
    assert done == [third, first, second]
    assert line.at_work() == []


def test_a_browser_without_a_key_has_no_projects() -> None:
    assert gate.visitor("") == ""
    assert gate.visitor("abc") == "browser abc"
    assert Desk().is_left is False


def test_a_browser_is_known_by_its_pages_secret_whatever_cookies_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A browser is recognised by the secret of 48 characters that its page has, whatever
    cookies it sends. Another server on the same host could plant a cookie, so none counts.
    The key is a digest of 32 hexadecimal digits.
    """
    monkeypatch.setattr(runtime, "exists", lambda: True)
    known_pages = set()
    for cookies in ({}, {"synth_browser": "planted"}, {"synth_browser": "x" * 4_000}):
        headers = {"User-Agent": "Mozilla/5.0 (X11)"}
        monkeypatch.setattr(st, "context", SimpleNamespace(cookies=cookies, headers=headers))
        assert is_browser()
        known_pages.add(browser_key("s" * 48))

    assert len(known_pages) == 1
    assert re.fullmatch(r"[0-9a-f]{32}", min(known_pages))
    assert browser_key("t" * 48) not in known_pages

    # Anything that is no secret of 48 characters gives no key.
    for wrong in ("", "short", None, 10**40, ["s" * 48]):
        assert browser_key(wrong) == ""


def test_programs_are_not_asked_for_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a browser that visits a server is asked for its secret.

    Without a server, without a user agent, or with that of a program, there is no browser to
    ask.
    """
    context = SimpleNamespace(headers={"User-Agent": "Mozilla/5.0"})
    monkeypatch.setattr(st, "context", context)
    assert not is_browser()  # without a server

    monkeypatch.setattr(runtime, "exists", lambda: True)
    for headers in ({}, {"User-Agent": "Python/3.11 websockets/17"}):
        context.headers = headers
        assert not is_browser()

"""Looks at the rows that take long: other pages answer meanwhile, and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.domain import importing
from pages.ui.shell import rows_at_work
from pages.ui.shell.rows_at_work import CHANGED, STOPPED, RowsJob
from synth.private.counting import profile_table
from synth.util import check_deadline
from tests.app.steward import draft_of, error_texts, go_to, press, text_of, use_file, visit
from tests.patience import until


@pytest.fixture
def may_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """A look waits until this event; the page does not wait for the look."""
    event = Event()

    def wait_and_profile(*arguments: Any, **options: Any) -> Any:
        """Look at the rows once the event has come, or the look was stopped."""
        while not event.wait(0.02):
            check_deadline()
        return profile_table(*arguments, **options)

    monkeypatch.setattr(importing, "profile_table", wait_and_profile)
    monkeypatch.setattr(rows_at_work, "SHORT_SECONDS", 0.01)
    monkeypatch.setattr(rows_at_work, "watch_rows", lambda: None)
    yield event
    event.set()


@pytest.fixture
def app(tmp_path: Path, may_end: Event) -> AppTest:  # noqa: ARG001 - the look waits for it
    """The step Domain, where a look at the rows has begun."""
    table = tmp_path / "people.csv"
    table.write_text("sex,hours\n" + "F,40\nM,38\n" * 50)
    page = go_to(use_file(visit(), table), "domain")
    look = next(b.label for b in page.button if b.label.startswith("Look at the data"))
    return press(page, look)


def job_of(app: AppTest) -> RowsJob:
    """The look that runs."""
    job: RowsJob = app.session_state[RowsJob.name]
    return job


def test_another_page_answers_and_takes_the_result(app: AppTest, may_end: Event) -> None:
    """A second look has to wait; the result of the first is there on the next page."""
    assert not draft_of(app).look
    assert job_of(app).describe().startswith("Looking at the rows … (")
    look = next(b.label for b in app.button if b.label.startswith("Look at the data"))
    press(app, look)
    assert error_texts(app) == ["Wait until this has ended, or stop it: Looking at the rows."]
    go_to(app, "learn")
    assert not app.exception
    job = job_of(app)

    may_end.set()
    assert until(lambda: job.wait(0))
    go_to(app, "ledger")
    assert {*draft_of(app).look} == {"sex", "hours"}
    assert RowsJob.name not in app.session_state


def test_a_stopped_look_takes_nothing(app: AppTest) -> None:
    """One sentence says so, on the page that comes next."""
    job = job_of(app)
    job.stop()
    assert job.describe() == "Stopping …"
    assert until(lambda: job.wait(0))
    assert error_texts(go_to(app, "domain")) == [STOPPED]
    assert not draft_of(app).look


def test_a_look_at_another_table_is_dropped(app: AppTest, may_end: Event) -> None:
    """Somebody chose another reading of the file while the look was running."""
    job = job_of(app)
    go_to(app, "data")
    press(app, "Start over with another table")
    may_end.set()
    assert until(lambda: job.wait(0))
    assert error_texts(go_to(app, "data")) == [CHANGED]
    assert not draft_of(app).look


def test_a_look_at_a_changed_description_is_dropped(app: AppTest, may_end: Event) -> None:
    """Somebody described a column while the look was running."""
    job = job_of(app)
    field = {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"]}}
    app.session_state["draft"] = draft_of(app).with_fields({"sex": field})
    may_end.set()
    assert until(lambda: job.wait(0))
    assert error_texts(go_to(app, "domain")) == [CHANGED]


def test_the_page_of_the_look_shows_its_progress(
    app: AppTest, may_end: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page watches until the look has ended, and then shows what it found."""
    monkeypatch.undo()
    may_end.set()
    go_to(app, "domain")
    assert {*draft_of(app).look} == {"sex", "hours"}
    assert "2 of 2 columns go on." in text_of(app)

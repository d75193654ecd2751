"""The app killed by SIGKILL at every named stage of a release: it opens on the home left
behind.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell.release_job import ALL_STAGES, ReleaseJob
from synth.door import Ledger
from tests.app.steward import (
    account_texts,
    draft_of,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)
from tests.app.test_ledger_page import release_with_budget
from tests.audit.test_crash import MOMENTS, die, die_at_call

EVERY = [*ALL_STAGES, *MOMENTS]


def die_at(stage: str) -> None:
    """Let the process die when the app's job comes to a stage."""
    original = ReleaseJob._progress

    def progress(job: ReleaseJob, reached: str) -> None:
        if reached == stage:
            die()
        original(job, reached)

    ReleaseJob._progress = progress  # type: ignore[method-assign]


def is_of_the_release(*args: object, **_: object) -> bool:
    """Whether a call does not write the app's own settings, which it does all the time."""
    return not any(str(argument).startswith(os.environ["SYNTH_HOME"]) for argument in args)


def kill(folder: Path) -> None:
    """Release in a forked app for each stage, which dies there; each has a home of its
    own.
    """
    for stage in EVERY:
        child = os.fork()
        if child == 0:
            os.environ["SYNTH_HOME"] = str(folder / stage / "home")
            if stage in MOMENTS:
                owner, name, call, after = MOMENTS[stage]
                call += name == "append"  # the budget comes first
                die_at_call(owner, name, call, after, is_of_the_release)
            else:
                die_at(stage)
            try:
                release_with_budget(folder / stage / "people.csv", "0.5", budget="2")
            finally:
                os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert os.WTERMSIG(status) == signal.SIGKILL, stage


@pytest.mark.slow
def test_the_app_opens_on_the_home_of_a_killed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whatever stage the app is killed, the next one opens on its home and finishes the
    release for one spend. It finds the ledger whole. EVERY lists the stages of a release and
    the moments between its writes.
    """
    for stage in EVERY:
        (tmp_path / stage).mkdir()
        (tmp_path / stage / "people.csv").write_text("sex\n" + "F\nM\nM\n" * 50)

    # Kill a forked app at each stage.
    code = "from tests.audit.test_crash_app import *; kill(Path(sys.argv[1]))"
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, tmp_path], check=True, cwd=root
    )

    # Open another app on each home.
    states = set()
    for stage in EVERY:
        monkeypatch.setenv("SYNTH_HOME", str(tmp_path / stage / "home"))
        with Ledger(tmp_path / stage / "home" / "ledger.db") as ledger:
            ledger.verify()
            spends = ledger.entries()
            state = ledger.state(spends[0]) if spends else "not paid"
        check_that_it_goes_on(
            use_file(visit(), tmp_path / stage / "people.csv"), state, stage
        )
        with Ledger(tmp_path / stage / "home" / "ledger.db") as ledger:
            assert ledger.verify() >= 4
            assert len(ledger.entries()) == 1, stage
        states.add(state)

    # The kills left each of these states behind.
    assert states >= {"not paid", "nothing drawn yet", "values kept"}


def check_that_it_goes_on(app: AppTest, state: str, stage: str) -> None:
    """The app says what happened, its budget is right, and the release can be finished."""
    assert not app.exception, stage
    assert not app.error, stage
    assert draft_of(app).epsilon == "0.5", stage
    paid = state != "not paid"
    half_done = state in ("nothing drawn yet", "values kept")
    if paid:
        assert "This table was released before" in text_of(app), stage
    else:
        assert "This table was about to be released" in text_of(app), stage
    interrupted = "interrupted after its spend (entry 2 of the ledger)"
    assert (interrupted in text_of(app)) == half_done, stage
    go_to(app, "ledger")
    assert account_texts(app) == ["2", *(("0.5", "1.5") if paid else ("0", "2"))], stage
    if paid:
        assert app.dataframe[0].value["release"][0] == state, stage
        advice = " ".join(caption.value for caption in app.caption)
        assert ("the step Release finishes it at no cost" in advice) == half_done, stage
    go_to(app, "release")
    if paid:
        press(app, "Get the stored release")
    else:
        release_by_plan(app, "0.5")
    assert "Released: 150 synthetic rows" in text_of(app), stage
    go_to(app, "ledger")
    assert account_texts(app) == ["2", "0.5", "1.5"], stage
    assert app.dataframe[0].value["release"][0] == "bundle made"
    go_to(app, "download")
    labels = {button.label for button in app.get("download_button")}
    assert labels >= {"Download table", "Download statement", "Download bundle"}, stage

"""The end of a page's script keeps what the page asks for meanwhile."""

from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.commands import execution_control
from streamlit.runtime.scriptrunner import RerunData, StopException
from streamlit.runtime.scriptrunner_utils.script_requests import (
    ScriptRequests,
    ScriptRequestType,
)

from pages.ui.shell.ending import end_page


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> ScriptRequests:
    """The requests of a page that has asked for a run while its script was running."""
    waiting = ScriptRequests()
    context = SimpleNamespace(script_requests=waiting)
    monkeypatch.setattr(execution_control, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(execution_control, "_force_yield_point", lambda: None)
    assert waiting.request_rerun(RerunData())
    return waiting


def test_a_request_that_came_meanwhile_runs_the_script_again(
    requests: ScriptRequests,
) -> None:
    """If the user clicked while the script ran, ending the page asks for another run."""
    with pytest.raises(StopException):
        end_page()
    assert requests.on_scriptrunner_ready().type is ScriptRequestType.RERUN


def test_streamlits_stop_forgets_it(requests: ScriptRequests) -> None:
    """If this fails, Streamlit has mended it, and `end_page` may go."""
    st.stop()
    assert requests.on_scriptrunner_ready().type is ScriptRequestType.STOP

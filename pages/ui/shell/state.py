"""The session: one frozen draft, its project, its private folder, and values of widgets.

Only this module uses ``st.session_state``. Widgets lose their state when the page changes, so
each is seeded from the draft and copied back when it changes (`tie`)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.shell import desk as desks
from pages.ui.shell import home, saving, uploads
from pages.ui.shell.browser import KEY, ask_secret, browser_key, is_browser
from pages.ui.shell.desk import Desk, open_desk
from pages.ui.shell.draft import Draft
from pages.ui.shell.gate import visitor
from pages.ui.shell.job import Answered, explain_failure
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Release
from synth.door import note_standing
from synth.errors import ProjectError, SynthError
from synth.estimate import Repair
from synth.plans import OvertakenError, Project, Projects, Started
from synth.util import Watch

Thing = TypeVar("Thing")
# Most cached results of public choices per session.
WORKED_OUT = 200


def make_once(name: str, make: Callable[[], Thing]) -> Thing:
    """Return the session's object of a name; make and store it if there is nothing.

    It is lost when the page is refreshed.
    """
    if name not in st.session_state:
        st.session_state[name] = make()
    return cast("Thing", st.session_state[name])


def is_known() -> bool:
    """Return whether the session's owner is known."""
    return ("desk" in st.session_state or not is_browser()) and bool(desk())


def ask_owner() -> None:
    """Ask the browser for the secret by which it is recognised, if it has not sent it yet.

    The answer restores the data of the browser's earlier session.
    """
    # Called after the navigation is drawn: a browser that answers before it knows which page
    # it shows would open the first page.
    if ask_secret(_come_back):
        # After a restart of the server the page has sent its secret with its first message.
        # So no change of the secret has called `_come_back`.
        _come_back()
        st.rerun()


def _come_back() -> None:
    """Restore what this browser's earlier session left, unless that has happened already.

    The desk holds it, and is opened only once in a session.
    """
    if "desk" not in st.session_state:
        things = desk(browser_key(read_value(KEY).secret)).things
        for name, thing in things.items():
            st.session_state.setdefault(name, thing)


def desk(browser: str = "") -> Desk:
    """Return the data of the session that survive a refresh of the page.

    The first call takes over what an earlier session of the same browser left, and admits the
    session's uploads. ``browser`` is the browser's key, and only matters in that call; empty
    for an unknown browser.
    """
    if "desk" not in st.session_state:
        new_desk = open_desk(visitor(browser), browser, _session_watch())
        st.session_state["desk"] = new_desk
        if (context := get_script_run_ctx()) is not None:
            uploads.let_in(context.session_id, new_desk)
    current_desk: Desk = st.session_state["desk"]
    return current_desk


def keep(name: str, thing: Any) -> None:
    """Store something in the session, and for the session after a refresh."""
    st.session_state[name] = thing
    desk().put(name, thing)


def make_kept(name: str, make: Callable[[], Thing]) -> Thing:
    """Return the session's object of a name; make it if needed.

    Unlike `make_once`, it survives a refresh of the page.
    """
    if name not in st.session_state:
        keep(name, make())
    return cast("Thing", st.session_state[name])


def forget(name: str) -> None:
    """Forget something stored, in this session and in the one after a refresh."""
    st.session_state.pop(name, None)
    desk().take(name)


def draft() -> Draft:
    """Return the current draft."""
    return make_once("draft", Draft)


def put(new: Draft) -> None:
    """Replace the draft, and save its project."""
    keep("draft", saving.begin_project(new))
    save()


def project() -> Project | None:
    """Return the stored project of the draft; None if the draft was not saved yet.

    After another project was opened, the stored one may be that of an earlier draft.
    """
    open_project: Project | None = st.session_state.get("project")
    return (
        open_project
        if open_project is not None and open_project.identifier == draft().project
        else None
    )


def projects() -> Projects:
    """Return the stored projects of the session's owner."""
    return Projects(home.place() / "projects", desk().owner)


def save(started: Started | None = None) -> None:
    """Save the draft as its project, once the user has made any choice about a table.

    A failure raises nothing: the page shows it until saving succeeds. ``started`` is a
    release that is about to start, to be recorded in the project.
    """
    current = draft()
    before = project()
    # A project that exists is saved on; a new one only once there is anything to keep.
    if current.source is None or not (before or saving.is_begun(current)):
        return
    try:
        changed_project = saving.project_of(current, before, folder().path)
        if started is not None:
            changed_project = changed_project.with_started(started)
        # Revision 0: it was never saved.
        if changed_project != before or not changed_project.revision:
            keep("project", projects().save(changed_project))
        st.session_state.pop("unsaved", None)
    except OvertakenError:
        if not _agree_with_stored(changed_project):
            _save_apart(changed_project)
    except SynthError as error:
        st.session_state["unsaved"] = str(error)


def _agree_with_stored(changed_project: Project) -> bool:
    """Go on with the stored project if it has the same choices, and return whether it has.

    A page that was loaded again may save at the same time as the one before it; neither of
    them changed what the other one says. Releases that only this page knows are added.

    Args:
        changed_project: The project as this page would have saved it.
    """
    try:
        stored = projects().open(changed_project.identifier)
        is_same = (stored.choices, stored.table) == (
            changed_project.choices,
            changed_project.table,
        )
        if not is_same:
            return False
        merged = stored
        for release in changed_project.started:
            if release not in stored.started:
                merged = merged.with_started(release)
        keep("project", stored if merged == stored else projects().save(merged))
    except ProjectError:  # it went, or was changed once more
        return False
    return True


def _save_apart(changed_project: Project) -> None:
    """Save the changes as a project of their own, as another tab has changed this project.

    ``changed_project`` is the project as this tab would have saved it.
    """
    copied_project = saving.copy_project(changed_project, "changed in another tab")
    keep("draft", replace(draft(), project=copied_project.identifier))
    keep("project", copied_project)
    notice(
        "Another tab changed this project. Synth saved your changes here as a project of "
        f"their own, '{copied_project.name}'."
    )
    save()


def unsaved_reason() -> str:
    """Return the sentence why the project is not saved; empty if it is."""
    return str(st.session_state.get("unsaved", ""))


def is_open_elsewhere() -> bool:
    """Return whether another page opened the project before."""
    return bool(draft().project) and desks.is_open_elsewhere(desk(), draft().project)


def change(**choices: Any) -> None:
    """Replace choices of the draft."""
    put(draft().change(**choices))


def change_repair(name: str) -> None:
    """Choose the repair of negative counts.

    Once synthetic rows were compared with the real ones, the choice is made in their sight,
    and the certificate says so.
    """
    current = draft()
    is_seen = current.repair_seen or current.compared
    change(repair=Repair(name), repair_seen=is_seen)


def folder() -> PrivateFolder:
    """Return the private folder of the session."""
    return make_kept("folder", lambda: PrivateFolder(_session_watch()))


def _session_watch() -> Callable[[], bool] | None:
    """Return a function that says whether the page is open; None without a server."""
    context = get_script_run_ctx()
    if not runtime.exists() or context is None:
        return None
    return partial(runtime.get_instance().is_active_session, context.session_id)


@contextmanager
def while_open() -> Iterator[None]:
    """Read a foreign file in this block while the page is open.

    Raises:
        SynthError: The page was closed, or reading takes longer than this server allows.
    """
    is_open = _session_watch()
    # Without a server, as in tests, the block is only limited in time.
    with Watch(stopped=lambda: is_open is not None and not is_open()).watch():
        yield


def notice(sentence: str) -> None:
    """Show a sentence on the next page."""
    st.session_state["notices"] = (*st.session_state.get("notices", ()), sentence)


def notices() -> tuple[str, ...]:
    """Return the sentences to show, and forget them."""
    sentences: tuple[str, ...] = st.session_state.pop("notices", ())
    return sentences


def choose(**choices: Any) -> None:
    """Replace choices of the step Ask."""
    change(asking=replace(draft().asking, **choices))


def work_out(key: tuple[Any, ...], make: Callable[[], Thing]) -> Thing:
    """Return a result for a key; compute it by ``make()`` if the session has not stored it.

    It must depend on public choices only, and the key must contain all of them. The oldest
    result is dropped once there are ``WORKED_OUT``.
    """
    results: dict[tuple[Any, ...], Any] = make_once("worked_out", dict)
    if key not in results:
        if len(results) >= WORKED_OUT:
            results.pop(next(iter(results)))
        results[key] = make()
    return cast("Thing", results[key])


def renew(old: Release | Answered, new: Release | Answered) -> None:
    """Replace a release or answers in the draft by a changed copy.

    ``old`` is found by identity.
    """
    name = "releases" if isinstance(old, Release) else "answers"
    entries = getattr(draft(), name)
    change(**{name: tuple(new if entry is old else entry for entry in entries)})


def complain(sentence: str) -> None:
    """Show an error on the next page."""
    st.session_state["complaint"] = sentence


def complaint() -> str | None:
    """Return the error to show, and forget it."""
    sentence: str | None = st.session_state.pop("complaint", None)
    return sentence


def number(name: str) -> int:
    """Return a counter in a widget's key: advancing it gives a new widget without a value."""
    return int(make_once(f"number_{name}", int))


def advance(name: str) -> None:
    """Advance the counter of this name, so that its widget is drawn anew without a value.

    The uploads of the old widget are removed from the server's memory, where they would stay.
    """
    uploaded = read_value(f"{name}_{number(name)}")
    context = get_script_run_ctx()
    for file in uploaded if isinstance(uploaded, list) else [uploaded]:
        if context is not None and isinstance(file, UploadedFile):
            manager = cast(MemoryUploadedFileManager, context.uploaded_file_mgr)
            manager.remove_file(context.session_id, file.file_id)
    st.session_state[f"number_{name}"] = number(name) + 1


def write(key: str, value: Any) -> None:
    """Set a widget's value; only before it is drawn, so in a callback."""
    st.session_state[key] = value


def seed(key: str, value: Any) -> None:
    """Set a widget's value, if it has none."""
    if key not in st.session_state:
        st.session_state[key] = value


def read_value(key: str) -> Any:
    """Return the value of a widget, or of something stored; None without one."""
    return st.session_state.get(key)


def guard(act: Callable[..., None]) -> Callable[..., None]:
    """Return the action as a callback that shows each failure as a sentence on the next page.

    If a spend was made before the failure, the sentence says so.
    """

    @wraps(act)
    def guarded(*args: Any, **options: Any) -> None:
        """Act, and show any failure as one sentence without values of the table."""
        try:
            with note_standing("asking for the same"):
                act(*args, **options)
        except Exception as error:  # noqa: BLE001 - a traceback could show values of the table
            complain(explain_failure(error))

    return guarded


def tie(key: str, value: Any, store: Callable[[Any], None]) -> dict[str, Any]:
    """Return arguments for a widget that tie it to a value.

    The value is set in each run, as Streamlit forgets the widgets of other pages.

    Args:
        key: The key of the widget.
        value: The value that the widget shows now.
        store: It takes the new value when the user changes it.
    """
    st.session_state[key] = value
    return {"key": key, "on_change": guard(lambda: store(st.session_state[key]))}


def tied_choice(name: str) -> dict[str, Any]:
    """Return arguments for a widget that tie it to the choice of the draft with this name."""
    return tie(
        f"choice_{name}", getattr(draft(), name), lambda value: change(**{name: value})
    )

"""The session: one frozen draft, its private folder, its ledger, and the running release.

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
from pages.ui.shell.gate import signed_in, visitor
from pages.ui.shell.job import Answered, AskJob, Job, explain_failure
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Release, Source
from pages.ui.shell.release_job import FilesJob, ReleaseJob
from pages.ui.shell.words import budget_text, cost
from synth.door import Balance, Entry, Ledger, check_name, note_standing
from synth.errors import LedgerError, ProjectError, SynthError
from synth.estimate import Repair
from synth.plans import OvertakenError, Plan, Project, Projects, Started
from synth.privacy import Guarantee, parse_budget
from synth.questions import Inquiry
from synth.spending import Spending, mark_of, request_of
from synth.util import Watch

Thing = TypeVar("Thing")
# Most cached results of public choices per session.
WORKED_OUT = 200


def _keep(name: str, make: Callable[[], Thing]) -> Thing:
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


def _keep_made(name: str, make: Callable[[], Thing]) -> Thing:
    """Return the session's object of a name; make it if needed.

    Unlike `_keep`, it survives a refresh of the page.
    """
    if name not in st.session_state:
        keep(name, make())
    return cast("Thing", st.session_state[name])


def draft() -> Draft:
    """Return the current draft."""
    return _keep("draft", Draft)


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
    return _keep_made("folder", lambda: PrivateFolder(_session_watch()))


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


def ledger() -> Ledger:
    """Return the ledger; in memory for practice tables, which spend nothing real.

    Raises:
        LedgerError: It cannot be opened, or was edited.
    """
    source = draft().source
    if source is not None and source.simulated:
        return _keep_made("rehearsal", partial(Ledger, recalls=True))
    return real_ledger()


def real_ledger() -> Ledger:
    """Return the ledger of real tables, whatever the current table is; errors as `ledger`."""
    return _keep("ledger", lambda: home.open_ledger(signed_in()))


def notice(sentence: str) -> None:
    """Show a sentence on the next page."""
    st.session_state["notices"] = (*st.session_state.get("notices", ()), sentence)


def notices() -> tuple[str, ...]:
    """Return the sentences to show, and forget them."""
    sentences: tuple[str, ...] = st.session_state.pop("notices", ())
    return sentences


def find_spend(spending: Spending | None = None) -> Entry | None:
    """Return the ledger's entry of the same spend on the current table, or None.

    ``spending`` is a plan, an inquiry or another request; by default the current plan.

    Raises:
        SynthError: The plan is not complete, or the ledger cannot be read.
    """
    source = draft().source
    spending = spending or draft().plan()
    if source is None:
        return None
    mark = source.mark
    if source.simulated:  # the real ledger has no mark of it, but that of the rehearsal has
        mark = work_out(("rehearsal", source.table.path), lambda: mark_table(source))
    request = request_of(spending, source.table)
    return ledger().paid(dataset=spending.dataset, table=mark, request=request)


def mark_table(source: Source) -> str:
    """Return the digest of a table under the ledger's key, by which the ledger recognises it.

    It is of the files' bytes, or of the content for a table without files.
    """
    table = source.table
    return ledger().fingerprint(*table.files) if table.files else mark_of(table, ledger())


def balance() -> Balance | None:
    """Return spends and budget of the current table; None if no ledger counts it."""
    source = draft().source
    return ledger().balance(source.dataset) if source is not None and source.mark else None


def budget_left() -> str:
    """Return the sentence on how much of the budget is left; empty without a budget."""
    current = balance()
    if current is None or current.budget is None:
        return ""
    return f"Of the budget {current.left_words} is left."


def set_people(name: str | None) -> None:
    """Set the dataset whose budget the current table spends.

    The table's releases and answers get it too. None or an empty name leaves it open.
    LedgerError if the name is invalid.
    """
    current = draft()
    assert current.source is not None
    people = check_name(name) if name else ""
    put(current.with_source(replace(current.source, people=people)))


def set_budget(text: str) -> None:
    """Set the first budget of the current table's dataset; nothing for a simulated table.

    ``text`` is such as "3" or "epsilon=3,delta=1e-6". SynthError if it is invalid, or if the
    dataset has another budget.
    """
    if (name := _people_with_budget()) is not None:
        ledger().set_budget(name, parse_budget(text, draft().neighbors))


def change_budget(text: str, reason: str) -> None:
    """Change the budget of the current table's dataset, or set its first one.

    Args:
        text: The new budget, such as "epsilon=3,delta=1e-6".
        reason: Why it is changed; the first budget needs no reason.

    Raises:
        SynthError: The budget is invalid, or smaller than the spends; or a change has no
            reason.
    """
    if (name := _people_with_budget()) is None:
        return
    current = ledger().balance(name)
    if not current.budgets:  # the dataset never had one, so no reason is needed
        set_budget(text)
        return
    relation = draft().neighbors
    # With spends, the budget keeps the neighbouring relation to which they refer.
    if current.budget is not None and current.spends:
        relation = current.budget.neighbors
    ledger().change_budget(name, parse_budget(text, relation), reason)


def _people_with_budget() -> str | None:
    """Return the dataset whose budget the current table spends.

    It is None if no ledger counts the table. LedgerError if the user has not chosen one yet.
    """
    source = draft().source
    if source is None or not source.mark:
        return None
    if not source.people:
        raise LedgerError(
            "Say first, in the step Data, whose data this is; it shares their budget."
        )
    return source.people


def job() -> ReleaseJob | FilesJob | None:
    """Return the running release, or the writing of a release's files."""
    return st.session_state.get("job")


def start_job() -> None:
    """Start the release of the current plan, unless one is running or it was made already.

    Raises:
        SynthError: The plan is not complete, or the first budget is invalid.
    """
    current = draft()
    source = current.source
    plan = current.plan()
    if job() is not None or source is None or _is_released(current.earlier_release, plan):
        return
    set_first_budget(cost(plan))
    # Stored before the spend: after a crash the plan is found again by its table. Without a
    # mark no ledger counts the table, which is then a simulated one.
    if source.mark:
        home.remember(source.mark, plan.to_json(), source.table.asked)
    save(Started(source.dataset, source.mark, request_of(plan, source.table)))
    running = ReleaseJob(
        source,
        plan,
        ledger=ledger(),
        folder=folder(),
        desk=desk(),
        preparations=current.checks,
        public=current.public,
    )
    keep("job", running)


def write_files(release: Release, *, vouch: bool = False) -> None:
    """Start to write the files of a paid release once more, unless a job is running.

    Args:
        release: The release.
        vouch: Whether the steward vouches that the values from the rows are public.
    """
    if job() is None:
        keep("job", FilesJob(release, ledger=ledger(), folder=folder(), vouch=vouch))


def _is_released(earlier: Release | None, plan: Plan) -> bool:
    """Return whether a plan's release exists already.

    It does not if it comes from a bundle, or if the user vouches otherwise for the
    declaration: then the paid result gets another certificate, at no cost.

    Args:
        earlier: The release of the current table by this plan; None without one.
        plan: The current plan.
    """
    if earlier is None or earlier.opened:
        return False
    return earlier.plan.domain.vouched == plan.domain.vouched


def set_first_budget(spent: Guarantee) -> None:
    """Set the typed budget before the first spend, if the dataset of the table has none yet.

    ``spent`` is the cost of that spend, from which a typed plain number gets its delta.
    SynthError if the text is invalid, or if no dataset is chosen.
    """
    current = draft()
    account = balance()
    if account is None:
        return
    has_dataset = current.source is not None and bool(current.source.people)
    # Without a dataset `set_budget` raises the error that asks for one.
    if account.budget is None or not has_dataset:
        set_budget(budget_text(current.budget, spent))


def is_shown(running: Job) -> bool:
    """Return whether a job is the session's, and its result was not taken over yet."""
    return st.session_state.get(running.name) is running


def finish_job(done: Job) -> None:
    """Move the outcome of a job that has ended into the draft, and show its error, if any.

    A job can have both: a paid release whose files could not be written.
    """
    # It runs no more, for this session and for the one after a refresh.
    st.session_state.pop(done.name, None)
    desk().take(done.name)
    if done.outcome is not None:
        change(**done.changes(getattr(draft(), done.draft_part)))
    if done.error is not None:
        complain(done.error)


def settle() -> None:
    """Move the outcomes of all jobs that have ended into the draft."""
    for running in (job(), ask_job()):
        if running is not None and running.wait(0):
            finish_job(running)


def choose(**choices: Any) -> None:
    """Replace choices of the step Ask."""
    change(asking=replace(draft().asking, **choices))


def ask_job() -> AskJob | None:
    """Return the running inquiry."""
    return st.session_state.get("ask_job")


def start_asking(inquiry: Inquiry) -> None:
    """Start to answer an inquiry in a thread of its own, unless one is being answered.

    SynthError if the dataset has no budget yet and the typed one is invalid.
    """
    source = draft().source
    if ask_job() is not None or source is None:
        return
    if spent := inquiry.arrangement.spending:
        set_first_budget(spent)
    keep("ask_job", AskJob(source, inquiry, ledger=ledger(), folder=folder()))


def work_out(key: tuple[Any, ...], make: Callable[[], Thing]) -> Thing:
    """Return a result for a key; compute it by ``make()`` if the session has not stored it.

    It must depend on public choices only, and the key must contain all of them. The oldest
    result is dropped once there are ``WORKED_OUT``.
    """
    results: dict[tuple[Any, ...], Any] = _keep("worked_out", dict)
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
    return int(_keep(f"number_{name}", int))


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

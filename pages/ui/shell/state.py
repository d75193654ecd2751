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
from pages.ui.shell.job import Answered, AskJob, Job, ReleaseJob, explain_failure
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Release, Source
from pages.ui.shell.words import budget_text, cost
from synth.door import Balance, Entry, Ledger, check_name, note_standing
from synth.errors import LedgerError, SynthError
from synth.plans import OvertakenError, Project, Projects, Started
from synth.privacy import Guarantee, parse_budget
from synth.questions import Inquiry
from synth.spending import Spending, mark_of, request_of
from synth.util import Watch

Thing = TypeVar("Thing")
# Most cached results of public choices per session.
WORKED_OUT = 200


def _keep(name: str, make: Callable[[], Thing]) -> Thing:
    if name not in st.session_state:
        st.session_state[name] = make()
    return cast("Thing", st.session_state[name])


def is_known() -> bool:
    """Return whether the session's owner is known."""
    return ("desk" in st.session_state or not is_browser()) and bool(desk())


def ask_owner() -> None:
    """Ask the page who the owner is."""
    # After the navigation: a page that answers before it knows which page it shows opens the
    # first.
    if ask_secret(_come_back):
        # The page brought its answer to a restarted server, where no answer changed.
        _come_back()
        st.rerun()


def _come_back() -> None:
    # A session does this first.
    if "desk" not in st.session_state:
        for name, thing in desk(browser_key(said(KEY).secret)).things.items():
            st.session_state.setdefault(name, thing)


def desk(browser: str = "") -> Desk:
    if "desk" not in st.session_state:
        opened = open_desk(visitor(browser), browser, _session_watch())
        st.session_state["desk"] = opened
        if (context := get_script_run_ctx()) is not None:
            uploads.let_in(context.session_id, opened)
    kept: Desk = st.session_state["desk"]
    return kept


def keep(name: str, thing: Any) -> None:
    st.session_state[name] = thing
    desk().put(name, thing)


def _keep_made(name: str, make: Callable[[], Thing]) -> Thing:
    if name not in st.session_state:
        keep(name, make())
    return cast("Thing", st.session_state[name])


def draft() -> Draft:
    return _keep("draft", Draft)


def put(new: Draft) -> None:
    keep("draft", saving.begin_project(new))
    save()


def project() -> Project | None:
    kept: Project | None = st.session_state.get("project")
    return kept if kept is not None and kept.identifier == draft().project else None


def projects() -> Projects:
    return Projects(home.place() / "projects", desk().owner)


def save(started: Started | None = None) -> None:
    """Save the project if there is work to lose; a failure is shown until it succeeds."""
    now, before = draft(), project()
    if now.source is None or not (before or saving.is_begun(now)):
        return
    try:
        found = saving.project_of(now, before, folder().path)
        found = found.with_started(started) if started is not None else found
        if found != before or not found.revision:
            keep("project", projects().save(found))
        st.session_state.pop("unsaved", None)
    except OvertakenError:
        _save_apart(found)
    except SynthError as error:
        st.session_state["unsaved"] = str(error)


def _save_apart(found: Project) -> None:
    apart = saving.copy_project(found, "changed in another tab")
    keep("draft", replace(draft(), project=apart.identifier))
    keep("project", apart)
    notice(
        "Another tab changed this project. Synth saved your changes here as a project of "
        f"their own, '{apart.name}'."
    )
    save()


def unsaved_reason() -> str:
    return str(st.session_state.get("unsaved", ""))


def is_open_elsewhere() -> bool:
    return bool(draft().project) and desks.is_open_elsewhere(desk(), draft().project)


def change(**choices: Any) -> None:
    put(draft().change(**choices))


def folder() -> PrivateFolder:
    return _keep_made("folder", lambda: PrivateFolder(_session_watch()))


def _session_watch() -> Callable[[], bool] | None:
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
    with Watch(stopped=lambda: is_open is not None and not is_open()).watch():
        yield


def ledger() -> Ledger:
    """Return the ledger; in memory for practice tables, which spend nothing real.

    Raises:
        LedgerError: It cannot be opened, or was edited.
    """
    source = draft().source
    if source is not None and source.simulated:
        return _keep_made("rehearsal", Ledger)
    return real_ledger()


def real_ledger() -> Ledger:
    """Return the ledger of real tables, whatever the current table is; errors as `ledger`."""
    return _keep("ledger", lambda: home.open_ledger(signed_in()))


def notice(sentence: str) -> None:
    st.session_state["notices"] = (*st.session_state.get("notices", ()), sentence)


def notices() -> tuple[str, ...]:
    said: tuple[str, ...] = st.session_state.pop("notices", ())
    return said


def find_spend(spending: Spending | None = None) -> Entry | None:
    source, spending = draft().source, spending or draft().plan()
    if source is None or not source.mark:
        return None
    request = request_of(spending, source.table)
    return ledger().paid(dataset=spending.dataset, table=source.mark, request=request)


def mark_table(source: Source) -> str:
    table = source.table
    return ledger().fingerprint(*table.files) if table.files else mark_of(table, ledger())


def balance() -> Balance | None:
    source = draft().source
    return ledger().balance(source.dataset) if source is not None and source.mark else None


def budget_left() -> str:
    """Say how much of the budget is left; nothing without a budget."""
    known = balance()
    if known is None or known.budget is None:
        return ""
    return f"Of the budget {known.left_words} is left."


def set_people(name: str | None) -> None:
    """Set the dataset of the current table; LedgerError if the name is invalid."""
    now = draft()
    assert now.source is not None
    put(now.known_as(replace(now.source, people=check_name(name) if name else "")))


def set_budget(text: str) -> None:
    """Set the first budget of the current table; SynthError if invalid, or if it has
    another.
    """
    if (name := _people_with_budget()) is not None:
        ledger().set_budget(name, parse_budget(text, draft().neighbors))


def change_budget(text: str, reason: str) -> None:
    """Change the budget of the current table, or set its first one, which needs no reason.

    Raises:
        SynthError: The budget is invalid, or smaller than the spends; or a change has no
        reason.
    """
    if (name := _people_with_budget()) is None:
        return
    known = ledger().balance(name)
    if not known.budgets:
        set_budget(text)
        return
    relation = draft().neighbors if known.budget is None else known.budget.neighbors
    if not known.spends:
        relation = draft().neighbors
    ledger().change_budget(name, parse_budget(text, relation), reason)


def _people_with_budget() -> str | None:
    # Whose budget the current table spends; None if no ledger counts the table.
    source = draft().source
    if source is None or not source.mark:
        return None
    if not source.people:
        raise LedgerError(
            "Say first, in the step Release, whose data this is; it shares their budget."
        )
    return source.people


def job() -> ReleaseJob | None:
    return st.session_state.get("job")


def start_job() -> None:
    now = draft()
    source, plan = now.source, now.plan()
    earlier = now.earlier_release
    made = earlier is not None and not earlier.opened
    if earlier is not None and earlier.plan.domain.vouched != plan.domain.vouched:
        made = False  # its certificate differs; the paid result serves again
    if job() is not None or made or source is None:
        return
    set_first_budget(cost(plan))
    if source.mark:
        home.remember(source.mark, plan.to_json())
    save(Started(source.dataset, source.mark, request_of(plan, source.table)))
    running = ReleaseJob(
        source, plan, ledger(), folder(), desk(), now.checks, public=now.public
    )
    keep("job", running)


def set_first_budget(spent: Guarantee) -> None:
    """Set the typed budget if the table has none; SynthError if invalid or without a
    dataset.
    """
    now, known = draft(), balance()
    if known is not None and (known.budget is None or not (now.source and now.source.people)):
        set_budget(budget_text(now.budget, spent))


def is_shown(running: Job) -> bool:
    """Return whether a job is the session's, and its result was not taken over yet."""
    return st.session_state.get(running.name) is running


def finish_job(done: Job) -> None:
    st.session_state.pop(done.name, None)
    desk().take(done.name)
    if done.made is not None:
        kept = getattr(draft(), done.kept_in)
        if isinstance(
            done, ReleaseJob
        ):  # the same release, with another word on its description
            kept = [
                r
                for r in kept
                if r.opened or r.source is not done.made.source or r.plan != done.made.plan
            ]
        change(**{done.kept_in: (*kept, done.made)})
    if done.error is not None:
        complain(done.error)


def settle() -> None:
    for running in (job(), ask_job()):
        if running is not None and running.wait(0):
            finish_job(running)


def choose(**choices: Any) -> None:
    change(asking=replace(draft().asking, **choices))


def ask_job() -> AskJob | None:
    return st.session_state.get("ask_job")


def start_asking(inquiry: Inquiry) -> None:
    source = draft().source
    if ask_job() is not None or source is None:
        return
    if spent := inquiry.arrangement.spending:
        set_first_budget(spent)
    keep("ask_job", AskJob(source, inquiry, ledger(), folder()))


def work_out(key: tuple[Any, ...], make: Callable[[], Thing]) -> Thing:
    known: dict[tuple[Any, ...], Any] = _keep("worked_out", dict)
    if key not in known:
        if len(known) >= WORKED_OUT:
            known.pop(next(iter(known)))
        known[key] = make()
    return cast("Thing", known[key])


def renew(old: Release | Answered, new: Release | Answered) -> None:
    name = "releases" if isinstance(old, Release) else "answers"
    change(**{name: tuple(new if one is old else one for one in getattr(draft(), name))})


def complain(sentence: str) -> None:
    st.session_state["complaint"] = sentence


def complaint() -> str | None:
    kept: str | None = st.session_state.pop("complaint", None)
    return kept


def number(name: str) -> int:
    """Return a counter in a widget's key: advancing it gives a new widget without a value."""
    return int(_keep(f"number_{name}", int))


def advance(name: str) -> None:
    """Advance the counter. Otherwise the server's copies of uploads would stay in memory."""
    old, context = said(f"{name}_{number(name)}"), get_script_run_ctx()
    for one in old if isinstance(old, list) else [old]:
        if context is not None and isinstance(one, UploadedFile):
            cast(MemoryUploadedFileManager, context.uploaded_file_mgr).remove_file(
                context.session_id, one.file_id
            )
    st.session_state[f"number_{name}"] = number(name) + 1


def write(key: str, value: Any) -> None:
    """Set a widget's value; only before it is drawn, so in a callback."""
    st.session_state[key] = value


def seed(key: str, value: Any) -> None:
    if key not in st.session_state:
        st.session_state[key] = value


def said(key: str) -> Any:
    return st.session_state.get(key)


def guard(act: Callable[..., None]) -> Callable[..., None]:
    @wraps(act)
    def guard(*args: Any) -> None:
        try:
            with note_standing("asking for the same"):
                act(*args)
        except Exception as error:  # noqa: BLE001 - a traceback could show values of the table
            complain(explain_failure(error))

    return guard


def tie(key: str, value: Any, store: Callable[[Any], None]) -> dict[str, Any]:
    """Return arguments that tie a widget to a value: seeded with it now, stored when it
    changes.
    """
    st.session_state[key] = value
    return {"key": key, "on_change": guard(lambda: store(st.session_state[key]))}


def tied_choice(name: str) -> dict[str, Any]:
    return tie(
        f"choice_{name}", getattr(draft(), name), lambda value: change(**{name: value})
    )

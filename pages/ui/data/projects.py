"""Projects on the first page: their progress; open, rename or delete."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import streamlit as st

from pages.ui.data.choosing import reopen
from pages.ui.shell import budgets, state
from pages.ui.shell.gate import signed_in
from pages.ui.shell.line import RELEASES
from pages.ui.shell.saved import read_draft
from pages.ui.shell.saving import copy_project
from synth.door import MADE
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.plans import KnownTable, Project


@state.guard
def open_project(stored: Project) -> None:
    """Make a stored project the current one, and reopen its table if that is possible.

    The session's paid releases and answers stay. The copy of the table before is deleted.
    """
    current = state.draft()
    opened = replace(read_draft(stored), releases=current.releases, answers=current.answers)
    if current.source is not None:
        state.folder().drop(current.source.table.path)
    # By `keep`, as `put` would save the project again.
    state.keep("draft", opened)
    state.keep("project", stored)
    reopen()


@state.guard
def take_over(stored: Project, project: str) -> None:
    """Take over the choices of a stored project for the current table.

    A project of another owner is copied first.

    Args:
        stored: The project about this table.
        project: The identifier of the draft's project when the button was drawn. Nothing
            happens if another project has been opened since.
    """
    own_project = stored
    if stored.owner != state.desk().owner:
        own_project = copy_project(stored, "from elsewhere")
    opened = read_draft(own_project)
    current = state.draft()
    if current.project != project or current.source is None:
        return
    state.keep("project", own_project)
    state.put(
        replace(
            opened,
            source=current.source,
            expected=None,
            releases=current.releases,
            answers=current.answers,
        )
    )
    state.notice(f"The declaration and plan of the project '{own_project.name}' are back.")


@state.guard
def rename(identifier: str, key: str) -> None:
    """Rename a project, given by its identifier, to the text of the widget with this key."""
    renamed = state.projects().rename(identifier, state.read_value(key) or "")
    if state.draft().project == identifier:
        state.keep("project", renamed)


@state.guard
def delete(identifier: str) -> None:
    """Delete a project by its identifier; the open draft stays, without a project."""
    state.projects().delete(identifier)
    if state.draft().project == identifier:
        state.keep("draft", replace(state.draft(), project="", expected=None))


def projects() -> None:
    """Show this user's projects other than the open one, the latest first.

    Those after the first ``PROJECTS_SHOWN`` are in a section that is closed at first.
    """
    own_projects = state.projects().listed()
    for trouble in own_projects.troubles:
        st.warning(in_markdown(trouble), icon=":material/folder_off:")
    current = state.draft().project
    others = [project for project in own_projects.projects if project.identifier != current]
    if not others:
        return
    st.header("Your projects")
    for project in others[:PROJECTS_SHOWN]:
        _row(project)
    if len(others) > PROJECTS_SHOWN:
        with st.expander("Earlier projects", icon=":material/history:"):
            for project in others[PROJECTS_SHOWN:]:
                _row(project)


def go_on() -> None:
    """Show a button that opens the project that was saved last, if there is any."""
    latest = next(iter(state.projects().listed().projects), None)
    if latest is not None:
        st.button(
            f"Go on with {in_markdown(latest.name)}",
            key="go_on",
            icon=":material/history:",
            on_click=open_project,
            args=(latest,),
            help=in_markdown(f"Saved {when(latest.changed)}. {how_far(latest)}".strip()),
        )


def ask_for_table(table: KnownTable) -> None:
    """Show which table the reopened project waits for."""
    st.info(
        f"This project waits for its table, **{in_markdown(table.title)}**. Choose the table "
        "once more: Synth deletes uploads when a session ends. Everything else is back.",
        icon=":material/hourglass_empty:",
    )


# Most projects without expanding the list.
PROJECTS_SHOWN = 5


def _row(project: Project) -> None:
    """Show a project with its name, table, time and releases, and its buttons.

    The buttons open, rename and delete it.
    """
    key = project.identifier
    with st.container(border=True):
        text_place, button_place, more_place = st.columns(
            [6, 2, 1], vertical_alignment="center"
        )
        with text_place:
            st.markdown(
                f"**{in_markdown(project.name)}** · {in_markdown(project.table.title)}"
            )
            saved = f"Saved {when(project.changed)}. {how_far(project)}".strip()
            if project.private:
                saved += " Its description holds values from the rows: keep it private."
            st.caption(in_markdown(saved))
        button_place.button(
            "Open",
            key=f"open_{key}",
            icon=":material/folder_open:",
            on_click=open_project,
            args=(project,),
            help=in_markdown(f"Open the project '{project.name}'"),
        )
        with more_place.popover("", icon=":material/more_horiz:", help="Rename or delete"):
            st.text_input("Name", value=project.name, key=f"name_{key}")
            st.button(
                "Rename", key=f"rename_{key}", on_click=rename, args=(key, f"name_{key}")
            )
            st.button(
                "Delete",
                key=f"delete_{key}",
                icon=":material/delete:",
                on_click=delete,
                args=(key,),
                help="This deletes the description and plan. The ledger keeps every spend.",
            )


def how_far(project: Project) -> str:
    """Return a sentence on the project's releases, as the ledger knows them; empty for none.

    A release is running, made, interrupted after its spend, or stopped before it. Each is
    found in the ledger by the digest of its own table and its request.
    """
    if any(project.identifier == _project_of(job) for job in RELEASES.at_work()):
        return "Its release is at work, in another tab or before a lost connection."
    # Releases of a simulated table have no digest of a table, and no ledger counts them.
    started = [release for release in project.started if release.table]
    if not started:
        return "A rehearsal." if project.table.simulated else ""
    try:
        ledger = budgets.real_ledger()
        # None for a release that was started and stopped before its spend.
        entries = [
            ledger.paid(dataset=release.dataset, table=release.table, request=release.request)
            for release in started
        ]
        states = {entry.number: ledger.state(entry) for entry in entries if entry is not None}
    except SynthError:  # the ledger cannot be read
        return ""
    last = entries[-1]
    same_table = started[-1].table == project.table.mark
    return _say_progress(states, None if last is None else last.number, same_table=same_table)


def _say_progress(states: Mapping[int, str], last: int | None, *, same_table: bool) -> str:
    """Return the sentences on started releases; the last of them decides what to do next.

    Args:
        states: The state of each release that spent something, by its entry in the ledger.
        last: The entry of the last release; None if it was stopped before its spend.
        same_table: Whether the last release is of the table that the project has now.
    """
    released = [number for number, state_of_entry in states.items() if state_of_entry == MADE]
    before = f"Released: {_name_entries(released)}. " if released else ""
    if last is None:
        interrupted = [number for number in states if number not in released]
        if interrupted:
            before += f"Interrupted after its spend: {_name_entries(interrupted)}. "
        which = "Its last release" if states else "Its release"
        return f"{before}{which} was stopped before anything was spent."
    if last in released:
        return before.strip()
    to_open = "it" if same_table else "it with the table of that release"
    return (
        f"{before}Its release was interrupted after its spend (entry {last} of the "
        f"ledger). Open {to_open}, and it goes on in the step Release and spends nothing "
        "more."
    )


def _name_entries(numbers: list[int]) -> str:
    word = "entry" if len(numbers) == 1 else "entries"
    return f"{word} {', '.join(map(str, sorted(numbers)))} of the ledger"


def _project_of(job: object) -> str:
    """Return the identifier of a running job's project; empty if it has none."""
    draft = getattr(getattr(job, "desk", None), "things", {}).get("draft")
    return draft.project if draft is not None else ""


def when(changed: str) -> str:
    """Return a stored ISO time as people read it, in UTC; a vague word if it is damaged."""
    try:
        return f"{datetime.fromisoformat(changed):%d %b %Y, %H:%M} UTC"
    except ValueError:
        return "some time ago"


def offer() -> None:
    """Offer a stored project about the current table, or one about a table with its columns.

    The first is found by the table's digest; without sign-in it may be anybody's who had this
    very table. Nothing is offered once a column is declared.
    """
    current = state.draft()
    if current.source is None or not current.source.mark or current.domain is not None:
        return
    stored = state.projects().of_table(current.source.mark, anybody=not signed_in())
    if stored is not None and stored.identifier != current.project:
        _offer(
            f"This table has a project here, saved {when(stored.changed)}.",
            button="Take it up",
            act=take_over,
            args=(stored, current.project),
            help="Its declaration and plan come back.",
        )
        return
    similar = _with_same_columns(current.source.table.header, current.project)
    if similar is not None:
        _offer(
            f"Your project '{similar.name}' is about another table with the same columns.",
            button="Take over its description",
            act=take_description,
            args=(similar, current.project),
            help="This table gets the description and plan, and keeps a project of its own.",
        )


def _offer(
    sentence: str, *, button: str, act: Callable[..., None], args: tuple[Any, ...], help: str
) -> None:
    """Show a sentence about a project, and beside it a button that acts on the project.

    Args:
        sentence: What the project is about.
        button: The button's label.
        act: What a click does.
        args: The arguments of ``act``.
        help: The help of the button.
    """
    text_place, button_place = st.columns([3, 1], vertical_alignment="center")
    text_place.info(in_markdown(sentence), icon=":material/history:")
    button_place.button(button, key="take_over", on_click=act, args=args, help=help)


def _with_same_columns(header: tuple[str, ...], project: str) -> Project | None:
    """Return the latest project of this user about another table with these columns, or None.

    Only a project that describes a column of a real table counts. The list of projects begins
    with the latest one. ``project`` is the identifier of the open one, which does not count.
    """
    return next(
        (
            stored
            for stored in state.projects().listed().projects
            if stored.table.header == header
            and stored.identifier != project
            and not stored.table.simulated
            and any("type" in field for field in stored.choices.get("fields", ()))
        ),
        None,
    )


@state.guard
def take_description(stored: Project, project: str) -> None:
    """Take over the description and plan of a project about another table.

    What was paid or looked up for the other table's rows stays with that table.

    Args:
        stored: The project about the other table.
        project: The identifier of the draft's project when the button was drawn. Nothing
            happens if another project has been opened since.
    """
    current = state.draft()
    if current.project != project or current.source is None:
        return
    state.put(
        replace(
            read_draft(stored),
            project=project,
            source=current.source,
            expected=None,
            checks=(),
            compared=False,
            releases=current.releases,
            answers=current.answers,
        )
    )
    state.notice(
        f"The description and plan of '{stored.name}' are taken over. Check that they fit "
        "this table."
    )

"""Projects on the first page: their progress; open, rename or delete."""

from dataclasses import replace
from datetime import datetime

import streamlit as st

from pages.ui.data.choosing import reopen
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.gate import signed_in
from pages.ui.shell.job import RELEASES
from pages.ui.shell.saved import read_draft
from pages.ui.shell.saving import copy_project
from synth.door import MADE
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.plans import KnownTable, Project


@state.guard
def open_project(found: Project) -> None:
    now = state.draft()
    opened = replace(read_draft(found), releases=now.releases, answers=now.answers)
    if now.source is not None:
        state.folder().drop(now.source.table.path)
    state.keep("draft", opened)
    state.keep("project", found)
    reopen()


@state.guard
def take_over(found: Project, project: str) -> None:
    mine = (
        found if found.owner == state.desk().owner else copy_project(found, "from elsewhere")
    )
    opened, now = read_draft(mine), state.draft()
    if now.project != project or now.source is None:
        return
    state.keep("project", mine)
    taken = replace(opened, source=now.source, expected=None, releases=now.releases)
    state.put(replace(taken, answers=now.answers))
    state.notice(f"The declaration and plan of the project '{mine.name}' are back.")


@state.guard
def rename(identifier: str, key: str) -> None:
    renamed = state.projects().rename(identifier, state.said(key) or "")
    if state.draft().project == identifier:
        state.keep("project", renamed)


@state.guard
def delete(identifier: str) -> None:
    state.projects().delete(identifier)
    if state.draft().project == identifier:
        state.keep("draft", replace(state.draft(), project="", expected=None))


def projects() -> None:
    listed = state.projects().listed()
    for trouble in listed.troubles:
        st.warning(in_markdown(trouble), icon=":material/folder_off:")
    others = [one for one in listed.projects if one.identifier != state.draft().project]
    if not others:
        return
    st.header("Your projects")
    for project in others[:SHOWN]:
        _row(project)
    if len(others) > SHOWN:
        with st.expander("Earlier projects", icon=":material/history:"):
            for project in others[SHOWN:]:
                _row(project)


def go_on() -> None:
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
    st.info(
        f"This project waits for its table, **{in_markdown(table.title)}**. Choose the table "
        "once more: Synth deletes uploads when a session ends. Everything else is back.",
        icon=":material/hourglass_empty:",
    )


# Most projects without expanding the list.
SHOWN = 5


def _row(project: Project) -> None:
    key = project.identifier
    with st.container(border=True):
        told, button, more = st.columns([6, 2, 1], vertical_alignment="center")
        with told:
            st.markdown(
                f"**{in_markdown(project.name)}** · {in_markdown(project.table.title)}"
            )
            st.caption(
                in_markdown(f"Saved {when(project.changed)}. {how_far(project)}".strip())
            )
            if project.private:
                badge(Lane.PRIVATE)
        button.button(
            "Open",
            key=f"open_{key}",
            icon=":material/folder_open:",
            on_click=open_project,
            args=(project,),
            help=in_markdown(f"Open the project '{project.name}'"),
        )
        with more.popover("", icon=":material/more_horiz:", help="Rename or delete"):
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
    """Say what the ledger holds of the project's releases, each found by its own table."""
    if any(project.identifier == _project_of(job) for job in RELEASES.at_work()):
        return "Its release is at work, in another tab or before a lost connection."
    started = [one for one in project.started if one.table]
    if not started:
        return "A rehearsal." if project.table.simulated else ""
    try:
        ledger = state.real_ledger()
        entries = [
            ledger.paid(dataset=one.dataset, table=one.table, request=one.request)
            for one in started
        ]
        states = {entry.number: ledger.state(entry) for entry in entries if entry is not None}
    except SynthError:
        return ""
    made = [number for number, state_of_entry in states.items() if state_of_entry == MADE]
    before = f"Released: {_name_entries(made)}. " if made else ""
    last = entries[-1]
    if last is None:
        if len(states) > len(made):
            open_ones = _name_entries([number for number in states if number not in made])
            before += f"Interrupted after its spend: {open_ones}. "
        which = "Its last release" if states else "Its release"
        return f"{before}{which} was stopped before anything was spent."
    if states[last.number] == MADE:
        return before.strip()
    there = (
        "it"
        if started[-1].table == project.table.mark
        else "it with the table of that release"
    )
    return (
        f"{before}Its release was interrupted after its spend (entry {last.number} of the "
        f"ledger). Open {there}, and it goes on in the step Release and spends nothing more."
    )


def _name_entries(numbers: list[int]) -> str:
    word = "entry" if len(numbers) == 1 else "entries"
    return f"{word} {', '.join(map(str, sorted(numbers)))} of the ledger"


def _project_of(job: object) -> str:
    draft = getattr(getattr(job, "desk", None), "things", {}).get("draft")
    return draft.project if draft is not None else ""


def when(changed: str) -> str:
    try:
        return f"{datetime.fromisoformat(changed):%d %b %Y, %H:%M} UTC"
    except ValueError:
        return "some time ago"


def offer() -> None:
    """Offer another project about the current table, open to anyone who has this table."""
    now = state.draft()
    if now.source is None or not now.source.mark or now.domain is not None:
        return
    found = state.projects().of_table(now.source.mark, anybody=not signed_in())
    if found is None or found.identifier == now.project:
        return
    left, right = st.columns([4, 1], vertical_alignment="center")
    left.info(
        f"This table has a project here, saved {when(found.changed)}.",
        icon=":material/history:",
    )
    right.button(
        "Take it up",
        key="take_over",
        on_click=take_over,
        args=(found, now.project),
        help="Its declaration and plan come back.",
    )

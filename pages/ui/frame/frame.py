"""Common parts of all steps: title, summary, lock, error messages, the next step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from pages.ui.data.projects import go_on
from pages.ui.frame.way_on import PLACE, link_to_next
from pages.ui.shell import at_work, state
from pages.ui.shell.connection import connection
from pages.ui.shell.draft import Draft, why_locked
from pages.ui.shell.ending import end_page
from pages.ui.shell.job import explain_failure
from pages.ui.shell.numbers import say_count
from pages.ui.shell.promise import mark_description
from pages.ui.shell.top import top
from pages.ui.shell.tour import guide
from synth.estimate import RECIPES
from synth.foreign import in_markdown


@dataclass(frozen=True)
class Step:
    """One step of the app.

    Attributes:
        name: Its name in addresses and file names.
        summary: What one does in it, as the sentence below its title.
    """

    name: str
    summary: str

    @property
    def title(self) -> str:
        """Return its name as people read it."""
        return self.name.capitalize()

    @property
    def file(self) -> str:
        """Return the path of its page."""
        return f"pages/steps/{self.name}.py"


STEPS = (
    Step("data", "Choose the confidential table. It stays on this machine."),
    Step(
        "domain",
        "Describe the possible values of each column, best from the data dictionary.",
    ),
    Step("plan", "Choose how strongly to protect people, and see the expected error."),
    Step("release", "Spend the budget once and make the synthetic table."),
    Step("compare", "See how close the synthetic table is to the real one."),
    Step("download", "Download the synthetic table and its certificate."),
)
# Independent of the other steps: numbers need no plan and no release.
ASK = Step("ask", "Ask for numbers only, and make no synthetic table: counts, means, tables.")
# Whether the step Plan asks a question that its user has not answered.
OPEN_QUESTION = "open_question"
# Steps that say whether the description may be published.
MARKED = ("domain", "plan", "release")


def summary(draft: Draft) -> str:
    """Return the state of the work in one line, such as "a.csv · 9 columns · epsilon 1"."""
    if draft.source is None:
        waiting = draft.waiting
        if draft.expected is not None:
            return f"Waiting for its table: {draft.expected.title}"
        # The ending of the title would say once more that it was opened from a bundle.
        return (
            f"Opened: {waiting.title.split(', opened')[0]}"
            if waiting
            else "Nothing chosen yet."
        )
    parts = [draft.source.title]
    if draft.domain is not None:
        parts.append(say_count(len(draft.chosen_names), "column"))
        is_usual = draft.neighbors is Draft.neighbors  # the default of the class
        spends_delta = draft.delta and RECIPES[draft.method].by_model
        delta = f" and delta {draft.delta}" if spends_delta else ""
        neighbors = "" if is_usual else f", {draft.neighbors.value}"
        parts.append(f"epsilon {draft.epsilon}{delta}{neighbors}")
    if draft.person:
        parts.append(f"a person by '{draft.person}', {say_count(draft.max_rows, 'row')} each")
    if draft.release is not None:
        parts.append(f"released with {draft.release.cost}")
    return " · ".join(parts)


def is_done(draft: Draft, step: Step) -> bool:
    """Return whether a step has its result.

    A step without one, such as Download, is never done. A plan is done with its release.
    """
    return {
        "data": draft.source is not None,
        "domain": draft.domain is not None,
        "plan": draft.release is not None,
        "release": draft.release is not None,
        "compare": draft.release is not None and draft.release.comparison is not None,
        "ask": any(answered.source is draft.source for answered in draft.answers),
    }.get(step.name, False)


def icon(draft: Draft, step: Step) -> str:
    """Return the icon of a step, by whether it is done, locked or open."""
    if is_done(draft, step):
        return ":material/check_circle:"
    locked = why_locked(draft, step.name)
    return ":material/lock:" if locked else ":material/radio_button_unchecked:"


@contextmanager
def step(name: str, waits: Callable[[], bool] | None = None) -> Iterator[Draft]:
    """Draw the frame of a step around its content, which gets the draft.

    Above it are the title and messages, below it the buttons to the next step. The page of a
    locked step shows why it is locked, and stops.

    Args:
        name: The name of a step.
        waits: It is called when the button to the next step is pressed. If it returns True,
            the page asks the user something first.
    """
    current_step = next(s for s in (*STEPS, ASK) if s.name == name)
    # The step Ask stands beside the numbered ones, and the last step has none after it.
    next_step: Step | None = None
    if current_step in STEPS:
        number = STEPS.index(current_step) + 1
        st.title(f"{number}. {current_step.title}")
        next_step = STEPS[number] if number < len(STEPS) else None
    else:
        st.title(current_step.title)
    if next_step is not None and state.draft().source is not None:
        link_to_next(next_step.title)
    st.markdown(current_step.summary)
    with sentences():
        guide(name)
        _warn_of_project()
        draft = state.draft()
        if name in MARKED:
            mark_description(draft)
        locked = why_locked(draft, name)
        if locked:
            _show_lock(draft, locked)
            end_page()
        yield draft
        if next_step is not None:
            st.divider()
            with st.container(key=PLACE):
                _way_on(next_step, waits)


def _warn_of_project() -> None:
    """Show why the project is not saved, and that another tab has it, if so."""
    with st.container():
        if unsaved := state.unsaved_reason():
            st.warning(in_markdown(unsaved), icon=":material/save:")
        if state.is_open_elsewhere():
            st.warning(
                "Another tab opened this project first. If you change both, Synth saves "
                "two projects.",
                icon=":material/tab:",
            )


def _show_lock(draft: Draft, reason: str) -> None:
    """Show why a step is locked, and a button to the first step that is not done."""
    st.info(in_markdown(reason), icon=":material/lock:")
    if draft.source is None and draft.expected is None:
        go_on()  # offers the latest project, as nothing is open
    first = next(s for s in STEPS if not is_done(draft, s))
    if st.button(f"Go to {first.title}", type="primary", icon=":material/arrow_back:"):
        st.switch_page(first.file)


@contextmanager
def sentences() -> Iterator[None]:
    """Show messages, and turn a failure of the block into one sentence on the page.

    Messages have a place of their own. Otherwise they would move the widgets below, which
    Streamlit identifies by position.
    """
    with st.container():
        complaint = state.complaint()
        if complaint:
            st.error(in_markdown(complaint), icon=":material/error:")
        for notice in state.notices():
            st.info(in_markdown(notice), icon=":material/history:")
    try:
        yield
    except Exception as error:  # noqa: BLE001 - a traceback could show values of the table
        sentence = explain_failure(error)
        st.error(in_markdown(sentence[:1].upper() + sentence[1:]), icon=":material/error:")
        end_page()


def _way_on(following: Step, waits: Callable[[], bool] | None) -> None:
    """Show a button to the next step, and to a step that can replace it, if there is one.

    Questions can replace a plan; the download can come before the comparison. ``waits`` says
    whether the page asks something before the next step.
    """
    alternative = {"plan": ASK, "compare": STEPS[-1]}.get(following.name)
    if alternative is None or (
        alternative is not ASK and why_locked(state.draft(), alternative.name)
    ):
        return _link_step(following, f"Next: {following.title}", waits=waits)
    next_place, other_place, _ = st.columns([2, 2, 3])
    with next_place:
        _link_step(following, f"Next: {following.title}", waits=waits)
    with other_place:
        draft = state.draft()
        is_said = why_locked(draft, alternative.name) == why_locked(draft, following.name)
        _link_step(
            alternative,
            f"Or: {alternative.title}",
            help=alternative.summary,
            says_why=not is_said,
        )


def _link_step(
    following: Step,
    label: str,
    help: str | None = None,
    *,
    waits: Callable[[], bool] | None = None,
    says_why: bool = True,
) -> None:
    """Show a button to a step.

    If the step is locked, the button is off and a caption says why.

    Args:
        following: The step.
        label: The text on the button.
        help: The button's help if the step is open.
        waits: Whether the page asks something first, once the button is pressed.
        says_why: Whether the caption is shown; the button beside it may have the same.
    """
    locked = why_locked(state.draft(), following.name)
    is_asked = following.name == "release" and state.read_value(OPEN_QUESTION)
    stands_out = not locked and not is_asked and label.startswith("Next")
    pressed = st.button(
        label,
        key=f"next_{following.name}",
        type="primary" if stands_out else "secondary",
        icon=":material/arrow_forward:",
        disabled=locked is not None,
        help=in_markdown(locked) if locked else help,
    )
    if pressed and waits is not None and waits():
        st.rerun()  # the page then shows its question
    if pressed:
        st.switch_page(following.file)
    if (
        locked and says_why
    ):  # a button that is off is passed over by the keyboard, and its help with it
        st.caption(in_markdown(locked))


def at_place(before: int) -> str:
    """Say where a release is in the queue, after ``before`` others."""
    where = f"after {say_count(before, 'other')}, " if before else ""
    return f"{where}see the step Release."


def step_bar(draft: Draft) -> None:
    """Show the steps as a row of links; the ones that are locked are disabled."""
    with st.container(horizontal=True, gap=None, key="steps"):
        for step in STEPS:
            locked = why_locked(draft, step.name) is not None
            st.page_link(step.file, label=step.title, disabled=locked)


def sidebar(draft: Draft, page: str) -> None:
    """Fill the sidebar: the state of the work, and whether a release is running.

    ``page`` is the name of the open page.
    """
    with st.sidebar:
        st.caption(in_markdown(summary(draft)))
        if (job := at_work.job()) is not None and page != "release":
            st.caption(
                f":material/hourglass_top: A release is at work: {at_place(job.before)}"
            )
        # Two scripts without anything to see.
        top(page, step_states(draft))
        connection()


def step_states(draft: Draft) -> dict[str, str]:
    """Return the state of each step in words, by its name, as its icon shows it."""
    states = {}
    for step in (*STEPS, ASK):
        locked = why_locked(draft, step.name)
        if is_done(draft, step):
            states[step.name] = "Done."
        else:
            states[step.name] = f"Locked. {locked}" if locked else "Open."
    return states

"""Earlier choices about the table at hand: undo and redo during the session.

One history serves the reading of the file, the description and the plan. What was paid, seen
or released is no part of it: nothing takes that back.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.steps_in_words import is_same_choice, name_change

# Most stored states; they share common parts.
MAX_STORED = 200
# The key of the session.
HISTORY = "declarations"

DECLARATION = (
    "fields",
    "derived",
    "missing_values",
    "origin",
    "notes",
    "left_out",
    "decisions",
    "withheld",
    "accepted",
    "look",
    "look_remarks",
    "proposals",
)
PLAN = (
    "epsilon",
    "delta",
    "method",
    "neighbors",
    "repair",
    "groups",
    "rules",
    "public",
    "favour",
    "predict",
    "moments",
    "max_model_mb",
    "rows",
    "about_rows",
    "budget",
    "person",
    "max_rows",
)
PARTS = (*DECLARATION, *PLAN)

# The choices of one moment by name, with the table and the word that values are public.
Choices = dict[str, Any]


@dataclass
class History:
    """Earlier choices about one table in one project.

    Attributes:
        place: The table's path and the project; others start a new history.
        past: The choices, oldest first.
        at: The place of the current ones; later ones can be redone.
    """

    place: tuple[str, str] = ("", "")
    past: list[Choices] = field(default_factory=list)
    at: int = -1

    def see(self, draft: Draft) -> None:
        """Store the choices of the draft, unless they are the current ones.

        Choices that could be redone are dropped then. Another table or project starts a new
        history.
        """
        path = str(draft.source.table.path) if draft.source else ""
        place = (path, draft.project)
        # A draft gets its project with the first choice.
        if self.place not in (place, (path, "")):
            self.past = []
            self.at = -1
        self.place = place
        choices = {part: getattr(draft, part) for part in PARTS}
        choices["source"] = draft.source
        choices["vouched"] = draft.vouched
        if self.past and _are_same(self.past[self.at], choices):
            self.past[self.at] = choices
            return
        # Up to the current ones; those behind could have been redone.
        self.past = [*self.past[: self.at + 1], choices][-MAX_STORED:]
        self.at = len(self.past) - 1

    def can(self, steps: int) -> bool:
        """Return whether there are choices ``steps`` later; earlier if negative."""
        return 0 <= self.at + steps < len(self.past)

    def go(self, draft: Draft, steps: int) -> Draft:
        """Return the draft with the choices ``steps`` later; earlier if negative.

        What was paid for and released stays as it is. The word that values are public holds
        only if it was given then and still holds.
        """
        self.at += steps
        choices = self.past[self.at]
        earlier = draft.change(
            **{part: choices[part] for part in PARTS},
            vouched=draft.vouched and choices["vouched"],
        )
        source = choices["source"]
        if draft.source is None or source is None:
            return earlier
        if source.table is not draft.source.table:  # the file was read in another way
            return replace(earlier, source=source)
        if source.people != draft.source.people:
            return earlier.with_source(replace(draft.source, people=source.people))
        return earlier

    def name_step(self, steps: int) -> str:
        """Return in words what a step changes, such as "age left out".

        ``steps`` is -1 for what undo takes back, and 1 for what redo does again.
        """
        first, second = sorted((self.at, self.at + steps))
        return name_change(self.past[first], self.past[second])

    @property
    def noted_fields(self) -> dict[str, Any]:
        """Return the columns' fields when the current notes were written, by name.

        They are the fields of the earliest choices in a row that have these very notes.
        """
        notes = self.past[self.at]["notes"]
        first = self.at
        # By identity: an import may write equal notes anew.
        while first and self.past[first - 1]["notes"] is notes:
            first -= 1
        return {new["name"]: new for new in self.past[first]["fields"]}

    @property
    def first_reading(self) -> tuple[str, ...]:
        """Return the options with which the table was read first; none without a table."""
        sources = (choices["source"] for choices in self.past)
        return next((tuple(source.table.asked) for source in sources if source), ())


def session_history() -> History:
    """Return the history of the session, which a refresh of the page keeps."""
    history: History | None = state.read_value(HISTORY)
    if history is None:
        history = History()
        state.keep(HISTORY, history)
    return history


def _are_same(old: Choices, new: Choices) -> bool:
    """Return whether two states have the same choices; the word on values is no choice."""
    is_same_reading = _reading_of(old) == _reading_of(new)
    return is_same_reading and all(
        is_same_choice(part, old[part], new[part]) for part in PARTS
    )


def _reading_of(choices: Choices) -> tuple[int, str]:
    """Return what tells apart a table that is read in two ways, or said to be of others."""
    source = choices["source"]
    return (id(source.table), source.people) if source else (0, "")

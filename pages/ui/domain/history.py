"""What was declared before: undo and redo, as long as the session lasts."""

from dataclasses import dataclass, field
from typing import Any

from pages.ui.shell.draft import Draft

KEPT = 200
"""Declarations that are kept; what they have in common is kept once."""

PARTS = ("fields", "derived", "missing_values", "origin", "notes", "left_out")

Declaration = dict[str, Any]


@dataclass
class History:
    """Declarations of one table, oldest first, and which of them the draft has."""

    header: tuple[str, ...] = ()
    past: list[Declaration] = field(default_factory=list)
    at: int = -1

    def see(self, draft: Draft) -> None:
        """Take in the declaration as it is now; whatever changed it, that can be undone."""
        header = tuple(draft.source.table.header) if draft.source else ()
        if header != self.header:
            self.header, self.past, self.at = header, [], -1
        now = {part: getattr(draft, part) for part in PARTS}
        if self.past and self.past[self.at] == now:
            return
        self.past = [*self.past[: self.at + 1], now][-KEPT:]
        self.at = len(self.past) - 1

    def can(self, steps: int) -> bool:
        """Whether there is a declaration so many steps on, or back."""
        return 0 <= self.at + steps < len(self.past)

    def go(self, draft: Draft, steps: int) -> Draft:
        """The draft with the declaration so many steps on, or back."""
        self.at += steps
        return draft.change(**self.past[self.at])

    @property
    def noted_fields(self) -> dict[str, Any]:
        """The fields, by name, as they were when the present notes were made."""
        notes = self.past[self.at]["notes"]
        first = self.at
        while first and self.past[first - 1]["notes"] is notes:
            first -= 1
        return {new["name"]: new for new in self.past[first]["fields"]}

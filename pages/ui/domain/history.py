"""Earlier declarations: undo and redo during the session."""

from dataclasses import dataclass, field
from typing import Any

from pages.ui.shell.draft import Draft

# Most stored declarations; they share common parts.
MAX_STORED = 200

PARTS = (
    "fields",
    "derived",
    "missing_values",
    "origin",
    "notes",
    "left_out",
    "decisions",
    "look",
)

Declaration = dict[str, Any]


@dataclass
class History:
    """Earlier declarations of one table.

    Attributes:
        header: The columns of the table; another header starts a new history.
        past: The declarations, oldest first.
        at: The place of the current one; later ones can be redone.
    """

    header: tuple[str, ...] = ()
    past: list[Declaration] = field(default_factory=list)
    at: int = -1

    def see(self, draft: Draft) -> None:
        """Store the declaration of the draft, unless it is the current one.

        Declarations that could be redone are dropped then. Another table starts a new
        history.
        """
        header = tuple(draft.source.table.header) if draft.source else ()
        if header != self.header:
            self.header = header
            self.past = []
            self.at = -1
        declaration = {part: getattr(draft, part) for part in PARTS}
        if self.past and self.past[self.at] == declaration:
            return
        # Up to the current one; those behind it could have been redone.
        self.past = [*self.past[: self.at + 1], declaration][-MAX_STORED:]
        self.at = len(self.past) - 1

    def can(self, steps: int) -> bool:
        """Return whether there is a declaration ``steps`` later; earlier if negative."""
        return 0 <= self.at + steps < len(self.past)

    def go(self, draft: Draft, steps: int) -> Draft:
        """Return the draft with the declaration ``steps`` later; earlier if negative."""
        self.at += steps
        return draft.change(**self.past[self.at])

    @property
    def noted_fields(self) -> dict[str, Any]:
        """Return the columns' fields when the current notes were written, by name.

        They are the fields of the earliest declaration in a row that has these very notes.
        """
        notes = self.past[self.at]["notes"]
        first = self.at
        # By identity: an import may write equal notes anew.
        while first and self.past[first - 1]["notes"] is notes:
            first -= 1
        return {new["name"]: new for new in self.past[first]["fields"]}

"""Earlier declarations: undo and redo during the session."""

from dataclasses import dataclass, field
from typing import Any

from pages.ui.shell.draft import Draft

# Most stored declarations; they share common parts.
KEPT = 200

PARTS = ("fields", "derived", "missing_values", "origin", "notes", "left_out")

Declaration = dict[str, Any]


@dataclass
class History:
    header: tuple[str, ...] = ()
    past: list[Declaration] = field(default_factory=list)
    at: int = -1

    def see(self, draft: Draft) -> None:
        header = tuple(draft.source.table.header) if draft.source else ()
        if header != self.header:
            self.header, self.past, self.at = header, [], -1
        now = {part: getattr(draft, part) for part in PARTS}
        if self.past and self.past[self.at] == now:
            return
        self.past = [*self.past[: self.at + 1], now][-KEPT:]
        self.at = len(self.past) - 1

    def can(self, steps: int) -> bool:
        return 0 <= self.at + steps < len(self.past)

    def go(self, draft: Draft, steps: int) -> Draft:
        self.at += steps
        return draft.change(**self.past[self.at])

    @property
    def noted_fields(self) -> dict[str, Any]:
        notes = self.past[self.at]["notes"]
        first = self.at
        while first and self.past[first - 1]["notes"] is notes:
            first -= 1
        return {new["name"]: new for new in self.past[first]["fields"]}

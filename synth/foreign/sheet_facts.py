"""Things that a workbook hides, or holds next to its table: counted, and never read.

The counts are exact, so they are for the steward alone.

>>> facts = SheetFacts(hidden_rows=2, hidden_columns=[(1, 1), (5, 9)])
>>> facts.list_hidden(3)
[1]
"""

from dataclasses import asdict, dataclass, field

from synth.foreign.below_table import is_line_below
from synth.foreign.cells import SheetRow
from synth.foreign.fault import Reply

# Words with which elements say yes.
TRUE_WORDS = ("1", "true")


@dataclass(kw_only=True)
class SheetFacts:
    """Counts of hidden and further things of a sheet.

    Attributes:
        is_hidden: Whether the sheet that is read is hidden.
        hidden_sheets: Number of hidden sheets of the workbook.
        hidden_rows: Number of filled rows that are hidden.
        hidden_columns: First and last column, from 0, of each group of hidden columns.
        blank_rows: Number of rows with formatted cells that are all blank.
        unsaved_formulas: Number of cells with a formula whose value is not stored.
        gap_lines: Lines on which rows go on below blank ones, the first few.
        gaps: Number of such lines.
        beyond_rows: Number of rows with cells beyond the columns of the table.
        below_rows: Number of rows that begin like a line below a table.
        below_lines: Lines of such rows, the first few.
    """

    is_hidden: bool = False
    hidden_sheets: int = 0
    hidden_rows: int = 0
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    blank_rows: int = 0
    unsaved_formulas: int = 0
    gap_lines: list[int] = field(default_factory=list)
    gaps: int = 0
    beyond_rows: int = 0
    below_rows: int = 0
    below_lines: list[int] = field(default_factory=list)
    _last_line: int = 0

    def add_row(self, line: int, cells: SheetRow, width: int) -> None:
        """Count a filled row of the table, by the line that it is on.

        Args:
            line: The number of the row in the sheet, from 1.
            cells: The texts of the row, by column.
            width: The number of columns of the table.
        """
        if self._last_line and line > self._last_line + 1:
            self.gaps += 1
            if len(self.gap_lines) < MAX_NAMED_LINES:
                self.gap_lines.append(line)
        self._last_line = line
        self.beyond_rows += any(column >= width for column in cells)
        if is_line_below(text for _, text in sorted(cells.items())):
            self.below_rows += 1
            # One more than is named, so that a sentence knows whether there are more.
            if len(self.below_lines) <= MAX_NAMED_LINES:
                self.below_lines.append(line)

    def list_hidden(self, width: int) -> list[int]:
        """Return the hidden columns of a table of so many columns, each by its number."""
        return [
            column
            for column in range(width)
            if any(first <= column <= last for first, last in self.hidden_columns)
        ]

    def to_reply(self, width: int) -> Reply:
        """Return the facts by name, for the parent of the process that reads a workbook.

        Args:
            width: The number of columns of the table.
        """
        facts = asdict(self)
        del facts["_last_line"]
        return {**facts, "hidden_columns": self.list_hidden(width)}


# Most lines on which rows go on that are named.
MAX_NAMED_LINES = 5

"""What counts as a row of the table: part of the definition of neighbours. PUBLIC."""

from enum import StrEnum


class RowReading(StrEnum):
    """The rule that separates the rows of a table.

    >>> RowReading.LINES.caveat.partition(".")[0]
    'Each line of the file below its header is one row, whatever it holds'
    """

    LINES = "lines"
    SPAN = "span"
    TYPED = "typed"
    FRAME = "frame"

    @property
    def caveat(self) -> str:
        """The sentence of pages, certificate and statement."""
        return f"{_ROW_SENTENCES[self]} {_DAMAGED}"


_ROW_SENTENCES = {
    RowReading.LINES: "Each line of the file below its header is one row, whatever it holds.",
    RowReading.SPAN: "A row of the file may go on over line ends inside quoted cells. The "
    "guarantee holds where the program that wrote the file closes every quotation mark in its row "
    "and doubles the marks inside quoted cells.",
    RowReading.TYPED: "The rows are those of the file. A row that is blank in all cells is no row "
    "in a workbook, and in a SAS transport file that has texts alone.",
    RowReading.FRAME: "The rows are those of the table in memory. The types of its columns are "
    "public, as their names are.",
}
_DAMAGED = (
    "A cell that cannot be read counts as a value that is not declared. A row that cannot be cut "
    "into cells is left out, and is a row of the table all the same."
)

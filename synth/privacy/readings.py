"""What counts as a row of the table: part of the definition of neighbours. PUBLIC."""

from collections.abc import Mapping
from enum import StrEnum


class RowReading(StrEnum):
    """The rule that separates the rows of a table.

    >>> RowReading.LINES.caveat.partition(".")[0]
    'Each line of the file below its header is one row, no matter its content'
    """

    LINES = "lines"
    SPAN = "span"
    TYPED = "typed"
    FRAME = "frame"

    @property
    def caveat(self) -> str:
        """The rule of a table in words, for the certificate."""
        return f"{_ROW_SENTENCES[self]} {_DAMAGED}"


def reading_caveats(readings: Mapping[str, RowReading]) -> tuple[str, ...]:
    """Return in words what counts as a row of linked tables.

    There is one sentence for each table, and one about all of them.

    Args:
        readings: The rule of each table, by the table's name.

    >>> rules = {"people": RowReading.TYPED, "visits": RowReading.LINES}
    >>> [caveat.partition(".")[0] for caveat in reading_caveats(rules)][1:]
    ["Table 'visits': Each line of the file below its header is one row, no matter its content", \
'In every table: An unreadable cell counts as an undeclared value']
    """  # noqa: E501
    of_tables = (f"Table '{name}': {_ROW_SENTENCES[rule]}" for name, rule in readings.items())
    return (*of_tables, f"In every table: {_DAMAGED}")


_ROW_SENTENCES = {
    RowReading.LINES: "Each line of the file below its header is one "
    "row, no matter its content.",
    RowReading.SPAN: "A row of the file may continue over line ends inside quoted cells. The "
    "guarantee holds if the program that wrote the file closed every quotation "
    "mark in its row and doubled the marks inside quoted cells.",
    RowReading.TYPED: "The rows are the file's rows. In a workbook, "
    "and in a SAS transport file "
    "with texts only, a blank row is no row.",
    RowReading.FRAME: "The rows are the rows of the table in memory. "
    "The names and types of its "
    "columns are public.",
}
_DAMAGED = (
    "An unreadable cell counts as an undeclared value. A row that cannot be split into cells "
    "is left out, but still counts as a row."
)

"""The first rows of a table, for the eyes of its steward alone. PRIVATE.

They show at once if a header, a separator or an encoding was read wrongly. They are shown and
never written, stored or sent.
"""

from synth import limits
from synth.private.counting.duckdb import DuckDB
from synth.private.table import PrivateTable


def read_first_rows(table: PrivateTable) -> list[tuple[str | None, ...]]:
    """Return the first rows of a table as texts, in the order of its file. PRIVATE.

    A row has the cells of the first `limits.PREVIEW_COLUMNS` columns, each cut after
    `limits.PREVIEW_CHARACTERS`. A cell is None where it is empty.

    Args:
        table: The confidential table.

    Raises:
        SynthError: It cannot be read.
    """
    names = table.header[: limits.PREVIEW_COLUMNS]
    with DuckDB(threads=1, ordered=True) as engine:
        rows = engine.first_rows(table, names, limits.PREVIEW_ROWS)
    return [tuple(_shorten(cell) for cell in row) for row in rows]


def _shorten(cell: str | None) -> str | None:
    """Return a cell, cut where it is long."""
    if cell is None or len(cell) <= limits.PREVIEW_CHARACTERS:
        return cell
    return f"{cell[: limits.PREVIEW_CHARACTERS]}…"

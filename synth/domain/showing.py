"""How the columns of a domain show at the end of a line of Python, and in a notebook.

Names of columns and the declared values are public. Where they come from is said, as a
declaration may be taken from the rows.
"""

from collections.abc import Sequence

from synth.domain.column import Column
from synth.domain.derived import Derived
from synth.domain.identifiers import Identifier
from synth.domain.origin import DECLARED, Provenance
from synth.errors import name_some
from synth.util import list_html, paragraph_html, table_html

MAX_SHOWN_NAMES = 6
MAX_SHOWN_CELLS = 4


def describe_columns(names: Sequence[str]) -> str:
    """Return the number of columns and some names.

    >>> describe_columns(["age", "sex"])
    '2 columns: age, sex'
    """
    noun = "column" if len(names) == 1 else "columns"
    return f"{len(names):,} {noun}: {name_some(names, MAX_SHOWN_NAMES)}"


def columns_html(
    names: Sequence[str],
    columns: Sequence[Column],
    uncounted: Sequence[Derived | Identifier],
    *,
    provenance: Provenance,
) -> str:
    """Return the columns of a domain as a table, and where they come from, as HTML.

    Args:
        names: The names of all columns, in order.
        columns: Those with cells.
        uncounted: Those without.
        provenance: Where the declaration comes from.
    """
    lines_by_name = {
        column.name: (
            column.name,
            type(column).__name__,
            _name_cells(column.cells),
            f"{column.size:,}",
        )
        for column in columns
    }
    for without_cells in uncounted:
        kind = type(without_cells).__name__
        lines_by_name[without_cells.name] = (without_cells.name, kind, without_cells.rule, "")
    remarks = []
    if provenance.origin != DECLARED:
        remarks.append(f"Origin: {provenance.origin}.")
    if provenance.looked:
        remarks.append("Somebody saw exact numbers of rows that fit.")
    if provenance.vouched:
        remarks.append("The steward vouches that all values taken from the rows are public.")
    table = table_html(
        ("column", "kind", "values", "cells"), [lines_by_name[name] for name in names]
    )
    title = paragraph_html(f"{describe_columns(names)}.", title="Domain")
    return f"{title}{table}{list_html(remarks)}"


def _name_cells(cells: tuple[str, ...]) -> str:
    """Return the first cells and the last one, as long lists would hide the other columns."""
    if len(cells) <= MAX_SHOWN_CELLS:
        return ", ".join(cells)
    return f"{', '.join(cells[: MAX_SHOWN_CELLS - 1])}, ..., {cells[-1]}"

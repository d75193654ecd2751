"""A code book to fill in: the names of a table's columns, and nothing of its rows.

>>> print(template(["age", "sex"]), end="")
name,type,minimum,maximum,value,label,missing,format,description
age,,,,,,,,
sex,,,,,,,,
"""

import csv
import io
from collections.abc import Callable, Iterable

TEMPLATE_COLUMNS = (
    "name",
    "type",
    "minimum",
    "maximum",
    "value",
    "label",
    "missing",
    "format",
    "description",
)
HOW_TO = (
    "One row for each column of the table. Numbers and dates: type (integer, number, date, "
    "datetime), minimum and maximum. Categories: one row for each value and its label; you "
    "need not repeat the name. Write codes for missing values in one cell, separated by "
    "semicolons."
)


def template(names: Iterable[str], guard: Callable[[str], str] = str) -> str:
    """Return a sheet as CSV text, with a row for each column's name and no other content.

    `guard` returns the text of a name that is safe in a cell, where it could be a formula.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, TEMPLATE_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({"name": guard(name)} for name in names)
    return text.getvalue()

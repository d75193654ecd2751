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
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(TEMPLATE_COLUMNS)
    writer.writerows([guard(name), *[""] * (len(TEMPLATE_COLUMNS) - 1)] for name in names)
    return text.getvalue()

"""SQL, with its texts kept separately: no text of a declaration is ever part of the SQL.

A dialect writes a placeholder with a name of our own in place of a text. The SQL depends on
the shape of a declaration alone.

>>> values = Values("$")
>>> text = "it's"
>>> f"x = {values.bind(text)} OR y = {values.bind(text)}"
'x = $p0 OR y = $p0'
>>> values.query("SELECT $p0")
Statement(text='SELECT $p0', values={'p0': "it's"}, columns=())
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# A text, or a list of texts.
Value = str | tuple[str, ...]


@dataclass(frozen=True)
class Statement:
    """A statement and the values of its placeholders.

    Attributes:
        text: The SQL.
        values: The values of the placeholders, by name.
        columns: The positions of the columns that it reads of a typed table.
    """

    text: str
    values: Mapping[str, Value]
    columns: tuple[int, ...] = ()


class Values:
    """The values of a statement that is being written.

    Args:
        mark: The character before the name of a placeholder.

    Attributes:
        columns: The positions of the columns that it reads of a typed table.
    """

    def __init__(self, mark: str) -> None:
        """Begin without values."""
        self._mark = mark
        self._names: dict[Value, str] = {}
        self.columns: tuple[int, ...] = ()

    def bind(self, value: Value) -> str:
        """Return the placeholder of a value."""
        return self._mark + self._names.setdefault(value, f"p{len(self._names)}")

    def query(self, text: str) -> Statement:
        """Return the statement with the values that its text uses; engines refuse others."""
        used = set(re.findall(rf"{re.escape(self._mark)}(p[0-9]+)", text))
        values = {name: value for value, name in self._names.items() if name in used}
        return Statement(text, values, self.columns)

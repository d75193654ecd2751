"""The confidential table: a file whose header is known and whose rows stay private.

Only the header is read here. Rows are read by an engine, as text, under the declared domain.

>>> import tempfile, pathlib
>>> from synth.table import open_csv
>>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
>>> _ = path.write_text("age,sex\\n41,F\\n")
>>> open_csv(path).header
('age', 'sex')
"""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import NoReturn, TextIO

from synth.domain import Domain
from synth.errors import TableError

NAMED_LINES = 5
"""How many offending lines a message names."""

csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class PrivateTable:
    """A confidential table on disk. Its header may be shown; its rows may not.

    Attributes:
        path: The CSV file.
        header: Column names in file order, blanks around them removed.
    """

    path: Path
    header: tuple[str, ...]

    def positions(self, domain: Domain) -> tuple[int, ...]:
        """Where each declared column stands in the file, counted from 0.

        Raises:
            TableError: A declared column is absent or stands there twice.
        """
        return tuple(self._position(name) for name in domain.names)

    def _position(self, name: str) -> int:
        found = [i for i, title in enumerate(self.header) if title == name]
        if len(found) == 1:
            return found[0]
        if found:
            _refuse(
                f"The table has {len(found)} columns named '{name}' "
                f"(columns {_listing([i + 1 for i in found])})."
            )
        folded = {title.casefold(): title for title in self.header}
        near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
        hint = f"; it has a similar one, '{folded[near[0]]}'" if near else ""
        _refuse(f"The table has no column '{name}'{hint}.")


def open_csv(path: str | Path) -> PrivateTable:
    """Open a comma-separated UTF-8 file with a header line.

    Raises:
        TableError: There is no such file, or it is no table.
    """
    path = Path(path)
    _check_file(path)
    with _text(path) as file:
        try:
            titles = tuple(title.strip() for title in next(csv.reader(file, strict=True), []))
            "".join(titles).encode()
        except (csv.Error, UnicodeEncodeError):
            _refuse(f"The first line of '{path.name}' cannot be read as a CSV header.")
    if not any(titles):
        _refuse(f"The first line of '{path.name}' holds no column names.")
    return PrivateTable(path, titles)


def explain_failure(table: PrivateTable) -> NoReturn:
    """Say in one sentence why an engine could not read the table, naming lines and no values.

    Engines quote the offending cells in their messages; this reads the file again instead.

    Raises:
        TableError: Always.
    """
    name = table.path.name
    lines = list(islice(_undecodable_lines(table.path), NAMED_LINES + 1))
    if lines:
        _refuse(f"'{name}' holds bytes that are not UTF-8 text on {_lines(lines)}.")
    try:
        lines = list(islice(_ragged_lines(table), NAMED_LINES + 1))
    except csv.Error:
        _refuse(f"'{name}' has a quotation mark that is opened and never closed.")
    if lines:
        _refuse(
            f"'{name}' has {len(table.header)} columns in its header, but another number of "
            f"cells on {_lines(lines)}."
        )
    _refuse(f"'{name}' cannot be read as a comma-separated table.")


def _check_file(path: Path) -> None:
    if path.is_dir():
        _refuse(f"'{path.name}' is a folder, not a table.")
    try:
        with path.open("rb") as file:
            start = file.read(65_536)
    except FileNotFoundError:
        _refuse(f"There is no file '{path}'.")
    except OSError:
        _refuse(f"The file '{path}' cannot be opened.")
    if not start.strip():
        _refuse(f"The file '{path.name}' is empty.")
    if b"\0" in start:
        _refuse(f"'{path.name}' is not a table in CSV text.")


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    # Bytes that are no text come through as surrogates, so that only their own line suffers.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield file


def _undecodable_lines(path: Path) -> Iterator[int]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                yield number


def _ragged_lines(table: PrivateTable) -> Iterator[int]:
    width = len(table.header)
    with _text(table.path) as file:
        reader = csv.reader(file, strict=True)
        for row in reader:
            trailing_comma = len(row) == width + 1 and not row[-1]
            if row and len(row) != width and not trailing_comma:
                yield reader.line_num


def _lines(numbers: list[int]) -> str:
    if len(numbers) > NAMED_LINES:
        return f"lines {', '.join(map(str, numbers[:NAMED_LINES]))} and more"
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {_listing(numbers)}"


def _listing(numbers: list[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _refuse(message: str) -> NoReturn:
    raise TableError(message)

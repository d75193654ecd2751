"""The common part of SPSS, Stata and SAS. PUBLIC.

They need pyreadstat, which writes a file at once: all rows are in memory.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from synth import limits
from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.format import FileFormat, label_text
from synth.domain import DAY, Binned, Domain
from synth.errors import LimitError, ReleaseError
from synth.util import check_deadline

if TYPE_CHECKING:
    import pandas as pd

    from synth.bundle.exports.cells import CellValues
    from synth.rows import SyntheticTable

# Memory for a cell while a file is written: the rows, the writer's copy, and separate texts
# (measured by ``tests/bench/bench_exports.py``).
BYTES_OF_NUMBER = 24
BYTES_OF_TEXT = 250

# Bytes of the file's head, which holds the time of writing.
_HEAD = 2_000


@dataclass(frozen=True, eq=False, kw_only=True)
class StatisticsFormat(FileFormat):
    """A format of a statistics program, written by pyreadstat.

    Attributes:
        package: The package that writes it.
        writer: The name of pyreadstat's function.
        date_forms: How the program shows dates, and dates with a time of day.
        stamp: Position of the time of writing in the head, and its replacement.
    """

    package: str = "pyreadstat"
    writer: str = ""
    date_forms: tuple[str, str] = ("", "")
    stamp: tuple[re.Pattern[bytes], bytes] = (re.compile(b""), b"")

    def check(self, domain: Domain, rows: int) -> None:
        """Check that pyreadstat is installed, and that the rows fit in memory.

        Args:
            domain: The declared columns.
            rows: The number of rows.

        Raises:
            ReleaseError: It is not installed.
            LimitError: They are too many.
        """
        super().check(domain, rows)
        if find_spec("pyreadstat") is None:
            raise ReleaseError(
                "Writing for SPSS, Stata and SAS needs the package pyreadstat: "
                "pip install 'pyreadstat<2'."
            )
        variables = self.hold(domain)
        texts = sum(variable.storage is Storage.TEXT for variable in variables)
        row_bytes = BYTES_OF_NUMBER * len(variables) + BYTES_OF_TEXT * texts
        if rows * row_bytes > limits.memory_mb() * 2**20:
            raise LimitError(
                f"{rows:,} rows of {len(variables)} columns do not fit in "
                f"{limits.memory_mb():,} MB of memory, the limit (SYNTH_MEMORY_MB), as files "
                "for SPSS, Stata and SAS are written at once; take Parquet or CSV."
            )

    def write(self, rows: "SyntheticTable", path: Path) -> None:
        """Write all rows at once; the file does not show when, so its bytes are always equal.

        Raises:
            ReleaseError: pyreadstat cannot write them; or the steward stopped it.
        """
        library: Any = import_module("pyreadstat")
        variables = self.hold(rows.domain)
        write = getattr(library, self.writer)
        frame = _frame(rows, variables)
        check_deadline()  # the library writes all rows at once
        try:
            write(frame, str(path), **self.options(variables))
        except (library.PyreadstatError, library.ReadstatError):
            raise ReleaseError(
                f"pyreadstat cannot write these rows for {self.title}."
            ) from None
        check_deadline()
        self._replace_time(path)

    def options(self, variables: tuple[HeldColumn, ...]) -> Mapping[str, Any]:
        """Return the options of pyreadstat's function.

        Args:
            variables: How the format holds each column.
        """
        forms = {variable.name: self.show_numbers(variable) for variable in variables}
        all_labels = {variable.name: self._list_labels(variable) for variable in variables}
        return {
            "file_label": "Synthetic rows made with Synth",
            "column_labels": [variable.label or None for variable in variables],
            "variable_format": {name: form for name, form in forms.items() if form},
            "variable_value_labels": {
                name: labels for name, labels in all_labels.items() if labels
            },
        }

    def _list_labels(self, variable: HeldColumn) -> dict[float | str, str]:
        """Return the label of each code of a column.

        In Stata, letters of missing values stand for texts among numbers, and for values that
        mean a missing one, and have labels too.
        """
        labels: dict[float | str, str] = {
            variable.reasons.get(code, code): label for code, label in variable.labels.items()
        }
        meanings = variable.column.meanings
        for text, code in variable.text_codes.items():
            if isinstance(code, str):
                # The text of a letter's own sign, such as ``.a``, says nothing more.
                subject = meanings.get(text, text) if text == f".{code}" else text
                labels[code] = label_text(subject, variable, self.max_value_label)
        return labels

    def show_numbers(self, variable: HeldColumn) -> str:
        """Return the name of the form in which the program shows a column.

        It is empty for all but dates: then the program decides itself.
        """
        if variable.storage is not Storage.DATE:
            return ""
        assert isinstance(variable.column, Binned)
        date_form, time_form = self.date_forms
        return date_form if variable.column.step == DAY else time_form

    def _replace_time(self, path: Path) -> None:
        """Replace the time of writing in the file's head by a fixed time of equal length."""
        # The pattern has two groups: what is before the time, and the time.
        pattern, fixed_time = self.stamp
        with path.open("r+b") as file:
            head = file.read(_HEAD)
            changed = pattern.sub(lambda match: match[1] + fixed_time, head)
            # A head of another length would damage the file.
            if len(changed) == len(head):
                file.seek(0)
                file.write(changed)


def _frame(rows: "SyntheticTable", variables: tuple[HeldColumn, ...]) -> "pd.DataFrame":
    """Return all rows as a DataFrame, with the cells as the format holds them.

    Args:
        rows: The rows.
        variables: How the format holds each column.
    """
    import pandas as pd  # which a release does without

    from synth.bundle.exports.cells import cells_of, pieces_of

    pieces: list[list[CellValues]] = [[] for _ in variables]
    for piece in rows.pieces():
        for number, values in enumerate(pieces_of(piece)):
            check_deadline()
            pieces[number].append(cells_of(values, variables[number]))
    columns = {
        variable.name: _join_pieces(column_pieces, variable)
        for column_pieces, variable in zip(pieces, variables, strict=True)
    }
    return pd.DataFrame(columns)


def _join_pieces(pieces: "list[CellValues]", variable: HeldColumn) -> Any:
    """Return a column in one piece, an array or a Series of texts.

    Args:
        pieces: The cells of consecutive rows. The list is emptied, to save memory.
        variable: How the format holds the column.
    """
    import pandas as pd

    cells = np.concatenate(pieces)
    pieces.clear()
    # Letters of Stata such as ".a" stand for reasons and signs, in a column of numbers.
    codes = (*variable.reasons.values(), *variable.text_codes.values())
    has_letters = any(isinstance(code, str) for code in codes)
    if has_letters:
        return _list_numbers_first(cells)
    if variable.storage is not Storage.TEXT:
        return cells
    # These programs have no missing texts, only empty ones.
    cells[cells == None] = ""  # noqa: E711 - the comparison is NumPy's, one cell at a time
    return pd.Series(cells, dtype="str")


def _list_numbers_first(cells: "CellValues") -> "pd.Categorical":
    """Return numbers and letters of missing values as categories, with the numbers first.

    pyreadstat tells the kind of such a column by its first 100 cells, and would take one that
    begins with letters for texts. Of categories it looks at these instead.
    """
    import pandas as pd

    distinct: list[Any] = list(pd.unique(cells))
    values = [value for value in distinct if not pd.isna(value)]
    letters = [value for value in values if isinstance(value, str)]
    numbers = [value for value in values if not isinstance(value, str)]
    return pd.Categorical(cells, categories=pd.Index([*numbers, *letters], dtype=object))

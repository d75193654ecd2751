"""The interface of a format, and how it holds columns. PUBLIC.

A file follows from the domain, the rows and the format. The makers publish the limits: Excel
specifications and limits; IBM SPSS Statistics, Variable names; Stata, Limits and [D] label;
SAS, TS-140 (transport files, version 5).
"""

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.names import NameRule, cut
from synth.domain import DAY, EPOCH, OTHER_LABEL, Binned, Column, Domain, Moment, SpanReading
from synth.errors import LimitError, name_some
from synth.util import check_deadline

if TYPE_CHECKING:
    from synth.rows import SyntheticTable


# Text of a whole number that a float holds exactly.
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,14}")
# Type of yes-or-no columns in a DataFrame.
TRUTHS = ("bool", "boolean")
# Most reasons of missing values that a note names; it counts the others.
MAX_QUOTED_REASONS = 5
# Texts among numbers that a note names; it counts the others.
MAX_QUOTED_TEXTS = 3
_CONTROL = re.compile("[\x00-\x1f\x7f]")


@dataclass(frozen=True, eq=False, kw_only=True)
class FileFormat(ABC):
    """A format of files with rows: its limits, and its writer. PUBLIC.

    A format that overrides only `write` holds numbers and dates as such, and texts as codes
    if it has labels for them.

    Attributes:
        name: What people type, and the ending of its files.
        title: The program that reads it.
        mime: Its media type.
        package: The package that writes it; empty if Synth does.
        stem: Name of its file in a bundle, without the ending.
        remarks: A sentence for each thing that no file of it can express.
        max_rows: The most rows of a file.
        naming: The rule for names; None if names stay unchanged.
        max_label: The most bytes of a column's label; 0 if there are none.
        max_value_label: The most bytes of a code's label; 0 if there are none.
        max_value_labels: The most labels of one column.
        max_text: The most bytes of a text.
        max_digits: Digits of a number that are kept.
        keeps_control: Whether texts may have invisible characters.
        first_date: The first moment that is a date.
        epoch: The zero of dates.
        date_units: Units, in seconds, of dates and of dates with a time of day.
    """

    name: str
    title: str
    mime: str
    package: str = ""
    stem: str = "synthetic"
    remarks: tuple[str, ...] = ()
    max_rows: int = 2**31 - 1
    naming: NameRule | None = None
    max_label: int = 0
    max_value_label: int = 0
    max_value_labels: int = 0
    max_text: int = 2**31 - 1
    max_digits: float = math.inf
    keeps_control: bool = False
    first_date: datetime = datetime.min
    epoch: datetime = EPOCH
    date_units: tuple[float, float] = (DAY, 1)

    @property
    def file(self) -> str:
        """The name of its file in a bundle."""
        return f"{self.stem}.{self.name}"

    def check(self, domain: Domain, rows: int) -> None:  # noqa: ARG002 - subclasses use the domain
        """Check that rows can be written, before any is written and before anything is spent.

        Args:
            domain: The declared columns.
            rows: The number of rows.

        Raises:
            LimitError: They are too many for the format, or for memory.
            ReleaseError: The package that writes it is not installed.
        """
        if rows > self.max_rows:
            raise LimitError(
                f"{rows:,} rows do not fit in a file for {self.title}, which holds "
                f"{self.max_rows:,}; take Parquet or CSV."
            )

    @abstractmethod
    def write(self, rows: "SyntheticTable", path: Path) -> None:
        """Write rows that passed `check` to a path; the same rows give the same bytes.

        Raises:
            ReleaseError: They cannot be written.
        """

    def hold(self, domain: Domain) -> tuple[HeldColumn, ...]:
        """Return how the format holds each column, in the order in which they are written.

        Columns get the names that the format allows, all different, and labels.
        """
        names = domain.written
        if self.naming is not None:
            names = tuple(self.naming.spell_names(domain.written))
        return tuple(
            self.hold_reasons(self._label_column(self.hold_column(column, name)))
            for column, name in zip(domain.written_columns, names, strict=True)
        )

    def list_rows(self, rows: "SyntheticTable") -> Iterator[tuple[Any, ...]]:
        """Yield the rows, each as a tuple of its cells as the format holds them.

        A missing value is NaN or the format's code among numbers, and None among texts.
        """
        from synth.bundle.exports.cells import cells_of, pieces_of

        variables = self.hold(rows.domain)
        for piece in rows.pieces():
            check_deadline()
            columns = [
                cells_of(values, variable).tolist()
                for values, variable in zip(pieces_of(piece), variables, strict=True)
            ]
            yield from zip(*columns, strict=True)

    def list_losses(self, domain: Domain) -> tuple[str, ...]:
        """Return a sentence on each thing that a file of these columns can't express.

        First come changed names, then other changes of columns, then what no file of this
        format can express.
        """
        variables = self.hold(domain)
        losses = [
            f"Column '{variable.column.name}' is called '{variable.name}'."
            for variable in variables
            if self._is_renamed(variable)
        ]
        for variable in variables:
            losses += variable.notes
        # How the CSV file writes missing values of columns that have no code for them here.
        blank_markers = dict.fromkeys(
            domain.marker_of(variable.column)
            for variable in variables
            if variable.column.missing and variable.missing is None
        )
        losses += [
            f"A missing value, '{marker}' in the CSV file, is empty here."
            for marker in blank_markers
            if marker
        ]
        return (*losses, *self.remarks)

    def _is_renamed(self, variable: HeldColumn) -> bool:
        """Return whether a column has another name in the format.

        Where the format has only capital letters, another case is no other name.
        """
        if self.naming is not None and self.naming.is_upper:
            return variable.name.lower() != variable.column.name.lower()
        return variable.name != variable.column.name

    def hold_column(self, column: Column, name: str) -> HeldColumn:
        """Return how the format holds a column: as texts, codes, numbers or dates.

        Args:
            column: The declared column.
            name: The name of the column in the format.
        """
        variable = HeldColumn(column=column, name=name)
        # IDs of a pattern have no labels.
        if not column.labels:
            return variable
        if not isinstance(column, Binned):
            return self.hold_listed(variable)
        if isinstance(column.reading, SpanReading):
            note = f"Column '{column.name}' is text: {column.kind}."
            return replace(variable, notes=(note,))
        if isinstance(column.reading, Moment):
            return self._hold_dates(variable, column, column.reading)
        return self._hold_numbers(variable, column)

    def hold_listed(self, variable: HeldColumn) -> HeldColumn:
        """Return how the format holds a column that lists its values.

        Whole numbers become codes of the same number. Texts become codes with labels if the
        format has such labels. Otherwise they stay texts if the format can hold them, and
        become codes without labels if not.

        Args:
            variable: The column as texts, with its name.
        """
        column = variable.column
        if _are_whole(column):
            return _hold_whole(variable)
        texts = variable.texts
        if self._has_labels(texts, column):
            return _hold_codes(variable)
        longest = max(len(text.encode()) for text in texts)
        is_clean = self.keeps_control or not any(map(_CONTROL.search, texts))
        if longest <= self.max_text and is_clean:
            return variable
        codes = tuple(float(1 + number) for number in range(column.size))
        note = (
            f"Column '{column.name}' is numbers from 1 up in the order of domain.json, as "
            f"{self.title} cannot hold its texts."
        )
        return replace(variable, storage=Storage.CODE, codes=codes, notes=(note,))

    def hold_texts(self, variable: HeldColumn, column: Binned) -> HeldColumn:
        """Return how the format holds numbers with texts among them: as texts.

        Such texts are signs, and the label of values outside, `OTHER_LABEL`. Formats with
        codes for them override this.

        Args:
            variable: The column as texts, with its name.
            column: The declared column.
        """
        texts = _quote_texts(variable.texts_among_values)
        note = (
            f"Column '{column.name}' is text, because it contains {texts} as well as numbers."
        )
        return replace(variable, notes=(note,))

    def hold_reasons(self, variable: HeldColumn) -> HeldColumn:
        """Return how the format holds values that mean a missing one: as ordinary values.

        A note says so. Formats with missing values of several kinds override this.

        Args:
            variable: How the format holds the column, with labels.
        """
        marked = (*variable.text_codes, *map(variable.reason_codes.get, variable.reasons))
        ordinary_reasons = [text for text in variable.column.reasons if text not in marked]
        return note_ordinary_reasons(variable, ordinary_reasons, self.title)

    def _hold_numbers(self, variable: HeldColumn, column: Binned) -> HeldColumn:
        """Return how the format holds numbers.

        They are texts if the format would round them, or has no codes for the texts among
        them.

        Args:
            variable: The column as texts, with its name.
            column: The declared column.
        """
        # Spans are the first and the last step of each cell, as whole numbers.
        largest = max(abs(end) for span in column.spans for end in span)
        if largest > 10**self.max_digits:  # never for a format that keeps all digits (inf)
            note = (
                f"Column '{column.name}' is text, as numbers of over {self.max_digits} "
                "digits are rounded."
            )
            return replace(variable, notes=(note,))
        if column.is_mixed:
            return self.hold_texts(variable, column)
        return replace(variable, storage=Storage.NUMBER)

    def _hold_dates(self, variable: HeldColumn, column: Binned, moment: Moment) -> HeldColumn:
        """Return how the format holds dates: as texts if it has no dates so early.

        Args:
            variable: The column as texts, with its name.
            column: The declared column.
            moment: How its texts are read, and the seconds of its unit.
        """
        # The earliest date of the column: the first step of its first cell.
        first = EPOCH + timedelta(seconds=moment.clock_second(column.spans[0][0]))
        where = f"Column '{column.name}'"
        if column.is_mixed:
            texts = _quote_texts(variable.texts_among_values)
            note = f"{where} is text, because it contains {texts} as well as dates."
            return replace(variable, notes=(note,))
        if first < self.first_date:
            year = f"{self.first_date:%Y}"
            note = f"{where} is text, as {self.title} has no dates before {year}."
            return replace(variable, notes=(note,))
        if moment.has_offsets:
            note = f"{where} is text, as {self.title} would lose the offsets of its times."
            return replace(variable, notes=(note,))
        date_unit, time_unit = self.date_units
        # Dates without a time of day have a unit of one day.
        unit = date_unit if moment.seconds == DAY else time_unit
        as_dates = replace(variable, storage=Storage.DATE, epoch=self.epoch, unit=unit)
        if moment.pattern in ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"):
            return as_dates
        note = f"{where}: dates are shown in another form than in the CSV file."
        return replace(as_dates, notes=(note,))

    def _has_labels(self, texts: list[str], column: Column) -> bool:
        """Return whether the format can hold texts as codes with labels.

        Args:
            texts: The texts, one for each cell but the missing one.
            column: The declared column, which may give texts a meaning.
        """
        labels = [_add_meaning(text, column) for text in texts]
        return (
            max(len(text.encode()) for text in labels) <= self.max_value_label
            and len(texts) <= self.max_value_labels
            and not any(map(_CONTROL.search, labels))
        )

    def _label_column(self, variable: HeldColumn) -> HeldColumn:
        """Return a column with its description and the labels of its codes.

        Both are cut if they are too long for the format; a note says so.

        Args:
            variable: How the format holds the column, without these.
        """
        where = f"Column '{variable.column.name}'"
        notes = list(variable.notes)
        about = _describe(variable)
        # A format without labels of columns (0) gets the description as it is.
        max_bytes = self.max_label or len(about.encode())
        if len(about.encode()) > max_bytes or _CONTROL.search(about):
            about = _shorten(about, max_bytes)
            notes.append(f"{where}: its label is cut; it is whole in dictionary.csv.")
        labels = dict(variable.labels)
        meanings = _meanings(variable)
        if self.max_value_label and meanings:
            # Labels that the format itself needs, such as that of values outside, win.
            labels = {**_shorten_all(meanings, self.max_value_label), **labels}
            if any(
                _shorten(text, self.max_value_label) != text for text in meanings.values()
            ):
                notes.append(f"{where}: labels of codes are cut; see dictionary.csv.")
        return replace(variable, label=about, labels=labels, notes=tuple(notes))


def note_ordinary_reasons(
    variable: HeldColumn, reasons: Sequence[str], title: str
) -> HeldColumn:
    """Return a column with a note on values that mean a missing one, but not in the format.

    Args:
        variable: How the format holds the column.
        reasons: These values; without any the column is returned unchanged.
        title: The format's title.
    """
    if not reasons:
        return variable
    texts = name_some([f"'{reason}'" for reason in reasons], MAX_QUOTED_REASONS)
    note = (
        f"Column '{variable.column.name}': {texts} means a missing value, and is an ordinary "
        f"value in files for {title}."
    )
    return replace(variable, notes=(*variable.notes, note))


def _quote_texts(texts: Sequence[str]) -> str:
    """Return the texts among the values of a column, as a sentence names them."""
    return name_some([f"'{text}'" for text in texts], MAX_QUOTED_TEXTS)


def label_text(text: str, variable: HeldColumn, max_bytes: int) -> str:
    """Return the label of a code that stands for a text among numbers.

    Args:
        text: A sign, or the label of values outside.
        variable: The column, which may give a sign a meaning.
        max_bytes: The most bytes of a label.
    """
    return _shorten(_add_meaning(text, variable.column), max_bytes)


def _describe(variable: HeldColumn) -> str:
    """Return the label of a column: its description.

    If the format changed the column's name, the declared name comes first.
    """
    column = variable.column
    if variable.name == column.name:
        return column.description
    return f"{column.name}: {column.description}" if column.description else column.name


def _are_whole(column: Column) -> bool:
    """Return whether all listed values are whole numbers, but for reasons such as ``.a``.

    A reason is a value that means a missing one.
    """
    values = [label for label in column.labels if label not in column.reasons]
    return bool(values) and all(map(WHOLE_NUMBER.fullmatch, values))


def _hold_whole(variable: HeldColumn) -> HeldColumn:
    """Hold whole numbers as codes; the next higher codes are for texts among them.

    These are reasons such as ``.a``, and the label of values outside.

    Args:
        variable: A column whose labels are whole numbers, but for reasons.
    """
    column = variable.column
    numbers = [float(label) for label in column.labels if WHOLE_NUMBER.fullmatch(label)]
    next_codes = count(max(numbers) + 1)
    codes = [
        float(label) if WHOLE_NUMBER.fullmatch(label) else next(next_codes)
        for label in column.labels
    ]
    notes = [
        f"Column '{column.name}': '{label}' is the code {code:.0f}."
        for label, code in zip(column.labels, codes, strict=True)
        if not WHOLE_NUMBER.fullmatch(label)
    ]
    if column.other_code is None:
        return replace(
            variable, storage=Storage.CODE, codes=tuple(codes), labels={}, notes=tuple(notes)
        )
    other = next(next_codes)
    # Cells are in the order: declared values, missing, outside.
    if column.missing:
        codes.append(float("nan"))
    codes.append(other)
    notes.append(f"Column '{column.name}': '{OTHER_LABEL}' is the code {other:.0f}.")
    return replace(
        variable,
        storage=Storage.CODE,
        codes=tuple(codes),
        labels={other: OTHER_LABEL},
        notes=tuple(notes),
    )


def _add_meaning(text: str, column: Column) -> str:
    """Return a label with its meaning, if it has one."""
    meaning = column.meanings.get(text)
    return f"{text} · {meaning}" if meaning else text


def _hold_codes(variable: HeldColumn) -> HeldColumn:
    """Hold texts as codes from 1 up, with labels; truth values as 0 and 1.

    Args:
        variable: A column that lists its values.
    """
    column = variable.column
    first = 0 if column.dtype in TRUTHS else 1
    codes = tuple(float(first + number) for number in range(column.size))
    labels = {
        code: _add_meaning(cell, column)
        for number, (code, cell) in enumerate(zip(codes, column.cells, strict=True))
        if number != column.missing_code
    }
    note = f"Column '{column.name}' is codes from {first} up, with the texts as their labels."
    return replace(variable, storage=Storage.CODE, codes=codes, labels=labels, notes=(note,))


def _meanings(variable: HeldColumn) -> dict[float, str]:
    """Return the declared meanings of numbers, by number.

    There are none for a column of texts; its meanings are part of its labels.
    """
    column = variable.column
    if variable.storage is Storage.NUMBER:
        return {
            float(code): text
            for code, text in column.meanings.items()
            if WHOLE_NUMBER.fullmatch(code)
        }
    if not _are_whole(column):
        return {}
    labels = {
        code: column.meanings.get(cell, "")
        for code, cell in zip(variable.codes, column.cells, strict=False)
    }
    return {code: label for code, label in labels.items() if label}


def _shorten_all(meanings: Mapping[float, str], max_bytes: int) -> dict[float, str]:
    """Return labels that are short and differ, as some programs tell categories by labels.

    Args:
        meanings: The text of each code.
        max_bytes: The most bytes of a label.

    Returns:
        The label of each code. Where two texts become the same, the code precedes them.
    """
    labels = {code: _shorten(text, max_bytes) for code, text in meanings.items()}
    times = Counter(labels.values())
    return {
        code: label if times[label] == 1 else _shorten(f"{code:.0f} · {label}", max_bytes)
        for code, label in labels.items()
    }


def _shorten(text: str, max_bytes: int) -> str:
    """Return a text of at most so many bytes, without control characters."""
    clean = _CONTROL.sub(" ", text)
    if len(clean.encode()) <= max_bytes:
        return clean
    ellipsis = "…"
    return f"{cut(clean, max_bytes - len(ellipsis.encode()))}{ellipsis}"

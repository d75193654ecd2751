"""The interface of a format, and how it holds columns. PUBLIC.

A file follows from the domain, the rows and the format. Limits are those that the makers
publish: Excel specifications and limits; IBM SPSS Statistics, Variable names; Stata, Limits
and [D] label; SAS, TS-140 (transport files, version 5)."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from synth.bundle.exports.cells import cells_of, pieces_of
from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.names import NameRule, cut
from synth.domain import DAY, EPOCH, OTHER_LABEL, Binned, Column, Domain, Moment
from synth.errors import LimitError
from synth.rows import SyntheticTable

# Text of a whole number that a float holds exactly.
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,14}")
# Type of yes-or-no columns in a DataFrame.
TRUTHS = ("bool", "boolean")
_CONTROL = re.compile("[\x00-\x1f\x7f]")


@dataclass(frozen=True, eq=False, kw_only=True)
class FileFormat(ABC):
    """A format of files with rows: its limits, and its writer. PUBLIC.

    A format that overrides only `write` holds numbers and dates as such, and texts as codes
    if it has labels for them.

    Attributes:
        name: What people type, and the ending of its files.
        title: The program that reads it.
        package: The package that writes it; empty if Synth does.
        stem: Name of its file in a bundle, without the ending.
        remarks: A sentence for each thing that no file of it can express.
        naming: The rule for names; None if names stay unchanged.
        max_label, max_value_label, max_text: In bytes; 0 if there are no labels.
        max_value_labels: Labels of one column.
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
        return f"{self.stem}.{self.name}"

    def check(self, domain: Domain, rows: int) -> None:  # noqa: ARG002 - others look at it
        """Check that rows can be written, before any is written and before anything is spent.

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
    def write(self, rows: SyntheticTable, path: Path) -> None:
        """Write rows that passed `check`; the same bytes each time. ReleaseError if that
        fails.
        """

    def hold(self, domain: Domain) -> tuple[HeldColumn, ...]:
        names = (
            domain.written if self.naming is None else self.naming.spell_names(domain.written)
        )
        pairs = zip(domain.written_columns, names, strict=True)
        return tuple(self._label_column(self.hold_column(*pair)) for pair in pairs)

    def list_rows(self, rows: SyntheticTable) -> Iterator[tuple[Any, ...]]:
        held = self.hold(rows.domain)
        for piece in rows.pieces():
            pairs = zip(pieces_of(piece), held, strict=True)
            yield from zip(*(cells_of(*pair).tolist() for pair in pairs), strict=True)

    def list_losses(self, domain: Domain) -> tuple[str, ...]:
        held = self.hold(domain)
        fold = str.lower if self.naming is not None and self.naming.is_upper else str
        renamed = [
            f"Column '{one.column.name}' is called '{one.name}'."
            for one in held
            if fold(one.name) != fold(one.column.name)
        ]
        marker = domain.missing_marker
        is_blank = any(one.column.missing and one.missing is None for one in held)
        blank = [f"A missing value, '{marker}' in the CSV file, is empty here."]
        blank *= is_blank and bool(marker)
        return (
            *renamed,
            *(note for one in held for note in one.notes),
            *blank,
            *self.remarks,
        )

    def hold_column(self, column: Column, name: str) -> HeldColumn:
        plain = HeldColumn(column=column, name=name)
        if not column.labels:  # IDs of a pattern
            return plain
        if not isinstance(column, Binned):
            return self.hold_listed(plain)
        if isinstance(column.reading, Moment):
            return self._hold_dates(plain, column, column.reading)
        return self._hold_numbers(plain, column)

    def hold_listed(self, plain: HeldColumn) -> HeldColumn:
        column = plain.column
        if all(map(WHOLE_NUMBER.fullmatch, column.labels)):
            return _hold_whole(plain)
        texts = plain.texts
        if self._has_labels(texts, column):
            return _hold_codes(plain)
        longest = max(len(text.encode()) for text in texts)
        is_clean = self.keeps_control or not any(map(_CONTROL.search, texts))
        if longest <= self.max_text and is_clean:
            return plain
        codes = tuple(float(1 + i) for i in range(column.size))
        note = (
            f"Column '{column.name}' is numbers from 1 up in the order of domain.json, as "
            f"{self.title} cannot hold its texts."
        )
        return replace(plain, storage=Storage.CODE, codes=codes, notes=(note,))

    def hold_outside(self, plain: HeldColumn, column: Binned) -> HeldColumn:
        note = (
            f"Column '{column.name}' is text, because it contains '{OTHER_LABEL}' as well as "
            "numbers."
        )
        return replace(plain, notes=(note,))

    def _hold_numbers(self, plain: HeldColumn, column: Binned) -> HeldColumn:
        """Hold numbers, unless the format would round them or has no place for
        ``(other)``.
        """
        if max(abs(end) for span in column.spans for end in span) > 10**self.max_digits:
            note = (
                f"Column '{column.name}' is text, as numbers of over {self.max_digits} "
                "digits are rounded."
            )
            return replace(plain, notes=(note,))
        if column.other_code is not None:
            return self.hold_outside(plain, column)
        return replace(plain, storage=Storage.NUMBER)

    def _hold_dates(self, plain: HeldColumn, column: Binned, moment: Moment) -> HeldColumn:
        # Hold dates, unless the format starts later.
        first = EPOCH + timedelta(seconds=column.spans[0][0] * moment.seconds)
        where = f"Column '{column.name}'"
        if column.other_code is not None:
            note = f"{where} is text, because it contains '{OTHER_LABEL}' as well as dates."
        elif first < self.first_date:
            year = f"{self.first_date:%Y}"
            note = f"{where} is text, as {self.title} has no dates before {year}."
        else:
            shown = moment.pattern in ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")
            note = f"{where}: dates are shown in another form than in the CSV file."
            unit = self.date_units[moment.seconds != DAY]
            held = replace(plain, storage=Storage.DATE, epoch=self.epoch, unit=unit)
            return held if shown else replace(held, notes=(note,))
        return replace(plain, notes=(note,))

    def _has_labels(self, texts: list[str], column: Column) -> bool:
        shown = [_add_meaning(text, column) for text in texts]
        return (
            max(len(text.encode()) for text in shown) <= self.max_value_label
            and len(texts) <= self.max_value_labels
            and not any(map(_CONTROL.search, shown))
        )

    def _label_column(self, held: HeldColumn) -> HeldColumn:
        column = held.column
        about, where = column.description, f"Column '{column.name}'"
        if held.name != column.name:
            about = f"{column.name}: {about}" if about else column.name
        held, notes = replace(held, label=about), list(held.notes)
        if (self.max_label and len(about.encode()) > self.max_label) or _CONTROL.search(
            about
        ):
            held = replace(held, label=_short(about, self.max_label or len(about.encode())))
            notes.append(f"{where}: its label is cut; it is whole in dictionary.csv.")
        meanings = _meanings(held)
        if self.max_value_label and meanings:
            labels = {**_unlike(meanings, self.max_value_label), **held.labels}
            held = replace(held, labels=labels)
            if any(_short(text, self.max_value_label) != text for text in meanings.values()):
                notes.append(f"{where}: labels of codes are cut; see dictionary.csv.")
        return replace(held, notes=tuple(notes))


def _hold_whole(plain: HeldColumn) -> HeldColumn:
    codes = [float(label) for label in plain.column.labels]
    notes: tuple[str, ...] = ()
    if plain.column.other_code is not None:
        codes += [float("nan")] * plain.column.missing + [max(codes) + 1]
        notes = (
            f"Column '{plain.column.name}': '{OTHER_LABEL}' is the code {codes[-1]:.0f}.",
        )
    labels = {codes[-1]: OTHER_LABEL} if notes else {}
    return replace(
        plain, storage=Storage.CODE, codes=tuple(codes), labels=labels, notes=notes
    )


def _add_meaning(text: str, column: Column) -> str:
    meaning = column.meanings.get(text)
    return f"{text} · {meaning}" if meaning else text


def _hold_codes(plain: HeldColumn) -> HeldColumn:
    # Codes from 1 up; 0 and 1 for truth values.
    column = plain.column
    first = 0 if column.dtype in TRUTHS else 1
    codes = tuple(float(first + i) for i in range(column.size))
    labels = {
        code: _add_meaning(cell, column)
        for number, (code, cell) in enumerate(zip(codes, column.cells, strict=True))
        if number != column.missing_code
    }
    note = f"Column '{column.name}' is codes from {first} up, with the texts as their labels."
    return replace(plain, storage=Storage.CODE, codes=codes, labels=labels, notes=(note,))


def _meanings(held: HeldColumn) -> dict[float, str]:
    said = held.column.meanings
    if held.storage is Storage.NUMBER or all(map(WHOLE_NUMBER.fullmatch, held.column.labels)):
        return {
            float(code): text for code, text in said.items() if WHOLE_NUMBER.fullmatch(code)
        }
    return {}


def _unlike(meanings: Mapping[float, str], most: int) -> dict[float, str]:
    # Some programs identify categories by their labels, so all are made different.
    short = {code: _short(text, most) for code, text in meanings.items()}
    seen = list(short.values())
    return {
        code: text if seen.count(text) == 1 else _short(f"{code:.0f} · {text}", most)
        for code, text in short.items()
    }


def _short(text: str, most: int) -> str:
    clean = _CONTROL.sub(" ", text)
    return clean if len(clean.encode()) <= most else f"{cut(clean, most - 3)}…"

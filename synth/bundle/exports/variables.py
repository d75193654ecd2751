"""How each column is held by a format, and what that leaves out. PUBLIC.

All of it follows from the domain and the format.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum

from synth.bundle.exports.formats import FileFormat
from synth.bundle.exports.names import cut, held_names
from synth.domain import EPOCH, MISSING_LABEL, OTHER_LABEL, Binned, Column, Domain, Moment

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
MARKED_OTHER = "o"
"""The letter of Stata's missing value for what is outside: ``.o``."""
TRUTHS = ("bool", "boolean")
"""What a DataFrame holds columns of yes or no as."""


class Storage(StrEnum):
    """As what a column is held."""

    NUMBER = "numbers"
    CODE = "codes"
    TEXT = "texts"
    DATE = "dates"
    BOOLEAN = "truth values"


@dataclass(frozen=True)
class HeldColumn:
    """A column as a format holds it. PUBLIC.

    Attributes:
        column: As it is declared.
        name: As the format has it.
        label: What the column is about, as the format has it.
        storage: As what it is held.
        codes: The code of each cell of a column that lists its values, in order.
        labels: What codes stand for.
        other: The code of values outside, among numbers; a letter in Stata.
        missing: The code of missing values, where they have one.
        notes: What the format cannot say, a sentence each.
    """

    column: Column
    name: str
    label: str = ""
    storage: Storage = Storage.TEXT
    codes: tuple[float, ...] = ()
    labels: Mapping[float, str] = field(default_factory=dict)
    other: float | str | None = None
    missing: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The texts that a column which lists its values may hold."""
        return [c for i, c in enumerate(self.column.cells) if i != self.column.missing_code]

    @property
    def user_missing(self) -> tuple[float, ...]:
        """Codes that are no values."""
        found = (self.missing, self.other if self.storage is Storage.NUMBER else None)
        return tuple(code for code in found if isinstance(code, int | float))


def variables(domain: Domain, kind: FileFormat) -> tuple[HeldColumn, ...]:
    """The columns of a domain as a format holds them, in their order."""
    names = held_names(domain.written, kind)
    pairs = zip(domain.written_columns, names, strict=True)
    return tuple(_marked(_labeled(_held(c, name, kind), kind), domain, kind) for c, name in pairs)


def losses(domain: Domain, kind: FileFormat) -> tuple[str, ...]:
    """What a format cannot say of a domain, a sentence each; names that were changed first."""
    held = variables(domain, kind)
    renamed = [
        f"Column '{one.column.name}' is called '{one.name}'."
        for one in held
        if (one.name.lower() if kind is FileFormat.XPT else one.name) != _plain_name(one, kind)
    ]
    return (*renamed, *(note for one in held for note in one.notes), *_general(domain, held, kind))


def _plain_name(one: HeldColumn, kind: FileFormat) -> str:
    """The name, as far as the format tells names apart."""
    return one.column.name.lower() if kind is FileFormat.XPT else one.column.name


def _general(domain: Domain, held: tuple[HeldColumn, ...], kind: FileFormat) -> tuple[str, ...]:
    """What holds of the whole file."""
    reach = kind.reach
    blank = any(one.column.missing and one.missing is None for one in held)
    marker = domain.missing_marker
    said = [
        (blank, f"A missing value, '{marker}' in the CSV file, is empty here." if marker else ""),
        (kind is FileFormat.XLSX, f"A sheet holds {reach.rows:,} rows below its head and no more."),
        (kind is FileFormat.XLSX, "What codes stand for is in the sheet 'columns'."),
        (kind is FileFormat.XPT, "A transport file has no labels of codes; see dictionary.csv."),
        (kind is FileFormat.XPT, "Names are in capital letters, as SAS does not tell them apart."),
        (kind is FileFormat.XPT, "Texts are UTF-8, as the file itself cannot say."),
        (kind is FileFormat.PARQUET, "What codes stand for is in domain.json."),
    ]
    return tuple(text for holds, text in said if holds and text)


def _held(column: Column, name: str, kind: FileFormat) -> HeldColumn:
    plain = HeldColumn(column, name)
    if not isinstance(column, Binned):
        return _hold_listed(plain, kind)
    if isinstance(column.reading, Moment):
        return _hold_dates(plain, column, column.reading, kind)
    return _numbers(plain, column, kind)


def _numbers(plain: HeldColumn, column: Binned, kind: FileFormat) -> HeldColumn:
    """Numbers, unless the format would round them or has no place for ``(other)`` among them."""
    name, other = column.name, column.other_code is not None
    if max(abs(end) for span in column.spans for end in span) > 10**kind.reach.digits:
        most = kind.reach.digits
        note = f"Column '{name}' is text, as numbers of over {most} digits are rounded."
        return replace(plain, notes=(note,))
    if not other:
        return replace(plain, storage=Storage.NUMBER)
    if kind is FileFormat.DTA:
        note = f"Column '{name}': '{OTHER_LABEL}' is the missing value .{MARKED_OTHER}."
        return replace(plain, storage=Storage.NUMBER, other=MARKED_OTHER, notes=(note,))
    if kind is not FileFormat.SAV:
        note = f"Column '{name}' is text, as '{OTHER_LABEL}' stands among its numbers."
        return replace(plain, notes=(note,))
    code = _missing_code(column)
    note = f"Column '{name}': '{OTHER_LABEL}' is the missing code {code}."
    labels = {float(code): OTHER_LABEL}
    return replace(plain, storage=Storage.NUMBER, other=float(code), labels=labels, notes=(note,))


def _missing_code(column: Binned) -> int:
    """The first of -98, -998, ... that is below all values, and a missing code may be beside."""
    low = min(_ends(column))
    codes = (2 - int(10**digits) for digits in range(2, 40))
    return next(code for code in codes if code < low)


def _ends(column: Binned) -> tuple[float, float]:
    steps = [end * float(column.step) for span in column.spans for end in span]
    return min(steps), max(steps)


def _hold_dates(plain: HeldColumn, column: Binned, moment: Moment, kind: FileFormat) -> HeldColumn:
    """Dates, unless the format has none so early or the text does not say the whole year."""
    ends = [end for span in (column.spans[0], column.spans[-1]) for end in span]
    where = f"Column '{column.name}'"
    if column.other_code is not None:
        note = f"{where} is text, as '{OTHER_LABEL}' stands among its dates."
    elif EPOCH + timedelta(seconds=ends[0] * moment.seconds) < kind.reach.first:
        note = f"{where} is text, as {kind.reach.title} has no dates before {kind.reach.first:%Y}."
    elif not all(_reads_back(moment, end) for end in ends):
        note = f"{where} is text, as its dates do not say the whole year."
    else:
        shown = moment.pattern in ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")
        said = () if shown else (f"{where}: dates are shown in another form than in the CSV file.",)
        return replace(plain, storage=Storage.DATE, notes=said)
    return replace(plain, notes=(note,))


def _reads_back(moment: Moment, step: int) -> bool:
    """Whether the text of a date says which it is."""
    try:
        return moment.read(moment.write(step)) == step
    except ValueError:
        return False


def _hold_listed(plain: HeldColumn, kind: FileFormat) -> HeldColumn:
    """Whole numbers as they are; texts as codes with labels where there are labels."""
    column = plain.column
    if kind is FileFormat.PARQUET:
        is_truth = column.dtype in TRUTHS and column.other_code is None
        return replace(plain, storage=Storage.BOOLEAN) if is_truth else plain
    if all(map(_WHOLE.fullmatch, column.labels)):
        return _hold_whole(plain)
    texts = plain.texts
    if _has_labels(texts, column, kind):
        return _hold_codes(plain)
    longest = max(len(text.encode()) for text in texts)
    is_clean = kind is FileFormat.XLSX or not any(map(_CONTROL.search, texts))
    if longest <= kind.reach.text and is_clean:
        return plain
    return _hold_numbers(plain, kind)


def _hold_whole(plain: HeldColumn) -> HeldColumn:
    codes = [float(label) for label in plain.column.labels]
    notes: tuple[str, ...] = ()
    if plain.column.other_code is not None:
        codes += [float("nan")] * plain.column.missing + [max(codes) + 1]
        notes = (f"Column '{plain.column.name}': '{OTHER_LABEL}' is the code {codes[-1]:.0f}.",)
    labels = {codes[-1]: OTHER_LABEL} if notes else {}
    return replace(plain, storage=Storage.CODE, codes=tuple(codes), labels=labels, notes=notes)


def _has_labels(texts: list[str], column: Column, kind: FileFormat) -> bool:
    """Whether codes can have these texts for labels, whole."""
    reach = kind.reach
    longest = max(len(_shorten_title(text, column).encode()) for text in texts)
    return (
        longest <= reach.value_label
        and len(texts) <= reach.value_labels
        and not any(_CONTROL.search(_shorten_title(text, column)) for text in texts)
    )


def _shorten_title(text: str, column: Column) -> str:
    meaning = column.meanings.get(text)
    return f"{text} · {meaning}" if meaning else text


def _hold_codes(plain: HeldColumn) -> HeldColumn:
    """Codes from 1 up, of truth values 0 and 1, whose labels are the texts."""
    column = plain.column
    first = 0 if column.dtype in TRUTHS else 1
    codes = tuple(float(first + i) for i in range(column.size))
    labels = {
        code: _shorten_title(cell, column)
        for number, (code, cell) in enumerate(zip(codes, column.cells, strict=True))
        if number != column.missing_code
    }
    note = f"Column '{column.name}' is codes from {first} up, with the texts as their labels."
    return replace(plain, storage=Storage.CODE, codes=codes, labels=labels, notes=(note,))


def _hold_numbers(plain: HeldColumn, kind: FileFormat) -> HeldColumn:
    codes = tuple(float(1 + i) for i in range(plain.column.size))
    note = (
        f"Column '{plain.column.name}' is numbers from 1 up in the order of domain.json, as "
        f"{kind.reach.title} cannot hold its texts."
    )
    return replace(plain, storage=Storage.CODE, codes=codes, notes=(note,))


def _labeled(held: HeldColumn, kind: FileFormat) -> HeldColumn:
    """With what codes stand for, and with what the column is about."""
    reach, column = kind.reach, held.column
    about = column.description
    if held.name != column.name:
        about = f"{column.name}: {about}" if about else column.name
    held, notes = replace(held, label=about), list(held.notes)
    if (reach.label and len(about.encode()) > reach.label) or _CONTROL.search(about):
        held = replace(held, label=_short(about, reach.label or len(about.encode())))
        notes.append(f"Column '{column.name}': its label is cut; it is whole in dictionary.csv.")
    meanings = _meanings(held)
    if reach.value_label and meanings:
        held = replace(held, labels={**_unlike(meanings, reach.value_label), **held.labels})
        if any(_short(text, reach.value_label) != text for text in meanings.values()):
            notes.append(f"Column '{column.name}': labels of codes are cut; see dictionary.csv.")
    return replace(held, notes=tuple(notes))


def _meanings(held: HeldColumn) -> dict[float, str]:
    """What whole numbers stand for, by code."""
    said = held.column.meanings
    if held.storage is Storage.NUMBER or all(map(_WHOLE.fullmatch, held.column.labels)):
        return {float(code): text for code, text in said.items() if _WHOLE.fullmatch(code)}
    return {}


def _unlike(meanings: Mapping[float, str], most: int) -> dict[float, str]:
    """Labels no two of which are the same, as some programs know categories by them."""
    short = {code: _short(text, most) for code, text in meanings.items()}
    seen = list(short.values())
    return {
        code: text if seen.count(text) == 1 else _short(f"{code:.0f} · {text}", most)
        for code, text in short.items()
    }


def _short(text: str, most: int) -> str:
    """A text that fits, without signs that are not seen."""
    clean = _CONTROL.sub(" ", text)
    return clean if len(clean.encode()) <= most else f"{cut(clean, most - 3)}…"


def _marked(held: HeldColumn, domain: Domain, kind: FileFormat) -> HeldColumn:
    """With the declared code of missing values, where SPSS can keep it apart."""
    column, marker = held.column, domain.missing_marker
    numeric = held.storage in (Storage.NUMBER, Storage.CODE)
    if kind is not FileFormat.SAV or not (column.missing and numeric and _WHOLE.fullmatch(marker)):
        return held
    code = float(marker)
    taken = {*held.codes, *held.labels, held.other}
    if isinstance(column, Binned):
        low, high = _ends(column)
        is_free = not low <= code <= high
    else:
        is_free = True
    if not is_free or code in taken:
        return held
    return replace(held, missing=code, labels={**held.labels, code: MISSING_LABEL})

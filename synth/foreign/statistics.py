"""SPSS, Stata and SAS files, read value by value in the child.

The library refuses a whole file for one impossible date or one byte outside the encoding. So it
returns numbers, and texts in an encoding that has all bytes; this module decodes each by its own.
"""

import codecs
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from synth.foreign.cells import Text, cell_text, kept_text, write_table
from synth.foreign.fault import UNREADABLE, Reply, Request, refuse_damage
from synth.foreign.packed import READERS
from synth.foreign.stata import LEGIBLE, legible, long_columns, release_of
from synth.foreign.statistics_dates import moment_reader

# Cells that are in memory at a time.
BATCH_CELLS = 10_000_000
# An encoding in which every byte is a character.
EVERY_BYTE = "ISO-8859-1"

Options = dict[str, object]
CellReader = Callable[[Any], Text]


def read_statistics(request: Request) -> Reply:
    try:
        with refuse_damage():
            names, rows = read_rows(Path(request["source"]), request)
            write_table(request, names, rows)
    finally:
        (Path(request["folder"]) / LEGIBLE).unlink(missing_ok=True)
    return {}


def read_rows(path: Path, request: Request) -> tuple[list[str], Iterator[Sequence[Text]]]:
    ending = path.suffix.lower()
    library = import_module("pyreadstat")
    # A frame would take pandas to start.
    plain: Options = {"output_format": "dict", "disable_datetime_conversion": True}
    read = partial(getattr(library, READERS[ending]), **plain)
    said = read(str(path), metadataonly=True)[1]
    stored = [str(said.readstat_variable_types.get(name)) for name in said.column_names]
    forms = [str(said.original_variable_types.get(name) or "") for name in said.column_names]
    most = request["cell_bytes"]
    text = _text_reader(path, said.file_encoding, most)
    readers = [
        text if kind == "string" else _number_reader(ending, form)
        for kind, form in zip(stored, forms, strict=True)
    ]
    if ending == ".dta" and (places := long_columns(path, len(readers))):
        path = legible(path, Path(request["folder"]), most)
        readers = [
            partial(kept_text, most=most) if i in places else one for i, one in enumerate(readers)
        ]
    more: Options = {} if ending == ".por" else {"encoding": EVERY_BYTE}
    if "sav" in ending:
        more["user_missing"] = True
    rows = _rows(partial(read, str(path), **more), readers)
    if ending == ".xpt" and set(stored) <= {"string"}:  # at the end, such rows are no rows there
        rows = (row for row in rows if any(row))
    return [str(name) for name in said.column_names], rows


def _rows(read: Callable[..., Any], readers: Sequence[CellReader]) -> Iterator[Sequence[Text]]:
    step = max(1_000, BATCH_CELLS // max(1, len(readers)))
    start, rows = 0, step
    while rows == step:
        columns = list(read(row_offset=start, row_limit=step)[0].values())
        rows = len(columns[0]) if columns else 0
        for row in zip(*columns, strict=True):
            pairs = zip(readers, row, strict=True)
            # A missing number is not a number, so it is not itself.
            yield [None if one is None or one != one else read(one) for read, one in pairs]
        start += step


def _text_reader(path: Path, encoding: str | None, most: int) -> CellReader:
    if path.suffix.lower() == ".por":
        return lambda text: UNREADABLE if "\ufffd" in text else kept_text(text, most)
    is_old = path.suffix.lower() == ".dta" and release_of(path) < 118
    if path.suffix.lower() == ".dta":  # long texts are UTF-8 in old files too
        encoding = "utf-8"
    try:
        decode = codecs.lookup(encoding or "utf-8").decode
    except LookupError:  # one that only the library knows
        decode = codecs.lookup("ascii").decode

    def read(text: str) -> Text:
        body = text.encode(EVERY_BYTE)
        try:
            return kept_text(decode(body)[0], most)
        except UnicodeError:
            return kept_text(body.decode("cp1252", "replace"), most) if is_old else UNREADABLE

    return read


def _number_reader(ending: str, form: str) -> CellReader:
    moment = moment_reader(ending, form)
    if moment is None:
        return cell_text

    def read(number: float) -> Text:
        try:
            return moment(number) if math.isfinite(number) else UNREADABLE
        except (OverflowError, ValueError):
            return UNREADABLE

    return read

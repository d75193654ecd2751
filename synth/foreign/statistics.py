"""SPSS, Stata and SAS files, read value by value in the child.

The library refuses a whole file for one impossible date or one byte outside the encoding. So
it returns numbers, and texts in an encoding that has all bytes; this module decodes each by
its own.

Dates of SPSS, Stata and SAS: numbers with a format that gives their unit.

>>> moment_reader(".sav", "DATE11")(13_797_216_000.0), moment_reader(".dta", "%tc")(1_500)
('2020-01-01', '1960-01-01T00:00:01.500000')

The encoding and the long texts of Stata files.

Long texts have their own part of the file. The library always reads them as UTF-8, and
refuses a file with any other text."""

import codecs
import math
import re
import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from synth.foreign.cells import Text, cell_text, kept_text, write_table
from synth.foreign.fault import UNREADABLE, Fault, Reply, Request, refuse_damage
from synth.foreign.packed import READERS

STATA_MAGIC = b"<stata_dta><header><release>"
MAP = b"<map>"
# Positions in the file's map.
MAP_ENTRIES = 14
LEGIBLE = "legible.dta"
# The type of a variable of long texts.
LONG_TEXT_TYPE = 32_768


class Layout(NamedTuple):
    """The positions of a file's parts.

    Attributes:
        order: The byte order, as in `struct`.
        release: The number of the layout.
        types: The start of the types of variables.
        texts, end: The start and end of the long texts.
    """

    order: str
    release: int
    types: int
    texts: int
    end: int


def release_of(path: Path) -> int:
    """Return the number of a file's layout; texts are UTF-8 from 118 on."""
    with path.open("rb") as file:
        start = file.read(len(STATA_MAGIC) + 3)
    return int(start[len(STATA_MAGIC) :]) if start.startswith(STATA_MAGIC) else start[0]


def long_columns(path: Path, columns: int) -> set[int]:
    with _open_stata(path) as (file, layout):
        if layout is None:
            return set()
        file.seek(layout.types)
        kinds = struct.unpack(f"{layout.order}{columns}H", file.read(2 * columns))
    return {place for place, kind in enumerate(kinds) if kind == LONG_TEXT_TYPE}


def legible(path: Path, folder: Path, most: int) -> Path:
    """Return a private copy in which each unreadable long text is `UNREADABLE`.

    ``most`` is in bytes of a text.
    """
    copy = folder / LEGIBLE
    shutil.copyfile(path, copy)
    with _open_stata(copy) as (file, layout):
        if layout is not None:
            _mark(file, layout, most)
    return copy


@contextmanager
def _open_stata(path: Path) -> "Iterator[tuple[BinaryIO, Layout | None]]":
    """Yield the file and its layout, None for layouts without long texts; Fault if
    damaged.
    """
    with path.open("r+b") as file:
        start = file.read(1 << 16)
        place = start.find(MAP) + len(MAP)
        try:
            if not start.startswith(STATA_MAGIC):
                yield file, None
                return
            order = ">" if b"<byteorder>MSF" in start[:place] else "<"
            places = struct.unpack_from(f"{order}{MAP_ENTRIES}q", start, place)
            types, texts = places[2] + len(b"<variable_types>"), places[10] + len(b"<strls>")
            yield (
                file,
                Layout(order, release_of(path), types, texts, places[11] - len(b"</strls>")),
            )
        except struct.error:
            raise Fault("damaged") from None


def _mark(file: BinaryIO, layout: Layout, most: int) -> None:
    head = f"{layout.order}3sI{'Q' if layout.release >= 118 else 'I'}BI"
    size, place = struct.calcsize(head), layout.texts
    while place < layout.end:
        file.seek(place)
        length = struct.unpack(head, file.read(size))[-1]
        text = file.read(min(length, most + 1)).partition(b"\0")[0]
        if len(text) > most or not _is_text(text):
            file.seek(place + size)
            file.write(f"{UNREADABLE}\0".encode()[:length])
        place += size + length


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


# In seconds.
DAY = 86_400
# The start of dates; Stata's is that of SAS.
SPSS, SAS = datetime(1582, 10, 14), datetime(1960, 1, 1)

# The name of a format of SPSS or SAS, and its width.
FORMAT_NAME = re.compile(r"([A-Z][A-Z0-9]+[A-Z])(?:\d+(?:\.\d+)?)?")


def moment_reader(ending: str, form: str) -> Callable[[float], str] | None:
    """Return a function from a number to the text of a moment; None for formats of other
    numbers.

    The function raises OverflowError or ValueError if there is no such moment.
    """
    readers, name = STATA_READERS, form
    if ending != ".dta":
        found = FORMAT_NAME.fullmatch(form)
        readers = SAS_READERS if ending in (".sas7bdat", ".xpt") else SPSS_READERS
        name = found[1] if found else ""
    return next((read for read, names in readers.items() if name in names.split()), None)


def _day(days: float) -> str:
    return cell_text((SAS + timedelta(int(days))).date())


def _spss_day(seconds: float) -> str:
    return cell_text((SPSS + timedelta(math.floor(seconds / DAY))).date())


def _spss_moment(seconds: float) -> str:
    return cell_text(SPSS + _span(seconds))


def _sas_moment(seconds: float) -> str:
    return cell_text(SAS + _span(seconds))


def _stata_moment(milliseconds: float) -> str:
    return cell_text(SAS + _stata_span(milliseconds))


def _stata_time(milliseconds: float) -> str:
    return _clock(_stata_span(milliseconds))


def _time(seconds: float) -> str:
    return _clock(_span(seconds))


def _span(seconds: float) -> timedelta:
    days = math.floor(seconds / DAY)
    return timedelta(days, int(seconds % DAY), round(seconds % 1 * 1_000_000))


def _stata_span(milliseconds: float) -> timedelta:
    days, rest = math.floor(milliseconds / (1000 * DAY)), milliseconds % (1000 * DAY)
    return timedelta(days, int(rest / 1000), int(rest % 1000 * 1000))


def _clock(span: timedelta) -> str:
    if span < timedelta(0):
        raise ValueError
    if not span.days:
        return cell_text((SAS + span).time())
    rest = cell_text((SAS + timedelta(0, span.seconds, span.microseconds)).time())
    hours, _, minutes = rest.partition(":")
    return f"{24 * span.days + int(hours)}:{minutes}"


# Readers of numbers, with the names of their formats.
FormatReaders = dict[Callable[[float], str], str]
SPSS_READERS: FormatReaders = {
    _spss_day: "DATE ADATE EDATE JDATE SDATE",
    _spss_moment: "DATETIME YMDHMS",
    _time: "TIME DTIME",
}
SAS_READERS: FormatReaders = {
    _day: "WEEKDATE MMDDYY DDMMYY YYMMDD DATE DDMMYYB DDMMYYC DDMMYYD DDMMYYN DDMMYYP "
    "DDMMYYS MMDDYYB MMDDYYC MMDDYYD MMDDYYN MMDDYYP MMDDYYS WEEKDATX DTDATE IS8601DA "
    "E8601DA B8601DA YYMMDDB YYMMDDD YYMMDDN YYMMDDP YYMMDDS",
    _sas_moment: "DATETIME E8601DT DATEAMPM MDYAMPM IS8601DT B8601DT B8601DN",
    _time: "TIME HHMM TOD TIMEAMPM IS8601TM E8601TM B8601TM",
}
STATA_READERS: FormatReaders = {
    _day: "%td %d %tdD_m_Y %tdCCYY-NN-DD",
    _stata_moment: "%tC %tc",
    _stata_time: "%tcHH:MM:SS %tcHH:MM",
}


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
            partial(kept_text, most=most) if i in places else one
            for i, one in enumerate(readers)
        ]
    more: Options = {} if ending == ".por" else {"encoding": EVERY_BYTE}
    if "sav" in ending:
        more["user_missing"] = True
    rows = _rows(partial(read, str(path), **more), readers)
    if ending == ".xpt" and set(stored) <= {
        "string"
    }:  # at the end, such rows are no rows there
        rows = (row for row in rows if any(row))
    return [str(name) for name in said.column_names], rows


def _rows(
    read: Callable[..., Any], readers: Sequence[CellReader]
) -> Iterator[Sequence[Text]]:
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

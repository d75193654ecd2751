"""SPSS, Stata and SAS files, read value by value in the child.

The library refuses a whole file for one impossible date or one byte outside the encoding. So
it returns numbers, and texts in an encoding that has all bytes; this module decodes each by
its own.
"""

import codecs
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from synth.foreign.cells import Text, cell_text, kept_text, write_table
from synth.foreign.fault import UNREADABLE, Reply, Request, refuse_damage
from synth.foreign.files import READERS
from synth.foreign.moments import moment_reader
from synth.foreign.stata import LEGIBLE, copy_legible, long_text_columns, release_of

# Cells that are in memory at a time.
BATCH_CELLS = 10_000_000
# Least rows read at a time, however many columns there are.
LEAST_BATCH_ROWS = 1_000
# An encoding in which every byte is a character.
EVERY_BYTE = "ISO-8859-1"

# The missing values that say why a value is missing, by the ending of a file; the library
# reads a letter for each. SPSS has codes among the numbers instead.
MISSING_KINDS: Mapping[str, tuple[str, ...]] = {
    ".dta": tuple(f".{letter}" for letter in ascii_lowercase),
    **dict.fromkeys(
        (".sas7bdat", ".xpt"), tuple(f".{letter}" for letter in f"{ascii_uppercase}_")
    ),
}

Options = dict[str, object]
CellReader = Callable[[Any], Text]


def read_statistics(request: Request) -> Reply:
    """Copy the rows of a statistics file as a table of texts; a Fault if it is damaged."""
    try:
        with refuse_damage():
            names, rows = read_rows(Path(request["source"]), request)
            write_table(request, names, rows)
    finally:
        (Path(request["folder"]) / LEGIBLE).unlink(missing_ok=True)
    return {}


def read_rows(path: Path, request: Request) -> tuple[list[str], Iterator[Sequence[Text]]]:
    """Return the names of a statistics file's columns, and an iterator of its rows as texts.

    Args:
        path: The file of SPSS, Stata or SAS.
        request: Its private "folder", and the most bytes of a cell ("cell_bytes").
    """
    ending = path.suffix.lower()
    library = import_module("pyreadstat")
    # As dictionaries: a data frame would need pandas, which is slow to import.
    as_numbers: Options = {"output_format": "dict", "disable_datetime_conversion": True}
    read_file = partial(getattr(library, READERS[ending]), **as_numbers)
    header = read_file(str(path), metadataonly=True)[1]
    types = [str(header.readstat_variable_types.get(name)) for name in header.column_names]
    max_bytes = request["cell_bytes"]
    read_text = _text_reader(path, header.file_encoding, max_bytes)
    readers: list[CellReader] = []
    for name, kind in zip(header.column_names, types, strict=True):
        form = str(header.original_variable_types.get(name) or "")
        read_number = _number_reader(ending, form)
        if ending in MISSING_KINDS:
            read_number = partial(_read_tagged_number, read_number=read_number)
        readers.append(read_text if kind == "string" else read_number)
    long_columns = long_text_columns(path, len(readers)) if ending == ".dta" else set()
    # The library decodes long texts itself, and refuses a file with a bad one.
    if long_columns:
        path = copy_legible(path, Path(request["folder"]), max_bytes)
        for number in long_columns:
            readers[number] = partial(kept_text, max_bytes=max_bytes)
    options: Options = {} if ending == ".por" else {"encoding": EVERY_BYTE}
    if "sav" in ending or ending in MISSING_KINDS:
        # Codes for missing values stay codes, and letters letters.
        options["user_missing"] = True
    if ending == ".xpt":
        read_file = partial(_read_transport, **as_numbers)
    rows = _rows(partial(read_file, str(path), **options), readers)
    if ending == ".xpt" and set(types) <= {"string"}:
        # The format fills its last block with blanks, which are no rows of texts.
        rows = (row for row in rows if any(row))
    return [str(name) for name in header.column_names], rows


def _rows(
    read_part: Callable[..., Any], readers: Sequence[CellReader]
) -> Iterator[Sequence[Text]]:
    """Yield rows as texts, None for a missing value.

    Args:
        read_part: Returns the columns of some rows, by name, as the first part of its result.
        readers: For each column a function from a value to a text.
    """
    step = max(LEAST_BATCH_ROWS, BATCH_CELLS // max(1, len(readers)))
    start = 0
    rows = step
    # A batch with fewer rows than asked for is the last one.
    while rows == step:
        columns = list(read_part(row_offset=start, row_limit=step)[0].values())
        rows = len(columns[0]) if columns else 0
        for row in zip(*columns, strict=True):
            # A missing number is not a number, so it is not itself.
            yield [
                None if value is None or value != value else reader(value)
                for reader, value in zip(readers, row, strict=True)
            ]
        start += step


def _text_reader(path: Path, encoding: str | None, max_bytes: int) -> CellReader:
    """Return a function that turns a text as the library gave it into the text of the file.

    The library decoded each byte as one character (`EVERY_BYTE`), so the bytes can be decoded
    again. A text that cannot be decoded becomes `UNREADABLE`.

    Args:
        path: The file.
        encoding: The encoding that its header names; None if it names none.
        max_bytes: The most bytes of a text.
    """
    # Files of this ending take no encoding; their bad bytes are replaced by the library.
    if path.suffix.lower() == ".por":
        return lambda text: UNREADABLE if "\ufffd" in text else kept_text(text, max_bytes)
    is_old = path.suffix.lower() == ".dta" and release_of(path) < 118
    # Texts of Stata are tried as UTF-8 first, also in old files, whose long texts are UTF-8.
    if path.suffix.lower() == ".dta":
        encoding = "utf-8"
    try:
        decode = codecs.lookup(encoding or "utf-8").decode
    except LookupError:  # one that only the library knows: then only ASCII is legible
        decode = codecs.lookup("ascii").decode

    def read(text: str) -> Text:
        """Return a text that was read byte by byte, decoded."""
        body = text.encode(EVERY_BYTE)
        try:
            decoded, _ = decode(body)
            return kept_text(decoded, max_bytes)
        except UnicodeError:
            # Before UTF-8, Stata files did not name their encoding; this is the usual one.
            if is_old:
                return kept_text(body.decode("cp1252", "replace"), max_bytes)
            return UNREADABLE

    return read


def _read_transport(path: str, /, **options: object) -> Any:
    """Read a transport file of SAS (.xpt), with the letters of its missing values.

    SAS marks missing values by the letters .A to .Z. Pyreadstat's function for such files has
    no option that returns the letters, so its internal parser is called. If a version of the
    library lacks that, the values are missing without a reason.

    Args:
        path: The file.
        options: The options of pyreadstat's `read_xport`, and ``user_missing`` for letters.

    Returns:
        What `read_xport` returns: the table, and facts about its columns.
    """
    try:
        parse = import_module("pyreadstat._readstat_parser").parser_entry_point
        return parse(path, "xport", **options)
    except (ImportError, AttributeError, TypeError):
        del options["user_missing"]
        return import_module("pyreadstat").read_xport(path, **options)


def _read_tagged_number(value: Any, read_number: CellReader) -> Text:
    """Return the text of a number, or ``.a`` to ``.z`` (in SAS ``.A``) for a missing value.

    The library reads such a missing value as a letter.

    Args:
        value: The number, or the letter.
        read_number: Returns the text of a number.
    """
    return f".{value}" if isinstance(value, str) else read_number(value)


def _number_reader(ending: str, form: str) -> CellReader:
    """Return a function from a number to its text, which is a date or time if ``form`` says
    so.

    Args:
        ending: The ending of the file's name, which gives the program.
        form: The column's format as the file has it.
    """
    moment = moment_reader(ending, form)
    if moment is None:
        return cell_text

    def read(number: float) -> Text:
        """Return the text of a moment; `UNREADABLE` if there is no such moment."""
        try:
            return moment(number) if math.isfinite(number) else UNREADABLE
        except (OverflowError, ValueError):
            return UNREADABLE

    return read

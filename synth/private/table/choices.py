"""Choices that a file's header leaves open: its encoding and its delimiter.

A byte order mark, or text that is UTF-8, is certain. Anything else is the steward's choice: a
detector ranks candidates, each with the header as it would read. Only the header decides
whether there is a choice, so no row can.

>>> encodings_of("名前,年齢".encode("shift_jis"))[0]
Candidate(encoding='shift_jis', text='名前,年齢')
>>> [(cut.delimiter, cut.names) for cut in delimiters_of("age;sex")]
[(';', ('age', 'sex')), (',', ('age;sex',))]
"""

import csv
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from synth.errors import TableError

# Possible choices with their names; if two read a header in the same way, the earlier one is
# proposed.
ENCODING_NAMES: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("encodings.toml").read_text("utf-8")
)
ENCODINGS = tuple(ENCODING_NAMES)
RANKED = ENCODINGS[1 : ENCODINGS.index("latin-1")]
MARKS = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# Bytes of a file's beginning that show its shape.
SIGHT_BYTES = 1 << 16
# Encodings with characters of two or four bytes.
WIDE = frozenset(name for name in ENCODINGS if name.startswith(("utf-16", "utf-32")))
# First bytes of pictures and old office documents.
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"\xd0\xcf\x11\xe0")
# How like words of a language a header is, from 0 to 1, for its encoding to be sure.
SURE_LIKENESS = 0.5
# Most encodings that are proposed.
MAX_ENCODINGS = 8
# Most encodings that a sentence names.
MAX_NAMED_ENCODINGS = 3
# Most characters of a header that a sentence shows.
MAX_HEADER_LENGTH = 60
DELIMITER_NAMES = {";": "a semicolon", "\t": "a tab", "|": "a vertical bar", ",": "a comma"}
DELIMITERS_TRIED = tuple(DELIMITER_NAMES)


class Candidate(NamedTuple):
    """An encoding that a header may be in.

    Attributes:
        encoding: Its name.
        text: The header as it would read.
    """

    encoding: str
    text: str


class Cut(NamedTuple):
    """A way to cut a header into names of columns.

    Attributes:
        delimiter: The character between the names.
        names: The names.
    """

    delimiter: str
    names: tuple[str, ...]


class EncodingError(TableError):
    """The header does not follow the encoding.

    Attributes:
        candidates: Other encodings, the likeliest first.
        sure: The one that alone makes words of a language without odd characters, else empty.
    """

    def __init__(
        self, message: str, candidates: tuple[Candidate, ...], sure: str = ""
    ) -> None:
        """Store the sentence for people, and the encodings that the header may be in."""
        super().__init__(message)
        self.candidates = candidates
        self.sure = sure


def marked_encoding(start: bytes) -> str:
    """Return the encoding that a byte order mark names; empty without one."""
    return next((encoding for mark, encoding in MARKS if start.startswith(mark)), "")


def encodings_of(text: bytes) -> tuple[Candidate, ...]:
    """Return the encodings that a text may be in, the likeliest first, at most eight.

    Of several that read it in the same way, only the likeliest is returned.

    Args:
        text: The bytes of a header, or of another short text.
    """
    ranks = _ranks(text)
    encoding_by_text: dict[str, str] = {}
    for encoding in (
        *_two_byte_encodings(text),
        *sorted(RANKED, key=lambda encoding: ranks.get(encoding, LAST_RANK)),
    ):
        try:
            decoded = text.decode(encoding)
        except UnicodeDecodeError:
            continue
        # The detector may take an encoding for impossible although it decodes the text.
        if encoding in ranks or encoding in WIDE:
            encoding_by_text.setdefault(decoded, encoding)
    return tuple(
        Candidate(encoding, decoded) for decoded, encoding in encoding_by_text.items()
    )[:MAX_ENCODINGS]


# The rank of an encoding that the detector does not mention: worse than any other.
LAST_RANK = (9.0, 0.0)


def _ranks(text: bytes) -> dict[str, tuple[float, float]]:
    """Return how well a text reads in each encoding that the detector takes for possible.

    A rank is a pair of numbers, and the least is the best: how odd the characters are, from
    0 to 1, and minus how like words of a language they are, from -1 to 0.
    """
    from charset_normalizer import from_bytes  # only where a file is not UTF-8

    ranks: dict[str, tuple[float, float]] = {}
    matches = from_bytes(
        text,
        # nothing is dropped: what reads worst may be right where words are few
        threshold=1.0,
        cp_isolation=list(RANKED),
        enable_fallback=False,
        preemptive_behaviour=False,
    )
    for match in matches:
        rank = (round(match.chaos, 2), -round(match.coherence, 1))
        for encoding in (match.encoding, *match.could_be_from_charset):
            ranks[encoding] = min(ranks.get(encoding, LAST_RANK), rank)
    return ranks


def _two_byte_encodings(text: bytes) -> Iterator[str]:
    """Yield the two-byte encodings that a text may have, by its zero bytes.

    In UTF-16 every other byte of plain letters is 0: the second one of each pair if the
    order is little-endian, the first one if it is big-endian.
    """
    # A fifth of all bytes, so that other letters may be there, too.
    least_zeros = len(text) // 5
    if text[1::2].count(0) > least_zeros:
        yield "utf-16-le"
    if text[::2].count(0) > least_zeros:
        yield "utf-16-be"


def refuse_encoding(name: str, header: bytes) -> NoReturn:
    """Refuse a file whose header does not match its encoding, and propose others.

    Args:
        name: The file in messages.
        header: The bytes of the header.

    Raises:
        EncodingError: The encoding is unclear; the error lists those that the header may be
            in.
        TableError: The file is a picture or an office document.
    """
    if header.startswith(PICTURES):
        raise TableError(f"'{name}' is a picture or a document, not a table.")
    from synth.foreign import line

    candidates = encodings_of(header)
    descriptions = [
        f"{candidate.encoding} (it reads {line(candidate.text, MAX_HEADER_LENGTH)})"
        for candidate in candidates[:MAX_NAMED_ENCODINGS]
    ]
    may = f"; its encoding may be {' or '.join(descriptions)}" if descriptions else ""
    first = candidates[0].encoding if candidates else "NAME"
    message = (
        f"The first line of '{name}' cannot be read as a CSV header{may}: choose it with "
        f"--read encoding={first}."
    )
    # The first encoding is sure if it makes words, and if all others look odder.
    ranks = _ranks(header)
    ranks_in_order = [
        ranks.get(candidate.encoding, LAST_RANK) for candidate in candidates
    ] or [LAST_RANK]
    (chaos, unlikeness), *later_ranks = ranks_in_order
    is_least_odd = all(chaos < later_chaos for later_chaos, _ in later_ranks)
    is_sure = -unlikeness >= SURE_LIKENESS and is_least_odd
    raise EncodingError(message, candidates, candidates[0].encoding if is_sure else "")


def name_delimiter(mark: str) -> str:
    """Return a delimiter in words, for a sentence.

    >>> name_delimiter(";"), name_delimiter("!")
    ('a semicolon', "'!'")
    """
    return DELIMITER_NAMES.get(mark, f"'{mark}'")


def excel_delimiter(line: str) -> str:
    """Return the delimiter that a line names as Excel does; empty if it is no such line.

    >>> excel_delimiter('"sep=;"'), excel_delimiter("sep,age")
    (';', '')
    """
    # Spreadsheets fill the line up with delimiters.
    match = re.fullmatch(r'"?sep=(.)"?\1*', line.strip(" \r\n"))
    return match[1] if match else ""


def delimiters_of(header: str) -> tuple[Cut, ...]:
    """Return the ways to cut a header, those with most names first, the whole line last.

    The whole line as one name appears once, under the default delimiter: a comma.
    """
    cuts = [Cut(mark, tuple(_cells(header, mark))) for mark in DELIMITERS_TRIED]
    several = [cut for cut in cuts if len(cut.names) > 1]
    several.sort(key=lambda cut: len(cut.names), reverse=True)
    uncut = [cut for cut in cuts if len(cut.names) == 1 and cut.delimiter == ","]
    return (*several, *uncut)


def _cells(header: str, mark: str) -> list[str]:
    """Return the names that a delimiter cuts a header into; all in one if it is no CSV."""
    try:
        return next(csv.reader([header], delimiter=mark), [])
    except csv.Error:
        return [header]

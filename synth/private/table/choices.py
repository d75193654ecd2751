"""Choices that a file's header leaves open: its encoding and its delimiter.

A byte order mark, or text that is UTF-8, is certain. Anything else is the steward's choice: a
detector ranks candidates, each with the header as it would read. Only the header decides
whether there is a choice, so no row can.

>>> encodings_of("名前,年齢".encode("shift_jis"))[0]
Candidate(encoding='shift_jis', text='名前,年齢')
>>> [(one.delimiter, one.names) for one in delimiters_of("age;sex")]
[(';', ('age', 'sex')), (',', ('age;sex',))]
"""

import csv
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from synth.errors import TableError
from synth.foreign import line

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
# Encodings with characters of two or four bytes.
WIDE = frozenset(name for name in ENCODINGS if name.startswith(("utf-16", "utf-32")))
# First bytes of pictures and old office documents.
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"\xd0\xcf\x11\xe0")
# How like words of a language a header is, from 0 to 1, for its encoding to be sure.
SURE_LIKENESS = 0.5
# Most encodings that are proposed.
MAX_ENCODINGS = 8
# Most encodings that a sentence names, and most characters of a header that it shows.
NAMED, HEADER = 3, 60
DELIMITER_NAMES = {";": "a semicolon", "\t": "a tab", "|": "a vertical bar", ",": "a comma"}
DELIMITERS_TRIED = tuple(DELIMITER_NAMES)


class Candidate(NamedTuple):
    encoding: str
    text: str


class Cut(NamedTuple):
    delimiter: str
    names: tuple[str, ...]


class EncodingError(TableError):
    """The header does not follow the encoding; ``candidates`` are others, the likeliest
    first.

    ``sure`` is the one that alone makes words of a language without odd characters, else
    empty."""

    def __init__(
        self, message: str, candidates: tuple[Candidate, ...], sure: str = ""
    ) -> None:
        super().__init__(message)
        self.candidates = candidates
        self.sure = sure


def marked_encoding(start: bytes) -> str:
    return next((encoding for mark, encoding in MARKS if start.startswith(mark)), "")


def encodings_of(text: bytes) -> tuple[Candidate, ...]:
    ranks = _ranks(text)
    found: dict[str, str] = {}
    for encoding in (
        *_wide(text),
        *sorted(RANKED, key=lambda one: ranks.get(one, LAST_RANK)),
    ):
        try:
            said = text.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding in ranks or encoding in WIDE:
            found.setdefault(said, encoding)
    return tuple(Candidate(one, said) for said, one in found.items())[:MAX_ENCODINGS]


LAST_RANK = (9.0, 0.0)


def _ranks(text: bytes) -> dict[str, tuple[float, float]]:
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


def _wide(text: bytes) -> Iterator[str]:
    many = len(text) // 5
    if text[1::2].count(0) > many:
        yield "utf-16-le"
    if text[::2].count(0) > many:
        yield "utf-16-be"


def refuse_encoding(name: str, header: bytes) -> NoReturn:
    """Refuse a header that does not match its encoding, with those that it may match.

    Raises EncodingError, or TableError for a picture.
    """
    if header.startswith(PICTURES):
        raise TableError(f"'{name}' is a picture or a document, not a table.")
    found = encodings_of(header)
    shown = [f"{one.encoding} (it reads {line(one.text, HEADER)})" for one in found[:NAMED]]
    may = f"; its encoding may be {' or '.join(shown)}" if shown else ""
    first = found[0].encoding if found else "NAME"
    message = (
        f"The first line of '{name}' cannot be read as a CSV header{may}: choose it with "
        f"--format encoding={first}."
    )
    ranks = _ranks(header)
    (mess, likeness), *others = [ranks.get(one.encoding, LAST_RANK) for one in found] or [
        LAST_RANK
    ]
    is_sure = -likeness >= SURE_LIKENESS and all(mess < other for other, _ in others)
    raise EncodingError(message, found, found[0].encoding if is_sure else "")


def delimiters_of(header: str) -> tuple[Cut, ...]:
    cuts = [Cut(mark, tuple(_cells(header, mark))) for mark in DELIMITERS_TRIED]
    several = sorted((c for c in cuts if len(c.names) > 1), key=lambda c: -len(c.names))
    return (*several, *(c for c in cuts if len(c.names) == 1 and c.delimiter == ","))


def _cells(header: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([header], delimiter=mark), [])
    except csv.Error:
        return [header]

"""Neighbours of delimited text: any bytes on a line, or any record that is well formed."""

import codecs
import gzip
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from synth.domain import Column, Domain
from synth.private.table import ENCODINGS, Format, PrivateTable, open_table
from synth.private.table.choices import WIDE
from tests.fuzz.neighbour_columns import cell_of, domain_of
from tests.fuzz.neighbours import Case

NARROW = tuple(name for name in ENCODINGS if name not in WIDE)
"""Encodings in which a line end is one byte."""
CODECS = (
    ("utf-8",) * 25 + ("utf-16-le", "utf-16-be") * 4 + ("utf-32-le", "utf-32-be") * 2 + NARROW
)
MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
BYTES = (
    b"\0",
    b"\0\0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\r",
    b"\x1a",
    b"\x80",
    b"\x85",
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\xaf",
    b"\x00\xd8",
    b"\xd8\x00",
    b"\x00\xdc",
    b"\xdc\x00",
    *MARKED.values(),
    b"\0\n",
    b"\n\0",
    b"\x1b$B",
    b"\x1b",
    b"\x0e",
    b"\x81",
    b"\x81\x30",
    b"\xa1",
    b'\0"',
    b'"\0',
    b'""',
    b'"',
    b'""""',
    b'"""',
    b"\\",
    b'\\"',
    b"'",
    b" ",
    b"\t",
    b",",
    b";",
    b"#",
    b"\x0b",
    b"\x0c",
    b"\x1c",
    b"\x25",
    b"\x7f",
    b'6"',
    b'"a"b',
)
PIECES = (
    '"',
    '""',
    "\n",
    "\r",
    "\r\n",
    "a",
    "1",
    "\0",
    "#",
    " ",
    "é",
    "ж",
    "\n\n",
    "\ufeff",
    "\u0a0a",
    "\u2200",
    "\u2241\u4100",
    "\u0a41\u4100",
    "\n#",
    '\n"',
    '"\n',
    "a,1\nb,2\n",
)
QUIRKS = (
    '"',
    '""',
    '6"',
    ' "a"',
    '"a" ',
    '"a"',
    'a"b',
    '"a"b',
    'a""',
    '"a""',
    '"""',
    '\\"',
    '"\\',
    '"a',
    "\0",
    "\r",
    "\n",
    "\ufeff",
    "\ud800",
    "\x1a",
    " ",
    "\t",
    "\xa0",
    "\\",
    "'",
    "#",
    "Out of Memory",
)
"""Pieces that one way to read may take for others."""
ABOVE = (
    "notes",
    "notes",
    "",
    'pipes of 6"',
    '"quoted"',
    'a","b',
    ' "',
    '""',
    '"";""',
    "\t",
    "é",
)
"""Lines above the header."""
DELIMITERS = ",,,,,,,,;;;;\t\t\t\t||  ^\x01~\\'0\x1f:"
TITLES = ('u "v"', "", " u ", "é", "u", "u,v")
VERSIONS = 6
"""Rows that are tried in one place."""
LONG = (1_000_000, 1_999_998, 2_000_000, 2_000_001, 2_097_152, 3_000_000)
BORDERS = (1 << 16, 1_000_000, 1 << 20, 2_000_000, 1 << 21) * 20 + (8_000_000, 32_000_000)
"""Places in a file where some reader begins anew."""


@dataclass(frozen=True)
class Text:
    """How rows stand in a file.

    Attributes:
        form: The format that is asked for.
        codec: What text is written in.
        head: Bytes above the first row.
        end: The end of a line, without the CR that may stand before LF.
        paired: How likely a line has that CR.
        columns: The declared column that stands in each place, or none.
        closed: Whether the last row has a line end.
        packed: Whether the file is packed.
    """

    form: Format
    codec: str
    head: bytes
    end: bytes
    paired: float
    columns: tuple[Column | None, ...]
    closed: bool
    packed: bool = False

    def save(self, rows: Sequence[bytes], folder: Path) -> PrivateTable:
        """Write a file. A last row that is empty always has a line end."""
        last = b"" if rows and rows[-1] and not self.closed else self.end
        body = self.head + (self.end.join(rows) + last if rows else b"")
        path = folder / ("t.csv.gz" if self.packed else "t.csv")
        path.write_bytes(gzip.compress(body, 1) if self.packed else body)
        return open_table(path, self.form)

    def line(self, body: bytes) -> bytes:
        """The bytes without what would end the line."""
        while self.end in body:
            body = body.replace(self.end, b"")
        return body

    def ended(self, draw: Random, body: bytes) -> bytes:
        """The bytes, with the CR that may stand before the line end."""
        return body + self.encoded("\r") if draw.random() < self.paired else body

    def encoded(self, text: str) -> bytes:
        """The text in the file's encoding, of which half characters stay where they can."""
        try:
            return text.encode(self.codec, "surrogatepass")
        except UnicodeError:
            return text.encode(self.codec, "ignore")

    @property
    def titles(self) -> tuple[str, ...]:
        """Names for columns that are not declared; of several lines where rows may be."""
        marked = (f'u{self.mark}"v"', f'"{self.mark}"', f'u"{self.mark}"v', f"{self.mark}u")
        spanning = ("u\nv", "u\r\nv", "u\rv", "\n") if self.form.lines == "span" else ()
        return (*TITLES, *marked, *spanning)

    @property
    def mark(self) -> str:
        return self.form.delimiter

    def regular(self, draw: Random, *, span: bool, odd: float = 0.0) -> bytes:
        """A row as a careful writer has it; in one line, if it does not span several."""
        cells = [cell_of(draw, column, self.form.decimal, odd) for column in self.columns]
        row = self.joined(cells, always=draw.random() < 0.2)
        return row if span else self.line(row)

    def joined(self, cells: Sequence[str], *, always: bool) -> bytes:
        """A record; a cell is quoted where its bytes hold a line end, aligned or not."""
        plain = [self.encoded(self.quoted(cell, always=always)) for cell in cells]
        safe = [
            self.encoded(self.quoted(cell, always=True)) if self.end in part else part
            for cell, part in zip(cells, plain, strict=True)
        ]
        return self.encoded(self.mark).join(safe)

    def quoted(self, cell: str, *, always: bool = False) -> str:
        """A cell, in quotation marks where it needs them."""
        if always or any(mark in cell for mark in ('"', "\r", "\n", self.mark)):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    def begins(self, body: bytes) -> bytes:
        """A row that may be the first: where CR is the end, it does not begin with LF.

        Whole characters are taken away, so that the others stay what they are.
        """
        lone = self.end == self.encoded("\r") and not self.form.line_end
        feed = self.encoded("\n")
        while lone and (body.startswith(feed) or body.startswith(b"\n")):
            body = body[len(feed) :]
        return body


def text_of(draw: Random, lines: str) -> tuple[Text, Domain]:
    """A layout, with some of its columns declared."""
    codec, header = draw.choice(CODECS), draw.choice([1] * 8 + [0, 0, 2, 3])
    width = draw.choice([1, 2, 2, 3, 3, 4, 5, 8] * 8 + [40, 300])
    names = [f"c{i}" if header else f"column_{i + 1}" for i in range(width)]
    has_row_names = bool(header) and width > 1 and draw.random() < 0.2
    if has_row_names:  # which is what the column of the rows' names is called
        names[0] = "column_1"
    # A column of several answers, which is read as others in its place.
    split = draw.choice(names[has_row_names:]) if width > 1 and draw.random() < 0.1 else ""
    declarable = [name for name in names if name != split]
    answers = [f"{split}_{option}" for option in ("a", "1", "other")] if split else []
    chosen = draw.sample(declarable, min(len(declarable), draw.choice([1, 2, 2, 3, 4])))
    domain = domain_of(draw, chosen + draw.sample(answers, len(answers) // 2))
    lone = draw.random() < 0.2
    paired = 0.0 if lone else draw.choice([0, 0, 0, 1, 1, 0.3, 0.95])
    mark = MARKED[codec] if codec in MARKED and header and draw.random() < 0.4 else b""
    options: dict[str, object] = {
        "delimiter": draw.choice(DELIMITERS + "§名\U0001f600" * (codec == "utf-8")),
        "decimal": draw.choice("......,"),
        "thousands": draw.choice(["", "", "", "'"]),
        "comment": draw.choice(["", "", "", "#", "%"]),
        "ragged": draw.choice(["", "", "fill"]),
        "encoding": declared_encoding(draw, codec, mark, header),
        "lines": lines,
        "header": header,
        "row_names": has_row_names,
        "split": split_option(draw, split),
        "below": draw.choice([0, 0, 0, 0, 1, 2]) if header else 0,
        "columns": 0 if header else width,
        "line_end": draw.choice(["cr" if lone else "lf", *[""] * 4 * bool(header)]),
    }
    by_name = dict(zip(domain.names, domain.columns, strict=True))
    columns, closed = tuple(map(by_name.get, names)), draw.random() < 0.7
    end = ("\r" if lone else "\n").encode(codec)
    text = Text(Format(**options), codec, b"", end, paired, columns, closed)  # type: ignore[arg-type]
    head = mark + header_of(draw, text, names)
    return replace(text, head=head, packed=draw.random() < 0.03), domain


def split_option(draw: Random, name: str) -> tuple[str, ...]:
    """How a column of several answers is split; nothing without a name."""
    if not name:
        return ()
    mark, word = draw.choice([(",", ","), (";", ";"), ("|", "pipe"), (" ", "space")])
    return (f"{name}:{word}:a{mark}1",)


def declared_encoding(draw: Random, codec: str, mark: bytes, header: int) -> str:
    """What the format says of the encoding; a mark may say it, and little-endian is usual."""
    encodings = [codec] + ["utf-8"] * bool(mark) + ["utf-8-sig", "ascii"] * (codec == "utf-8")
    if header and (mark or codec.endswith("-le")):
        encodings.append(codec.removesuffix("-le").removesuffix("-be"))
    return draw.choice(encodings)


def header_of(draw: Random, text: Text, names: list[str]) -> bytes:
    """Lines above the first row; names that are not declared may hold anything."""
    if not text.form.header:
        return b""
    lines = [draw.choice(ABOVE) for _ in range(text.form.header - 1)]
    if text.form.comment and text.form.header == 1:
        lines += [f"{text.form.comment} a comment"] * draw.choice([0, 0, 1, 2])
    quoted, odd = draw.random() < 0.2, draw.random() < 0.2
    split_names = {option.partition(":")[0] for option in text.form.split}
    titles = [
        name
        if column is not None or not odd or name in split_names
        else draw.choice(text.titles)
        for name, column in zip(names, text.columns, strict=True)
    ]
    titles = titles[text.form.row_names :]
    if not "".join(titles).strip():  # without any name a file is no table
        titles[-1] = "u"
    lines.append(text.mark.join(text.quoted(title, always=quoted) for title in titles))
    # Rows below the names that hold no record, such as a comment or texts of questions.
    comment = text.form.comment or "x"
    lines += draw.choices(["", f"{comment} y", "a", *ABOVE[:1]], k=text.form.below)
    return b"".join(text.ended(draw, text.encoded(line)) + text.end for line in lines)


def hostile_line(draw: Random, text: Text) -> bytes:
    """A line of any bytes but the line end."""
    kind = draw.random()
    if kind < 0.45:
        body = text.regular(draw, span=False, odd=0.2)
        for _ in range(draw.randint(1, 3)):
            body = edit_bytes(draw, text, body)
    elif kind < 0.6:
        body = b"".join(draw.choice(BYTES) for _ in range(draw.randint(1, 6)))
    elif kind < 0.7:
        body = bytes(draw.choices(range(256), k=draw.randint(0, 14)))
    elif kind < 0.85:
        body = text.encoded(odd_line(draw, text))
    else:
        body = text.regular(draw, span=True, odd=0.6)
    return text.line(body)


def odd_line(draw: Random, text: Text) -> str:
    """Lines that a reader may take for more or for less than a row."""
    width, mark = len(text.columns), text.mark
    cells_too_few = [
        cell_of(draw, None) for _ in range(max(0, width + draw.choice([-2, -1, 1, 2])))
    ]
    return draw.choice(
        [
            "",
            "",
            " ",
            "   ",
            "\t",
            '"',
            '""',
            '"""',
            mark * width,
            mark * (width - 1),
            "#",
            "# no",
            '#"',
            "Out of Memory",
            '"Out of Memory',
            "\ufeff",
            "\ufeff" + mark.join("a" * width),
            mark.join(cells_too_few),
            mark.join(f'"{cell}"' for cell in cells_too_few),
            "\0",
            "\0" * 4,
            "\r",
            "\n",
            "\r\r",
            '6"' + mark + "5",
            mark.join(['"a'] * width),
            mark.join(['a"'] * width),
            "\\",
            '\\"',
            "'",
            mark.join([' "a" '] * width),
            "\x1a",
            "\ud800",
            "\u0a0a",
            "\u0d0a",
            "\u0a00\u000d",
        ]
    )


def edit_bytes(draw: Random, text: Text, body: bytes) -> bytes:
    """The bytes with some put in, taken out or doubled."""
    at = draw.randint(0, len(body))
    stop = min(len(body), at + draw.randint(0, 4))
    piece = (
        draw.choice(BYTES)
        if draw.random() < 0.5
        else text.encoded(draw.choice('"",;#\\\'\t é名 '))
    )
    return draw.choice(
        [
            body[:at] + piece + body[at:],
            body[:at] + piece + body[at:],
            piece + body,
            body + piece,
            body[:at] + body[stop:],
            body[:at] + body[at:stop] * 2 + body[stop:],
            body[:at],
        ]
    )


def long_line(draw: Random, text: Text, *, span: bool) -> bytes:
    """A line with one very long cell."""
    size = draw.choice((*LONG, draw.randint(900_000, 2_100_000))) // len(
        text.encoded("a")
    ) + draw.choice([-1, 0, 0, 1])
    filling = draw.choice(["a", "a", "1", " ", "é", "a,", '""', "#"] + ["a\n"] * span)
    cell = (filling * size)[:size] if filling != '""' else '"' * (size // 2)
    at = draw.randrange(len(text.columns))
    quoted = span or draw.random() < 0.6
    cells = [cell_of(draw, column) for column in text.columns]
    cells = [text.quoted(c) for c in cells]
    cells[at] = text.quoted(cell, always=quoted) if quoted else cell
    body = text.encoded(text.mark.join(cells))
    return body if span else text.line(body)


def record(draw: Random, text: Text) -> bytes:
    """A well-formed record: marks that are doubled, and line ends in quotes only."""
    width = len(text.columns)
    if draw.random() < 0.1:
        width_of_record = draw.choice([1, width - 1, width + 1, 600])
        cells = [cell_of(draw, None, odd=0.5) for _ in range(width_of_record)]
    else:
        cells = [cell_with_line_ends(draw, text, column) for column in text.columns]
    return text.joined(cells, always=draw.random() < 0.3)


def cell_with_line_ends(draw: Random, text: Text, column: Column | None) -> str:
    """A cell that may hold line ends, marks and delimiters."""
    if draw.random() < 0.5:
        return cell_of(draw, column, text.form.decimal)
    return "".join(draw.choice((text.mark, *PIECES)) for _ in range(draw.randint(0, 8)))


@dataclass(frozen=True)
class Quirk:
    """What many rows of a file have in common: a piece of text in some place.

    Attributes:
        piece: The text.
        place: Where it stands.
        plain: Whether no cell is quoted for it.
    """

    piece: str
    place: str
    plain: bool

    def row(self, draw: Random, text: Text) -> bytes:
        """A row that has it."""
        cells = [cell_of(draw, column, text.form.decimal, 0) for column in text.columns]
        at = draw.randrange(len(cells))
        match self.place:
            case "start":
                cells[0] = self.piece + cells[0]
            case "end":
                cells[-1] += self.piece
            case "cell":
                cells[at] = self.piece
            case "inside":
                cells[at] = cells[at][:1] + self.piece + cells[at][1:]
            case "more":
                cells.append(self.piece)
            case "row":
                cells = [self.piece]
        if self.plain:
            return text.line(text.encoded(text.mark.join(cells)))
        return text.joined(cells, always=draw.random() < 0.2)


def quirk_of(draw: Random, text: Text) -> Quirk:
    """Any quirk; where rows may span lines, one that is well formed."""
    marks = (text.mark, text.form.comment or "#", "")
    piece = draw.choice(draw.choice((marks, PIECES, QUIRKS)))
    place = draw.choice(("start", "end", "cell", "inside", "more", "row"))
    return Quirk(piece, place, text.form.lines == "one" and draw.random() < 0.7)


def one_line(draw: Random) -> Case:
    """Every line is a row: neighbours have any bytes on one line."""
    text, domain = text_of(draw, "one")
    quirk, odd = quirk_of(draw, text), draw.choice([0, 0.05, 0.3])
    quirky, worse = draw.choice([(0, 0), (0, 0.1), (0, 0.5), (0.5, 0), (0.5, 0), (0.9, 0.05)])

    def row() -> bytes:
        if draw.random() < quirky:
            return text.line(quirk.row(draw, text))
        any_bytes = draw.random() < worse
        return (
            hostile_line(draw, text) if any_bytes else text.regular(draw, span=False, odd=odd)
        )

    rows = [row() for _ in range(number_of_rows(draw))]
    versions = [hostile_line(draw, text) for _ in range(VERSIONS - 2)]
    versions += [text.line(quirk.row(draw, text)), text.regular(draw, span=False)]
    if draw.random() < 0.015:
        versions[0] = long_line(draw, text, span=False)
    return case_of(draw, text, domain, rows, versions)


def one_record(draw: Random) -> Case:
    """Quoted cells may hold line ends: neighbours have one other record, all are well
    formed.
    """
    text, domain = text_of(draw, "span")
    quirk = quirk_of(draw, text)
    quirky, spans = draw.choice([(0, 0), (0, 0.2), (0, 0.2), (0.5, 0), (0.5, 0), (0.9, 0.05)])

    def row() -> bytes:
        if draw.random() < quirky:
            return quirk.row(draw, text)
        return record(draw, text) if draw.random() < spans else text.regular(draw, span=True)

    rows = [row() for _ in range(number_of_rows(draw))]
    versions = [record(draw, text) for _ in range(VERSIONS - 2)]
    versions += [quirk.row(draw, text), text.regular(draw, span=True)]
    if draw.random() < 0.015:
        versions[0] = long_line(draw, text, span=True)
    return case_of(draw, text, domain, rows, versions)


def case_of(
    draw: Random, text: Text, domain: Domain, rows: list[bytes], versions: list[bytes]
) -> Case:
    """The case, now and then with its row at the border of a block."""
    place = draw.randint(0, len(rows))
    if draw.random() < 0.04:
        above = fill_up_to_a_border(draw, text, rows[:place])
        rows, place = above + rows[place:], len(above)
    rows = [text.ended(draw, row) for row in rows]
    versions = [text.ended(draw, version) for version in versions]
    if rows:
        rows[0] = text.begins(rows[0])
    if place == 0:
        versions = [text.begins(version) for version in versions]
    about = (
        f"{text.form} {text.codec} {text.end!r} head {text.head!r:.300} closed {text.closed}"
    )
    return Case(domain, tuple(rows), place, tuple(dict.fromkeys(versions)), text.save, about)


def fill_up_to_a_border(draw: Random, text: Text, rows: list[bytes]) -> list[bytes]:
    """So many rows, of one length, that the next one begins near the border of a block."""
    border = draw.choice(BORDERS) + draw.randint(-12, 3)
    letter, ends = text.encoded("p"), len(text.end)
    size = len(text.head) + sum(len(row) + ends for row in rows)
    longest = draw.choice([900_000, 9_000] if border < 1 << 22 else [900_000])
    while size < border:
        padding = letter * max(0, min(longest, border - size - ends) // len(letter))
        rows.append(padding)
        size += len(padding) + ends
    return rows


def number_of_rows(draw: Random) -> int:
    """Mostly few, now and then so many that an engine reads in parallel."""
    kind = draw.random()
    if kind < 0.55:
        return draw.randint(0, 6)
    if kind < 0.993:
        return draw.randint(7, 40)
    return draw.randint(200, 3_000) if kind < 0.999 else draw.randint(10_000, 70_000)

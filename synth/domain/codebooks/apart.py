"""Code books are read by a child process; here it is asked, and what it says comes back.

A code book of some megabytes can say gigabytes: what each of its columns refers to is written out
for each. So the whole way to a Table Schema is the child's, and the schema may be no larger than a
declaration.

>>> read_codebooks([("a.csv", b"column,category\\nsex,F\\nsex,M")])[0]["fields"][0]["name"]
'sex'
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from synth import limits
from synth.domain.codebooks.contents import SAID, check_size
from synth.domain.codebooks.pieces import Converted, ForeignDocument
from synth.foreign import Folder, read_apart
from synth.util import read_json

if TYPE_CHECKING:
    from synth.domain.codebooks.sheets import Sheet

Book = tuple[str, bytes | Path]
"""What sentences call a code book, and its content or where it is."""
BookAnswer: TypeAlias = "Converted | Sheet | tuple[str, ...]"
"""What a code book says; or the sheet whose roles, or the tables of which one, are to be said."""


def read_codebooks(
    books: Sequence[Book],
    part: str = "",
    roles: Mapping[str, int] | None = None,
    *,
    titled: bool = False,
) -> Converted:
    """A Table Schema of code books of any kind; several must agree on the columns they share.

    Args:
        books: The code books; the ending of a name tells statistics files and workbooks.
        part: Which of several resources or tables is meant.
        roles: Of a sheet, the place of each role; by default guessed from its first row.
        titled: Whether the first row of a sheet is its header, though nothing in it says so.

    Raises:
        DomainError: One is of no known kind, or wrong, or two disagree; the message names both.
        LimitError: One is larger than a declaration can be, unfolds to more, or takes more memory
            or time than there is.
    """
    said = _ask(books, want="schema", part=part, roles=roles, titled=titled)
    return _schema(said)


def ask_codebook(name: str, content: bytes) -> "BookAnswer":
    """What a code book says, or what there is to choose first.

    Raises:
        DomainError: It is of no known kind, or wrong.
        LimitError: As for `read_codebooks`.
    """
    said = _ask([(name, content)], want="choice")
    if "parts" in said:
        return tuple(map(str, said["parts"]))
    return _sheet(said) if "sheet" in said else _schema(said)


def sheet_in(name: str, content: bytes | Path) -> "Sheet":
    """The first rows of the sheet in a workbook, or of delimited text.

    Raises:
        DomainError: It is none.
        LimitError: As for `read_codebooks`.
    """
    return _sheet(_ask([(name, content)], want="sheet"))


def _ask(
    books: Sequence[Book],
    *,
    want: Literal["schema", "choice", "sheet"],
    part: str = "",
    roles: Mapping[str, int] | None = None,
    titled: bool = False,
) -> ForeignDocument:
    """Let the child read them."""
    with Folder() as folder:
        sources = [(_file(folder, number, *book), book[0]) for number, book in enumerate(books)]
        read_apart(
            "codebooks", sources[0][0], folder, books[0][0] or "The code book",
            sources=[(str(path.resolve()), name) for path, name in sources], want=want, part=part,
            roles=None if roles is None else dict(roles), titled=titled,
            most=limits.SCHEMA_MB * 2**20,
        )  # fmt: skip
        said = (folder / SAID).read_bytes().decode(errors="surrogatepass")
        found: ForeignDocument = read_json(said, "What the code book says")
        return found


def _file(folder: Path, number: int, name: str, content: bytes | Path) -> Path:
    """Where the child finds a code book; its ending tells what some are."""
    if isinstance(content, Path):
        return content
    check_size(content)
    path = folder / f"{number}{Path(name).suffix.lower()[:10]}"
    path.write_bytes(content)
    return path


def _schema(said: ForeignDocument) -> Converted:
    document, notes = cast("tuple[ForeignDocument, list[str]]", said["schema"])
    return document, notes


def _sheet(said: ForeignDocument) -> "Sheet":
    from synth.domain.codebooks.sheets import Sheet

    sheet = cast("dict[str, Any]", said["sheet"])
    rows = tuple(map(tuple, sheet.pop("rows")))
    return Sheet(rows, tuple(sheet.pop("header")), **sheet)

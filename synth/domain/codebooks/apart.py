"""Code books, read by a child process.

A code book of some megabytes can expand to gigabytes, as shared definitions are written out
for each column. The child returns a Table Schema, which may be no larger than a declaration.

>>> read_codebooks([("a.csv", b"column,category\\nsex,F\\nsex,M")])[0]["fields"][0]["name"]
'sex'
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from synth import limits
from synth.domain.codebooks.contents import SAID, check_size
from synth.domain.codebooks.variables import Converted, ForeignDocument
from synth.foreign import Folder, read_apart
from synth.util import read_json

if TYPE_CHECKING:
    from synth.domain.codebooks.sheets import Sheet

# Name of a code book in messages, and its content or path.
Book = tuple[str, bytes | Path]
# A converted code book; or the sheet, or the tables, from which you must choose first.
BookAnswer: TypeAlias = "Converted | Sheet | tuple[str, ...]"


def read_codebooks(
    books: Sequence[Book],
    part: str = "",
    roles: Mapping[str, int] | None = None,
    *,
    titled: bool = False,
) -> Converted:
    """Return a Table Schema of code books of any kind.

    Several must agree on the columns that they have in common.

    Args:
        books: The code books; a name's ending identifies statistics files and workbooks.
        part: Name of one of several resources or tables.
        roles: For a sheet, the position of each role; by default guessed from its first row.
        titled: Whether the first row of a sheet is its header though nothing shows so.

    Raises:
        DomainError: A code book is of no known kind, or wrong, or two disagree.
        LimitError: A code book is larger than a declaration can be, unfolds to more, or needs
            more memory or time than there is.
    """
    return _schema(_ask(books, want="schema", part=part, roles=roles, titled=titled))


def ask_codebook(name: str, content: bytes) -> "BookAnswer":
    """Convert a code book, or return what you must choose first.

    The errors are those of `read_codebooks`.
    """
    answer = _ask([(name, content)], want="choice")
    if "parts" in answer:
        return tuple(map(str, answer["parts"]))
    return _sheet(answer) if "sheet" in answer else _schema(answer)


def sheet_in(name: str, content: bytes | Path) -> "Sheet":
    """Return the first rows of the sheet in a workbook, or of delimited text.

    Raises:
        DomainError: There is no sheet.
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
    """Return what a separate process reads in code books: a schema, a choice or a sheet."""
    with Folder() as folder:
        paths = [_path_of(book, folder, number) for number, book in enumerate(books)]
        names = [name for name, _ in books]
        read_apart(
            "codebooks",
            paths[0],
            folder,
            name=names[0] or "The code book",
            sources=[
                (str(path.resolve()), name) for path, name in zip(paths, names, strict=True)
            ],
            want=want,
            part=part,
            roles=None if roles is None else dict(roles),
            titled=titled,
            most=limits.SCHEMA_MB * 2**20,
        )
        text = (folder / SAID).read_bytes().decode(errors="surrogatepass")
        answer: ForeignDocument = read_json(text, "The contents of the code book")
        return answer


def _path_of(book: Book, folder: Path, number: int) -> Path:
    """Return the path of a code book; bytes are written into the folder under a number."""
    name, content = book
    if isinstance(content, Path):
        return content
    check_size(content)
    path = folder / f"{number}{Path(name).suffix.lower()[:10]}"
    path.write_bytes(content)
    return path


def _schema(answer: ForeignDocument) -> Converted:
    document, notes = cast("tuple[ForeignDocument, list[str]]", answer["schema"])
    return document, notes


def _sheet(answer: ForeignDocument) -> "Sheet":
    from synth.domain.codebooks.sheets import Sheet

    sheet = cast("dict[str, Any]", answer["sheet"])
    rows = tuple(map(tuple, sheet.pop("rows")))
    return Sheet(rows=rows, header=tuple(sheet.pop("header")), **sheet)

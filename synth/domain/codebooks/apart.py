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

# Most characters of a name's ending, with its point, that are kept.
MAX_ENDING = 10
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
        books: Name and content or path of each code book; a name's ending identifies
            statistics files and workbooks.
        part: Name of one of several resources or tables; empty if there is only one.
        roles: For a sheet, the position of its column for each role, such as "name" or
            "value"; by default guessed from its first row.
        titled: Whether the first row of a sheet is its header though nothing shows so.

    Returns:
        The Table Schema, and notes in sentences on what it lacks.

    Raises:
        DomainError: A code book is of no known kind, or wrong, or two disagree.
        LimitError: A code book is larger than a declaration can be, unfolds to more, or needs
            more memory or time than there is.
    """
    return _schema(_ask(books, want="schema", part=part, roles=roles, titled=titled))


def ask_codebook(name: str, content: bytes) -> "BookAnswer":
    """Return a code book as a Table Schema, or what you must choose before it can be read.

    Args:
        name: The file's name; its ending identifies statistics files and workbooks.
        content: The bytes of the file.

    Returns:
        The Table Schema with its notes; or the names of the tables in the file, if there are
        several; or the first rows of a sheet, whose columns' roles must be chosen.

    Raises:
        DomainError: The code book is of no known kind, or wrong.
        LimitError: It is larger than a declaration can be, unfolds to more, or needs more
            memory or time than there is.
    """
    answer = _ask([(name, content)], want="choice")
    if "parts" in answer:
        return tuple(map(str, answer["parts"]))
    return _sheet(answer) if "sheet" in answer else _schema(answer)


def sheet_in(name: str, content: bytes | Path) -> "Sheet":
    """Return the first rows of the sheet in a workbook, or of delimited text.

    `name` is the file's name in messages; `content` is its content or its path.

    Raises:
        DomainError: There is no sheet.
        LimitError: The file is too large, or needs more memory or time than there is.
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
    """Return what a child process reads in code books, as the JSON object that it leaves.

    Args:
        books: Name and content or path of each code book.
        want: A Table Schema; a schema or what to choose first; or the first rows of a sheet.
        part: Name of one of several resources or tables; empty if there is only one.
        roles: For a sheet, the position of its column for each role; None to guess them.
        titled: Whether the first row of a sheet is its header though nothing shows so.

    Returns:
        An object with one key: ``schema``, ``parts`` or ``sheet``.
    """
    with Folder() as folder:
        paths = [_path_of(book, folder, number) for number, book in enumerate(books)]
        names = [name for name, _ in books]
        # The child runs `files.answer_books`, which leaves its answer in the file `SAID`.
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
        # A name may hold half a character, which is refused later with a proper message.
        text = (folder / SAID).read_bytes().decode(errors="surrogatepass")
        answer: ForeignDocument = read_json(text, "The contents of the code book")
        return answer


def _path_of(book: Book, folder: Path, number: int) -> Path:
    """Return the path of a code book; bytes are written to a file in the folder first.

    The file's name is `number`, as the given name may be unsafe. LimitError is raised if
    there are too many bytes.
    """
    name, content = book
    if isinstance(content, Path):
        return content
    check_size(content)
    ending = Path(name).suffix.lower()[:MAX_ENDING]
    path = folder / f"{number}{ending}"
    path.write_bytes(content)
    return path


def _schema(answer: ForeignDocument) -> Converted:
    document, notes = cast("tuple[ForeignDocument, list[str]]", answer["schema"])
    return document, notes


def _sheet(answer: ForeignDocument) -> "Sheet":
    """Return the sheet in the child's answer, whose lists become tuples again."""
    # Imported here, because it loads the vocabulary of sheets.
    from synth.domain.codebooks.sheets import Sheet

    sheet = cast("dict[str, Any]", answer["sheet"])
    rows = tuple(map(tuple, sheet.pop("rows")))
    return Sheet(rows=rows, header=tuple(sheet.pop("header")), **sheet)

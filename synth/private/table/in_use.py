"""Data that another program is changing: what lies next to it says which rows count. PRIVATE.

A database that is written holds rows that may still be undone, or lacks rows that are already
committed; a file next to it tells. Synth reads the one file alone, so it refuses such a
database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from synth.errors import ArgumentError, TableError
from synth.foreign import read_file

# What is added to the name of a database for the files that belong to it while it is in use.
SIBLINGS = {
    "sqlite": ("-journal", "-wal", "-shm"),
    "duckdb": (".wal", ".wal.checkpoint", ".wal.recovery"),
}
# What is in a folder whose Parquet files are not all rows of the table.
UNFINISHED_WRITE = "_temporary"
VERSION_LOGS = {
    "_delta_log": "Delta Lake",
    ".hoodie": "Apache Hudi",
    "_spark_metadata": "Spark",
}


@contextmanager
def refuse_use(path: Path, name: str, siblings: Sequence[str]) -> Iterator[None]:
    """Refuse a file that is in use before or after a ``with`` block, or changed within it.

    Args:
        path: The file of a database, which the block reads.
        name: What messages call it.
        siblings: What is added to the file's name for files that show its use.

    Raises:
        TableError: A file next to it shows its use, or it changed.
    """
    _check_siblings(path, name, siblings)
    before = _identify_content(path)
    yield
    _check_siblings(path, name, siblings)
    if _identify_content(path) != before:
        raise TableError(
            f"'{name}' changed while it was read. Close the program that writes it and try "
            "again."
        )


def refuse_versioned_folder(path: Path) -> None:
    """Refuse a folder of Parquet files of which only some are rows of the table.

    Raises:
        TableError: Something in it shows that.
    """
    if (path / UNFINISHED_WRITE).exists():
        raise TableError(
            f"The folder '{path.name}' has '{UNFINISHED_WRITE}' in it: a program is writing "
            "it, or was interrupted. Wait for its end, or write the table again."
        )
    for log, program in VERSION_LOGS.items():
        if (path / log).exists():
            raise TableError(
                f"The folder '{path.name}' has '{log}' in it: it is a table of {program}, "
                "whose files also hold rows that were deleted or never committed. Save the "
                "table as plain Parquet files in a new folder."
            )


def _check_siblings(path: Path, name: str, siblings: Sequence[str]) -> None:
    """Refuse a database if a file next to it shows that it is in use.

    The files lie next to a link's target, and a program may also have used the link's
    name.

    Args:
        path: The file of the database.
        name: What messages call it.
        siblings: What is added to the file's name for files that show its use.

    Raises:
        TableError: There is such a file.
    """
    for place in {path, path.resolve()}:
        for ending in siblings:
            # DuckDB takes what follows a question mark for no part of the name.
            head, mark, tail = str(place).partition("?")
            siblings_of_place = {f"{place}{ending}", f"{head}{ending}{mark}{tail}"}
            if any(_is_in_effect(Path(sibling)) for sibling in siblings_of_place):
                raise TableError(
                    f"'{name}' is in use, or its last use was cut off: its folder has a file "
                    f"of the same name with '{ending}' added. Close the program that uses "
                    "it; if there is none, open and close it once with a program that may "
                    "write it."
                )


def _is_in_effect(sibling: Path) -> bool:
    """Return whether a file next to a database shows that the database is in use.

    It does if it is there, and neither empty nor a journal that was closed properly.
    """
    try:
        start = read_file(sibling, 1)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ArgumentError):  # nobody may look into it, or it is no file
        return True
    # SQLite's mode PERSIST keeps a journal and blanks the start of it.
    is_blanked = sibling.name.endswith("-journal") and start.startswith(b"\0")
    return bool(start) and not is_blanked


def _identify_content(path: Path) -> tuple[int, ...]:
    """Return what changes with a file's content: its number, size and time of change.

    It is empty if the file is gone.
    """
    try:
        facts = path.stat()
    except OSError:  # it is gone
        return ()
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns

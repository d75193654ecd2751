"""A file that is no table yet: it waits for its encoding, its header or its names.

An unreadable file does not replace the current table either: the page shows its name until
you choose another."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pages.ui.shell import state
from pages.ui.shell.release import Source
from synth.private.table import Candidate


@dataclass(frozen=True)
class Waiting:
    """A file that waits for its encoding, its delimiter, or the names of its columns.

    Attributes:
        title: Its name.
        path: The private copy, or the file of the server.
        needs: What the user has to say.
        candidates: The encodings that fit, if it waits for one; there may be none.
        header_cause: Why its header cannot be read, as a sentence; empty if it can.
        delimiter: A delimiter that cuts such a header into names; empty if none was seen.
    """

    title: str
    path: Path
    needs: Literal["encoding", "header", "names"]
    candidates: tuple[Candidate, ...] = ()
    header_cause: str = ""
    delimiter: str = ""


def waiting_file() -> Waiting | None:
    """Return the file that waits for its encoding or column names; None if no file waits."""
    waiting: Waiting | None = state.read_value("file_waiting")
    return waiting


def failed_name() -> str:
    """Return the name of the table that could not be read last; empty if it was."""
    return state.read_value("file_failed") or ""


def put_aside() -> None:
    """Forget the waiting file, and delete its private copy unless it is the current table."""
    waiting = waiting_file()
    state.write("file_waiting", None)
    if waiting is not None:
        drop_copy(waiting.path, state.draft().source)


def drop_copy(path: Path, used: Source | None) -> None:
    """Delete a table's private copy unless it is the used table; leave other files alone.

    ``used`` is the table whose file must stay; None if there is none.
    """
    is_used = used is not None and used.table.path == path
    if path.is_relative_to(state.folder().path) and not is_used:
        state.folder().drop(path)


@state.guard
def leave() -> None:
    """Forget the waiting file, and the failure to read it."""
    put_aside()
    state.write("file_failed", "")

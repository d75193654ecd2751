"""Server files that may be opened by their path: only those in the named folders.

The server's operator names the folders in ``SYNTH_FOLDERS``, as in ``PATH``. Without it no
file is opened by its path, signed in or not. Hidden files and Synth's own are never opened. A
user who can write in such a folder can replace an opened file by a link. Opening it again
detects that, counting its rows does not."""

import os
import tempfile
from pathlib import Path
from typing import NoReturn

from pages.ui.shell import home
from synth.errors import TableError

OFF = (
    "The app opens no file of this machine by its path. To allow folders, name them in "
    "SYNTH_FOLDERS when you start the app, such as SYNTH_FOLDERS=/data make run."
)


def named_folders() -> tuple[Path, ...]:
    """Return the folders whose files may be opened by their path."""
    entries = os.environ.get("SYNTH_FOLDERS", "").split(os.pathsep)
    return tuple(Path(entry).expanduser().absolute() for entry in entries if entry.strip())


def resolve_path(text: str) -> Path:
    """Return the real path, without links, of a file or folder that a user names.

    Raises:
        TableError: No folder is allowed, or the path is not below one, or leads out of it.
    """
    folders = named_folders()
    if not folders:
        raise TableError(OFF)
    if not text.strip():
        raise TableError("Type the path of a file.")
    try:
        return _find_path(text.strip(), folders)
    except (OSError, ValueError, RuntimeError):  # a loop of links, or no path at all
        _refuse_path(text)


def _find_path(text: str, folders: tuple[Path, ...]) -> Path:
    """Return the real path of an existing file below one of the allowed folders.

    Links are followed below an allowed folder only, so that nothing outside is even looked
    at.

    Raises:
        TableError: The path is not below a folder, may not be opened, or does not exist.
    """
    path_asked_for = Path(text).expanduser()
    # Candidates with their folder's real path. `normpath` removes ".." by the text alone.
    inside = []
    for folder in folders:
        path = Path(os.path.normpath(folder / path_asked_for))
        real_folder = folder.resolve()
        if path.is_relative_to(folder) or path.is_relative_to(real_folder):
            inside.append((path, real_folder))
    if not inside:
        _refuse_path(text)
    for path, real_folder in inside:
        if path.exists():
            real = path.resolve(strict=True)
            # A folder is a table of several files: each of them must be allowed.
            if all(_may_be_opened(part, real_folder) for part in (real, *_parts(real))):
                return real
            _refuse_path(text)
    raise TableError(f"There is no file '{path_asked_for}'.")


def _parts(path: Path) -> list[Path]:
    return [part.resolve() for part in path.glob("*.parquet")] if path.is_dir() else []


def _may_be_opened(path: Path, folder: Path) -> bool:
    """Return whether a real path is below an allowed folder, not hidden and not Synth's own.

    ``folder`` is the real path of the allowed folder.
    """
    if not path.is_relative_to(folder) or not (path.is_file() or path.is_dir()):
        return False
    temporary = Path(tempfile.gettempdir()).resolve()
    # Synth's own temporary folders have names that begin with "synth-".
    ours = path.is_relative_to(temporary) and any(
        part.startswith("synth-") for part in path.relative_to(temporary).parts[:1]
    )
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return not (ours or hidden or path.is_relative_to(home.place().resolve()))


def _refuse_path(text: str) -> NoReturn:
    """Raise TableError, as this path must not be opened."""
    raise TableError(
        f"'{text.strip()}' is not opened: only files below the folders named in "
        "SYNTH_FOLDERS are, and none that is hidden or Synth's own."
    )

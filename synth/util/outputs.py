"""Files and folders that results are written to: looked at before anything is read or spent.

Every command and every function that writes files goes through a `Protection`. It knows what
the call reads, and never writes over it. It replaces regular files only, and only if somebody
allowed it; a file with the very content that is to be written stays.

>>> Protection().check(FileOutput("nowhere/release.zip", (".zip",)))
Traceback (most recent call last):
synth.errors.ReleaseError: There is no folder 'nowhere' for 'release.zip'; make it first.
"""

import filecmp
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from synth.errors import ReleaseError

# Writes a file of this path, which is not there yet.
Writer = Callable[[Path], object]

# What the names of a ledger's own files end with, after the ledger's name.
LEDGER_ENDINGS = (".key", ".key.new")
# What the names of files end with that belong to a ledger or a database of the name before.
BESIDE_INPUTS = (*LEDGER_ENDINGS, "-wal", "-shm", "-journal", ".wal")
ALREADY_THERE = (
    "'{}' is there already and is kept; choose another name, or replace it by --overwrite "
    "(in Python: overwrite=True)."
)
FOLDER_THERE = "There is something at '{}' already; name a folder that is not there yet."
_IRREGULAR = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True)
class FileOutput:
    """A file that somebody named.

    Attributes:
        path: The file.
        endings: What its name may end with, in small letters; empty for anything.
    """

    path: str | Path
    endings: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are written."""
        return (Path(self.path),)


@dataclass(frozen=True)
class FolderOutput:
    """A folder that somebody named.

    Attributes:
        path: The folder.
        names: The files that may be written into it; others in it stay.
        as_new: Whether it is written as a whole, and so must be new or empty.
    """

    path: str | Path
    names: tuple[str, ...] = ()
    as_new: bool = False

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are written, or the folder itself where it is written as a whole."""
        folder = Path(self.path)
        return (folder,) if self.as_new else tuple(folder / name for name in self.names)


Output = FileOutput | FolderOutput


@dataclass(frozen=True)
class Protection:
    """What a call must not write over.

    Attributes:
        inputs: The files and folders that the call reads, and its ledger.
        overwrite: Whether other regular files may be replaced.
    """

    inputs: tuple[Path, ...] = ()
    overwrite: bool = False

    def check(self, *outputs: Output) -> tuple[Path, ...]:
        """Refuse outputs that must not or cannot be written, without writing anything.

        Returns:
            The files that are there already and may not be replaced: they can only stay, as
            what is to be written.

        Raises:
            ReleaseError: With one sentence about the first wrong output.
        """
        folder_outputs = [output for output in outputs if isinstance(output, FolderOutput)]
        folders = [Path(output.path) for output in folder_outputs]
        for output in outputs:
            for path in output.files:
                self._refuse_input(path)
            if isinstance(output, FolderOutput):
                _check_folder(output)
            else:
                _check_file(Path(output.path), output.endings)
            _check_parent(Path(output.path), folders)
        files = [path for output in outputs for path in output.files]
        _refuse_twice(files)
        existing = [path for path in files if _is_held(path)]
        if self.overwrite:
            for path in existing:
                _refuse_read_only(path)
            new_folders = [Path(output.path) for output in folder_outputs if output.as_new]
            existing = [path for path in existing if path in new_folders]
        return tuple(existing)

    def check_new(self, *outputs: Output) -> None:
        """Refuse outputs that cannot be written, or that may not be replaced.

        Raises:
            ReleaseError: With one sentence about the first wrong output.
        """
        for path in self.check(*outputs):
            refuse_replacing(path)

    def check_content(self, path: str | Path, content: bytes) -> None:
        """Refuse to replace a file that holds something else than ``content``.

        A command that writes several files asks for each, so that it writes all or none.

        Raises:
            ReleaseError: Such a file is there, and may not be replaced.
        """
        path = Path(path)
        if not self.overwrite and _is_held(path) and path.read_bytes() != content:
            refuse_replacing(path)

    def write_file(self, path: str | Path, writer: Writer, *, private: bool = False) -> Path:
        """Write a file, whole or not at all; if ``private``, only this user may read it.

        It is made in a folder next to it that only this user can enter, under an
        unpredictable name. A file of the same content stays.

        Raises:
            ReleaseError: It can't be written, or something else is there.
        """
        path = Path(path)
        with self.fill_folder(path.parent) as part:
            _write(part / path.name, writer, path)
            if private:
                (part / path.name).chmod(0o600)
        if private:  # also where a file of the same content was there
            path.chmod(0o600)
        return path

    @contextmanager
    def fill_folder(self, folder: str | Path, *, last: str = "") -> Iterator[Path]:
        """Yield a private folder whose files go to this one afterwards, if all of them may.

        Other files in the folder stay. It is created if it is not there, but no folder above
        it.

        Args:
            folder: The folder.
            last: The name of the file that appears after all others.

        Raises:
            ReleaseError: A file can't be written, or something else is there; then none is
                written.
        """
        folder = Path(folder)
        is_new = not os.path.lexists(folder)
        private_folder: Path | None = None
        try:
            folder.mkdir(exist_ok=True)
            private_folder = Path(tempfile.mkdtemp(prefix=".synth-", dir=folder))
            yield private_folder
            parts = sorted(
                private_folder.iterdir(), key=lambda part: (part.name == last, part.name)
            )
            changed = [part for part in parts if self._is_to_move(part, folder / part.name)]
            for part in changed:
                os.replace(part, folder / part.name)
            is_new = False
        except OSError:
            raise ReleaseError(f"Nothing can be written to the folder '{folder}'.") from None
        finally:
            if private_folder is not None:
                shutil.rmtree(private_folder, ignore_errors=True)
            if is_new:
                with suppress(OSError):
                    folder.rmdir()

    def _is_to_move(self, part: Path, path: Path) -> bool:
        """Return whether a written file has to take its place, where other content is."""
        self._refuse_input(path)
        _check_file(path, ())
        if not _is_held(path):
            return True
        if filecmp.cmp(part, path, shallow=False):
            return False
        if not self.overwrite:
            refuse_replacing(path)
        _refuse_read_only(path)
        return True

    def _refuse_input(self, path: Path) -> None:
        """Refuse an output that would replace an input or the ledger, or be in an input
        folder.
        """
        for name in self.inputs:
            if is_same_file(path, name):
                raise ReleaseError(
                    f"'{path}' is used by the same call as an input or the ledger, and no "
                    "output is written over it; choose another name."
                )
            for input_path in {name, _resolved(name)}:
                if any(
                    is_same_file(path, f"{input_path}{ending}") for ending in BESIDE_INPUTS
                ):
                    raise ReleaseError(
                        f"'{path}' belongs to '{name.name}', which the same call uses, and "
                        "no output is written over it; choose another name."
                    )
            if os.path.isdir(name) and any(
                is_same_file(above, name) for above in _resolved(path).parents
            ):
                raise ReleaseError(
                    f"'{path}' would be in the folder '{name}', which the same call reads; "
                    "choose another folder."
                )


# Of a call whose inputs are not among its possible outputs.
NOTHING_PROTECTED = Protection()


def describe_there(path: Path) -> str:
    """Return the sentence about a file or a folder that is there, and stays."""
    return (FOLDER_THERE if os.path.isdir(path) else ALREADY_THERE).format(path)


def refuse_replacing(path: Path) -> NoReturn:
    """Refuse to replace a file or a folder that is there.

    Raises:
        ReleaseError: Always.
    """
    raise ReleaseError(describe_there(path))


def refuse_shared_ledger(ledger: str | Path | None, inputs: Iterable[str | Path]) -> None:
    """Refuse a ledger that is, or would be kept in, a file that the same call reads.

    Raises:
        ReleaseError: Such a file is an input.
    """
    if ledger is None:
        return
    own_files = [Path(ledger), *(Path(f"{ledger}{ending}") for ending in LEDGER_ENDINGS)]
    for path in inputs:
        if any(is_same_file(path, own_file) for own_file in own_files):
            raise ReleaseError(
                f"'{path}' is used by the same call as an input, and cannot be its ledger or "
                "the key of its ledger; choose another ledger."
            )


def is_same_file(first: str | Path, second: str | Path) -> bool:
    """Return whether two paths lead to the same file, by any spelling or link.

    If there is no file, it is whether they would.

    >>> is_same_file("somewhere/../a.csv", "a.csv"), is_same_file("a.csv", "b.csv")
    (True, False)
    """
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):
        return _resolved(first) == _resolved(second)


def _resolved(path: str | Path) -> Path:
    """Return an absolute path without links, in lower case where case does not matter."""
    try:
        return Path(os.path.normcase(os.path.realpath(path)))
    except (OSError, ValueError):
        return Path(os.path.abspath(path))


def _is_held(path: Path) -> bool:
    """Return whether there is a file, or a folder with something in it."""
    if os.path.isdir(path) and not os.path.islink(path):
        return any(path.iterdir())
    return os.path.lexists(path)


def _mode(path: Path) -> int | None:
    """Return the mode of what is there, with no link followed; None if there is nothing.

    Raises:
        ReleaseError: The name cannot be one of a file.
    """
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        raise ReleaseError(
            f"'{path}' cannot be the name of a file; choose another."
        ) from None


def _check_file(path: Path, endings: Sequence[str]) -> None:
    """Refuse an output that is a folder, no regular file, or of another ending."""
    mode = _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise ReleaseError(f"'{path}' is a folder; name a file, which may be in it.")
    if mode is not None and not stat.S_ISREG(mode):
        kind = _IRREGULAR.get(stat.S_IFMT(mode), "no regular file")
        raise ReleaseError(
            f"'{path}' is {kind}, which is never replaced; choose another name."
        )
    if endings and not path.name.lower().endswith(tuple(endings)):
        raise ReleaseError(
            f"'{path}' needs a name that ends with {' or '.join(endings)}, as such a file is "
            "written."
        )


def _check_folder(output: FolderOutput) -> None:
    """Refuse an output folder that is none, is not new, or cannot be written to."""
    folder = Path(output.path)
    mode = _mode(folder)
    if mode is None:
        return
    if output.as_new and (stat.S_ISLNK(mode) or not os.path.isdir(folder)):
        raise ReleaseError(FOLDER_THERE.format(folder))
    if not os.path.isdir(folder):
        raise ReleaseError(
            f"'{folder}' is no folder; name one, or one that is not there yet."
        )
    if not output.as_new:
        for path in output.files:
            _check_file(path, ())
        _check_writable(folder)


def _check_parent(path: Path, folders: Sequence[Path]) -> None:
    """Refuse an output whose folder is not there or cannot be written to."""
    parent = path.parent
    if os.path.isdir(parent):
        _check_writable(parent)
    elif os.path.lexists(parent):
        raise ReleaseError(
            f"'{parent}' is no folder, so '{path.name}' cannot be written there."
        )
    elif not any(_resolved(parent) == _resolved(folder) for folder in folders):
        raise ReleaseError(f"There is no folder '{parent}' for '{path.name}'; make it first.")


def _check_writable(folder: Path) -> None:
    """Refuse a folder that cannot be written to, by a try: modes do not say it everywhere."""
    try:
        os.rmdir(tempfile.mkdtemp(prefix=".synth-", dir=folder))
    except OSError:
        raise ReleaseError(f"Nothing can be written to the folder '{folder}'.") from None


def _refuse_read_only(path: Path) -> None:
    if os.path.isfile(path) and not path.stat().st_mode & 0o222:
        raise ReleaseError(
            f"'{path}' is read-only, so it is not replaced; choose another name."
        )


def _refuse_twice(files: Sequence[Path]) -> None:
    for number, path in enumerate(files):
        if any(is_same_file(path, earlier) for earlier in files[:number]):
            raise ReleaseError(f"Two outputs are the same file '{path}'; choose two names.")


def _write(part: Path, writer: Writer, path: Path) -> None:
    """Write an output to a temporary file beside it; an error names the output."""
    try:
        writer(part)
    except OSError:
        raise ReleaseError(f"The file '{path}' cannot be written.") from None

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

        Args:
            outputs: All files and folders that the call is going to write.

        Returns:
            The files that are there already and may not be replaced. The call can only go on
            if what it is to write is the same as what they hold.

        Raises:
            ReleaseError: An output cannot be written; one sentence says why, about the first
                such output.
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
            # Files may be replaced, but never a folder that is written as a whole.
            new_folders = [Path(output.path) for output in folder_outputs if output.as_new]
            existing = [path for path in existing if path in new_folders]
        return tuple(existing)

    def check_new(self, *outputs: Output) -> None:
        """Refuse outputs that cannot be written, or that may not be replaced.

        Raises:
            ReleaseError: An output cannot be written; one sentence says why, about the first
                such output.
        """
        for path in self.check(*outputs):
            refuse_replacing(path)

    def check_content(self, path: str | Path, content: bytes) -> None:
        """Refuse to replace a file at ``path`` that holds something else than ``content``.

        A command that writes several files calls it for each one before it writes any, so
        that it writes all or none.

        Raises:
            ReleaseError: Such a file is there, and may not be replaced.
        """
        path = Path(path)
        if not self.overwrite and _is_held(path) and path.read_bytes() != content:
            refuse_replacing(path)

    def write_file(self, path: str | Path, writer: Writer, *, private: bool = False) -> Path:
        """Write a file, whole or not at all, and return its path.

        It is first written into a temporary folder next to it, which only this user can
        enter, and then moved. A file of the same content that is there already stays.

        Args:
            path: Where the file goes.
            writer: Writes the file at the path that it is called with.
            private: Whether only this user may read the file.

        Raises:
            ReleaseError: It can't be written, or something else is there.
        """
        path = Path(path)
        with self.fill_folder(path.parent) as temporary_folder:
            _write(temporary_folder / path.name, writer, path)
            if private:
                (temporary_folder / path.name).chmod(0o600)
        if private:  # also where a file of the same content was there
            path.chmod(0o600)
        return path

    @contextmanager
    def fill_folder(self, folder: str | Path, *, last: str = "") -> Iterator[Path]:
        """Yield a temporary folder, and move its files into ``folder`` after the block.

        Only this user can enter the temporary folder. If one of its files must not replace
        what is there, none is moved. Other files in ``folder`` stay.

        Args:
            folder: Where the files go. It is created if it is not there, but no folder above
                it.
            last: The name of the file that is moved after all others, so that it is there
                only once they are.

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
            written = sorted(
                private_folder.iterdir(), key=lambda file: (file.name == last, file.name)
            )
            # All files are looked at before the first one is moved: all or none.
            changed = [file for file in written if self._is_to_move(file, folder / file.name)]
            for file in changed:
                os.replace(file, folder / file.name)
            is_new = False  # from here on the folder stays
        except OSError:
            raise ReleaseError(f"Nothing can be written to the folder '{folder}'.") from None
        finally:
            if private_folder is not None:
                shutil.rmtree(private_folder, ignore_errors=True)
            if is_new:
                with suppress(OSError):
                    folder.rmdir()

    def _is_to_move(self, temporary_file: Path, path: Path) -> bool:
        """Return whether a written file has to be moved to its path.

        It is False if a file of the same content is there already.

        Raises:
            ReleaseError: Something is there that must not be replaced.
        """
        self._refuse_input(path)
        _check_file(path, ())
        if not _is_held(path):
            return True
        if filecmp.cmp(temporary_file, path, shallow=False):
            return False
        if not self.overwrite:
            refuse_replacing(path)
        _refuse_read_only(path)
        return True

    def _refuse_input(self, path: Path) -> None:
        """Refuse an output that would replace an input or the ledger.

        The files that belong to a ledger or database, such as its key file, are protected
        too, and so is everything inside a folder that the call reads.

        Raises:
            ReleaseError: ``path`` is such a file.
        """
        for input_path in self.inputs:
            if is_same_file(path, input_path):
                raise ReleaseError(
                    f"'{path}' is used by the same call as an input or the ledger, and no "
                    "output is written over it; choose another name."
                )
            # The files beside an input lie next to the link or next to what it leads to.
            for spelling in {input_path, _resolved(input_path)}:
                if any(is_same_file(path, f"{spelling}{ending}") for ending in BESIDE_INPUTS):
                    raise ReleaseError(
                        f"'{path}' belongs to '{input_path.name}', which the same call uses, "
                        "and no output is written over it; choose another name."
                    )
            if os.path.isdir(input_path) and any(
                is_same_file(above, input_path) for above in _resolved(path).parents
            ):
                raise ReleaseError(
                    f"'{path}' would be in the folder '{input_path}', which the same call "
                    "reads; choose another folder."
                )


# For a call that reads no file or folder, or none that it could write over.
NOTHING_PROTECTED = Protection()


def describe_there(path: Path) -> str:
    """Return the sentence about a file or a folder that is there, and stays."""
    return (FOLDER_THERE if os.path.isdir(path) else ALREADY_THERE).format(path)


def refuse_replacing(path: Path) -> NoReturn:
    """Raise a ReleaseError: a file or a folder is there, and may not be replaced."""
    raise ReleaseError(describe_there(path))


def refuse_shared_ledger(ledger: str | Path | None, inputs: Iterable[str | Path]) -> None:
    """Refuse a ledger that is, or whose key file is, a file that the same call reads.

    Args:
        ledger: The path of the ledger; None if the call has none.
        inputs: The files that the call reads.

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

    If there is no such file, it is whether both would lead to the same one.

    >>> is_same_file("somewhere/../a.csv", "a.csv"), is_same_file("a.csv", "b.csv")
    (True, False)
    """
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):  # one of them is not there
        is_one_there = os.path.exists(first) or os.path.exists(second)
        # Most pairs differ in their last names, which spares them the search for links.
        return (
            not is_one_there
            and _last_names_agree(first, second)
            and _resolved(first) == _resolved(second)
        )


def _last_names_agree(first: str | Path, second: str | Path) -> bool:
    """Return whether paths without a file may lead to the same one, by their last names."""
    if os.path.islink(first) or os.path.islink(second):
        return True
    names = [os.path.basename(os.path.abspath(path)) for path in (first, second)]
    return os.path.normcase(names[0]) == os.path.normcase(names[1])


def _resolved(path: str | Path) -> Path:
    """Return an absolute path without links, in lower case where case does not matter."""
    try:
        return Path(os.path.normcase(os.path.realpath(path)))
    except (OSError, ValueError):  # links that go round, or no possible name
        return Path(os.path.abspath(path))


def _is_held(path: Path) -> bool:
    """Return whether a path is occupied: by a file, a link, or a folder that is not empty."""
    if os.path.isdir(path) and not os.path.islink(path):
        return any(path.iterdir())
    return os.path.lexists(path)


def _mode(path: Path) -> int | None:
    """Return the `st_mode` of what is at a path (of a link itself); None if nothing is there.

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
    """Refuse a path for an output file that is a folder or another irregular file.

    ``endings`` are what its name may end with, in small letters; empty for anything.

    Raises:
        ReleaseError: It is such a path, or its name has another ending.
    """
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
    """Refuse an output folder that is no folder or cannot be written to.

    A folder that is to be written as a whole may be empty, but must not be a link.

    Raises:
        ReleaseError: The output is such a folder, or a file in it cannot be replaced.
    """
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
    """Refuse an output whose parent folder is not there or cannot be written to.

    A parent that is not there is accepted if it is among ``folders``, which the same call
    creates.

    Raises:
        ReleaseError: The output at ``path`` has no such parent.
    """
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
    """Refuse a folder that cannot be written to.

    It creates and removes a folder inside, as access modes do not tell it on every system.
    """
    try:
        os.rmdir(tempfile.mkdtemp(prefix=".synth-", dir=folder))
    except OSError:
        raise ReleaseError(f"Nothing can be written to the folder '{folder}'.") from None


def _refuse_read_only(path: Path) -> None:
    """Refuse to replace a file that nobody may write, as somebody protected it on purpose."""
    if os.path.isfile(path) and not path.stat().st_mode & 0o222:
        raise ReleaseError(
            f"'{path}' is read-only, so it is not replaced; choose another name."
        )


def _refuse_twice(files: Sequence[Path]) -> None:
    """Refuse two outputs that are the same file, by any spelling or link."""
    for number, path in enumerate(files):
        if any(is_same_file(path, earlier) for earlier in files[:number]):
            raise ReleaseError(f"Two outputs are the same file '{path}'; choose two names.")


def _write(temporary_file: Path, writer: Writer, path: Path) -> None:
    """Let ``writer`` write a temporary file; an error names ``path``, where it will go."""
    try:
        writer(temporary_file)
    except OSError:
        raise ReleaseError(f"The file '{path}' cannot be written.") from None

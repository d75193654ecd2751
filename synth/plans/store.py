"""The folder of projects: each one file, saved whole or not at all, for its owner alone.
PUBLIC.

A file is written, synced, and moved into its place in one step. A file that is no project of
this version is never overwritten: it stays, or is renamed, with a message."""

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import NoReturn

from synth import limits
from synth.errors import ProjectError
from synth.noise import bits
from synth.plans.project import Project, checked_name, is_identifier, read_project

# Held while a process compares the version on disk and saves.
_TURN = Lock()

_FULL = "The project cannot be saved; the disk may be full. Its earlier version stays."


class OvertakenError(ProjectError):
    """The project was saved elsewhere since you opened it here."""


@dataclass(frozen=True)
class Listing:
    """The content of the folder.

    Attributes:
        projects: The owner's projects, the latest first.
        troubles: A sentence for each file that is no project of this version.
    """

    projects: tuple[Project, ...] = ()
    troubles: tuple[str, ...] = ()


def new_identifier() -> str:
    """Return a name that nobody can guess."""
    return bits.bits(16).hex()


class Projects:
    """The projects of one owner.

    Attributes:
        folder: Created at the first save and closed to everybody else.
        owner: The owner; an empty one has no projects.
    """

    def __init__(self, folder: Path, owner: str = "") -> None:
        self.folder = folder
        self.owner = owner

    def save(self, project: Project) -> Project:
        """Save a project as this owner's and return it with its new revision.

        Raises:
            OvertakenError: Another version was saved since you opened this one.
            ProjectError: It can't be written; the earlier version stays.
        """
        _make(self.folder)
        path = self._path(project.identifier)
        with _TURN:
            saved_before = self._there(path)
            if saved_before is not None and saved_before.revision != project.revision:
                raise OvertakenError("This project was changed in another tab.")
            now = datetime.now(UTC).isoformat(timespec="seconds")
            saved = replace(
                project, owner=self.owner, revision=project.revision + 1, changed=now
            )
            _write(path, json.dumps(saved.to_json(), ensure_ascii=False).encode())
        return saved

    def open(self, identifier: str) -> Project:
        """Return the owner's project of that identifier.

        Raises:
            ProjectError: There is none, or its file can't be read.
        """
        project = _read(self._path(identifier))
        if not self.owner or project.owner != self.owner:
            _absent()
        return project

    def listed(self) -> Listing:
        """Return the owner's projects, the latest first.

        With them goes a sentence for each file of the folder that is no readable project.
        """
        projects = []
        troubles = []
        for path in self._files():
            try:
                projects.append(_read(path))
            except ProjectError as error:
                troubles.append(
                    f"{str(error).removesuffix('.')}; '{path.name}' stays as it is."
                )
        # An empty owner has no projects.
        own_projects = [
            project for project in projects if self.owner and project.owner == self.owner
        ]
        own_projects.sort(key=_age, reverse=True)
        return Listing(tuple(own_projects), tuple(troubles))

    def of_table(self, mark: str, *, anybody: bool) -> Project | None:
        """Return the project about a table that was saved last; None if there is none.

        Args:
            mark: The table's `fingerprint` in the ledger; if empty, no project is found.
            anybody: Whether it may be another owner's, as where nobody signs in.
        """
        if not mark:
            return None
        projects = []
        for path in self._files():
            with suppress(ProjectError):
                projects.append(_read(path))
        of_table = [project for project in projects if project.table.mark == mark]
        if not anybody:
            of_table = [project for project in of_table if project.owner == self.owner]
        return max(of_table, key=_age, default=None)

    def rename(self, identifier: str, name: str) -> Project:
        """Give a project another name, with the errors of `save` and `open`."""
        return self.save(replace(self.open(identifier), name=checked_name(name)))

    def delete(self, identifier: str) -> None:
        """Delete a project; its releases stay in the ledger.

        Raises:
            ProjectError: There is none, or it can't be deleted.
        """
        self.open(identifier)
        try:
            self._path(identifier).unlink(missing_ok=True)
        except OSError:
            raise ProjectError("The project cannot be deleted.") from None

    def _files(self) -> list[Path]:
        return [
            path for path in sorted(self.folder.glob("*.json")) if is_identifier(path.stem)
        ]

    def _path(self, identifier: str) -> Path:
        """Return the path of a project's file; ProjectError if there can be none.

        Only an identifier is accepted, so that no path leads out of the folder.
        """
        if not is_identifier(identifier):
            _absent()
        return self.folder / f"{identifier}.json"

    def _there(self, path: Path) -> Project | None:
        """Return the project in a file; None if the file is not there or holds no project.

        A file that holds no project is renamed, so that it is not written over.
        """
        if not path.exists():
            return None
        try:
            return _read(path)
        except ProjectError:
            with suppress(OSError):
                path.replace(path.with_suffix(f".{bits.bits(4).hex()}.aside"))
            return None


def _make(folder: Path) -> None:
    """Make the folder of projects, and close it to everybody but this user.

    Raises:
        ProjectError: It can't be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # A folder that was there before may be open to others.
        if sys.platform != "win32" and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError:
        raise ProjectError(
            f"Projects cannot be kept in '{folder}'; set SYNTH_HOME to another folder."
        ) from None


def _age(project: Project) -> tuple[str, int]:
    """Return what projects are sorted by: when they were saved last, and how often."""
    return project.changed, project.revision


def _absent() -> NoReturn:
    raise ProjectError("There is no such project; it may have been deleted.")


def _read(path: Path) -> Project:
    """Read a project's file.

    Raises:
        ProjectError: It is not there, holds no project, or one of another identifier than
            the file's name.
    """
    try:
        # Follow no link, and do not wait if it is a pipe.
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(path, os.O_RDONLY | flags)
        with os.fdopen(handle, "rb") as file:
            # One byte more than allowed, so that a larger file is refused.
            project = read_project(file.read(limits.PROJECT_MB * 2**20 + 1))
    except FileNotFoundError:
        _absent()
    except OSError:
        raise ProjectError("The project file cannot be opened.") from None
    if project.identifier != path.stem:
        raise ProjectError("The project file has the name of another project.")
    return project


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step, so that a crash leaves the old or the new content.

    Raises:
        ProjectError: It can't be written; the old content stays.
    """
    temporary = path.with_suffix(".part")
    try:
        temporary.unlink(missing_ok=True)  # what a crash left
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise ProjectError(_FULL) from None

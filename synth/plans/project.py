"""One project: the choices about one table, and how to recognise that table. PUBLIC.

>>> table = KnownTable(title="people.csv", header=("sex",))
>>> project = Project(
...     identifier="0" * 32, name="people", table=table, choices={"epsilon": "1"}
... )
>>> Project.from_json(project.to_json()) == project
True
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from synth import limits
from synth.errors import ProjectError
from synth.plans.codecs import (
    TEXT,
    Codec,
    codecs_of,
    keep_value,
    list_codec,
    part_codec,
    read_all,
    reader_of,
    write_all,
)
from synth.util import Document, read_json

PROJECT_FORMAT = "synth-project-2"

_IDENTIFIER = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, kw_only=True)
class KnownTable:
    """The table of a project, described without its rows.

    Attributes:
        title: The steward's name for the file.
        mark: Its keyed digest in the ledger; empty if no ledger knows it.
        header: The names of its columns.
        path: Its path on the server, or its names in a named source; empty for an upload.
        options: How the file is read (`synth.private.table.csv_options`).
        simulated: Whether it is a rehearsal.
        people: Whose data it is; empty until you say so.
    """

    title: str
    mark: str = ""
    header: tuple[str, ...] = ()
    path: str = ""
    options: tuple[str, ...] = ()
    simulated: bool = False
    people: str = ""


@dataclass(frozen=True)
class Started:
    """A started release, by which the ledger finds its spend.

    Attributes:
        dataset: The dataset's name in the ledger.
        table: The mark of its table, which the project's present table need not have.
        request: The text by which the ledger finds the release.
    """

    dataset: str
    table: str
    request: str


@dataclass(frozen=True, kw_only=True)
class Project:
    """A steward's work on one table.

    Attributes:
        identifier: 32 random hexadecimal digits; also the name of its file.
        name: What the steward calls it.
        table: Its table, described without its rows.
        choices: All declarations and choices, JSON.
        private: Whether the declaration has bounds from the table.
        owner: Whose project it is; empty if nobody signs in.
        revision: How often it was saved.
        changed: When it was saved last, UTC.
        started: Its started releases, each once, the latest last.
    """

    identifier: str
    name: str
    table: KnownTable
    choices: Mapping[str, Any] = field(repr=False)
    private: bool = False
    owner: str = ""
    started: tuple[Started, ...] = ()
    revision: int = 0
    changed: str = ""

    def with_started(self, release: Started) -> "Project":
        """Return the project with a release that was started now, as the latest one.

        A release that was started before is moved to the end.
        """
        others = tuple(started for started in self.started if started != release)
        return replace(self, started=(*others, release))

    def to_json(self) -> Document:
        """Return the project as JSON, which `from_json` reads."""
        return {"form": PROJECT_FORMAT, **write_all(_PROJECT, self)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Project":
        """Read a project.

        Raises:
            ProjectError: It is no project, of another version, or was edited by hand.
        """
        form = content.get("form")
        if form != PROJECT_FORMAT:
            if isinstance(form, str) and re.fullmatch(r"synth-project-\d{1,6}", form):
                _refuse("is of another version of Synth")
            _refuse("is no project of Synth")
        fields = {name: part for name, part in content.items() if name != "form"}
        return cls(**read_all(_PROJECT, fields, _refuse_field))


def read_project(text: bytes) -> Project:
    """Read the content of a project's file.

    Raises:
        ProjectError: It is too large, no project, of another version, or was edited by hand.
    """
    if len(text) > limits.PROJECT_MB * 2**20:
        _refuse(f"is larger than {limits.PROJECT_MB} MB")
    content = read_json(text, "The project file", kind=ProjectError)
    if not isinstance(content, dict):
        _refuse("is no project of Synth")
    return Project.from_json(content)


def checked_name(name: str) -> str:
    """Return the name of a project with single blanks, and none around it.

    Raises:
        ProjectError: It is empty, or too long.
    """
    name = " ".join(name.split())
    if not name or len(name) > limits.PROJECT_NAME:
        _refuse(f"needs a name of 1 to {limits.PROJECT_NAME} characters")
    return name


def is_identifier(text: str) -> bool:
    """Return whether a text can be a project's identifier, and so the name of its file.

    >>> is_identifier("0" * 32), is_identifier("../plans/people")
    (True, False)
    """
    return _IDENTIFIER.fullmatch(text) is not None


def _refuse(reason: str) -> NoReturn:
    raise ProjectError(f"The project file {reason}.")


def _refuse_field(name: str) -> NoReturn:
    _refuse(f"has no valid '{name}'")


def _read_identifier(value: Any) -> str:
    if not is_identifier(value):
        raise ValueError
    return str(value)


_PROJECT = codecs_of(
    Project,
    identifier=Codec(keep_value, _read_identifier),
    name=Codec(keep_value, lambda value: checked_name(TEXT.decode(value))),
    table=part_codec(KnownTable, _refuse_field),
    started=list_codec(part_codec(Started, _refuse_field)),
    choices=Codec(dict, reader_of(dict)),
)

"""The domain that a function is given: a `Domain`, a `Draft`, a file, or columns by name."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from synth.domain import Domain
from synth.errors import DomainError, clean_message
from synth.util import Json, check_path

# Keys of declarations; a mapping without them holds columns by name.
SCHEMA_KEYS = frozenset({"fields", "columns", "tables", "resources", "tableSchema"})
# Stack levels from a warning about a draft up to the line that calls a function of `synth`.
WARNING_LEVELS = 5


class DraftedDomain(ABC):
    """A draft of a domain, which a function takes in place of the domain.

    Attributes:
        domain: The domain of the columns that the draft completes.
        open: The names of the columns that it leaves open.
        undecided: The names of the ones that stay out, as they would lose many values.
        rules: Rules that were taken from the rows; empty without any.
    """

    @property
    @abstractmethod
    def domain(self) -> Domain: ...

    @property
    @abstractmethod
    def open(self) -> Sequence[str]: ...

    @property
    @abstractmethod
    def undecided(self) -> Sequence[str]: ...

    @property
    @abstractmethod
    def rules(self) -> Mapping[str, Json]: ...


DomainLike = Domain | DraftedDomain | str | bytes | Path | Mapping[str, Any]
"""What declares a domain: a `Domain`, a `Draft`, a file, or columns by name.

Functions import this name for type checkers only. At run time `as_domain` refuses anything
else, as its sentences help more."""


def as_domain(declared: object, columns: Sequence[str] | None = None) -> Domain:
    """Return the declared domain, or some of its columns.

    A warning names the columns that a draft leaves open or to decide, as they take no part.

    Args:
        declared: A domain, a draft, the path of a file, a Table Schema, or columns by name.
        columns: The columns that take part; the others may be incomplete.

    Raises:
        DomainError: It declares no domain, or lacks one of the columns.
    """

    if isinstance(declared, str | Path):
        check_path(declared, "the domain")
    if isinstance(declared, DraftedDomain):
        return _of_draft(declared, columns)
    if isinstance(declared, Domain):
        domain = declared
    elif isinstance(declared, Mapping) and not SCHEMA_KEYS & {*declared}:
        # Columns by name, as it has no key of a declaration file. Others may be incomplete.
        names = [name for name in columns or () if name in declared] or [*declared]
        domain = Domain({name: declared[name] for name in names})
    elif isinstance(declared, str | bytes | Path | Mapping):
        from synth.domain import load_declaration

        domain = Domain(**load_declaration(declared, {}, columns=columns)._asdict())
    else:
        _refuse_type(declared)
    return domain if columns is None else domain.choose(columns)


def rules_of(declared: object) -> Mapping[str, Json] | None:
    """Return the rules that a draft took from the rows; None for anything else."""
    return declared.rules or None if isinstance(declared, DraftedDomain) else None


def _of_draft(draft: DraftedDomain, columns: Sequence[str] | None) -> Domain:
    """Return a draft's domain, without the columns that it left open.

    Args:
        draft: The draft.
        columns: The columns that take part; None for all that are complete, with a warning if
            others are open.

    Raises:
        DomainError: One of ``columns`` is open.
    """
    domain = draft.domain
    if columns is None:
        if draft.open:
            unfinished = ", ".join(f"'{name}'" for name in draft.open)
            note = f"The draft leaves columns open, and they take no part: {unfinished}."
            warnings.warn(clean_message(note), UserWarning, stacklevel=WARNING_LEVELS)
        if draft.undecided:
            losing = ", ".join(f"'{name}'" for name in draft.undecided)
            note = (
                "These columns would lose values, and take no part until you agree: "
                f"{losing}. The draft's notes name the losses; agree by draft.agree()."
            )
            warnings.warn(clean_message(note), UserWarning, stacklevel=WARNING_LEVELS)
        return domain
    for name in columns:
        if name in draft.open:
            raise DomainError(
                f"The draft leaves the column '{name}' open, as its notes say; declare it "
                "yourself or leave it out."
            )
        if name in draft.undecided:
            raise DomainError(
                f"The column '{name}' would lose values, as the draft's notes say; agree by "
                f"draft.agree({name!r}), or declare it yourself."
            )
    return domain.choose(columns)


def _refuse_type(declared: object) -> NoReturn:
    """Refuse an object that declares no domain, with a hint at what to give instead."""
    type_name = type(declared).__name__
    hint = ""
    if isinstance(getattr(declared, "domain", None), Domain):
        hint = "; give its .domain"
    elif hasattr(declared, "columns"):
        hint = "; synth.draft drafts one from a table"
    raise DomainError(
        "The domain must be a synth.Domain, a synth.Draft, columns by name, or the path of a "
        f"declaration, and this is of the type {type_name}{hint}."
    )

"""The public domain: the columns and their cells.

The steward declares it; it is never inferred from the confidential table. Every column has
finitely many cells: its categories or bins, then (if declared) one cell for missing values
and one for values outside. A row's *cell* in the universe is the mixed-radix number of its
columns' codes; the first column is the slowest.

>>> from synth.domain import Categorical, Domain, Integer
>>> domain = Domain(
...     (
...         Categorical(name="sex", categories=("F", "M")),
...         Integer(name="age", minimum=0, maximum=99, bins=10, missing=True),
...     )
... )
>>> domain.shape, domain.size
((2, 11), 22)
>>> domain["age"].cells[:2], domain["age"].cells[-1]
(('0 to 9', '10 to 19'), '(missing)')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from synth import limits
from synth.domain.building import Declared, column_of
from synth.domain.column import UNREADABLE, Column, first_repeat, refuse, refuse_long
from synth.domain.derived import Derived, check_derived
from synth.domain.frozen import freeze_fields, set_field
from synth.domain.identifiers import Identifier, spells
from synth.domain.origin import DECLARED, LOOKED_UP, Provenance
from synth.util import Json

# A declaration: its path, the bytes of a file, or the parsed JSON object.
Declaration = str | Path | bytes | Mapping[str, Json]


@dataclass(frozen=True)
class Domain:
    """The declared columns, in order, and the spellings of a missing value.

    ``origin`` is the origin of the declaration, and ``drafts`` are its paid drafts.
    ``looked``
               means that the steward saw exact shares of rows that fit: the declaration may
               depend on the table. ``vouched`` means that the steward vouches that everything
               taken from the rows is public. ``derived`` are columns that follow from these
               by a public rule, ``identifiers`` columns of IDs; neither has cells.

    You may also give columns by name, each as a kind without a name, or as a list of
    categories: ``Domain(age=Integer(18, 97, bins=16), sex=["f", "m"])``. Use a mapping if a
    name is no Python name.

    >>> from synth import Domain, Integer
    >>> Domain({"age": Integer(18, 97, bins=16), "marital status": ["never", "once"]}).shape
    (16, 2)
    >>> domain = Domain(age=Integer(18, 97, bins=16, missing=True), sex=["f", "m"])
    >>> domain.names, domain.shape, domain.size, domain.missing_marker
    (('age', 'sex'), (17, 2), 34, '')
    >>> domain.provenance.origin, domain.provenance.looked
    ('declared', False)
    >>> domain.project(["sex"]).names, domain.without_words() == domain
    (('sex',), True)
    >>> domain.uncounted, domain.written, [column.size for column in domain.written_columns]
    ((), ('age', 'sex'), [17, 2])
    """

    columns: tuple[Column, ...]
    missing_values: tuple[str, ...] = ("",)
    origin: str = field(default=DECLARED, compare=False)
    drafts: tuple[Mapping[str, Json], ...] = field(default=(), compare=False)
    looked: bool = field(default=False, compare=False)
    vouched: bool = field(default=False, compare=False)
    derived: tuple[Derived, ...] = ()
    identifiers: tuple[Identifier, ...] = ()

    def __init__(
        self,
        columns: Sequence[Column] | Mapping[str, Declared | Derived | Identifier] = (),
        missing_values: Iterable[str] = ("",),
        origin: str = DECLARED,
        drafts: Iterable[Mapping[str, Json]] = (),
        looked: bool = False,
        vouched: bool = False,
        derived: Iterable[Derived] | Derived = (),
        identifiers: Iterable[Identifier] = (),
        **named: Declared | Derived | Identifier,
    ) -> None:
        if isinstance(derived, Derived):
            refuse(
                "A column called 'derived' is given in a mapping: Domain({'derived': ...})."
            )
        if not isinstance(origin, str):
            refuse("A column called 'origin' is given in a mapping: Domain({'origin': ...}).")
        given = () if isinstance(columns, Mapping) else _list_columns(columns)
        named = {**columns, **named} if isinstance(columns, Mapping) else named
        rules, ids, built = [], [], []
        for place, (name, one) in enumerate(named.items()):
            if isinstance(one, Derived):
                rules.append(replace(one, name=name, place=place))
            elif isinstance(one, Identifier):
                ids.append(replace(one, name=name, place=place))
            else:
                built.append(column_of(name, one))
        set_field(self, "derived", (*derived, *rules))
        set_field(self, "identifiers", (*identifiers, *ids))
        set_field(self, "columns", (*given, *built))
        set_field(self, "missing_values", tuple(missing_values))
        set_field(self, "origin", origin)
        set_field(self, "drafts", tuple(drafts))
        set_field(self, "looked", looked)
        set_field(self, "vouched", vouched)
        self.__post_init__()

    def __post_init__(self) -> None:
        freeze_fields(self)
        if not self.columns:
            refuse("The domain declares no columns.")
        number = len(self.columns) + len(self.derived) + len(self.identifiers)
        if number > limits.MAX_COLUMNS:
            refuse(
                f"The domain declares {number:,} columns; the limit is "
                f"{limits.MAX_COLUMNS:,}."
            )
        if len(self.missing_values) > limits.MARKERS:
            refuse(
                f"The domain declares over {limits.MARKERS:,} spellings of missing values."
            )
        refuse_long("A spelling of missing values", self.missing_values, limits.VALUE_LENGTH)
        others = [one.name for one in self.uncounted]
        refuse_long("The name of a column", others, limits.NAME_LENGTH)
        twice = first_repeat([*self.names, *others])
        if twice is not None:
            refuse(f"The domain declares the column '{twice}' twice.")
        set_field(self, "derived", check_derived(self.columns, self.derived))
        for one in self.identifiers:
            if spells(one, self.missing_marker):
                refuse(
                    f"Column '{one.name}': the pattern can produce '{self.missing_marker}', "
                    "which means a missing value."
                )
        if UNREADABLE in self.missing_values or any(
            UNREADABLE in column.declared_texts for column in self.columns
        ):
            refuse(
                "The domain declares the value U+001A, which Synth uses for unreadable cells."
            )

    @property
    def uncounted(self) -> tuple[Derived | Identifier, ...]:
        """The columns without cells: derived ones, and IDs."""
        return (*self.derived, *self.identifiers)

    @cached_property
    def written(self) -> tuple[str, ...]:
        """Names of all columns of a synthetic table, in order, also those without cells."""
        names = list(self.names)
        for one in sorted(self.uncounted, key=lambda one: one.place):
            names.insert(one.place, one.name)
        return tuple(names)

    @cached_property
    def written_columns(self) -> tuple[Column, ...]:
        """The columns of ``written``; derived ones and IDs by their possible values."""
        found = {column.name: column for column in self.columns}
        found |= {one.name: one.column for one in self.uncounted}
        return tuple(found[name] for name in self.written)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of cells of each column."""
        return tuple(column.size for column in self.columns)

    @cached_property
    def size(self) -> int:
        """Number of cells of the universe, of any size."""
        return math.prod(self.shape)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        rule = next((one for one in self.derived if one.name == name), None)
        if rule is not None:
            listed = " and ".join(f"'{source}'" for source in rule.sources)
            refuse(
                f"Column '{name}' is derived and has no cells; name its sources: {listed}."
            )
        if any(one.name == name for one in self.identifiers):
            refuse(f"Column '{name}' is an ID, drawn for the synthetic rows and in no cell.")
        return refuse(f"The domain has no column '{name}'; it has {', '.join(self.names)}.")

    def project(self, names: Iterable[str]) -> Domain:
        """Return the domain of some of the columns, in the order you give.

        Raises:
            DomainError: A name is not declared, or occurs twice.
        """
        listed = tuple(names)
        rules = {one.name: one for one in self.derived}
        ids = {one.name: one for one in self.identifiers}
        kept = [replace(rules[n], place=i) for i, n in enumerate(listed) if n in rules]
        drawn = [replace(ids[n], place=i) for i, n in enumerate(listed) if n in ids]
        columns = tuple(
            self[name] for name in listed if name not in rules.keys() | ids.keys()
        )
        return replace(self, columns=columns, derived=tuple(kept), identifiers=tuple(drawn))

    @property
    def provenance(self) -> Provenance:
        """What the declaration owes to the rows."""
        return Provenance(self.origin, self.drafts, self.looked, self.vouched)

    def without_words(self) -> Domain:
        """Return only what counts depend on: no words, vouching or columns without cells."""
        columns = tuple(replace(c, description="", meanings={}) for c in self.columns)
        none: tuple[()] = ()
        return replace(
            self, columns=columns, looked=False, vouched=False, derived=none, identifiers=none
        )

    @classmethod
    def from_schema(cls, source: Declaration, **named: Declared) -> Domain:
        """Read the domain that a file declares: a Table Schema, or a code book of any known
        kind.

        A UserWarning says what the file lacks, and what of it is not used.

        Args:
            source: Its path, its bytes, or the parsed JSON object.
            named: Columns that you declare otherwise, or in addition.

        Raises:
            DomainError: It is of no known kind, or incomplete.

        >>> field = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}
        >>> Domain.from_schema({"fields": [field]}, smoker=bool).names
        ('sex', 'smoker')
        """
        from synth.domain.documents import (
            load_declaration,
        )  # it loads all readers of code books

        return cls(*load_declaration(source, named))

    @classmethod
    def from_sdv(cls, source: Declaration, **named: Declared) -> Domain:
        """Read the domain from SDV metadata of one table, version 1 or 2.

        Args:
            source: Its path, its bytes, or the parsed JSON object.
            named: What the metadata lacks, such as the bounds of numbers.

        Raises:
            DomainError: It is no such metadata, or incomplete.

        >>> from synth import Domain, Integer
        >>> columns = {"age": {"sdtype": "numerical"}, "smoker": {"sdtype": "boolean"}}
        >>> Domain.from_sdv({"columns": columns}, age=Integer(0, 99, bins=10)).shape
        (10, 3)
        """
        from synth.domain.documents import load_declaration

        return cls(*load_declaration(source, named, "sdv"))

    @classmethod
    def from_nist(cls, source: Declaration, **named: Declared) -> Domain:
        """Read the domain from a NIST data dictionary; ``named`` columns add what it lacks.

        Raises:
            DomainError: It is no such dictionary, or incomplete.

        >>> sex = {"description": "Sex", "values": {"1": "male", "2": "female"}}
        >>> Domain.from_nist({"SEX": sex})["SEX"].labels
        ('1', '2')
        """
        from synth.domain.documents import load_declaration

        return cls(*load_declaration(source, named, "nist"))

    @classmethod
    def from_dtypes(cls, frame: Any, *, vouched: bool = False, **named: Declared) -> Domain:
        """Return the domain that the types of a DataFrame declare, with columns that you
        name.

        A type declares yes or no, or a list of categories. Categories usually come from the
        rows. The domain, and every release with it, is then marked as taken from private
        data, unless you vouch that they are public. Name columns of objects or texts, numbers
        and dates.

        Args:
            frame: From pandas or Polars, or an Arrow table; its rows are not read.
            vouched: Whether you vouch that the categories are public.
            named: Columns whose types are not enough, or that you declare otherwise.

        Raises:
            DomainError: A column is neither named nor declared by its type.

        >>> import pandas as pd
        >>> sex = pd.Categorical(["f", "m"], categories=["f", "m"])
        >>> frame = pd.DataFrame({"sex": sex, "age": [41, 35]})
        >>> from synth import Domain, Integer
        >>> age = Integer(0, 99, bins=10)
        >>> domain = Domain.from_dtypes(frame, vouched=True, age=age)
        >>> domain.shape, domain.vouched
        ((3, 10), True)
        """
        from synth.domain.dtypes import declared_by_types  # most domains come from elsewhere

        columns, taken = declared_by_types(frame, named)
        return cls(
            columns, origin=LOOKED_UP if taken else DECLARED, vouched=taken and vouched
        )

    @property
    def missing_marker(self) -> str:
        return self.missing_values[0] if self.missing_values else ""


def _list_columns(columns: object) -> tuple[Column, ...]:
    listed = tuple(columns) if isinstance(columns, Iterable) else (columns,)
    for one in listed:
        if not isinstance(one, Column):
            refuse(
                "A domain is given as columns by name, such as Domain(sex=['f', 'm']); this "
                f"is of the type {type(columns).__name__}."
            )
    return listed


def coarsening_advice(domain: Domain, cells: int) -> str:
    """Say which columns to coarsen so that the universe has at most ``cells`` cells.

    >>> from synth.domain import Integer
    >>> columns = tuple(Integer(name=n, minimum=0, maximum=999, bins=1000) for n in "ab")
    >>> coarsening_advice(Domain(columns), 10_000)
    "Coarsen or leave out 'a' (1,000 cells; 10 would do)."
    """
    excess = Fraction(domain.size, cells)
    parts: list[str] = []
    for column in sorted(domain.columns, key=lambda c: -c.size):
        enough = max(1, math.floor(column.size / excess))
        if enough > 1:
            parts.append(f"'{column.name}' ({column.size:,} cells; {enough:,} would do)")
            break
        parts.append(f"'{column.name}' ({column.size:,} cells)")
        excess /= column.size
        if excess <= 1:
            break
    return f"Coarsen or leave out {', then '.join(parts)}."

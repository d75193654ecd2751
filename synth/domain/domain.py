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
from operator import attrgetter
from pathlib import Path
from typing import Any, NoReturn

from synth import limits
from synth.domain.building import Declared, column_of
from synth.domain.column import (
    UNREADABLE,
    Column,
    first_repeat,
    refuse,
    refuse_absent,
    refuse_long,
)
from synth.domain.decisions import NO_DECISIONS, NOT_CHOSEN, Decisions
from synth.domain.derived import Derived, check_derived
from synth.domain.frozen import freeze_fields, set_field
from synth.domain.identifiers import Identifier, spells
from synth.domain.origin import DECLARED, LOOKED_UP, Provenance
from synth.util import Json

# A declaration: its path, the bytes of a file, or the parsed JSON object.
Declaration = str | Path | bytes | Mapping[str, Json]


@dataclass(frozen=True, repr=False)
class Domain:
    """The declared columns, in order, and the spellings of a missing value.

    You may also give columns by name, each as a kind without a name, or as a list of
    categories: ``Domain(age=Integer(18, 97, bins=16), sex=["f", "m"])``. Use a mapping if a
    name is no Python name.

    Attributes:
        columns: The columns with cells, in order.
        missing_values: The spellings of a missing value, in columns without their own.
        origin: The origin of the declaration.
        drafts: Its paid drafts.
        looked: Whether the steward saw exact shares of rows that fit, so that the declaration
            may depend on the table.
        vouched: Whether the steward vouches that everything taken from the rows is public.
        derived: Columns that follow from these by a public rule; they have no cells.
        identifiers: Columns of IDs; they have no cells.
        decisions: Columns that the steward leaves out, or lets lose values.

    >>> from synth import Domain, Integer
    >>> Domain({"age": Integer(18, 97, bins=16), "marital status": ["never", "once"]}).shape
    (16, 2)
    >>> domain = Domain(age=Integer(18, 97, bins=16, missing=True), sex=["f", "m"])
    >>> domain.names, domain.shape, domain.size, domain.missing_marker, domain.markers
    (('age', 'sex'), (17, 2), 34, '', ('', ''))
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
    decisions: Decisions = field(default=NO_DECISIONS, compare=False)

    def __init__(  # noqa: PLR0913 - public: each option by name
        self,
        columns: Sequence[Column] | Mapping[str, Declared | Derived | Identifier] = (),
        missing_values: Iterable[str] = ("",),
        *,
        origin: str = DECLARED,
        drafts: Iterable[Mapping[str, Json]] = (),
        looked: bool = False,
        vouched: bool = False,
        derived: Iterable[Derived] | Derived = (),
        identifiers: Iterable[Identifier] = (),
        decisions: Decisions = NO_DECISIONS,
        **columns_by_name: Declared | Derived | Identifier,
    ) -> None:
        """Declare a domain by its columns, or by columns that are given by name.

        Args:
            columns: Columns in order, or a mapping of names to columns in any written form.
            missing_values: Texts that mean a missing value.
            origin: Whether the declaration was taken or drafted from private rows, in words.
            drafts: The paid drafts that it comes from.
            looked: Whether the steward saw exact shares of rows that fit.
            vouched: Whether everything taken from the rows is public.
            derived: Columns that follow from others.
            identifiers: Columns of IDs.
            decisions: Columns that are left out, or that lose values with consent.
            columns_by_name: More columns, each under its name.

        Raises:
            DomainError: A column makes no sense, two have one name, or there are too many.
        """
        # A column of such a name, given as a keyword, arrives in place of the option.
        if isinstance(derived, Derived):
            _refuse_keyword("derived")
        if not isinstance(origin, str):
            _refuse_keyword("origin")
        if not isinstance(decisions, Decisions):
            _refuse_keyword("decisions")
        all_columns: list[Column] = []
        if isinstance(columns, Mapping):
            columns_by_name = {**columns, **columns_by_name}
        else:
            all_columns += _list_columns(columns)
        all_derived = [*derived]
        all_identifiers = [*identifiers]
        for place, (name, column) in enumerate(columns_by_name.items()):
            if isinstance(column, Derived):
                all_derived.append(replace(column, name=name, place=place))
            elif isinstance(column, Identifier):
                all_identifiers.append(replace(column, name=name, place=place))
            else:
                all_columns.append(column_of(name, column))
        set_field(self, "derived", tuple(all_derived))
        set_field(self, "identifiers", tuple(all_identifiers))
        set_field(self, "columns", tuple(all_columns))
        set_field(self, "missing_values", tuple(missing_values))
        set_field(self, "origin", origin)
        set_field(self, "drafts", tuple(drafts))
        set_field(self, "looked", looked)
        set_field(self, "vouched", vouched)
        set_field(self, "decisions", decisions)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the columns together, and set the possible values of derived ones.

        Raises:
            DomainError: There are no columns or too many, two have one name, a derived column
                makes no sense, or a text that means a missing value is also an ID.
        """
        freeze_fields(self)
        if not self.columns:
            refuse("The domain declares no columns.")
        number = len(self.columns) + len(self.uncounted)
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
        uncounted_names = [column.name for column in self.uncounted]
        refuse_long("The name of a column", uncounted_names, limits.NAME_LENGTH)
        repeated_name = first_repeat([*self.names, *uncounted_names])
        if repeated_name is not None:
            refuse(f"The domain declares the column '{repeated_name}' twice.")
        set_field(self, "derived", check_derived(self.columns, self.derived))
        set_field(self, "decisions", self.decisions.restrict({*self.names, *uncounted_names}))
        if any(rule.taken for rule in self.derived):
            set_field(self, "origin", LOOKED_UP)
        for identifier in self.identifiers:
            if spells(identifier, self.missing_marker):
                refuse(
                    f"Column '{identifier.name}': the pattern can produce "
                    f"'{self.missing_marker}', which means a missing value."
                )
        if UNREADABLE in self.missing_values or any(
            UNREADABLE in (*column.declared_texts, *(column.missing_values or ()))
            for column in self.columns
        ):
            refuse(
                "The domain declares the value U+001A, which Synth uses for unreadable cells."
            )

    def __repr__(self) -> str:
        """Return the number of columns and some of their names."""
        # Imported here and below, because most domains are never shown.
        from synth.domain.showing import describe_columns

        return f"Domain({describe_columns(self.written)})"

    def _repr_html_(self) -> str:
        """Return the columns as a table, for a notebook."""
        from synth.domain.showing import columns_html

        return columns_html(
            self.written, self.columns, self.uncounted, provenance=self.provenance
        )

    @property
    def uncounted(self) -> tuple[Derived | Identifier, ...]:
        """The columns without cells: derived ones, and IDs."""
        return (*self.derived, *self.identifiers)

    @cached_property
    def written(self) -> tuple[str, ...]:
        """Names of all columns of a synthetic table, in order, also those without cells."""
        names = list(self.names)
        # Places ascend, as each counts all columns before it.
        for column in sorted(self.uncounted, key=attrgetter("place")):
            names.insert(column.place, column.name)
        return tuple(names)

    @cached_property
    def written_columns(self) -> tuple[Column, ...]:
        """All columns of a synthetic table, in order.

        Derived columns and IDs have no cells; columns of their possible values stand for
        them.
        """
        columns = {column.name: column for column in self.columns}
        columns |= {column.name: column.column for column in self.uncounted}
        return tuple(columns[name] for name in self.written)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns with cells."""
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
        """Return the column of a name; DomainError if none with cells has it."""
        for column in self.columns:
            if column.name == name:
                return column
        for rule in self.derived:
            if rule.name == name:
                sources = " and ".join(f"'{source}'" for source in rule.sources)
                refuse(
                    f"Column '{name}' is derived and has no cells; name its sources: "
                    f"{sources}."
                )
        if any(identifier.name == name for identifier in self.identifiers):
            refuse(f"Column '{name}' is an ID, drawn for the synthetic rows and in no cell.")
        return refuse_absent("The domain", name, self.names)

    def project(self, names: Iterable[str]) -> Domain:
        """Return the domain of some of the columns, in the order you give.

        The names may be those of columns with cells, derived columns and IDs.

        Raises:
            DomainError: A name is not declared, or occurs twice.
        """
        rules = {rule.name: rule for rule in self.derived}
        ids = {identifier.name: identifier for identifier in self.identifiers}
        columns = []
        derived = []
        identifiers = []
        # Columns without cells get their new place among all columns.
        for place, name in enumerate(names):
            if name in rules:
                derived.append(replace(rules[name], place=place))
            elif name in ids:
                identifiers.append(replace(ids[name], place=place))
            else:
                columns.append(self[name])
        return replace(
            self,
            columns=tuple(columns),
            derived=tuple(derived),
            identifiers=tuple(identifiers),
        )

    def choose(self, names: Iterable[str]) -> Domain:
        """Return the domain of some of the columns, which remembers what was not chosen.

        Certificates of releases with it name the other columns as left out.

        Raises:
            DomainError: A name is not declared, or occurs twice.

        >>> from synth import Domain
        >>> domain = Domain(sex=["f", "m"], town=["a", "b"]).choose(["sex"])
        >>> domain.names, dict(domain.decisions.left_out)
        (('sex',), {'town': 'was not chosen'})
        """
        chosen_names = list(names)
        others = {name: NOT_CHOSEN for name in self.written if name not in chosen_names}
        chosen = self.project(chosen_names)
        return replace(chosen, decisions=chosen.decisions.leave_out(others))

    @property
    def provenance(self) -> Provenance:
        """Where the declaration comes from, and how it may depend on private rows."""
        return Provenance(
            origin=self.origin,
            drafts=self.drafts,
            looked=self.looked,
            vouched=self.vouched,
            decisions=self.decisions,
        )

    def without_words(self) -> Domain:
        """Return only what counts depend on.

        The domain returned has no descriptions, no labels of codes, no remark that somebody
        looked, vouches or decided, and no columns without cells.
        """
        columns = tuple(
            replace(column, description="", meanings={}, missing_meanings={})
            for column in self.columns
        )
        return replace(
            self,
            columns=columns,
            looked=False,
            vouched=False,
            derived=(),
            identifiers=(),
            decisions=NO_DECISIONS,
        )

    @classmethod
    def from_schema(cls, source: Declaration, **columns: Declared) -> Domain:
        """Read the domain that a file declares: a Table Schema or a code book of any kind.

        A UserWarning says what the file lacks, and what of it is not used.

        Args:
            source: The path of the file, its bytes, or the parsed JSON object.
            columns: Columns that you declare otherwise, or in addition.

        Raises:
            DomainError: It is of no known kind, or incomplete.

        >>> field = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}
        >>> Domain.from_schema({"fields": [field]}, smoker=bool).names
        ('sex', 'smoker')
        """
        # Imported here, because it loads all readers of code books.
        from synth.domain.documents import load_declaration

        return cls(**load_declaration(source, columns)._asdict())

    @classmethod
    def from_sdv(cls, source: Declaration, **columns: Declared) -> Domain:
        """Read the domain from SDV metadata of one table, version 1 or 2.

        Args:
            source: The path of the file, its bytes, or the parsed JSON object.
            columns: What the metadata lacks, such as the bounds of numbers.

        Raises:
            DomainError: It is no such metadata, or incomplete.

        >>> from synth import Domain, Integer
        >>> columns = {"age": {"sdtype": "numerical"}, "smoker": {"sdtype": "boolean"}}
        >>> Domain.from_sdv({"columns": columns}, age=Integer(0, 99, bins=10)).shape
        (10, 3)
        """
        # Imported here, because it loads all readers of code books.
        from synth.domain.documents import load_declaration

        return cls(**load_declaration(source, columns, "sdv")._asdict())

    @classmethod
    def from_nist(cls, source: Declaration, **columns: Declared) -> Domain:
        """Read the domain from a NIST data dictionary.

        Args:
            source: The path of the file, its bytes, or the parsed JSON object.
            columns: Columns that you declare otherwise, or in addition.

        Raises:
            DomainError: It is no such dictionary, or incomplete.

        >>> sex = {"description": "Sex", "values": {"1": "male", "2": "female"}}
        >>> Domain.from_nist({"SEX": sex})["SEX"].labels
        ('1', '2')
        """
        # Imported here, because it loads all readers of code books.
        from synth.domain.documents import load_declaration

        return cls(**load_declaration(source, columns, "nist")._asdict())

    @classmethod
    def from_dtypes(cls, frame: Any, *, vouched: bool = False, **columns: Declared) -> Domain:
        """Return the domain that the types of a DataFrame and named columns declare.

        A type declares yes or no, or a list of categories. Categories usually come from the
        rows. The domain, and every release with it, is then marked as taken from private
        data, unless you vouch that they are public. Name columns of objects or texts, numbers
        and dates.

        Args:
            frame: From pandas or Polars, or an Arrow table; its rows are not read.
            vouched: Whether you vouch that the categories are public.
            columns: Columns whose types are not enough, or that you declare otherwise.

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
        # Imported here, because most domains come from elsewhere.
        from synth.domain.dtypes import declared_by_types

        typed_columns, may_show_rows = declared_by_types(frame, columns)
        return cls(
            typed_columns,
            origin=LOOKED_UP if may_show_rows else DECLARED,
            vouched=may_show_rows and vouched,
        )

    @property
    def missing_marker(self) -> str:
        """The first spelling of a missing value, which synthetic rows use.

        A column with spellings of its own uses the first of these: see `marker_of`.
        """
        return self.missing_values[0] if self.missing_values else ""

    def spellings_of_missing(self, column: Column) -> tuple[str, ...]:
        """Return the spellings of a missing value in a column.

        >>> from synth import Domain, Integer
        >>> domain = Domain(hours=Integer(0, 99, missing=["98"]), age=Integer(0, 99))
        >>> [domain.spellings_of_missing(column) for column in domain.columns]
        [('', '98'), ('',)]
        """
        spellings = column.missing_values
        return self.missing_values if spellings is None else spellings

    def marker_of(self, column: Column) -> str:
        """Return the spelling of a missing value that synthetic rows use in a column.

        >>> from synth import Domain, Integer
        >>> domain = Domain({"age": Integer(0, 99, missing=True)}, missing_values=["NA"])
        >>> domain.marker_of(domain["age"])
        'NA'
        """
        return next(iter(self.spellings_of_missing(column)), "")

    @property
    def markers(self) -> tuple[str, ...]:
        """The spelling of a missing value in synthetic rows, for each written column."""
        return tuple(map(self.marker_of, self.written_columns))


def _refuse_keyword(name: str) -> NoReturn:
    """Refuse a column that is given as a keyword, where an option has its name."""
    refuse(f"A column called '{name}' is given in a mapping: Domain({{'{name}': ...}}).")


def _list_columns(columns: object) -> tuple[Column, ...]:
    """Return the argument of `Domain` as columns; DomainError unless all are columns."""
    column_list = tuple(columns) if isinstance(columns, Iterable) else (columns,)
    for column in column_list:
        if not isinstance(column, Column):
            refuse(
                "A domain is given as columns by name, such as Domain(sex=['f', 'm']); this "
                f"is of the type {type(columns).__name__}."
            )
    return column_list


def coarsening_advice(domain: Domain, cells: int) -> str:
    """Say which columns to coarsen so that the universe has at most ``cells`` cells.

    The universe has as many cells as the product of all columns' numbers of cells. The
    advice takes the largest columns first, until the rest fits.

    >>> from synth.domain import Integer
    >>> columns = tuple(Integer(name=n, minimum=0, maximum=999, bins=1000) for n in "ab")
    >>> coarsening_advice(Domain(columns), 10_000)
    "Coarsen or leave out 'a' (1,000 cells; 10 would do)."
    """
    # How many times too large the universe is.
    excess = Fraction(domain.size, cells)
    named_columns: list[str] = []
    for column in sorted(domain.columns, key=attrgetter("size"), reverse=True):
        enough = max(1, math.floor(column.size / excess))
        if enough > 1:
            named_columns.append(
                f"'{column.name}' ({column.size:,} cells; {enough:,} would do)"
            )
            break
        # No number of bins is small enough, so it has to be left out with others.
        named_columns.append(f"'{column.name}' ({column.size:,} cells)")
        excess /= column.size
        if excess <= 1:
            break
    return f"Coarsen or leave out {', then '.join(named_columns)}."

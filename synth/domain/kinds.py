"""The kinds of columns there are, in one table. PUBLIC.

A new kind is a module with a class like those below, and its name in `COLUMN_KINDS`.

>>> KINDS_BY_TYPE["date and time"], kind_of({"name": "age", "type": "year"})
(<class 'synth.domain.dates.Date'>, <class 'synth.domain.numbers.Integer'>)
"""

from synth.domain.column import Column
from synth.domain.dates import Date
from synth.domain.field_values import Field
from synth.domain.listed import Boolean, Categorical
from synth.domain.numbers import Integer, Number

COLUMN_KINDS: tuple[type[Column], ...] = (Categorical, Boolean, Integer, Number, Date)
"""In the order in which they are asked whether a field is theirs, and shown."""

KINDS_BY_TYPE = {name: kind for kind in COLUMN_KINDS for name in kind.types}
"""Kinds by what people choose them by; dates are chosen by two names."""

WRITTEN_TYPES = {name: written for kind in COLUMN_KINDS for name, written in kind.types.items()}
"""Types of Table Schema by the same names."""


def kind_of(field: Field) -> type[Column] | None:
    """The kind of column that a field declares; None where it declares none."""
    return next((one for one in COLUMN_KINDS if one.declared_by(field)), None)

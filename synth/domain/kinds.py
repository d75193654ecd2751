"""The kinds of columns there are, in one table. PUBLIC.

A new kind is a module with a class like those below, and its name in `KINDS`.

>>> kind_called("date and time")
(<class 'synth.domain.dates.Date'>, 'datetime')
"""

from synth.domain.column import Column
from synth.domain.dates import Date
from synth.domain.field_values import Field
from synth.domain.listed import Boolean, Categorical
from synth.domain.numbers import Integer, Number

KINDS: tuple[type[Column], ...] = (Categorical, Boolean, Integer, Number, Date)
"""In the order in which they are asked whether a field is theirs, and shown."""

TYPES = {called: kind for one in KINDS for called, kind in one.types.items()}
"""Types of Table Schema by what people choose them by."""


def kind_called(name: str) -> tuple[type[Column], str]:
    """The kind that people choose by a name, and its type of Table Schema.

    Raises:
        KeyError: No kind is called so.
    """
    return next(one for one in KINDS if name in one.types), TYPES[name]


def kind_of(field: Field) -> type[Column] | None:
    """The kind of column that a field declares; None where it declares none."""
    return next((one for one in KINDS if one.declared_by(field)), None)

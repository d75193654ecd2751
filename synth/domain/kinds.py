"""The registry of column kinds. PUBLIC.

>>> COLUMN_KINDS["date and time"], kind_of({"name": "age", "type": "year"})
(<class 'synth.domain.dates.Date'>, <class 'synth.domain.numbers.Integer'>)
"""

from synth.domain.column import Column
from synth.domain.dates import Date
from synth.domain.field_values import Field
from synth.domain.listed import Boolean, Categorical
from synth.domain.numbers import Integer, Number

# Kinds by the name people choose; dates have two names.
# The order is that of screens, and of the search for a field's kind. To add a kind, write its
# class in a module and add a line here.
COLUMN_KINDS: dict[str, type[Column]] = {
    name: kind for kind in (Categorical, Boolean, Integer, Number, Date) for name in kind.types
}


def kind_of(field: Field) -> type[Column] | None:
    return next((one for one in COLUMN_KINDS.values() if one.declared_by(field)), None)


def name_kind(field: Field) -> str | None:
    """Name the kind of a field that may lack its bounds or list; None if it has no type.

    >>> name_kind({"name": "day", "type": "datetime"}), name_kind({"name": "age"})
    ('date and time', None)
    """
    if "type" not in field:
        return None
    kind = kind_of(field)
    types = {n: one.types[n] for n, one in COLUMN_KINDS.items() if kind in (None, one)}
    return next((n for n, written in types.items() if written == field["type"]), next(iter(types)))

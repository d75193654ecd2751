"""The values of derived columns, by arithmetic on whole columns. PUBLIC.

It only adds, multiplies, divides and rounds down doubles, which all machines do equally.

>>> from synth import Domain, Integer
>>> from synth.domain.derived import Derived
>>> domain = Domain(
...     age=Integer(0, 99, bins=10), decade=Derived(formula="floor(age / 10) * 10")
... )
>>> with_derived(domain, pa.table({"age": pa.array([41, None])}))["decade"].to_pylist()
[40, None]
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from synth.domain import (
    DAY,
    OTHER_LABEL,
    Column,
    Derived,
    Domain,
    Formula,
    Moment,
    bin_labels,
    edges_of,
    may_give,
)
from synth.rows.identifiers import spell_identifiers
from synth.rows.values import decode_columns, numbers, spell_codes
from synth.util import Mask


@dataclass(frozen=True, eq=False)
class RowValues:
    """The values of all rows.

    Attributes:
        kind: As in `synth.domain.formula_values`.
        data: Doubles, truths or texts, shape (rows,); arbitrary if missing.
        missing: Whether each row's value is missing, shape (rows,).
    """

    kind: str
    data: Any
    missing: Mask


def with_derived(
    domain: Domain, table: pa.Table, seed: int = 0, *, first: int = 0
) -> pa.Table:
    """Return the rows with derived columns and IDs, in the column order of files.

    Args:
        domain: The declared columns, with the rules of derived ones.
        table: The rows, with all columns that are not derived.
        seed: The public seed of the IDs.
        first: Number of the first row, for the IDs.
    """
    if not domain.derived and not domain.identifiers:
        return table
    columns = {name: table[name] for name in domain.names}
    values = derived_values(domain, table)
    for derived in domain.derived:
        columns[derived.name] = write_derived(derived, values[derived.name])
    places = np.arange(first, first + table.num_rows)
    for identifier in domain.identifiers:
        columns[identifier.name] = spell_identifiers(identifier, places, seed)
    return pa.table([columns[name] for name in domain.written], list(domain.written))


def made_up(domain: Domain, rows: int = 5) -> pa.Table:
    """Return made-up rows, nobody's data, as a preview of what files will hold.

    Every cell of a column is equally likely, and columns are independent.

    Args:
        domain: The declared columns.
        rows: Number of rows.
    """
    rng = np.random.default_rng()
    codes = [rng.integers(0, size, rows, dtype=np.int32) for size in domain.shape]
    return with_derived(domain, decode_columns(domain, codes, rng))


def derived_values(domain: Domain, table: pa.Table) -> dict[str, RowValues]:
    """Return values of derived columns and their inputs, by name.

    Args:
        domain: The declared columns, with the rules of derived ones.
        table: The rows, with all columns that are not derived.
    """
    sources: set[str] = set()
    for derived in domain.derived:
        sources |= {*derived.sources}
    # Derived columns may use each other, and are not in the table.
    sources -= {derived.name for derived in domain.derived}
    inputs = {name: _read(domain[name], table[name]) for name in sources}
    return derived_from(domain, inputs, table.num_rows)


def derived_from(
    domain: Domain, inputs: Mapping[str, RowValues], rows: int
) -> dict[str, RowValues]:
    """Return values of derived columns and their inputs, by name.

    Args:
        domain: The declared columns, with derived ones in an order in which each uses only
            earlier ones.
        inputs: The values of the columns that rules use, by name.
        rows: The number of rows.
    """
    values = dict(inputs)
    for derived in domain.derived:
        if derived.lookup:
            values[derived.name] = _look_up(derived, values[derived.lookup])
            continue
        # Where a formula divides by zero, the value is missing.
        with np.errstate(all="ignore"):
            evaluation = _Evaluation(domain, values, rows)
            values[derived.name] = evaluation.value(derived.tree)
    return values


def _read(column: Column, values: Any) -> RowValues:
    """Return the values of a column of a table, as formulas use them.

    Args:
        column: The declared column, which says what its values are in formulas.
        values: An Arrow array: numbers, texts, or texts by code.
    """
    array = _in_one_piece(values)
    missing = np.asarray(array.is_null())
    if not (pa.types.is_dictionary(array.type) or pa.types.is_string(array.type)):
        return RowValues("number", _doubles(array), missing)
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    # Each different text is read once; rows have its place in the list.
    place = np.from_dlpack(array.indices.fill_null(0).cast(pa.int64()))
    texts = array.dictionary.to_pylist() or [""]  # null rows point at a first text
    kind = column.formula_values.kind
    if kind == "truth":
        # The labels of a column of truths are those of no and of yes.
        is_true = np.array([text == column.labels[1] for text in texts])
        return RowValues("truth", is_true[place], missing)
    if kind == "text":
        return RowValues("text", np.array(texts, dtype=object)[place], missing)
    # Neither a sign nor the label of values outside is a number.
    gaps = {"", OTHER_LABEL, *column.signs}
    is_missing = np.array([text in gaps for text in texts])
    cell_values = np.array(
        [
            0.0 if is_gap else _number(column, text)
            for text, is_gap in zip(texts, is_missing, strict=True)
        ]
    )
    return RowValues(kind, cell_values[place], missing | is_missing[place])


def _in_one_piece(values: Any) -> Any:
    """Return an Arrow array in one piece.

    The result of joining the pieces may itself be in pieces, so they are joined twice.
    """
    for _ in range(2):
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
    return values


def _number(column: Column, text: str) -> float:
    """Return the number that a column's text stands for in formulas.

    A date becomes days since 1970, rounded down.
    """
    reading = column.reading
    if isinstance(reading, Moment):
        return float(reading.clock_second(reading.read(text)) // DAY)
    return float(text)


def _doubles(array: Any) -> Any:
    """Return doubles, 0 where a value is missing."""
    return np.from_dlpack(array.cast(pa.float64()).fill_null(0.0))


def _look_up(derived: Derived, source: RowValues) -> RowValues:
    """Return the texts that a derived column's table has for values of another column.

    A value that the table lacks gets the default text; without one it is missing.

    Args:
        derived: The derived column, with its table of texts by the value as text.
        source: The values of the other column.
    """
    # The different values as texts, and the place of each row's value among them.
    if source.kind == "number":
        distinct, place = np.unique(source.data, return_inverse=True)
        keys = [str(int(value)) for value in distinct]
    elif source.kind == "truth":
        keys = ["false", "true"]
        place = source.data.astype(int)
    else:
        keys = list(dict.fromkeys(source.data.tolist()))
        number = {key: i for i, key in enumerate(keys)}
        place = np.array([number[key] for key in source.data.tolist()], dtype=np.intp)
    # Without rows there are no keys; one entry then keeps the arrays' types.
    texts = [derived.table.get(key, derived.default) for key in keys] or [None]
    is_missing = np.array([text is None for text in texts])
    return RowValues(
        "text", np.array(texts, dtype=object)[place], source.missing | is_missing[place]
    )


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """An evaluation of formulas for all rows.

    Attributes:
        domain: The columns.
        columns: The values of the columns that formulas use, by name.
        rows: The number of rows.
    """

    domain: Domain
    columns: Mapping[str, RowValues]
    rows: int

    def value(self, formula: Formula) -> RowValues:
        """Return the values of a formula, or of a part of one, for all rows.

        ``does`` is the name of its operation, and ``parts`` are the operands. A column, a
        number or a text has none, but a ``value``.

        A value is missing if an operand is missing, except in ``coalesce`` and in the branch
        of ``if`` that is not taken.
        """
        if formula.does == "column":
            return self.columns[formula.value]
        none = np.zeros(self.rows, dtype=bool)
        if formula.does == "number":
            return RowValues("number", np.full(self.rows, float(formula.value)), none)
        if formula.does == "text":
            return RowValues("text", np.full(self.rows, formula.value, dtype=object), none)
        parts = [self.value(part) for part in formula.parts]
        if formula.does == "if":
            return self._choose_value(*parts)
        if formula.does == "coalesce":
            return reduce(_fill_missing, parts)
        if formula.does == "bins":
            return self._bin_values(formula, parts[0])
        missing = np.logical_or.reduce([part.missing for part in parts])
        if formula.does == "/":
            missing = missing | (parts[1].data == 0)
        kind, operation = _OPERATIONS[formula.does]
        return RowValues(kind, operation(*(part.data for part in parts)), missing)

    def _choose_value(
        self, condition: RowValues, then: RowValues, otherwise: RowValues
    ) -> RowValues:
        """Return, for each row, one value if a condition is true, and else the other one.

        The result is missing if the condition or the chosen value is.

        Args:
            condition: Truths.
            then: The value where it is true.
            otherwise: The value where it is false, of the same kind.
        """
        data = np.where(condition.data, then.data, otherwise.data)
        missing = np.where(condition.data, then.missing, otherwise.missing)
        return RowValues(then.kind, data, condition.missing | missing)

    def _bin_values(self, formula: Formula, numbers: RowValues) -> RowValues:
        """Return the labels of the bins that numbers are in.

        Args:
            formula: The formula ``bins``, with its edges.
            numbers: The values of its first part.
        """
        # What columns may hold decides how labels are written: in whole numbers or not.
        expected = {
            name: self.domain[name].formula_values
            for name in formula.names
            if name in self.domain.names
        }
        expected |= {derived.name: derived.expected for derived in self.domain.derived}
        is_whole = may_give(formula.parts[0], expected).whole
        labels = np.array(bin_labels(formula, is_whole), dtype=object)
        place = np.searchsorted(edges_of(formula), numbers.data, "right")
        return RowValues("text", labels[place], numbers.missing)


def _fill_missing(values: RowValues, replacement: RowValues) -> RowValues:
    """Return values, with a replacement for missing ones."""
    data = np.where(values.missing, replacement.data, values.data)
    return RowValues(values.kind, data, values.missing & replacement.missing)


def _round_value(value: Any, decimals: Any = None) -> Any:
    """Return numbers rounded half up, to whole ones or to so many decimals.

    Args:
        value: Doubles, shape (rows,).
        decimals: Number of decimals, the same in each row; None for whole numbers.
    """
    if decimals is None:
        return np.floor(value + 0.5)
    # Without rows there is no first number, and any unit will do.
    unit = float(10 ** int(decimals[0])) if len(decimals) else 1.0
    return np.floor(value * unit + 0.5) / unit


def _to_power(base: Any, power: Any) -> Any:
    """Return numbers to a whole power, by repeated multiplication.

    Other ways to compute a power differ between machines.

    Args:
        base: Doubles, shape (rows,).
        power: The power, the same in each row.
    """
    product = np.ones(len(base))
    for _ in range(int(power[0]) if len(power) else 0):
        product = product * base
    return product


def _calendar(unit: str, days: Any) -> Any:
    """Return the year, the month or the day of the month of dates, shape (rows,).

    Args:
        unit: "Y", "M" or "D".
        days: Days since 1970, shape (rows,).
    """
    # Years and months of NumPy's dates count from January 1970.
    dates = days.astype(np.int64).astype("datetime64[D]")
    if unit == "Y":
        return dates.astype("datetime64[Y]").astype(np.int64) + 1970.0
    if unit == "M":
        return dates.astype("datetime64[M]").astype(np.int64) % 12 + 1.0
    return (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1.0


def _name_day(year: Any, month: Any, day: Any) -> Any:
    """Return the days since 1970 of dates by year, month and day, shape (rows,) each."""
    months = (year - 1970) * 12 + month - 1
    first_days = months.astype(np.int64).astype("datetime64[M]").astype("datetime64[D]")
    return first_days.astype(np.int64) + day - 1


def _row_minimum(*columns: Any) -> Any:
    """Return the least number of each row."""
    return reduce(np.minimum, columns)


def _greatest(*columns: Any) -> Any:
    """Return the greatest number of each row."""
    return reduce(np.maximum, columns)


def _is_equal(values: Any, others: Any) -> Any:
    """Return whether two values of each row are equal."""
    return np.asarray(values == others, dtype=bool)


def _is_unequal(values: Any, others: Any) -> Any:
    """Return whether two values of each row differ."""
    return np.asarray(values != others, dtype=bool)


def _is_among(values: Any, *choices: Any) -> Any:
    """Return whether the value of each row is one of the choices."""
    return reduce(np.logical_or, [np.asarray(values == choice) for choice in choices])


def _join_texts(*columns: Any) -> Any:
    """Return the texts of each row, joined."""
    return reduce(np.add, columns)


# The kind of values that each operation gives, and the operation on whole columns.
_OPERATIONS: Mapping[str, tuple[str, Callable[..., Any]]] = {
    "+": ("number", np.add),
    "-": ("number", np.subtract),
    "*": ("number", np.multiply),
    "/": ("number", np.divide),
    "^": ("number", _to_power),
    "negative": ("number", np.negative),
    "floor": ("number", np.floor),
    "ceil": ("number", np.ceil),
    "round": ("number", _round_value),
    "abs": ("number", np.abs),
    "min": ("number", _row_minimum),
    "max": ("number", _greatest),
    "year": ("number", partial(_calendar, "Y")),
    "month": ("number", partial(_calendar, "M")),
    "day": ("number", partial(_calendar, "D")),
    "date": ("date", _name_day),
    "=": ("truth", _is_equal),
    "!=": ("truth", _is_unequal),
    "<": ("truth", np.less),
    "<=": ("truth", np.less_equal),
    ">": ("truth", np.greater),
    ">=": ("truth", np.greater_equal),
    "in": ("truth", _is_among),
    "and": ("truth", np.logical_and),
    "or": ("truth", np.logical_or),
    "not": ("truth", np.logical_not),
    "concat": ("text", _join_texts),
}


def write_derived(derived: Derived, values: RowValues) -> pa.Array:
    """Return the values of a derived column, as files hold them.

    Args:
        derived: The derived column, which says whether numbers are whole, and which texts it
            may have.
        values: The values of the column.

    Returns:
        Numbers, or texts by code, null where a value is missing. Truths are written as texts.
    """
    missing = values.missing if values.missing.any() else None
    if values.kind == "number":
        data = np.where(values.missing, 0.0, values.data)
        if derived.expected.whole:
            return numbers(np.rint(data).astype(np.int64), missing)
        return numbers(data, missing)
    if values.kind == "truth":
        return spell_codes(("false", "true"), values.data.astype(np.int32), missing)
    texts = derived.expected.texts
    place = {text: code for code, text in enumerate(texts)}
    pairs = zip(values.data.tolist(), values.missing.tolist(), strict=True)
    codes = [0 if is_missing else place[text] for text, is_missing in pairs]
    return spell_codes(texts, np.array(codes, dtype=np.int32), missing)

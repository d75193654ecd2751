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
from functools import reduce
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
        missing: Shape (rows,).
    """

    kind: str
    data: Any
    missing: Mask


def with_derived(
    domain: Domain, table: pa.Table, seed: int = 0, *, first: int = 0
) -> pa.Table:
    """Return the rows with derived columns and IDs, in the column order of files.

    Args:
        seed: The public seed of the IDs.
        first: Number of the first row, for the IDs.
    """
    if not domain.derived and not domain.identifiers:
        return table
    held = derived_values(domain, table)
    columns = {name: table[name] for name in domain.names}
    columns |= {one.name: write_derived(one, held[one.name]) for one in domain.derived}
    places = np.arange(first, first + table.num_rows)
    columns |= {one.name: spell_identifiers(one, places, seed) for one in domain.identifiers}
    return pa.table([columns[name] for name in domain.written], list(domain.written))


def made_up(domain: Domain, rows: int = 5) -> pa.Table:
    """Return uniform made-up rows, nobody's data, as a preview."""
    rng = np.random.default_rng()
    codes = [rng.integers(0, size, rows, dtype=np.int32) for size in domain.shape]
    return with_derived(domain, decode_columns(domain, codes, rng))


def derived_values(domain: Domain, table: pa.Table) -> dict[str, RowValues]:
    """Return values of derived columns and their inputs, by name."""
    derived = {one.name for one in domain.derived}
    sources = {name for one in domain.derived for name in one.sources} - derived
    held = {name: _read(domain[name], table[name]) for name in sources}
    return derived_from(domain, held, table.num_rows)


def derived_from(
    domain: Domain, known: Mapping[str, RowValues], rows: int
) -> dict[str, RowValues]:
    held = dict(known)
    for one in domain.derived:
        if one.lookup:
            held[one.name] = _looked_up(one, held[one.lookup])
        else:
            with np.errstate(all="ignore"):  # what divides by zero is masked
                held[one.name] = _Run(domain, held, rows).value(one.tree)
    return held


def _read(column: Column, values: Any) -> RowValues:
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    missing = np.asarray(array.is_null())
    if not (pa.types.is_dictionary(array.type) or pa.types.is_string(array.type)):
        return RowValues("number", _doubles(array), missing)
    coded = array if pa.types.is_dictionary(array.type) else pc.dictionary_encode(array)
    place = np.from_dlpack(coded.indices.fill_null(0).cast(pa.int64()))
    texts, kind = coded.dictionary.to_pylist() or [""], column.formula_values.kind
    if kind == "truth":
        true = np.array([text == column.labels[1] for text in texts])
        return RowValues("truth", true[place], missing)
    if kind == "text":
        return RowValues("text", np.array(texts, dtype=object)[place], missing)
    gone = np.array([text in ("", OTHER_LABEL) for text in texts])
    pairs = zip(texts, gone, strict=True)
    read = np.array([0.0 if out else _number(column, text) for text, out in pairs])
    return RowValues(kind, read[place], missing | gone[place])


def _number(column: Column, text: str) -> float:
    reading = column.reading
    if isinstance(reading, Moment):
        return float(reading.read(text) * reading.seconds // DAY)
    return float(text)


def _doubles(array: Any) -> Any:
    return np.from_dlpack(array.cast(pa.float64()).fill_null(0.0))


def _looked_up(one: Derived, source: RowValues) -> RowValues:
    if source.kind == "number":
        seen, place = np.unique(source.data, return_inverse=True)
        keys = [str(int(value)) for value in seen]
    elif source.kind == "truth":
        keys, place = ["false", "true"], source.data.astype(int)
    else:
        keys = list(dict.fromkeys(source.data.tolist()))
        number = {key: i for i, key in enumerate(keys)}
        place = np.array([number[key] for key in source.data.tolist()], dtype=np.intp)
    found = [one.table.get(key, one.default) for key in keys] or [None]
    gone = np.array([text is None for text in found])
    return RowValues(
        "text", np.array(found, dtype=object)[place], source.missing | gone[place]
    )


class _Run:
    def __init__(self, domain: Domain, held: Mapping[str, RowValues], rows: int) -> None:
        self.domain, self.held, self.rows = domain, held, rows

    def value(self, formula: Formula) -> RowValues:
        if formula.does == "column":
            return self.held[formula.value]
        none = np.zeros(self.rows, dtype=bool)
        if formula.does == "number":
            return RowValues("number", np.full(self.rows, float(formula.value)), none)
        if formula.does == "text":
            return RowValues("text", np.full(self.rows, formula.value, dtype=object), none)
        parts = [self.value(part) for part in formula.parts]
        if formula.does == "if":
            return self._choose_value(*parts)
        if formula.does == "coalesce":
            return reduce(_first_known, parts)
        if formula.does == "bins":
            return self._cut(formula, parts[0])
        missing = np.logical_or.reduce([part.missing for part in parts])
        if formula.does == "/":
            missing = missing | (parts[1].data == 0)
        kind, act = _ACTS[formula.does]
        return RowValues(kind, act(*(part.data for part in parts)), missing)

    def _choose_value(self, when: RowValues, then: RowValues, other: RowValues) -> RowValues:
        chosen = np.where(when.data, then.missing, other.missing)
        return RowValues(
            then.kind, np.where(when.data, then.data, other.data), when.missing | chosen
        )

    def _cut(self, formula: Formula, part: RowValues) -> RowValues:
        known = {
            n: self.domain[n].formula_values for n in formula.names if n in self.domain.names
        }
        known |= {one.name: one.expected for one in self.domain.derived}
        whole = may_give(formula.parts[0], known).whole
        labels = np.array(bin_labels(formula, whole), dtype=object)
        return RowValues(
            "text",
            labels[np.searchsorted(edges_of(formula), part.data, "right")],
            part.missing,
        )


def _first_known(one: RowValues, other: RowValues) -> RowValues:
    data = np.where(one.missing, other.data, one.data)
    return RowValues(one.kind, data, one.missing & other.missing)


def _round_value(value: Any, decimals: Any = None) -> Any:
    if decimals is None:
        return np.floor(value + 0.5)
    unit = float(10 ** int(decimals[0])) if len(decimals) else 1.0
    return np.floor(value * unit + 0.5) / unit


def _to_power(base: Any, power: Any) -> Any:
    found = np.ones(len(base))
    for _ in range(int(power[0]) if len(power) else 0):
        found = found * base
    return found


def _calendar(unit: str, days: Any) -> Any:
    dates = days.astype(np.int64).astype("datetime64[D]")
    if unit == "Y":
        return dates.astype("datetime64[Y]").astype(np.int64) + 1970.0
    if unit == "M":
        return dates.astype("datetime64[M]").astype(np.int64) % 12 + 1.0
    return (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1.0


_ACTS: Mapping[str, tuple[str, Callable[..., Any]]] = {
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
    "min": ("number", lambda *parts: reduce(np.minimum, parts)),
    "max": ("number", lambda *parts: reduce(np.maximum, parts)),
    "year": ("number", lambda days: _calendar("Y", days)),
    "month": ("number", lambda days: _calendar("M", days)),
    "day": ("number", lambda days: _calendar("D", days)),
    "=": ("truth", lambda a, b: np.asarray(a == b, dtype=bool)),
    "!=": ("truth", lambda a, b: np.asarray(a != b, dtype=bool)),
    "<": ("truth", np.less),
    "<=": ("truth", np.less_equal),
    ">": ("truth", np.greater),
    ">=": ("truth", np.greater_equal),
    "in": (
        "truth",
        lambda a, *rest: reduce(np.logical_or, [np.asarray(a == b) for b in rest]),
    ),
    "and": ("truth", np.logical_and),
    "or": ("truth", np.logical_or),
    "not": ("truth", np.logical_not),
    "concat": ("text", lambda *parts: reduce(np.add, parts)),
}


def write_derived(one: Derived, held: RowValues) -> pa.Array:
    missing = held.missing if held.missing.any() else None
    if held.kind == "number":
        data = np.where(held.missing, 0.0, held.data)
        return numbers(
            np.rint(data).astype(np.int64) if one.expected.whole else data, missing
        )
    listed = one.expected.texts
    if held.kind == "truth":
        return spell_codes(("false", "true"), held.data.astype(np.int32), missing)
    place = {text: code for code, text in enumerate(listed)}
    pairs = zip(held.data.tolist(), held.missing.tolist(), strict=True)
    codes = [0 if gone else place[text] for text, gone in pairs]
    return spell_codes(listed, np.array(codes, dtype=np.int32), missing)

"""Rows as tables of Arrow with the types of the domain. PUBLIC."""

import json
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from synth.bundle.exports.cells import cells_of, pieces_of
from synth.bundle.exports.columns import HeldColumn, Storage
from synth.domain import DAY, Binned
from synth.rows import SyntheticTable, label_texts


def typed_pieces(
    rows: SyntheticTable, variables: tuple[HeldColumn, ...]
) -> Iterator[pa.Table]:
    """Yield the rows as tables of Arrow, with the types of the domain.

    Args:
        rows: The rows.
        variables: How Parquet holds each column, with its name.
    """
    schema = pa.schema(
        [
            pa.field(variable.name, _type(variable), metadata=_field_notes(variable))
            for variable in variables
        ]
    )
    for piece in rows.pieces():
        columns = [
            _cast(values, variable)
            for values, variable in zip(pieces_of(piece), variables, strict=True)
        ]
        yield pa.Table.from_arrays(columns, schema=schema)


def _field_notes(variable: HeldColumn) -> dict[str, str] | None:
    """Return the metadata of a column: its description and the labels of values, if any.

    The labels are a JSON object, by value.
    """
    column = variable.column
    notes: dict[str, str] = {}
    if column.description:
        notes["description"] = column.description
    if column.meanings:
        notes["labels"] = json.dumps(dict(column.meanings), ensure_ascii=False)
    return notes or None


def _type(variable: HeldColumn) -> pa.DataType:
    """Return the Arrow type of a column.

    Texts that a column lists are a dictionary, which is ordered if the values are.
    """
    column = variable.column
    match variable.storage:
        case Storage.DATE:
            assert isinstance(column, Binned)
            return pa.date32() if column.step == DAY else pa.timestamp("s")
        case Storage.BOOLEAN:
            return pa.bool_()
        case Storage.NUMBER:
            return pa.int64() if column.dtype in ("int64", "Int64") else pa.float64()
    if isinstance(column, Binned) or not column.labels:
        return pa.string()
    return pa.dictionary(pa.int32(), pa.string(), ordered=column.extent is not None)


def _cast(values: pa.Array, variable: HeldColumn) -> pa.Array:
    """Return a piece of a column in its Arrow type.

    Args:
        values: The cells of some rows, as `SyntheticTable.pieces` has them.
        variable: How Parquet holds the column.
    """
    kind = _type(variable)
    match variable.storage:
        case Storage.DATE:
            # `TYPED_PARQUET` counts dates in seconds since 1970.
            seconds = pa.array(cells_of(values, variable), from_pandas=True).cast(pa.int64())
            return seconds.cast(pa.timestamp("s")).cast(kind)
        case Storage.BOOLEAN:
            # The labels of truth values are those of false and of true.
            label_of_true = label_texts([variable.column.labels[1]])[0]
            return pc.equal(values.cast(pa.string()), label_of_true)
        case Storage.NUMBER:
            return values.cast(kind)
    if pa.types.is_string(kind):
        return values.cast(kind)
    labels = label_texts(variable.texts)
    places = pc.index_in(values.cast(pa.string()), labels)
    return pa.DictionaryArray.from_arrays(places, labels, ordered=kind.ordered)

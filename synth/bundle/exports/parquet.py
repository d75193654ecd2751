"""Parquet with the types of the domain: dates, truth values, ordered categories. PUBLIC."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from synth.bundle.exports.cells import cells_of, pieces_of
from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.format import TRUTHS, FileFormat
from synth.domain import DAY, Binned
from synth.rows import SyntheticTable, label_texts, write_parquet


@dataclass(frozen=True, eq=False)
class TypedParquet(FileFormat):
    def hold_listed(self, plain: HeldColumn) -> HeldColumn:
        is_truth = plain.column.dtype in TRUTHS and plain.column.other_code is None
        return replace(plain, storage=Storage.BOOLEAN) if is_truth else plain

    def write(self, rows: SyntheticTable, path: Path) -> None:
        write_parquet(_pieces(rows, self.hold(rows.domain)), path)


TYPED_PARQUET = TypedParquet(
    name="parquet",
    title="Parquet",
    mime="application/vnd.apache.parquet",
    package="pyarrow",
    stem="typed",
    remarks=("domain.json explains the codes.",),
    date_units=(1, 1),
)


def _pieces(rows: SyntheticTable, variables: tuple[HeldColumn, ...]) -> Iterator[pa.Table]:
    fields = [pa.field(one.name, _type(one), metadata=_field_notes(one)) for one in variables]
    schema = pa.schema(fields)
    for piece in rows.pieces():
        pairs = zip(pieces_of(piece), variables, strict=True)
        yield pa.Table.from_arrays(
            [_cast(values, one) for values, one in pairs], schema=schema
        )


def _field_notes(one: HeldColumn) -> dict[str, str] | None:
    return {"description": one.column.description} if one.column.description else None


def _type(one: HeldColumn) -> pa.DataType:
    column = one.column
    match one.storage:
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


def _cast(values: pa.Array, one: HeldColumn) -> pa.Array:
    kind = _type(one)
    match one.storage:
        case Storage.DATE:
            seconds = pa.array(cells_of(values, one), from_pandas=True).cast(pa.int64())
            return seconds.cast(pa.timestamp("s")).cast(kind)
        case Storage.BOOLEAN:
            return pc.equal(values.cast(pa.string()), label_texts([one.column.labels[1]])[0])
        case Storage.NUMBER:
            return values.cast(kind)
    if pa.types.is_string(kind):
        return values.cast(kind)
    listed = label_texts(one.texts)
    places = pc.index_in(values.cast(pa.string()), listed)
    return pa.DictionaryArray.from_arrays(places, listed, ordered=kind.ordered)

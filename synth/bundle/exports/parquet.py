"""Parquet with the types of the domain: dates, truth values, ordered categories. PUBLIC."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.format import TRUTHS, FileFormat

if TYPE_CHECKING:
    from synth.rows import SyntheticTable


@dataclass(frozen=True, eq=False)
class TypedParquet(FileFormat):
    """Parquet files whose columns have the types of the domain."""

    def hold_listed(self, variable: HeldColumn) -> HeldColumn:
        """Hold truth values as such, and other values as ordered categories."""
        is_truth = variable.column.dtype in TRUTHS and variable.column.other_code is None
        return replace(variable, storage=Storage.BOOLEAN) if is_truth else variable

    def write(self, rows: "SyntheticTable", path: Path) -> None:
        """Write the rows piece by piece, with the types of the domain."""
        from synth.bundle.exports.typed_pieces import typed_pieces
        from synth.rows import write_parquet

        write_parquet(typed_pieces(rows, self.hold(rows.domain)), path)


TYPED_PARQUET = TypedParquet(
    name="parquet",
    title="Parquet",
    mime="application/vnd.apache.parquet",
    package="pyarrow",
    stem="typed",
    remarks=("Labels of codes are in the metadata of the columns, and in domain.json.",),
    date_units=(1, 1),
)

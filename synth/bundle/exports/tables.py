"""The files of rows of every bundle: CSV, and Parquet with the same texts. PUBLIC."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle.exports.format import FileFormat
from synth.domain import Domain

if TYPE_CHECKING:
    from synth.rows import SyntheticTable


@dataclass(frozen=True, eq=False)
class GuardedCsv(FileFormat):
    """CSV files whose cells no spreadsheet runs."""

    def list_losses(self, _domain: Domain) -> tuple[str, ...]:
        """Return nothing: other files are compared with this one."""
        return ()

    def write(self, rows: "SyntheticTable", path: Path) -> None:
        """Write the rows; before the first row of the table also the names of the columns.

        Rows in parts are written one part after the other.
        """
        from synth.bundle.guard import guard_cell, write_guarded

        missing = [*map(guard_cell, rows.domain.markers)]
        write_guarded(rows.parts(), path, missing=missing, headed=not rows.first)


@dataclass(frozen=True, eq=False)
class PlainParquet(FileFormat):
    """Parquet files with the same texts as the CSV file."""

    def write(self, rows: "SyntheticTable", path: Path) -> None:
        """Write the rows to a Parquet file, piece by piece.

        Texts are as declared. The CSV file guards them: it writes an apostrophe before a text
        that a spreadsheet would run as a formula. No program does so with Parquet.
        """
        from synth.rows import write_parquet

        write_parquet(rows.parts(), path)


CSV = GuardedCsv(name="csv", title="CSV", mime="text/csv")
BUNDLED_TABLES: dict[str, FileFormat] = {
    CSV.name: CSV,
    "parquet": PlainParquet(
        name="parquet",
        title="Parquet",
        mime="application/vnd.apache.parquet",
        package="pyarrow",
    ),
}

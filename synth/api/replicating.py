"""``replicates``: tables from a release's noisy counts, for multiple imputation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from synth.analysis import MIN_TABLES, check_replicable, fresh_seeds, replicate
from synth.api.frames import frame_of
from synth.api.functions import Progress
from synth.api.option_names import RowsFormatName
from synth.api.spending import input_paths, protect
from synth.bundle import ReplicaFiles, Result, replica_formats, write_replicates
from synth.estimate import name_unmeasured
from synth.util import check_types, check_whole

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class Replicates:
    """Tables from the same noisy counts, each with fresh noise on top, at no cost.

    A table is made when you index it; the same index gives the same table.

    Attributes:
        result: The release in detail.
        certificate: The digest of the bundle's certificate, in hexadecimal digits.
        seeds: One per table, from the system.
        inputs: The bundle, which no output replaces.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = synth.replicates(made.save(f"{folder}/r.zip"), tables=3)
    ...     names = sorted(tables.save(f"{folder}/tables"))
    >>> tables, [len(table) for table in tables], names[0]
    (Replicates(3 tables of 1,000 rows), [1000, 1000, 1000], 'replicate_1.csv')
    """

    result: Result
    certificate: str
    seeds: Sequence[int]
    inputs: tuple[Path, ...] = ()

    @property
    def not_measured_together(self) -> list[tuple[str, str]]:
        """Return pairs of columns for which intervals from these tables are not valid.

        >>> import pandas as pd, synth, tempfile
        >>> rows = pd.DataFrame({"a": ["x", "y"] * 500, "b": ["x", "y"] * 500})
        >>> domain = {"a": ["x", "y"], "b": ["x", "y"]}
        >>> made = synth.release(rows, domain, epsilon=1, method="independent")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     synth.replicates(made.save(f"{folder}/r.zip"), tables=2).not_measured_together
        [('a', 'b')]
        """
        return name_unmeasured(self.result.record)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.seeds)

    def __getitem__(self, number: int) -> pd.DataFrame:
        """Make the table of this number, from 0; it is the same each time."""
        rows = self.result.synthetic.rows
        seed = self.seeds[number]
        return frame_of(replicate(self.result.plan, self.result.record, rows, seed=seed))

    def __iter__(self) -> Iterator[pd.DataFrame]:
        """Make one table after the other."""
        return (self[number] for number in range(len(self)))

    @check_types
    def save(
        self,
        folder: str | Path,
        *,
        formats: RowsFormatName | Sequence[RowsFormatName] = "csv",
        progress: Progress | None = None,
    ) -> dict[str, Path]:
        """Write the tables, and `replicates.json` with their digests and how to combine them.

        Args:
            folder: A new or empty folder.
            formats: One or more of csv, xlsx, sav, dta, xpt, parquet.
            progress: It is called with the number of finished tables and of all tables; it
                may raise to stop.

        Returns:
            The paths by name.

        Raises:
            SynthError: The tables cannot be written; then none remains.
        """
        kinds = replica_formats(formats)
        return write_replicates(
            self.result,
            self.certificate,
            self.seeds,
            files=ReplicaFiles(folder=folder, formats=kinds, protection=protect(self.inputs)),
            progress=progress,
        )

    def __repr__(self) -> str:
        """Return the number of tables and of their rows."""
        return f"Replicates({len(self)} tables of {self.result.synthetic.rows:,} rows)"


@check_types
def replicates(bundle: str | Path, tables: int = 5) -> Replicates:
    """Make tables like a release's own from its bundle, after all checks of `verify`.

    Each table is made like the release, from its noisy counts with noise of the same law
    added again. Their spread shows the effect of the noise, so Rubin's rules for missing data
    hold roughly.

    Args:
        bundle: The zip file.
        tables: Their number, from 2 to 100.

    Raises:
        ReleaseError: The bundle fails a check, or its method has no replicates.
        ArgumentError: ``tables`` is not such a number.

    >>> import synth
    >>> try:
    ...     synth.replicates("nowhere.zip")
    ... except synth.SynthError as error:
    ...     print(error)
    There is no file 'nowhere.zip'.
    """
    from synth.verification import open_bundle

    check_whole(MIN_TABLES, tables=tables)
    opened = open_bundle(bundle)
    new_tables = replicates_of(opened.result, opened.archive.digest, tables)
    return replace(new_tables, inputs=input_paths(bundle))


def replicates_of(result: Result, certificate: str, tables: int) -> Replicates:
    """Return the replicates of an open bundle; tables are made when they are used.

    Args:
        result: The release in the bundle.
        certificate: The digest of the bundle's certificate, in hexadecimal digits.
        tables: How many.

    Raises:
        SynthError: The number is not allowed, or the release has no replicates.
    """
    seeds = fresh_seeds(tables)
    check_replicable(result.plan, result.record)
    return Replicates(result=result, certificate=certificate, seeds=seeds)

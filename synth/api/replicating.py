"""``replicates``: tables like a release's own, for software that knows multiple imputation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from synth.analysis import MIN_TABLES, check_replicable, fresh_seeds, replicate
from synth.api.frames import frame_of
from synth.api.functions import Progress
from synth.bundle import CERTIFICATE, Result, replica_formats, sha256, write_replicates
from synth.estimate import name_unmeasured
from synth.util import check_whole

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Replicates:
    """Tables of the same noisy counts, each with their noise drawn once more; nothing is spent.

    A table is made when it is asked for, and the same again for the same number.

    Attributes:
        result: The release, as the rest of the package calls it.
        certificate: The digest of its bundle's certificate, in hexadecimal digits.
        seeds: One of each table, from the system.

    >>> import pandas as pd, synth, tempfile
    >>> made = synth.release(pd.DataFrame({"sex": ["f", "m"] * 500}), {"sex": ["f", "m"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = synth.replicates(made.save(f"{folder}/r.zip"), tables=3)
    ...     names = sorted(tables.save(f"{folder}/tables"))
    >>> tables, [len(table) for table in tables], names[0]
    (Replicates(3 tables of 1,000 rows), [1000, 1000, 1000], 'replicate_1.csv')
    """

    result: Result
    certificate: str
    seeds: Sequence[int]

    @property
    def not_measured_together(self) -> list[tuple[str, str]]:
        """Pairs of columns about which intervals from these tables do not hold."""
        return name_unmeasured(self.result.record)

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, number: int) -> "pd.DataFrame":
        rows, seed = self.result.synthetic.rows, self.seeds[number]
        return frame_of(replicate(self.result.plan, self.result.record, rows, seed))

    def __iter__(self) -> "Iterator[pd.DataFrame]":
        return (self[number] for number in range(len(self)))

    def save(
        self, folder: str | Path, *, formats: str = "csv", progress: Progress | None = None
    ) -> dict[str, Path]:
        """Write the tables, and `replicates.json` with the digest of each and how to combine them.

        Args:
            folder: Which is not there yet, or empty.
            formats: One or more of csv, xlsx, sav, dta, xpt, parquet, with commas between.
            progress: Called with how many of how many tables are done; what it raises stops it.

        Returns:
            The paths by name.

        Raises:
            SynthError: They cannot be written; then none is there.
        """
        kinds = replica_formats(formats)
        return write_replicates(self.result, self.certificate, self.seeds, folder, kinds, progress)

    def __repr__(self) -> str:
        return f"Replicates({len(self)} tables of {self.result.synthetic.rows:,} rows)"


def replicates(bundle: str | Path, tables: int = 5) -> Replicates:
    """Tables like a release's own, from its bundle alone, after every check that `verify` makes.

    Each is made as the release was, from its noisy counts with noise of the same law once more:
    their spread tells of the noise, so that Rubin's rules for missing data hold roughly.

    Args:
        bundle: The zip file.
        tables: How many, from 2 to 100.

    Raises:
        ReleaseError: The bundle does not verify, or has no replicates.
        ArgumentError: That is no such number.

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
    return replicates_of(opened.result, sha256(opened.archive.path(CERTIFICATE)), tables)


def replicates_of(result: Result, certificate: str, tables: int) -> Replicates:
    """The same of a bundle that is open.

    Args:
        result: The release.
        certificate: The digest of the bundle's certificate, in hexadecimal digits.
        tables: How many, from 2 to 100.

    Raises:
        ReleaseError: It has no replicates.
        ArgumentError: That is no such number.
    """
    seeds = fresh_seeds(tables)
    check_replicable(result.plan, result.record)
    return Replicates(result, certificate, seeds)

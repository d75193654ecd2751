"""A release by a model whose rows are held in parts, in one process or in several. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from synth.bundle.file_names import CERTIFICATE, PARTS, PLAN, SYNTHETIC
from synth.bundle.result import Released, Result
from synth.bundle.typed_json import write
from synth.door import Ledger
from synth.errors import ReleaseError
from synth.estimate import LargeRows, MarginalsRecord, PartedRows
from synth.rows import decode, measured_laws
from synth.util import NOTHING_PROTECTED, Protection

if TYPE_CHECKING:
    from synth.rows import Pairs

_STORED_NOTE = "If you used a ledger, repeat the request: that spends nothing more."


@dataclass(frozen=True, eq=False, kw_only=True)
class PartedResult(Released):
    """A release by a model whose rows are held in parts.

    It has no scores, which need all rows.

    Attributes:
        record: The noisy counts, and the model's beliefs.
        drawn: The rows, in the processes that hold them.
        order: The pairs of columns with an order rule.
    """

    record: MarginalsRecord
    drawn: PartedRows = field(kw_only=True)
    order: "Pairs" = field(kw_only=True)

    @property
    def rows(self) -> int:
        """The number of synthetic rows."""
        return self.drawn.rows

    def join_parts(self) -> Result:
        """Return the release with its rows as one table; this process must hold them all.

        The rows are codes of cells. Their values are drawn from the public seed.
        """
        assert isinstance(self.drawn, LargeRows)  # this process holds all rows
        # One array for each column.
        columns = list(np.ascontiguousarray(self.drawn.codes))
        seed = int(self.certificate.drawing.seed)
        rows = decode(
            self.plan.domain,
            columns,
            seed=seed,
            order=self.order,
            laws=measured_laws(self.record),
        )
        return Result(
            plan=self.plan,
            record=self.record,
            certificate=self.certificate,
            entry=self.entry,
            repeated=self.repeated,
            synthetic=rows,
        )

    def write(
        self,
        folder: str | Path,
        tables: Sequence[str] = (SYNTHETIC,),
        ledger: Ledger | None = None,
        *,
        protection: Protection = NOTHING_PROTECTED,
    ) -> dict[str, Path]:
        """Write the release into a folder, whole or not at all.

        Args:
            folder: A new or empty folder that every process with rows can see, or one that
                holds this very release.
            tables: Names of the files of rows.
            ledger: It stores the digest of the certificate.
            protection: The files that are never written over.

        Returns:
            The path of each file, and of each folder of parts, by its name.

        Raises:
            SynthError: They can't be written; what was paid for is stored.
        """
        from synth.bundle.writer import keep_digest, whole_folder

        with whole_folder(folder, protection) as part:
            try:
                self._fill(part, tuple(tables))
            except (OSError, ReleaseError):
                raise ReleaseError(
                    f"Synth cannot write the rows to '{folder}'. Check the free space. "
                    f"{_STORED_NOTE}"
                ) from None
        paths = {path.name: path for path in sorted(Path(folder).iterdir())}
        keep_digest(paths[CERTIFICATE].read_bytes(), self.entry, ledger)
        return paths

    def _fill(self, folder: Path, names: tuple[str, ...]) -> None:
        """Write the parts and all other files into a folder, the certificate last.

        Args:
            folder: The empty folder.
            names: The names of the tables that are written.
        """
        from synth.bundle.pages import write_pages
        from synth.bundle.parted import PieceWriter, write_parts
        from synth.bundle.texts import json_bytes, write_texts
        from synth.bundle.writer import bytes_writers, counts_writers, write_files

        domain = self.plan.domain
        plan = self.plan.to_json()
        pieces = PieceWriter(
            domain=domain,
            seed=int(self.certificate.drawing.seed),
            order=self.order,
            folder=None,
            names=names,
            laws=measured_laws(self.record),
        )
        contents = {
            PARTS: json_bytes(write(write_parts(self.drawn, pieces, folder))),
            PLAN: json_bytes(plan),
            **write_texts(self.certificate, plan, domain),
            **write_pages(self.certificate, self.record, None),
        }
        writers = counts_writers(domain, self.record) | bytes_writers(contents)
        write_files(folder, writers, self.certificate)

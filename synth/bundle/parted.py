"""A release whose rows are held and written in parts. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from synth.bundle.archive import PLAN
from synth.bundle.parts import PARTS, PieceWriter, write_parts
from synth.bundle.result import Released, Result
from synth.bundle.texts import json_bytes, write_texts
from synth.bundle.typed_json import write
from synth.bundle.writer import (
    CERTIFICATE,
    SYNTHETIC,
    bytes_writers,
    counts_writers,
    keep_digest,
    whole_folder,
    write_files,
)
from synth.door import Ledger
from synth.errors import ReleaseError
from synth.estimate import LargeRows, MarginalsRecord, PartedRows
from synth.rows import Pairs, decode, value_laws

_STORED_NOTE = "If you used a ledger, repeat the request: that spends nothing more."


@dataclass(frozen=True, eq=False)
class PartedResult(Released):
    """A release by a model whose rows are held in parts. It has no scores, which need all rows.

    ``order`` are the pairs of columns with an order rule.
    """

    record: MarginalsRecord
    drawn: PartedRows = field(kw_only=True)
    order: Pairs = field(kw_only=True)

    @property
    def rows(self) -> int:
        return self.drawn.rows

    def join_parts(self) -> Result:
        """Return the release with its rows as one table, if this process holds them."""
        assert isinstance(self.drawn, LargeRows)
        columns = list(np.ascontiguousarray(self.drawn.codes))
        seed = int(self.certificate.drawing.seed)
        laws = value_laws(self.record)
        rows = decode(self.plan.domain, columns, seed=seed, order=self.order, laws=laws)
        made = (self.plan, self.record, self.certificate, self.entry, self.repeated)
        return Result(*made, synthetic=rows)

    def write(
        self, folder: str | Path, tables: Sequence[str] = (SYNTHETIC,), ledger: Ledger | None = None
    ) -> dict[str, Path]:
        """Write the folder, whole or not at all; return paths by name, folders of parts included.

        Args:
            folder: A new or empty folder that every process with rows can see.
            tables: Names of the files of rows.
            ledger: It stores the digest of the certificate.

        Raises:
            SynthError: They can't be written; what was paid for is stored.
        """
        try:
            with whole_folder(folder) as part:
                self._fill(part, tuple(tables))
        except (OSError, ReleaseError):
            raise ReleaseError(
                f"Synth cannot write the rows to '{folder}'. Check the free space. {_STORED_NOTE}"
            ) from None
        paths = {path.name: path for path in sorted(Path(folder).iterdir())}
        keep_digest(paths[CERTIFICATE].read_bytes(), self.entry, ledger)
        return paths

    def _fill(self, folder: Path, names: tuple[str, ...]) -> None:
        from synth.bundle.guide import guides  # its charts take a second

        domain, plan = self.plan.domain, self.plan.to_json()
        seed = int(self.certificate.drawing.seed)
        pieces = PieceWriter(domain, seed, self.order, None, names, value_laws(self.record))
        contents = {
            PARTS: json_bytes(write(write_parts(self.drawn, pieces, folder))),
            PLAN: json_bytes(plan),
            **write_texts(self.certificate, plan, domain),
            **guides(self.certificate, self.record),
        }
        writers = counts_writers(domain, self.record) | bytes_writers(contents)
        write_files(folder, writers, self.certificate)

"""A release as it was made. PUBLIC.

It comes from `synth.pipeline`, or out of a bundle that is opened again.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.bundle import folder
from synth.ledger import chain
from synth.ledger.entries import Entry
from synth.ledger.ledger import BUNDLED, Ledger
from synth.noisy.record import Record
from synth.plan import Plan
from synth.rows.draw import SyntheticTable


@dataclass(frozen=True, eq=False)
class Result:
    """A release: everything in it is PUBLIC.

    ``repeated`` says that the ledger kept it from before, so that nothing was spent.
    """

    plan: Plan
    record: Record
    synthetic: SyntheticTable
    certificate: dict[str, Any]
    entry: Entry | None = None
    repeated: bool = False

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The utility scores that were bought, as the certificate has them."""
        return list(self.certificate.get("scores", []))

    def write(
        self, directory: str | Path, output: folder.Output = folder.Output.CSV
    ) -> dict[str, Path]:
        """Write the synthetic table, noisy counts, domain and certificate.

        Raises:
            ReleaseError: A file cannot be written.
        """
        return folder.write(directory, self.synthetic, self.record, self.certificate, output)

    def write_archive(self, path: str | Path, ledger: Ledger | None = None) -> Path:
        """Write the bundle; the ledger of the release keeps the digest of its certificate.

        Raises:
            ReleaseError: It cannot be written.
            LedgerError: The ledger cannot be written.
        """
        from synth.bundle.archive import certificate_of, write_archive  # its charts take a second

        written = write_archive(
            path,
            plan=self.plan.to_json(),
            synthetic=self.synthetic,
            record=self.record,
            certificate=self.certificate,
        )
        if ledger is not None and ledger.path is not None and self.entry is not None:
            digest = chain.digest(certificate_of(written))
            ledger.keep(self.entry, f"{BUNDLED}{digest}", b"")
        return written

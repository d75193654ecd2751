"""``synth.dummy`` and ``synth.draw``: rows at no cost that are not a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.api.declaring import as_domain
from synth.api.frames import PREVIEW_ROWS, frame_of
from synth.api.option_names import FormatName
from synth.api.spending import input_paths, protect
from synth.bundle import (
    DrawnCertificate,
    DrawnRows,
    draw_dummy,
    draw_more,
    formats_named,
    request_rows,
)
from synth.rows import read_shares
from synth.util import FileOutput, check_types

if TYPE_CHECKING:
    import pandas as pd

    from synth.api.declaring import DomainLike


@dataclass(frozen=True, eq=False)
class DrawnTable:
    """A dummy, or rows of a release drawn again. Everything in it is public.

    Attributes:
        drawn: The rows in detail.
        inputs: The files of the call, which no output replaces.

    >>> import synth
    >>> made = synth.dummy(synth.Domain(sex=["f", "m"]), rows=100)
    >>> made, made.certificate.guarantee.epsilon
    (DrawnTable(100 rows: dummy), Fraction(0, 1))
    >>> made.table["sex"].value_counts().tolist()
    [50, 50]
    """

    drawn: DrawnRows
    inputs: tuple[Path, ...] = ()

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return the rows, with the declared types."""
        return frame_of(self.drawn.rows)

    @property
    def certificate(self) -> DrawnCertificate:
        """Return the origin of the rows, and how they were drawn."""
        return self.drawn.certificate

    @check_types
    def save(
        self,
        path: str | Path,
        formats: FormatName | Sequence[FormatName] = (),
        *,
        overwrite: bool = False,
    ) -> Path:
        """Write the rows, the certificate and the documentation as one zip.

        Args:
            path: The file, whose name ends with .zip. If it holds these very rows, it stays.
            formats: Formats of the rows in addition to CSV and Parquet: xlsx, sav, dta, xpt.
            overwrite: Whether to replace another file of this name. An input, such as the
                table or the ledger, is never replaced.

        Raises:
            SynthError: The file cannot be written, something else is there, or a format
                cannot hold the rows.

        >>> import synth, tempfile
        >>> made = synth.dummy(synth.Domain(sex=["f", "m"]), rows=100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     synth.verify(made.save(f"{folder}/dummy.zip")).confirmed[1].partition(":")[0]
        'It is a dummy'
        """
        kinds = formats_named(formats) if formats else ()
        output = FileOutput(path, (".zip",))
        protection = protect(self.inputs, overwrite=overwrite, output=output)
        return self.drawn.write_archive(path, kinds, protection)

    def __repr__(self) -> str:
        """Return the number of rows, and their origin."""
        return f"DrawnTable({self._in_words})"

    def _repr_html_(self) -> str:
        """Return the number of rows, their origin and the first rows, for a notebook."""
        head = self.table.head(PREVIEW_ROWS).to_html()
        return f"<p>Drawn table: {self._in_words}.</p>{head}"

    @property
    def _in_words(self) -> str:
        """The number of rows, and their origin."""
        origin = "of a release" if self.certificate.release else "dummy"
        return f"{self.drawn.rows.rows:,} rows: {origin}"


@check_types
def dummy(
    domain: DomainLike, rows: int, shares: Mapping[str, Mapping[str, Any]] | None = None
) -> DrawnTable:
    """Make a dummy table from the domain only, for writing code, at no cost.

    Args:
        domain: The declared columns, as in `synth.release`.
        rows: The number of rows.
        shares: By column, the share of rows in some cells; all others are equally likely.

    Raises:
        SynthError: An argument is refused; the message is one sentence.

    >>> import synth
    >>> domain = synth.Domain(key=synth.Identifier(pattern="P###"), sex=["f", "m"])
    >>> int(
    ...     synth.dummy(domain, rows=10, shares={"sex": {"f": "0.7"}})
    ...     .table["sex"]
    ...     .eq("f")
    ...     .sum()
    ... )
    7
    """
    dummy_rows = draw_dummy(as_domain(domain), rows, read_shares(shares or {}))
    return DrawnTable(dummy_rows, input_paths(domain))


@check_types
def draw(
    bundle: str | Path,
    rows: int,
    where: str = "",
    *,
    shares: Mapping[str, Mapping[str, Any]] | None = None,
) -> DrawnTable:
    """Draw rows of a release again, under a condition or with set shares, at no cost.

    Args:
        bundle: The bundle of the release.
        rows: The number of rows.
        where: A condition for all rows, such as "region = north"; it may cut no cell.
        shares: For one column, the share of rows in some cells.

    Raises:
        SynthError: An argument is refused; the message is one sentence.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = made.save(f"{folder}/r.zip")
    ...     synth.draw(path, rows=5, where="sex = f").table["sex"].tolist()
    ['f', 'f', 'f', 'f', 'f']
    """
    from synth.verification import open_bundle  # its charts take a second

    set_shares = read_shares(shares or {})
    opened = open_bundle(bundle)
    domain = opened.result.plan.domain
    request = request_rows(domain, rows, where=where, shares=set_shares)
    more_rows = draw_more(opened.result, opened.archive.digest, request)
    return DrawnTable(more_rows, input_paths(bundle))

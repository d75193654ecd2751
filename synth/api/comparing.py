"""``synth.compare``: the private error of a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.api.releasing import Release, open_bundle
from synth.errors import ArgumentError
from synth.private.comparison import (
    Compared,
    Slopes,
    compare_derived,
    compare_tables,
    measure_associations,
    slopes,
)
from synth.private.table import TableLike, open_any

if TYPE_CHECKING:
    import pandas as pd

BADGE = "PRIVATE - do not share"


@dataclass(frozen=True, eq=False)
class ReleaseComparison:
    """The error of a release against its table. PRIVATE: these numbers have no noise.

    Attributes:
        seen: The comparison in detail.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> seen = synth.compare(frame, synth.release(frame, {"sex": ["f", "m"]}))
    >>> seen.table.columns.tolist()
    ['columns', 'error', 'chance']
    >>> 0 <= seen.columns < 0.1, seen.pairs, len(seen.derived)
    (True, 0.0, 0)
    >>> seen.slopes.association is None  # one column has no links
    True
    """

    seen: Compared

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return the error of each column and pair, largest first.

        The column "chance" holds the error of a random sample of the same people.
        """
        import pandas as pd

        lines = [
            (" x ".join(names), error, chance)
            for names, error, chance in self.seen.errors.by_table
        ]
        return pd.DataFrame(lines, columns=["columns", "error", "chance"])

    @property
    def columns(self) -> float:
        """Return the mean total variation of the columns: the share of rows to change."""
        return self.seen.errors.one_way.mean

    @property
    def pairs(self) -> float:
        """Return the mean total variation of the pairs of columns."""
        return self.seen.errors.two_way.mean

    @cached_property
    def slopes(self) -> Slopes:
        """Return the strength of associations, as a share of the real ones."""
        return slopes(measure_associations(self.seen).values())

    @cached_property
    def derived(self) -> pd.DataFrame:
        """Return the error of each derived column, and how many real rows break its rule."""
        import pandas as pd

        lines = [
            (column.name, column.error, column.disagreeing, column.rows, column.rule)
            for column in compare_derived(self.seen)
        ]
        return pd.DataFrame(lines, columns=["column", "error", "disagreeing", "rows", "rule"])

    def __repr__(self) -> str:
        """Return both errors, with a warning that they are private."""
        return (
            f"ReleaseComparison({BADGE}: columns {self.columns:.4f}, pairs {self.pairs:.4f})"
        )

    def _repr_html_(self) -> str:
        """Return the errors as a table below the warning, for a notebook."""
        return f"<p><b>{BADGE}.</b></p>{self.table.to_html(index=False)}"


def compare(data: TableLike, release: Release | str | Path) -> ReleaseComparison:
    """Compare a release with its confidential table. PRIVATE: only you may see the result.

    Args:
        data: The confidential table, as in `synth.release`.
        release: The result of `synth.release`, or the path of its bundle.

    Raises:
        SynthError: With one sentence.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> seen = synth.compare(frame, synth.release(frame, {"sex": ["f", "m"]}))
    >>> seen.columns < 0.1
    True
    """
    opened: Any = open_bundle(release) if isinstance(release, str | Path) else release
    if not isinstance(opened, Release):
        raise ArgumentError(
            "compare needs the table and its release: the result of synth.release, or the "
            f"path of a bundle. This is a {type(opened).__name__}."
        )
    plan = opened.result.plan
    table = open_any(data, (*plan.domain.names, plan.unit.person))
    return ReleaseComparison(compare_tables(table, opened.result))

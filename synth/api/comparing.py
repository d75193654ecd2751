"""``synth.compare``: the private error of a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.api.releasing import Release, open_bundle
from synth.errors import ArgumentError
from synth.private.comparison import Compared, Findings, Slopes, Verdict, compare_tables
from synth.private.table import TableLike, open_any

if TYPE_CHECKING:
    import pandas as pd

BADGE = "PRIVATE - do not share"


# Columns drawn in a notebook, the worst ones.
_COLUMNS_DRAWN = 12


@dataclass(frozen=True, eq=False)
class ReleaseComparison:
    """The error of a release against its table. PRIVATE: these numbers have no noise.

    Attributes:
        seen: The comparison in detail.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> seen = synth.compare(frame, synth.release(frame, {"sex": ["f", "m"]}, epsilon=1))
    >>> seen.verdict.sentence
    'Single columns: good.'
    >>> seen.by_value.columns.tolist()[:3]
    ['column', 'error', 'chance']
    >>> seen.table.columns.tolist()
    ['columns', 'error', 'chance']
    >>> seen.columns == seen.columns_in_cells  # the cells of a list are its values
    True
    >>> 0 <= seen.columns < 0.1, seen.pairs, len(seen.derived)
    (True, 0.0, 0)
    >>> seen.slopes.association is None  # one column has no links
    True
    """

    seen: Compared

    @cached_property
    def _findings(self) -> Findings:
        return Findings(self.seen)

    @property
    def verdict(self) -> Verdict:
        """Return how good the release is, in words (`sentence`, `reasons`) and counts."""
        return self._findings.verdict

    @cached_property
    def by_value(self) -> pd.DataFrame:
        """Return the columns compared value by value, the worst first.

        "error" counts each value, "error in cells" counts numbers and dates in their bins.
        "new values" is the number of synthetic rows with a value that no real row has. The
        columns "chance" and "new by chance" say the same of a second sample of the people.
        """
        return self._findings.tabulate_values()

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return the error of each column and pair in cells, largest first.

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
        """Return the mean error of the columns by value: the share of rows to change."""
        return self._findings.values.mean

    @property
    def columns_in_cells(self) -> float:
        """Return the mean total variation of the columns, numbers and dates in their bins."""
        return self.seen.errors.one_way.mean

    @property
    def pairs(self) -> float:
        """Return the mean total variation of the pairs of columns, in cells."""
        return self.seen.errors.two_way.mean

    @property
    def slopes(self) -> Slopes:
        """Return the strength of associations, as a share of the real ones."""
        return self._findings.slopes

    @cached_property
    def derived(self) -> pd.DataFrame:
        """Return the error of each derived column, and how many real rows break its rule."""
        import pandas as pd

        lines = [
            (column.name, column.error, column.disagreeing, column.rows, column.rule)
            for column in self._findings.derived_columns
        ]
        return pd.DataFrame(lines, columns=["column", "error", "disagreeing", "rows", "rule"])

    def __repr__(self) -> str:
        """Return both errors, with a warning that they are private."""
        return (
            f"ReleaseComparison({BADGE}: columns {self.columns:.4f}, pairs {self.pairs:.4f})"
        )

    def _repr_html_(self) -> str:
        """Return the verdict, the worst columns as pictures and all errors, as HTML."""
        findings = self._findings
        sentences = " ".join((findings.verdict.sentence, *findings.verdict.reasons))
        worst = findings.values.worst_first[:_COLUMNS_DRAWN]
        return (
            f"<p><b>{BADGE}.</b> {escape(sentences)}</p>{findings.draw_columns(worst).html}"
            f"{self.by_value.to_html(index=False)}{self.table.to_html(index=False)}"
        )


def compare(data: TableLike, release: Release | str | Path) -> ReleaseComparison:
    """Compare a release with its confidential table. PRIVATE: only you may see the result.

    Args:
        data: The confidential table, as in `synth.release`.
        release: The result of `synth.release`, or the path of its bundle.

    Raises:
        SynthError: An argument is refused; the message is one sentence.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> seen = synth.compare(frame, synth.release(frame, {"sex": ["f", "m"]}, epsilon=1))
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

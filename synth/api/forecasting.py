"""``synth.forecast`` and ``synth.verify``: what needs no confidential row."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth import limits
from synth.api.spending import Amount, as_domain
from synth.door import Ledger
from synth.estimate import RECIPES, relations_sentence
from synth.forecasts import Change, Outlook, Range, outlook, outlooks, rank_changes
from synth.plans import Plan, read_arguments
from synth.privacy import Unit, plain
from synth.util import check_whole, in_range

if TYPE_CHECKING:
    import pandas as pd

    from synth.private.table import TableSource
    from synth.verification import Verified


@dataclass(frozen=True, eq=False)
class ReleaseForecast:
    """What a release is likely to be worth, from public numbers alone.

    Attributes:
        plan: What would be released.
        rows: About how many rows the table has.
        expected: What the method that is followed is likely to do.

    >>> import synth
    >>> expected = synth.forecast(synth.Domain(sex=["f", "m"]), epsilon=1, rows=1000)
    >>> expected.columns < 0.1, expected.pairs < 0.1
    (True, True)
    >>> expected.method in set(expected.table["method"]), expected.relations, expected.moments
    (True, '', {})
    >>> low, high = expected.intervals["columns"]
    >>> low <= expected.columns <= high, expected.relations
    (True, '')
    """

    plan: Plan
    rows: int
    expected: Outlook

    @property
    def method(self) -> str:
        """The method that would be followed."""
        return str(self.expected.method)

    @property
    def columns(self) -> float:
        """Expected share of rows in the wrong place of a column: the middle of its interval."""
        return self.expected.columns.likely

    @property
    def pairs(self) -> float:
        """The same of a pair of columns, if columns have the usual in common."""
        return self.expected.pairs.likely

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Where four of five releases are, of columns and of pairs."""
        found = {"columns": self.expected.columns, "pairs": self.expected.pairs}
        return {what: (ends.low, ends.high) for what, ends in found.items()}

    @property
    def relations(self) -> str:
        """Say that no relation between columns would be kept; empty where some would be."""
        lost = relations_sentence(0, len(self.plan.domain.columns))
        return "" if RECIPES[self.method].has_relations else lost

    @property
    def changes(self) -> list[Change]:
        """What would make pairs truer, the most helpful first; none where some are measured.

        >>> import synth
        >>> domain = synth.Domain({name: ["f", "m", "x"] for name in "abcdefghijklmno"})
        >>> for one in synth.forecast(domain, epsilon=1, rows=900).changes[:2]:
        ...     print(one.option, one.value)
        delta 1e-9
        columns j,k,l,m,n,o
        """
        return rank_changes(self.plan, self.rows)

    @property
    def moments(self) -> dict[str, float]:
        """Expected errors of means and mean products by the noise on sums (docs/moments.md)."""
        return {one.what: one.error for one in self.expected.moments}

    @property
    def table(self) -> "pd.DataFrame":
        """The same of every method that could be chosen instead."""
        import pandas as pd

        found = outlooks(self.plan, self.rows)
        lines = [(str(one.method), *one.columns, *one.pairs, one.seconds) for one in found]
        ends = [f"{what}{end}" for what in ("columns", "pairs") for end in ("_low", "", "_high")]
        names = ["method", *ends, "seconds"]
        return pd.DataFrame(lines, columns=names)

    def __repr__(self) -> str:
        return (
            f"ReleaseForecast(epsilon {plain(self.plan.epsilon)}, {self.rows:,} rows, "
            f"{self.method}: columns {_span(self.expected.columns)}, pairs "
            f"{_span(self.expected.pairs)} in four of five releases)"
        )

    def _repr_html_(self) -> str:
        said = [self.relations, *(f"{one.sentence} {one.expected}" for one in self.changes)]
        told = "".join(f"<p>{html.escape(one)}</p>" for one in said if one)
        return told + self.table.to_html(index=False)


def _span(found: Range) -> str:
    return f"{found.low:.4f} to {found.high:.4f}"


def forecast(
    domain: Any,
    epsilon: Amount = "1",
    *,
    rows: int,
    delta: Amount = 0,
    method: str = "auto",
    neighbors: str = "replace-one",
    person: str = "",
    max_rows: int = 1,
    moments: str | Sequence[str] = "auto",
) -> ReleaseForecast:
    """Say what a release would be worth, before anything is spent or read.

    Args:
        domain: What columns may hold, as in `synth.release`.
        epsilon: The budget, as in `synth.release`.
        rows: About how many rows the table has.
        delta, method, neighbors, person, max_rows, moments: As in `synth.release`.

    Raises:
        SynthError: With one sentence.

    >>> import synth
    >>> domain = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
    >>> synth.forecast(domain, epsilon=1, rows=1000).method
    'dense'
    """
    check_whole(1, rows=rows)
    in_range(1, limits.ROWS_MAX, rows=rows)
    said: dict[str, Any] = {"epsilon": epsilon, "neighbors": neighbors, "method": method}
    said |= {"delta": delta, "moments": moments}
    plan = Plan(as_domain(domain), unit=Unit(person, max_rows), **read_arguments(said))
    plan.check_size()
    return ReleaseForecast(plan, int(rows), outlook(plan, int(rows)))


def verify(
    path: str | Path,
    ledger: Ledger | str | Path | None = None,
    public: "TableSource | None" = None,
    *,
    redraw: bool = False,
    release: str | Path | None = None,
) -> "Verified":
    """Check a bundle, or answers: files, certificate and what it claims.

    Args:
        path: The zip file, or the folder of answers.
        ledger: The ledger it should be recorded in.
        public: The public table that was the guess, where it is at hand.
        redraw: Whether to draw the rows of a model again, which takes as long as at first;
            those of a histogram always are.
        release: The bundle of the release that rows were drawn from, where it is at hand.

    Returns:
        With ``checks``, a sentence each.

    Raises:
        SynthError: With the first thing that does not hold.

    >>> import pandas as pd, synth, tempfile
    >>> made = synth.release(pd.DataFrame({"sex": ["f", "m"] * 500}), {"sex": ["f", "m"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(synth.verify(made.save(f"{folder}/r.zip")).checks) > 3
    True
    """
    from synth.spending import public_reader
    from synth.verification import verify as check  # its charts take a second

    book = Ledger(ledger, readonly=True) if isinstance(ledger, str | Path) else ledger
    return check(path, book, public_reader(public), redraw=redraw, release=release)

"""``synth.forecast`` and ``synth.verify``: functions that need no confidential row."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth import limits
from synth.api.declaring import as_domain
from synth.api.option_names import MethodName, NeighborsName
from synth.api.spending import Amount, LedgerChoice
from synth.door import Ledger
from synth.forecasts import (
    Change,
    Outlook,
    Range,
    expected_relations,
    explain_lists,
    outlook,
    outlooks,
    rank_changes,
)
from synth.plans import Plan, read_arguments
from synth.privacy import Unit, name_cost
from synth.util import check_types, check_whole, in_range

if TYPE_CHECKING:
    import pandas as pd

    from synth.api.declaring import DomainLike
    from synth.private.table import TableLike
    from synth.verification import Verified


@dataclass(frozen=True, eq=False)
class ReleaseForecast:
    """The expected error of a release, from public numbers only.

    Attributes:
        plan: The planned release.
        rows: The rough number of rows.
        expected: The outlook of the method that Synth would use.

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
        """Return the method that Synth would use."""
        return str(self.expected.method)

    @property
    def columns(self) -> float:
        """Return the expected total variation of a column: the share of rows to change."""
        return self.expected.columns.likely

    @property
    def pairs(self) -> float:
        """Return the expected total variation of a pair of columns.

        It is for associations of the usual strength.
        """
        return self.expected.pairs.likely

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return the 80 % intervals of both errors, by "columns" and "pairs"."""
        errors = {"columns": self.expected.columns, "pairs": self.expected.pairs}
        return {name: (error.low, error.high) for name, error in errors.items()}

    @property
    def relations(self) -> str:
        """Return the sentence that the release would keep no relation between columns.

        It is empty if the release keeps some.
        """
        # The second sentence, that some relations are kept, is not shown here.
        lost, _kept = expected_relations(self.plan, self.method, self.rows)
        return lost

    @property
    def lists(self) -> str:
        """Return the sentence that long lists make the intervals wide.

        It is empty if no column is a long list.

        >>> import synth
        >>> codes = synth.Domain(code=[str(number) for number in range(900)])
        >>> "how evenly rows spread" in synth.forecast(codes, epsilon=1, rows=5000).lists
        True
        """
        return explain_lists(self.plan.domain)

    @property
    def changes(self) -> list[Change]:
        """Return changes of options that keep relations, best first.

        Each has the options to change with their new values. There are none if the planned
        release keeps relations already.

        >>> import synth
        >>> domain = synth.Domain({name: ["f", "m", "x"] for name in "abcdefghijklmno"})
        >>> for change in synth.forecast(domain, epsilon=1, rows=900).changes[:2]:
        ...     print(change.options, change.measured)
        {'delta': '1e-9', 'epsilon': '2'} 16
        {'columns': 'j,k,l,m,n,o'} 15
        """
        return rank_changes(self.plan, self.rows)

    @property
    def moments(self) -> dict[str, float]:
        """Return the average errors of means and mean products (docs/how-to/moments.md)."""
        return {moment.what: moment.error for moment in self.expected.moments}

    @property
    def table(self) -> pd.DataFrame:
        """Return the forecast of every method that you could choose, one a line.

        Errors of columns and of pairs are total variations: the likely one between the ends
        of its 80 % interval. The last column is the expected time in seconds.
        """
        import pandas as pd

        lines = [
            (str(method.method), *method.columns, *method.pairs, method.seconds)
            for method in outlooks(self.plan, self.rows)
        ]
        columns = ["columns_low", "columns", "columns_high"]
        pairs = ["pairs_low", "pairs", "pairs_high"]
        return pd.DataFrame(lines, columns=["method", *columns, *pairs, "seconds"])

    def __repr__(self) -> str:
        """Return the cost, the method and the ranges of both errors."""
        return (
            f"ReleaseForecast({name_cost(self.plan.guarantee(self.plan.epsilon))}, "
            f"{self.rows:,} rows, {self.method}: columns {_span(self.expected.columns)}, "
            f"pairs {_span(self.expected.pairs)} in four of five releases)"
        )

    def _repr_html_(self) -> str:
        """Return lost relations, helpful changes and the table of methods, for a notebook."""
        sentences = [*expected_relations(self.plan, self.method, self.rows), self.lists]
        sentences += [
            f"{change.sentence} {change.relations} {change.expected}"
            for change in self.changes
        ]
        paragraphs = [f"<p>{html.escape(sentence)}</p>" for sentence in sentences if sentence]
        return "".join(paragraphs) + self.table.to_html(index=False)


def _span(error: Range) -> str:
    return f"{error.low:.4f} to {error.high:.4f}"


@check_types
def forecast(  # noqa: PLR0913 - public: each option by name
    domain: DomainLike,
    epsilon: Amount,
    *,
    rows: int,
    delta: Amount = 0,
    method: MethodName = "auto",
    neighbors: NeighborsName = "replace-one",
    neighbours: NeighborsName | None = None,
    person: str = "",
    max_rows: int = 1,
    moments: str | Sequence[str] = "auto",
) -> ReleaseForecast:
    """Forecast the error of a release, at no cost and without the table.

    Args:
        domain: The declared columns, as in `synth.release`.
        epsilon: The budget, as in `synth.release`.
        rows: The rough number of rows.
        delta: Above 0 for a weaker guarantee and less noise.
        method: The method; "auto" chooses it by public numbers.
        neighbors: "replace-one" or "add-remove", as in `synth.release`.
        neighbours: Another spelling of ``neighbors``.
        person: The column that identifies persons.
        max_rows: The number of rows of one person that count.
        moments: Measured sums of numbers, as in `synth.release`.

    Raises:
        SynthError: An argument is refused; the message is one sentence.

    >>> import synth
    >>> domain = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
    >>> synth.forecast(domain, epsilon=1, rows=1000).method
    'dense'
    """
    check_whole(1, rows=rows)
    in_range(1, limits.ROWS_MAX, rows=rows)
    arguments: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "neighbors": neighbors,
        "method": method,
        "moments": moments,
    }
    plan = Plan(
        domain=as_domain(domain), unit=Unit(person, max_rows), **read_arguments(arguments)
    )
    plan.check_size()
    return ReleaseForecast(plan, int(rows), outlook(plan, int(rows)))


@check_types
def verify(
    path: str | Path,
    ledger: LedgerChoice = None,
    public: TableLike | None = None,
    *,
    quick: bool = False,
    release: str | Path | None = None,
) -> Verified:
    """Check the files, the certificate and the claims of a bundle or of answers.

    Args:
        path: The zip file, or the folder of a release, of answers or of parts.
        ledger: The ledger that should record it, or its path; None for that of this machine,
            if it knows the bundle; False for none.
        public: The public table that was the guess, if you have it.
        quick: Whether rows of a model are not drawn again, which takes as long as the
            release. Rows of a histogram are always drawn again.
        release: The bundle of the release from which rows were drawn, if you have it.

    Returns:
        An object with ``checks``, one sentence per check, and ``open_parts``, the parts of
        the certificate that were neither computed again nor compared with the ledger, with
        the reason.

    Raises:
        SynthError: With the first failed check; a `NotBundleError` if there is nothing to
            check.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(synth.verify(made.save(f"{folder}/r.zip")).checks) > 3
    True
    """
    from synth.spending import public_reader
    from synth.verification import verify as check  # its charts take a second

    book = Ledger(ledger, readonly=True) if isinstance(ledger, str | Path) else ledger
    return check(
        path,
        book or None,
        public_reader(public),
        redraw=not quick,
        release=release,
        or_own=ledger is None,
    )

"""A domain drafted through the one door: `draft`. DOOR.

>>> from synth.lessons.survey import write_example
>>> from synth.privacy.guarantee import Guarantee
>>> from tempfile import TemporaryDirectory
>>> request = DraftRequest(columns=("age", "sex"), guarantee=Guarantee.pure(2))
>>> with TemporaryDirectory() as folder:
...     drafted = draft_domain(request, write_example(folder)[0])
>>> [column.name for column in drafted.settled]
['age', 'sex']
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from synth.door import Door, Ledger, Query, keep_preparation, note_standing
from synth.drafting import (
    AxisColumn,
    DraftColumn,
    Drafted,
    DraftRequest,
    Finding,
    NoKind,
    Seen,
    Shapes,
    TextColumn,
    find,
    missing_found,
    nearly_all_differ,
    open_column,
    settle_axis,
    settle_list,
)
from synth.noise import DiscreteLaplace
from synth.plans import ALONE
from synth.privacy import Guarantee
from synth.private.counting import ListCoding, Scan, ShapeCoding, StepCoding
from synth.private.queries import column_cells, covered_rows, distinct_values, listed_values
from synth.private.table import PrivateTable, open_table
from synth.spending.purchase import Progress, Purchase, SpendSetting
from synth.util import Ints

# The stages of `draft`; the budget is spent after counting.
DRAFT_STAGES = ("Counting cells by shape", "Looking for bounds and values")


@note_standing("the same call")
def draft_domain(
    request: DraftRequest,
    source: str | Path | PrivateTable,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> Drafted:
    """Draft a domain: count, spend, draw noise, decide; and once more for bounds and values.

    Arguments are those of `synth.spending.asking.ask`.

    Raises:
        SynthError: With one sentence; before the noise nothing was spent.
    """
    table = source if isinstance(source, PrivateTable) else open_table(source)
    for name in request.columns:
        table.position(name)
    purchase = Purchase.begin(
        request,
        {ALONE: table},
        setting=SpendSetting(ledger=ledger, progress=progress),
        stages=DRAFT_STAGES,
    )
    work = DraftWork(request, Scan(table, request.columns, request.unit))
    shapes, _ = purchase.count(work.shapes, lambda counted: counted[1])
    column_count = len(request.columns)
    noun = "column" if column_count == 1 else "columns"
    door = purchase.open_door(request.guarantee, f"draft of {column_count:,} {noun}")
    findings, missing = work.findings(door, shapes)
    with purchase.watch.watch():
        columns = work.settle(door, findings)
    drafted = Drafted(
        request=request,
        columns=columns,
        missing=missing,
        entry=door.entry.hash,
        number=door.entry.number,
        repeated=door.repeated,
    )
    keep_preparation(purchase.ledger, door.entry, drafted.preparation)
    return drafted


@dataclass(frozen=True)
class DraftWork:
    """The parts of one draft. It holds exact numbers, which leave only by the door.

    Attributes:
        request: The columns to draft, and the guarantee.
        scan: The passes over the rows.
    """

    request: DraftRequest
    scan: Scan

    def shapes(self) -> tuple[dict[str, Ints], int]:
        """Return exact rows by shape of each column, and all rows."""
        codings = {name: ShapeCoding(self._shapes_of(name)) for name in self.request.columns}
        tallies, damaged = self.scan.tallies_and_damaged(codings)
        rows = int(tallies[self.request.columns[0]].sum())
        return tallies, rows + (0 if self.request.unit.person else damaged)

    def findings(
        self, door: Door, exact: Mapping[str, Ints]
    ) -> tuple[dict[str, Finding], tuple[str, ...]]:
        """Return each column's type by its noisy shapes, and the spellings of missing values.

        Args:
            exact: Exact rows by shape of each column.
        """
        cost = self.request.costs.shapes
        scale = float(self.request.scale(cost))
        findings: dict[str, Finding] = {}
        missing: dict[str, None] = {}
        for name in self.request.columns:
            shapes = self._shapes_of(name)
            noisy = self._cells(door, name, exact[name], about=shapes.listed, cost=cost)
            findings[name] = find(shapes, noisy, scale)
            missing |= dict.fromkeys(missing_found(shapes, noisy, scale))
        return findings, tuple(missing)

    def settle(self, door: Door, findings: Mapping[str, Finding]) -> tuple[DraftColumn, ...]:
        """Decide each column, after a closer look if that helps."""
        axes = {
            name: finding
            for name, finding in findings.items()
            if isinstance(finding, AxisColumn)
        }
        steps = self.scan.tallies(
            {name: StepCoding(axis.cuts) for name, axis in axes.items()}
        )
        numeric_names = [
            name for name, axis in axes.items() if axis.cuts.step and not axis.cuts.format
        ]
        distinct = self.scan.distinct(numeric_names)
        settled = self._values(door, findings)
        for name, axis in axes.items():
            settled[name] = self._axis(
                door, name, axis, exact=steps[name], distinct=distinct.get(name)
            )
        for name, finding in findings.items():
            if isinstance(finding, NoKind):
                settled[name] = open_column(name, finding.reason)
        return tuple(settled[name] for name in self.request.columns)

    def _axis(
        self, door: Door, name: str, axis: AxisColumn, *, exact: Ints, distinct: int | None
    ) -> DraftColumn:
        """Decide the bounds of a column of numbers or dates, unless it looks like a key."""
        cost = self.request.costs.steps
        cuts = axis.cuts
        about = [*map(str, cuts.cuts), cuts.format, *map(str, cuts.apart)]
        noisy = self._cells(door, name, exact, about=about, cost=cost)
        if distinct is not None:
            query = distinct_values(
                name, distinct, self.request.unit, neighbors=self.request.neighbors
            )
            if nearly_all_differ(axis, self._number(door, query)):
                return open_column(name, "nearly every row has a number of its own: a key")
        return settle_axis(name, axis, Seen(noisy, float(self.request.scale(cost))))

    def _values(self, door: Door, findings: Mapping[str, Finding]) -> dict[str, DraftColumn]:
        """Decide columns of texts: by a list of candidates, or by what enough rows have."""
        texts = {
            name: finding
            for name, finding in findings.items()
            if isinstance(finding, TextColumn)
        }
        chosen = {name: text.listed for name, text in texts.items() if text.listed}
        unlisted_names = [name for name in texts if name not in chosen]
        cost = self.request.costs.values
        if cost is not None:
            for name, values in self.scan.values(unlisted_names).items():
                query = listed_values(
                    name, values, self.request.unit, neighbors=self.request.neighbors
                )
                chosen[name] = door.select(query, cost)
        codings = {name: ListCoding(values) for name, values in chosen.items() if values}
        covered = self.scan.tallies(codings)
        return {
            name: self._list(
                door,
                name,
                chosen.get(name),
                covered=covered.get(name),
                rows=text.rows,
            )
            for name, text in texts.items()
        }

    def _list(
        self,
        door: Door,
        name: str,
        values: tuple[str, ...] | None,
        *,
        covered: Ints | None,
        rows: int,
    ) -> DraftColumn:
        """Decide a column of texts.

        Args:
            values: The values that it may have; None if none could be chosen.
            covered: Exact rows by these values, and by none of them.
            rows: The noisy number of rows with texts.
        """
        if values is None:
            return open_column(
                name, "its values are on no list of candidates, and no delta was given"
            )
        if covered is None:
            return settle_list(name, (), 0)
        request = self.request
        query = covered_rows(
            name, covered, values, unit=request.unit, neighbors=request.neighbors
        )
        return settle_list(name, values, self._number(door, query) / max(rows, 1))

    def _cells(
        self, door: Door, name: str, exact: Ints, *, about: Sequence[str], cost: Guarantee
    ) -> Ints:
        """Return noisy counts of a column's cells."""
        request = self.request
        query = column_cells(
            name, exact, about, unit=request.unit, neighbors=request.neighbors
        )
        return door.measure(query, DiscreteLaplace(self.request.scale(cost))).values

    def _number(self, door: Door, query: Query) -> int:
        return int(door.measure(query, DiscreteLaplace(self.request.number_scale)).values[0])

    def _shapes_of(self, name: str) -> Shapes:
        return Shapes(self.request.candidates.list_values(name))

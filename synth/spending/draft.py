"""A domain drafted through the one door: `draft`. DOOR.

>>> from synth.lessons.survey import write_example
>>> from synth.privacy.guarantee import Guarantee
>>> from tempfile import TemporaryDirectory
>>> request = DraftRequest(columns=("age", "sex"), guarantee=Guarantee.pure(2))
>>> with TemporaryDirectory() as folder:
...     drafted = draft_domain(request, write_example(folder)[0])
>>> [one.name for one in drafted.settled]
['age', 'sex']
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from synth.door import Door, Ledger, Query, keep_preparation, note_standing
from synth.estimate import (
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
from synth.spending.purchase import Progress, Purchase
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
    purchase = Purchase.begin(request, {ALONE: table}, ledger, progress, stages=DRAFT_STAGES)
    work = DraftWork(request, Scan(table, request.columns, request.unit))
    shapes, _ = purchase.count(work.shapes, lambda found: found[1])
    many = len(request.columns)
    door = purchase.open_door(
        request.guarantee, f"draft of {many:,} column{'s' * (many != 1)}"
    )
    found, missing = work.findings(door, shapes)
    with purchase.watch.watch():
        columns = work.settle(door, found)
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
    """The parts of one draft. It holds exact numbers, which leave only by the door."""

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
        """Return each column's type by its noisy shapes, and the spellings of missing
        values.
        """
        cost = self.request.costs.shapes
        scale = float(self.request.scale(cost))
        found: dict[str, Finding] = {}
        missing: dict[str, None] = {}
        for name in self.request.columns:
            shapes = self._shapes_of(name)
            noisy = self._cells(door, name, exact[name], shapes.listed, cost)
            found[name] = find(shapes, noisy, scale)
            missing |= dict.fromkeys(missing_found(shapes, noisy, scale))
        return found, tuple(missing)

    def settle(self, door: Door, found: Mapping[str, Finding]) -> tuple[DraftColumn, ...]:
        """Decide each column, after a closer look if that helps."""
        axes = {n: f for n, f in found.items() if isinstance(f, AxisColumn)}
        steps = self.scan.tallies({n: StepCoding(f.cuts) for n, f in axes.items()})
        numbers = [n for n, f in axes.items() if f.cuts.step and not f.cuts.format]
        distinct = self.scan.distinct(numbers)
        settled = self._values(door, found)
        for name, axis in axes.items():
            settled[name] = self._axis(
                door, name, axis, exact=steps[name], distinct=distinct.get(name)
            )
        for name, one in found.items():
            if isinstance(one, NoKind):
                settled[name] = open_column(name, one.reason)
        return tuple(settled[name] for name in self.request.columns)

    def _axis(
        self, door: Door, name: str, found: AxisColumn, *, exact: Ints, distinct: int | None
    ) -> DraftColumn:
        cost = self.request.costs.steps
        about = [*map(str, found.cuts.cuts), found.cuts.format, *map(str, found.cuts.apart)]
        noisy = self._cells(door, name, exact, about, cost)
        if distinct is not None:
            query = distinct_values(
                name, distinct, self.request.unit, neighbors=self.request.neighbors
            )
            if nearly_all_differ(found, self._number(door, query)):
                return open_column(name, "nearly every row has a number of its own: a key")
        return settle_axis(name, found, Seen(noisy, float(self.request.scale(cost))))

    def _values(self, door: Door, found: Mapping[str, Finding]) -> dict[str, DraftColumn]:
        # By listed values, or by values that enough rows have.
        texts = {n: f for n, f in found.items() if isinstance(f, TextColumn)}
        chosen = {n: f.listed for n, f in texts.items() if f.listed}
        others = [n for n in texts if n not in chosen]
        cost = self.request.costs.values
        if cost is not None:
            for name, values in self.scan.values(others).items():
                query = listed_values(
                    name, values, self.request.unit, neighbors=self.request.neighbors
                )
                chosen[name] = door.select(query, cost)
        codings = {n: ListCoding(listed) for n, listed in chosen.items() if listed}
        covered = self.scan.tallies(codings)
        return {
            name: self._list(door, name, chosen.get(name), covered.get(name), one.rows)
            for name, one in texts.items()
        }

    def _list(
        self,
        door: Door,
        name: str,
        listed: tuple[str, ...] | None,
        covered: Ints | None,
        rows: int,
    ) -> DraftColumn:
        if listed is None:
            return open_column(
                name, "its values are on no list of candidates, and no delta was given"
            )
        if covered is None:
            return settle_list(name, (), 0)
        unit, neighbors = self.request.unit, self.request.neighbors
        query = covered_rows(name, covered, listed, unit=unit, neighbors=neighbors)
        return settle_list(name, listed, self._number(door, query) / max(rows, 1))

    def _cells(
        self, door: Door, name: str, exact: Ints, about: Sequence[str], cost: Guarantee
    ) -> Ints:
        unit, neighbors = self.request.unit, self.request.neighbors
        query = column_cells(name, exact, about, unit=unit, neighbors=neighbors)
        return door.measure(query, DiscreteLaplace(self.request.scale(cost))).values

    def _number(self, door: Door, query: Query) -> int:
        return int(door.measure(query, DiscreteLaplace(self.request.number_scale)).values[0])

    def _shapes_of(self, name: str) -> Shapes:
        return Shapes(self.request.candidates.list_values(name))

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
from typing import NamedTuple

from synth.door import Door, Ledger, Query, keep_preparation, note_standing
from synth.drafting import (
    AxisColumn,
    DraftColumn,
    Drafted,
    DraftRequest,
    Finding,
    Hopes,
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
from synth.errors import TableError
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


@note_standing("the same call")  # errors then say what was spent
def draft_domain(
    request: DraftRequest,
    source: str | Path | PrivateTable,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    few_rows: str = "",
) -> Drafted:
    """Draft a domain with a guarantee: count, spend, draw noise, decide.

    A first pass over the rows decides the types of columns. A second pass decides bounds and
    values.

    Args:
        request: The columns to draft, and the guarantee.
        source: The confidential table, or the path of its file.
        ledger: It records the spend; None for one in memory only.
        progress: Called with the name of each stage as it starts; None for none.
        few_rows: What to do instead if the rows are so few that no column can be expected to
            be described: the draft is then refused, if the number of rows is public. Empty
            for a draft in any case.

    Raises:
        SynthError: The request is refused, in one sentence. Before noise is drawn nothing was
            spent.
    """
    table = source if isinstance(source, PrivateTable) else open_table(source)
    for name in request.columns:  # raises an error for a column that the table lacks
        table.position(name)
    purchase = Purchase.begin(
        request,
        {ALONE: table},
        setting=SpendSetting(ledger=ledger, progress=progress),
        stages=DRAFT_STAGES,
    )
    work = DraftWork(request, Scan(table, request.columns, request.unit))
    shapes = purchase.count(work.count_shapes, lambda counted: counted.rows)
    if few_rows:
        _refuse_few_rows(request, shapes.rows, few_rows)
    column_count = len(request.columns)
    noun = "column" if column_count == 1 else "columns"
    door = purchase.open_door(request.guarantee, f"draft of {column_count:,} {noun}")
    found = work.find_types(door, shapes)
    with purchase.watch.watch():
        columns = work.settle(door, found.by_column)
    drafted = Drafted(
        request=request,
        columns=columns,
        missing=found.missing,
        entry=door.entry.hash,
        number=door.entry.number,
        repeated=door.repeated,
    )
    # A later release by this domain adds the draft's cost to its own.
    keep_preparation(purchase.ledger, door.entry, drafted.preparation)
    return drafted


def _refuse_few_rows(request: DraftRequest, rows: int, instead: str) -> None:
    """Refuse a draft that cannot be expected to describe any column.

    A private number of rows is not looked at, because a refusal would tell it.

    Args:
        request: The draft.
        rows: The exact number of rows.
        instead: What to do instead.

    Raises:
        TableError: There are too few rows, and their number is public.
    """
    if request.unit.shares_rows(request.neighbors) and Hopes(request, rows).too_few:
        raise TableError(
            f"The table has too few rows for a private draft of {len(request.columns):,} "
            f"columns at this price, so nothing was spent: {instead}."
        )


class CountedShapes(NamedTuple):
    """Exact numbers of rows by the shape of their texts. PRIVATE.

    Attributes:
        by_column: By column, the rows of each shape, shape (shapes,).
        rows: The number of all rows.
    """

    by_column: Mapping[str, Ints]
    rows: int


class FoundTypes(NamedTuple):
    """What noisy counts of shapes say of the columns.

    Attributes:
        by_column: By column, its type with the noisy numbers for it.
        missing: The spellings of missing values in all columns.
    """

    by_column: Mapping[str, Finding]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class DraftWork:
    """The parts of one draft. It holds exact numbers, which leave only by the door.

    Attributes:
        request: The columns to draft, and the guarantee.
        scan: The passes over the rows.
    """

    request: DraftRequest
    scan: Scan

    def count_shapes(self) -> CountedShapes:
        """Count the rows of each column by the shape of their texts. PRIVATE.

        A shape is, for instance, a blank, a listed text, a number of some size or a date.
        Among all rows are those that cannot be split into cells, unless rows are grouped by
        persons.
        """
        codings = {name: ShapeCoding(self._shapes_of(name)) for name in self.request.columns}
        tallies, damaged = self.scan.tallies_and_damaged(codings)
        # Each column counts all rows that can be split into cells, so one column is enough.
        rows = int(tallies[self.request.columns[0]].sum())
        if not self.request.unit.person:
            rows += damaged
        return CountedShapes(tallies, rows)

    def find_types(self, door: Door, counted: CountedShapes) -> FoundTypes:
        """Decide the type of each column by noisy counts of the shapes of its texts.

        Args:
            door: The one place where noise is added; the spend is recorded.
            counted: The exact rows of each shape of text.
        """
        cost = self.request.costs.shapes
        scale = float(self.request.scale(cost))
        findings: dict[str, Finding] = {}
        missing: dict[str, None] = {}
        for name in self.request.columns:
            shapes = self._shapes_of(name)
            exact = counted.by_column[name]
            noisy = self._cells(door, name, exact, about=shapes.listed, cost=cost)
            findings[name] = find(shapes, noisy, scale)
            missing |= dict.fromkeys(missing_found(shapes, noisy, scale))
        return FoundTypes(findings, tuple(missing))

    def settle(self, door: Door, findings: Mapping[str, Finding]) -> tuple[DraftColumn, ...]:
        """Decide bounds and values of each column, after another pass over the rows.

        Args:
            door: The one place where noise is added; the spend is recorded.
            findings: The type of each column.

        Returns:
            The drafted columns, in the order of the request.
        """
        axes = {
            name: finding
            for name, finding in findings.items()
            if isinstance(finding, AxisColumn)
        }
        steps = self.scan.tallies(
            {name: StepCoding(axis.cuts) for name, axis in axes.items()}
        )
        # A column of whole numbers may be a key, which its number of different values shows.
        # Real numbers have the step 0, and only dates have a format.
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
        """Decide the bounds of a column of numbers or dates, unless it looks like a key.

        Args:
            door: The one place where noise is added.
            name: The column.
            axis: Its cuts, between which rows were counted. The numbers of ``cuts.apart`` may
                mean a missing value, and are left out.
            exact: The exact rows between the cuts.
            distinct: The exact number of different values; None if it is not needed.
        """
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
        """Decide columns of texts: by a list of candidates, or by what enough rows have.

        Args:
            door: The one place where noise is added.
            findings: The type of each column; only columns of texts are decided here.

        Returns:
            The drafted columns by name.
        """
        texts = {
            name: finding
            for name, finding in findings.items()
            if isinstance(finding, TextColumn)
        }
        chosen = {name: text.listed for name, text in texts.items() if text.listed}
        unlisted_names = [name for name in texts if name not in chosen]
        cost = self.request.costs.values  # None without a delta, which such a choice needs
        if cost is not None:
            for name, values in self.scan.values(unlisted_names).items():
                query = listed_values(
                    name, values, self.request.unit, neighbors=self.request.neighbors
                )
                chosen[name] = door.select(query, cost)
        # Exact rows that the chosen values cover, as the last check of each column.
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
        """Decide a column of texts by the share of its rows that have one of some values.

        Args:
            door: The one place where noise is added.
            name: The column.
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
        """Return noisy counts of a column's cells, shape (cells,), measured at the door.

        Args:
            door: The one place where noise is added.
            name: The column.
            exact: The exact counts, shape (cells,).
            about: Public texts that say what the cells are.
            cost: What this measurement spends.
        """
        request = self.request
        query = column_cells(
            name, exact, about, unit=request.unit, neighbors=request.neighbors
        )
        return door.measure(query, DiscreteLaplace(self.request.scale(cost))).values

    def _number(self, door: Door, query: Query) -> int:
        """Return the one number of a query with noise, measured at the door."""
        return int(door.measure(query, DiscreteLaplace(self.request.number_scale)).values[0])

    def _shapes_of(self, name: str) -> Shapes:
        """Return the shapes that a column's texts may have, with its listed candidates."""
        return Shapes(self.request.candidates.list_values(name))

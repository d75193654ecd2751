"""The cells of a condition in a release, and their counts. PUBLIC."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.analysis.linear import atom_grid
from synth.analysis.release_view import ReleaseView
from synth.analysis.sources import Source
from synth.domain import Binned, Domain
from synth.questions import Condition, Question, columns_of, refuse_question
from synth.util import Floats, Mask

MAX_QUESTION_CELLS = 200_000


@dataclass(frozen=True, eq=False)
class Selected:
    """The rows of a condition, by the cells of its columns, in the order of the domain.

    ``surely`` and ``perhaps``: whether all rows, or some rows, of a cell meet it, in the
    columns' shape."""

    names: tuple[str, ...]
    surely: Floats
    perhaps: Floats

    @property
    def cuts(self) -> bool:
        """Whether the condition cuts a cell."""
        return not np.array_equal(self.surely, self.perhaps)


def refuse_cuts(selected: Selected) -> None:
    """Refuse a condition that only some values of a bin meet.

    Raises:
        QuestionError: The condition cuts a bin.
    """
    if selected.cuts:
        refuse_question(
            f"a condition on {' and '.join(selected.names)} cuts a bin; choose the end "
            "of a bin instead"
        )


def select_cells(where: Condition | None, view: ReleaseView) -> Selected:
    """Return which cells of a condition's columns meet it, surely or perhaps.

    Without a condition the result has no columns, and broadcasts to all cells.
    """
    if where is None:
        return Selected((), np.ones(()), np.ones(()))
    # The cells to which a count of the condition's rows adds 1, surely or perhaps.
    grid = atom_grid(Question.count_where(where), view.domain, view.record.rows is not None)
    (number,) = grid.workload.readings[0].numerators
    sums = grid.of_tally(number)
    names = grid.workload.universe.names
    shape = tuple(view.domain[name].size for name in names)
    surely = np.zeros(shape)
    perhaps = np.zeros(shape)
    surely.reshape(-1)[sums.cells] = sums.add_least()
    perhaps.reshape(-1)[sums.cells] = sums.add_most()
    return Selected(names, surely, perhaps)


@dataclass(frozen=True, eq=False)
class JointColumns:
    """Some columns of a release that were measured together.

    Attributes:
        names: These columns, in the order of the domain.
        source: Rows by their cells.
    """

    domain: Domain
    names: tuple[str, ...]
    source: Source

    def put_along(self, name: str, values: Floats) -> Floats:
        """Reshape values by the cells of one column to broadcast over the cells of all."""
        shape = [1] * len(self.names)
        shape[self.names.index(name)] = len(values)
        return values.reshape(shape)

    def spread(self, selected: Selected, *, surely: bool) -> Floats:
        """Return 1 for the selected cells of these columns and 0 for others, in their shape.

        Args:
            selected: Which rows count, by the cells of some of these columns.
            surely: Whether a cell counts only if all its rows are selected, not some.
        """
        table = selected.surely if surely else selected.perhaps
        shape = tuple(
            self.domain[name].size if name in selected.names else 1 for name in self.names
        )
        return np.broadcast_to(table.reshape(shape), self.source.shape)

    @cached_property
    def rows(self) -> Floats:
        """The rows of all cells, in the columns' shape; noise may make them negative."""
        return self.source.values.reshape(self.source.shape)


def joint_columns(names: tuple[str, ...], view: ReleaseView, flat: str = "") -> JointColumns:
    """Return the noisy counts of columns that were measured together.

    Args:
        names: The columns, in any order.
        view: The release.
        flat: A number column along whose cells all weights will be equal. It need not be
            measured with the others if every row, or a measured number of rows, has a number
            there. Empty for none.

    Raises:
        QuestionError: They were not measured together, or have too many cells.
    """
    ordered_names = view.in_order(names)
    source = view.source(names, flat)
    if not source.parts:
        refuse_question(f"{' and '.join(ordered_names)} were not measured together")
    if len(source.values) > MAX_QUESTION_CELLS:
        refuse_question(
            f"its columns have {len(source.values):,} cells; the limit is "
            f"{MAX_QUESTION_CELLS:,}"
        )
    return JointColumns(view.domain, ordered_names, source)


def mended_columns(names: tuple[str, ...], view: ReleaseView) -> JointColumns | None:
    """Return the repaired counts of columns, whether measured together or not.

    None if the view has no repaired counts, or if the columns have too many cells.
    """
    cells = math.prod(view.domain.shape[column] for column in view.place(names))
    if view.mended is None or cells > MAX_QUESTION_CELLS:
        return None
    return JointColumns(view.domain, view.in_order(names), view.mended_source(names))


def used_in(where: Condition | None, *names: str) -> tuple[str, ...]:
    """Return some names and those of a condition, each once."""
    return tuple(dict.fromkeys((*names, *columns_of(where))))


def ends_of(domain: Domain, name: str) -> tuple[Floats, Floats, Mask]:
    """Return the least and the greatest number of every cell of a number or date column.

    Returns:
        Low ends, high ends, and whether the cell holds numbers, each of shape (cells,). The
        ends are 0 for cells without a number, such as missing values.
    """
    column = domain[name]
    assert isinstance(column, Binned)
    first, last = column.end_codes  # cells with numbers follow each other
    cells = slice(first, last + 1)
    lows, highs = (np.array(bounds, dtype=np.float64) for bounds in column.extent)
    low = np.zeros(column.size)
    low[cells] = lows[cells]
    high = np.zeros(column.size)
    high[cells] = highs[cells]
    has_number = np.zeros(column.size, bool)
    has_number[cells] = True
    return low, high, has_number

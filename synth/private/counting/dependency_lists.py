"""One list decides another in all rows, such as a city its country. PRIVATE."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import cast

import numpy as np

from synth import limits
from synth.domain import Derived, Domain
from synth.drafting import Proposal
from synth.private.counting.column_rows import ColumnRows, RowsByName, obeys
from synth.private.counting.dependency_support import is_supported, log_chance_decided
from synth.util import Ints, Json

# Most pairs of cells of two lists that are counted.
MAX_PAIR_CELLS = 16_000_000


def guess_decided(sample: Sequence[ColumnRows]) -> Iterator[tuple[str, str]]:
    """Yield pairs of names of lists; in a sample, the first decides the second.

    Args:
        sample: The sampled rows of the columns.
    """
    lists = [rows for rows in sample if rows.is_list]
    # A column of fewer values comes first: a region decides the country better than a city.
    lists.sort(key=count_values)
    for leader, target in permutations(lists, 2):
        cells = target.column.size
        has_room = len(leader.column.labels) * cells <= MAX_PAIR_CELLS
        leader_codes = leader.codes[leader.has_value].astype(np.int64)
        target_codes = target.codes[leader.has_value]
        pairs = len(np.unique(leader_codes * cells + target_codes))
        is_decided = pairs == len(np.unique(leader_codes))
        if has_room and is_decided and len(np.unique(target_codes)) > 1:
            yield leader.name, target.name


def count_pairs(leader: ColumnRows, target: ColumnRows) -> Ints:
    """Return the rows of each pair of cells, for described values of the first column.

    Args:
        leader: The rows of the first column.
        target: The rows of the second, whose cells without a described value count, too.

    Returns:
        Shape (described values of the first column, cells of the second).
    """
    values = len(leader.column.labels)
    cells = target.column.size
    pairs = leader.codes[leader.has_value].astype(np.int64) * cells
    pairs += target.codes[leader.has_value]
    return np.bincount(pairs, minlength=values * cells).reshape(values, cells)


def _decides(counts: Ints) -> bool:
    """Return whether each value of a column has one value of another, which has several.

    Args:
        counts: The rows of each pair of values.
    """
    values_of_target = int(np.count_nonzero(counts.sum(axis=0)))
    is_decided = bool(np.all(np.count_nonzero(counts, axis=1) <= 1))
    return is_decided and values_of_target > 1


def confirm_decided(
    names: tuple[str, str], rows: RowsByName, *, domain: Domain
) -> Proposal | None:
    """Return the proposal that one list decides another, if all rows obey it; else None.

    The second column is derived if the first one decides it in each row, missing values too.
    Otherwise a rule fixes its values.

    Args:
        names: The column that decides, and the other.
        rows: All rows of both.
        domain: The declared columns.
    """
    leader = rows[names[0]]
    target = rows[names[1]]
    counts = count_pairs(leader, target)
    rows_of_values = counts.sum(axis=1)
    used_rows = rows_of_values[rows_of_values > 0]
    if not len(used_rows) or not _decides(counts):
        return None
    # A value of few rows would publish what single rows say.
    if used_rows.min() < limits.LISTED_ROWS:
        return None
    # The first row of each value breaks nothing, whatever the other column holds.
    tested_rows = int((used_rows - 1).sum())
    if not is_supported(tested_rows, log_chance_decided(counts)):
        return None
    # The cell of the second column for each value of the first that rows have.
    decided_cells = {
        leader.column.labels[value]: target.column.cells[int(counts[value].argmax())]
        for value in np.flatnonzero(rows_of_values)
    }
    return _propose(leader, target, decided_cells, domain=domain, rows=rows)


def _propose(
    leader: ColumnRows,
    target: ColumnRows,
    decided_cells: dict[str, str],
    *,
    domain: Domain,
    rows: RowsByName,
) -> Proposal:
    """Return the proposal of a derived column, or of a rule where that would lose something.

    Args:
        leader: The column that decides.
        target: The column that is decided.
        decided_cells: The cell of ``target`` by the value of ``leader``.
        domain: The declared columns.
        rows: All rows of both columns, by name.
    """
    name = f"{target.name} from {leader.name}"
    sentence = f"each value of '{leader.name}' has one value of '{target.name}'"
    columns = (leader.name, target.name)
    derived = Derived(lookup=leader.name, table=decided_cells, name=target.name)
    # A derived column has texts and no labels, so a column with more keeps its cells.
    is_plain = target.kind == leader.kind == "text" and not target.column.meanings
    if is_plain and obeys(derived, rows, domain):
        return Proposal(
            name=name,
            sentence=sentence,
            columns=columns,
            derivation={"lookup": leader.name, "table": cast("Json", decided_cells)},
        )
    values = {value: [cell] for value, cell in decided_cells.items()}
    rule = {"given": leader.name, "then": target.name, "values": values}
    return Proposal(
        name=name,
        sentence=sentence,
        columns=columns,
        rule={"fixed": cast("Json", [rule])},
    )


def count_values(rows: ColumnRows) -> int:
    """Return how many described values of a list the rows have."""
    return len(np.unique(rows.codes[rows.has_value]))

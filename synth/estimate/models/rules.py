"""The steward's rules: declared as public, and true of every drawn row.

A rule states common knowledge, unless it is marked as taken from the table. Cells in a JSON
file of rules have the domain's labels::

    {
        "impossible": [{"relationship": ["Child"], "marital": ["Widowed", "Divorced"]}],
        "fixed": [
            {"given": "school", "then": "years", "values": {"none": ["0"], "high": ["12"]}}
        ],
        "order": [["start", "end"]],
    }

- ``impossible``: no row has one of the listed cells in each of the columns.
- ``fixed``: if the first column has this cell, the second has one of those.
- ``order``: the first is at most the second, if both are present, even within a cell.

Rules that a look at the rows proposed, and that the steward took in, stand in the same form
under ``taken``. Rows obey them like the others; the certificate says where they come from.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from synth import limits
from synth.domain import Column, Domain, FrozenMap, freeze_fields, set_field
from synth.errors import DomainError, LimitError
from synth.estimate.models.junction import Clique, JunctionTree, junction_tree, tree_cells
from synth.foreign import load_file
from synth.util import Floats, Json, Mask, SmallCodes, read_json


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Rules on a domain.

    Attributes:
        domain: The declared columns.
        content: The rules as written.
        allowed: The allowed cells of some sets of columns.
        order: Pairs of column numbers, the first at most the second.
    """

    domain: Domain
    content: Mapping[str, Json] = field(default_factory=FrozenMap)
    allowed: Mapping[Clique, Mask] = field(
        default_factory=FrozenMap, compare=False, repr=False
    )
    order: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Make the fields immutable, the arrays of ``allowed`` too."""
        freeze_fields(self)
        masks = ((clique, _fixed_mask(mask)) for clique, mask in self.allowed.items())
        set_field(self, "allowed", FrozenMap(masks))

    @cached_property
    def tree(self) -> JunctionTree:
        """The junction tree of the columns that rules tie together."""
        return junction_tree(self.domain.shape, self.allowed)

    @cached_property
    def beliefs(self) -> list[Floats]:
        """The uniform distribution over allowed rows, by cliques of the junction tree.

        Each array has an axis for each column of the clique, and sums to 1; to 0 if the rules
        contradict each other.
        """
        from synth.estimate.models.inference import expand, marginals

        shape = self.domain.shape
        potentials = [
            np.zeros([shape[column] for column in clique]) for clique in self.tree.cliques
        ]
        for clique, mask in self.allowed.items():
            home = self.tree.home(clique)
            assert home is not None  # the tree covers the columns of each rule
            # Log potentials: 0 for an allowed cell, -inf for an impossible one.
            wide = expand(np.where(mask, 0.0, -np.inf), clique, self.tree.cliques[home])
            potentials[home] = potentials[home] + wide
        return marginals(self.tree, potentials)

    def check(self) -> None:
        """Refuse rules that allow no row.

        Raises:
            DomainError: They contradict each other.
            LimitError: The rules tie too many columns together to decide.
        """
        # ``allowed`` has a mask of allowed cells for each set of columns with a rule.
        for clique, mask in self.allowed.items():
            if not mask.any():
                names = " and ".join(f"'{self.domain.names[column]}'" for column in clique)
                raise DomainError(f"The rules leave no cell of column {names}.")
        needed = tree_cells(self.domain.shape, self.allowed)
        if needed > limits.MODEL_CELLS:
            raise LimitError(
                f"The rules tie columns of {needed:,} cells together, which is too many."
            )
        # Rules that allow no row leave no probability to any cell of the junction tree.
        if any(not belief.any() for belief in self.beliefs):
            raise DomainError(
                "The rules contradict each other: no row is left that all of them allow."
            )

    def mask(self, clique: Clique) -> Mask | None:
        """Return which cells of some columns are possible; None if no rule limits them.

        The mask has an axis for each column. Rules that involve other columns do not count.
        """
        masks_inside = {
            rule_columns: mask
            for rule_columns, mask in self.allowed.items()
            if set(rule_columns) <= set(clique)
        }
        if not masks_inside:
            return None
        from synth.estimate.models.inference import expand

        possible = np.ones([self.domain.shape[column] for column in clique], dtype=np.bool_)
        for rule_columns, mask in masks_inside.items():
            possible &= expand(mask, rule_columns, clique)
        return possible

    def find_broken(self, codes: SmallCodes) -> Mask:
        """Return which rows break a rule, shape (rows,).

        Args:
            codes: The rows, shape (rows, columns).
        """
        is_broken = np.zeros(len(codes), dtype=np.bool_)
        for clique, mask in self.allowed.items():
            is_broken |= ~mask[tuple(codes[:, column] for column in clique)]
        return is_broken | self._out_of_order(codes)

    def _out_of_order(self, codes: SmallCodes) -> Mask:
        """Return which rows break an order between columns, shape (rows,).

        All pairs of a row's cells may be possible and the chain a <= b <= c not. So the least
        possible value of each column is raised along the orders, as often as there are
        columns. It must not exceed the greatest value of its cell. Cells without values, such
        as missing ones, break no order.

        Args:
            codes: The rows, shape (rows, columns).
        """
        is_broken = np.zeros(len(codes), dtype=np.bool_)
        ordered_columns = {column for pair in self.order for column in pair}
        # For each column, the least and the greatest value of each of its cells.
        cell_ends = {
            column: _cell_ends(self.domain.columns[column]) for column in ordered_columns
        }
        # For each column, the least value that each row may have in it, shape (rows,).
        least = {column: low[codes[:, column]] for column, (low, _) in cell_ends.items()}
        for _ in ordered_columns:
            for a, b in self.order:
                higher = np.fmax(least[a], least[b])  # ignores a missing value of a
                least[b] = np.where(np.isnan(least[b]), np.nan, higher)
        for column, (_, high) in cell_ends.items():
            is_broken |= least[column] > high[codes[:, column]]
        return is_broken

    def enforce(self, codes: SmallCodes, generator: np.random.Generator) -> SmallCodes:
        """Return the rows, changed where they break a rule, shape (rows, columns).

        Rows that break a rule take the columns of all rules from random rows that break none.
        If every row breaks one, these columns are drawn uniformly from the allowed cells.

        Args:
            codes: The rows, same shape; they are not changed.
            generator: Source of randomness.
        """
        is_broken = self.find_broken(codes)
        if not is_broken.any():
            return codes
        count = int(is_broken.sum())
        allowed_rows = codes[~is_broken]
        if len(allowed_rows):
            donors = allowed_rows[generator.integers(len(allowed_rows), size=count)]
        else:
            from synth.estimate.models.junction_rows import draw_from_junction

            donors = draw_from_junction(self.tree, self.beliefs, count, generator=generator)
            # The model knows no chains of orders, so some of these may break one.
            allowed_donors = donors[~self.find_broken(donors)]
            if len(allowed_donors):
                choice = generator.integers(len(allowed_donors), size=len(donors))
                donors = allowed_donors[choice]
        ruled_columns = sorted({column for clique in self.allowed for column in clique})
        repaired = codes.copy()
        repaired[np.flatnonzero(is_broken)[:, None], ruled_columns] = donors[:, ruled_columns]
        return repaired

    def clear(self, clique: Clique, table: Floats) -> Floats:
        """Return a table with impossible cells emptied, scaled to its former sum.

        If nothing is left, the sum is 0.

        Args:
            clique: Numbers of the table's columns.
            table: Rows by cell, with an axis for each.
        """
        mask = self.mask(clique)
        if mask is None:
            return table
        cleared = np.where(mask, table, 0.0)
        if cleared.sum() > 0:
            cleared *= table.sum() / cleared.sum()
        return np.asarray(cleared)


def _fixed_mask(mask: Mask) -> Mask:
    """Return a copy that nobody can change."""
    fixed = mask.copy()
    fixed.flags.writeable = False
    return fixed


def read_rules(source: str | Path | Mapping[str, Any], domain: Domain) -> Rules:
    """Return rules, checked, from a file or from parsed JSON.

    Args:
        source: Path of a JSON file, or its content.
        domain: The declared columns.

    Raises:
        DomainError: They are no rules, name unknown columns or cells, or allow no row.
    """
    from synth.estimate.models.taken_rules import join_taken

    content = dict(source) if isinstance(source, Mapping) else load_rules(source)
    obeyed_rules = join_taken(content)
    allowed: dict[Clique, Mask] = {}
    # Several rules on the same columns allow what all of them allow.
    for clique, mask in _masks(obeyed_rules, domain):
        allowed[clique] = allowed[clique] & mask if clique in allowed else mask
    order = tuple(_numbers(domain, pair) for pair in obeyed_rules["order"])
    rules = Rules(domain=domain, content=content, allowed=allowed, order=order)
    rules.check()
    return rules


def load_rules(path: str | Path) -> dict[str, Any]:
    """Return the JSON object in a file of rules, without checking it against a domain.

    Raises:
        DomainError: It can't be read, or holds no JSON object.
    """
    path = Path(path)
    text = load_file(path, limits.SCHEMA_MB * 2**20, "The rules", kind=DomainError)
    return parse_rules(text, path.name)


def parse_rules(text: bytes, name: str) -> dict[str, Any]:
    """Return the JSON object in the text of a file of rules.

    Args:
        text: The file's bytes.
        name: The file's name, for errors.

    Raises:
        DomainError: It holds no JSON object, or has a name twice.
    """
    content = read_json(text, f"'{name}'", kind=DomainError)
    if not isinstance(content, dict):
        raise DomainError(f"'{name}' holds no JSON object of rules.")
    return content


def _masks(content: Mapping[str, Any], domain: Domain) -> Iterator[tuple[Clique, Mask]]:
    """Yield the columns and the mask of allowed cells of each rule in a document.

    Columns are ascending, and the mask has an axis for each.

    Args:
        content: The rules as JSON, by kind: impossible, fixed and order.
        domain: The declared columns.

    Raises:
        DomainError: A rule has another form, or names unknown columns or cells.
    """
    try:
        for rule in content.get("impossible", []):
            yield _impossible(domain, dict(rule))
        for rule in content.get("fixed", []):
            yield _fix_values(
                domain, rule["given"], rule["then"], values=dict(rule["values"])
            )
        for first, second in content.get("order", []):
            yield _order_columns(domain, first, second)
    except (KeyError, TypeError, ValueError):
        raise DomainError("A rule does not have the documented form.") from None


def _impossible(domain: Domain, cells_of: dict[str, Sequence[str]]) -> tuple[Clique, Mask]:
    """Return the columns of an impossible combination, and the mask of the cells allowed.

    Args:
        domain: The declared columns.
        cells_of: Labels of cells by column name. No row has one of them in every column.

    Returns:
        Ascending column numbers, and a mask with an axis for each.
    """
    if not cells_of:
        raise DomainError("A rule of impossible cells names no column.")
    listed_cells = {
        domain.names.index(domain[name].name): _select(domain[name], labels)
        for name, labels in cells_of.items()
    }
    clique = tuple(sorted(listed_cells))
    mask = np.array(True)
    for column in clique:
        mask = np.logical_and.outer(mask, listed_cells[column])
    return clique, ~mask


def _fix_values(
    domain: Domain, leader: str, then: str, *, values: dict[str, Sequence[str]]
) -> tuple[Clique, Mask]:
    """Return two columns, ascending, and the mask of the cells that fixed values allow.

    Args:
        domain: The declared columns.
        leader: Name of the column that decides.
        then: Name of the column that is decided.
        values: Labels of the allowed cells of ``then`` by label of the leader's cell. Other
            cells of the leader allow all.
    """
    a, b = _numbers(domain, (leader, then))
    mask = np.ones((domain.shape[a], domain.shape[b]), dtype=np.bool_)
    for label, labels in values.items():
        mask[_select(domain[leader], [label])] &= _select(domain[then], labels)
    return ((a, b), mask) if a < b else ((b, a), mask.T)


def _order_columns(domain: Domain, first: str, second: str) -> tuple[Clique, Mask]:
    """Return two columns, ascending, and the mask of the cells that their order allows.

    The least value of the first column's cell must be at most the greatest of the second's.
    Cells without values, which come last, allow all.

    Args:
        domain: The declared columns.
        first: Name of the column with the smaller values.
        second: Name of the other one.

    Raises:
        DomainError: A column has no order, or they cannot be compared.
    """
    a, b = _numbers(domain, (first, second))
    low, _ = _extent(domain[first])
    _, high = _extent(domain[second])
    why = domain[first].no_order_with(domain[second])
    if why:
        raise DomainError(f"Columns '{first}' and '{second}' {why}.")
    mask = np.ones((domain.shape[a], domain.shape[b]), dtype=np.bool_)
    mask[: len(low), : len(high)] = np.less_equal.outer(np.array(low), np.array(high))
    return ((a, b), mask) if a < b else ((b, a), mask.T)


def _extent(column: Column) -> tuple[Sequence[float], Sequence[float]]:
    """Return the least and the greatest value of each cell that has values, in order.

    Raises:
        DomainError: The column has no order.
    """
    if column.extent is None:
        raise DomainError(f"Column '{column.name}' ({column.kind}) has no order.")
    return column.extent


def _cell_ends(column: Column) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of each cell of a column, shape (cells,).

    They are NaN for cells without values, which come last.
    """
    low = np.full(column.size, np.nan)
    high = np.full(column.size, np.nan)
    lows, highs = _extent(column)
    low[: len(lows)] = lows
    high[: len(highs)] = highs
    return low, high


def _select(column: Column, labels: Sequence[str]) -> Mask:
    """Return which cells of a column are listed, shape (cells,).

    Args:
        column: The column.
        labels: Labels of the listed cells.

    Raises:
        DomainError: No cell is listed, or the column lacks one.
    """
    # A single text would be read as a list of its letters.
    if isinstance(labels, str) or not labels:
        raise DomainError(
            f'A rule on column \'{column.name}\' must list cells, such as ["a", "b"].'
        )
    for label in labels:
        if label not in column.cells:
            hint = f" Bins are named like '{column.cells[0]}'." if column.cutting else ""
            raise DomainError(
                f"A rule names the cell '{label}', which column '{column.name}' lacks.{hint}"
            )
    return np.array([cell in labels for cell in column.cells])


def _numbers(domain: Domain, names: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of two columns by their names.

    Raises:
        DomainError: A name is unknown, or both are the same.
    """
    first, second = (domain.names.index(domain[name].name) for name in names)
    if first == second:
        raise DomainError(f"A rule relates column '{names[0]}' to itself.")
    return first, second

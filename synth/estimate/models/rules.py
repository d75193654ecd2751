"""The steward's rules: declared as public, and true of every drawn row.

A rule states common knowledge, not something read from this table. Cells in a JSON file of
rules have the domain's labels::

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
from synth.estimate.models.inference import expand, marginals
from synth.estimate.models.junction import Clique, JunctionTree, junction_tree, tree_cells
from synth.estimate.models.junction_rows import draw_from_junction
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
        """Make the fields immutable."""
        freeze_fields(self)
        set_field(
            self, "allowed", FrozenMap((c, _fixed_mask(m)) for c, m in self.allowed.items())
        )

    @cached_property
    def tree(self) -> JunctionTree:
        """The junction tree of the columns that rules tie together."""
        return junction_tree(self.domain.shape, self.allowed)

    @cached_property
    def beliefs(self) -> list[Floats]:
        """The uniform distribution over allowed rows, by cliques."""
        potentials = [np.zeros([self.domain.shape[v] for v in c]) for c in self.tree.cliques]
        for clique, mask in self.allowed.items():
            home = self.tree.home(clique)
            assert home is not None
            wide = expand(np.where(mask, 0.0, -np.inf), clique, self.tree.cliques[home])
            potentials[home] = potentials[home] + wide
        return marginals(self.tree, potentials)

    def check(self) -> None:
        """Refuse rules that allow no row.

        Raises:
            DomainError: They contradict each other.
            LimitError: The rules tie too many columns together to decide.
        """
        for clique, mask in self.allowed.items():
            if not mask.any():
                names = " and ".join(f"'{self.domain.names[column]}'" for column in clique)
                raise DomainError(f"The rules leave no cell of column {names}.")
        needed = tree_cells(self.domain.shape, self.allowed)
        if needed > limits.MODEL_CELLS:
            raise LimitError(
                f"The rules tie columns of {needed:,} cells together, which is too many."
            )
        if any(not belief.any() for belief in self.beliefs):
            raise DomainError(
                "The rules contradict each other: no row is left that all of them allow."
            )

    def mask(self, clique: Clique) -> Mask | None:
        """Return the possible cells of some columns; None if all are.

        Rules that involve other columns do not count.
        """
        inside = [
            (rule_columns, mask)
            for rule_columns, mask in self.allowed.items()
            if set(rule_columns) <= set(clique)
        ]
        if not inside:
            return None
        possible = np.ones([self.domain.shape[column] for column in clique], dtype=np.bool_)
        for rule_columns, mask in inside:
            possible &= expand(mask, rule_columns, clique)
        return possible

    def find_broken(self, codes: SmallCodes) -> Mask:
        """Return which rows break a rule, shape (rows,), for codes of shape (rows,
        columns).
        """
        bad = np.zeros(len(codes), dtype=np.bool_)
        for clique, mask in self.allowed.items():
            bad |= ~mask[tuple(codes[:, column] for column in clique)]
        return bad | self._out_of_order(codes)

    def _out_of_order(self, codes: SmallCodes) -> Mask:
        """Return the rows that break an order between columns.

        Their pairs may all be possible and the chain a <= b <= c not. So the least possible
        value of each column is raised along the orders, as often as there are columns, and
        must not exceed the greatest of its cell.
        """
        bad = np.zeros(len(codes), dtype=np.bool_)
        tied = {column for pair in self.order for column in pair}
        ends = {column: _cell_ends(self.domain.columns[column]) for column in tied}
        least = {column: low[codes[:, column]] for column, (low, _) in ends.items()}
        for _ in tied:
            for a, b in self.order:
                higher = np.fmax(least[a], least[b])
                least[b] = np.where(np.isnan(least[b]), np.nan, higher)
        for column, (_, high) in ends.items():
            bad |= least[column] > high[codes[:, column]]
        return bad

    def enforce(self, codes: SmallCodes, generator: np.random.Generator) -> SmallCodes:
        """Return rows that all rules allow, shape (rows, columns).

        Broken rows take the rules' columns from others. If every row is broken, they are
        drawn uniformly from the allowed ones."""
        bad = self.find_broken(codes)
        if not bad.any():
            return codes
        tied = sorted({column for clique in self.allowed for column in clique})
        allowed_rows = codes[~bad]
        if len(allowed_rows):
            donors = allowed_rows[generator.integers(len(allowed_rows), size=int(bad.sum()))]
        else:
            donors = draw_from_junction(
                self.tree, self.beliefs, int(bad.sum()), generator=generator
            )
            good = donors[~self.find_broken(donors)]
            if len(good):
                donors = good[generator.integers(len(good), size=len(donors))]
        repaired = codes.copy()
        repaired[np.flatnonzero(bad)[:, None], tied] = donors[:, tied]
        return repaired

    def clear(self, clique: Clique, table: Floats) -> Floats:
        """Return a table with impossible cells emptied and its sum kept.

        If nothing is left, the sum is 0.
        """
        mask = self.mask(clique)
        if mask is None:
            return table
        cleared = np.where(mask, table, 0.0)
        return np.asarray(
            cleared * (table.sum() / cleared.sum()) if cleared.sum() > 0 else cleared
        )


def _fixed_mask(mask: Mask) -> Mask:
    fixed = mask.copy()
    fixed.flags.writeable = False
    return fixed


def read_rules(source: str | Path | Mapping[str, Any], domain: Domain) -> Rules:
    """Read rules from a file or from parsed JSON.

    Raises:
        DomainError: They are no rules, name unknown columns or cells, or allow no row.
    """
    content = dict(source) if isinstance(source, Mapping) else load_rules(source)
    unknown = set(content) - {"impossible", "fixed", "order"}
    if unknown:
        raise DomainError(
            f"Rules are 'impossible', 'fixed' and 'order', not '{min(unknown)}'."
        )
    allowed: dict[Clique, Mask] = {}
    for clique, mask in _masks(content, domain):
        allowed[clique] = allowed[clique] & mask if clique in allowed else mask
    order = tuple(_numbers(domain, pair) for pair in content.get("order", []))
    rules = Rules(domain=domain, content=content, allowed=allowed, order=order)
    rules.check()
    return rules


def load_rules(path: str | Path) -> dict[str, Any]:
    """Read a file of rules as JSON, without a domain to check them against.

    Raises:
        DomainError: It can't be read, or holds no JSON object.
    """
    path = Path(path)
    text = load_file(path, limits.SCHEMA_MB * 2**20, "The rules", kind=DomainError)
    return parse_rules(text, path.name)


def parse_rules(text: bytes, name: str) -> dict[str, Any]:
    """Read rules as JSON from the text of a file of this name.

    Raises:
        DomainError: It holds no JSON object, or has a name twice.
    """
    content = read_json(text, f"'{name}'", kind=DomainError)
    if not isinstance(content, dict):
        raise DomainError(f"'{name}' holds no JSON object of rules.")
    return content


def _masks(content: Mapping[str, Any], domain: Domain) -> Iterator[tuple[Clique, Mask]]:
    """Yield the columns and the mask of allowed cells of each rule in a document."""
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
    """Return the columns of an impossible combination, and the mask of the cells allowed."""
    if not cells_of:
        raise DomainError("A rule of impossible cells names no column.")
    hit = {
        domain.names.index(domain[n].name): _select(domain[n], c) for n, c in cells_of.items()
    }
    clique = tuple(sorted(hit))
    mask = np.array(True)
    for column in clique:
        mask = np.logical_and.outer(mask, hit[column])
    return clique, ~mask


def _fix_values(
    domain: Domain, leader: str, then: str, *, values: dict[str, Sequence[str]]
) -> tuple[Clique, Mask]:
    """Return two columns and the mask of the cells that fixed values allow.

    ``values`` has the allowed cells of ``then`` by cell of the leader.
    """
    a, b = _numbers(domain, (leader, then))
    mask = np.ones((domain.shape[a], domain.shape[b]), dtype=np.bool_)
    for label, labels in values.items():
        mask[_select(domain[leader], [label])] &= _select(domain[then], labels)
    return ((a, b), mask) if a < b else ((b, a), mask.T)


def _order_columns(domain: Domain, first: str, second: str) -> tuple[Clique, Mask]:
    """Return two columns and the mask of the cells that their order allows.

    The least of the first is at most the greatest of the second.
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
    if column.extent is None:
        raise DomainError(f"Column '{column.name}' ({column.kind}) has no order.")
    return column.extent


def _cell_ends(column: Column) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of each cell of a column.

    NaN for cells without values.
    """
    low = np.full(column.size, np.nan)
    high = np.full(column.size, np.nan)
    lows, highs = _extent(column)
    low[: len(lows)] = lows
    high[: len(highs)] = highs
    return low, high


def _select(column: Column, labels: Sequence[str]) -> Mask:
    """Return the mask of the listed cells of a column; refuse others."""
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
    """Return the numbers of two different columns."""
    first, second = (domain.names.index(domain[name].name) for name in names)
    if first == second:
        raise DomainError(f"A rule relates column '{names[0]}' to itself.")
    return first, second

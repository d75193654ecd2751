"""Linked tables fitted one after another to their histograms, by drawing rows. PUBLIC.

A column's cells have weights: products of a factor for each measured histogram, given rows
above, columns before, and siblings before (a log-linear model). No formula gives the factors.
So the fit draws rows, counts them as the table was counted, and moves the factors by gaps::

    for some rounds:
        rows  = draw the table by its factors, under the drawn tables above
        gap   = log(wanted shares) - log(drawn shares)    of each histogram;
                of an association, the part that its margins leave open
        move  = pace * gap + momentum * last move
        factor of the histogram *= exp(move)

Rows of one root avoid or attract each other as the counts say.

Sources: Deming and Stephan (1940), iterative proportional fitting, whose sweeps these rounds
replace; Robbins and Monro (1951), steps that shrink as rounds go on; Polyak (1964), momentum.
The sizes of steps and samples were chosen by trial on the packages of
`tests/bench/bench_linked.py`, which prints the errors that they leave.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from synth.domain import LinkedPackage
from synth.linked.codes import LinkedCodes, TableCodes
from synth.linked.drawing import Factors, draw_table
from synth.linked.marginals import LinkedMarginal
from synth.util import Floats, Ints

# Drawings to fit a table.
FIT_ROUNDS = 20
# Most roots of a drawing that only fits factors.
SAMPLE_ROOTS = 15_000
# Drawings that correct a table's columns before the last one.
POLISHING_ROUNDS = 8
# Most roots of these drawings.
POLISHED_ROOTS = 30_000
# Part of the gap by which factors move in the first rounds. It is below 1, as several factors
# move the same column.
FIRST_PACE = 0.8
# Part of the last move that is repeated at first.
FIRST_MOMENTUM = 0.6
# Largest move of a factor's logarithm in one round.
LARGEST_STEP = 1.5
# Largest size of a factor's logarithm.
MAX_LOG_FACTOR = 30.0
# Least divisor of the step of a factor of pairs of rows. A parent with two rows has one pair,
# which counts twice, once from each row. With more rows, the divisor is larger:
# `_pair_divisor`.
MIN_PAIR_DIVISOR = 2.0
# If a histogram counts only whether the rows of a pair agree, the divisor is this power of
# the rows of one parent.
AGREEMENT_POWER = 0.75
# Parts of the mean count, and of a row, that are added before a logarithm is taken.
EMPTY_SHARE = 1e-6
EMPTY_ROWS = 0.125
# Least divisor, so that nothing is divided by a sum of 0.
NOT_ZERO = 1e-9
# Most associations of one column that move at full pace; if there are more, each moves less.
MAX_FULL_PACE_ASSOCIATIONS = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """Wanted counts of rows.

    Attributes:
        marginal: The histogram.
        values: Expected counts, not negative, in the histogram's shape.
        is_base: Whether it alone decides how a column of the table is distributed.
        pace: The part of a gap by which its factor moves.
    """

    marginal: LinkedMarginal
    values: Floats
    is_base: bool = False
    pace: float = 1.0


@dataclass(eq=False, kw_only=True)
class LinkedModel:
    """Factors of the fitted tables, and a sample drawn by them.

    Attributes:
        package: The declared tables.
        roots: The believed rows of the root table.
        factors: The fitted factors of each table.
        targets: The wanted counts of each table's columns.
        sample: Rows of the fitted tables.
    """

    package: LinkedPackage
    roots: int
    factors: list[Factors] = field(default_factory=list)
    targets: list[list[Target]] = field(default_factory=list)
    sample: tuple[TableCodes, ...] = ()

    def fit(self, targets: Sequence[Target], rounds: int = FIT_ROUNDS) -> None:
        """Fit the factors of the next table to its measurements, and add it to the sample.

        Args:
            targets: The wanted counts of the table's histograms.
            rounds: How often rows are drawn and factors moved; each round moves them less.
        """
        targets = _pace_factors(targets)
        factors = _first_factors(targets)
        generator = _generator()
        moves: Factors = {}
        level = self._draw(self.sample, factors, generator)
        for turn in range(rounds):
            progress = turn / rounds
            rows = LinkedCodes(package=self.package, levels=(*self.sample, level))
            # The pace falls to half of the first one, and the momentum to nothing.
            stride = Stride(
                pace=FIRST_PACE / (1 + progress), momentum=FIRST_MOMENTUM * (1 - progress)
            )
            _move_factors(factors, moves, targets, rows=rows, stride=stride)
            level = self._draw(self.sample, factors, generator)
        self.factors.append(factors)
        # Only these are corrected again when the final rows are drawn.
        self.targets.append(
            [target for target in targets if target.is_base or target.marginal.by_agreement]
        )
        self.sample = (*self.sample, level)

    def try_out(self, targets: Sequence[Target]) -> LinkedCodes:
        """Return the sample with rows of the next table, drawn before any factor is fitted.

        The factors follow from the targets alone, as if they did not depend on each other.
        """
        level = self._draw(self.sample, _first_factors(targets), _generator())
        return LinkedCodes(package=self.package, levels=(*self.sample, level))

    def draw(self, seed: int) -> LinkedCodes:
        """Return drawn rows of all fitted tables.

        Before the rows of a table, smaller drawings under the drawn tables above correct the
        factors of its columns. `seed` starts the random numbers.
        """
        generator = np.random.default_rng(seed)
        levels: tuple[TableCodes, ...] = ()
        for fitted_factors, targets in zip(self.factors, self.targets, strict=True):
            factors = dict(fitted_factors)
            moves: Factors = {}
            for turn in range(POLISHING_ROUNDS):
                level = self._draw(levels, factors, generator, roots=POLISHED_ROOTS)
                rows = LinkedCodes(package=self.package, levels=(*levels, level))
                # The whole gap in the first turn, then 2/3 of it, 1/2 and so on.
                stride = Stride(pace=2 / (2 + turn), momentum=FIRST_MOMENTUM)
                _move_factors(factors, moves, targets, rows=rows, stride=stride)
            levels = (*levels, self._draw(levels, factors, generator, roots=self.roots))
        return LinkedCodes(package=self.package, levels=levels)

    def _draw(
        self,
        above: tuple[TableCodes, ...],
        factors: Factors,
        generator: np.random.Generator,
        *,
        roots: int = SAMPLE_ROOTS,
    ) -> TableCodes:
        """Draw the rows of the next table under the tables above.

        Args:
            above: The drawn tables; the next table is the one after these.
            factors: The factors of its histograms.
            generator: Gives the random numbers.
            roots: The most rows of the root table under which rows are drawn.
        """
        if not above:
            numbers = np.ones(1, np.int64) * min(self.roots, roots)
        else:
            # How many rows a parent has is one of its drawn columns.
            table = self.package.tables[len(above)]
            parent, column = self.package.number(len(above))
            counts = above[parent].codes[column].astype(np.int64)
            # Codes above the limit stand for more rows than are kept.
            numbers = np.minimum(counts, table.most)
            # Only the parents of the first roots get rows.
            numbers[self._rows_under(above, parent, roots) :] = 0
        return draw_table(self.package, above, numbers, factors=factors, generator=generator)

    def _rows_under(self, above: tuple[TableCodes, ...], table: int, roots: int) -> int:
        """Return how many rows of a drawn table belong to the first roots.

        Rows are in the order of their parents, so these are the table's first rows.

        Args:
            above: The drawn tables.
            table: The number of the table.
            roots: The number of roots.
        """
        # From the level below the root down to the table.
        rows = roots
        for level in reversed(self.package.lineage(table)[:-1]):
            rows = int(np.searchsorted(above[level].parent, rows))
        return rows


@dataclass(frozen=True, kw_only=True)
class Stride:
    """How far factors move at once.

    Attributes:
        pace: The part of a gap.
        momentum: The part of the last move.
    """

    pace: float
    momentum: float


def _move_factors(
    factors: Factors,
    moves: Factors,
    targets: Sequence[Target],
    *,
    rows: LinkedCodes,
    stride: Stride,
) -> None:
    """Move the factors of the last table towards its targets, in place.

    Args:
        factors: Logarithms of weights by histogram.
        moves: The last move of each factor; it is replaced by this move.
        targets: The wanted counts of the histograms.
        rows: Drawn rows of the table and the tables above, by the factors as they are.
        stride: The part of each gap, and of the last move, by which a factor moves.
    """
    level = rows.levels[-1]
    for target in targets:
        marginal = target.marginal
        # `tally` counts the drawn rows as the table was counted.
        step = target.pace * _gap(target, rows.tally(marginal), level.rows)
        if marginal.others:  # pairs of rows of one parent
            step = step / _pair_divisor(target, level)
        move = np.clip(stride.pace * step, -LARGEST_STEP, LARGEST_STEP)
        # In the first round there is no last move. Bases move by their gaps alone.
        if marginal in moves and not target.is_base:
            move += stride.momentum * moves[marginal]
        moves[marginal] = move
        factors[marginal] = np.clip(factors[marginal] + move, -MAX_LOG_FACTOR, MAX_LOG_FACTOR)


def _pair_divisor(target: Target, level: TableCodes) -> float:
    """Return the number by which the step of a factor of pairs of rows is divided.

    A row of a parent is in a pair with each other row of that parent, and each pair moves
    it. So the more rows a parent has, the smaller is the step.

    Args:
        target: The wanted counts of pairs of rows of one parent.
        level: The drawn rows of the table.
    """
    parents_with_rows = len(np.unique(level.parent))
    rows_per_parent = level.rows / max(1, parents_with_rows)
    if target.marginal.by_agreement:
        return max(MIN_PAIR_DIVISOR, float(rows_per_parent**AGREEMENT_POWER))
    return max(MIN_PAIR_DIVISOR, rows_per_parent * target.pace)


def _pace_factors(targets: Sequence[Target]) -> list[Target]:
    """Return the targets with the pace at which their factors move.

    If more than `MAX_FULL_PACE_ASSOCIATIONS` associations move the same column, their factors
    move less. A column is moved by the histograms in which it is the last one, as it is drawn
    after the others.
    """
    # How many associations move each column.
    associations = Counter(
        max(target.marginal.places) for target in targets if not target.is_base
    )

    def pace(marginal: LinkedMarginal) -> float:
        """Return the pace of an association: 1, or a part if many move the same column."""
        if marginal.by_agreement:
            return 1.0
        return min(1.0, MAX_FULL_PACE_ASSOCIATIONS / associations[max(marginal.places)])

    return [
        target if target.is_base else replace(target, pace=pace(target.marginal))
        for target in targets
    ]


def _first_factors(targets: Sequence[Target]) -> Factors:
    """Return the factor of each target to begin with, by its histogram."""
    return {target.marginal: _first_factor(target) for target in targets}


def _first_factor(target: Target) -> Floats:
    """Return the factor of a histogram to begin with, before any drawing, as logarithms.

    For a column it is the logarithm of its counts, for several columns their deviation from
    independence, and for agreement of pairs nothing.
    """
    if target.marginal.by_agreement:
        return np.zeros(2)
    # Added to all counts, so that the logarithm of 0 is never taken.
    floor = EMPTY_SHARE * max(float(target.values.sum()), NOT_ZERO) / target.values.size
    values = target.values + floor
    return np.log(values) if target.is_base else target.pace * _association(values)


def _generator() -> np.random.Generator:
    """Return the randomness of a fit: the same each time, as noisy counts alone decide."""
    return np.random.default_rng(0)


def _association(values: Floats) -> Floats:
    """Return the deviation of a table's logarithm from independence, in the table's shape.

    It is the logarithm of values / (product of the margins' shares * total). `values` are
    positive counts by two or more columns, one axis for each.
    """
    logs = np.log(values)
    total = np.log(values.sum())
    for axis in range(values.ndim):
        other_axes = tuple(number for number in range(values.ndim) if number != axis)
        logs = logs - np.log(values.sum(axis=other_axes, keepdims=True))
    # A margin's share is its sum over the total: n margins and one total leave n - 1 totals.
    return np.asarray(logs + (values.ndim - 1) * total)


def _gap(target: Target, drawn_counts: Ints, rows: int) -> Floats:
    """Return by how much the logarithm of a factor is too low in each cell.

    It is the logarithm of the wanted share minus that of the drawn share. Of an association,
    which is a histogram of several columns, only the deviation from independence counts.

    Args:
        target: The wanted counts of a histogram.
        drawn_counts: The same counts of the drawn rows, shape (cells,).
        rows: The number of drawn rows.
    """
    # A part of a row, as a share, is added to both: it makes logarithms finite and dampens
    # rare cells.
    ease = EMPTY_ROWS / max(rows, 1)
    shares = target.values / max(float(target.values.sum()), NOT_ZERO)
    wanted_shares = shares + ease / target.values.size
    counts = drawn_counts.reshape(target.values.shape)
    drawn_shares = counts / max(int(drawn_counts.sum()), 1) + ease
    wanted_shares = wanted_shares + ease
    if target.is_base or target.marginal.by_agreement:
        return np.asarray(np.log(wanted_shares) - np.log(drawn_shares))
    return _association(wanted_shares) - _association(drawn_shares)

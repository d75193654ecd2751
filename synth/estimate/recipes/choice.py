"""The steward's choices about the model, checked before any row is read. PUBLIC."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from synth import limits
from synth.domain import Domain, freeze_fields
from synth.errors import ArgumentError, DomainError, LimitError, suggest_similar
from synth.estimate.models.junction import Clique, cells, junction_tree, small_pairs
from synth.estimate.names import Favour, Method, Repair
from synth.estimate.recipes.registry import RECIPES
from synth.noise import DiscreteLaplace
from synth.privacy import Guarantee
from synth.util import Json, check_whole

if TYPE_CHECKING:
    from synth.estimate.models.rules import Rules

DELTA_MAX = Fraction(1, 1000)
# Harmless rows of noise in a whole histogram.
STRAY_ROWS = 100


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The steward's choices about the model, for any table and budget.

    Attributes:
        method: What people type, as in `Method`.
        delta: 0 for pure epsilon; above 0, (epsilon, delta) by Gaussian DP.
        groups: Names of the columns of each group, for ``groups``.
        rules: JSON as `synth.estimate.models.rules` reads it.
        max_model_mb: Most memory for a model's tables.
        favour: What the rows favour.
        predict: The column that analysts will predict, for some methods.
        moments: Terms of `synth.estimate.models.moment_queries`.
        repair: The name of the repair of impossible counts, for histograms of all columns.
    """

    method: str = Method.AUTO
    delta: Fraction = Fraction(0)
    groups: tuple[tuple[str, ...], ...] = ()
    rules: Json = None
    max_model_mb: int = limits.MODEL_MB
    favour: Favour = Favour.ERRORS
    predict: str = ""
    moments: tuple[str, ...] = ()
    repair: str = Repair.AUTO

    def __post_init__(self) -> None:
        """Check the memory and delta.

        Raises:
            ArgumentError: The memory is no whole number from 1 up, or delta is too large.
        """
        freeze_fields(self)
        check_whole(1, max_model_mb=self.max_model_mb)
        if not 0 <= self.delta < DELTA_MAX:
            raise ArgumentError(
                f"delta must be above 0 and below {float(DELTA_MAX):g}, but it is "
                f"{float(self.delta):g}; a larger one would allow to publish somebody's rows."
            )

    @property
    def most_cells(self) -> int:
        """Most cells of a model's tables, by their memory."""
        return self.max_model_mb * 2**20 // limits.BYTES_PER_MODEL_CELL

    def guarantee(self, epsilon: Fraction) -> Guarantee:
        """Return the guarantee of this epsilon and the delta, which the ledger is charged."""
        return Guarantee.of(epsilon, self.delta)

    def check_model(self, domain: Domain) -> Rules:
        """Return the steward's rules, after a check that the model is possible.

        This is before any row is read or any budget spent. Without rules, the result allows
        all rows.

        Args:
            domain: The declared columns.

        Raises:
            DomainError: A group or a rule does not fit the domain.
            LimitError: The smallest model of the strategy is too large.
        """
        from synth.estimate.models.rules import Rules, read_rules

        rules = (
            read_rules(cast("Mapping[str, Json]", self.rules), domain)
            if self.rules
            else Rules(domain=domain)
        )
        # A method by pairs needs one that fits the memory, but not *auto*, which always
        # follows another method.
        if RECIPES[self.method].takes_groups:
            self._check_groups(domain)
        elif RECIPES[self.method].by_pairs and not RECIPES[self.method].chooses:
            self._check_pairs(domain)
        return rules

    def check_rows(self, rows: int | None) -> None:
        """Refuse a delta that would allow publishing one row in full.

        If the number of rows is private, as always with a person column, a refusal would
        disclose it. Then only `DELTA_MAX` applies.

        Args:
            rows: The public number of rows; None if it is private.

        Raises:
            ArgumentError: Delta is 1 / rows or more.
        """
        if rows and self.delta * rows >= 1:
            raise ArgumentError(
                f"delta must be below 1 / {rows:,}, one over the number of rows, but it is "
                f"{float(self.delta):g}: publishing one row at random would satisfy it."
            )

    def marginals(self, domain: Domain) -> tuple[Clique, ...]:
        """Return the ascending column numbers of every marginal that the method may measure.

        Single columns come first, then pairs, groups or all columns.
        """
        single_columns = [(column,) for column in range(len(domain.columns))]
        recipe = RECIPES[self.method]
        wider = recipe.marginals(domain.shape, self.most_cells, self.cliques(domain))
        return tuple(dict.fromkeys([*single_columns, *wider]))

    def cliques(self, domain: Domain) -> tuple[Clique, ...]:
        """Return the groups as tuples of ascending column numbers, in the order as typed."""
        numbers = {name: number for number, name in enumerate(domain.names)}
        return tuple(tuple(sorted(numbers[name] for name in group)) for group in self.groups)

    def predicted(self, domain: Domain) -> int | None:
        """Return the number of the column that analysts will predict, if any."""
        return domain.names.index(self.predict) if self.predict else None

    def _check_groups(self, domain: Domain) -> None:
        """Refuse groups that cannot be measured or joined by a model.

        Raises:
            DomainError: There is none, a column is unknown, or a column or group repeats.
            LimitError: The model that joins them is too large.
        """
        if not self.groups:
            raise DomainError("The method 'groups' needs groups, such as \"a,b;c,d\".")
        for group in self.groups:
            for name in group:
                if name not in domain.names:
                    hint = suggest_similar(name, domain.names)
                    raise DomainError(
                        f"A group names the column '{name}', which the domain does not "
                        f"have{hint}"
                    )
            if len(set(group)) < len(group):
                names = ", ".join(f"'{name}'" for name in group)
                raise DomainError(f"The group {names} names a column twice.")
        if len({frozenset(group) for group in self.groups}) < len(self.groups):
            raise DomainError("Two groups hold the same columns.")
        tree = junction_tree(domain.shape, self.cliques(domain))
        if tree.cells > self.most_cells:
            largest = max(tree.cliques, key=lambda c: cells(domain.shape, c))
            raise self._too_large(
                "The groups need a model of", domain, largest, size=tree.cells
            )

    def _check_pairs(self, domain: Domain) -> None:
        """Refuse a domain of which even the smallest pair is too large.

        Raises:
            LimitError: That is so.
        """
        several = [column for column, size in enumerate(domain.shape) if size > 1]
        smallest = tuple(sorted(sorted(several, key=domain.shape.__getitem__)[:2]))
        size = cells(domain.shape, smallest)
        if len(smallest) == 2 and size > self.most_cells:
            raise self._too_large("Even one pair needs", domain, smallest, size=size)

    def _too_large(
        self, beginning: str, domain: Domain, clique: Clique, *, size: int
    ) -> LimitError:
        """Return the error of too many cells, for the caller to raise.

        Args:
            beginning: The sentence up to the number of cells.
            domain: The declared columns.
            clique: Column numbers of the table that is too large; the error names the one
                with most cells.
            size: The number of cells that are needed.
        """
        widest = max(clique, key=lambda column: domain.shape[column])
        return LimitError(
            f"{beginning} {size:,} cells, and {self.max_model_mb:,} MB hold "
            f"{self.most_cells:,}. Coarsen '{domain.names[widest]}' "
            f"({domain.shape[widest]:,} cells), or allow more memory (max model MB)."
        )


def histogram_suffices(shape: Sequence[int], mechanism: DiscreteLaplace) -> bool:
    """Return whether the full histogram is right for every number of rows.

    It is for a single pair, and with at most ``STRAY_ROWS`` of noise. It is in small
    universes too, where summed pairs have no more noise than two columns alone. Otherwise see
    `choosing.choose`.

    Summing a histogram of X cells down to a pair of n adds the noise of X / n cells to each.
    The L1 error is sqrt(X n) in all. Measuring d columns at the best split costs (sum of sqrt
    n)^2 in all, a d-th of it for each.

    Args:
        shape: Number of cells of every column.
        mechanism: The noise on each cell of the full histogram.

    >>> loud, low = DiscreteLaplace(Fraction(9)), DiscreteLaplace(Fraction(1, 10))
    >>> histogram_suffices((2, 3, 4), loud), histogram_suffices((4, 5, 6), loud)
    (True, False)
    >>> histogram_suffices((10,) * 5, low), histogram_suffices((10,) * 8, low)
    (True, False)
    """

    size = cells(shape, range(len(shape)))
    widths = [width for width in shape if width > 1]
    if len(widths) <= 2:  # a single pair, or less
        return True
    if size <= min(limits.DENSE_CELLS, STRAY_ROWS / mechanism.mean_absolute):
        return True
    # Below, ``pair_error`` is at least sqrt(size), and ``column_error`` at most the sum of
    # widths (Cauchy-Schwarz). These bounds spare the list of all pairs.
    if math.isqrt(size) > 2 * sum(widths):
        return False
    pairs = small_pairs(shape, 2**62)  # all of them, of any size
    pair_error = sum(math.sqrt(size * cells(shape, pair)) for pair in pairs) / len(pairs)
    column_error = sum(map(math.sqrt, widths)) ** 2 / len(widths)
    # A pair that is not measured has the errors of both columns.
    return pair_error <= 2 * column_error

"""The request for a draft: the columns, the guarantee and its shares. PUBLIC.

>>> request = DraftRequest(columns=("sex", "age"), guarantee=Guarantee.pure(1))
>>> [str(share) for share in request.shares], str(request.costs.shapes)
(['epsilon = 1/2', 'epsilon = 1/2'], 'epsilon = 1/4')
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Self

from synth import limits
from synth.domain import first_repeat
from synth.drafting.candidates import ANY, Candidates
from synth.errors import ArgumentError, LimitError
from synth.noise import PartitionSelection
from synth.privacy import (
    ROW,
    Guarantee,
    Neighbors,
    RowReading,
    Sensitivity,
    Unit,
    share_out,
    terms,
)

# Version of the queries of a draft; part of the request.
DRAFT_VERSION = 1

# Share of a column's cost for its shapes.
SHAPES = Fraction(1, 2)
# Share for its bounds or values.
STEPS = Fraction(2, 5)
# Share for one further number.
DISTINCT = Fraction(1, 10)


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Cost of each query about one column.

    Attributes:
        steps: For bounds of numbers or dates.
        values: For frequent texts; None without delta.
        number: For the number of different values, or of rows with the found ones.
    """

    shapes: Guarantee
    steps: Guarantee
    values: Guarantee | None
    number: Guarantee

    @classmethod
    def split_share(cls, share: Guarantee) -> "Costs":
        """Split a column's share over its queries.

        A column has either bounds or frequent texts, so both have the epsilon of `STEPS`; the
        texts have the whole delta.
        """
        assert share.epsilon is not None
        shapes, steps, number = (share.epsilon * part for part in (SHAPES, STEPS, DISTINCT))
        values = Guarantee.approximate(steps, share.delta) if share.delta else None
        return cls(
            shapes=Guarantee.pure(shapes),
            steps=Guarantee.pure(steps),
            values=values,
            number=Guarantee.pure(number),
        )


@dataclass(frozen=True, kw_only=True)
class DraftRequest:
    """A requested draft.

    Attributes:
        guarantee: For all columns together, an epsilon with or without a delta.

    Raises:
        ArgumentError: There is no column, one twice, or the person's; the guarantee is a rho,
            or too small for any noise.
        LimitError: There are too many columns.
    """

    columns: tuple[str, ...]
    guarantee: Guarantee
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    unit: Unit = ROW
    candidates: Candidates = field(default_factory=Candidates)
    dataset: str = "table"

    def __post_init__(self) -> None:
        """Check the columns, the guarantee and the candidates."""
        if not self.columns:
            raise ArgumentError("A draft is of at least one column.")
        if len(self.columns) > limits.MAX_COLUMNS:
            raise LimitError(
                f"A draft is of at most {limits.MAX_COLUMNS:,} columns, and these are "
                f"{len(self.columns):,}; name the important ones."
            )
        twice = first_repeat(self.columns)
        if twice is not None:
            raise ArgumentError(f"The draft names the column '{twice}' twice.")
        if self.unit.person in self.columns:
            raise ArgumentError(
                f"The column '{self.unit.person}' says whose row it is, and is not drafted."
            )
        strangers = {*self.candidates.lists} - {*self.columns, ANY}
        if strangers:
            raise ArgumentError(
                f"The candidates name the column '{min(strangers)}', which is not drafted."
            )
        self._check_noise()

    def learn(self, _readings: Mapping[str, RowReading], _looked: Collection[str]) -> Self:
        """Return the request unchanged: nothing in it depends on how rows are read, or on
        looks.
        """
        return self

    def _check_noise(self) -> None:
        """Refuse an epsilon or delta whose noise Synth cannot draw."""
        if self.guarantee.epsilon is None:
            raise ArgumentError(
                "A draft costs an epsilon, with or without a delta, and no rho."
            )
        costs = self.costs
        moves = self.moves
        scale = moves.l1 / (costs.number.epsilon or Fraction(1))
        if not limits.SCALE_MIN <= moves.l1 / (costs.shapes.epsilon or 1) <= scale:
            raise ArgumentError(
                "The epsilon of the draft is too large: its noise would be smaller than "
                "Synth draws; take a smaller epsilon."
            )
        if scale > limits.MAX_SCALE:
            raise ArgumentError(
                "The epsilon of the draft is too small for so many columns: its noise would "
                "be larger than Synth draws; take a larger epsilon, or name fewer columns."
            )
        if self.selection is None and self.guarantee.delta:
            raise ArgumentError("The delta of the draft is too small for so many columns.")

    @cached_property
    def shares(self) -> list[Guarantee]:
        """The share of each column, with the guarantee as their exact sum."""
        return share_out(self.guarantee, [1 for _ in self.columns])

    @property
    def costs(self) -> Costs:
        """The cost of each query about one column."""
        return Costs.split_share(self.shares[0])

    @property
    def moves(self) -> Sensitivity:
        """How far one unit moves the cells of a column."""
        k = self.unit
        return Sensitivity(
            k.sensitivity(self.neighbors), k.square(self.neighbors), k.max_rows
        )

    @cached_property
    def selection(self) -> PartitionSelection | None:
        """The choice of frequent texts; None without a delta."""
        values = self.costs.values
        try:
            return PartitionSelection.for_guarantee(values, self.moves) if values else None
        except ArgumentError:
            return None

    @cached_property
    def request(self) -> str:
        """Text by which a ledger finds the draft again."""
        lists = {name: list(texts) for name, texts in sorted(self.candidates.lists.items())}
        content = [
            DRAFT_VERSION,
            list(self.columns),
            terms(self.guarantee),
            self.neighbors.value,
            self.unit.person,
            self.unit.max_rows,
            lists,
        ]
        return f"draft {hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]}"

    def scale(self, cost: Guarantee) -> Fraction:
        """Return the Laplace scale on a column's cells."""
        assert cost.epsilon is not None
        return self.moves.l1 / cost.epsilon

    @property
    def number_scale(self) -> Fraction:
        """Laplace scale on one number, which moves by at most a unit's rows."""
        assert self.costs.number.epsilon is not None
        return self.unit.max_rows / self.costs.number.epsilon

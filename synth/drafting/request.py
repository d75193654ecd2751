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
        shapes: For the histogram of cells by shape, which tells the column's kind.
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
        """Return the cost of each query, from a column's share of the draft's guarantee.

        A column has either bounds or frequent texts, so each of these two has the epsilon of
        `STEPS`; the texts have the whole delta. Without a delta they cannot be found.
        """
        assert share.epsilon is not None
        shapes = share.epsilon * SHAPES
        steps = share.epsilon * STEPS
        number = share.epsilon * DISTINCT
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
        columns: The columns to draft, in order.
        guarantee: For all columns together, an epsilon with or without a delta.
        neighbors: The relation of neighbouring tables.
        unit: Whose rows are protected.
        candidates: Texts that columns may hold.
        dataset: The steward's name for the table.

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
        """Check the columns, the candidates and the guarantee.

        Raises:
            ArgumentError: There is no column, one twice, or the one that names the person;
                candidates are of another column; or the noise cannot be drawn.
            LimitError: There are too many columns.
        """
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
        other_columns = {*self.candidates.lists} - {*self.columns, ANY}
        if other_columns:
            raise ArgumentError(
                f"The candidates name the column '{min(other_columns)}', which is not "
                "drafted."
            )
        self._check_noise()

    def learn(self, _readings: Mapping[str, RowReading], _looked: Collection[str]) -> Self:
        """Return the request unchanged.

        A request for a release learns here what counts as a row, and whether somebody saw
        exact numbers of rows; a draft depends on neither.
        """
        return self

    def _check_noise(self) -> None:
        """Raise ArgumentError if the noise of the epsilon or delta cannot be drawn."""
        if self.guarantee.epsilon is None:
            raise ArgumentError(
                "A draft costs an epsilon, with or without a delta, and no rho."
            )
        # The query with most epsilon has the least noise, and the one with least the most.
        # The epsilon of a cost is never 0 or None; `or` only tells the type checker so.
        sensitivity = self.moves.l1
        least_scale = sensitivity / (self.costs.shapes.epsilon or 1)
        largest_scale = sensitivity / (self.costs.number.epsilon or Fraction(1))
        if not limits.SCALE_MIN <= least_scale <= largest_scale:
            raise ArgumentError(
                "The epsilon of the draft is too large: its noise would be smaller than "
                "Synth draws; take a smaller epsilon."
            )
        if largest_scale > limits.MAX_SCALE:
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
        """The cost of each query about one column, which is the same for all columns."""
        return Costs.split_share(self.shares[0])

    @property
    def moves(self) -> Sensitivity:
        """The sensitivity of a histogram of one column: how far one unit moves its cells.

        A unit is a row, or all rows of a person, of which at most `max_rows` count.
        """
        return Sensitivity(
            l1=self.unit.sensitivity(self.neighbors),
            squared_l2=self.unit.square(self.neighbors),
            l_infinity=self.unit.max_rows,
        )

    @cached_property
    def selection(self) -> PartitionSelection | None:
        """The private choice of texts that enough rows have.

        None without a delta, or if the delta is too small for any text.
        """
        values = self.costs.values
        try:
            return PartitionSelection.for_guarantee(values, self.moves) if values else None
        except ArgumentError:
            return None

    @cached_property
    def request(self) -> str:
        """A text by which a ledger finds the draft again; equal requests have the same.

        It is a digest of all that decides the draft's queries and their noise.
        """
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
        """The Laplace scale on one number, which moves by at most a unit's rows."""
        assert self.costs.number.epsilon is not None
        return self.unit.max_rows / self.costs.number.epsilon

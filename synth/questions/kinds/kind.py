"""The interface of a kind of question. PUBLIC.

Code that checks, prices, answers or shows a question uses it and never asks which kind it is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from synth.util import Floats

# What a question may have in addition to its columns and its condition.
Option = Literal[
    "by", "counts", "over", "quantiles", "interval", "candidates", "outcome", "on"
]


@dataclass(frozen=True, kw_only=True)
class QuestionKind:
    """A kind of question.

    Attributes:
        name: The word it begins with; also its name in JSON.
        example: What may follow, about columns of the built-in survey. Help and tests use it.
        columns: Least and most columns that it names.
        takes: What it may have in addition to its columns and its condition.
        joined: A word that may follow its first column instead of a comma.
        needs_condition: Whether it makes no sense for all rows.
        adds: Rows, numbers of its columns, or products; nothing if only a release is asked.
        divides: Whether that is divided by a number of rows.
        lists: Whether its numbers are those of the cells of its columns.
        is_ordinal: Whether the values of ordered lists count as numbers.
        single: The kind that asks of one column what it asks of several.
        squares_from: The first of its columns whose squares it needs; 0 for none.
        reads: How an answer follows from noisy sums of products.
        of_products: Its numbers, shape (..., numbers), from matrices of products, shape (...,
            factors, factors), the first factor being 1; None if they do not follow.
        of_bins: The least and the greatest numbers for rows anywhere in their bins. From
            products of the bins' middles and of their half widths; NaN if the bins are too
            coarse.
        within: Likewise for products with errors up to a bound; NaN if the bounds are too
            wide.
        ends: Least and greatest of its numbers, at which intervals of a release end.
        labels: Labels of its numbers, by its columns, if they are not those of cells or
            groups.
        noun: Its name in a message.
        needs: Beginning of a message about what a column must have.
        not_asked: Why it is not asked of the table itself; empty if it is.
        unit: Unit of its numbers, with ``{}`` for its columns.
        error_unit: Unit of their errors; empty for that of the column, or rows.
        choices: The candidates, if only the choice is shown.
    """

    name: str
    example: str
    columns: tuple[int, int]
    takes: tuple[Option, ...] = ()
    joined: str = ""
    needs_condition: bool = False
    adds: Literal["rows", "numbers", "products", "nothing"] = "rows"
    divides: bool = False
    lists: bool = False
    is_ordinal: bool = False
    single: "QuestionKind | None" = None
    squares_from: int = 1
    reads: Literal["spreads", "lines", "directions"] = "spreads"
    of_products: Callable[[Floats], Floats] | None = None
    of_bins: Callable[[Floats, Floats], tuple[Floats, Floats]] | None = None
    within: Callable[[Floats, Floats], tuple[Floats, Floats]] | None = None
    ends: tuple[float, float] = (-math.inf, math.inf)
    labels: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None
    noun: str = ""
    needs: str = ""
    not_asked: str = ""
    unit: str = "{}"
    error_unit: str = ""
    choices: str = ""

    def __post_init__(self) -> None:
        """Fill in the noun and what a column must have, if they are not given."""
        noun = self.noun or self.name
        object.__setattr__(self, "noun", noun)
        object.__setattr__(self, "needs", self.needs or f"a {noun} needs")

    def __str__(self) -> str:
        """Return the word that a question begins with."""
        return self.name

    @property
    def averages(self) -> bool:
        """Whether its answer is a mean."""
        return self.adds == "numbers" and self.divides

    @property
    def picks(self) -> bool:
        """Whether its answer is the most frequent values of its column."""
        return "counts" in self.takes

    @property
    def is_ranked(self) -> bool:
        """Whether its answer is quantiles."""
        return "interval" in self.takes

    @property
    def compares(self) -> bool:
        """Whether its answer is one of several conditions."""
        return "candidates" in self.takes

    @property
    def is_alone(self) -> bool:
        """Whether its answer is a choice that shows only the chosen candidate."""
        return self.is_ranked or self.compares

    @property
    def sums(self) -> bool:
        """Whether it adds numbers or products of the rows."""
        return self.adds in ("numbers", "products")

    @property
    def multiplies(self) -> bool:
        """Whether it adds products of numbers."""
        return self.adds == "products"

    @property
    def is_released(self) -> bool:
        """Whether it is asked of a release only, never of the table itself."""
        return self.adds == "nothing"

    @property
    def regresses(self) -> bool:
        """Whether it takes regressors, which may be lists."""
        return "on" in self.takes

    @property
    def is_part(self) -> bool:
        """Whether its answer is the share of the rows that meet a condition."""
        return self.adds == "rows" and self.divides

    @property
    def in_rows(self) -> bool:
        """Whether its errors are rows."""
        return self.adds == "rows" and not self.divides

    @property
    def is_whole(self) -> bool:
        """Whether its numbers grow with the rows: counts and totals."""
        return self.adds in ("rows", "numbers") and not (self.divides or self.is_alone)

    @property
    def is_linear(self) -> bool:
        """Whether its answer is one sum over the rows, or that divided by a number of
        rows.
        """
        is_one_number = self.columns[1] <= 1 and not (self.lists or self.is_alone)
        return is_one_number and self.adds in ("rows", "numbers")

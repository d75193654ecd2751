"""The interface of a kind of question. PUBLIC.

Code that checks, prices, answers or shows a question uses it and never asks which kind it is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from synth.domain import Binned, Column
from synth.util import Floats

# What a question may have in addition to its columns and its condition.
Option = Literal[
    "by", "counts", "over", "quantiles", "interval", "candidates", "claimed", "outcome", "on"
]
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class KindReader(Protocol[Result_co]):
    """What reads something off each kind of question: a visitor.

    A kind calls the method that reads its answers, in `QuestionKind.read_with`.
    """

    def read_counts(self) -> Result_co:
        """Read numbers of rows."""

    def read_top(self) -> Result_co:
        """Read the most frequent values of a column."""

    def read_shares(self) -> Result_co:
        """Read numbers of rows over the number of all rows."""

    def read_ranks(self) -> Result_co:
        """Read quantiles."""

    def read_best(self) -> Result_co:
        """Read the condition that most rows meet."""

    def read_check(self) -> Result_co:
        """Read whether a claimed figure is close to the real one."""

    def read_totals(self) -> Result_co:
        """Read sums of numbers."""

    def read_means(self) -> Result_co:
        """Read sums of numbers over the numbers of their rows."""

    def read_products(self) -> Result_co:
        """Read what follows from sums of products."""


@dataclass(frozen=True, kw_only=True)
class QuestionKind:
    """A kind of question: a `CountKind`, a `SumKind` or a `ProductKind`.

    Attributes:
        name: The word it begins with; also its name in JSON.
        example: What may follow, about columns of the built-in survey. Help and tests use it.
        columns: Least and most columns that it names.
        takes: What it may have in addition to its columns and its condition.
        joined: A word that may follow its first column instead of a comma.
        needs_condition: Whether it makes no sense for all rows.
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
        not_asked: Why only a release is asked, and not the table itself; empty if both are.
        unit: Unit of its numbers, with ``{}`` for its columns.
        error_unit: Unit of their errors; empty for that of the column, or rows.
        choices: The candidates, if only the choice is shown.
        hidden: Why noise may leave a simulated answer without a number.
    """

    name: str
    example: str
    columns: tuple[int, int]
    takes: tuple[Option, ...] = ()
    joined: str = ""
    needs_condition: bool = False
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
    hidden: str = "the noise could hide that there is no such number"

    def __post_init__(self) -> None:
        """Fill in the noun and what a column must have, if they are not given."""
        # The class is frozen, so fields are set through the base class.
        noun = self.noun or self.name
        object.__setattr__(self, "noun", noun)
        object.__setattr__(self, "needs", self.needs or f"a {noun} needs")

    def __str__(self) -> str:
        """Return the word that a question begins with."""
        return self.name

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Return what the reader's method for this kind returns."""
        raise NotImplementedError

    def listed_columns(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns each of whose cells has a number in the answer."""
        return ()

    def regressors(self, columns: tuple[str, ...], *, has_outcome: bool) -> tuple[str, ...]:
        """Return the columns on which an outcome depends; none if the kind is no regression.

        Args:
            columns: The columns of the question.
            has_outcome: Whether a condition is the outcome, and not the first column.
        """
        return ()

    def top_fields(self, k: int, *, counts: bool) -> dict[str, int | bool]:
        """Return the fields of JSON that say how many of the most frequent values are asked
        for.

        Empty for kinds that ask for none. ``counts`` says whether their numbers of rows are
        asked for too.
        """
        return {}

    def hides_numbers(self, *, counts: bool) -> bool:
        """Return whether answers name values or conditions, without numbers of rows.

        ``counts`` says that numbers of rows are asked for.
        """
        return False

    def is_choice(self, k: int, *, counts: bool) -> bool:
        """Return whether an answer may show only the chosen candidate, without noisy numbers.

        Args:
            k: How many of the most frequent values are asked for.
            counts: Whether their numbers of rows are asked for too.
        """
        return self.is_single_choice or (self.hides_numbers(counts=counts) and k == 1)

    def column_fault(self, column: Column) -> str:
        """Return a sentence why the kind takes no numbers of a column; empty if it takes
        them.
        """
        # Columns of numbers and dates have bounds. A list with an extent has an order.
        if isinstance(column, Binned) or (self.is_ordinal and column.extent is not None):
            return ""
        lacks = "bounds"
        others = self._other_columns
        if self.is_ordinal:
            lacks = "order"
            others = " and ordered lists"
        return (
            f"Column '{column.name}' ({column.kind}) has no {lacks}, which {self.needs}; "
            f"columns of numbers{others} have."
        )

    @property
    def _other_columns(self) -> str:
        # Which columns have bounds, in addition to those of numbers.
        return " and dates"

    def axis_text(self, question: str, column: str | None) -> str:
        """Return what the numbers of an answer measure, for the axis of a picture.

        Args:
            question: The text of the question.
            column: The name of the column whose values the numbers are; None for numbers of
                rows.
        """
        return "rows" if column is None else f"{self} of {column}"

    def error_sentence(self, error: str, *, labels: int, numbers: int) -> str:
        """Return the average error of an answer, in words.

        Args:
            error: The error of one number, with its unit.
            labels: How many labels the answer has.
            numbers: How many numbers it has.
        """
        return f"± {error} each" if numbers > 1 else f"± {error}"

    @property
    def is_single_choice(self) -> bool:
        """Whether its answer is a choice that shows only the chosen candidate."""
        return False

    @property
    def is_ranked(self) -> bool:
        """Whether its answer is quantiles."""
        return False

    @property
    def is_share(self) -> bool:
        """Whether its answer is the share of the rows that meet a condition."""
        return False

    @property
    def adds_numbers(self) -> bool:
        """Whether it adds numbers or products of the rows, and not only rows."""
        return False

    @property
    def adds_products(self) -> bool:
        """Whether it adds products of numbers."""
        return False

    @property
    def is_mean(self) -> bool:
        """Whether its answer is a mean."""
        return False

    @property
    def grows_with_rows(self) -> bool:
        """Whether its numbers grow with the rows: counts and totals."""
        return False

    @property
    def is_linear(self) -> bool:
        """Whether its answer is one sum over the rows, or that divided by their number."""
        return False

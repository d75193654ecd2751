"""The three kinds of kind: counts of rows, sums of numbers, sums of products. PUBLIC."""

from dataclasses import dataclass

from synth.domain import Binned, Column
from synth.questions.kinds.kind import KindReader, QuestionKind, Result


@dataclass(frozen=True, kw_only=True)
class CountKind(QuestionKind):
    """A kind whose answers follow from numbers of rows.

    Attributes:
        divides: Whether they are divided by the number of all rows.
        lists: Whether its numbers are those of the cells of its columns.
    """

    divides: bool = False
    lists: bool = False

    def __post_init__(self) -> None:
        """Fill in the unit of errors as well: rows, unless they are divided."""
        super().__post_init__()
        if not (self.divides or self.error_unit):
            # The class is frozen, so a field is set through the base class.
            object.__setattr__(self, "error_unit", "rows")

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Read shares or counts."""
        return reader.read_shares() if self.divides else reader.read_counts()

    def listed_columns(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns whose combinations of cells have a number each: a table's."""
        return columns if self.lists else ()

    def axis_text(self, question: str, column: str | None) -> str:
        """Return what the numbers of an answer measure, for the axis of a picture."""
        return "share of rows" if self.divides else super().axis_text(question, column)

    @property
    def is_share(self) -> bool:
        """Whether the numbers of rows are divided by the number of all rows."""
        return self.divides

    @property
    def grows_with_rows(self) -> bool:
        """Whether its numbers are numbers of rows."""
        return not self.divides

    @property
    def is_linear(self) -> bool:
        """Whether it is one number, which all do that list no cells."""
        return self.columns[1] <= 1 and not self.lists


@dataclass(frozen=True, kw_only=True)
class TopKind(CountKind):
    """The kind that asks for the most frequent values of a column."""

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Read the most frequent values."""
        return reader.read_top()

    def top_fields(self, k: int, *, counts: bool) -> dict[str, int | bool]:
        """Return the fields of JSON that say how many values are asked for, and if with
        counts.
        """
        return {"k": k, "counts": counts}

    def hides_numbers(self, *, counts: bool) -> bool:
        """Return whether the values come without their counts."""
        return not counts


@dataclass(frozen=True, kw_only=True)
class ChoiceKind(CountKind):
    """A kind whose answer is a choice among candidates, by numbers of rows."""

    @property
    def is_single_choice(self) -> bool:
        """Whether its answer is a choice: always."""
        return True

    @property
    def grows_with_rows(self) -> bool:
        """Whether its numbers grow with the rows: never, as they are candidates."""
        return False

    @property
    def is_linear(self) -> bool:
        """Whether its answer is a sum over the rows: never."""
        return False


@dataclass(frozen=True, kw_only=True)
class RankKind(ChoiceKind):
    """A kind that asks for quantiles."""

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Read quantiles."""
        return reader.read_ranks()

    def error_sentence(self, error: str, *, labels: int, numbers: int) -> str:
        """Return, in words, how far the rank of a quantile may be from the requested rank.

        Args:
            error: The error of one rank, with its unit.
            labels: How many labels the answer has; 0 for a single quantile.
            numbers: How many numbers it has.
        """
        return f"up to {error} from {'their ranks' if labels else 'its rank'}"

    @property
    def is_ranked(self) -> bool:
        """Whether its answer is quantiles: always."""
        return True


@dataclass(frozen=True, kw_only=True)
class BestKind(ChoiceKind):
    """The kind that asks which of several conditions most rows meet."""

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Read the best condition."""
        return reader.read_best()

    def hides_numbers(self, *, counts: bool) -> bool:
        """Return whether a condition is named without its number of rows: always."""
        return True


@dataclass(frozen=True, kw_only=True)
class CheckKind(ChoiceKind):
    """The kind that asks whether a claimed figure is close to the real one: yes or no."""

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Read the yes or the no."""
        return reader.read_check()


@dataclass(frozen=True, kw_only=True)
class SumKind(QuestionKind):
    """A kind whose answers are sums of numbers of its columns.

    Attributes:
        divides: Whether they are divided by the number of rows that have a number.
    """

    divides: bool = False

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Read means or totals."""
        return reader.read_means() if self.divides else reader.read_totals()

    def column_fault(self, column: Column) -> str:
        """Return a sentence why the kind takes no sums of a column; empty if it takes them.

        A column of dates has a mean, but no total.
        """
        fault = super().column_fault(column)
        if fault or self.divides or not isinstance(column, Binned) or column.adds_up:
            return fault
        return (
            f"Column '{column.name}' ({column.kind}) has no total; ask for its mean instead."
        )

    @property
    def adds_numbers(self) -> bool:
        """Whether it adds numbers: always."""
        return True

    @property
    def is_mean(self) -> bool:
        """Whether its answer is a mean."""
        return self.divides

    @property
    def grows_with_rows(self) -> bool:
        """Whether its answer is a total."""
        return not self.divides

    @property
    def is_linear(self) -> bool:
        """Whether it is about one column."""
        return self.columns[1] <= 1


@dataclass(frozen=True, kw_only=True)
class ProductKind(QuestionKind):
    """A kind whose answers follow from sums of products of numbers of its columns."""

    def read_with(self, reader: KindReader[Result]) -> Result:
        """Read what follows from sums of products."""
        return reader.read_products()

    def column_fault(self, column: Column) -> str:
        """Return a sentence why the kind takes no products of a column; empty if it takes
        them.

        Products need numbers that add up, and that can vary.
        """
        fault = super().column_fault(column)
        if fault or not isinstance(column, Binned):
            return fault
        if not column.adds_up:
            return (
                f"Column '{column.name}' ({column.kind}) holds no numbers, which "
                f"{self.needs}."
            )
        if column.bounds[0] == column.bounds[1]:
            return (
                f"Column '{column.name}' is declared constant, and {self.needs} one that "
                "varies."
            )
        return ""

    @property
    def _other_columns(self) -> str:
        return ""

    def axis_text(self, question: str, column: str | None) -> str:
        """Return the question itself, as each has a unit of its own."""
        return question

    @property
    def adds_numbers(self) -> bool:
        """Whether it adds numbers, of which products are some: always."""
        return True

    @property
    def adds_products(self) -> bool:
        """Whether it adds products of numbers: always."""
        return True


@dataclass(frozen=True, kw_only=True)
class RegressionKind(ProductKind):
    """A kind that asks how an outcome depends on other columns, which may be lists."""

    hidden: str = (
        "the noise could hide that its regressors depend on each other (a singular design)"
    )

    def regressors(self, columns: tuple[str, ...], *, has_outcome: bool) -> tuple[str, ...]:
        """Return the columns on which the outcome depends.

        They are the columns after the first, which is the outcome; all columns if a condition
        is the outcome (``has_outcome``).
        """
        return columns if has_outcome else columns[1:]

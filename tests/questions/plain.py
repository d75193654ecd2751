"""What questions mean, in plain Python: row by row, by the rules of the declaration, in
fractions.

A row that a rule leaves out of a column is counted by no question about this column. Two
rules of the language are written out here. Where a mean or a total is over a public number of
rows (replace-one, no condition, no groups, a column with a nearest rule and no missing cell),
a row that cannot be read counts as the middle of the range. A share is of all rows but those
that the rule "drop" of a column leaves out."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor

from synth.domain import (
    OTHER_LABEL,
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Number,
)
from synth.private.table import Format
from synth.questions import And, Condition, Missing, Not, Question
from synth.questions.wording.condition import Compare, OneOf, Sign
from tests.fuzz import reference

FORM = Format()


@dataclass(frozen=True)
class Cell:
    """What a cell holds after the rules.

    Attributes:
        code: The declared cell; None where the row is left out.
        value: A number, seconds since 1970 of a date, a place in a list; None of the missing
            cell and of the one for values outside.
        is_code: Whether it is a spike outside the bounds.
        is_other: Whether it is in the cell of values outside.
        is_reason: Whether it says why a value is missing, such as "refused".
    """

    code: int | None
    value: float | None = None
    is_code: bool = False
    is_other: bool = False
    is_reason: bool = False

    @property
    def is_out(self) -> bool:
        """Whether its row is left out."""
        return self.code is None

    @property
    def is_missing(self) -> bool:
        """Whether it is in the missing cell, or says why a value is missing."""
        is_empty = self.code is not None and self.value is None and not self.is_other
        return is_empty or self.is_reason

    @property
    def number(self) -> float | None:
        """What it adds to a sum; None for nothing."""
        return None if self.is_code else self.value


def read_cell(column: Column, text: str, missing: Sequence[str]) -> Cell:
    """What a cell holds."""
    code = reference.code(column, text, missing, FORM)
    if code is None or code == column.missing_code:
        return Cell(code)
    if code == column.other_code:
        return Cell(code, is_other=True)
    is_reason = text.strip(reference.SPACES) in column.reasons
    if not isinstance(column, Binned):
        return Cell(code, float(code), is_reason=is_reason)
    piece, (low, high) = column.pieces[code], column.bounds
    size = column.seconds if isinstance(column, Date) else 1
    if not low <= piece.low <= high:
        return Cell(code, float(piece.low) * size, is_code=True, is_reason=is_reason)
    bare = text.strip(reference.SPACES)
    value = reference.value_of(column, bare, FORM)
    value = min(max(value, float(low) * size), float(high) * size)
    return Cell(code, value if isinstance(column, Number) else float(value // size * size))


Row = dict[str, Cell]


def read_rows(domain: Domain, rows: Sequence[Sequence[str]]) -> list[Row]:
    """All rows of a table, as the rules leave them; texts that are alike share what they
    hold.
    """
    cells_by_text = [
        {text: read_cell(column, text, domain.missing_values) for text in set(texts)}
        for column, texts in zip(domain.columns, zip(*rows, strict=True), strict=True)
    ]
    names = domain.names
    return [
        dict(zip(names, map(dict.__getitem__, cells_by_text, row), strict=True))
        for row in rows
    ]


def holds(where: Condition | None, row: Row, domain: Domain) -> bool:
    """Whether a row meets a condition."""
    if where is None:
        return True
    if isinstance(where, Missing):
        return row[where.column].is_missing
    if isinstance(where, OneOf):
        return any(
            _is(row[where.column], domain[where.column], value) for value in where.values
        )
    if isinstance(where, Compare):
        return _compares(where, row[where.column], domain[where.column])
    if isinstance(where, Not):
        return not holds(where.part, row, domain)
    met = [holds(part, row, domain) for part in where.parts]
    return all(met) if isinstance(where, And) else any(met)


def _compares(where: Compare, cell: Cell, column: Column) -> bool:
    if where.sign is Sign.EQUAL:
        return _is(cell, column, where.value)
    if where.sign is Sign.UNEQUAL:
        return not _is(cell, column, where.value)
    if cell.number is None:
        return False
    value, typed = Fraction(cell.number), _typed(column, where.value)
    signs: dict[Sign, bool] = {
        Sign.BELOW: value < typed,
        Sign.AT_MOST: value <= typed,
        Sign.ABOVE: value > typed,
        Sign.AT_LEAST: value >= typed,
    }
    return signs[where.sign]


def _is(cell: Cell, column: Column, text: str) -> bool:
    if text == OTHER_LABEL and column.other_code is not None:
        return cell.is_other
    return cell.value is not None and Fraction(cell.value) == _typed(column, text)


def _typed(column: Column, text: str) -> Fraction:
    """A value as it is typed, in what cells hold; of real numbers the double next to it."""
    if isinstance(column, Categorical):
        return Fraction(column.categories.index(text))
    if isinstance(column, Boolean):
        return Fraction(text in column.true_values or text == "true")
    if isinstance(column, Date):
        return column.position(text) * column.seconds
    typed = Fraction(text)
    return Fraction(float(typed)) if isinstance(column, Number) else typed


def matching_rows(question: Question, rows: Sequence[Row], domain: Domain) -> list[Row]:
    """The rows that a question is about."""
    return [
        row
        for row in rows
        if not any(row[name].is_out for name in question.uses)
        and holds(question.where, row, domain)
    ]


def cells(names: Sequence[str], domain: Domain) -> list[tuple[int, ...]]:
    """The groups of some columns, the first being the slowest."""
    return list(product(*(range(domain[name].size) for name in names)))


def grouped(names: Sequence[str], rows: Sequence[Row], domain: Domain) -> list[list[Row]]:
    """Rows by group."""
    groups: dict[tuple[int, ...], list[Row]] = {cell: [] for cell in cells(names, domain)}
    for row in rows:
        groups[tuple(row[name].code or 0 for name in names)].append(row)
    return list(groups.values())


def table(question: Question, rows: Sequence[Row], domain: Domain) -> list[int]:
    """Rows in every cell."""
    return [
        len(group)
        for group in grouped(question.columns, matching_rows(question, rows, domain), domain)
    ]


def numbers(column: str, rows: Sequence[Row]) -> list[Fraction]:
    """The numbers that some rows hold."""
    return [Fraction(value) for row in rows if (value := row[column].number) is not None]


def totals(
    question: Question, rows: Sequence[Row], domain: Domain, *, public: bool
) -> list[Fraction]:
    """Sums by group."""
    (column,) = question.columns
    if public and covers(question, domain[column]):
        return [sum(all_numbers(domain[column], rows), Fraction(0))]
    groups = grouped(question.by, matching_rows(question, rows, domain), domain)
    return [sum(numbers(column, group), Fraction(0)) for group in groups]


def all_numbers(column: Column, rows: Sequence[Row]) -> list[Fraction]:
    """The numbers of all rows, with the middle for those that cannot be read."""
    numbers_of_rows = (row[column.name].number for row in rows)
    return [middle(column) if value is None else Fraction(value) for value in numbers_of_rows]


def means(
    question: Question, rows: Sequence[Row], domain: Domain, *, public: bool
) -> list[Fraction | None]:
    """Means of every column, or of one by group; None where nobody has a number.

    Args:
        question: Of means.
        rows: Of the table, or of its persons.
        domain: As declared.
        public: Whether the number of rows is public.
    """
    means_of_columns: list[Fraction | None] = []
    for name in question.columns:
        of_column = Question(
            kind=question.kind, columns=(name,), by=question.by, where=question.where
        )
        if public and covers(of_column, domain[name]):
            means_of_columns += _mean(all_numbers(domain[name], rows))
            continue
        for group in grouped(question.by, matching_rows(of_column, rows, domain), domain):
            means_of_columns += _mean(numbers(name, group))
    return means_of_columns


def _mean(values: list[Fraction]) -> list[Fraction | None]:
    return [sum(values, Fraction(0)) / len(values) if values else None]


def covers(question: Question, column: Column) -> bool:
    """Whether a mean is over all rows, as it is where their number is public."""
    codes = any(
        not column.bounds[0] <= piece.low <= column.bounds[1] for piece in column.pieces
    )
    valued = column.rule == "nearest" and not column.missing and not codes
    return valued and not question.by and question.where is None


def middle(column: Column) -> Fraction:
    """What counts for a row that cannot be read: half the range, down to a whole unit."""
    low, high = column.bounds
    size = column.seconds if isinstance(column, Date) else 1
    half = (high - low) / 2
    return size * (low + (half if isinstance(column, Number) else floor(half)))


def share_of(question: Question, rows: Sequence[Row], domain: Domain) -> Fraction | None:
    """Which part of all rows; None of no rows."""
    dropping = [name for name in question.uses if domain[name].rule == "drop"]
    counted = [row for row in rows if not any(row[name].is_out for name in dropping)]
    return (
        Fraction(len(matching_rows(question, rows, domain)), len(counted))
        if counted
        else None
    )

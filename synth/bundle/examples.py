"""Worked examples for readers of a release, and advice on its rows. PUBLIC.

The examples are questions that the release answers with an interval. They follow from the
noisy counts, and are on the page ``open.html`` and in a notebook.
"""

import math

from synth.analysis import Conclusion, conclusions
from synth.bundle.guard import guard_cell
from synth.domain import Column, Domain
from synth.errors import SynthError
from synth.estimate import Record
from synth.questions import name_text, value_text
from synth.util import check_deadline

# Most worked examples.
MAX_EXAMPLES = 3
# Most values of a column that an example may list.
MAX_LISTED_VALUES = 12
# Number of questions that are tried for them.
TRIED_QUESTIONS = 12

NOT_TO_ASK = (
    "Do not use a statistics program's intervals: they leave out the noise and are too "
    "short. Use the intervals of synth.analyse, or the tables of synth.replicates with "
    "software for multiple imputation.",
    "Do not ask about single rows, extreme values or rare combinations. The noise may hide a "
    "small group, or invent one.",
    "Do not ask about column combinations marked 'poor' or 'not measured', or about three "
    "columns that were not measured together. There, the rows only show a model's guess.",
    "Within a cell (a bin of numbers or dates), values are drawn evenly. They do not show "
    "the real values' positions in the cell.",
    "Do not join the rows with other tables: no row describes a real person.",
)


# Questions that the release answers, each with an expression of ``rows`` in pandas, the CSV
# file as texts, for the rows alone.
Examples = list[tuple[str, str]]
# Examples with the release's answers.
Worked = list[tuple[str, str, Conclusion]]


def examples_of(record: Record) -> Worked:
    """Return up to `MAX_EXAMPLES` questions that the release answers with an interval.

    Questions whose answer is only a bound, was simulated or has no interval are left out.

    Args:
        record: The noisy counts.

    Returns:
        For each example the question, an expression in pandas that gives it from the rows
        alone, and the release's answer.
    """
    examples: Worked = []
    for question, pandas in _candidates(record.domain)[:TRIED_QUESTIONS]:
        check_deadline()
        try:
            (answer,) = conclusions([question], record)
        except SynthError:
            # The noisy counts cannot answer it; try the next one.
            continue
        if not (answer.bound or answer.simulated or math.isnan(answer.low[0])):
            examples.append((question, pandas, answer))
        if len(examples) == MAX_EXAMPLES:
            break
    return examples


def _candidates(domain: Domain) -> Examples:
    """Return questions that may serve as examples: a share, a table, a mean, and so on.

    Returns:
        Each question with an expression in pandas that gives it from the rows alone.
    """
    # Columns that list their values; then columns of numbers, which are no dates and have no
    # text for values outside.
    countable = [
        column
        for column in domain.columns
        if column.list_size or column.dtype in ("bool", "boolean")
    ]
    short = [column for column in countable if len(column.labels) <= MAX_LISTED_VALUES]
    numeric = [
        column
        for column in domain.columns
        if column.summable and not column.told_in and not column.is_mixed
    ]
    # Tables leave out the first column, as the first share is about it already.
    kinds: list[Examples] = [
        [_ask_share(column) for column in countable],
        [_ask_table(column) for column in short[1:] or short],
        [_ask_mean(column) for column in numeric],
    ]
    in_turn: Examples = []
    for number in range(max(map(len, kinds))):
        in_turn += [kind[number] for kind in kinds if number < len(kind)]
    return in_turn


def _select(column: Column) -> str:
    """Return the expression in pandas for a column of the rows."""
    return f"rows[{guard_cell(column.name)!r}]"


def _ask_share(column: Column) -> tuple[str, str]:
    """Return a question and the code in pandas that answers it from the rows alone.

    It asks for the share of rows with the column's first value.
    """
    label = column.labels[0]
    return (
        f"share where {name_text(column.name)} = {value_text(label)}",
        f"({_select(column)} == {guard_cell(label)!r}).mean()",
    )


def _ask_table(column: Column) -> tuple[str, str]:
    """Return the question for the counts of a column's values, and its pandas code."""
    return f"table {name_text(column.name)}", f"{_select(column)}.value_counts()"


def _ask_mean(column: Column) -> tuple[str, str]:
    """Return a question and the code in pandas that answers it from the rows alone.

    It asks for the mean of a column. The code leaves out texts that are no numbers.
    """
    return (
        f"mean {name_text(column.name)}",
        f'pd.to_numeric({_select(column)}, errors="coerce").mean()',
    )

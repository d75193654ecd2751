"""The rows' columns, to the row, without drawing the rows again. PUBLIC.

Synth's rows match the repaired columns (`synth.estimate.models.exact_columns`), so they are
never refused. Real rows pass only if the noise happens to round to nothing; the check
computes how likely that is."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from synth.estimate import MarginalsRecord, NoisyMarginal, Rules, columns_again, round_column
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.util import Floats, Ints, sum_by_cell
from synth.verification.files import refuse
from synth.verification.verdict import OpenClaim

# Most rows that a cell may be off, as processors may round sums another way.
MAX_CELL_DIFFERENCE = 1
# Probability of failing, for real rows, from which the check is worth mentioning.
LIKELY_FAILURE = 0.99
# How often noise is drawn to see whether real rows would fail, over all columns.
NOISE_TRIALS = 200
# How often it is drawn at least, however many columns there are.
LEAST_TRIALS = 10


def check_columns(plan: Plan, record: MarginalsRecord, rows: SyntheticTable) -> str:
    """Check that every column has the rows per cell that the noisy counts give.

    Args:
        plan: The plan of the release.
        record: The noisy counts of the release.
        rows: The synthetic rows of the bundle.

    Returns:
        The sentence, with the probability that rows copied from the table would fail; an
        open claim if the columns cannot be compared or if this probability is small.

    Raises:
        RefutedError: A cell has more than one row too many or too few.
    """
    not_compared = "The rows' columns were not compared with the noisy counts"
    if plan.public is not None:
        return OpenClaim(f"{not_compared}: the rows follow a public table.")
    # Rules may allow only some cells (``allowed``), or order the values of two columns.
    rules = plan.check_model(plan.domain)
    if rules.allowed or rules.order:
        return OpenClaim(f"{not_compared}: rules move rows from cell to cell.")
    counts = {column: _counts(rows, (column,)) for column in range(len(record.domain.shape))}
    for column, expected in _expected_columns(plan, record, rules).items():
        differences = np.abs(counts[column] - round_column(expected, rows.rows))
        if differences.max() > MAX_CELL_DIFFERENCE:
            name = record.domain.names[column]
            # Each row in another cell is missing in one cell and extra in another, so half of
            # the differences is the number of rows, rounded up.
            moved = int(differences.sum() + 1) // 2
            refuse(
                f"Column '{name}' of the synthetic rows does not match the noisy counts: "
                f"{moved:,} of {rows.rows:,} rows are in another cell."
            )
    power = _power(plan, record, rules, rows=rows, counts=counts)
    if power < LIKELY_FAILURE:
        return OpenClaim(
            "The rows' columns match the noisy counts. But the noise is small: rows copied "
            f"from the table would fail this check with a probability of {100 * power:.0f} % "
            "only."
        )
    # The percentage is rounded down to two decimals and never shown as 100.
    return (
        "The rows' columns match the noisy counts exactly. Rows copied from the table would "
        "fail this check with a probability of at least "
        f"{min(9999, math.floor(1e4 * power)) / 100:g} %."
    )


def _expected_columns(
    plan: Plan, record: MarginalsRecord, rules: Rules
) -> Mapping[int, Floats]:
    """Return the rows per cell that the noisy counts give, shape (cells,), by column number.

    They are floats, not yet rounded. Columns that the counts do not fix are left out.
    """
    return columns_again(record, plan, rules=rules)


def _power(
    plan: Plan,
    record: MarginalsRecord,
    rules: Rules,
    *,
    rows: SyntheticTable,
    counts: Mapping[int, Floats],
) -> float:
    """Return the estimated probability that rows copied from the table fail the check.

    Each trial takes the counts of these rows as if they were the table's, adds new noise and
    derives the columns. A column passes if no cell is off by more than one row. Columns count
    as independent, so the probabilities of passing are multiplied. A column that never passes
    in n trials counts as passing once in n + 1.

    Args:
        plan: The plan of the release.
        record: The noisy counts of the release, which say what was measured with which noise.
        rules: The plan's rules; they allow every row.
        rows: The synthetic rows of the bundle.
        counts: Rows per cell, shape (cells,), by column number.
    """
    # A clique is the columns of a measured histogram, by their numbers.
    exact_counts = {
        clique: _counts(rows, clique).ravel().astype(np.int64)
        for clique, _ in record.measured
    }
    # A column of one cell always passes.
    columns = sum(size > 1 for size in record.domain.shape)
    trials = max(LEAST_TRIALS, NOISE_TRIALS // max(columns, 1))
    passes = dict.fromkeys(counts, 1)  # by column number; 1 for the trial added to n
    for _ in range(trials):
        measured = tuple(
            (clique, _measure_again(marginal, exact_counts[clique]))
            for clique, marginal in record.measured
        )
        expected = _expected_columns(plan, replace(record, measured=measured), rules)
        for column, column_counts in counts.items():
            # A column that the noisy counts do not give cannot fail.
            if column not in expected:
                passes[column] += 1
                continue
            differences = np.abs(column_counts - round_column(expected[column], rows.rows))
            passes[column] += int(differences.max() <= MAX_CELL_DIFFERENCE)
    chances_to_pass = [min(1.0, count / (trials + 1)) for count in passes.values()]
    return float(1 - np.prod(chances_to_pass))


def _measure_again(marginal: NoisyMarginal, counts: Ints) -> NoisyMarginal:
    """Return a marginal with new noise on counts of public rows."""
    return replace(marginal, values=marginal.mechanism.release(counts))


def _counts(rows: SyntheticTable, clique: tuple[int, ...]) -> Floats:
    """Return the numbers of rows in the cells of some columns, of the columns' shape."""
    shape = tuple(rows.domain.shape[column] for column in clique)
    return sum_by_cell([rows.codes[column] for column in clique], shape)

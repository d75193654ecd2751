"""The rows' columns, to the row, without drawing the rows again. PUBLIC.

Rows of a model match the repaired columns to the row (`synth.estimate.models.exact_columns`). Rows
of the real table differ by the noise. So rows that Synth drew are never refused, and real rows pass
only if the noise happens to round to nothing; the check computes how likely that is.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from synth.estimate import MarginalsRecord, Rules, columns_again, round_column
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.util import Floats, sum_by_cell
from synth.verification.files import refuse
from synth.verification.verdict import OpenClaim

MAX_CELL_DIFFERENCE = 1
"""Most rows that a cell may be off: sums differ in their last digits between processors, and may be
rounded another way.
"""
LIKELY = 0.99
"""Probability of failing, for real rows, from which the check is worth mentioning."""
TRIALS = 200
"""How often noise is drawn to see whether real rows would fail, over all columns."""


def check_columns(plan: Plan, record: MarginalsRecord, rows: SyntheticTable) -> str:
    """Check that the rows have the columns that follow from the noisy counts; return the sentence.

    Args:
        plan: The steward's choices.
        record: The public part of the release.
        rows: As in the bundle.
    """
    said = "The rows' columns were not compared with the noisy counts"
    if plan.public is not None:
        return OpenClaim(f"{said}: the rows follow a public table.")
    rules = plan.check_model(plan.domain)
    if rules.allowed or rules.order:
        return OpenClaim(f"{said}: rules move rows from cell to cell.")
    counts = {a: _counts(rows, (a,)) for a in range(len(record.domain.shape))}
    wanted = _columns(plan, record, rules)
    for a in wanted:
        off = np.abs(counts[a] - round_column(wanted[a], rows.rows))
        if off.max() > MAX_CELL_DIFFERENCE:
            name = record.domain.names[a]
            refuse(
                f"The noisy counts give another column '{name}' than the synthetic rows have: "
                f"{int(off.sum() + 1) // 2:,} of {rows.rows:,} rows are in another cell."
            )
    power = _power(plan, record, rules, rows, counts)
    if power < LIKELY:
        return OpenClaim(
            "The rows have the columns that the noisy counts give, but the noise is so small that "
            f"rows of the table itself would be refused with probability {power:.2f} only."
        )
    return (
        "The rows have the columns that the noisy counts give, to the row; rows of the table "
        f"itself would be refused with probability {power:.4f}."
    )


def _columns(plan: Plan, record: MarginalsRecord, rules: Rules) -> Mapping[int, Floats]:
    return columns_again(record, rules=rules, most_cells=plan.most_cells)


def _power(
    plan: Plan,
    record: MarginalsRecord,
    rules: Rules,
    rows: SyntheticTable,
    counts: Mapping[int, Floats],
) -> float:
    """Return the probability that real rows with these counts fail, with columns independent.

    Noise is drawn on the counts of these rows, as if they were the table's, and repaired. A column
    that never fails in n trials counts as failing once in n + 1.
    """
    held = {c: _counts(rows, c).ravel().astype(np.int64) for c, _ in record.measured}
    columns = sum(size > 1 for size in record.domain.shape)
    trials = max(10, TRIALS // max(columns, 1))
    missed = dict.fromkeys(counts, 1)
    for _ in range(trials):
        measured = tuple(
            (clique, replace(one, values=one.mechanism.release(held[clique])))
            for clique, one in record.measured
        )
        given = _columns(plan, replace(record, measured=measured), rules)
        for a, had in counts.items():
            off = np.abs(had - round_column(given[a], rows.rows)) if a in given else np.zeros(1)
            missed[a] += int(off.max() <= MAX_CELL_DIFFERENCE)
    shares = [min(1.0, missed[a] / (trials + 1)) for a in counts]
    return float(1 - np.prod(shares))


def _counts(rows: SyntheticTable, clique: tuple[int, ...]) -> Floats:
    """Count the rows by cell of some columns, in their shape."""
    shape = rows.domain.shape
    return sum_by_cell([rows.codes[a] for a in clique], tuple(shape[a] for a in clique))

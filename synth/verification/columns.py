"""The rows' columns, to the row, without drawing the rows again. PUBLIC.

Synth's rows match the repaired columns (`synth.estimate.models.exact_columns`), so they are
never refused. Real rows pass only if the noise happens to round to nothing; the check
computes how likely that is."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from synth.estimate import MarginalsRecord, Rules, columns_again, round_column
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.util import Floats, sum_by_cell
from synth.verification.files import refuse
from synth.verification.verdict import OpenClaim

# Most rows that a cell may be off, as processors may round sums another way.
MAX_CELL_DIFFERENCE = 1
# Probability of failing, for real rows, from which the check is worth mentioning.
LIKELY = 0.99
# How often noise is drawn to see whether real rows would fail, over all columns.
TRIALS = 200


def check_columns(plan: Plan, record: MarginalsRecord, rows: SyntheticTable) -> str:
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
                f"Column '{name}' of the synthetic rows does not match the noisy counts: "
                f"{int(off.sum() + 1) // 2:,} of {rows.rows:,} rows are in another cell."
            )
    power = _power(plan, record, rules, rows=rows, counts=counts)
    if power < LIKELY:
        return OpenClaim(
            "The rows' columns match the noisy counts. But the noise is small: rows copied "
            f"from the table would fail this check with a probability of {100 * power:.0f} % "
            "only."
        )
    return (
        "The rows' columns match the noisy counts exactly. Rows copied from the table would "
        "fail this check with a probability of at least "
        f"{min(9999, math.floor(1e4 * power)) / 100:g} %."
    )


def _columns(plan: Plan, record: MarginalsRecord, rules: Rules) -> Mapping[int, Floats]:
    return columns_again(record, rules=rules, most_cells=plan.most_cells)


def _power(
    plan: Plan,
    record: MarginalsRecord,
    rules: Rules,
    *,
    rows: SyntheticTable,
    counts: Mapping[int, Floats],
) -> float:
    # Noise is drawn on the counts of these rows, as if they were the table's, and repaired.
    # Columns count as independent; one that never fails in n trials counts as failing once in
    # n + 1.
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
            off = (
                np.abs(had - round_column(given[a], rows.rows)) if a in given else np.zeros(1)
            )
            missed[a] += int(off.max() <= MAX_CELL_DIFFERENCE)
    return float(1 - np.prod([min(1.0, missed[a] / (trials + 1)) for a in counts]))


def _counts(rows: SyntheticTable, clique: tuple[int, ...]) -> Floats:
    shape = rows.domain.shape
    return sum_by_cell([rows.codes[a] for a in clique], tuple(shape[a] for a in clique))

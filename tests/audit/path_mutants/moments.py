"""Slips in sums of offsets and of products: in SQL, in what is declared of them, in their
price.
"""

from typing import Any

from synth.estimate.noisy import moments as declared
from synth.private.counting import DuckDB, duckdb
from synth.private.counting import moments as moments_of_rows
from synth.private.counting.moments import AddedSteps
from synth.private.methods import session
from synth.private.methods.session import Session
from synth.private.queries import moments
from tests.audit.path_mutants.told import both, edit, put


def budget_twice(right: Any, account: Any, domain: Any, sums: Any, **paid: Any) -> Any:
    """All of the budget for each payment."""
    return [priced for one in sums for priced in right(account, domain, [one], **paid)]


def nothing_kept(_right: Any, session: Any) -> Any:
    """Counts take what is kept for sums."""
    spent = session._door.spent
    return session.account.total - (session.account.count_spent(spent) if spent else 0)


OF_MOVES = {
    "numbers not pulled into their bins": both(
        edit(
            moments_of_rows,
            "_value_within",
            "np.clip(values, column.low, column.high)",
            "values",
        ),
        edit(
            moments_of_rows,
            "_steps",
            "np.clip(np.trunc(away + np.copysign(0.5, away)), -offsets.most, offsets.most)",
            "np.trunc(away + np.copysign(0.5, away))",
        ),
    ),
    "more rows of a person than count": edit(
        duckdb, "coded_query", "source.max_rows, added", "source.max_rows + 1, added"
    ),
    "a person's sums declared as one row's": edit(
        moments, "moment_sensitivity", "moment.steps * unit.max_rows", "moment.steps"
    ),
    "a person's squared moves added up": edit(
        moments, "moment_sensitivity", "row**2 * squared", "row**2 // unit.max_rows * squared"
    ),
    "a row that is replaced thought to be at one side": edit(
        declared, "_replacement_move", "return 2, 4", "return 1, 1"
    ),
    "squares thought to share their bin": edit(
        declared, "_replacement_moves", "else (2, 2))", "else (1, 2))"
    ),
    "a largest move of one side": edit(
        moments, "moment_sensitivity", "(2 if is_two_sided else 1)", "1"
    ),
    "rows by cells thought to share their cell": edit(
        declared, "_replacement_move", "(2, 2) if moment.by", "(1, 1) if moment.by"
    ),
}

OF_COMBINATIONS = {
    "squares beside offsets of other cells for nothing": edit(
        declared,
        "_replacement_moves",
        "unused_offsets[offsets] > 0",
        "any(other.columns == offsets.columns for other in moments)",
    ),
    "squares of fewer rows beside offsets for nothing": edit(
        declared, "_replacement_moves", "given=moment.given", "given=()"
    ),
    "squares twice beside one sum of offsets for nothing": edit(
        declared, "_replacement_moves", "unused_offsets[offsets] -= is_paid_for", "pass"
    ),
}

OF_SUMS = {
    "half a step rounded up on both sides": edit(
        moments_of_rows,
        "_steps",
        "np.trunc(away + np.copysign(0.5, away))",
        "np.floor(away + 0.5)",
    ),
    "rows outside the domain added": edit(
        DuckDB, "_take", "if not is_used.all():", "if False:"
    ),
    "products as large as two offsets": edit(
        AddedSteps,
        "_added",
        "_round_half_away(first * second, moment_sum.steps)",
        "first * second",
    ),
    "rows added that lack a number": edit(
        AddedSteps, "_added", "for column in moment_sum.given", "for column in ()"
    ),
}

OF_PRICES = {
    "the budget of all sums for each": put(session, "price_moments", budget_twice),
    "nothing kept for sums": put(Session, "left", nothing_kept),
}

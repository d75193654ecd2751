"""Slips in what a charge covers, what noise meets, and what checks and drafts cost."""

from collections.abc import Callable, Sequence

from synth.door import door, parts
from synth.drafting import DraftRequest
from synth.estimate import FitCheck
from synth.noise import DiscreteGaussian
from synth.privacy import sharing, totals
from synth.private import queries
from synth.private.queries import tables
from tests.audit.mutate import edited
from tests.audit.path_mutants.told import Place, edit


def of_covers(old: str, new: str) -> Callable[[], Sequence[Place]]:
    """A slip in what a charge covers, wherever that is asked."""
    return lambda: [
        (module, "covers", edited(totals.covers, old, new))
        for module in (totals, sharing, door, parts)
    ]


OF_COVERS = {
    "delta covered by any": of_covers(" and spent.delta <= charged.delta", ""),
    "delta covered by any at the door": edit(
        door, "covers", " and spent.delta <= charged.delta", ""
    ),
    "delta covered by any in what is kept": edit(
        parts, "covers", " and spent.delta <= charged.delta", ""
    ),
    "epsilon covered by any": of_covers("spent.epsilon <= charged.epsilon and ", ""),
    "a whole epsilon not covered": of_covers("spent.epsilon <= ", "spent.epsilon < "),
    "a thousandth more rho covered": of_covers(
        "<= allowed.rho", "<= allowed.rho * 1001 / 1000"
    ),
    "a whole rho not covered": of_covers("<= allowed.rho", "< allowed.rho"),
    "zCDP covered by Gaussian DP": of_covers(
        "if allowed.is_gaussian and not spent.is_gaussian:", "if False:"
    ),
    "an epsilon and delta held by zCDP alone": edit(
        totals, "in_unit_of", "if not spent.is_gaussian:", "if True:"
    ),
    "an epsilon and delta held as Gaussian DP": edit(
        totals, "in_unit_of", "if not spent.is_gaussian:", "if False:"
    ),
}


OF_CLAIMS = {
    "a thousandth more delta met": edit(
        DiscreteGaussian, "meets", "(1 - 1e-9)", "(1 + 1e-3)"
    ),
    "a claim met at a larger epsilon": edit(
        DiscreteGaussian, "meets", "float(claim.epsilon)", "float(claim.epsilon) * 1.01"
    ),
    "a claim met by the largest move": edit(
        DiscreteGaussian, "meets", "moves.l1", "moves.l_infinity"
    ),
    "a claim of one number for many": edit(door, "price", " and query.size == 1", ""),
    "a claim taken unmet": edit(
        door, "price", " and mechanism.meets(claim, query.sensitivity)", ""
    ),
}


OF_CHECKS = {
    "a check's noise without the rows of a person": edit(
        FitCheck, "noise", "self.unit.max_rows / ", "1 / "
    ),
    "a check paid as one number": edit(FitCheck, "guarantee", "len(self.column_sets) * ", ""),
    "rows that fit without the rows of a person": edit(
        tables,
        "_number_of_rows",
        "count_sensitivity(counts.unit)",
        "count_sensitivity(type(counts.unit)())",
    ),
    "the number of a check's rows public": edit(
        queries, "fitting_rows", "counts.public_rows(neighbors)", "counts.rows"
    ),
    "a draft's number without the rows of a person": edit(
        DraftRequest, "number_scale", "self.unit.max_rows / ", "1 / "
    ),
    "a draft's cells by the largest move": edit(
        DraftRequest, "scale", "self.moves.l1", "self.moves.l_infinity"
    ),
}

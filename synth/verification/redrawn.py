"""The rows of a model, drawn again from the noisy counts and the seed."""

from collections.abc import Mapping

import numpy as np

from synth.bundle import ROUNDING, MarginalsCertificate
from synth.estimate import RECIPES, MarginalsRecord, finish_again, rounding_digest
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.verification.files import refuse
from synth.verification.verdict import OpenClaim

NOT_DRAWN = (
    "Whether these rows follow from the noisy counts and the seed was not checked: add --redraw, "
    "which takes as long as the release."
)
CORRECTED_ROWS = "The rows were corrected from a public table, and are not drawn again."
# Least share of rows, or of parts, that must be the same.
LEAST_SHARE = 0.5


def draw_again(
    certificate: MarginalsCertificate, plan: Plan, record: MarginalsRecord, rows: SyntheticTable
) -> str:
    """Draw a model's rows again and say how many are the same; as slow as the release."""
    if plan.public is not None:
        return OpenClaim(CORRECTED_ROWS)
    again = finish_again(plan, record, plan.rows, int(certificate.drawing.seed)).codes
    same = 0
    if again.shape == (rows.rows, len(rows.codes)):
        same = int(np.all(again == np.column_stack(rows.codes), axis=1).sum())
    settled = RECIPES[record.strategy].settles
    return say_agreement(
        same, rows.rows, "rows", certificate.versions if settled else {ROUNDING: rounding_digest()}
    )


def say_agreement(same: int, of: int, what: str, versions: Mapping[str, str]) -> str:
    """Say how many rows, or parts, are the same; refuse too few.

    Another machine may draw a model's rows differently, which is no forgery.

    Args:
        what: Rows or parts.
        versions: Versions on the machine that drew them.
    """
    if same == of:
        return f"All {of:,} {what} are the same when drawn again from the counts and the seed."
    said = f"{same:,} of {of:,} {what} are the same when drawn again from the counts and the seed"
    here = versions.get(ROUNDING) == rounding_digest()
    if same < LEAST_SHARE * of and here:
        refuse(f"{said}: the rows do not follow from these.")
    if here:
        return OpenClaim(f"{said}; the others are neither confirmed nor refuted.")
    return OpenClaim(
        f"{said}. By the certificate, a machine that rounds differently drew them, so the other "
        "rows are neither confirmed nor refuted. Verify on a machine that rounds the same."
    )

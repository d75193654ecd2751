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
    "Whether the noisy counts and the seed give these very rows was not asked (--redraw; it takes "
    "as long as the release)."
)
CORRECTED_ROWS = "The rows were corrected from a public table, and are not drawn again."
LEAST_SHARE = 0.5
"""Least share of rows, or of parts, that must be the same."""


def draw_again(
    certificate: MarginalsCertificate, plan: Plan, record: MarginalsRecord, rows: SyntheticTable
) -> str:
    """Draw the cells of a model's rows again and say how many are the same; as slow as the release.

    Args:
        certificate: As in the bundle.
        plan: The steward's choices.
        record: The public part of the release.
        rows: As in the bundle.
    """
    if plan.public is not None:
        return OpenClaim(CORRECTED_ROWS)
    again = finish_again(plan, record, plan.rows, int(certificate.drawing.seed)).codes
    same = 0
    if again.shape == (rows.rows, len(rows.codes)):
        same = int(np.all(again == np.column_stack(rows.codes), axis=1).sum())
    settled = RECIPES[record.strategy].settles
    return compared(
        same, rows.rows, "rows", certificate.versions if settled else {ROUNDING: rounding_digest()}
    )


def compared(same: int, of: int, what: str, versions: Mapping[str, str]) -> str:
    """Say how many rows, or parts, are the same; refuse them if they are too few.

    Another machine may draw a model's rows differently, which is no forgery.

    Args:
        same: How many are the same.
        of: How many there are.
        what: Rows or parts.
        versions: Versions on the machine that drew them.
    """
    if same == of:
        return f"Drawn again from the noisy counts and the seed, all {of:,} {what} are the same."
    said = f"Drawn again from the noisy counts and the seed, {same:,} of {of:,} {what} are the same"
    here = versions.get(ROUNDING) == rounding_digest()
    if same < LEAST_SHARE * of and here:
        refuse(f"{said}: they are not what these give.")
    if here:
        return OpenClaim(f"{said}; the others are neither confirmed nor refuted.")
    return OpenClaim(
        f"{said}. By the certificate, a machine that rounds in another way drew them; then rows "
        "differ, and are neither confirmed nor refuted. Ask again on one that rounds the same."
    )

"""The rows of a model, drawn again from the noisy counts and the seed."""

import numpy as np

from synth.bundle.certificate import MarginalsCertificate
from synth.check import Document
from synth.models.reconstruct import rows_again
from synth.models.record import MarginalsRecord
from synth.noisy.record import Record
from synth.plan import Plan
from synth.rows.draw import SyntheticTable


def draw_again(
    certificate: MarginalsCertificate, content: Document, record: Record, rows: SyntheticTable
) -> str:
    """Draw the cells of a model's rows once more, and say what came of it; takes as long as then.

    Rows that come out otherwise are no forgery: the sums of a model differ in their last digits
    between processors and versions, and rows with them.

    Args:
        certificate: As it stands in the bundle.
        content: The plan.
        record: What is public of the release.
        rows: As the bundle has them.
    """
    plan = Plan.from_json(content)
    if plan.public is not None or not isinstance(record, MarginalsRecord):
        return "The rows were corrected from a public table, and are not drawn again."
    again = rows_again(plan.choice, record, plan.rows, int(certificate.drawing.seed))
    if again.shape != (rows.rows, len(rows.codes)):
        same = 0
    else:
        same = int(np.all(again == np.column_stack(rows.codes), axis=1).sum())
    if same == rows.rows:
        return "Drawn again from the noisy counts and the seed, all rows have the same cells."
    return (
        f"Drawn again from the noisy counts and the seed, {same:,} of {rows.rows:,} rows have the "
        "same cells. The sums of a model differ in their last digits between processors and "
        "versions, and rows with them: the others are neither confirmed nor refuted."
    )

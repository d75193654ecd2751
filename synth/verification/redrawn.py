"""The rows of a model, drawn again from the noisy counts and the seed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from synth.bundle import ROUNDING, MarginalsCertificate
from synth.estimate import (
    RECIPES,
    Bar,
    MarginalsRecord,
    Redrawing,
    finish_with_bars,
    rounding_digest,
)
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.verification.files import refuse
from synth.verification.given import Means
from synth.verification.verdict import OpenClaim
from synth.verification.versions import other_algorithm

NOT_DRAWN = (
    "Whether these rows follow from the noisy counts and the seed was not checked: add "
    "--redraw, which takes as long as the release."
)
CORRECTED_ROWS = "The rows were corrected from a public table, and are not drawn again."
# Least share of rows, or of parts, that must be the same.
LEAST_SHARE = 0.5


@dataclass(frozen=True)
class DrawnAgain:
    """The findings when a model's rows were drawn again.

    Attributes:
        sentence: How many rows, or parts, are the same.
        bars: The error bars that follow, if all rows are the same on a machine that rounds as
            the one that made them; else None.
    """

    sentence: str
    bars: tuple[Bar, ...] | None = None

    @property
    def means(self) -> set[Means]:
        """What this check settles: parts of the certificate that need no ledger then."""
        means = set() if isinstance(self.sentence, OpenClaim) else {Means.DRAWN_ROWS}
        return means if self.bars is None else {*means, Means.ERROR_BARS}

    def complete(self, record: MarginalsRecord) -> MarginalsRecord:
        """Return the record with the error bars that follow from the rows, if any do."""
        return record if self.bars is None else replace(record, bars=self.bars)


NOT_DRAWN_AGAIN = DrawnAgain(OpenClaim(NOT_DRAWN))


def draw_again(
    certificate: MarginalsCertificate,
    plan: Plan,
    record: MarginalsRecord,
    *,
    rows: SyntheticTable,
) -> DrawnAgain:
    """Draw a model's rows again and say how many are the same; as slow as the release.

    Args:
        certificate: The certificate of the bundle, with the seed.
        plan: The plan of the release.
        record: The noisy counts of the release.
        rows: The synthetic rows of the release.

    Returns:
        The sentence, and the error bars if they follow from the rows. Rows that were
        corrected from a public table are not drawn: an `OpenClaim` (not checked) says so.

    Raises:
        RefutedError: Fewer than half of the rows are the same on a machine that rounds the
            same.
    """
    other = other_algorithm(certificate)
    if other is not None:
        return DrawnAgain(other)
    if plan.public is not None:
        return DrawnAgain(OpenClaim(CORRECTED_ROWS))
    seed = int(certificate.drawing.seed)
    fitted, bars = finish_with_bars(plan, record, Redrawing(rows=plan.rows, seed=seed))
    again = fitted.codes  # shape (rows, columns)
    # Rows of another shape cannot be compared, so none of them counts as the same.
    same = 0
    if again.shape == (rows.rows, len(rows.codes)):
        same = int(np.all(again == np.column_stack(rows.codes), axis=1).sum())
    # Only methods that settle rows on pairs of columns excuse a machine that rounds
    # differently. Rows of the others are judged as if this machine had drawn them.
    depends_on_rounding = RECIPES[record.strategy].settles
    versions = certificate.versions if depends_on_rounding else {ROUNDING: rounding_digest()}
    sentence = say_agreement(same, rows.rows, "rows", versions=versions)
    return with_bars(sentence, bars, certificate.versions)


def with_bars(
    sentence: str, bars: tuple[Bar, ...], versions: Mapping[str, str]
) -> DrawnAgain:
    """Return the findings, with error bars if they can be compared with those of the release.

    They can if the rows agree and this machine rounds as the one that drew the rows.

    Args:
        sentence: How many rows, or parts, are the same; an `OpenClaim` (not checked)
            if some differ.
        bars: The error bars that follow from the rows drawn again.
        versions: Versions on the machine that drew the rows, and under the name `ROUNDING` a
            digest that shows how it rounds.
    """
    comparable = versions.get(ROUNDING) == rounding_digest()
    if isinstance(sentence, OpenClaim) or not comparable:
        return DrawnAgain(sentence)
    return DrawnAgain(sentence, bars)


def say_agreement(
    same: int,
    total: int,
    noun: str,
    *,
    versions: Mapping[str, str],
    least_share: float = LEAST_SHARE,
) -> str:
    """Say how many rows, or parts, are the same; refuse too few.

    Another machine may draw a model's rows differently, which is no forgery.

    Args:
        same: How many are the same.
        total: How many were compared.
        noun: What is counted, in the plural: rows, parts, or files of rows.
        versions: Versions on the machine that drew them, and under the name `ROUNDING` a
            digest that shows how it rounds.
        least_share: The least share, 0 to 1, that must be the same if this machine rounds
            the same.

    Returns:
        The sentence; an `OpenClaim` (not checked) if not all are the same.

    Raises:
        RefutedError: Fewer than that share are the same, and the machines round the same.
    """
    if same == total:
        return (
            f"All {total:,} {noun} are the same when drawn again from the counts and the "
            "seed."
        )
    agreement = (
        f"{same:,} of {total:,} {noun} are the same when drawn again from the counts and the "
        "seed"
    )
    rounds_alike = versions.get(ROUNDING) == rounding_digest()
    if same < least_share * total and rounds_alike:
        refuse(f"{agreement}: the rows do not follow from these.")
    if rounds_alike:
        return OpenClaim(f"{agreement}; the others are neither confirmed nor refuted.")
    return OpenClaim(
        f"{agreement}. By the certificate, a machine that rounds differently drew them, so "
        "the other rows are neither confirmed nor refuted. Verify on a machine that rounds "
        "the same."
    )

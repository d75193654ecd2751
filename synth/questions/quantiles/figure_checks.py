"""Whether a claimed figure is close to the real one: the choice between yes and no. PUBLIC.

Let x be the real count, c the claimed one and t the tolerance, all in rows. "Yes" has the
score t - |x - c| and "no" has minus this score, so the right answer has the greater one. One
person moves a score by as much as the count. ``docs/proofs/figure-checks.md`` proves that,
and the probability of a wrong answer.
"""

import math
from dataclasses import dataclass

from synth.noise import ChoiceLaw
from synth.privacy import Guarantee, Sensitivity
from synth.questions.moves.joint import Joint
from synth.questions.sum_ways import move
from synth.questions.way.way import Way, chosen_way
from synth.questions.wording.claimed import ClaimedFigure
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain

# The candidates of the choice, in the order of their scores.
YES_OR_NO = ("yes", "no")
# An answer this rarely wrong counts as reliable in forecasts.
USUAL_ERROR = 0.05


@dataclass(frozen=True, kw_only=True)
class Border:
    """The claimed count and the tolerance as whole numbers of equal parts of a row.

    Attributes:
        parts: The parts of a row.
        count: The claimed count, in parts.
        within: The tolerance, in parts.

    >>> from fractions import Fraction
    >>> figure = ClaimedFigure(of="share", figure=Fraction(1, 4), within=Fraction(1, 10))
    >>> Border.of(figure, 1_000)
    Border(parts=20, count=5000, within=2000)
    """

    parts: int
    count: int
    within: int

    @classmethod
    def of(cls, claimed: ClaimedFigure, rows: int | None) -> "Border":
        """Return the border of a figure.

        Args:
            claimed: The figure with its tolerance.
            rows: The public number of rows, of which a share is; not needed for a count.
        """
        parts = parts_of_row(claimed)
        factor = (rows or 0) * parts if claimed.is_share else parts
        return cls(
            parts=parts,
            count=int(claimed.figure * factor),
            within=int(claimed.within * factor),
        )

    def score(self, rows: int) -> int:
        """Return the score of "yes" for a count of rows, in parts of a row.

        >>> Border(parts=20, count=5000, within=2000).score(350)
        0
        """
        return self.within - abs(rows * self.parts - self.count)


def parts_of_row(claimed: ClaimedFigure) -> int:
    """Return into how many equal parts rows are split, so that all scores are whole."""
    return math.lcm(claimed.figure.denominator, claimed.within.denominator)


def check_way(block: Block, cost: Guarantee) -> Way:
    """Return the way that chooses between yes and no.

    Its score is the distance from the border of the tolerance, in rows, beyond which an
    answer is wrong in at most 5 % of cases.

    Args:
        block: The one question.
        cost: A pure epsilon or a zCDP rho.
    """
    grains = (Grain(),)
    of_count = move(block, grains)
    assert of_count is not None  # the question has a condition
    joint = _moves_of_scores(of_count, parts_of_row(_claimed_of(block)))
    law = law_of_scores(joint, cost)
    reach = rows_to_be_sure(law, parts_of_row(_claimed_of(block)))
    return chosen_way(grains, joint, cost, score=reach, candidates=law.candidates)


def law_of_scores(joint: Joint, cost: Guarantee) -> ChoiceLaw:
    """Return the law of the choice, by how far the scores of yes and no are apart.

    Args:
        joint: How far one person moves the two scores.
        cost: A pure epsilon or a zCDP rho.
    """
    # The exponential mechanism with this epsilon costs a rho of epsilon^2 / 8.
    epsilon = float(cost.epsilon) if cost.epsilon else math.sqrt(8 * float(cost.rho or 0))
    # One score rises while the other falls, so the exponent is divided by 2.
    rate = epsilon / (2 * joint.sensitivity.l_infinity)
    return ChoiceLaw(len(YES_OR_NO), rate, pure=cost.rho is None)


def probability_of_wrong(way: Way, block: Block, rows: int | None) -> float:
    """Return the probability of a wrong answer at the claimed figure, exactly.

    It is also that of a wrong answer if the real figure is twice the tolerance away, and
    bounds it farther away: there the scores are at least as far apart.

    Args:
        way: How the question is answered.
        block: The one question.
        rows: The public number of rows; None if it is private.
    """
    assert way.joint is not None
    assert way.cost is not None
    border = Border.of(_claimed_of(block), rows)
    return law_of_scores(way.joint, way.cost).tail(2 * border.within)


def rows_to_be_sure(law: ChoiceLaw, parts: int) -> float:
    """Return how far beyond the border an answer is wrong with probability 5 %, in rows.

    Args:
        law: The law of the choice, by the distance of the scores in parts of a row.
        parts: The parts of a row.
    """
    # p is exp(-rate gap); a wrong answer has the probability p / 2 by permute-and-flip, and
    # p / (1 + p) by the exponential mechanism.
    p = 2 * USUAL_ERROR if law.pure else USUAL_ERROR / (1 - USUAL_ERROR)
    gap = -math.log(p) / law.rate
    return gap / (2 * parts)


def epsilon_to_be_sure(way: Way, block: Block, rows: int | None) -> float:
    """Return the epsilon at which the probability of `probability_of_wrong` is 5 %.

    Args:
        way: How the question is answered.
        block: The one question.
        rows: The number of rows; None if it is private.
    """
    assert way.joint is not None
    border = Border.of(_claimed_of(block), rows)
    law = law_of_scores(way.joint, Guarantee.pure(1))
    return rows_to_be_sure(law, border.parts) * border.parts / max(border.within, 1)


def _moves_of_scores(of_count: Joint, parts: int) -> Joint:
    """Return how far one person moves the scores of yes and no, which move oppositely.

    Args:
        of_count: How far one person moves the count, in rows.
        parts: The parts of a row, in which scores are.
    """
    bound, least = (
        Sensitivity(2 * step, 2 * step * step, step)
        for step in (
            of_count.sensitivity.l_infinity * parts,
            of_count.least.l_infinity * parts,
        )
    )
    return Joint(bound, of_count.exact, least)


def _claimed_of(block: Block) -> ClaimedFigure:
    claimed = block.question.claimed
    assert claimed is not None
    return claimed

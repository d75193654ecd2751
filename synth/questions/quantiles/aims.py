"""Target ranks, how far one person moves their scores, and their budget. PUBLIC.

For the quantile a/b, one row more or less moves a score by at most max(a, b - a) b-ths of a
row. One replaced row moves it by at most b (docs/proofs/rank-scores.md). An interval needs
two more ranks."""
# Of n values let L be those below a candidate and E those equal to it. Its rank is right if L
# <= (a/b) n <= L + E; otherwise its score is -max(b L - a n, a n - b (L + E)). The ranks of
# an interval are some rows to either side.

import math
from dataclasses import dataclass
from fractions import Fraction

from synth.domain import Domain
from synth.noise import LEVEL, ChoiceLaw
from synth.privacy import Guarantee, Neighbors, Unit, share_out
from synth.questions.quantiles.values import value_grid
from synth.questions.wording.condition import leaves
from synth.questions.wording.question import Question
from synth.questions.workloads.atoms import CutColumn, cut_column, cuts_of
from synth.questions.workloads.block import Block

MEDIAN_LEVELS = (Fraction(1, 2),)


@dataclass(frozen=True)
class Aim:
    """A target rank: the part of the values below it, and a shift of rows further up."""

    quantile: Fraction
    shift: int = 0

    def moves(self, neighbors: Neighbors, unit: Unit) -> int:
        """Return the most that one person moves the score of any candidate value.

        For the quantile a/b the unit is 1/b of a row (docs/proofs/rank-scores.md).

        Args:
            neighbors: Whether a person is added or removed, or replaced.
            unit: What one person is: at most ``unit.max_rows`` rows.
        """
        below = self.quantile.numerator
        parts = self.quantile.denominator
        move = parts if neighbors is Neighbors.REPLACE_ONE else max(below, parts - below)
        return move * unit.max_rows


@dataclass(frozen=True, kw_only=True)
class Aims:
    """All target ranks of a question.

    Attributes:
        each: In the order of the quantiles; with intervals each is followed by its ends.
        cost: Cost of each choice.
        laws: Law of each error, in rows.
        grid: The candidates.
    """

    each: tuple[Aim, ...]
    cost: Guarantee
    laws: tuple[ChoiceLaw, ...]
    grid: CutColumn

    @property
    def candidates(self) -> int:
        """Number of values to choose among."""
        return self.grid.intervals


def quantiles_of(question: Question) -> tuple[Fraction, ...]:
    """Return the quantiles of a question; the median if it names none."""
    return question.quantiles or MEDIAN_LEVELS


def aims_of(block: Block, cost: Guarantee) -> Aims:
    """Return the target ranks of a block's one question, each with the law of its error.

    A target rank is a quantile, or an end of its interval some rows to either side. All
    choices share the cost equally.

    Args:
        block: The one question of quantiles.
        cost: A pure epsilon or a zCDP rho.
    """
    workload = block.workload
    question = block.question
    grid = value_grid_of(question, workload.domain)
    quantiles = quantiles_of(question)
    # With an interval, a quantile has three aims: itself and both ends.
    aims_by_quantile = 3 if question.interval else 1
    equal_weights = [1] * (len(quantiles) * aims_by_quantile)
    share, *_ = share_out(cost, equal_weights)
    aims: list[Aim] = []
    for quantile in quantiles:
        middle = Aim(quantile)
        aims.append(middle)
        if question.interval:
            law = law_of_aim(middle, grid.intervals, share, block=block)
            # How far a chosen value may be from its rank at either end of the interval.
            rows = law.reach(1 - (1 - LEVEL) / 2)
            aims += [Aim(quantile, -rows), Aim(quantile, rows)]
    laws = tuple(law_of_aim(aim, grid.intervals, share, block=block) for aim in aims)
    return Aims(each=tuple(aims), cost=share, laws=laws, grid=grid)


def law_of_aim(aim: Aim, candidates: int, cost: Guarantee, *, block: Block) -> ChoiceLaw:
    """Return the law of how far the rank of a chosen value is from its target, in rows.

    Args:
        aim: The target rank.
        candidates: The number of values to choose among.
        cost: The cost of this choice: a pure epsilon or a zCDP rho.
        block: The one question, with its unit and the relation of neighbours.
    """
    # The exponential mechanism with this epsilon costs a rho of epsilon^2 / 8.
    epsilon = float(cost.epsilon) if cost.epsilon else math.sqrt(8 * float(cost.rho or 0))
    moves = aim.moves(block.workload.neighbors, block.unit)
    # Scores and moves are in parts of a row; the law is in rows.
    rate = epsilon * aim.quantile.denominator / (2 * moves)
    return ChoiceLaw(candidates, rate, pure=cost.rho is None)


def value_grid_of(question: Question, domain: Domain) -> CutColumn:
    """Return the column of a question of quantiles, cut at the values to choose among."""
    (name,) = question.columns
    return value_grid(domain[name], frozenset(_cuts(question, domain, name)))


def universe_of(question: Question, domain: Domain) -> Domain:
    """Return the columns that a question of quantiles uses, cut into atoms.

    The column of the quantiles has an atom for each value to choose among. The others are cut
    where the condition cuts them. An atom is a piece of a column that the question does not
    cut.
    """
    columns = []
    for name in domain.names:
        if name == question.columns[0]:
            columns.append(value_grid_of(question, domain))
        elif name in question.uses:
            columns.append(cut_column(domain[name], _cuts(question, domain, name)))
    return Domain(tuple(columns), domain.missing_values, origin=domain.origin)


def _cuts(question: Question, domain: Domain, name: str) -> set[Fraction]:
    return cuts_of(domain[name], leaves(question.where))

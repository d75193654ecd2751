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
        """Return the most that one person moves any score, in parts of a row."""
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
    """Return the target ranks of the one question of a block; all choices share the cost
    equally.

    ``cost`` is pure or as zCDP.
    """
    workload = block.workload
    question = block.question
    grid = value_grid_of(question, workload.domain)
    quantiles = quantiles_of(question)
    aims_by_quantile = 3 if question.interval else 1
    share = share_out(cost, [1] * (len(quantiles) * aims_by_quantile))[0]
    aims: list[Aim] = []
    for quantile in quantiles:
        middle = Aim(quantile)
        law = law_of_aim(middle, grid.intervals, share, block=block)
        rows = law.reach(1 - (1 - LEVEL) / 2) if question.interval else 0
        aims += [middle, Aim(quantile, -rows), Aim(quantile, rows)][:aims_by_quantile]
    laws = tuple(law_of_aim(aim, grid.intervals, share, block=block) for aim in aims)
    return Aims(each=tuple(aims), cost=share, laws=laws, grid=grid)


def law_of_aim(aim: Aim, candidates: int, cost: Guarantee, *, block: Block) -> ChoiceLaw:
    """Return the law of the rank of a chosen value, in rows from the target."""
    epsilon = float(cost.epsilon) if cost.epsilon else math.sqrt(8 * float(cost.rho or 0))
    moves = aim.moves(block.workload.neighbors, block.unit)
    rate = epsilon * aim.quantile.denominator / (2 * moves)
    return ChoiceLaw(candidates, rate, pure=cost.rho is None)


def value_grid_of(question: Question, domain: Domain) -> CutColumn:
    """Return the column of a question of quantiles, cut at its values."""
    (name,) = question.columns
    return value_grid(domain[name], frozenset(_cuts(question, domain, name)))


def universe_of(question: Question, domain: Domain) -> Domain:
    """Return the columns of a question of quantiles: its own by value, its condition's
    cut.
    """
    columns = []
    for name in (name for name in domain.names if name in question.uses):
        is_valued = name == question.columns[0]
        cuts = _cuts(question, domain, name)
        columns.append(
            value_grid_of(question, domain) if is_valued else cut_column(domain[name], cuts)
        )
    return Domain(tuple(columns), domain.missing_values, origin=domain.origin)


def _cuts(question: Question, domain: Domain, name: str) -> set[Fraction]:
    return cuts_of(domain[name], leaves(question.where))

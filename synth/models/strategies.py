"""From the budget to rows: which marginals are measured, and how they are joined.

- *independent*: columns only.
- *groups*: the steward's groups of columns, each as one histogram, and the other columns.
- *tree*: columns; the distance of all pairs from independence; then the pairs of a maximum
  spanning tree, joined exactly by a junction tree (after MST, McKenna et al. 2021).
- *one-shot*: columns; all distances; then every pair that is worth its cost, with the amounts
  that give the least expected error, joined by latent classes and settled rows.
- *adaptive*: the same with two thirds of the budget; then one pair after another, the one whose
  present fit is worst (after AIM, McKenna et al. 2022).
- *histogram*: all columns as one group. Nobody asks for it but *auto*.
- *auto*: the histogram where rows are heard through its noise; else independent where noise is
  all there would be to see, and one-shot elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

import numpy as np

from synth import limits
from synth.models.budget import Account, choose_pairs, error_after, size_of_noise
from synth.models.denoise import Estimate, denoise
from synth.models.estimate import Measurement, fit
from synth.models.inference import Array
from synth.models.junction import Clique, cells
from synth.models.rows import Codes, draw_cells
from synth.models.session import Known, Session, believed_total
from synth.models.smooth import repair_column
from synth.models.together import Together
from synth.noise.laplace import DiscreteLaplace
from synth.noisy import NoisyMarginal
from synth.pooling import pool
from synth.simplex import project_to_simplex


class Strategy(StrEnum):
    """The names of the strategies."""

    AUTO = "auto"
    INDEPENDENT = "independent"
    TREE = "tree"
    ADAPTIVE = "adaptive"
    ONE_SHOT = "one-shot"
    GROUPS = "groups"
    HISTOGRAM = "histogram"


SIZING = Fraction(1, 50)
"""Share of the budget that tells how many rows there are, where that is private."""
SELECTION = Fraction(8, 100)
"""Share of the budget for the distances of all pairs from independence."""
HEARD, HEARD_BESIDE_PAIRS = 0.4, 0.6
"""Rows for each row of noise in the histogram of all columns from which on it is the better one,
on most tables: than columns alone, and than pairs that are heard."""
LOUD = 0.1
"""Noise of the distances, in total variation, above which pairs are not worth measuring."""
ROUNDS = 12
"""Most pairs that the adaptive strategy takes one after another."""
LATER = Fraction(1, 3)
"""Share of the budget for pairs that the adaptive strategy keeps for its rounds."""
CHOOSING = Fraction(1, 5)
"""Share of a round's budget that chooses the pair; the rest measures it."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What came of it. PUBLIC.

    Attributes:
        strategy: The strategy that was followed; never ``auto``.
        codes: Drawn rows, shape (rows, columns).
        estimates: For each pair the model speaks of, what it holds it to be.
        total: Rows the table is believed to have.
    """

    strategy: Strategy
    codes: Codes
    estimates: dict[Clique, Estimate]
    total: float


@dataclass(frozen=True)
class Order:
    """What is asked of a strategy.

    Attributes:
        strategy: Which one.
        rows: Synthetic rows wanted; None stands for as many as the table has.
        groups: Columns of each group, ascending, for ``groups``.
    """

    strategy: Strategy
    rows: int | None = None
    groups: tuple[Clique, ...] = ()


def follow(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """Spend the session's budget as the strategy says, to the last part, and draw rows."""
    fitted = _follow(session, order, generator)
    return replace(fitted, codes=session.rules.enforce(fitted.codes, generator))


def _follow(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    strategy = order.strategy
    if strategy is Strategy.GROUPS:
        return _groups(session, order, generator)
    if strategy not in (Strategy.INDEPENDENT, Strategy.HISTOGRAM) and session.pairs:
        _size_up(session)
    if strategy is Strategy.AUTO:
        strategy = _choose(session)
    if strategy is Strategy.HISTOGRAM:
        return _whole(session, order, generator)
    if strategy is Strategy.INDEPENDENT or _hopeless(session):
        session.measure_columns(session.left)
        return _join(session, Strategy.INDEPENDENT, {}, order.rows, generator)
    _begin(session)
    if strategy is Strategy.TREE:
        return _tree(session, order, generator)
    return _pairwise(session, order, generator)


def _size_up(session: Session) -> None:
    """Learn about how many rows there are, where that is not public.

    Paid in epsilon where the guarantee allows it, however the rest is spent: the square of a
    fiftieth is next to nothing as rho.
    """
    if session.rows_are_public:
        return
    wanted = session.account.pure
    session.spend_as(pure=session.may_be_pure)
    session.measure_total(session.account.total * SIZING)
    session.spend_as(pure=wanted)


def _hopeless(session: Session) -> bool:
    """Whether there is nothing but columns to be had."""
    return not session.pairs or session.total < 1 or session.too_loud_to_choose(SELECTION)


def _choose(session: Session) -> Strategy:
    """What auto follows, and which way it spends the budget; a pure one is the stronger promise."""
    strategy, account = choose(
        session.account,
        session.account_as(pure=True) if session.may_be_pure else None,
        session.shape,
        pairs=0 if _hopeless(session) else len(session.pairs),
        rows=session.total,
        rows_are_public=session.rows_are_public,
        most_cells=session.most_cells,
    )
    session.spend_as(pure=account.pure)
    return strategy


def choose(
    account: Account,
    pure: Account | None,
    shape: Sequence[int],
    *,
    pairs: int,
    rows: float,
    rows_are_public: bool,
    most_cells: int,
) -> tuple[Strategy, Account]:
    """What auto follows, by public numbers alone, and what it spends then.

    Few tables with much noise are better off with pure epsilon than with rho. Where there is rho
    only, pairs are cheap, and the histogram of all columns is left.

    Args:
        account: The budget as pairs would spend it.
        pure: The same as epsilon; None where it may not be.
        shape: Cells of every column.
        pairs: How many pairs of columns may be measured.
        rows: Rows of the table, as far as is known.
        rows_are_public: Whether knowing them has cost nothing.
        most_cells: Of all tables that are measured together.
    """
    quietest = quietest_for_columns(account, pure, shape) if pure else account
    heard = pairs > 0 and pairs_are_heard(account, quietest, pairs, rows)
    if pure and len(shape) > 1 and histogram_is_small(shape, most_cells):
        left = pure.total * (1 if rows_are_public else 1 - SIZING)
        noise = size_of_noise(pure.noise(left)) * cells(shape, range(len(shape)))
        if rows >= noise * (HEARD_BESIDE_PAIRS if heard else HEARD):
            return Strategy.HISTOGRAM, pure
    return (Strategy.ONE_SHOT, account) if heard else (Strategy.INDEPENDENT, quietest)


def histogram_is_small(shape: Sequence[int], most_cells: int) -> bool:
    """Whether the histogram of all columns may be measured.

    >>> histogram_is_small((100,) * 3, 10**7), histogram_is_small((100,) * 4, 10**9)
    (True, False)
    """
    return cells(shape, range(len(shape))) <= min(limits.LISTED_CELLS, most_cells)


def quietest_for_columns(one: Account, other: Account, shape: Sequence[int]) -> Account:
    """The way to spend a budget on columns alone that gives the least noise."""
    return min(one, other, key=lambda account: account.column_error(shape, rows=1))


def pairs_are_heard(account: Account, quietest: Account, pairs: int, rows: float) -> bool:
    """Whether the distances tell which pairs are worth measuring.

    They must tell it twice as well where columns alone would be quieter for another account.
    """
    most = LOUD if quietest is account else LOUD / 2
    return account.distance_error(account.total * SELECTION, pairs, rows) <= most


def column_share(noise: float) -> Fraction:
    """Share of the budget for columns, by the noise they would have with all of it."""
    share = min(0.9, max(0.22, 0.35 * (noise / 0.0043) ** 0.4))
    return Fraction(round(share * 100), 100)


def _begin(session: Session) -> None:
    """Measure columns and distances.

    The noisier the columns, the more of the budget they take: what is learned of the pairs
    must outweigh what is lost on the columns.
    """
    share = column_share(session.account.column_error(session.shape, session.total))
    selection = session.account.total * SELECTION
    session.measure_columns((session.left - selection) * share)
    session.measure_distances(selection)


def _chosen(session: Session, pairs: Sequence[Clique], budget: Fraction) -> dict[Clique, Fraction]:
    distances = [session.distances[pair] for pair in pairs]
    guesses = [session.guess(pair) for pair in pairs]
    costs = choose_pairs(session.account, budget, distances, guesses)
    return {pairs[position]: cost for position, cost in costs.items()}


def _spanning(session: Session) -> list[Clique]:
    """Kruskal: pairs by falling distance, unless they close a cycle."""
    part = list(range(len(session.shape)))
    chosen: list[Clique] = []
    for a, b in sorted(session.pairs, key=lambda pair: -session.distances[pair]):
        if part[a] != part[b]:
            chosen.append((a, b))
            part = [part[a] if p == part[b] else p for p in part]
    return chosen


def _tree(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    chosen = _chosen(session, _spanning(session), session.left)
    noisy = {pair: session.measure(pair, cost) for pair, cost in chosen.items()}
    _spend_rest(session)
    session.repair_columns()
    estimates = {
        pair: session.repaired(counts, pair, session.guess(pair)) for pair, counts in noisy.items()
    }
    return _join(session, Strategy.TREE, estimates, order.rows, generator)


def _spend_rest(session: Session) -> None:
    """Nothing was worth measuring: the columns get what is left."""
    if session.left:
        session.measure_columns(session.left)


def _join(
    session: Session,
    strategy: Strategy,
    estimates: dict[Clique, Estimate],
    rows: int | None,
    generator: np.random.Generator,
) -> Fitted:
    """Rows of the junction tree of columns and repaired marginals."""
    marginals = [Measurement((a,), c, 1.0) for a, c in enumerate(session.columns)]
    marginals += [Measurement(clique, e.values, 1.0) for clique, e in estimates.items()]
    model = fit(session.shape, marginals, session.total, iterations=100)
    codes = model.draw(int(session.total) if rows is None else rows, generator)
    return Fitted(strategy, codes, estimates, session.total)


def _pairwise(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """One-shot, or adaptive, or one of them chosen by auto."""
    adaptive = order.strategy is Strategy.ADAPTIVE
    budget = session.left * (1 - LATER) if adaptive else session.left
    noisy: dict[Clique, NoisyMarginal] = {}
    for pair, cost in _chosen(session, session.pairs, budget).items():
        noisy[pair] = session.measure(pair, cost)
    if adaptive:
        _rounds(session, noisy, generator.spawn(1)[0])  # so that the last fit starts at the seed
    _spend_rest(session)
    together = Together(session, noisy, generator)
    codes = together.rows(order.rows, generator)
    strategy = Strategy.ADAPTIVE if adaptive else Strategy.ONE_SHOT
    return Fitted(strategy, codes, together.estimates, session.total)


def _rounds(
    session: Session, noisy: dict[Clique, NoisyMarginal], generator: np.random.Generator
) -> None:
    """Measure the pair that fits worst, and again, until the budget is spent."""
    rounds = min(ROUNDS, len(session.pairs) - len(noisy))
    costs = session.account.split(session.left, [1.0] * rounds) if rounds else []
    for cost in costs:
        together = Together(session, noisy, generator)
        noise = size_of_noise(session.account.noise(cost * (1 - CHOOSING)))
        open_pairs = [pair for pair in session.pairs if pair not in noisy]
        guesses = {pair: together.estimates[pair].values for pair in open_pairs}
        allowed = [error_after(guess, noise) for guess in guesses.values()]
        worst = session.measure_worst(guesses, allowed, cost * CHOOSING)
        noisy[worst] = session.measure(worst, cost * (1 - CHOOSING))


def _groups(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """Each group as one histogram, the other columns alone."""
    grouped = {column for group in order.groups for column in group}
    alone = [(column,) for column in range(len(session.shape)) if column not in grouped]
    cliques = [*order.groups, *alone]
    sizes = [int(np.prod([session.shape[v] for v in clique])) for clique in cliques]
    costs = session.account.by_size(session.left, sizes)
    noisy = {c: session.measure(c, cost) for c, cost in zip(cliques, costs, strict=True)}
    session.total = believed_total(session.shape, session.measured)
    estimates = {clique: group_estimate(session, clique, one) for clique, one in noisy.items()}
    marginals = [Measurement(c, e.values, _deviation(noisy[c])) for c, e in estimates.items()]
    model = fit(session.shape, marginals, session.total, iterations=200)
    codes = model.draw(int(session.total) if order.rows is None else order.rows, generator)
    return Fitted(Strategy.GROUPS, codes, estimates, session.total)


def _whole(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """All columns as one histogram, drawn from as it is."""
    clique = tuple(range(len(session.shape)))
    noisy = session.measure(clique, session.left)
    session.total = believed_total(session.shape, session.measured)
    estimate = group_estimate(session, clique, noisy)
    wanted = int(session.total) if order.rows is None else order.rows
    codes = draw_cells(estimate.values, wanted, generator)
    return Fitted(Strategy.HISTOGRAM, codes, {clique: estimate}, session.total)


def _deviation(noisy: NoisyMarginal) -> float:
    return float(noisy.mechanism.variance**0.5)


def group_estimate(known: Known, clique: Clique, noisy: NoisyMarginal) -> Estimate:
    """A group's histogram, repaired around what the sums over its own columns say."""
    sizes = tuple(known.shape[column] for column in clique)
    if len(clique) == 1:
        repaired = repair_column(
            noisy.values.astype(np.float64), noisy.mechanism.variance, known.total
        )
        return Estimate(repaired, np.full(sizes, noisy.mechanism.variance))
    values = noisy.values.reshape(sizes)
    if known.total > 0 and isinstance(noisy.mechanism, DiscreteLaplace):
        pooled = pool(values, scale=float(noisy.mechanism.scale), total=known.total)
        found = Estimate(pooled.weights, pooled.variances)
    else:
        found = _denoised(values.astype(np.float64), noisy, known.total)
    return Estimate(known.rules.zeroed(clique, found.values), found.variance)


def _denoised(values: Array, noisy: NoisyMarginal, total: float) -> Estimate:
    """The same around the independence of its columns, whatever the noise."""
    guess: Array = np.array(total)
    for axis in range(values.ndim):
        others = tuple(i for i in range(values.ndim) if i != axis)
        column = project_to_simplex(values.sum(axis=others), total)
        guess = np.multiply.outer(guess, column / max(total, 1.0))
    return denoise(values, guess, noisy.mechanism, total)

"""From the budget to rows: which marginals are measured, and how they are joined.

- *independent*: columns only.
- *groups*: the steward's groups of columns, each as one histogram, and the other columns.
- *tree*: columns; the distance of all pairs from independence; then the pairs of a maximum
  spanning tree, joined exactly by a junction tree (after MST, McKenna et al. 2021).
- *one-shot*: columns; all distances; then every pair that is worth its cost, with the amounts
  that give the least expected error, joined by latent classes and settled rows.
- *adaptive*: the same with two thirds of the budget; then pair after pair, always the pair whose
  present fit is worst (after AIM, McKenna et al. 2022).
- *histogram*: all columns as one group. Nobody asks for it but *auto*.
- *auto*: the histogram where rows outweigh its noise; else independent where noise would drown
  the pairs, and one-shot elsewhere.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

import numpy as np

from synth.estimate.models.allocation import Account, error_after, size_of_noise
from synth.estimate.models.choosing import (
    SELECTION,
    SIZING,
    Fitted,
    Order,
    choose,
    first_share,
    quietest_for_columns,
    selection_share,
)
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.finishing import finish_rows
from synth.estimate.models.followers import unexplained
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.large_rows import enforce_large
from synth.estimate.models.names import STRATEGIES, Strategy
from synth.estimate.models.pairwise import Together
from synth.estimate.models.splitting import prospect, split_again
from synth.estimate.noisy.counts import NoisyMarginal
from synth.private.methods.guided import follow_guess
from synth.private.methods.session import Session

ROUNDS = 12
"""Most pairs that the adaptive strategy takes one after another."""
LATER = Fraction(1, 3)
"""Share of the budget for pairs that the adaptive strategy keeps for its rounds."""
CHOOSING = Fraction(1, 5)
"""Share of a round's budget that chooses the pair; the rest measures it."""


def follow(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """Spend the session's budget as the strategy says, to the last part, and draw rows."""
    fitted = _follow(session, order, generator)
    evidence = session.evidence
    return replace(fitted, drawn=enforce_large(evidence, fitted.drawn, generator))


def _follow(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    strategy = order.strategy
    if STRATEGIES[strategy].by_pairs and session.evidence.pairs:
        _size_up(session)
    if session.evidence.public is not None:
        fitted = follow_guess(session, order, generator)
        if fitted is not None:
            return fitted
        session.evidence.public = None
    if strategy is Strategy.AUTO:
        strategy = _choose(session)
    elif session.may_be_pure:
        session.spend_as(pure=_quieter(session, order).pure)
    if STRATEGIES[strategy].by_pairs:
        if _hopeless(session):
            strategy = Strategy.INDEPENDENT
        else:
            _begin(session)
    return FOLLOWED[strategy](session, order, generator)


def _size_up(session: Session) -> None:
    """Learn about how many rows there are, where that is not public.

    Paid in epsilon where the guarantee allows it, however the rest is spent: the square of a
    fiftieth is next to nothing as rho.
    """
    if session.rows_are_public:
        return
    with session.in_epsilon():
        session.measure_total(session.account.total * SIZING)


def _hopeless(session: Session) -> bool:
    """Whether there is nothing but columns to be had."""
    evidence = session.evidence
    return not evidence.pairs or evidence.total < 1 or session.too_loud_to_choose(SELECTION)


def _choose(session: Session) -> Strategy:
    """What auto follows, and which way it spends the budget; a pure one is the stronger promise."""
    strategy, account = choose(
        session.account,
        session.account_as(pure=True) if session.may_be_pure else None,
        session.evidence.shape,
        pairs=0 if _hopeless(session) else len(session.evidence.pairs),
        rows=session.evidence.total,
        rows_are_public=session.rows_are_public,
        most_cells=session.evidence.most_cells,
    )
    session.spend_as(pure=account.pure)
    return strategy


def _quieter(session: Session, order: Order) -> Account:
    """The way to spend the budget by which a strategy that was asked for is off by least."""
    one, pure = session.account, session.account_as(pure=True)
    shape = session.evidence.shape
    if order.strategy is Strategy.GROUPS:
        cliques = with_others(shape, order.groups)
        return quietest_for_columns(one, pure, [cells(shape, clique) for clique in cliques])
    if STRATEGIES[order.strategy].by_pairs and not _hopeless(session):
        rows = session.evidence.total
        return min(one, pure, key=lambda way: prospect(way, shape, rows, SELECTION).pairs)
    return quietest_for_columns(one, pure, shape)


def _begin(session: Session) -> None:
    """Measure columns and distances.

    The noisier the columns, the more of the budget they take: what is learned of the pairs
    must outweigh what is lost on the columns.
    """
    account, evidence = session.account, session.evidence
    selection = account.total * selection_share(account, len(evidence.pairs), evidence.total)
    share = first_share(account, evidence.shape, evidence.total)
    session.measure_columns((session.left - selection) * share)
    session.measure_distances(selection)


def _chosen(
    session: Session, pairs: Sequence[Clique], budget: Fraction, predicted: int | None = None
) -> dict[Clique, Fraction]:
    """Split a budget between columns, which are paid at once, and pairs."""
    split = split_again(session.account, budget, session.evidence, set(pairs), predicted)
    if split.pairs and split.columns:
        session.measure_columns(split.columns)
    return split.pairs


def _spanning(evidence: Evidence) -> list[Clique]:
    """Kruskal: pairs by falling distance, unless they close a cycle.

    Pairs that follow from others come last: of columns that are nearly the same, those that tell
    of the others are measured, and not any that are far from independence.
    """
    part = list(range(len(evidence.shape)))
    chosen: list[Clique] = []
    apart = unexplained(evidence)
    for a, b in sorted(evidence.pairs, key=lambda pair: (-apart[pair], -evidence.distances[pair])):
        if part[a] != part[b]:
            chosen.append((a, b))
            part = [part[a] if p == part[b] else p for p in part]
    return chosen


def _alone(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    session.measure_columns(session.left)
    return finish_rows(Strategy.INDEPENDENT, session.evidence, {}, order, generator)


def _tree(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    chosen, evidence = _chosen(session, _spanning(session.evidence), session.left), session.evidence
    noisy = {pair: session.measure(pair, cost) for pair, cost in chosen.items()}
    _spend_rest(session)
    return finish_rows(Strategy.TREE, evidence, noisy, order, generator)


def _spend_rest(session: Session) -> None:
    """Nothing was worth measuring: the columns get what is left."""
    if session.left:
        session.measure_columns(session.left)


def _pairwise(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """One-shot, or adaptive, or one of them chosen by auto."""
    adaptive = order.strategy is Strategy.ADAPTIVE
    budget = session.left * (1 - LATER) if adaptive else session.left
    noisy: dict[Clique, NoisyMarginal] = {}
    pairs = session.evidence.pairs
    for pair, cost in _chosen(session, pairs, budget, order.predicted).items():
        noisy[pair] = session.measure(pair, cost)
    if adaptive:
        _rounds(session, noisy, deepcopy(generator).spawn(1)[0])  # the rows start at the seed
    _spend_rest(session)
    strategy = Strategy.ADAPTIVE if adaptive else Strategy.ONE_SHOT
    return finish_rows(strategy, session.evidence, noisy, order, generator)


def _rounds(
    session: Session, noisy: dict[Clique, NoisyMarginal], generator: np.random.Generator
) -> None:
    """Measure the pair that fits worst, and again, until the budget is spent."""
    rounds = min(ROUNDS, len(session.evidence.pairs) - len(noisy))
    costs = session.account.split(session.left, [1.0] * rounds) if rounds else []
    for cost in costs:
        together = Together(session.evidence, noisy, generator)
        noise = size_of_noise(session.account.noise(cost * (1 - CHOOSING)))
        open_pairs = [pair for pair in session.evidence.pairs if pair not in noisy]
        guesses = {pair: together.estimates[pair].values for pair in open_pairs}
        allowed = [error_after(guess, noise) for guess in guesses.values()]
        worst = session.measure_worst(guesses, allowed, cost * CHOOSING)
        noisy[worst] = session.measure(worst, cost * (1 - CHOOSING))


def with_others(shape: Sequence[int], groups: Sequence[Clique]) -> list[Clique]:
    """The groups, and each column that is in none of them by itself.

    >>> with_others((2, 3, 4), [(0, 2)])
    [(0, 2), (1,)]
    """
    grouped = {column for group in groups for column in group}
    return [*groups, *((column,) for column in range(len(shape)) if column not in grouped)]


def _groups(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """Each group as one histogram, the other columns alone."""
    evidence = session.evidence
    cliques = with_others(evidence.shape, order.groups)
    sizes = [cells(evidence.shape, clique) for clique in cliques]
    costs = session.account.by_size(session.left, sizes)
    noisy = {c: session.measure(c, cost) for c, cost in zip(cliques, costs, strict=True)}
    return finish_rows(Strategy.GROUPS, evidence, noisy, order, generator)


def _whole(session: Session, order: Order, generator: np.random.Generator) -> Fitted:
    """All columns as one histogram, drawn from as it is."""
    evidence = session.evidence
    clique = tuple(range(len(evidence.shape)))
    noisy = {clique: session.measure(clique, session.left)}
    return finish_rows(Strategy.WHOLE, evidence, noisy, order, generator)


FOLLOWED = {
    Strategy.INDEPENDENT: _alone,
    Strategy.TREE: _tree,
    Strategy.ADAPTIVE: _pairwise,
    Strategy.ONE_SHOT: _pairwise,
    Strategy.GROUPS: _groups,
    Strategy.WHOLE: _whole,
}
"""How each strategy spends what is left of the budget once it is begun."""

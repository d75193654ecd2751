"""One-shot with a public table as the guess: from the budget to rows. PRIVATE.

First, the distance of all pairs from the public table is measured, as precisely as the error
at stake requires. It decides whether the table is useful. Columns correct it, with a share of
the budget that suits its error. Pairs are measured if they are further from their guess than
from their noisy counts."""

import math
from fractions import Fraction

import numpy as np

from synth import limits
from synth.estimate import (
    APART,
    RECIPES,
    SELECTION,
    Allowance,
    Clique,
    Fitted,
    Method,
    NoisyMarginal,
    Order,
    believed_off,
    choose_pairs,
    histogram_is_nearer,
    histogram_is_small,
    presume_distances,
    with_guess,
    without_guess,
)
from synth.privacy import GRID, Guarantee, in_rho
from synth.private.methods.session import Session

# Largest share of the budget for numbers that only a guess needs: what a wrong guess may
# cost.
MAX_QUESTION_SHARE = Fraction(1, 20)
# How many times its noise a number must be: the error at stake, the distance's; or the number
# of rows, its own, to be measured only once.
PRECISION = 5


def follow_guess(
    session: Session, order: Order, generator: np.random.Generator
) -> Fitted | None:
    """Spend the session's budget around the public guess; None if another method must spend
    it.

    That one has the guess for columns if it links none, and no guess if it is far off.
    """
    if not session.evidence.find_links():
        return None
    fitted = _follow_links(session, order, generator)
    if fitted is None:
        session.evidence.drop_guess()
    return fitted


def _follow_links(
    session: Session, order: Order, generator: np.random.Generator
) -> Fitted | None:
    """Spend the session's budget around the links of a guess; None if they are far off."""
    evidence, public = session.evidence, session.evidence.public
    assert public is not None
    pairs = public.select_known(evidence.pairs)
    more = _size_up_again(session)
    if evidence.total < 1:
        return None
    if RECIPES[order.strategy].chooses and _histogram_does(session):
        return None
    off = _ask(session, pairs, more)
    budgets = _budgets(session)
    prospect = with_guess(budgets, evidence, off)
    if prospect.error > without_guess(budgets, evidence):
        return None
    session.spend_as(pure=prospect.account.pure)
    session.measure_columns(session.left * prospect.share)
    selection, count = session.account.total * SELECTION, len(evidence.pairs)
    each = session.account.distance_noise(selection, count).mean_absolute / GRID
    if session.left and each < off / 2:
        session.measure_distances(selection, APART)
    else:
        presume_distances(evidence, off / 2)
    noisy = _measure_pairs(session)
    session.measure_moments()
    return RECIPES[Method.ONE_SHOT].draw(evidence, noisy, order, generator=generator)


def _size_up_again(session: Session) -> Fraction:
    """Measure the number of rows again if noise could hide them, and return the cost."""
    evidence = session.evidence
    if session.rows_are_public or not evidence.measured:
        return Fraction(0)
    ((_, noisy),) = evidence.measured
    noise = math.sqrt(noisy.values.size) * noisy.mechanism.mean_absolute
    with session.in_epsilon():
        paid = session.account.count_spent(noisy.guarantee)
        more = _share_of_budget(session, MAX_QUESTION_SHARE) - paid
        if evidence.total < PRECISION * noise and more > 0:
            session.measure_total(more)
            return more
    return Fraction(0)


def _ask(session: Session, pairs: list[Clique], paid: Fraction) -> float:
    """Return the distance of all pairs together from the public table, in rows."""
    # It is paid in epsilon if the guarantee allows, so that either way to spend the rest
    # stays open.
    evidence = session.evidence
    public, total = evidence.public, evidence.total
    assert public is not None
    at_stake = without_guess(_budgets(session), evidence)
    with session.in_epsilon():
        price = _price(session, len(pairs), at_stake / PRECISION, paid=paid)
        session.measure_misfit({p: public.shares(p) * total for p in pairs}, price)
    return believed_off(evidence.spends[-1], len(pairs))


def _budgets(session: Session) -> list[Allowance]:
    """Return the accounts between which the release may choose, each with what is left
    of it.
    """
    was_pure = session.account.pure
    budgets: list[Allowance] = []
    for is_pure in dict.fromkeys((was_pure, session.may_be_pure)):
        session.spend_as(pure=is_pure)
        budgets.append((session.account, session.left))
    session.spend_as(pure=was_pure)
    return budgets


def _measure_pairs(session: Session) -> dict[Clique, NoisyMarginal]:
    """Measure the pairs worth their cost, by their noisy distances, with what is left."""
    evidence, chosen = session.evidence, {}
    if session.left:
        distances = [evidence.distances[pair] for pair in evidence.pairs]
        guesses = [evidence.guess(pair) for pair in evidence.pairs]
        chosen = choose_pairs(session.account, session.left, distances, guesses=guesses)
    pairs = {evidence.pairs[place]: cost for place, cost in chosen.items()}
    noisy = {pair: session.measure(pair, cost) for pair, cost in pairs.items()}
    session.spend_rest()
    return noisy


def _histogram_does(session: Session) -> bool:
    evidence = session.evidence
    small = session.may_be_pure and histogram_is_small(evidence.shape, evidence.most_cells)
    return small and histogram_is_nearer(session.account_as(pure=True), evidence)


def _price(session: Session, pairs: int, wanted: float, *, paid: Fraction) -> Fraction:
    """Return the cost of one distance of all pairs, which gives the wanted precision.

    At most the share of the budget that questions may take, less what is ``paid``; and as
    much as keeps the noise within what Synth draws.
    """
    account = session.account
    most = _share_of_budget(session, MAX_QUESTION_SHARE) - paid
    loudest = account.summed_noise(most, pairs).mean_absolute
    noise = loudest / GRID / pairs
    # With a smaller part the noise might be larger than Synth draws.
    drawn = 2 * loudest / float(limits.MAX_SCALE)
    less = min(1.0, max(noise / max(wanted, 1.0), 1e-3, drawn))
    part = Fraction(less if account.pure else less**2).limit_denominator(10**6)
    return most * part


def _share_of_budget(session: Session, share: Fraction) -> Fraction:
    """Return a share of the budget, epsilon or rho, for one question."""
    # If the rest may be spent as rho, at most the epsilon that costs this share of the rho,
    # too.
    account = session.account
    most = account.total * share
    if not account.pure or not session.may_be_rho:
        return most
    rho = session.account_as(pure=False).total * share
    root = math.sqrt(rho / in_rho(Guarantee.pure(1), gaussian=True))
    return min(most, Fraction(root).limit_denominator(10**9))

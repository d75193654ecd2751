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
    choose_pairs,
    distance_from_public,
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
    """Spend the budget around a public table as the guess, and return the fitted model.

    It is None if another method must spend the rest. That method has the guess for single
    columns if the public table says nothing of pairs, and no guess if the guess is far off.

    Args:
        session: The rows, the door and what was measured so far.
        order: The method and the number of rows to draw.
        generator: Draws the rows.
    """
    # Without any pair that it guesses, the public table still helps with single columns.
    if not session.evidence.find_links():
        return None
    fitted = _follow_links(session, order, generator)
    if fitted is None:
        session.evidence.drop_guess()
    return fitted


def _follow_links(
    session: Session, order: Order, generator: np.random.Generator
) -> Fitted | None:
    """Measure and draw rows with a public table as the guess of pairs of columns.

    First the mean distance of the pairs from the public table is measured. It decides how the
    rest of the budget is split between columns and pairs, or that the guess does not pay.

    Returns:
        None if the public table is far off, if there are no rows, or if the histogram of all
        columns does better. Then the caller goes on without the guess. See `follow_guess`
        for the arguments.
    """
    evidence = session.evidence
    public = evidence.public
    assert public is not None
    pairs = public.select_known(evidence.pairs)  # of columns that the public table has
    spent_on_rows = _size_up_again(session)
    if evidence.total < 1:
        return None
    # Only *auto* may follow another method, such as the histogram.
    if RECIPES[order.strategy].chooses and _histogram_does(session):
        return None
    mean_distance = _ask(session, pairs, spent_on_rows)  # L1, in rows
    budgets = _budgets(session)
    # The best account, and the share of the budget that columns get.
    prospect = with_guess(budgets, evidence, mean_distance)
    if prospect.error > without_guess(budgets, evidence):
        return None
    session.spend_as(pure=prospect.account.pure)
    session.measure_columns(session.left * prospect.share)
    # Distances of single pairs are measured only if their noise is below half of the mean
    # distance. Otherwise they are presumed: their mean is that half, and pairs that chance
    # moves further are further off.
    selection = session.account.total * SELECTION
    noise = session.account.distance_noise(selection, len(evidence.pairs))
    noise_in_rows = noise.mean_absolute / GRID
    if session.left and noise_in_rows < mean_distance / 2:
        session.measure_distances(selection, APART)
    else:
        presume_distances(evidence, mean_distance / 2)
    noisy = _measure_pairs(session)
    session.measure_moments()
    # Columns and pairs are joined as *one-shot* joins them.
    return RECIPES[Method.ONE_SHOT].draw(evidence, noisy, order, generator=generator)


def _size_up_again(session: Session) -> Fraction:
    """Measure a private number of rows again if noise could hide it.

    Returns the cost, 0 if nothing is measured. It is an epsilon if the budget may be spent as
    one, else a rho.
    """
    evidence = session.evidence
    if session.rows_are_public or not evidence.measured:  # known, or not measured yet
        return Fraction(0)
    ((_, noisy),) = evidence.measured  # so far only the first measurement of the rows
    # The number of rows is the sum of a column's cells, each with noise of its own. So its
    # noise grows by the root of their number.
    noise = math.sqrt(noisy.values.size) * noisy.mechanism.mean_absolute
    with session.in_epsilon():
        paid = session.account.count_spent(noisy.guarantee)
        more = _share_of_budget(session, MAX_QUESTION_SHARE) - paid
        if evidence.total < PRECISION * noise and more > 0:
            session.measure_total(more)
            return more
    return Fraction(0)


def _ask(session: Session, pairs: list[Clique], paid: Fraction) -> float:
    """Measure how far the public table is off, and return it: the pairs' mean, in rows.

    Args:
        session: The rows, the door and what was measured so far.
        pairs: The pairs of columns that the public table has.
        paid: What was spent already of the share for such questions.
    """
    # It is paid in epsilon if the guarantee allows, so that either way to spend the rest
    # stays open.
    evidence = session.evidence
    public, total = evidence.public, evidence.total
    assert public is not None
    at_stake = without_guess(_budgets(session), evidence)
    with session.in_epsilon():
        price = _price(session, len(pairs), at_stake / PRECISION, paid=paid)
        session.measure_misfit({p: public.shares(p) * total for p in pairs}, price)
    # The last spend is that of the sum; its noise is subtracted.
    return distance_from_public(evidence.spends[-1], len(pairs))


def _budgets(session: Session) -> list[Allowance]:
    """Return the accounts between which the release may choose, each with what is left.

    These are the present one and, if the budget may still be spent as an epsilon, that one.
    """
    was_pure = session.account.pure
    budgets: list[Allowance] = []
    # What is left has the unit of the present account, so the session changes to each.
    for is_pure in dict.fromkeys((was_pure, session.may_be_pure)):
        session.spend_as(pure=is_pure)
        budgets.append(Allowance(session.account, session.left))
    session.spend_as(pure=was_pure)
    return budgets


def _measure_pairs(session: Session) -> dict[Clique, NoisyMarginal]:
    """Measure the pairs that are worth their cost, by their noisy distances from the guess.

    What is left of the budget is spent. Returns the noisy histogram of each measured pair.
    """
    evidence = session.evidence
    chosen: dict[int, Fraction] = {}  # the cost of each pair to measure, by its place
    if session.left:
        distances = [evidence.distances[pair] for pair in evidence.pairs]
        guesses = [evidence.guess(pair) for pair in evidence.pairs]
        chosen = choose_pairs(session.account, session.left, distances, guesses=guesses)
    pairs = {evidence.pairs[place]: cost for place, cost in chosen.items()}
    noisy = {pair: session.measure(pair, cost) for pair, cost in pairs.items()}
    session.spend_rest()
    return noisy


def _histogram_does(session: Session) -> bool:
    """Return whether the histogram of all columns, by epsilon, does better than any guess.

    It must also have few enough cells, as each of them is measured.
    """
    evidence = session.evidence
    small = session.may_be_pure and histogram_is_small(evidence.shape, evidence.most_cells)
    return small and histogram_is_nearer(session.account_as(pure=True), evidence)


def _price(session: Session, pairs: int, wanted: float, *, paid: Fraction) -> Fraction:
    """Return the cost of measuring the sum of the pairs' distances with a wanted precision.

    It is at most the share of the budget for questions, less what is ``paid``. It is at least
    what keeps the noise within the scales that Synth draws.

    Args:
        session: The rows, the door and what was measured so far.
        pairs: The number of pairs.
        wanted: The noise of a pair's distance, in rows, that is small enough.
        paid: What was spent already of that share.
    """
    account = session.account
    most = _share_of_budget(session, MAX_QUESTION_SHARE) - paid
    loudest = account.summed_noise(most, pairs).mean_absolute  # in 1 / GRID rows
    noise = loudest / GRID / pairs  # of a pair's distance, in rows, if all of it is spent
    # With a smaller part the noise might be larger than Synth draws. The factor 2 is a
    # margin.
    drawn = 2 * loudest / float(limits.MAX_SCALE)
    # ``less`` is the part of the epsilon that is enough, at least a thousandth. Noise falls
    # with epsilon, and with the root of rho, so the part of a rho is its square.
    less = min(1.0, max(noise / max(wanted, 1.0), 1e-3, drawn))
    part = Fraction(less if account.pure else less**2).limit_denominator(10**6)
    return most * part


def _share_of_budget(session: Session, share: Fraction) -> Fraction:
    """Return a share of the budget, in the account's epsilon or rho, for one question."""
    # If the rest may be spent as rho, it is also at most the epsilon that costs this share of
    # the rho. An epsilon costs its square times the rho of epsilon 1.
    account = session.account
    most = account.total * share
    if not account.pure or not session.may_be_rho:
        return most
    rho = session.account_as(pure=False).total * share
    root = math.sqrt(rho / in_rho(Guarantee.pure(1), gaussian=True))  # that epsilon
    return min(most, Fraction(root).limit_denominator(10**9))

"""One-shot with a public table as the guess: from the budget to rows. PRIVATE.

How far all pairs are from the public table comes first, and how far from independence of its
columns: for next to nothing, they say whether the table is worth asking. Columns correct it, at a
share of the budget that suits how far it is off. Pairs that are further from their guess than they
would be from their noisy counts are measured.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from synth.arrays import Floats
from synth.models.allocation import size_of_noise
from synth.models.choosing import (
    SELECTION,
    Fitted,
    Order,
    histogram_is_small,
    quietest_for_columns,
)
from synth.models.corrected_guess import (
    APART,
    AS_IT_STANDS,
    CORRECTED,
    CREDIT,
    NEARER,
    UNRELATED,
    histogram_is_nearer,
    is_worth_asking,
    mean_noise,
    presume_distances,
    set_aside,
    with_guess,
    without_guess,
)
from synth.models.joining import join
from synth.models.junction import Clique
from synth.models.names import Strategy
from synth.models.pairwise import Together
from synth.models.session import Session
from synth.models.splitting import over_pairs
from synth.noisy.counts import NoisyMarginal
from synth.privacy.sensitivity import GRID

MOST = Fraction(1, 40)
"""Largest share of the budget for the distance of all pairs together, each time it is measured."""
PRECISE = 0.004
"""Noise of that distance, in total variation, below which it costs no more."""
LOUD = 0.01
"""The same, above which there is nothing but columns to correct."""


def follow_guess(session: Session, order: Order, generator: np.random.Generator) -> Fitted | None:
    """Spend the session's budget around the public guess; None if it is no better than none."""
    evidence, public = session.evidence, session.evidence.public
    assert public is not None
    pairs = public.known(evidence.pairs)
    if not pairs or evidence.total < 1:
        return None
    if order.strategy is Strategy.AUTO and _histogram_does(session):
        return None
    _, noise = _price(session, len(pairs))
    if noise / (2 * evidence.total) > LOUD:
        _spend_quietly(session)
        return _columns_alone(session, order, pairs, generator)
    near, far = _compare(session, [public.shares, public.unrelated], pairs)
    if not is_worth_asking(near, far, mean_noise(evidence.spends[-1], len(pairs))):
        return None
    off = max(near, 0.0)
    prospect = with_guess(session.account, session.left, evidence, off)
    alone = without_guess(session.account, session.left, evidence)
    if prospect.error > NEARER * alone.error:
        return None
    session.measure_columns(session.left * prospect.share)
    if session.left:
        _size_up_pairs(session, pairs, off)
    else:
        presume_distances(evidence, off / 2)
    chosen = (
        over_pairs(session.account, session.left, evidence, evidence.pairs) if session.left else {}
    )
    noisy = {pair: session.measure(pair, cost) for pair, cost in chosen.items()}
    if session.left:
        session.measure_columns(session.left)
    return _settled(session, order, noisy, generator)


def _histogram_does(session: Session) -> bool:
    """Whether the histogram of all columns leaves a guess nothing to say."""
    evidence = session.evidence
    if not session.may_be_pure or not histogram_is_small(evidence.shape, evidence.most_cells):
        return False
    return histogram_is_nearer(session.account_as(pure=True), evidence)


def _spend_quietly(session: Session) -> None:
    """Spend what gives columns the least noise."""
    if session.may_be_pure:
        pure = session.account_as(pure=True)
        quietest = quietest_for_columns(session.account, pure, session.evidence.shape)
        session.spend_as(pure=quietest.pure)


def _columns_alone(
    session: Session, order: Order, pairs: list[Clique], generator: np.random.Generator
) -> Fitted:
    """Columns for nearly all of the budget; the rest tells which guess of the pairs is better."""
    evidence = session.evidence
    price, _ = _price(session, len(pairs))
    session.measure_columns(session.left - 2 * price)
    near = session.measure_misfit({p: evidence.guess(p) for p in pairs}, price, CORRECTED)
    far = session.measure_misfit({p: evidence.product(p) for p in pairs}, price, UNRELATED)
    noise = mean_noise(evidence.spends[-1], len(pairs))
    if not is_worth_asking(near, far, CREDIT * noise):
        evidence.public = None
        evidence.repair_columns()
        return join(evidence, Strategy.INDEPENDENT, {}, order.rows, generator)
    presume_distances(evidence, 0.0)
    return _settled(session, order, {}, generator)


def _settled(
    session: Session,
    order: Order,
    noisy: dict[Clique, NoisyMarginal],
    generator: np.random.Generator,
) -> Fitted:
    together = Together(session.evidence, noisy, generator)
    codes = together.rows(order.rows, generator)
    return Fitted(Strategy.ONE_SHOT, codes, together.estimates, session.evidence.total)


def _compare(
    session: Session, guesses: list[Callable[[Clique], Floats]], pairs: list[Clique]
) -> list[float]:
    """Mean L1 distance of pairs from the public table and from independence in it, in rows."""
    total = session.evidence.total
    price, _ = _price(session, len(pairs))
    return [
        session.measure_misfit({pair: shares(pair) * total for pair in pairs}, price, what)
        for shares, what in zip(guesses, (AS_IT_STANDS, UNRELATED), strict=True)
    ]


def _size_up_pairs(session: Session, pairs: list[Clique], off: float) -> None:
    """Learn how far pairs are from the corrected guess: each, or all together, or not at all."""
    evidence, account = session.evidence, session.account
    price, noise = _price(session, len(pairs))
    selection = account.total * SELECTION
    each = size_of_noise(account.distance_noise(selection, len(evidence.pairs))) / GRID
    if each < off / 2:
        session.measure_distances(selection, APART)
        set_aside(evidence)
        return
    mean = off / 2
    if noise < off / 4:
        mean = session.measure_misfit({p: evidence.guess(p) for p in pairs}, price, CORRECTED)
    presume_distances(evidence, mean)


def _price(session: Session, pairs: int) -> tuple[Fraction, float]:
    """What one distance of all pairs together is worth, epsilon or rho; and its noise, in rows."""
    account, rows = session.account, max(session.evidence.total, 1.0)
    most = account.total * MOST
    noise = size_of_noise(account.summed_noise(most, pairs)) / GRID / pairs
    less = min(1.0, max(noise / (2 * rows * PRECISE), 1e-3))
    part = Fraction(less if account.pure else less**2).limit_denominator(10**6)
    return most * part, noise / less

"""Whole samplers, their laws enumerated: proposal by acceptance, in integers. Nothing is
sampled.

Three layers, each of which rests on the one before:

1. the law of a `Sampler` is that of its thresholds: `settles` feeds it the words next to
every
   threshold, through the one seam to randomness, and the integer path the bits next to it;
2. the thresholds are those of the law that is claimed: `law_error`, in 110 digits;
3. what a mechanism makes of such draws is enumerated with the draws put in its hands: `dealt`
   gives it chosen values, `tree` walks through all of them.

Errors are the largest |ln P / claim| over the outcomes; `EXACT` is what they must stay below.
"""

import io
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from synth.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    bits,
    exceedances,
    gaussian,
    laplace,
    sampler,
)
from synth.noise import coins as coins_drawn
from synth.noise.exponential import gaps_below
from synth.noise.laws import (
    BASE,
    Coin,
    Digit,
    Gaussian,
    OneSided,
    Radius,
    RatioCoin,
    Tilted,
    TwoSided,
    Weighted,
    count_digits,
)
from synth.noise.remainders import Remainder, remainder_width
from synth.noise.sampler import CHUNK, OPEN, Law, Sampler, Scratch, Thresholds, locate
from tests.audit.layers import NBITS

EXACT = Decimal("1e-50")
WRONG = Decimal("Infinity")
"""The error of a sampler that gives what it cannot, or not what it must."""
Chances = dict[Any, Decimal]


def exponents(scores: Sequence[Any], *, rate: Fraction) -> tuple[Fraction, ...]:
    """Of the chance of every candidate, exact."""
    return tuple(Fraction(rate * gap) for gap in gaps_below(scores))


def decimal(x: Fraction | int) -> Decimal:
    return Decimal(Fraction(x).numerator) / Decimal(Fraction(x).denominator)


def error(chances: Chances, claimed: Chances) -> Decimal:
    """Largest |ln found / claimed|; infinite where one of them lacks an outcome."""
    if chances.keys() != claimed.keys():
        return WRONG
    return farthest(chances[key] / claimed[key] for key in chances)


def farthest(ratios: Iterable[Decimal]) -> Decimal:
    """The largest |ln| of some ratios, with two logarithms in all."""
    all_ratios = list(ratios)
    return max(max(all_ratios).ln(), -min(all_ratios).ln())


class Exhausted(Exception):
    """More bits are asked for than were written on the tape."""


@contextmanager
def fed(*pieces: Any) -> Iterator[None]:
    """Give these bytes, or arrays, in the place of the system's randomness, and no more."""
    tape = io.BytesIO(b"".join(p if isinstance(p, bytes) else p.tobytes() for p in pieces))

    def read(nbytes: int) -> bytes:
        got = tape.read(nbytes)
        if len(got) < nbytes:
            raise Exhausted
        return got

    with patch.object(bits, "bits", read):
        yield


# 1. A sampler has the law of its thresholds.


class Kept:
    """A law that computes its thresholds once."""

    def __init__(self, law: Law) -> None:
        self.thresholds = lru_cache(maxsize=None)(law.thresholds)


def settles(law: Law) -> bool:
    """Whether tables, 64-bit words and the integer path all answer as thresholds of 320 bits
    do.

    Answers rise with the word, so that it is enough to ask next to every threshold and at
    both ends of every open word: of a word that is still open, only that it goes on to more
    bits.
    """
    law_with_thresholds = Kept(law)
    table, fine = Sampler(law_with_thresholds), law_with_thresholds.thresholds(NBITS)
    with suppress(Exhausted, RuntimeError):
        return _words_settle(table, fine) and _bits_settle(law_with_thresholds, fine)
    return False


def _words_settle(table: Sampler, fine: Thresholds) -> bool:
    coarse = table.law.thresholds(64)
    asked_words = {value + step for value in coarse.low for step in (-1, 0)}
    asked_words |= {value + step for value in coarse.high for step in (-1, 0)}
    for word in np.flatnonzero(table.table == OPEN).tolist():
        asked_words |= {word << 48, ((word + 1) << 48) - 1}
    words = sorted(word for word in asked_words if 0 <= word < 1 << 64)
    bits_left = NBITS - 64
    ends = [
        (locate(fine, word << bits_left), locate(fine, ((word + 1) << bits_left) - 1))
        for word in words
    ]
    expected_answers = [low if low == high else None for low, high in ends]
    return all(
        a in (None, b) for a, b in zip(_given(table, words), expected_answers, strict=True)
    )


def _given(table: Sampler, words: list[int]) -> list[int | None]:
    """What a sampler answers to 64-bit words through the one seam; None where it asks
    further.
    """
    answers: list[int | None] = []
    asked_further = 10**15
    with patch.object(
        sampler, "invert", lambda _law, word, _nbits: asked_further + (word & 3)
    ):
        for start in range(0, len(words), CHUNK):
            part = np.array(words[start : start + CHUNK], np.uint64)
            first = (part >> np.uint64(48)).astype(np.uint16)
            long_words = part[table.table[first] == OPEN] << np.uint64(16) | np.uint64(0xBEEF)
            with fed(first, long_words):
                numbers = table.draw(len(part)).tolist()
            answers += [None if value >= asked_further else value for value in numbers]
    return answers


def _bits_settle(law: Kept, fine: Thresholds, every: int = 5) -> bool:
    """The integer path within 2^-200 of thresholds: from 64 bits on, and from none in odd
    steps.
    """
    near = 1 << (NBITS - 200)
    for i in range(0, len(fine.low), every):
        for value, answer in ((fine.low[i] - near, i), (fine.high[i] + near, i + 1)):
            if not 0 <= value < 1 << NBITS or locate(fine, value) != fine.first + answer:
                continue  # so deep in a tail that thresholds are closer together than that
            text = value.to_bytes(NBITS // 8, "big")
            with fed(text[8:]):
                if sampler.invert(law, value >> (NBITS - 64), 64) != fine.first + answer:
                    return False
            with fed(text):
                if sampler.invert(law, step=24) != fine.first + answer:
                    return False
    return True


# 2. Thresholds are those of the claimed law.


def masses(law: Law) -> dict[int, tuple[Decimal, Decimal]]:
    """Enclosures of P(z), but for the far tails, by the integers of the law at 320 bits."""
    thresholds, unit = law.thresholds(NBITS), Decimal(2) ** NBITS
    low = [*thresholds.low] if thresholds.tail_above else [*thresholds.low, 1 << NBITS]
    high = [*thresholds.high] if thresholds.tail_above else [*thresholds.high, 1 << NBITS]
    if not thresholds.tail_below:
        low, high = [0, *low], [0, *high]
    first = thresholds.first + thresholds.tail_below
    return {
        first + i: ((low[i + 1] - high[i]) / unit, (high[i + 1] - low[i]) / unit)
        for i in range(len(low) - 1)
        if low[i + 1] - high[i] > 1 << 200
    }


def law_error(law: Law) -> Decimal:
    """Layer 2: of a law against its definition."""
    with localcontext(prec=110):
        chances, claimed = masses(law), claimed_law(law)
        if sum(low for low, _ in chances.values()) < 1 - Decimal("1e-30"):
            return WRONG
        return farthest(end / claimed(z) for z, ends in chances.items() for end in ends)


def claimed_law(law: Any) -> Callable[[int], Decimal]:
    """The definition of each law, in decimal arithmetic and in other words than the
    product's.
    """
    match law:
        case TwoSided():
            return _two_sided(law)
        case OneSided():
            q = (-decimal(law.rate)).exp()
            return lambda z: (1 - q) * q**z
        case Digit():
            return _normal(range(BASE), lambda d: (-d * decimal(law.rate)).exp())
        case Gaussian():
            reach = 40 * (math.isqrt(int(law.sigma2)) + 1)
            support = range(0 if law.half else -reach, reach + 1)
            return _normal(support, lambda z: (-z * z / (2 * decimal(law.sigma2))).exp())
        case Weighted():
            return _normal(
                range(len(law.exponents)), lambda i: (-decimal(law.exponents[i])).exp()
            )
        case Tilted():
            q = (-decimal(law.rate)).exp()
            return _normal(range(len(law.counts)), lambda k: law.counts[k] * q**k)
        case Coin():
            heads = (-decimal(law.exponent)).exp()
            return lambda side: 1 - heads if side else heads
        case RatioCoin():
            heads = (1 - (-decimal(law.slow)).exp()) / (1 - (-decimal(law.fast)).exp())
            return lambda side: heads if side else 1 - heads
        case Radius():
            q, reach = (
                (-decimal(law.rate)).exp(),
                int((260 + 12 * law.dimension) / law.rate) + 40,
            )
            return _normal(range(reach), lambda r: (2 * r + 1) ** law.dimension * q**r)
        case exceedances.Exceeding():
            return _binomial(law.trials, _exceeds(law.rate, law.threshold))
    raise TypeError(law)


def _two_sided(law: TwoSided) -> Callable[[int], Decimal]:
    """Of the number that is left of z when its lowest digits are cut off, rounded down."""
    q = (-decimal(law.rate)).exp()
    width = law.width * BASE**law.digits
    top = q**width

    def chance(z: int) -> Decimal:
        # The sum of (1 - q) / (1 + q) q^|y| over z width <= y < (z + 1) width.
        nearest = z * width if z >= 0 else -(z + 1) * width + 1
        return q**nearest * (1 - top) / (1 + q)

    return chance


def _normal(
    support: Sequence[int], weight: Callable[[int], Decimal]
) -> Callable[[int], Decimal]:
    weights = {z: weight(z) for z in support}
    total = sum(weights.values())
    return lambda z: weights[z] / total


def _exceeds(rate: Fraction, threshold: int) -> Decimal:
    """P(Z >= threshold), of two-sided noise."""
    q = (-decimal(rate)).exp()
    return q**threshold / (1 + q)


def _binomial(trials: int, chance: Decimal) -> Callable[[int], Decimal]:
    return lambda k: math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k)


# 3. What is made of the draws. A choice of a tree is one of some outcomes with their chances.


class Tree:
    """Stands for all randomness: it repeats a path of choices, and then takes the first
    one.
    """

    def __init__(self, path: Sequence[int]) -> None:
        self._path, self.chance = path, Decimal(1)
        self.open: list[int] = []
        self.sizes: list[int] = []

    def pick(self, chances: Sequence[Decimal]) -> int:
        place = len(self.sizes)
        taken = self._path[place] if place < len(self._path) else 0
        self.sizes.append(len(chances))
        self.open.append(taken)
        self.chance *= chances[taken]
        return taken

    def even(self, count: int) -> int:
        """One of so many, each as likely."""
        return self.pick([Decimal(1) / count] * count)


def tree(
    run: Callable[[Tree], Hashable], *, least: Decimal = Decimal(0)
) -> tuple[Chances, Decimal]:
    """The law of a run by all its choices, and what is left of paths less likely than
    ``least``.
    """
    chances: Chances = {}
    chance_left, path = Decimal(0), list[int]()
    with localcontext(prec=110):
        while True:
            walked = Tree(path)
            outcome = run(walked) if least == 0 else _cut(run, walked, least)
            if outcome is None:
                chance_left += walked.chance
            else:
                chances[outcome] = chances.get(outcome, Decimal(0)) + walked.chance
            path = walked.open
            while path and path[-1] == walked.sizes[len(path) - 1] - 1:
                path.pop()
            if not path:
                return chances, chance_left
            path[-1] += 1


class Cut(Exception):
    """A path is less likely than what is looked at."""


def _cut(run: Callable[[Tree], Hashable], walked: Tree, least: Decimal) -> Hashable | None:
    pick = walked.pick

    def bounded(chances: Sequence[Decimal]) -> int:
        taken = pick(chances)
        if walked.chance < least:
            raise Cut
        return taken

    walked.pick = bounded  # type: ignore[method-assign]
    try:
        return run(walked)
    except Cut:
        return None


class Dealt:
    """Samplers that give chosen values, one array after another; they keep the laws."""

    def __init__(self, *values: Any) -> None:
        self.values, self.laws = [np.asarray(v, np.int64) for v in values], list[Any]()

    def __call__(self, law: Any) -> "Dealt":
        self.laws.append(law)
        following = Dealt(self.values[len(self.laws) - 1])
        following.laws.append(law)
        return following

    def draw(self, size: int) -> Any:
        assert size == self.values[0].size
        return self.values[0]

    def fill(self, out: Any) -> Any:
        return self.draw(out.size).astype(out.dtype)

    def chunks(self, size: int) -> Iterator[tuple[int, Any]]:
        for start in range(0, size, CHUNK):
            yield start, self.values[0][start : min(size, start + CHUNK)].copy()


@contextmanager
def dealt(module: Any, *values: Any) -> Iterator[Dealt]:
    """Put chosen values in the place of a module's samplers."""
    sampler_of_values = Dealt(*values)
    with patch.object(module, "sampler", sampler_of_values):
        yield sampler_of_values


def laplace_error(
    scale: Fraction, tops: Sequence[int] = (-2, -1, 0, 1), *, many: bool = True
) -> Decimal:
    """Large discrete Laplace noise, composed of a top, digits and a remainder: all of these
    and no others.

    Args:
        scale: Of the noise.
        tops: What the top may be.
        many: As of many values, which have a remainder, or of few, which have none.
    """
    mechanism = DiscreteLaplace(scale)
    width = remainder_width(mechanism.scale) if many else 1
    digits = count_digits(mechanism.scale / width)
    step = 1 if digits < 2 and width == 1 else 15
    lower = [np.unique([*range(0, 256, step), 1, 254, 255])] * digits
    lasts = [np.unique([0, 1, width // 3, width - 2, width - 1])] * (width > 1)
    grid = [values.ravel() for values in np.meshgrid(tops, *lower, *lasts, indexing="ij")]
    remainders: list[Remainder] = []

    def deal_remainder(remainder: Remainder, size: int, _scratch: Scratch) -> Any:
        remainders.append(remainder)
        return grid[-1][:size].astype(remainder.word_type)

    with (
        dealt(laplace, *grid[: 1 + digits]) as deal,
        patch.object(laplace, "MOST_FEW", 0 if many else 10**9),
        patch.object(Remainder, "draw", deal_remainder),
    ):
        # A piece may be overwritten by the next one.
        parts = [values.copy() for _, values in mechanism.chunks(grid[0].size)]
    z = np.concatenate(parts).tolist()
    if remainders != [Remainder(1 / scale, width)] * len(lasts):
        return WRONG
    with localcontext(prec=110):
        claimed = _two_sided(TwoSided(1 / scale))
        chances: Chances = {}
        enclosures = [masses(law) for law in deal.laws]
        if len(enclosures) + len(lasts) != len(grid):
            return WRONG
        q = (-1 / decimal(scale)).exp()
        of_last = [(1 - q) / (1 - q**width)] * len(lasts)
        for value, *draws in zip(z, *(g.tolist() for g in grid), strict=True):
            chance = math.prod(e[draw][0] for e, draw in zip(enclosures, draws, strict=False))
            chance *= math.prod(first * q ** draws[-1] for first in of_last)
            chances[value] = chances.get(value, Decimal(0)) + chance
        if width > 1 and len(chances) < grid[0].size:  # two of these draws make one value
            return WRONG
        return error(chances, {value: claimed(value) for value in chances})


def remainder_error(scale: Fraction, every: int = 1) -> Decimal:
    """The last digit of large discrete Laplace noise: every place by its acceptance.

    Args:
        scale: Of the noise.
        every: Look at the acceptance of every so many-th place.
    """
    width = remainder_width(scale)
    remainder = Remainder(1 / scale, width)
    places = np.arange(width).astype(remainder.word_type)
    junk = remainder.word_type.type(-width)
    accepting, rejecting = np.zeros(width, np.uint16), np.full(width, 2**16 - 1, np.uint16)
    for words in (places, places | junk):
        # As coins of 0 accept, each place comes from its lowest bits, whatever the others.
        with fed(words, accepting):
            if not np.array_equal(remainder.draw(width), places):
                return WRONG
    # Every place but 0 is rejected by the largest coin, and proposed anew.
    ones = np.full(width, 2**64 - 1, np.uint64)
    ones[0] = 0  # so that the coin of 0, which is sure, is not a close call
    others = places[::-1][: width - 1]
    with fed(places, rejecting, ones, others, accepting[1:]):
        if remainder.draw(width).tolist() != [0, *others.tolist()]:
            return WRONG
    with localcontext(prec=60):
        least = (-decimal(width - 1) / decimal(scale)).exp()
        if not least - Decimal("1e-4") < Decimal(remainder.sure_coin) / 2**16 <= least:
            return WRONG
    some = places[::every]
    claims = [int(place) / scale for place in some]
    return _acceptance_error(claims, lambda i, words: remainder.accept(some[i], words))


def gaussian_error(
    sigma2: Fraction, *, blocks: Sequence[int] | None = None, every: int = 1
) -> Decimal:
    """The rejection path of the large discrete Gaussian: every proposal by its acceptance.

    Every z of the blocks must come from one offset, sign and block, and from no other; what
    is accepted is looked at to the last of 53 bits, where a coin must be asked, with the
    exponent that makes z as likely as it is claimed. That is exact: the error is 0.

    Args:
        sigma2: Of the mechanism.
        blocks: Numbers of blocks; by default all up to ten sigma.
        every: Look at the acceptance of every so many-th proposal.
    """
    mechanism = DiscreteGaussian(sigma2)
    width, sigma = mechanism._width, math.isqrt(int(sigma2))
    blocks = range(10 * sigma // width) if blocks is None else blocks
    kind, top = (
        mechanism._draw_place_words(1).dtype,
        8 * mechanism._draw_place_words(1).itemsize - 1,
    )
    places = np.concatenate([np.arange(width), np.arange(width) - (1 << top)]).astype(kind)
    block = np.repeat(np.array(blocks, np.int16), places.size)
    place = np.tile(places, len(blocks))
    junk = kind.type(((1 << top) - 1) & -width)
    z = mechanism._combine_places(block, place)
    others = (
        mechanism._combine_places(block, place | junk),
        mechanism._combine_places(block.astype(int), place),
    )
    spread = np.concatenate([np.arange(b * width, (b + 1) * width) for b in blocks])
    if any((z != other_z).any() for other_z in others) or not _surely_kept(
        mechanism, block, z
    ):
        return WRONG
    if not np.array_equal(np.sort(z), np.sort(np.concatenate([spread, -1 - spread]))):
        return WRONG
    law = _law_of_blocks(mechanism)
    if law != Gaussian(sigma2 / width**2, half=True):
        return WRONG
    if few_differ(mechanism):
        return WRONG
    block, z = block[::every], z[::every]
    floors = (block.astype(int) * width).tolist()
    claims = [
        Fraction(number**2 - floor**2) / (2 * sigma2)
        for number, floor in zip(z.tolist(), floors, strict=True)
    ]
    return _acceptance_error(
        claims, lambda i, words: mechanism._decide_close_coins(block[i], z[i], words)
    )


def few_differ(mechanism: DiscreteGaussian, size: int = 16) -> bool:
    """Whether a few numbers come out otherwise than many do of the same words, places and
    coins.

    Every fifth word of 16 bits draws a block, open words among them; every other coin is one
    of those that leave it open. What is read beyond is the same for all."""
    generator, mechanism = np.random.default_rng(16), DiscreteGaussian(mechanism.sigma2)
    kind, further_bits = mechanism._draw_place_words(1).dtype, b"\x5a" * 8
    # Words of few numbers have at least 32 bits, of which the lowest and the sign count.
    kind_of_few = np.promote_types(kind, np.int32)
    for start in range(0, 2**16 - 5 * size, 5 * size):
        words = np.arange(start, start + 5 * size, 5).astype(np.uint16)
        still_open = int((mechanism._blocks.table[words] == OPEN).sum())
        places = np.frombuffer(generator.bytes(kind.itemsize * size), kind)
        coins = np.frombuffer(generator.bytes(2 * size), np.uint16).copy()
        coins[start % 2 :: 2] |= 0xFE00
        with fed(words, coins, places.astype(kind_of_few), further_bits * 2 * size):
            few = mechanism._propose_few(size)
        with fed(words, further_bits * still_open, places, coins, further_bits * size):
            if few.tolist() != mechanism.propose(size).tolist():
                return True
    return False


def _surely_kept(mechanism: DiscreteGaussian, block: Any, z: Any) -> bool:
    """Whether every number is kept, however the first 16 bits go on that are said to be
    enough: by a list for few numbers, and by a line for many.
    """
    listed = mechanism._sure_coins.take(block, mode="clip").astype(np.uint64)
    top, slope = mechanism._sure_line
    for sure in (listed, (top - slope * block.astype(int)).astype(np.uint64)):
        worst = (sure << np.uint64(48)) - np.uint64(1)
        are_kept = mechanism._decide_close_coins(
            block, z, np.where(sure > 0, worst, np.uint64(0))
        )
        if not are_kept.all() or sure[0] <= 60_000:
            return False
    return mechanism._sure_coins[-1] == 0 and _finds_sure(mechanism)


def _finds_sure(mechanism: DiscreteGaussian) -> bool:
    """Whether many coins are sure below the line alone, and none is in blocks so far out that
    16 bits might not hold it.
    """
    top, slope = mechanism._sure_line
    blocks = np.arange(len(mechanism._sure_coins) - 1)
    below = (top - slope * blocks - 1).astype(np.uint16)
    narrow = blocks.astype(np.int16)
    found = [
        mechanism._find_sure(narrow, below, Scratch()).all(),
        not mechanism._find_sure(narrow, below + np.uint16(1), Scratch()).any(),
    ]
    for kind in (np.int16, np.int64):
        far = np.array([blocks[-1] + 1, 2**15 - 1], kind)
        coins = np.zeros(far.size, np.uint16)
        found.append(not mechanism._find_sure(far, coins, Scratch()).any())
    return all(found)


def _law_of_blocks(mechanism: DiscreteGaussian) -> Any:
    """The law that blocks are drawn from; what is kept of them is just what is judged so."""
    mechanism, blocks = (
        DiscreteGaussian(mechanism.sigma2),
        np.arange(0, 400, 10, dtype=np.int16),
    )
    places = np.arange(40).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    words = places.view(mechanism._draw_place_words(1).dtype)[:40]
    coins = np.array([0, (1 << 16) - 1] * 20, np.uint16)
    with dealt(gaussian, blocks) as deal, fed(words, coins, bytes(800)):
        proposed = mechanism.propose(40)
    z = mechanism._combine_places(blocks, words)
    keep = mechanism._decide_close_coins(blocks, z, coins.astype(np.uint64) << np.uint64(48))
    # The last ones take the places of those that are not kept.
    right = np.array_equal(np.sort(proposed), np.sort(z[keep])) and 20 <= keep.sum() < 40
    return deal.laws[0] if right else None


# Which of some proposals, by their positions, are kept by 64-bit words.
Decide = Callable[[Any, Any], Any]


def _acceptance_error(claims: Sequence[Fraction], decide: Decide) -> Decimal:
    """Of -ln P(accept) of proposals against the exponents that they should have.

    Words of 53 bits below the edge are kept whatever follows, those above are not, and at the
    edge itself a coin is tossed whose exponent is the claimed one: then the error is 0.
    """
    positions = np.arange(len(claims))
    with localcontext(prec=60):
        edges = np.array(
            [int(2**53 * (-decimal(claim)).exp()) for claim in claims], np.uint64
        )
        right = np.ones(len(claims), np.bool_)
        for step, follows, must_be_kept in PROBES:
            words_wanted = edges.astype(np.int64) + step
            words = np.clip(words_wanted, 0, 2**53 - 1).astype(np.uint64)
            outside = (words_wanted < 0) | (words_wanted >= 2**53)
            right &= (_kept(decide, positions, words, follows) == must_be_kept) | outside
        for i in np.flatnonzero(edges < 2**53):
            right[i] &= _coin_at(decide, edges, i) == claims[i]
        worst = Decimal(0)
        for i in np.flatnonzero(~right)[:20]:
            share = _bisected(decide, i)
            worst = max(worst, abs(share.ln() + decimal(claims[i])) if share else WRONG)
    return worst


PROBES = [
    (step, follows, step < 0)
    for step in (-(1 << 40), -(1 << 23) - 9, -1, 1, (1 << 23) + 9, 1 << 40)
    for follows in ((b"\xfe",) if step < 0 else (b"\x00",))
]
"""Steps from the edge of acceptance, among them across the margin of the floats; which bits
follow, the worst there are; and whether such a word is kept."""


def _kept(decide: Decide, positions: Any, words: Any, follows: bytes) -> Any:
    """Whether proposals with these words of 53 bits are kept."""
    with patch.object(bits, "bits", lambda n: follows * n):
        return decide(positions, words << np.uint64(11) | np.uint64(follows[0]))


def _coin_at(decide: Decide, edges: Any, i: int) -> Fraction | None:
    """The exponent of the coin that is asked about the word at the edge, if one is."""
    requests: list[Any] = []

    def listen(law: Coin, word: int, nbits: int) -> int:
        requests.append((law.exponent, word, nbits))
        return 0

    with patch.object(coins_drawn, "invert", listen):
        keep = decide(np.array([i]), edges[i : i + 1] << np.uint64(11))
    if not keep or not requests or requests[0][1:] != (int(edges[i]), 53):
        return None
    exponent: Fraction = requests[0][0]
    return exponent


def _bisected(decide: Decide, i: int) -> Decimal:
    """The share of words of 53 bits that are kept whatever follows."""
    low, high = 0, 1 << 53
    while low < high:
        middle = (low + high) // 2
        if _kept(decide, np.array([i]), np.array([middle], np.uint64), b"\xfe")[0]:
            low = middle + 1
        else:
            high = middle
    return Decimal(low) / 2**53


def tossing(random: Tree) -> Callable[..., Any]:
    """All ways that coins may fall, by their exact exponents, which the floats must agree
    with.
    """

    def flip_exponential_coins(
        words: Any, chances: Any, exponent: Callable[[int], Fraction]
    ) -> Any:
        heads = [(-decimal(exponent(i))).exp() for i in range(len(words))]
        if chances != pytest.approx([float(chance) for chance in heads], rel=0, abs=2**-50):
            message = "Floats and exponents are of different coins."
            raise ValueError(message)
        sides = [0 if chance == 1 else random.pick([chance, 1 - chance]) for chance in heads]
        return np.array(sides) == 0

    return flip_exponential_coins

"""Layer 1 for whole samplers: every path to a value of noise, enumerated. Nothing is sampled.

What there is, and where its law is enumerated:

- words of 16 bits in a table, of 64 in thresholds, of any length in integers: `settles`
- every law behind them: `law_error`
- large discrete Laplace noise of a top and digits: `laplace_error`
- large discrete Gaussian noise, proposal by acceptance: `gaussian_error`
- uniform integers by rejection, three kinds of them: `uniform_error`
- the exponential mechanism and permute-and-flip: `exponential_error`, `flip_error`
- the lattice noise of a norm, proposal by acceptance: `norm_error`
- cells of a large universe by number, subset and excess: `count_error`, `subset_error`,
  `listed_error`
"""

import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from synth.domain import Categorical, Domain
from synth.door import Support, door
from synth.noise import KNorm, Norm, bits, exceedances, exponential, knorm, laplace, sampler
from synth.noise import radius as radii_drawn
from synth.noise.exceedances import Exceeding
from synth.noise.laws import (
    Coin,
    Digit,
    Gaussian,
    OneSided,
    Radius,
    RatioCoin,
    Tilted,
    TwoSided,
    Weighted,
)
from synth.noise.remainders import remainder_width
from synth.noise.sampler import CHUNK, Law, Sampler
from synth.private.counting import Counts
from tests.audit import tally
from tests.audit.exact import (
    EXACT,
    WRONG,
    Exhausted,
    Tree,
    dealt,
    decimal,
    error,
    fed,
    gaussian_error,
    laplace_error,
    law_error,
    masses,
    remainder_error,
    settles,
    tossing,
    tree,
)

LAWS: list[Law] = [
    TwoSided(Fraction(1, 20)),
    TwoSided(Fraction(1, 2)),
    TwoSided(Fraction(100)),
    TwoSided(Fraction(1, 2_000), digits=1),
    TwoSided(Fraction(1, 10**6), digits=2),
    TwoSided(Fraction(1, 1_000), digits=2),
    TwoSided(Fraction(1, 10**6), digits=1, width=512),
    TwoSided(Fraction(1, 10**9), digits=1, width=1 << 19),
    OneSided(Fraction(1, 3)),
    OneSided(Fraction(1, 50)),
    Gaussian(Fraction(1, 9)),
    Gaussian(Fraction(400)),
    Gaussian(Fraction(50), half=True),
    Gaussian(Fraction(200**2, 4), half=True),
    Radius(Fraction(1, 9), 3),
    Radius(Fraction(2), 8),
    Tilted(Fraction(1, 300), (1, 23, 23, 1)),
    Digit(Fraction(1, 300)),
    Digit(Fraction(1, 10**9)),
    Coin(Fraction(1, 7)),
    Coin(Fraction(30)),
    RatioCoin(Fraction(1, 3), Fraction(7, 2)),
    RatioCoin(Fraction(1, 1_000), Fraction(1, 20)),
    RatioCoin(Fraction(1, 10**9), Fraction(3, 10**9)),
    RatioCoin(Fraction(40), Fraction(41)),
    Weighted((Fraction(1, 3), Fraction(0), Fraction(7, 2))),
    Exceeding(40, Fraction(1, 2), 1),
    Exceeding(3 * 10**6, Fraction(1, 20), 200),
    Exceeding(3 * 10**12, Fraction(1, 2), 46),
]


def check_error(error_of_law: Decimal, largest: Decimal = EXACT) -> None:
    """See that the error of an enumerated law is at most 1e-50, or another bound, and count
    it.
    """
    tally.add("exact laws", enumerated=1)
    assert error_of_law <= largest


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_sampler_has_the_law_that_is_claimed(law: Law) -> None:
    """A sampler draws exactly from the law that it claims, and nothing is sampled to see it.

    `settles` gives it the random words next to every threshold. `law_error` compares the
    thresholds with the definition of the law.
    """
    assert settles(law)
    check_error(law_error(law))


@pytest.mark.parametrize(
    "scale",
    [129, 2_048, 2_049, Fraction(10**5, 3), 10**6, 10**9, 10**14],
    ids=str,
)
def test_large_laplace_noise_of_many_values_has_its_claimed_law(scale: Fraction) -> None:
    """Large Laplace noise of many values has its claimed law: a top, digits, a remainder.

    `laplace_error` enumerates it, and the error must stay below 1e-50.
    """
    check_error(laplace_error(Fraction(scale)))


@pytest.mark.parametrize(
    "scale",
    [Fraction(129), Fraction(10**5, 3), 10**6, pytest.param(10**9, marks=pytest.mark.slow)],
    ids=str,
)
def test_large_laplace_noise_of_few_values_is_composed_of_digits(scale: Fraction) -> None:
    """Large Laplace noise of few values, which is put together from digits alone, has its
    claimed law.
    """
    check_error(laplace_error(Fraction(scale), many=False))


@pytest.mark.parametrize(
    "scale",
    [Fraction(2_049), Fraction(10**5, 3), Fraction(10**6), Fraction(5 * 10**7)],
    ids=str,
)
def test_last_digits_of_large_noise_are_proposed_and_kept(scale: Fraction) -> None:
    """The last digits of large Laplace noise, which are proposed and then accepted or
    rejected, have their claimed law. All words of a place are enumerated, and the acceptance
    of up to 1,000 places is compared with the exact exponent.
    """
    check_error(remainder_error(scale, every=1 + remainder_width(scale) // 1_000))


@pytest.mark.parametrize("sigma2", [200**2, Fraction(33_541, 2), 1_000**2], ids=str)
def test_large_gaussian_noise_is_proposed_and_kept(sigma2: Fraction) -> None:
    """Large Gaussian noise, which is proposed and then accepted or rejected, has its claimed
    law. All values up to ten sigma are enumerated, so twice the mass on one of them, or a
    wrong last bit, would be seen.
    """
    check_error(gaussian_error(Fraction(sigma2), every=1 + sigma2 // 200**2))


@pytest.mark.parametrize("sigma", [10**6, 10**7])
def test_very_large_gaussian_noise_is_proposed_and_kept(sigma: int) -> None:
    """Very large Gaussian noise has its claimed law in a choice of blocks.

    Every place of these blocks is proposed, and the acceptance of about a thousand of them is
    computed.
    """
    blocks = (0, 1, 60, 640)
    check_error(gaussian_error(Fraction(sigma**2), blocks=blocks, every=sigma // 15_000 | 1))


def test_every_value_has_words_of_its_own() -> None:
    """Each drawn value uses random words of its own: none is used twice, and none is skipped.

    More values than fit into one chunk are drawn. The words come from a tape: short ones, and
    long ones for values that a short word leaves open.
    """
    table, size = Sampler(TwoSided(Fraction(10))), CHUNK + 1_000
    words = (np.arange(size) * 40_503 % 2**16).astype(np.uint16)

    halves = [words[:CHUNK], words[CHUNK:]]
    still_open = [int((table.table[half] == sampler.OPEN).sum()) for half in halves]
    long_words = [np.full(count, 1 << 63, np.uint64) for count in still_open]

    with fed(halves[0], long_words[0], halves[1], long_words[1]):
        noise = table.draw(size)

    # Short words are answered by the table, the others by the search with more bits.
    settled = table.table[words] != sampler.OPEN
    assert settled.mean() > 0.9
    assert np.array_equal(noise[settled], table.table[words][settled])
    longer = words[~settled].astype(np.uint64) << np.uint64(48) | np.uint64(1 << 47)
    assert np.array_equal(noise[~settled], table.search(longer))
    tally.add("exact laws", enumerated=1)


# Uniform integers below a number, by rejection: each as often as any other, over all words.


def by_below(count: int) -> Decimal:
    """`sampler.below`: all words of as many bytes as it asks for."""
    nbytes = ((count - 1).bit_length() + 7) // 8
    counts = [0] * count
    for word in range(256**nbytes):
        try:
            with fed(word.to_bytes(nbytes, "big")):
                counts[sampler.draw_below(count)] += 1
        except Exhausted:
            continue
    return Decimal(0) if len(set(counts)) == 1 and counts[0] > 0 else WRONG


def in_order(words: Any, count: int, draw: Callable[[int], Any]) -> Decimal:
    """Of all words, just those below the count come out, in their order; then what follows:
    0.
    """
    with fed(words, bytes(1 << 20)):
        numbers = draw(words.size)
    right = [*range(count - 1, -1, -1), *[0] * (words.size - count)]
    return Decimal(0) if numbers.tolist() == right else WRONG


def falling(nbits: int) -> Any:
    """All numbers of so many bits, the largest first."""
    return np.arange(1 << nbits, dtype=np.uint64)[::-1].copy()


def by_uniform(count: int) -> Decimal:
    """`exceedances.uniform`: by the top bits, whatever the others are."""
    nbits = max(1, (count - 1).bit_length())
    words, junk = falling(nbits) << np.uint64(64 - nbits), np.uint64((1 << (64 - nbits)) - 1)
    ways = [
        in_order(w, count, lambda n: exceedances.uniform(count, n))
        for w in (words, words | junk)
    ]
    return max(ways)


def by_counts(count: int) -> Decimal:
    """`knorm._draw_below`: one word for each, and another for those that were rejected."""
    nbits = (count - 1).bit_length()
    words = np.arange(1 << nbits, dtype=np.uint32)
    again = np.full(words.size - count, 0, np.uint32)
    with fed(words | np.uint32(0x5A << nbits), again):
        numbers = knorm._draw_below(np.full(words.size, count))
    right = np.where(words < count, words, 0)
    return Decimal(0) if np.array_equal(numbers, right) else WRONG


UNIFORM = [by_below, by_uniform, by_counts]


@pytest.mark.parametrize("way", UNIFORM)
def test_uniform_integers_are_uniform(way: Callable[[int], Decimal]) -> None:
    """Each of the three ways to draw an integer below a count gives every number equally
    often, over all words. A way returns an error, which is 0 if it is exact.
    """
    for count in [*range(1, 18), 31, 32, 33, 255, 256, 257, 1_000]:
        assert way(count) == 0, count
    tally.add("exact laws", enumerated=1)


# Selection.

SCORES = [
    (Fraction(3), Fraction(0), Fraction(5, 2), Fraction(3)),
    (Fraction(0),),
    (Fraction(7), Fraction(-9), Fraction(0)),
]
EPSILON, SENSITIVITY = Fraction(3, 2), 2


def weights(scores: Any) -> list[Decimal]:
    rate = decimal(EPSILON) / (2 * SENSITIVITY)
    return [(-rate * decimal(max(scores) - score)).exp() for score in scores]


def exponential_error(scores: Any) -> Decimal:
    """What comes out of bits next to every threshold, 2^-200 off it."""
    with localcontext(prec=110):
        shares = [weight / sum(weights(scores)) for weight in weights(scores)]
        for i in range(len(scores) - 1):
            edge = int(sum(shares[: i + 1]) * 2**320)
            for word, answer in ((edge - 2**120, i), (edge + 2**120, i + 1)):
                first_bits, following_bits = word >> 256, word & ((1 << 256) - 1)
                with fed(
                    first_bits.to_bytes(8, "little"), following_bits.to_bytes(32, "big")
                ):
                    chosen = exponential.draw_exponential(
                        scores, epsilon=EPSILON, sensitivity=SENSITIVITY
                    )
                if chosen != answer:
                    return WRONG
    return Decimal(0)


def flip_error(scores: Any) -> Decimal:
    """All coins, and all that fall right, against the sum over all permutations."""

    def run(random: Tree) -> int:
        with patch.multiple(
            exponential, draw_below=random.even, flip_exponential_coins=tossing(random)
        ):
            return exponential.permute_and_flip(
                scores, epsilon=EPSILON, sensitivity=SENSITIVITY
            )

    chances, chance_left = tree(run)
    with localcontext(prec=110):
        claimed = dict.fromkeys(range(len(scores)), Decimal(0))
        orders = list(permutations(range(len(scores))))
        for order in orders:
            alive = Decimal(1) / len(orders)
            for candidate in order:
                claimed[candidate] += alive * weights(scores)[candidate]
                alive *= 1 - weights(scores)[candidate]
        return error(chances, claimed) if chance_left == 0 else WRONG


@pytest.mark.parametrize("law_of", [exponential_error, flip_error])
def test_selection_has_the_law_that_is_claimed(law_of: Callable[[Any], Decimal]) -> None:
    """Both private choices have their claimed laws, for three lists of scores.

    Each function returns the error of one mechanism, which must stay below 1e-50.
    """
    for scores in SCORES:
        check_error(law_of(scores))


# The noise of a norm.


def gauge(norm: Norm, point: tuple[int, ...]) -> int:
    square = sum(x * x for x in point)
    root = math.isqrt(square - 1) + 1 if square else 0
    return {
        Norm.L1: sum(map(abs, point)),
        Norm.L2: root,
        Norm.MAX: max(map(abs, point)),
    }[norm]


def radius_error(dimension: int = 16, scale: int = 128) -> int:
    """A radius of noise of a large scale: an offset and dimension + 1 geometric numbers."""
    rate, size = Fraction(1, scale), 5
    offsets, parts = np.arange(size), np.arange(size * (dimension + 1)) ** 2
    with dealt(radii_drawn, offsets, *divmod(parts, 256)) as deal:
        try:
            radii = radii_drawn.radius_numbers(rate, dimension, size)
        except AssertionError:  # another number of draws than was dealt
            return 1
    expected = offsets + parts.reshape(dimension + 1, size).sum(axis=0)
    laws = [Tilted(rate, radii_drawn.eulerian(dimension)), OneSided(rate * 256), Digit(rate)]
    return int(np.abs(radii - expected).max()) + (deal.laws != laws)


def geometric_error(scale: int = 70_000) -> int:
    """A geometric number of a large scale: its digits in base 256, the highest first."""
    top, digits = np.arange(7), [np.arange(7) + 10, np.arange(7) + 200]
    with dealt(radii_drawn, top, digits[1], digits[0]) as deal:
        numbers = radii_drawn.geometric_numbers(Fraction(1, scale), 7)
    rate = Fraction(1, scale)
    laws = [OneSided(rate * 256**2), Digit(rate * 256), Digit(rate)]
    expected = top * 256**2 + digits[1] * 256 + digits[0]
    return int(np.abs(numbers - expected).max()) + (deal.laws != laws)


def kept_error(dimension: int = 2, reach: int = 6) -> int:
    """Radii in many dimensions: which words keep a sum, of all there are, and what is kept
    then.

    A sum of dimension + 1 geometric numbers has a chance of C(R + d, d) q^R, up to a factor.
    What is kept of it has to go with (2R + 1)^d."""
    wrong = 0
    for radius in range(reach):
        number_of_words = math.prod(2 * radius + 2 * i for i in range(1, dimension + 1))
        answers = Counter(
            _coin(radius, dimension, word)
            for word in range(1 << number_of_words.bit_length())
        )
        sums = math.comb(radius + dimension, dimension)
        share_kept = Fraction(answers[True], answers[True] + answers[False])
        expected = Fraction(
            (2 * radius + 1) ** dimension, math.factorial(dimension) * 2**dimension
        )
        wrong += (sums * share_kept != expected) + (
            answers[True] + answers[False] != number_of_words
        )
    return wrong + _drawn_otherwise(dimension)


def _coin(radius: int, dimension: int, word: int) -> bool | None:
    """Whether a word keeps a sum; None where it asks for another word."""
    number_of_words = math.prod(2 * radius + 2 * i for i in range(1, dimension + 1))
    length = number_of_words.bit_length()
    size = -(-length // 8)
    words = iter([(word << (-length % 8)).to_bytes(size, "big")])
    with patch.object(bits, "bits", lambda _: next(words)):
        try:
            return radii_drawn._is_kept(radius, dimension)
        except StopIteration:
            return None


def _drawn_otherwise(dimension: int) -> bool:
    """Whether a sum that is not kept is not drawn anew."""
    answers = iter([False, True, False, True])
    with patch.multiple(
        radii_drawn,
        _sums=lambda *arguments: np.arange(arguments[-1]) + 7,
        _is_kept=lambda *_: next(answers),
    ):
        try:
            return radii_drawn._reject_radii(Fraction(1), dimension, 2).tolist() != [8, 7]
        except StopIteration:
            return True


def test_large_radii_are_put_together_from_an_offset_and_geometric_numbers() -> None:
    assert radius_error() == 0
    assert geometric_error() == 0


def test_radii_of_many_dimensions_are_kept_by_an_exact_coin() -> None:
    assert kept_error() == 0
    assert kept_error(dimension=3, reach=4) == 0


def norm_error(norm: Norm, dimension: int, scale: Fraction, reach: int = 5) -> Decimal:
    """P(z) summed over all radii whose cube holds z, if it is kept there; relative to that of
    0.
    """
    mechanism, chances = KNorm(norm, dimension, scale), dict[tuple[int, ...], Decimal]()
    laws = set()
    with localcontext(prec=110):
        q = (-1 / decimal(scale)).exp()
        for radius in range(reach + 1):
            cube = np.array(list(product(range(-radius, radius + 1), repeat=dimension)))
            columns = iter((cube + radius).T)
            with (
                dealt(radii_drawn, [radius] * len(cube)) as deal,
                pytest.MonkeyPatch.context() as patch,
            ):
                side = 2 * radius + 1
                below = lambda sides, c=columns, s=side: next(c) * (sides == s)  # noqa: E731
                patch.setattr(knorm, "_draw_below", below)
                kept_points = mechanism._propose(len(cube))
            laws |= {deal.laws[0]}
            chance = masses(deal.laws[0])[radius][0] / len(cube)
            for point in map(tuple, kept_points.tolist()):
                chances[point] = chances.get(point, Decimal(0)) + chance
        # Beyond, all are kept: a geometric series, as `law_error` of the radius shows.
        least = masses(laws.pop())[0][0]
        beyond = least * q ** (reach + 1) / (1 - q)
        claimed = {z: least * q ** gauge(norm, z) / (1 - q) for z in chances}
        number_of_points = (2 * reach + 1) ** dimension
        inside = {z for z in product(range(-reach, reach + 1), repeat=dimension)}
        reached = {z for z in inside if gauge(norm, z) <= reach}
        if laws or set(chances) != reached or len(inside) != number_of_points:
            return WRONG
        return error(
            {z: chance_of_point + beyond for z, chance_of_point in chances.items()}, claimed
        )


@pytest.mark.parametrize("norm", [Norm.L2, Norm.MAX])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_noise_of_a_norm_is_proposed_and_kept(norm: Norm, dimension: int) -> None:
    """K-norm noise of scale 3/2 has its claimed law in one to three dimensions.

    `norm_error` enumerates all proposals up to a radius of 5.
    """
    check_error(norm_error(norm, dimension, Fraction(3, 2)))


def test_noise_of_the_sum_is_one_of_numbers() -> None:
    """Noise of the L1 norm is independent Laplace noise on each number, in the order in which
    it is drawn. The draws are replaced by the numbers -5 to 6, and 4 vectors of 3 numbers
    come out.
    """
    values = np.arange(12) - 5
    with dealt(laplace, values) as deal:
        noise = KNorm(Norm.L1, 3, Fraction(2)).draw(4)
    assert deal.laws == [TwoSided(Fraction(1, 2))]
    assert np.array_equal(noise, values.reshape(4, 3))
    tally.add("exact laws", enumerated=1)


# Cells of a large universe.

RATE, THRESHOLD = Fraction(1, 2), 2


def exceeding() -> Decimal:
    q = (-decimal(RATE)).exp()
    return q**THRESHOLD / (1 + q)


def count_error(size: int, chunk: float) -> Decimal:
    """The number of exceedances in parts of a table and a rest: binomial."""

    def run(random: Tree) -> int:
        def pick(law: Exceeding) -> int:
            return random.pick([masses(law)[k][0] for k in range(law.trials + 1)])

        def made(law: Exceeding) -> Any:
            picks = lambda _, size: np.array([pick(law) for _ in range(size)], np.int64)  # noqa: E731
            return type("Counts", (), {"draw": picks})()

        with patch.multiple(exceedances, _EXPECTED_PER_DRAW=chunk, sampler=made, invert=pick):
            return exceedances._count(size, RATE, THRESHOLD)

    chances, _ = tree(run)
    with localcontext(prec=110):
        p = exceeding()
        claimed = {
            k: math.comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(size + 1)
        }
        return error(chances, claimed)


@pytest.mark.parametrize("chunk", [0.1, 0.5, 1.0, 200])
def test_the_number_of_exceedances_is_binomial(chunk: float) -> None:
    """How many of 7 empty cells exceed the threshold has a binomial law.

    The number is drawn in parts of 1, 2 or 5 cells and a rest, or in one part.
    """
    check_error(count_error(7, chunk))


def subset_error(shape: tuple[int, ...], count: int) -> tuple[Decimal, Decimal]:
    """Subsets of the cells, each as likely; and what is left of many repeats."""

    def run(random: Tree) -> tuple[int, ...]:
        def even(size: int, count: int) -> Any:
            return np.array([random.even(size) for _ in range(count)], np.int64)

        with patch.object(exceedances, "uniform", even):
            return tuple(exceedances.subset(shape, count).tolist())

    chances, chance_left = tree(run, least=Decimal("1e-5"))
    subsets = list(combinations(range(math.prod(shape)), count))
    with localcontext(prec=110):
        share = sum(chances.values(), Decimal(0)) / len(subsets)
        return error(chances, dict.fromkeys(subsets, share)), chance_left


@pytest.mark.parametrize(("shape", "count"), [((5,), 2), ((2, 2), 3), ((3,), 2), ((6,), 1)])
def test_subsets_are_uniform(shape: tuple[int, ...], count: int) -> None:
    """Every subset of the cells is equally likely.

    Draws that repeat a cell are made again, so they are followed for some rounds only. The
    chance that is left then must be below 5 %.
    """
    error_of_subsets, chance_left = subset_error(shape, count)
    check_error(error_of_subsets)
    assert chance_left < 0.05


UNIVERSE = Domain((Categorical(name="a", categories=("x", "y", "z")),))
OCCUPIED = Counts(domain=UNIVERSE, cells=np.array([1]), counts=np.array([3]), rows=3)
MORE = 2
"""Values from this much above the threshold on are one outcome."""


def listed_error() -> Decimal:
    """The list of a large histogram: all of its cells and values, against noise on every
    cell.
    """

    def run(random: Tree) -> tuple[tuple[int, int], ...]:
        q = (-decimal(RATE)).exp()

        class Noise:
            laplace_scale = 1 / RATE

            def release(self, values: Any) -> Any:
                """Noise that takes a count just to the threshold, one above it, beyond or
                below.
                """
                return np.array([_capped(random, q, int(v)) for v in values])

        def excess(_: OneSided) -> Any:
            chances = [*((1 - q) * q**k for k in range(MORE)), q**MORE]
            picks = lambda _, size: np.array([random.pick(chances) for _ in range(size)], int)  # noqa: E731
            return type("Excess", (), {"draw": picks})()

        def some(shape: tuple[int, ...], count: int) -> Any:
            subsets = list(combinations(range(math.prod(shape)), count))
            return np.array(subsets[random.even(len(subsets))], np.int64)

        def number(size: int, *_: Any) -> int:
            p = exceeding()
            chances = [
                math.comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(size + 1)
            ]
            return random.pick(chances)

        with patch.multiple(exceedances, _count=number, subset=some, sampler=excess):
            support = Support(OCCUPIED.cells, OCCUPIED.domain.shape)
            cells, values = door._draw_large_counts(
                support, OCCUPIED.counts, Noise(), threshold=THRESHOLD
            )  # type: ignore[arg-type]
        return tuple(zip(cells.tolist(), values.tolist(), strict=True))

    chances_of_lists, _ = tree(run)
    with localcontext(prec=110):
        q = (-decimal(RATE)).exp()
        laws_of_cells = [_capped_law(q, count) for count in OCCUPIED.dense().tolist()]
        claimed: dict[Any, Decimal] = {}
        for values in product(*laws_of_cells):
            cells_and_values = tuple((c, v) for c, v in enumerate(values) if v is not None)
            claimed[cells_and_values] = math.prod(
                laws_of_cells[c][v] for c, v in enumerate(values)
            )
        return error(chances_of_lists, claimed)


def _capped_law(q: Decimal, count: int) -> dict[int | None, Decimal]:
    """Noisy values of a count: None below the threshold, the last standing for all beyond."""

    def two_sided(z: int) -> Decimal:
        return (1 - q) / (1 + q) * q ** abs(z)

    law: dict[int | None, Decimal] = {
        value: two_sided(value - count) for value in range(THRESHOLD, THRESHOLD + MORE)
    }
    top = THRESHOLD + MORE - count
    law[THRESHOLD + MORE] = q**top / (1 + q) if top > 0 else 1 - q ** (1 - top) / (1 + q)
    law[None] = 1 - sum(law.values())
    return law


def _capped(random: Tree, q: Decimal, count: int) -> int:
    law = _capped_law(q, count)
    value = list(law)[random.pick(list(law.values()))]
    return THRESHOLD - 1 if value is None else value


def test_a_listed_histogram_has_the_law_of_noise_on_every_cell() -> None:
    check_error(listed_error())

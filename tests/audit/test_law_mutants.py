"""Layer 7 on layer 1 of whole samplers: slips that no sample of any size would show, or only
large ones; each is one text replaced in one function, and the enumeration of its path must
see it. `test_exact_paths` holds the same enumerations against the right samplers."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from synth.door import door
from synth.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    KNorm,
    Norm,
    coins,
    exceedances,
    exponential,
    gaussian,
    knorm,
    laws,
    radius,
    sampler,
)
from synth.noise.exceedances import Exceeding
from synth.noise.laws import Digit, Gaussian, Radius, Tilted, TwoSided
from synth.noise.remainders import Remainder
from tests.audit.exact import (
    EXACT,
    gaussian_error,
    laplace_error,
    law_error,
    remainder_error,
    settles,
)
from tests.audit.mutate import catch, mutated
from tests.audit.test_exact_paths import (
    SCORES,
    by_below,
    by_counts,
    by_uniform,
    count_error,
    exponential_error,
    flip_error,
    geometric_error,
    kept_error,
    listed_error,
    norm_error,
    radius_error,
    subset_error,
)
from tests.conftest import Report

pytestmark = pytest.mark.mutant

LAW = TwoSided(Fraction(1, 20))
Sees = Callable[[], bool]


def off(
    error: Callable[..., Any], *arguments: Any, largest: Any = EXACT, **words: Any
) -> Sees:
    """Whether the law of what was drawn is further from the claimed one than it may be."""
    return lambda: bool(error(*arguments, **words) > largest)


large_gaussian = off(gaussian_error, Fraction(200**2))
larger_gaussian = off(gaussian_error, Fraction(1_000**2), blocks=range(40), every=3)
large_laplace = off(laplace_error, Fraction(10**6))
law = partial(off, law_error)
chosen = off(exponential_error, SCORES[0])
flipped = off(flip_error, SCORES[0])
plane = off(norm_error, Norm.L2, 2, Fraction(3, 2))
wrong_list = off(listed_error)
wrong_coin = off(kept_error, largest=0)


class Slip(NamedTuple):
    """One text of a function replaced, and the enumeration that must see it."""

    sees: Sees
    owner: Any
    place: str
    old: str
    new: str


of_gaussian = partial(Slip, large_gaussian, DiscreteGaussian)
of_laplace = partial(Slip, large_laplace, DiscreteLaplace, "chunks")
of_few = partial(
    Slip, off(laplace_error, Fraction(10**6), many=False), DiscreteLaplace, "chunks"
)
of_remainder = partial(Slip, off(remainder_error, Fraction(10**6), largest=0), Remainder)
of_norm = partial(Slip, plane, KNorm, "_propose")
of_radius = partial(Slip, wrong_coin, radius)
of_listing = partial(Slip, wrong_list, door, "_draw_large_counts")

MUTANTS = {
    "zero of the large Gaussian twice as likely": of_gaussian(
        "_combine_places", "z ^= np.right_shift", "z *= 1 + 2 * np.right_shift"
    ),
    "offsets in half of a block only": Slip(
        larger_gaussian,
        DiscreteGaussian,
        "_combine_places",
        "type(self._width - 1)",
        "type(self._width // 2 - 1)",
    ),
    "sign and offset from the same bit": of_gaussian(
        "_combine_places",
        "np.right_shift(words, 8 * words.itemsize - 1, out=part)",
        "-(words & 1)",
    ),
    "acceptance as if every block began at zero": of_gaussian(
        "_decide_close_coins", "(size - floor) * (size + floor)", "size * size"
    ),
    "acceptance of the number of smaller size": of_gaussian(
        "_decide_close_coins",
        "np.abs(z.astype(np.int64))",
        "z.astype(np.int64) ^ z.astype(np.int64) >> 63",
    ),
    "close calls tossed anew": Slip(
        large_gaussian,
        gaussian,
        "flip_exponential_coins",
        "int(first_bits[i]), FLOAT_BITS",
        "0, 0",
    ),
    "more is surely accepted than is": of_gaussian(
        "_sure_coins", "np.arange(1, 2 * _BLOCKS, 2)", "np.arange(0, 2 * _BLOCKS, 2)"
    ),
    "blocks beyond the list surely accepted": of_gaussian(
        "_sure_coins", "sure[-1] = 0", "sure[-1] = 1"
    ),
    "a line of what is surely accepted that is too high": of_gaussian(
        "_sure_line", "- math.ceil(steepness / 2)", ""
    ),
    "a line of what is surely accepted that falls too slowly": of_gaussian(
        "_sure_line", "math.ceil(steepness)", "int(steepness)"
    ),
    "blocks beyond the line surely accepted": of_gaussian(
        "_find_sure", "block.max(initial=0) >= _BLOCKS - 1", "False"
    ),
    "rejected proposals stay": of_gaussian(
        "_accept", "z[rejected[rejected < count]] = z[count:][moves]", "pass"
    ),
    "the last proposals move also if they are rejected": of_gaussian(
        "_accept", "moves[rejected[rejected >= count] - count] = False", "moves[:1] = False"
    ),
    "blocks of both signs": of_gaussian("_blocks", "half=True", "half=False"),
    "the width of a block not squared": of_gaussian(
        "_blocks", "self._width**2", "self._width"
    ),
    "close proposals are kept": of_gaussian(
        "_accept", "self._decide_close_coins(block[close], z[close], longer)", "True"
    ),
    "a close coin begins anew": of_gaussian(
        "_accept",
        "coin[close].astype(np.uint64) << np.uint64(48) | further_bits",
        "further_bits << np.uint64(16)",
    ),
    "of a few numbers, all are surely accepted": of_gaussian(
        "_propose_few", "all(are_sure)", "True"
    ),
    "sign and offset of a few numbers from the same bit": of_gaussian(
        "_propose_few", "word >> 63", "-(word & 1)"
    ),
    "places of a few numbers taken from their coins": of_gaussian(
        "_propose_few", "memory[4 * size :]", "memory[2 * size : -2 * size]"
    ),
    "an open word among a few settled by another": Slip(
        large_gaussian,
        sampler.Sampler,
        "answer_few",
        "np.array(words)",
        "np.array(words)[::-1]",
    ),
    "digits of negative numbers not complemented": of_laplace(
        "np.bitwise_xor(noise, flip, out=noise)", "noise * (1 | flip)"
    ),
    "digits in the wrong order": of_few("in reversed(lower)", "in lower"),
    "all digits of one rate": of_few("width * BASE**place", "width"),
    "digits of the rate of the last one": of_laplace("rate * width *", "rate *"),
    "one bit of the last digit lost": of_laplace(
        "width.bit_length() - 1", "width.bit_length() - 2"
    ),
    "the top of very large noise of the rate of two digits less": Slip(
        law(TwoSided(Fraction(1, 10**5), digits=1, width=512)),
        TwoSided,
        "thresholds",
        "self.rate * self.width",
        "self.rate",
    ),
    "last digits in half of their range only": of_remainder(
        "draw", "(self.width - 1)", "(self.width // 2 - 1)"
    ),
    "more last digits are surely accepted than are": of_remainder(
        "sure_coin", "(self.width - 1)", "(self.width // 4)"
    ),
    "close last digits are kept": of_remainder("draw", "if rejected.size", "if False"),
    "a close coin of a last digit begins anew": of_remainder(
        "draw", "coins[close].astype(np.uint64)", "np.uint64(0)"
    ),
    "last digits accepted at twice the rate": of_remainder(
        "accept", "-float(self.rate)", "-2 * float(self.rate)"
    ),
    "the exact coin of a last digit of another rate": of_remainder(
        "accept", "self.rate * int(places[i])", "self.rate * (int(places[i]) + 1)"
    ),
    "the top of large noise of the rate of one digit": Slip(
        law(TwoSided(Fraction(1, 1_000), digits=2)),
        TwoSided,
        "thresholds",
        "BASE**self.digits",
        "BASE",
    ),
    "the last digit never drawn": Slip(
        law(Digit(Fraction(1, 300))),
        Digit,
        "thresholds",
        "range(BASE - 1)",
        "range(BASE - 2)",
    ),
    "zero counted twice in half a Gaussian": Slip(
        law(Gaussian(Fraction(50), half=True)),
        Gaussian,
        "thresholds",
        "tails[0] if self.half else _add(tails[0], tails[1])",
        "_add(tails[0], tails[1])",
    ),
    "radius of one dimension less": Slip(
        law(Radius(Fraction(1, 9), 3)),
        Radius,
        "thresholds",
        "next_count = (2 * r + 3) ** self.dimension",
        "next_count = (2 * r + 3) ** (self.dimension - 1)",
    ),
    "cells drawn with replacement": Slip(
        law(Exceeding(40, Fraction(1, 2), 1)),
        Exceeding,
        "_weights",
        "weight * (self.trials - k)",
        "weight * self.trials",
    ),
    "exponentials to forty bits": Slip(
        law(LAW),
        laws,
        "exp_minus",
        "Enclosure(low >> (places - nbits)",
        "Enclosure(low >> (places - 40) << (nbits - 40)",
    ),
    "one of 48 bits lost": Slip(
        lambda: not settles(LAW),
        sampler.Sampler,
        "_settle",
        ">> np.uint64(16)",
        ">> np.uint64(17)",
    ),
    "words on a threshold on the wrong side": Slip(
        lambda: not settles(LAW),
        sampler.Sampler,
        "search",
        'self._low, words, side="right"',
        'self._low, words, side="left"',
    ),
    "bits before the next ones forgotten": Slip(
        lambda: not settles(LAW),
        sampler,
        "invert",
        "word << step | _word(step)",
        "_word(step)",
    ),
    "modulo in the place of rejection": Slip(
        off(by_below, 5, largest=0),
        sampler,
        "draw_below",
        "if word < count:",
        "word %= count\n        if True:",
    ),
    "one number too many below": Slip(
        off(by_uniform, 5, largest=0),
        exceedances,
        "uniform",
        "words < np.uint64(size)",
        "words <= np.uint64(size)",
    ),
    "rejected words taken after all": Slip(
        off(by_counts, 5, largest=0),
        knorm,
        "_draw_below",
        "fits = tries < counts[undecided]",
        "fits = tries <= counts[undecided]",
    ),
    "the 2 dropped in a choice": Slip(
        chosen, exponential, "_rate", "1 if monotone else 2", "1"
    ),
    "candidates asked in their order": Slip(
        flipped, exponential, "permute_and_flip", "taken[draw_below(len(taken))]", "taken[0]"
    ),
    "the coin of another candidate": Slip(
        flipped, exponential, "permute_and_flip", "rate * gaps[i]", "rate * gaps[-1]"
    ),
    "floats that decide a close choice": Slip(
        chosen,
        exponential,
        "choose_by_approximation",
        "low == high < len(sums)",
        "low < len(sums)",
    ),
    "a choice by other bits than were looked up": Slip(
        chosen, exponential, "weighted_choice", "word, 64)", "0, 0)"
    ),
    "the rim of a ball left out": of_norm("<= radius**2", "< radius**2"),
    "cubes without their last side": of_norm("2 * radius + 1", "2 * radius"),
    "the exponential radius": of_norm(
        "radius_numbers(1 / self.scale, self.dimension, size)",
        "radius_numbers(1 / self.scale, 1, size)",
    ),
    "a geometric number too few in a radius": Slip(
        off(radius_error, largest=0),
        radius,
        "_sums",
        "geometric_numbers(rate, size * (dimension + 1)).reshape(dimension + 1, size)",
        "geometric_numbers(rate, size * dimension).reshape(dimension, size)",
    ),
    "a radius that is always kept": of_radius(
        "_reject_radii", "if _is_kept(radius, dimension)", "if True"
    ),
    "a factor less below the coin of a radius": of_radius(
        "_is_kept",
        "range(odd + 1, odd + 2 * dimension, 2)",
        "range(odd + 3, odd + 2 * dimension, 2)",
    ),
    "a coin of a radius that falls right once too often": of_radius(
        "_is_kept", "_draw_below(denominator) < int", "_draw_below(denominator) <= int"
    ),
    "a number that may be its bound": of_radius(
        "_draw_below", "word < bound", "word <= bound"
    ),
    "a number with bits to spare": of_radius("_draw_below", ">> (-length % 8)", ">> 0"),
    "digits of geometric numbers in the wrong order": Slip(
        off(geometric_error, largest=0),
        radius,
        "geometric_numbers",
        "reversed(range(digits))",
        "range(digits)",
    ),
    "offsets without their counts": Slip(
        law(Tilted(Fraction(1, 300), (1, 23, 23, 1))),
        Tilted,
        "thresholds",
        "Enclosure(count * low, count * high)",
        "Enclosure(low, high)",
    ),
    "cells beyond whole parts forgotten": Slip(
        off(count_error, 7, 0.5),
        exceedances,
        "_count",
        "if last_part else 0",
        "if False else 0",
    ),
    "cells drawn twice counted twice": Slip(
        off(lambda: subset_error((5,), 2)[0]),
        exceedances,
        "subset",
        "fresh[~is_in(fresh, cells)]",
        "fresh",
    ),
    "excess that starts at one": Slip(
        wrong_list, exceedances, "draw_exceedances", "+ threshold", "+ threshold + 1"
    ),
    "occupied cells drawn as empty ones too": of_listing(
        "~is_in(noise_cells, support.cells)", "is_in(noise_cells, noise_cells)"
    ),
    "occupied cells listed before the others": of_listing(
        "ascending(cells)", "np.arange(len(cells))"
    ),
    "a threshold by the private counts": of_listing(
        "noisy >= threshold", "noisy >= threshold + (counts > 2)"
    ),
    "a threshold that occupied cells must exceed": of_listing(
        "noisy >= threshold", "noisy > threshold"
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_slip_in_a_sampler_is_caught(name: str, report: Report) -> None:
    """The enumeration of laws notices each deliberate mistake of MUTANTS in a sampler.

    A mutant replaces a text in one function; its first entry is the check that must then
    fail.
    """
    sees, *slip = MUTANTS[name]
    with mutated(*slip):
        catch(name, "1 exact law", sees, report)


def test_floats_that_decide_close_calls_are_caught(report: Report) -> None:
    """The enumeration notices if close calls between acceptance and rejection are decided in
    floats. A margin of 0 leaves no call to the exact integers.
    """
    with patch.object(coins, "MARGIN", 0.0):
        catch("floats decide close calls", "1 exact law", large_gaussian, report)

"""Layer 7 on layer 1 of whole samplers: slips that no sample of any size would show, or only large
ones; each is one text replaced in one function, and the enumeration of its path must see it.
`test_exact_paths` holds the same enumerations against the right samplers."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from synth.door import door
from synth.noise import coins, exceedances, exponential, gaussian, knorm, laws, radius, sampler
from synth.noise.exceedances import Exceeding
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import KNorm, Norm
from synth.noise.laplace import DiscreteLaplace
from synth.noise.laws import Digit, Gaussian, Radius, Tilted, TwoSided
from tests.audit.exact import EXACT, gaussian_error, laplace_error, law_error, settles
from tests.audit.mutate import catch, mutated, replaced
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


def large_gaussian() -> bool:
    return gaussian_error(Fraction(200**2)) > EXACT


def larger_gaussian() -> bool:
    return gaussian_error(Fraction(1_000**2), blocks=range(40), every=3) > EXACT


def large_laplace() -> bool:
    return laplace_error(Fraction(10**6)) > EXACT


def settled() -> bool:
    return not settles(LAW)


def chosen() -> bool:
    return exponential_error(SCORES[0]) > EXACT


def flipped() -> bool:
    return flip_error(SCORES[0]) > EXACT


def plane() -> bool:
    return norm_error(Norm.L2, 2, Fraction(3, 2)) > EXACT


def listed() -> bool:
    return listed_error() > EXACT


def parts() -> bool:
    return count_error(7, 0.5) > EXACT


def subset() -> bool:
    return subset_error((5,), 2)[0] > EXACT


def law(one: Any) -> Sees:
    return lambda: law_error(one) > EXACT


def uneven(way: Callable[[int], Any]) -> Sees:
    return lambda: way(5) > 0


MUTANTS: list[tuple[str, Any, str, str, str, Sees]] = [
    (
        "zero of the large Gaussian twice as likely",
        *(DiscreteGaussian, "_placed", "z ^= words >>", "z *= 1 + 2 * words >>"),
        large_gaussian,
    ),
    (
        "offsets in half of a block only",
        *(DiscreteGaussian, "_placed", "(self._width - 1)", "(self._width // 2 - 1)"),
        larger_gaussian,
    ),
    (
        "sign and offset from the same bit",
        *(DiscreteGaussian, "_placed", "words >> (8 * words.itemsize - 1)", "-(words & 1)"),
        large_gaussian,
    ),
    (
        "acceptance as if every block began at zero",
        *(DiscreteGaussian, "_judge", "(size - floor) * (size + floor)", "size * size"),
        large_gaussian,
    ),
    (
        "acceptance of the number of smaller size",
        *(DiscreteGaussian, "_judge", "np.abs(z.astype(np.int64))"),
        *("z.astype(np.int64) ^ z.astype(np.int64) >> 63", large_gaussian),
    ),
    (
        "close calls tossed anew",
        *(gaussian, "fall_right", "int(first[i]), WORD", "0, 0"),
        large_gaussian,
    ),
    (
        "more is surely accepted than is",
        *(
            DiscreteGaussian,
            "_sure",
            "np.arange(1, 2 * _BLOCKS, 2)",
            "np.arange(0, 2 * _BLOCKS, 2)",
        ),
        large_gaussian,
    ),
    (
        "blocks beyond the list surely accepted",
        *(DiscreteGaussian, "_sure", "sure[-1] = 0", "sure[-1] = 1"),
        large_gaussian,
    ),
    (
        "blocks of both signs",
        *(DiscreteGaussian, "_blocks", "half=True", "half=False"),
        large_gaussian,
    ),
    (
        "the width of a block not squared",
        *(DiscreteGaussian, "_blocks", "self._width**2", "self._width"),
        large_gaussian,
    ),
    (
        "close proposals are kept",
        *(DiscreteGaussian, "_accepted", "self._judge(block[close], z[close], longer)", "True"),
        large_gaussian,
    ),
    (
        "a close coin begins anew",
        *(DiscreteGaussian, "_accepted", "coin[close].astype(np.uint64) << np.uint64(48) | more"),
        *("more << np.uint64(16)", large_gaussian),
    ),
    (
        "of a few numbers, all are surely accepted",
        *(DiscreteGaussian, "_few", "all([c < sure[min(b, _BLOCKS - 1)]", "all([True"),
        large_gaussian,
    ),
    (
        "sign and offset of a few numbers from the same bit",
        *(DiscreteGaussian, "_few", "word >> 63", "-(word & 1)", large_gaussian),
    ),
    (
        "places of a few numbers taken from their coins",
        *(DiscreteGaussian, "_few", "read[4 * size :]", "read[2 * size : -2 * size]"),
        large_gaussian,
    ),
    (
        "an open word among a few settled by another",
        *(sampler.Sampler, "few", "np.array(words)", "np.array(words)[::-1]", large_gaussian),
    ),
    (
        "digits of negative numbers not complemented",
        *(DiscreteLaplace, "chunks", "(next(place)[1] ^ flip)", "next(place)[1]"),
        large_laplace,
    ),
    (
        "digits in the wrong order",
        *(DiscreteLaplace, "chunks", "in reversed(lower)", "in lower"),
        large_laplace,
    ),
    (
        "all digits of one rate",
        *(DiscreteLaplace, "chunks", "Digit(rate * BASE**place)", "Digit(rate)"),
        large_laplace,
    ),
    (
        "the top of large noise of the rate of one digit",
        *(TwoSided, "thresholds", "BASE**self.digits", "BASE"),
        law(TwoSided(Fraction(1, 1_000), digits=2)),
    ),
    (
        "the last digit never drawn",
        *(Digit, "thresholds", "range(BASE - 1)", "range(BASE - 2)"),
        law(Digit(Fraction(1, 300))),
    ),
    (
        "zero counted twice in half a Gaussian",
        *(Gaussian, "thresholds", "tails[0] if self.half else _add(tails[0], tails[1])"),
        *("_add(tails[0], tails[1])", law(Gaussian(Fraction(50), half=True))),
    ),
    (
        "radius of one dimension less",
        *(Radius, "thresholds", "count = (2 * r + 1) ** self.dimension"),
        *("count = (2 * r + 1) ** (self.dimension - 1)", law(Radius(Fraction(1, 9), 3))),
    ),
    (
        "cells drawn with replacement",
        *(Exceeding, "_weights", "w * (self.trials - k)", "w * self.trials"),
        law(Exceeding(40, Fraction(1, 2), 1)),
    ),
    (
        "exponentials to forty bits",
        *(laws, "exp_minus", "return low >> (places - nbits)"),
        *("return low >> (places - 40) << (nbits - 40)", law(LAW)),
    ),
    (
        "one of 48 bits lost",
        *(sampler.Sampler, "_settle", ">> np.uint64(16)", ">> np.uint64(17)"),
        settled,
    ),
    (
        "words on a threshold on the wrong side",
        *(sampler.Sampler, "search", 'self._low, words, side="right"'),
        *('self._low, words, side="left"', settled),
    ),
    (
        "bits before the next ones forgotten",
        *(sampler, "invert", "word << step | _word(step)", "_word(step)"),
        settled,
    ),
    (
        "modulo in the place of rejection",
        sampler,
        "below",
        "if word < count:",
        "word %= count\n        if True:",
        uneven(by_below),
    ),
    (
        "one number too many below",
        exceedances,
        "uniform",
        "words < np.uint64(size)",
        "words <= np.uint64(size)",
        uneven(by_uniform),
    ),
    (
        "rejected words taken after all",
        knorm,
        "_below",
        "fits = tries < counts[open_]",
        "fits = tries <= counts[open_]",
        uneven(by_counts),
    ),
    ("the 2 dropped in a choice", exponential, "_rate", "1 if monotone else 2", "1", chosen),
    (
        "candidates asked in their order",
        exponential,
        "permute_and_flip",
        "taken[below(len(taken))]",
        "taken[0]",
        flipped,
    ),
    (
        "the coin of another candidate",
        exponential,
        "permute_and_flip",
        "rate * gaps[i]",
        "rate * gaps[-1]",
        flipped,
    ),
    (
        "floats that decide a close choice",
        *(exponential, "located", "low == high < len(sums)", "low < len(sums)"),
        chosen,
    ),
    (
        "a choice by other bits than were looked up",
        *(exponential, "weighted_choice", "word, 64)", "0, 0)"),
        chosen,
    ),
    ("the rim of a ball left out", KNorm, "_propose", "<= radius**2", "< radius**2", plane),
    ("cubes without their last side", KNorm, "_propose", "2 * radius + 1", "2 * radius", plane),
    (
        "the exponential radius",
        KNorm,
        "_propose",
        "radius_numbers(1 / self.scale, self.dimension, size)",
        "radius_numbers(1 / self.scale, 1, size)",
        plane,
    ),
    (
        "a geometric number too few in a radius",
        radius,
        "_sums",
        "geometric_numbers(rate, size * (dimension + 1)).reshape(dimension + 1, size)",
        "geometric_numbers(rate, size * dimension).reshape(dimension, size)",
        lambda: radius_error() > 0,
    ),
    (
        "a radius that is always kept",
        *(radius, "_kept", "if _is_kept(radius, dimension)", "if True"),
        lambda: kept_error() > 0,
    ),
    (
        "a factor less below the coin of a radius",
        *(
            radius,
            "_is_kept",
            "range(odd + 1, odd + 2 * dimension, 2)",
            "range(odd + 3, odd + 2 * dimension, 2)",
        ),
        lambda: kept_error() > 0,
    ),
    (
        "a coin of a radius that falls right once too often",
        *(radius, "_is_kept", "_below(most) < int", "_below(most) <= int"),
        lambda: kept_error() > 0,
    ),
    (
        "a number that may be its bound",
        *(radius, "_below", "word < most", "word <= most"),
        lambda: kept_error() > 0,
    ),
    (
        "a number with bits to spare",
        *(radius, "_below", ">> (-length % 8)", ">> 0"),
        lambda: kept_error() > 0,
    ),
    (
        "digits in the wrong order",
        radius,
        "geometric_numbers",
        "reversed(range(digits))",
        "range(digits)",
        lambda: geometric_error() > 0,
    ),
    (
        "offsets without their counts",
        *(Tilted, "thresholds", "(count * low, count * high)", "(low, high)"),
        law(Tilted(Fraction(1, 300), (1, 23, 23, 1))),
    ),
    (
        "cells beyond whole parts forgotten",
        exceedances,
        "_count",
        "if rest else 0",
        "if False else 0",
        parts,
    ),
    (
        "cells drawn twice counted twice",
        exceedances,
        "subset",
        "fresh[~is_in(fresh, cells)]",
        "fresh",
        subset,
    ),
    ("excess that starts at one", door, "exceedances", "+ threshold", "+ threshold + 1", listed),
    (
        "occupied cells drawn as empty ones too",
        door,
        "_large",
        "~is_in(empty, support.cells)",
        "is_in(empty, empty)",
        listed,
    ),
    (
        "occupied cells listed before the others",
        door,
        "_large",
        "ascending(cells)",
        "np.arange(len(cells))",
        listed,
    ),
    (
        "a threshold by the private counts",
        door,
        "_large",
        "noisy >= threshold",
        "noisy >= threshold + (counts > 2)",
        listed,
    ),
    (
        "a threshold that occupied cells must exceed",
        door,
        "_large",
        "noisy >= threshold",
        "noisy > threshold",
        listed,
    ),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant[0])
def test_a_slip_in_a_sampler_is_caught(mutant: tuple[Any, ...], report: Report) -> None:
    name, owner, place, old, new, sees = mutant
    with mutated(owner, place, old, new):
        catch(name, "1 exact law", sees, report)


def test_floats_that_decide_close_calls_are_caught(report: Report) -> None:
    with replaced(coins, "MARGIN", 0.0):
        catch("floats decide close calls", "1 exact law", large_gaussian, report)

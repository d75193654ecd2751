"""Noisy sums of which a question needs a part, against rows that are added up one by one."""

import numpy as np

from synth.analysis.known_moments import KnownMoment
from synth.domain import Categorical, Domain, Integer
from synth.estimate import MomentSum, NoisyMoment
from synth.noise import DiscreteLaplace
from synth.util import Ints

AGE = Integer(name="age", minimum=0, maximum=99, edges=(0, 40, 90, 99))
SEX = Categorical(name="sex", categories=("f", "m"))
REGION = Categorical(name="region", categories=("north", "south"))
DOMAIN = Domain((AGE, SEX, REGION))
AGES_BY_SEX = MomentSum(columns=(0,), by=(1,))
MIDDLES = np.array([low + high for low, high in AGE.cell_ends]) / 2


def known_without_noise(
    ages: Ints, bins: Ints, sexes: Ints, place: tuple[int, ...]
) -> KnownMoment:
    """Offsets of ages by sex, of which each is rounded to whole steps."""
    unit = AGES_BY_SEX.unit(DOMAIN)
    steps = np.round((ages - MIDDLES[bins]) / unit[sexes])
    sums = np.bincount(sexes, weights=steps, minlength=2).astype(np.int64)
    return KnownMoment(NoisyMoment(AGES_BY_SEX, sums, DiscreteLaplace(2)), DOMAIN, place)


def test_what_a_sum_holds_too_much_is_taken_off_within_the_error() -> None:
    """A noisy sum over all ages answers a question about ages below 90; the rows from 90 up
    are taken off, and the error stays within the stated bound.

    The release knows the sums of ages by sex, as offsets from the middles of their bins.
    Women's ages count once, men's twice. The bin from 90 up, without weight, is narrow.
    """
    random = np.random.default_rng(6)
    ends = np.array(AGE.cell_ends)
    halves = (ends[:, 1] - ends[:, 0]) / 2
    weights = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]])  # by bin of age and sex

    for _ in range(20):
        bins, sexes = random.integers(0, 3, 200), random.integers(0, 2, 200)
        ages = random.integers(ends[bins, 0], ends[bins, 1] + 1)
        moment = known_without_noise(ages, bins, sexes, place=(0, 1))

        shared = moment.share(weights)
        assert shared is not None
        weights_of_sums, added, error = shared
        assert weights_of_sums.tolist() == [1, 2]

        true = float(weights[bins, sexes] @ (ages - MIDDLES[bins]))
        estimate = float(weights_of_sums @ moment.numbers + added[bins, sexes].sum())
        bound = float(error[bins, sexes].sum())
        assert abs(estimate - true) <= bound
        assert bound < (weights[bins, sexes] * halves[bins]).sum(), "bins alone say less"


def test_a_sum_is_of_no_use_where_offsets_of_rows_to_take_off_are_unknown() -> None:
    """A sum of ages by sex is of no use if part of its rows would have to be taken off, and
    their ages are unknown.

    The question knows the sex and the region of its rows (`place`). One about women of one
    region has no answer from the sum; one about all women takes it as it is, with weight 1.
    """
    ages, zeros = np.array([5, 95]), np.array([0, 2])
    moment = known_without_noise(ages, zeros, np.array([0, 1]), place=(1, 2))
    assert moment.share(np.array([[1.0, 0.0], [0.0, 0.0]])) is None
    shared = moment.share(np.array([[1.0, 1.0], [0.0, 0.0]]))
    assert shared is not None
    assert shared[0].tolist() == [1, 0]

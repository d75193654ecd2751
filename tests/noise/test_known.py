"""What every mechanism that a door draws from must do, whichever it is.

A new one gets a class below that names some of its kind and what it refuses; the rest is
inherited."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.noise import (
    MAX_VALUE,
    DiscreteGaussian,
    DiscreteLaplace,
    KNorm,
    Mechanism,
    Norm,
    describe,
    is_known,
    law_of,
    mechanism_of,
    sum_law,
)
from synth.noise.known import MECHANISMS
from synth.privacy import Sensitivity, covers

Refusal = tuple[Callable[[], object], str]


class MechanismContract:
    """The contract; a subclass fills in what is its own.

    Attributes:
        some: Noises of small scales and of the largest.
        refused: Calls with numbers that make no sense, and the sentences they get.
    """

    some: ClassVar[Sequence[Any]] = ()
    refused: ClassVar[Sequence[Refusal]] = ()

    def shape(self, _mechanism: Any) -> tuple[int, ...]:
        """Of the values of a release."""
        return (200, 100)

    def sample(self, mechanism: Any) -> np.ndarray:
        """Noises, shape (many, numbers of one)."""
        return np.asarray(mechanism.draw(20_000)).astype(float).reshape(20_000, -1)

    def test_it_is_known_by_its_description(self) -> None:
        """A mechanism written as JSON and read is the same, and is one that may be drawn
        from.

        `some` are mechanisms of small scales and of the largest.
        """
        for mechanism in self.some:
            assert is_known(mechanism)
            assert mechanism_of(json.loads(json.dumps(describe(mechanism)))) == mechanism

    def test_its_noise_has_the_variance_and_no_bias(self) -> None:
        """20,000 draws have the variance of the mechanism within 10 %, and a mean near 0.

        The mean is within six standard errors. `some` are mechanisms of small scales and of
        the largest.
        """
        for mechanism in self.some:
            sample = self.sample(mechanism)
            assert (sample**2).mean() == pytest.approx(mechanism.variance, rel=0.1)
            assert np.abs(sample.mean(axis=0)).max() < 6 * np.sqrt(
                mechanism.variance / len(sample)
            )

    def test_its_law_in_floats_is_that_of_its_noise(self) -> None:
        """The law in floats that intervals use is that of drawn noise.

        Tails at .3, 1 and 2 deviations are within six deviations of the drawn share; where
        they are only a bound, up to a tenth above. The mean size, the deviation, and the end
        of the law agree too.
        """
        for mechanism in self.some:
            law = law_of(mechanism)
            sizes = np.abs(self.sample(mechanism)[:, 0])
            least = np.round(np.array([0.3, 1.0, 2.0]) * law.deviation) + 1
            tails = law.tail(least)
            shares = (sizes >= least[:, None]).mean(axis=1)

            six_deviations = 6 * np.sqrt(tails / len(sizes))
            assert (shares <= tails + six_deviations).all()
            is_exact = law.error < 1
            excess = 1 if is_exact else 1.1
            assert (tails <= shares * excess + six_deviations).all()

            assert law.tail(np.array([law.extent]))[0] < 1e-9
            assert (sizes**2).mean() == pytest.approx(law.deviation**2, rel=0.1)
            assert sizes.mean() == pytest.approx(law.expected_size, rel=0.05)
            assert sizes.mean() == pytest.approx(mechanism.mean_absolute, rel=0.25)
            assert (np.diff(law.log_densities(least)) < 0).all()

    def test_moments_and_characteristic_give_the_laws_of_sums(self) -> None:
        """The moments of independent noise, by which sums of it are bounded, are those of
        draws.

        Nine numbers together have three times the deviation. Mechanisms that draw a vector at
        once refuse.
        """
        for mechanism in self.some:
            if mechanism.is_joint:
                with pytest.raises(ArgumentError, match="are not independent"):
                    assert mechanism.cell_noise
                continue

            law, noise = mechanism.number_law, self.sample(mechanism)[:, 0]
            share, frequency = np.array([0.3]), np.array([1 / law.deviation])
            moment = np.exp(share * noise / law.scale).mean()
            assert np.exp(law.log_moment(share)) == pytest.approx(moment, rel=0.05)
            assert np.exp(law.log_characteristic(frequency)) == pytest.approx(
                np.cos(frequency * noise).mean(), abs=0.03
            )
            assert sum_law(law, 9).deviation == pytest.approx(3 * law.deviation)

    def test_a_claim_of_its_own_price_changes_no_price(self) -> None:
        """The price of noise is the same if that price itself is given as the claim.

        `meets` is True only for claims of an epsilon with a delta, and no price is such a
        claim.
        """
        moves = Sensitivity(2, 4, 2)
        for mechanism in self.some:
            assert mechanism.price(moves, mechanism.price(moves)) == mechanism.price(moves)
            assert not mechanism.meets(mechanism.price(moves), moves)

    def test_a_release_is_the_values_with_fresh_noise(self) -> None:
        """Each release has fresh noise and the shape of the values, which stay as
        they are.
        """
        for mechanism in self.some:
            shape = self.shape(mechanism)
            values = np.arange(np.prod(shape)).reshape(shape) % 7
            copy_before = values.copy()
            twice = [mechanism.release(values) for _ in range(2)]

            assert np.array_equal(values, copy_before)
            assert all(noisy.dtype == np.int64 for noisy in twice)
            assert all(noisy.shape == values.shape for noisy in twice)
            assert not np.array_equal(*twice)

    @pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint64])
    def test_integers_of_every_type_are_taken(self, dtype: Any) -> None:
        """Values of any integer type are taken: the noise on 7 is of the usual size."""
        for mechanism in self.some:
            values = np.full(self.shape(mechanism), 7, dtype)
            noise = mechanism.release(values).astype(float) - 7
            assert np.abs(noise).mean() < 8 * np.sqrt(mechanism.variance)

    @pytest.mark.slow
    def test_no_sum_overflows(self) -> None:
        """Extreme counts are pulled in to MAX_VALUE before noise, so that no sum wraps
        around.

        Wrapping would raise the sensitivity (T3). Noise beyond 60 deviations never comes.
        """
        for mechanism in self.some:
            for extreme, clipped in ((-(2**63), -MAX_VALUE), (2**63 - 1, MAX_VALUE)):
                noisy = mechanism.release(np.full(self.shape(mechanism), extreme))
                noise = (noisy - clipped).astype(float)
                assert np.abs(noise).max() < 60 * np.sqrt(mechanism.variance)

    def test_what_is_no_integer_is_refused_and_not_shown(self) -> None:
        """An array of floats is refused by its type, and the message shows none of its
        values.
        """
        with pytest.raises(ArgumentError) as caught:
            self.some[0].release(np.full(self.shape(self.some[0]), 41.5))
        assert (
            str(caught.value)
            == "values must be an array of integers, but its type is float64."
        )

    def test_larger_moves_cost_more(self) -> None:
        """A person who moves more numbers, or further, has a larger price.

        The moves are in L1, squared L2, and the largest number.
        """
        small, large = Sensitivity(1, 1, 1), Sensitivity(3, 9, 3)
        for mechanism in self.some:
            assert covers(mechanism.price(large), mechanism.price(small))
            assert not covers(mechanism.price(small), mechanism.price(large))

    def test_it_fits_what_it_releases(self) -> None:
        for mechanism in self.some:
            assert mechanism.fits(int(np.prod(self.shape(mechanism))))

    def test_numbers_that_make_no_sense_are_refused(self) -> None:
        """Zero, negative and infinite scales are refused with the sentence given (T7).

        `refused` are calls with the message that each of them gets.
        """
        for call, message in self.refused:
            with pytest.raises(ArgumentError) as caught:
                call()
            assert str(caught.value) == message


class TestLaplace(MechanismContract):
    some = tuple(DiscreteLaplace(Fraction(s)) for s in (2, 200, 10**6, 10**9, 10**14))
    refused = (
        (lambda: DiscreteLaplace(Fraction(0)), "scale must be above 0, but it is 0."),
        (lambda: DiscreteLaplace(Fraction(-2)), "scale must be above 0, but it is -2."),
        (
            lambda: DiscreteLaplace(0.5),  # type: ignore[arg-type]
            "scale must be a whole number or a Fraction, but it is 0.5.",
        ),
        (
            lambda: DiscreteLaplace(Fraction(10**15)),
            "The epsilon is too small for this: its noise would have a scale of 1e+15, and "
            "Synth draws noise of a scale of up to 1e+14. Take a larger epsilon, or ask for "
            "less.",
        ),
        (
            lambda: DiscreteLaplace(Fraction(1, 10**5)),
            "The epsilon is too large for this: its noise would have a scale of 1e-05, and "
            "Synth draws noise of a scale from 0.0001 on. Take a smaller epsilon.",
        ),
        (
            lambda: DiscreteLaplace.for_epsilon(Fraction(1), sensitivity=0),
            "sensitivity must be above 0, but it is 0.",
        ),
        (
            lambda: DiscreteLaplace.for_epsilon(float("nan"), sensitivity=1),  # type: ignore[arg-type]
            "epsilon must be a whole number or a Fraction, but it is nan.",
        ),
        (
            lambda: DiscreteLaplace(Fraction(1)).guarantee(Fraction(-1)),
            "sensitivity must be above 0, but it is -1.",
        ),
        (
            lambda: DiscreteLaplace(Fraction(1)).draw(-1),
            "size must be a whole number of at least 0, but it is -1.",
        ),
    )


class TestGaussian(MechanismContract):
    some = tuple(DiscreteGaussian(Fraction(s)) for s in (2, 200**2, 10**14, 10**28))
    refused = (
        (lambda: DiscreteGaussian(Fraction(0)), "sigma2 must be above 0, but it is 0."),
        (
            lambda: DiscreteGaussian(Fraction(10**30)),
            "The epsilon is too small for this: its noise would have a standard deviation of "
            "1e+15, and Synth draws noise of a standard deviation of up to 1e+14. Take a "
            "larger epsilon, or ask for less.",
        ),
        (
            lambda: DiscreteGaussian(1.5),  # type: ignore[arg-type]
            "sigma2 must be a whole number or a Fraction, but it is 1.5.",
        ),
        (
            lambda: DiscreteGaussian.for_delta(1, Fraction(1, 10), sensitivity=0),
            "sensitivity must be a whole number of at least 1, but it is 0.",
        ),
        (
            lambda: DiscreteGaussian.for_rho(Fraction(-1), sensitivity2=1),
            "rho must be above 0, but it is -1.",
        ),
        (
            lambda: DiscreteGaussian.for_rho(Fraction(1), sensitivity2=0),
            "sensitivity2 must be above 0, but it is 0.",
        ),
    )


class TestKNorm(MechanismContract):
    some = tuple(KNorm(norm, d, Fraction(60)) for norm in Norm for d in (2, 5))
    refused = (
        (
            lambda: KNorm(Norm.L2, 0, Fraction(1)),
            "dimension must be a whole number of at least 1, but it is 0.",
        ),
        (
            lambda: KNorm(Norm.L2, 9, Fraction(1)),
            "dimension must be between 1 and 8, but it is 9.",
        ),
        (
            lambda: KNorm(Norm.L2, 2, Fraction(5_000_000)),
            "The epsilon is too small for this: its noise would have a scale of 5e+06, and "
            "Synth draws noise of a scale of up to 4.19e+06. Take a larger epsilon, or ask "
            "for less.",
        ),
        (
            lambda: KNorm(Norm.MAX, 201, Fraction(5_000)),
            "The epsilon is too small for this: its noise would have a scale of 5e+03, and "
            "Synth draws noise of a scale of up to 4.1e+03. Take a larger epsilon, or ask "
            "for less.",
        ),
        (lambda: KNorm(Norm.L2, 2, Fraction(-1)), "scale must be above 0, but it is -1."),
        (
            lambda: KNorm(Norm.L2, 2, Fraction(1)).release(np.zeros(3, int)),
            "values must have shape (2,), but it is (3,).",
        ),
    )

    def shape(self, mechanism: Any) -> tuple[int, ...]:
        return (mechanism.dimension,)


def test_every_mechanism_keeps_the_contract() -> None:
    """Each mechanism that noise is drawn from has a class of tests in this module."""
    contracts = [
        contract
        for contract in MechanismContract.__subclasses__()
        if contract.__module__ == __name__
    ]
    kinds: set[type[Mechanism]] = {type(contract.some[0]) for contract in contracts}
    assert kinds == {find_class() for find_class in MECHANISMS.values()}

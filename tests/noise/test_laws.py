"""Enclosures hold: of exp against decimal arithmetic of 120 digits, of laws at more bits."""

from decimal import localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.noise import exp_minus
from synth.noise.sampler import Law
from tests.audit.exact import decimal
from tests.audit.test_exact_paths import LAWS


@given(st.fractions(min_value=0, max_value=300), st.sampled_from([8, 64, 320]))
def test_exp_is_enclosed_within_two_units(x: Fraction, nbits: int) -> None:
    """e^-x lies between two whole numbers of units 2^-nbits, which are at most two units
    apart.

    The true value is computed in decimals of 120 digits.
    """
    low, high = exp_minus(x, nbits)
    with localcontext(prec=120):
        true = (-decimal(x)).exp() * 2**nbits
        assert low <= true <= high
    assert high - low <= 2


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_thresholds_of_few_bits_enclose_the_law(law: Law) -> None:
    """Cumulative chances of 64 bits enclose those of 320 bits, by at most two units.

    Those of 320 bits are the law's to fifty digits, as `tests.audit.test_exact_paths` shows.
    """
    of_64_bits, of_320_bits = law.thresholds(64), law.thresholds(320)
    for i, (low, high) in enumerate(zip(of_64_bits.low, of_64_bits.high, strict=True)):
        place = of_64_bits.first + i - of_320_bits.first
        exact_low = of_320_bits.low[place] >> 256  # rounded down to 64 bits
        exact_high = -(-of_320_bits.high[place] >> 256)  # rounded up
        assert low <= exact_low
        assert exact_high <= high
        assert high - low <= 2

"""The sampler: every word agrees with its interval; the integer path has the same law."""

import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise import bits, sampler
from synth.noise.laws import Digit, Gaussian, OneSided, Radius, TwoSided
from synth.noise.sampler import CHUNK, OPEN, Sampler, invert
from tests.audit.exact import Kept
from tests.audit.layers import words_agree

LAWS = [
    TwoSided(Fraction(1, 20)),
    TwoSided(Fraction(1, 2)),
    TwoSided(Fraction(100)),
    TwoSided(Fraction(1, 2000), digits=1),
    OneSided(Fraction(1, 3)),
    Gaussian(Fraction(400)),
    Gaussian(Fraction(50), half=True),
    Radius(Fraction(1, 9), 3),
    Digit(Fraction(1, 300)),
    Digit(Fraction(1, 10**9)),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_every_table_word_agrees_with_both_ends_of_its_interval(law: sampler.Law) -> None:
    """The answer to each of the 65,536 words of 16 bits is right for all bits that may
    follow.

    Both ends of the word's interval are looked up in thresholds of 320 bits (layer 2 of the
    audit).
    """
    assert words_agree(Sampler(law).table, law)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("step", [3, 8])
def test_small_words_force_the_integer_path(law: sampler.Law, step: int) -> None:
    """Drawn by integers, 3 or 8 random bits at a time, numbers have the same law.

    2,000 numbers are compared by a chi-square test. `Kept` computes the thresholds once.
    """
    law_with_thresholds = Kept(law)
    counts = Counter(invert(law_with_thresholds, step=step) for _ in range(2_000))
    expected = _probabilities(law)
    assert _p_value(counts, expected, 2_000) > 1e-6


def test_words_between_64_bits_and_certainty_are_settled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A word that starts with the same 64 bits as a threshold is decided by further bits.

    The random bits are replaced by those of the threshold, then zeros. So the number lies
    just below the true threshold, and has the answer at its place.
    """
    law = TwoSided(Fraction(1, 2))
    exact = law.thresholds(320)
    place = len(exact.low) // 2
    digits = exact.low[place].to_bytes(40, "big")
    monkeypatch.setattr(bits, "bits", lambda n: (digits + bytes(n))[8 : 8 + n])

    answer = invert(law, exact.low[place] >> 256, 64)
    assert answer == exact.first + place

    searched = Sampler(law).search(np.array([exact.low[place] >> 256], np.uint64))
    assert searched.tolist() == [exact.first + place]


def test_broken_randomness_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random bits that are all 0 decide nothing, and end in an error rather than a loop."""
    monkeypatch.setattr(bits, "bits", lambda n: bytes(n))
    with pytest.raises(RuntimeError, match="random bits are not random"):
        invert(TwoSided(Fraction(1, 2)))


@pytest.mark.slow
def test_answers_beyond_16_bits_widen_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word deep in the tail gives a large number, not a crash: noise has no largest size
    (T13).

    The table's words are 0, which leaves the answer open, and the following 64 bits are tiny.
    The answer is below OPEN, -32,768, and so is no number of 16 bits.
    """
    table = Sampler(TwoSided(Fraction(1, 1000)))
    tiny = (1 << 20).to_bytes(8, "little")
    monkeypatch.setattr(bits, "bits", lambda n: tiny if n == 8 else bytes(n))

    noise = table.draw(3)
    assert noise.dtype == np.int64
    assert (noise < OPEN).all()


def test_samples_may_end_within_a_chunk() -> None:
    """A sample has the size asked for, next to and beyond the words drawn at a time
    (CHUNK).
    """
    table = Sampler(TwoSided(Fraction(1, 2)))
    for size in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1):
        assert table.draw(size).shape == (size,)


def test_no_two_draws_and_no_two_processes_agree() -> None:
    """Two samples differ, and so do the random bits of two processes: there is no
    seed (T12).
    """
    table = Sampler(TwoSided(Fraction(1, 20)))
    assert not np.array_equal(table.draw(100), table.draw(100))

    ask = [sys.executable, "-c", "from synth.noise import bits; print(bits.bits(32))"]
    answers = {subprocess.run(ask, capture_output=True, check=True).stdout for _ in range(2)}
    assert len(answers) == 2


def _probabilities(law: sampler.Law) -> dict[int, float]:
    """The chance of each number by its law's thresholds of 96 bits."""
    exact = law.thresholds(96)
    cdf = [float(Fraction(value, 1 << 96)) for value in exact.low]
    ends = [*cdf, 1.0]
    return {
        exact.first + i: float(p) for i, p in enumerate(np.diff(ends, prepend=0.0)) if p > 0
    }


def _p_value(counts: Counter[int], expected: dict[int, float], size: int) -> float:
    """Return that of a chi-square test, with all rarely expected numbers as one cell."""
    cells = [(counts[z], p * size) for z, p in expected.items()]
    frequent_cells = [
        (count, expected_count) for count, expected_count in cells if expected_count >= 5
    ]
    rare_cells = (
        size - sum(count for count, _ in frequent_cells),
        size - sum(expected_count for _, expected_count in frequent_cells),
    )
    if rare_cells[1] > 1e-9:
        frequent_cells.append(rare_cells)
    if len(frequent_cells) < 2:
        return 1.0
    statistic = sum(
        (count - expected_count) ** 2 / expected_count
        for count, expected_count in frequent_cells
    )
    return float(stats.chi2.sf(statistic, len(frequent_cells) - 1))

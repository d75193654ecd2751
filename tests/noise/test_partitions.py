"""Partition selection: the recursion in exact rationals, its losses enumerated, and its
mutants.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.noise import LEAST, PartitionSelection, bits, exp_minus, partitions
from synth.noise.partitions import BINARY_PLACES
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit
from tests.audit.exact import decimal, fed
from tests.audit.mutate import catch, mutated
from tests.conftest import Report

UNIT = 1 << BINARY_PLACES
CASES = [
    (Fraction(1), Fraction(1, 10**6)),
    (Fraction(1, 7), Fraction(1, 1000)),
    (Fraction(9), Fraction(1, 3)),
]


def selection(epsilon: Fraction, delta: Fraction) -> PartitionSelection:
    """One whose chances are computed now, and not found in a cache."""
    partitions.step_chances.cache_clear()
    partitions.step_words.cache_clear()
    return PartitionSelection(epsilon, delta)


def is_private(epsilon: Fraction, delta: Fraction) -> bool:
    """Whether all four inequalities hold at every step, by an enclosure finer than the
    code's.
    """
    places = 600
    low, high = (Fraction(end, 1 << places) for end in exp_minus(epsilon, places))
    assert low <= high
    chances = [Fraction(c, UNIT) for c in selection(epsilon, delta).chances]
    steps = pairwise(chances)
    return all(
        a <= b <= 1 and high * (b - delta) <= a and high * (1 - a - delta) <= 1 - b
        for a, b in steps
    )


@pytest.mark.parametrize(("epsilon", "delta"), CASES)
def test_each_step_meets_both_inequalities_and_no_larger_one_does(
    epsilon: Fraction, delta: Fraction
) -> None:
    assert is_private(epsilon, delta)
    fall = Fraction(exp_minus(epsilon, 600)[0], 1 << 600)
    chances = [Fraction(c, UNIT) for c in selection(epsilon, delta).chances]
    assert chances[0] == 0
    assert chances[-1] == 1
    for a, b in pairwise(chances):
        more = b + Fraction(3, UNIT)  # what three roundings down may leave
        assert more > 1 or more > a / fall + delta or 1 - more < fall * (1 - a - delta)


def test_the_known_optimum_is_met() -> None:
    """At epsilon = ln 2 the recursion is 2 p + delta: 1, 3, 7 deltas, in doubles by hand."""
    chosen = selection(Fraction("0.693147180559945309417232121458"), Fraction(1, 100))
    shares = [c / UNIT for c in chosen.chances]
    assert shares[:5] == pytest.approx([0, 0.01, 0.03, 0.07, 0.15])
    assert shares[6] == pytest.approx(0.63)
    assert shares[7] == pytest.approx(0.82)  # 1 - (1 - 0.63 - 0.01) / 2
    assert chosen.half == LEAST - 1 + 6


def released(chosen: PartitionSelection, count: int, word: int) -> int:
    low = np.array([word >> 64, word & (2**64 - 1)], np.uint64)
    with fed(low):
        return int(chosen.release(np.array([count]))[0])


@pytest.mark.parametrize("count", [-5, 0, LEAST - 1, LEAST, LEAST + 3, LEAST + 20, 10**6])
def test_a_value_is_kept_if_its_bits_are_below_its_chance(count: int) -> None:
    chosen = selection(Fraction(1), Fraction(1, 10**3))
    place = min(max(0, count - LEAST + 1), len(chosen.chances) - 1)
    chance = chosen.chances[place]
    words = [w for w in (0, chance - 1, chance, UNIT - 1) if 0 <= w < UNIT]
    assert [released(chosen, count, w) for w in words] == [int(w < chance) for w in words]


def loss_holds(unit: Unit, neighbors: Neighbors, wanted: Guarantee) -> bool:
    """Whether the joint law of two values keeps (epsilon, delta) for all persons, enumerated.

    The hockey-stick divergence of two products of coins, in 60 digits.
    """
    k, parts = unit.max_rows, neighbors.sensitivity
    moves = Sensitivity(unit.sensitivity(neighbors), unit.square(neighbors), k)
    made = PartitionSelection.for_guarantee(wanted, moves)
    chosen = selection(made.epsilon, made.delta)
    with localcontext(prec=60):
        shares = [Decimal(c) / UNIT for c in chosen.chances]
        top, most, delta = (
            len(shares) - 1,
            decimal(wanted.epsilon).exp(),
            decimal(wanted.delta),
        )
        worst = Decimal(0)
        for a, b in product(range(0, top + 1), repeat=2):
            for da, db in _moves(k, parts):
                one = shares[min(a, top)], shares[min(b, top)]
                other = shares[min(max(a + da, 0), top)], shares[min(max(b + db, 0), top)]
                worst = max(worst, _hockey(one, other, most), _hockey(other, one, most))
        return worst <= delta


def _moves(k: int, parts: int) -> list[tuple[int, int]]:
    """How one person moves two values: k rows away from the first, and as many to the
    second.
    """
    gone = [(-i, -(k - i)) for i in range(k + 1)]
    return gone if parts == 1 else [*gone, (-k, k)]


def _hockey(one: tuple[Decimal, ...], other: tuple[Decimal, ...], most: Decimal) -> Decimal:
    total = Decimal(0)
    for kept in product((0, 1), repeat=2):
        here, there = (
            Decimal(1) * (p[0] if kept[0] else 1 - p[0]) * (p[1] if kept[1] else 1 - p[1])
            for p in (one, other)
        )
        total += max(Decimal(0), here - most * there)
    return total


@pytest.mark.audit
@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("unit", [ROW, Unit("pid", 2), Unit("pid", 3)])
def test_the_loss_of_rows_and_persons_is_within_the_price(
    unit: Unit, neighbors: Neighbors, report: Report
) -> None:
    wanted = Guarantee.approximate(3, Fraction(1, 50))
    assert loss_holds(unit, neighbors, wanted)
    report(f"partition selection, {neighbors.value}, {unit.max_rows} rows: (3, 1/50) holds")


@pytest.mark.parametrize("rows", [1, 2, 7])
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_the_price_gives_the_guarantee_back_exactly(rows: int, neighbors: Neighbors) -> None:
    unit = Unit("pid", rows)
    moves = Sensitivity(unit.sensitivity(neighbors), unit.square(neighbors), rows)
    wanted = Guarantee.approximate(Fraction(1, 3), Fraction(1, 10**9))
    made = PartitionSelection.for_guarantee(wanted, moves)
    assert made.price(moves) == wanted


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(1, 2**200)])
def test_a_delta_that_cannot_be_is_refused(delta: Fraction) -> None:
    with pytest.raises(ArgumentError, match=r"delta must be below 1|above 0"):
        PartitionSelection(Fraction(1), delta)
    with pytest.raises(ArgumentError, match="a delta above 0"):
        PartitionSelection.for_guarantee(Guarantee.pure(1), Sensitivity(1, 1, 1))


@pytest.mark.mutant
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("the threshold one too low", "chances = [0]", "chances = [0, 2 * added]"),
        ("the delta counted twice", "// fall) + added", "// fall) + 2 * added"),
        (
            "only the chance to be named",
            "min(by_growth, by_rest, unit)",
            "min(by_growth, unit)",
        ),
        ("only the chance not to be", "min(by_growth, by_rest, unit)", "min(by_rest, unit)"),
    ],
)
def test_a_broken_recursion_is_seen(name: str, old: str, new: str, report: Report) -> None:
    assert is_private(*CASES[1])
    with mutated_chances(old, new):
        catch(name, "1 exact chances", lambda: not is_private(*CASES[1]), report)


@pytest.mark.mutant
def test_persons_at_the_price_of_rows_are_seen(report: Report) -> None:
    wanted = Guarantee.approximate(3, Fraction(1, 50))
    args = (Unit("pid", 3), Neighbors.REPLACE_ONE, wanted)
    with mutated(partitions, "_times", "group_delta(epsilon, moves.l_infinity)", "1"):
        catch(
            "delta without group privacy",
            "1 exact chances",
            lambda: not loss_holds(*args),
            report,
        )


def mutated_chances(old: str, new: str) -> Any:
    return mutated(partitions, "step_chances", old, new)


def test_bits_at_the_chance_itself_keep_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value is kept by 128 bits below its chance: the last bit counts."""
    selection = PartitionSelection(Fraction(1), Fraction(1, 10**6))
    rows = LEAST + 3
    chance = selection.chances[rows - (LEAST - 1)]

    def keeps(number: int) -> bool:
        high, low = divmod(number, 1 << 64)
        words = np.array([high, low], np.uint64).tobytes()
        monkeypatch.setattr(bits, "bits", lambda size: words[:size])
        return bool(selection.release(np.array([rows]))[0])

    assert keeps(chance - 1)
    assert not keeps(chance)
    assert not keeps(chance | (1 << 64) - 1)
    assert keeps((chance >> 64 << 64) - 1)

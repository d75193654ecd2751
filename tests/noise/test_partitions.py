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


def fresh_selection(epsilon: Fraction, delta: Fraction) -> PartitionSelection:
    """A selection whose chances are computed now, and not found in a cache."""
    partitions.step_chances.cache_clear()
    partitions.split_chances.cache_clear()
    return PartitionSelection(epsilon, delta)


def is_private(epsilon: Fraction, delta: Fraction) -> bool:
    """Whether all four inequalities hold at every step, by an enclosure finer than the
    code's.
    """
    places = 600
    low, high = (Fraction(end, 1 << places) for end in exp_minus(epsilon, places))
    assert low <= high
    chances = [Fraction(chance, UNIT) for chance in fresh_selection(epsilon, delta).chances]
    return all(
        before <= after <= 1
        and high * (after - delta) <= before
        and high * (1 - before - delta) <= 1 - after
        for before, after in pairwise(chances)
    )


@pytest.mark.parametrize(("epsilon", "delta"), CASES)
def test_each_step_meets_both_inequalities_and_no_larger_one_does(
    epsilon: Fraction, delta: Fraction
) -> None:
    """The chance to name a value is as large as epsilon and delta allow, row by row.

    A chance may be e^epsilon times the one before plus delta, and the rest of it falls by
    e^-epsilon less delta at most. Three units of 2^-128 more would break either.
    """
    assert is_private(epsilon, delta)

    fall = Fraction(exp_minus(epsilon, 600)[0], 1 << 600)
    chances = [Fraction(chance, UNIT) for chance in fresh_selection(epsilon, delta).chances]
    assert chances[0] == 0
    assert chances[-1] == 1

    for before, after in pairwise(chances):
        larger = after + Fraction(3, UNIT)  # what three roundings down may leave
        breaks_growth = larger > before / fall + delta
        breaks_rest = 1 - larger < fall * (1 - before - delta)
        assert larger > 1 or breaks_growth or breaks_rest


def test_the_known_optimum_is_met() -> None:
    """At epsilon = ln 2 and delta = .01 the chances are 0, 1, 3, 7, 15, ... deltas, by 2 p +
    delta.

    A seventh step by that rule would break the other inequality, so the seventh chance is 1 -
    (1 - .63 - .01) / 2 = .82. `half` is the number of rows from which a value is more often
    named than not. The chance is 0 below LEAST rows.
    """
    selection = fresh_selection(
        Fraction("0.693147180559945309417232121458"), Fraction(1, 100)
    )

    shares = [chance / UNIT for chance in selection.chances]
    assert shares[:5] == pytest.approx([0, 0.01, 0.03, 0.07, 0.15])
    assert shares[6] == pytest.approx(0.63)
    assert shares[7] == pytest.approx(0.82)
    assert selection.half == LEAST - 1 + 6


def release_with_bits(selection: PartitionSelection, count: int, word: int) -> int:
    """Whether a value of this count is kept (1) if the random bits are a word of 128."""
    halves = np.array([word >> 64, word & (2**64 - 1)], np.uint64)
    with fed(halves):
        return int(selection.release(np.array([count]))[0])


@pytest.mark.parametrize("count", [-5, 0, LEAST - 1, LEAST, LEAST + 3, LEAST + 20, 10**6])
def test_a_value_is_kept_if_its_bits_are_below_its_chance(count: int) -> None:
    """A value is kept exactly if a random word of 128 bits is below its chance.

    Counts below LEAST have the chance 0, and counts beyond the table its last one. Words next
    to the chance and at both ends are tried.
    """
    selection = fresh_selection(Fraction(1), Fraction(1, 10**3))
    place = min(max(0, count - LEAST + 1), len(selection.chances) - 1)
    chance = selection.chances[place]

    words = [word for word in (0, chance - 1, chance, UNIT - 1) if 0 <= word < UNIT]
    are_kept = [release_with_bits(selection, count, word) for word in words]
    assert are_kept == [int(word < chance) for word in words]


def is_loss_within(unit: Unit, neighbors: Neighbors, claim: Guarantee) -> bool:
    """Whether the joint law of two values keeps (epsilon, delta) for all persons, enumerated.

    The hockey-stick divergence of two products of coins, in 60 digits.
    """
    max_rows, parts = unit.max_rows, neighbors.sensitivity
    moves = Sensitivity(unit.sensitivity(neighbors), unit.square(neighbors), max_rows)
    priced = PartitionSelection.for_guarantee(claim, moves)
    selection = fresh_selection(priced.epsilon, priced.delta)
    with localcontext(prec=60):
        shares = [Decimal(chance) / UNIT for chance in selection.chances]
        top = len(shares) - 1
        factor = decimal(claim.epsilon).exp()
        delta = decimal(claim.delta)
        worst = Decimal(0)
        for first_rows, second_rows in product(range(0, top + 1), repeat=2):
            for first_move, second_move in _moves(max_rows, parts):
                chances = (shares[first_rows], shares[second_rows])
                first_after = min(max(first_rows + first_move, 0), top)
                second_after = min(max(second_rows + second_move, 0), top)
                chances_after = (shares[first_after], shares[second_after])
                divergences = (
                    _hockey_stick(chances, chances_after, factor),
                    _hockey_stick(chances_after, chances, factor),
                )
                worst = max(worst, *divergences)
        return worst <= delta


def _moves(max_rows: int, parts: int) -> list[tuple[int, int]]:
    """How one person moves two values: k rows away from the first, and as many to the
    second.
    """
    removals = [(-removed, -(max_rows - removed)) for removed in range(max_rows + 1)]
    if parts == 1:
        return removals
    return [*removals, (-max_rows, max_rows)]


def _hockey_stick(
    chances: tuple[Decimal, ...], chances_after: tuple[Decimal, ...], factor: Decimal
) -> Decimal:
    """The sum over all outcomes of two coins of P - factor Q, where that is above 0."""
    total = Decimal(0)
    for are_kept in product((True, False), repeat=2):
        before = _chance_of(are_kept, chances)
        after = _chance_of(are_kept, chances_after)
        total += max(Decimal(0), before - factor * after)
    return total


def _chance_of(are_kept: tuple[bool, ...], chances: tuple[Decimal, ...]) -> Decimal:
    product_of_chances = Decimal(1)
    for is_kept, chance in zip(are_kept, chances, strict=True):
        product_of_chances *= chance if is_kept else 1 - chance
    return product_of_chances


@pytest.mark.audit
@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("unit", [ROW, Unit("pid", 2), Unit("pid", 3)])
def test_the_loss_of_rows_and_persons_is_within_the_price(
    unit: Unit, neighbors: Neighbors, report: Report
) -> None:
    """The selection bought for an epsilon and a delta keeps to them, by the exact chances.

    `is_loss_within` enumerates all outcomes of two values for persons of one to three rows.
    """
    claim = Guarantee.approximate(3, Fraction(1, 50))
    assert is_loss_within(unit, neighbors, claim)
    report(f"partition selection, {neighbors.value}, {unit.max_rows} rows: (3, 1/50) holds")


@pytest.mark.parametrize("rows", [1, 2, 7])
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_the_price_gives_the_guarantee_back_exactly(rows: int, neighbors: Neighbors) -> None:
    """The selection for a guarantee has that guarantee as its price, for persons of up to 7
    rows.
    """
    unit = Unit("pid", rows)
    moves = Sensitivity(unit.sensitivity(neighbors), unit.square(neighbors), rows)
    claim = Guarantee.approximate(Fraction(1, 3), Fraction(1, 10**9))
    mechanism = PartitionSelection.for_guarantee(claim, moves)
    assert mechanism.price(moves) == claim


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(1, 2**200)])
def test_a_delta_that_cannot_be_is_refused(delta: Fraction) -> None:
    """A delta of 0, of 1, or too small for chances of 128 bits is refused.

    So is a guarantee without a delta.
    """
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
    """Each broken variant of the recursion fails the exact check of privacy.

    `old` is replaced by `new` in the source of `step_chances`; `catch` counts the variant as
    caught.
    """
    assert is_private(*CASES[1])
    with mutated_chances(old, new):
        catch(name, "1 exact chances", lambda: not is_private(*CASES[1]), report)


@pytest.mark.mutant
def test_persons_at_the_price_of_rows_are_seen(report: Report) -> None:
    """A variant that prices a person's rows like a single row fails the exact check of
    privacy.

    Three rows have the delta of a row times 1 + e^epsilon + e^(2 epsilon). With 1 in its
    place, the exact loss is above the claim.
    """
    claim = Guarantee.approximate(3, Fraction(1, 50))
    args = (Unit("pid", 3), Neighbors.REPLACE_ONE, claim)
    with mutated(partitions, "_delta_factor", "group_delta(epsilon, moves.l_infinity)", "1"):
        catch(
            "delta without group privacy",
            "1 exact chances",
            lambda: not is_loss_within(*args),
            report,
        )


def mutated_chances(old: str, new: str) -> Any:
    """Replaces a piece of the source of `step_chances`, within a `with` block."""
    return mutated(partitions, "step_chances", old, new)


def test_bits_at_the_chance_itself_keep_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value is kept by 128 bits below its chance: the last bit counts, in either word of
    64.

    The random bits are replaced by a given number. The last two cases differ from the chance
    in the lower word only, and in the upper word by one.
    """
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

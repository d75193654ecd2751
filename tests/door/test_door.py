"""The door and its ledger: charged first, never overspent, noise on every cell."""

import math
import sqlite3
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth import limits
from synth.domain import Domain, Integer
from synth.door import Door, Ledger, Query, least_listed
from synth.door.parts import Part, StoredParts
from synth.errors import LedgerError, ReleaseError
from synth.estimate import NoisyCounts
from synth.noise import DiscreteGaussian, DiscreteLaplace, bits
from synth.privacy import ROW, Guarantee, Neighbors, parse_budget, parse_rho, share_out
from synth.private import queries
from synth.private.counting import Counts, ValueRows
from synth.private.queries import listed_values
from synth.util import number_cells

CELLS = 5_000
DOMAIN = Domain((Integer(name="x", minimum=1, maximum=CELLS, bins=CELLS),))


def counts_of(rows: int = 100) -> Counts:
    """Counts of 5,000 cells of which one has all the rows."""
    return Counts(domain=DOMAIN, cells=np.array([7]), counts=np.array([rows]), rows=rows)


def ledger_with_budget(path: Path) -> Ledger:
    """A ledger that lets `survey` spend an epsilon of 9."""
    ledger = Ledger(path)
    ledger.set_budget("survey", parse_budget("9", Neighbors.REPLACE_ONE))
    return ledger


def open_door(
    ledger: Ledger, neighbors: Neighbors = Neighbors.REPLACE_ONE, **options: Any
) -> Door:
    """A door that is charged epsilon 1, or another guarantee."""
    return Door(
        ledger=ledger,
        dataset="survey",
        neighbors=neighbors,
        guarantee=options.pop("guarantee", Guarantee.pure(1)),
        purpose="histogram",
        **options,
    )


def ask_histogram(neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Query:
    """The query of a histogram of 5,000 cells, of which one has all 100 rows."""
    return queries.histogram(counts_of(), neighbors)


def measure_histogram(neighbors: Neighbors, rows: int = 100) -> NoisyCounts:
    """Measure such a histogram with Laplace noise for epsilon 1."""
    mechanism = DiscreteLaplace.for_epsilon(1, sensitivity=neighbors.sensitivity)
    histogram = queries.histogram(counts_of(rows), neighbors)
    measured = open_door(Ledger(), neighbors).measure(histogram, mechanism)
    return NoisyCounts.read(DOMAIN, measured)


def test_every_cell_gets_noise_the_empty_ones_too() -> None:
    """All 5,000 cells get noise, although one only has rows, and noisy counts cannot be
    changed.

    Noise of scale 2 is 0 with a probability of 0.245. So the number of zeros is binomial,
    here within 7 standard deviations.
    """
    values = measure_histogram(Neighbors.REPLACE_ONE).values

    assert values.shape == (CELLS,)
    # 0.185 is the variance of one cell: 0.245 (1 - 0.245).
    assert abs((values == 0).sum() - 0.2449 * CELLS) < 7 * np.sqrt(0.185 * CELLS)
    assert (values < 0).any()
    assert not values.flags.writeable


def test_the_number_of_rows_leaves_only_where_it_is_public() -> None:
    """The exact number of rows leaves the door under replace-one only.

    Under add-remove it is private: the total is the sum of the noisy counts, and at least 0.
    """
    assert measure_histogram(Neighbors.REPLACE_ONE).rows == 100

    noisy = measure_histogram(Neighbors.ADD_REMOVE)
    assert noisy.rows is None
    assert noisy.total == max(0, noisy.values.sum())


def test_the_ledger_line_is_written_before_any_noise_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spend is in the ledger's file before noise is drawn.

    Instead of noise, another connection counts the spends in the file: it finds one.
    """
    path = tmp_path / "ledger.sqlite"
    spends_before_noise: list[int] = []

    def count_spends(_: DiscreteLaplace, values: Any) -> Any:
        rows = (
            sqlite3.connect(path)
            .execute("SELECT count(*) FROM events WHERE kind = 'spend'")
            .fetchone()
        )
        spends_before_noise.append(rows[0])
        return values

    monkeypatch.setattr(DiscreteLaplace, "release", count_spends)
    open_door(ledger_with_budget(path)).measure(ask_histogram(), DiscreteLaplace(Fraction(2)))

    assert spends_before_noise == [1]


def test_nothing_is_drawn_when_the_ledger_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the ledger cannot be written, here because it is closed, no noise is drawn."""
    ledger = ledger_with_budget(tmp_path / "ledger.sqlite")
    ledger.close()
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: pytest.fail("noise was drawn"))

    with pytest.raises(LedgerError, match="cannot be written, so nothing was released"):
        open_door(ledger).measure(ask_histogram(), DiscreteLaplace(Fraction(2)))


def test_what_cannot_be_paid_is_refused_before_it_is_charged() -> None:
    """A door for epsilon 1 is refused, and not charged, if its known costs exceed that.

    They are 4/3, a delta, a rho, and a rho with a delta. Costs of 1/2 + 1/3 = 5/6 are paid.
    """
    ledger = Ledger()
    third, half = Guarantee.pure(Fraction(1, 3)), Guarantee.pure(Fraction(1, 2))
    claim = Guarantee.approximate(Fraction(1, 9), Fraction(1, 99))

    for costs in (
        [half, half, third],
        [claim],
        [Guarantee.zcdp(1)],
        [Guarantee.zcdp(1), claim],
    ):
        with pytest.raises(
            ReleaseError, match=r"The request costs .* cannot pay as an epsilon"
        ):
            open_door(ledger, costs=costs)

    assert ledger.entries() == []
    open_door(ledger, costs=[half, third])
    assert len(ledger.entries()) == 1


def test_no_more_leaves_than_was_charged() -> None:
    """A door lets out no more noisy answers than its epsilon of 1 pays for.

    A replaced row moves a histogram by 2, so noise of scale 4 costs 1/2, and a third answer
    is refused. Noise of scale 1.99 costs 2 / 1.99, more than 1.
    """
    half = DiscreteLaplace(Fraction(4))
    passage = open_door(Ledger())
    passage.measure(ask_histogram(), half)
    passage.measure(ask_histogram(), half)
    with pytest.raises(ReleaseError, match="more than is left of epsilon = 1"):
        passage.measure(ask_histogram(), half)

    with pytest.raises(ReleaseError, match="more than is left"):
        open_door(Ledger()).measure(ask_histogram(), DiscreteLaplace(Fraction(199, 100)))


def test_less_noise_costs_the_difference(tmp_path: Path) -> None:
    """Noise on an answer can be reduced for the difference of the costs, also in a later
    call.

    A histogram moves by 2 under replace-one, so scale 8 costs 1/4 and scale 2 costs 1, of
    which 1/4 is paid already. The mean size of noise is about its scale: 8 and 2. Whoever
    repeats the request gets the same answers, and one spend is recorded. Scale 1.99 would
    exceed epsilon 1.
    """
    louder, quieter = DiscreteLaplace(Fraction(8)), DiscreteLaplace(Fraction(2))
    request: dict[str, Any] = {"table": "t", "request": "r"}
    ledger = ledger_with_budget(tmp_path / "ledger.sqlite")
    histogram = ask_histogram()

    first = open_door(ledger, **request).measure(histogram, louder)
    for _ in range(2):
        passage = open_door(ledger, **request)
        assert np.array_equal(passage.measure(histogram, louder).values, first.values)
        assert passage.spent == Guarantee.pure(Fraction(1, 4))
        reduced = passage.reduce_noise(histogram, quieter)
        assert (reduced.guarantee, reduced.mechanism) == (Guarantee.pure(1), quieter)
        assert passage.spent == Guarantee.pure(1)

    assert len(ledger.entries()) == 1

    mean_errors = [
        np.abs(answer.values - histogram.values()).mean() for answer in (first, reduced)
    ]
    assert 7 < mean_errors[0] < 9
    assert 1.7 < mean_errors[1] < 2.2

    passage = open_door(Ledger())
    passage.measure(histogram, louder)
    with pytest.raises(ReleaseError, match="more than is left of epsilon = 1"):
        passage.reduce_noise(histogram, DiscreteLaplace(Fraction(199, 100)))


def test_noise_is_reduced_on_the_measured_query_and_to_a_smaller_scale_only() -> None:
    """The door reduces noise only on the very query that it measured, and to a smaller scale.

    Refused calls cost nothing: scale 4 costs 2 / 4, as a replaced row moves a histogram by 2.
    """
    loud, quiet = DiscreteLaplace(Fraction(8)), DiscreteLaplace(Fraction(4))
    passage = open_door(Ledger())
    histogram = ask_histogram()
    passage.measure(histogram, quiet)

    measured = "only of a histogram that it has measured"
    for other_query, mechanism, why in (
        (ask_histogram(), DiscreteLaplace(Fraction(3)), measured),
        (histogram, loud, "only to a smaller scale"),
        (histogram, quiet, "only to a smaller scale"),
    ):
        with pytest.raises(ReleaseError, match=why):
            passage.reduce_noise(other_query, mechanism)
    with pytest.raises(ReleaseError, match=measured):
        open_door(Ledger()).reduce_noise(histogram, DiscreteLaplace(Fraction(3)))

    assert passage.spent == Guarantee.pure(Fraction(1, 2))


def test_noise_on_a_histogram_that_is_listed_from_a_threshold_up_is_not_reduced() -> None:
    """Noise is not reduced on a huge histogram, of which only counts above a threshold are
    listed.
    """
    large = queries.large_histogram(counts_of_huge(90), Neighbors.REPLACE_ONE)
    passage = open_door(Ledger())
    passage.measure(large, DiscreteLaplace(Fraction(8)))

    with pytest.raises(ReleaseError, match="only of a histogram that it has measured"):
        passage.reduce_noise(large, DiscreteLaplace(Fraction(4)))


def test_gaussian_noise_is_not_reduced() -> None:
    """The door refuses to reduce Gaussian noise, as it can do so for Laplace noise only."""
    histogram = ask_histogram()
    claim = Guarantee.approximate(1, Fraction(1, 10**6))
    gaussian = DiscreteGaussian(Fraction(99))
    passage = open_door(Ledger(), guarantee=claim)
    passage.measure(histogram, gaussian)

    with pytest.raises(ReleaseError, match="reduces Laplace noise only"):
        passage.reduce_noise(histogram, DiscreteLaplace(Fraction(4)))


def test_a_ledger_outlives_its_process_and_is_read_in_order(tmp_path: Path) -> None:
    """Two doors that are opened one after the other are two spends in the ledger's file.

    The budget is entry 1, so they are entries 2 and 3.
    """
    path = tmp_path / "ledger.sqlite"
    for _ in range(2):
        open_door(ledger_with_budget(path))

    entries = Ledger(path).entries()

    assert [entry.number for entry in entries] == [2, 3]
    assert entries[0].guarantee == Guarantee.pure(1)
    assert entries[0].neighbors == "replace-one"


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    """A text file is refused as a ledger by its name."""
    path = tmp_path / "notes.txt"
    path.write_text("this is no database, and it is long enough to be seen as none" * 20)
    with pytest.raises(LedgerError, match=r"ledger 'notes.txt' cannot be used: the file is"):
        Ledger(path)


def test_an_answer_too_large_for_a_ledger_is_refused_before_noise_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that a ledger could not store is refused before noise is drawn, at every try.

    5,000 cells of 8 bytes, with what describes them, exceed the limit of 8 times 5,000 bytes.
    Only the length decides, not the values, and nothing is spent of the epsilon.
    """
    monkeypatch.setattr(limits, "KEPT_BYTES", 8 * CELLS)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: pytest.fail("noise was drawn"))

    for _ in range(2):
        passage = open_door(
            ledger_with_budget(tmp_path / "ledger.sqlite"), table="t", request="r"
        )

        with pytest.raises(
            ReleaseError, match="too large to be kept in a ledger; coarsen the"
        ):
            passage.measure(ask_histogram(), DiscreteLaplace(Fraction(2)))
        assert passage.spent is None


def test_numbers_that_have_room_are_kept_to_the_last_byte(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """As many numbers as `room` allows fit into the limit of a stored part, and fill it to 98
    %.

    Random bytes are the worst case, because they cannot be compressed. They are tried as one
    array and as two.
    """
    monkeypatch.setattr(limits, "KEPT_BYTES", 3_000_000)
    ledger = ledger_with_budget(tmp_path / "ledger.sqlite")

    store = StoredParts(ledger, open_door(ledger).entry)
    description = {"query": "histogram" * 100}
    # In words of 8 bytes.
    words_of_room = store.room(description) // 8

    for arrays in (
        {"values": bits.bits(8 * words_of_room)},
        {
            "cells": bits.bits(8 * (words_of_room // 2)),
            "values": bits.bits(8 * (words_of_room // 2)),
        },
    ):
        part = Part(
            description,
            {name: np.frombuffer(content, np.int64) for name, content in arrays.items()},
        )
        assert 0.98 * limits.KEPT_BYTES < len(part.pack()) <= limits.KEPT_BYTES


HUGE = Domain(tuple(Integer(name=n, minimum=1, maximum=10**4, bins=10**4) for n in "abcdef"))


def counts_of_huge(rows: int) -> Counts:
    """A few occupied cells of a universe of 10^24, one of them with most of the rows."""
    cells = number_cells([np.array([0, 9999, 5])] * 6, HUGE.shape)
    return Counts(
        domain=HUGE, cells=np.sort(cells), counts=np.array([rows, 2, 3]), rows=rows + 5
    )


def test_a_large_universe_is_listed_from_a_public_threshold_up() -> None:
    """Of 10^24 cells only those with a noisy count of at least 87 are listed.

    0.62 * 10^24 * e^(-t / 2) of the empty cells reach a count of t by noise of scale 2: at
    most 100,000 of them from t = 87 on. The first cell of all holds the 1,000 rows.
    """
    histogram = queries.large_histogram(counts_of_huge(1_000), Neighbors.REPLACE_ONE)
    noisy = NoisyCounts.read(
        HUGE, open_door(Ledger()).measure(histogram, DiscreteLaplace(Fraction(2)))
    )

    assert noisy.threshold == least_listed(HUGE.size, Fraction(2)) == 87
    assert noisy.values.min() >= 87
    assert 50_000 < len(noisy.values) < 150_000
    assert (np.sort(noisy.cells) == noisy.cells).all()
    assert abs(noisy.values[0] - 1_000) < 60
    assert not noisy.values.flags.writeable


def test_of_more_cells_than_a_ledger_holds_the_largest_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a ledger cannot store all listed cells, those with the largest noisy counts are
    kept.

    The threshold rises above 87 by the noisy counts alone, and the same request finds the
    same cells again. The first cell of all holds the 1,000 rows.
    """
    monkeypatch.setattr(limits, "KEPT_BYTES", 500_000)
    histogram = queries.large_histogram(counts_of_huge(1_000), Neighbors.REPLACE_ONE)
    first, again = (
        open_door(
            ledger_with_budget(tmp_path / "ledger.sqlite"), table="t", request="r"
        ).measure(histogram, DiscreteLaplace(Fraction(2)))
        for _ in range(2)
    )

    noisy, noisy_again = NoisyCounts.read(HUGE, first), NoisyCounts.read(HUGE, again)

    assert noisy.values.tolist() == noisy_again.values.tolist()
    assert noisy.threshold == noisy_again.threshold
    assert 87 < (noisy.threshold or 0) <= noisy.values.min()
    assert 1_000 < len(noisy.values) < 500_000 / 24
    assert abs(noisy.values[0] - 1_000) < 60


def test_of_more_values_than_a_ledger_holds_the_first_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a ledger cannot store all selected values, the first ones in order are named.

    A thousand texts of 64 characters, each of a million rows, would all be selected; there is
    room for 22,000 bytes.
    """
    monkeypatch.setattr(limits, "KEPT_BYTES", 22_000)
    texts = sorted(
        sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1_000)
    )
    values = ValueRows(tuple(texts), np.full(1_000, 10**6))

    query_of_values = listed_values("city", values, ROW, neighbors=Neighbors.REPLACE_ONE)
    cost = Guarantee.approximate(1, Fraction(1, 10**6))

    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("survey", parse_budget("epsilon=1,delta=1e-6", Neighbors.REPLACE_ONE))
    passage = open_door(ledger, table="t", request="r", guarantee=cost)
    named_values = passage.select(query_of_values, cost)

    assert 50 < len(named_values) < 1_000
    assert list(named_values) == texts[: len(named_values)]


def test_the_threshold_knows_nothing_of_the_rows() -> None:
    """The threshold of listed counts is the same for few rows or a billion, under both
    relations.
    """
    thresholds = {
        open_door(Ledger(), neighbors)
        .measure(
            queries.large_histogram(counts_of_huge(rows), neighbors),
            DiscreteLaplace(Fraction(2)),
        )
        .threshold
        for rows in (0, 10, 10**9)
        for neighbors in Neighbors
    }

    assert len(thresholds) == 1


@pytest.mark.parametrize("size", [limits.LISTED_CELLS + 1, 10**9, 10**15, 10**40])
def test_about_as_many_empty_cells_as_declared_are_listed(size: int) -> None:
    """The threshold lets at most `SPURIOUS_CELLS` empty cells through, and is the least that
    does.

    Noise of that scale reaches t with probability e^(-t / scale) / (1 + e^(-1 / scale)). One
    step lower would let through more by the factor e^(1 / scale).
    """
    for scale in (Fraction(1, 5), Fraction(2), Fraction(50)):
        threshold = least_listed(size, scale)
        assert threshold is not None

        expected = size * math.exp(-threshold / scale) / (1 + math.exp(-1 / scale))
        largest = limits.SPURIOUS_CELLS * (1 + 1e-9)
        assert largest * math.exp(-1 / scale) <= expected <= largest or threshold == 1


def test_a_private_number_of_rows_gets_noise_and_a_price_of_its_own() -> None:
    """Where the number of rows is private, it gets noise and a share of epsilon of its own.

    The cells get 19/20 of epsilon 1. The number of rows gets 1/20, which is a noise scale of
    20; 20 times that is never exceeded in practice.
    """
    passage = open_door(Ledger(), Neighbors.ADD_REMOVE)
    cells, total = DiscreteLaplace(Fraction(20, 19)), DiscreteLaplace(Fraction(20))

    counts = counts_of_huge(10_000)
    rows = queries.rows(counts, Neighbors.ADD_REMOVE)
    histogram = queries.large_histogram(counts, Neighbors.ADD_REMOVE)

    measured = passage.measure(histogram, cells)
    noisy = NoisyCounts.read(HUGE, measured, passage.measure(rows, total))

    assert passage.spent == Guarantee.pure(1) == noisy.guarantee
    assert noisy.noisy_rows == noisy.total != 0
    assert abs(noisy.total - 10_005) < 20 * 20

    with pytest.raises(ReleaseError, match="more than is left"):
        passage.measure(rows, total)


def test_a_door_spends_a_rho_that_was_chosen(tmp_path: Path) -> None:
    """A door can spend a rho, and lets out no more than that.

    Each of two answers costs half of rho = 1/100; a third finds nothing left. Of the budget
    of 1/50 then 1/100 is left. A budget of epsilon refuses a rho.
    """
    ledger = Ledger(tmp_path / "l.db")
    ledger.set_budget("survey", parse_budget("rho=1/50,delta=1e-6", Neighbors.REPLACE_ONE))
    chosen = Guarantee.zcdp(parse_rho("0.01"))

    def opened(by: Ledger) -> Door:
        return Door(
            ledger=by,
            dataset="survey",
            neighbors=Neighbors.REPLACE_ONE,
            guarantee=chosen,
            purpose="answers",
        )

    passage = opened(ledger)
    squared = ask_histogram().sensitivity.squared_l2
    for share in share_out(chosen, [1, 1]):
        noise = DiscreteGaussian.for_rho(share.rho or 0, sensitivity2=squared)
        assert passage.measure(ask_histogram(), noise).guarantee == share

    assert passage.spent == chosen
    assert ledger.balance("survey").left == Fraction(1, 100)
    with pytest.raises(ReleaseError, match=r"more than is left of rho = 1/100 \(zCDP\)"):
        passage.measure(ask_histogram(), noise)

    assert opened(Ledger()).entry.guarantee == chosen
    with pytest.raises(
        LedgerError, match="The budget is an epsilon, but this release costs a rho"
    ):
        opened(ledger_with_budget(tmp_path / "epsilon.db"))

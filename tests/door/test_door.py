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
from synth.door.parts import Kept, Part
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


def counts(rows: int = 100) -> Counts:
    return Counts(domain=DOMAIN, cells=np.array([7]), counts=np.array([rows]), rows=rows)


def budgeted(path: Path) -> Ledger:
    ledger = Ledger(path)
    ledger.set_budget("survey", parse_budget("9", Neighbors.REPLACE_ONE))
    return ledger


def door(ledger: Ledger, neighbors: Neighbors = Neighbors.REPLACE_ONE, **more: Any) -> Door:
    return Door(
        ledger=ledger,
        dataset="survey",
        neighbors=neighbors,
        guarantee=more.pop("guarantee", Guarantee.pure(1)),
        purpose="histogram",
        **more,
    )


def query(neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Query:
    return queries.histogram(counts(), neighbors)


def measure(neighbors: Neighbors, rows: int = 100) -> NoisyCounts:
    mechanism = DiscreteLaplace.for_epsilon(1, sensitivity=neighbors.sensitivity)
    asked = queries.histogram(counts(rows), neighbors)
    measured = door(Ledger(), neighbors).measure(asked, mechanism)
    return NoisyCounts.read(DOMAIN, measured)


def test_every_cell_gets_noise_the_empty_ones_too() -> None:
    values = measure(Neighbors.REPLACE_ONE).values
    assert values.shape == (CELLS,)
    # P(noise of scale 2 is 0) is .245: the number of zeros is binomial, here within 7 sd.
    assert abs((values == 0).sum() - 0.2449 * CELLS) < 7 * np.sqrt(0.185 * CELLS)
    assert (values < 0).any()
    assert not values.flags.writeable


def test_the_number_of_rows_leaves_only_where_it_is_public() -> None:
    assert measure(Neighbors.REPLACE_ONE).rows == 100
    noisy = measure(Neighbors.ADD_REMOVE)
    assert noisy.rows is None
    assert noisy.total == max(0, noisy.values.sum())


def test_the_ledger_line_is_written_before_any_noise_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.sqlite"
    seen: list[int] = []

    def watched(_: DiscreteLaplace, values: Any) -> Any:
        rows = (
            sqlite3.connect(path)
            .execute("SELECT count(*) FROM events WHERE kind = 'spend'")
            .fetchone()
        )
        seen.append(rows[0])
        return values

    monkeypatch.setattr(DiscreteLaplace, "release", watched)
    door(budgeted(path)).measure(query(), DiscreteLaplace(Fraction(2)))
    assert seen == [1]


def test_nothing_is_drawn_when_the_ledger_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = budgeted(tmp_path / "ledger.sqlite")
    ledger.close()
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: pytest.fail("noise was drawn"))
    with pytest.raises(LedgerError, match="cannot be written, so nothing was released"):
        door(ledger).measure(query(), DiscreteLaplace(Fraction(2)))


def test_what_cannot_be_paid_is_refused_before_it_is_charged() -> None:
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
            door(ledger, costs=costs)
    assert ledger.entries() == []
    door(ledger, costs=[half, third])
    assert len(ledger.entries()) == 1


def test_no_more_leaves_than_was_charged() -> None:
    half = DiscreteLaplace(Fraction(4))
    passage = door(Ledger())
    passage.measure(query(), half)
    passage.measure(query(), half)
    with pytest.raises(ReleaseError, match="more than is left of epsilon = 1"):
        passage.measure(query(), half)
    with pytest.raises(ReleaseError, match="more than is left"):
        door(Ledger()).measure(query(), DiscreteLaplace(Fraction(199, 100)))


def test_less_noise_costs_the_difference(tmp_path: Path) -> None:
    """Also for whoever asks the same again, or goes on after the first answer."""
    louder, quieter = DiscreteLaplace(Fraction(8)), DiscreteLaplace(Fraction(2))
    request: dict[str, Any] = {"table": "t", "request": "r"}
    ledger = budgeted(tmp_path / "ledger.sqlite")
    asked = query()
    first = door(ledger, **request).measure(asked, louder)
    for _ in range(2):
        passage = door(ledger, **request)
        assert np.array_equal(passage.measure(asked, louder).values, first.values)
        assert passage.spent == Guarantee.pure(Fraction(1, 4))
        found = passage.reduce_noise(asked, quieter)
        assert (found.guarantee, found.mechanism) == (Guarantee.pure(1), quieter)
        assert passage.spent == Guarantee.pure(1)
    assert len(ledger.entries()) == 1
    off = [np.abs(one.values - asked.values()).mean() for one in (first, found)]
    assert 7 < off[0] < 9
    assert 1.7 < off[1] < 2.2
    passage = door(Ledger())
    passage.measure(asked, louder)
    with pytest.raises(ReleaseError, match="more than is left of epsilon = 1"):
        passage.reduce_noise(asked, DiscreteLaplace(Fraction(199, 100)))


def test_noise_is_reduced_only_where_that_is_free_of_more() -> None:
    loud, quiet = DiscreteLaplace(Fraction(8)), DiscreteLaplace(Fraction(4))
    passage, asked = door(Ledger()), query()
    passage.measure(asked, quiet)
    measured = "only of a histogram that it has measured"
    for other, mechanism, why in (
        (query(), DiscreteLaplace(Fraction(3)), measured),
        (asked, loud, "only to a smaller scale"),
        (asked, quiet, "only to a smaller scale"),
    ):
        with pytest.raises(ReleaseError, match=why):
            passage.reduce_noise(other, mechanism)
    with pytest.raises(ReleaseError, match=measured):
        door(Ledger()).reduce_noise(asked, DiscreteLaplace(Fraction(3)))
    assert passage.spent == Guarantee.pure(Fraction(1, 2))
    large = queries.large_histogram(huge(90), Neighbors.REPLACE_ONE)
    passage = door(Ledger())
    passage.measure(large, loud)
    with pytest.raises(ReleaseError, match=measured):
        passage.reduce_noise(large, quiet)
    claim, gaussian = (
        Guarantee.approximate(1, Fraction(1, 10**6)),
        DiscreteGaussian(Fraction(99)),
    )
    passage = door(Ledger(), guarantee=claim)
    passage.measure(asked, gaussian)
    with pytest.raises(ReleaseError, match="reduces Laplace noise only"):
        passage.reduce_noise(asked, quiet)


def test_a_ledger_outlives_its_process_and_is_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    for _ in range(2):
        door(budgeted(path))
    entries = Ledger(path).entries()
    assert [entry.number for entry in entries] == [2, 3], "after the budget"
    assert entries[0].guarantee == Guarantee.pure(1)
    assert entries[0].neighbors == "replace-one"


def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("this is no database, and it is long enough to be seen as none" * 20)
    with pytest.raises(LedgerError, match=r"ledger 'notes.txt' cannot be used: the file is"):
        Ledger(path)


def test_what_a_ledger_may_not_hold_is_refused_before_noise_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every try, and whatever the values: by the length of the answer alone."""
    monkeypatch.setattr(limits, "KEPT_BYTES", 8 * CELLS)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: pytest.fail("noise was drawn"))
    for _ in range(2):
        passage = door(budgeted(tmp_path / "ledger.sqlite"), table="t", request="r")
        with pytest.raises(
            ReleaseError, match="too large to be kept in a ledger; coarsen the"
        ):
            passage.measure(query(), DiscreteLaplace(Fraction(2)))
        assert passage.spent is None


def test_any_numbers_that_have_room_are_kept(tmp_path: Path, monkeypatch: Any) -> None:
    """Such as cannot be compressed, to the last byte."""
    monkeypatch.setattr(limits, "KEPT_BYTES", 3_000_000)
    ledger = budgeted(tmp_path / "ledger.sqlite")
    kept = Kept(ledger, door(ledger).entry)
    about = {"query": "histogram" * 100}
    words = kept.room(about) // 8
    for arrays in (
        {"values": bits.bits(8 * words)},
        {"cells": bits.bits(8 * (words // 2)), "values": bits.bits(8 * (words // 2))},
    ):
        part = Part(
            about, {name: np.frombuffer(one, np.int64) for name, one in arrays.items()}
        )
        assert 0.98 * limits.KEPT_BYTES < len(part.pack()) <= limits.KEPT_BYTES


HUGE = Domain(tuple(Integer(name=n, minimum=1, maximum=10**4, bins=10**4) for n in "abcdef"))


def huge(rows: int) -> Counts:
    """A few occupied cells of a universe of 10^24, one of them with most of the rows."""
    cells = number_cells([np.array([0, 9999, 5])] * 6, HUGE.shape)
    return Counts(
        domain=HUGE, cells=np.sort(cells), counts=np.array([rows, 2, 3]), rows=rows + 5
    )


def test_a_large_universe_is_listed_from_a_public_threshold_up() -> None:
    asked = queries.large_histogram(huge(1_000), Neighbors.REPLACE_ONE)
    noisy = NoisyCounts.read(
        HUGE, door(Ledger()).measure(asked, DiscreteLaplace(Fraction(2)))
    )
    assert noisy.threshold == least_listed(HUGE.size, Fraction(2)) == 87
    assert noisy.values.min() >= 87
    assert 50_000 < len(noisy.values) < 150_000
    assert (np.sort(noisy.cells) == noisy.cells).all()
    assert abs(noisy.values[0] - 1_000) < 60  # the first cell of all holds the thousand rows
    assert not noisy.values.flags.writeable


def test_of_more_cells_than_a_ledger_holds_the_largest_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The threshold rises by the noisy counts, and the same request finds the same again."""
    monkeypatch.setattr(limits, "KEPT_BYTES", 500_000)
    asked = queries.large_histogram(huge(1_000), Neighbors.REPLACE_ONE)
    first, again = (
        door(budgeted(tmp_path / "ledger.sqlite"), table="t", request="r").measure(
            asked, DiscreteLaplace(Fraction(2))
        )
        for _ in range(2)
    )
    noisy, same = NoisyCounts.read(HUGE, first), NoisyCounts.read(HUGE, again)
    assert noisy.values.tolist() == same.values.tolist()
    assert noisy.threshold == same.threshold
    assert 87 < (noisy.threshold or 0) <= noisy.values.min()
    assert 1_000 < len(noisy.values) < 500_000 / 24
    assert abs(noisy.values[0] - 1_000) < 60


def test_of_more_values_than_a_ledger_holds_the_first_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KEPT_BYTES", 22_000)
    texts = sorted(
        sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1_000)
    )
    values = ValueRows(tuple(texts), np.full(1_000, 10**6))
    asked = listed_values("city", values, ROW, neighbors=Neighbors.REPLACE_ONE)
    cost = Guarantee.approximate(1, Fraction(1, 10**6))
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("survey", parse_budget("epsilon=1,delta=1e-6", Neighbors.REPLACE_ONE))
    passage = door(ledger, table="t", request="r", guarantee=cost)
    named = passage.select(asked, cost)
    assert 50 < len(named) < 1_000
    assert list(named) == texts[: len(named)]


def test_the_threshold_knows_nothing_of_the_rows() -> None:
    found = {
        door(Ledger(), n)
        .measure(queries.large_histogram(huge(rows), n), DiscreteLaplace(Fraction(2)))
        .threshold
        for rows in (0, 10, 10**9)
        for n in Neighbors
    }
    assert len(found) == 1


@pytest.mark.parametrize("size", [limits.LISTED_CELLS + 1, 10**9, 10**15, 10**40])
def test_about_as_many_empty_cells_as_declared_are_listed(size: int) -> None:
    for scale in (Fraction(1, 5), Fraction(2), Fraction(50)):
        threshold = least_listed(size, scale)
        assert threshold is not None
        expected = size * math.exp(-threshold / scale) / (1 + math.exp(-1 / scale))
        most = limits.SPURIOUS_CELLS * (1 + 1e-9)
        assert most * math.exp(-1 / scale) <= expected <= most or threshold == 1


def test_a_private_number_of_rows_gets_noise_and_a_price_of_its_own() -> None:
    passage = door(Ledger(), Neighbors.ADD_REMOVE)
    cells, total = DiscreteLaplace(Fraction(20, 19)), DiscreteLaplace(Fraction(20))
    ask, rows = queries.large_histogram, queries.rows(huge(10_000), Neighbors.ADD_REMOVE)
    measured = passage.measure(ask(huge(10_000), Neighbors.ADD_REMOVE), cells)
    noisy = NoisyCounts.read(HUGE, measured, passage.measure(rows, total))
    assert passage.spent == Guarantee.pure(1) == noisy.guarantee
    assert noisy.noisy_rows == noisy.total != 0
    assert abs(noisy.total - 10_005) < 20 * 20
    with pytest.raises(ReleaseError, match="more than is left"):
        passage.measure(rows, total)


def test_a_door_spends_a_rho_that_was_chosen(tmp_path: Path) -> None:
    """Half of rho = 1/100 on each of two answers; the third finds nothing left."""
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

    passage, squared = opened(ledger), query().sensitivity.squared_l2
    for share in share_out(chosen, [1, 1]):
        noise = DiscreteGaussian.for_rho(share.rho or 0, sensitivity2=squared)
        assert passage.measure(query(), noise).guarantee == share
    assert passage.spent == chosen
    assert ledger.balance("survey").left == Fraction(1, 100)
    with pytest.raises(ReleaseError, match=r"more than is left of rho = 1/100 \(zCDP\)"):
        passage.measure(query(), noise)
    assert opened(Ledger()).entry.guarantee == chosen
    with pytest.raises(
        LedgerError, match="The budget is an epsilon, but this release costs a rho"
    ):
        opened(budgeted(tmp_path / "epsilon.db"))

"""Parts in parallel: their order, and what happens where one of them fails."""

import threading

import numpy as np
import pytest

from synth import limits
from synth.errors import ArgumentError, LimitError
from synth.util import each_part, small_products
from synth.util.workers import SmallProducts


@pytest.mark.parametrize("workers", [1, 2, 4, 50])
def test_results_keep_the_order_of_the_parts(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setenv("SYNTH_WORKERS", str(workers))
    assert list(each_part(lambda part: -part, range(9))) == [-part for part in range(9)]
    assert list(each_part(lambda part: -part, [])) == []
    assert list(each_part(lambda part: -part, [5])) == [-5]


def test_two_parts_are_at_work_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_WORKERS", "2")
    both = threading.Barrier(2, timeout=60)
    assert len(list(each_part(lambda _: both.wait(), range(2)))) == 2


def test_parts_are_asked_for_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_WORKERS", "2")
    asked: list[int] = []

    def parts():
        for part in range(100):
            asked.append(part)
            yield part

    results = each_part(lambda part: part, parts())
    assert next(results) == 0
    assert len(asked) <= 4
    results.close()


def test_a_part_without_memory_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_WORKERS", "2")

    def work(part: int) -> int:
        if part == 3:
            raise MemoryError
        return part

    done = []
    with pytest.raises(LimitError, match=r"^Synth ran out of memory .* Repeat the request"):
        done.extend(each_part(work, range(1000)))
    assert threading.active_count() < 20


def test_a_fault_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        list(each_part(lambda part: 1 // part, [1, 0]))


def test_no_workers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_WORKERS", "0")
    with pytest.raises(ArgumentError, match=r"^SYNTH_WORKERS must be a whole number of at least 1"):
        list(each_part(lambda part: part, [1]))
    monkeypatch.delenv("SYNTH_WORKERS")
    assert 1 <= limits.workers() <= limits.WORKERS


def test_small_products_have_one_thread_while_anybody_asks() -> None:
    before = small_products.threads
    with small_products.single_threaded():
        with small_products.single_threaded():
            assert small_products.threads in (0, 1)
        assert small_products.threads in (0, 1)
    assert small_products.threads == before
    with pytest.raises(ZeroDivisionError), small_products.single_threaded():
        assert 1 // 0
    assert small_products.threads == before


def test_products_are_the_same_in_one_thread_or_many() -> None:
    left, right = np.random.default_rng(0).normal(size=(2, 300, 300)).astype(np.float32)
    whole = left @ right
    with small_products.single_threaded():
        assert (left @ right == whole).all()


def test_another_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    other = SmallProducts()
    monkeypatch.setitem(other.__dict__, "_library", object())
    assert other.threads == 0
    with other.single_threaded():
        assert other.threads == 0

"""Parts in parallel: their order, and what happens where one of them fails."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from synth import limits
from synth.errors import ArgumentError, LimitError
from synth.util import each_part, one_thread
from synth.util.workers import OneThread
from tests.processes import run


@pytest.mark.parametrize("workers", [1, 2, 4, 50])
def test_results_keep_the_order_of_the_parts(
    monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Results come in the order of the parts, however many threads work on them.

    That also holds for no part at all and for a single one.
    """
    monkeypatch.setenv("SYNTH_WORKERS", str(workers))
    assert list(each_part(lambda part: -part, range(9))) == [-part for part in range(9)]
    assert list(each_part(lambda part: -part, [])) == []
    assert list(each_part(lambda part: -part, [5])) == [-5]


def test_two_parts_are_at_work_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two workers two parts run at the same time.

    Each waits at a barrier until the other is there as well; one after the other they would
    time out.
    """
    monkeypatch.setenv("SYNTH_WORKERS", "2")
    both = threading.Barrier(2, timeout=60)
    assert len(list(each_part(lambda _: both.wait(), range(2)))) == 2


def test_parts_are_asked_for_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are taken from their source only when a thread is free.

    With two workers at most 4 of 100 parts have been taken when the first result is there.
    """
    monkeypatch.setenv("SYNTH_WORKERS", "2")
    started_parts: list[int] = []

    def start_parts() -> Iterator[int]:
        for part in range(100):
            started_parts.append(part)
            yield part

    results = each_part(lambda part: part, start_parts())
    assert next(results) == 0
    assert len(started_parts) <= 4
    results.close()


def test_a_part_without_memory_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a part runs out of memory, the task ends with one sentence, and its threads end.

    Threads that are not of this test may be there as well, for which 20 leaves room.
    """
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
    """SYNTH_WORKERS=0 is refused; without the variable the number is from 1 up to a limit."""
    monkeypatch.setenv("SYNTH_WORKERS", "0")
    with pytest.raises(
        ArgumentError, match=r"^SYNTH_WORKERS must be a whole number of at least 1"
    ):
        list(each_part(lambda part: part, [1]))
    monkeypatch.delenv("SYNTH_WORKERS")
    assert 1 <= limits.workers() <= limits.WORKERS


def test_there_is_one_thread_while_anybody_asks() -> None:
    """Within a block of `one_thread`, linear algebra has one thread, until the outermost
    block ends.

    The former number comes back, also after an error. 0 means that NumPy has another library,
    whose threads are not set.
    """
    before = one_thread.threads
    with one_thread:
        with one_thread:
            assert one_thread.threads in (0, 1)
        assert one_thread.threads in (0, 1)
    assert one_thread.threads == before
    with pytest.raises(ZeroDivisionError), one_thread:
        assert 1 // 0
    assert one_thread.threads == before


@one_thread
def count_threads() -> int:
    """The threads of a function that it decorates."""
    return one_thread.threads


# A program that prints digests of some products, before, in and after a block of one thread.
SAY_PRODUCTS = """
import sys
import numpy as np
from hashlib import sha256
from synth.util import one_thread

def say_products():
    left, right = np.random.default_rng(0).normal(size=(2, 300, 300)).astype(np.float32)
    wide = left.astype(float)
    print(one_thread.threads, *(sha256(np.ascontiguousarray(made)).hexdigest() for made in (
        left @ right, left @ left.T, wide @ wide.T, wide.ravel() @ wide.ravel(),
        np.linalg.inv(wide),
    )))

one_thread.threads = int(sys.argv[1])
say_products()
with one_thread:
    say_products()
say_products()
"""


def test_products_do_not_depend_on_the_threads_of_the_machine() -> None:
    """Products of matrices are the same to the last bit with one thread and with two.

    Each number of threads has a process of its own, however many processors there are. In a
    block of `one_thread` both print what the process with one thread prints outside of it.
    """
    answers_by_threads = {}
    for threads in (1, 2):
        settings = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
        done = run(SAY_PRODUCTS, threads, **settings)
        assert not done.stderr
        answers_by_threads[threads] = [line.split() for line in done.stdout.splitlines()]

    before, inside, after = zip(*answers_by_threads.values(), strict=True)
    # A line is the number of threads, 0 without OpenBLAS behind NumPy, and five digests.
    other_library = before[0][0] == "0"
    assert [line[0] for line in before] == (["0"] * 2 if other_library else ["1", "2"])
    assert before == after
    assert inside == (before[0],) * 2


@pytest.mark.slow
def test_a_decorated_function_has_one_thread() -> None:
    """A function decorated with `one_thread` runs with one thread, and the two of before come
    back.

    All three numbers are 0 if the library behind NumPy is not OpenBLAS.
    """
    code = "from tests.util.test_workers import *\n"
    code += "one_thread.threads = 2\n"
    code += "print(one_thread.threads, count_threads(), one_thread.threads)"
    done = run(code)
    assert done.stdout.split() in (["2", "1", "2"], ["0", "0", "0"]), done.stderr


def test_blocks_of_several_threads_of_a_program_end_in_any_order() -> None:
    """If several threads of a program are in a block at once, the last to leave restores the
    number.

    The barrier makes both be inside at the same time.
    """
    before, inside = one_thread.threads, threading.Barrier(2, timeout=60)

    def work(_: int) -> int:
        with one_thread:
            inside.wait()
            return one_thread.threads

    with ThreadPoolExecutor(2) as pool:
        assert {*pool.map(work, range(2))} <= {0, 1}
    assert one_thread.threads == before


def test_another_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another library behind NumPy, a block changes nothing: the number of threads is
    unknown.

    An object without the functions of OpenBLAS takes the place of the library.
    """
    threads_of_another_library = OneThread()
    monkeypatch.setitem(threads_of_another_library.__dict__, "_library", object())
    assert threads_of_another_library.threads == 0
    with threads_of_another_library:
        assert threads_of_another_library.threads == 0

"""Rows that Spark's workers draw, settle and write: those that threads draw, byte for
byte.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pytest

import synth
from synth import limits
from synth.bundle import PARTED, SYNTHETIC
from synth.cli.main import main
from synth.domain import write_schema
from synth.door import Ledger
from synth.errors import ArgumentError, LimitError
from synth.estimate import Favour, Order, PartedRows, SparkRows, check_workers, read_rules
from synth.estimate.models import large_rows, spark_rows
from synth.estimate.models.large_rows import blank
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.private.counting import Engine, connect
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import follow
from synth.spending import place_of, synthesize, synthesize_parts
from synth.util import SmallCodes
from synth.verification import verify
from tests.house.test_lanes import LANES
from tests.models.doors import SHAPE, hold_rows, make_domain, open_door
from tests.models.test_large_rows import FINE, RULES, plan_one_shot
from tests.models.test_pieces import make_mixture
from tests.processes import run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark", "whole_fits")]


def place_on_spark(
    rows: int, shape: tuple[int, ...], generator: np.random.Generator
) -> SparkRows:
    return SparkRows(connect().sparkContext, rows, shape, generator=generator)


@pytest.fixture(autouse=True)
def check_spark_workers() -> None:
    check_workers(connect().sparkContext)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine thousand rows are many, in five parts, and three pieces that end elsewhere."""
    monkeypatch.setattr(large_rows, "PART_ROWS", 2_000)
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 3_500)


def start_and_bytes(start: int, codes: SmallCodes) -> tuple[int, bytes]:
    return start, np.ascontiguousarray(codes).tobytes()


def draw_rows(strategy: Method, place: Any, codes: SmallCodes, **order: Any) -> PartedRows:
    """Rows that a strategy comes to."""
    door = open_door(FINE, Neighbors.REPLACE_ONE)
    session = Session(
        hold_rows(codes, SHAPE),
        door,
        task=ModelTask(rules=read_rules(RULES, make_domain(SHAPE))),
    )
    requested = Order(strategy=strategy, place=place, **order)
    return follow(session, requested, np.random.default_rng(0)).drawn


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        (Method.ONE_SHOT, {}),
        (Method.ONE_SHOT, {"favour": Favour.ASSOCIATIONS, "rows": 11_111}),
        (Method.INDEPENDENT, {}),
        (Method.TREE, {}),
        (Method.HISTOGRAM, {}),
        (Method.GROUPS, {"groups": ((0, 1), (2, 4))}),
    ],
)
def test_workers_draw_and_settle_what_threads_do(strategy: Method, order: Any) -> None:
    """Spark's workers draw and settle the same rows, byte for byte, as threads of this
    process.

    Rows are drawn in parts of 2,000 and read in pieces of 3,500, which end elsewhere.
    """
    codes = make_mixture(rows=9_000)[0]
    codes[:, 4] = np.minimum(codes[:, 0], 4)  # a column that follows another
    codes = codes[~((codes[:, 0] == 1) & np.isin(codes[:, 2], [0, 3]))]  # as RULES demand

    tables: list[PartedRows] = []
    for place in (large_rows.place_here, place_on_spark):
        # The same noise for both, as the door's noise is from the system's randomness.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("synth.noise.bits.bits", np.random.default_rng(3).bytes)
            tables.append(draw_rows(strategy, place, codes, **order))

    here, there = tables
    assert isinstance(there, SparkRows)
    assert here.rows == there.rows
    assert here.each_piece(3_500, start_and_bytes) == there.each_piece(3_500, start_and_bytes)
    counts, counts_there = here.count([(0,), (1, 3)]), there.count([(0,), (1, 3)])
    assert all((counts[clique] == counts_there[clique]).all() for clique in counts)


@pytest.mark.parametrize("rows", [0, 1, 2, 1_999, 3_500, 3_501, 7_001])
@pytest.mark.parametrize("size", [700, 3_500])
def test_pieces_and_parts_of_any_number_of_rows(rows: int, size: int) -> None:
    """For any number of rows, workers and threads fill a table alike, and its pieces hold
    each row once.

    Parts have 2,000 rows. The first column follows from the second, whose 300 cells need
    codes of two bytes.
    """
    shape, pieces_and_counts = (3, 300), []
    for place in (large_rows.place_here, place_on_spark):
        table = place(rows, shape, np.random.default_rng(5))
        table.fill([0, 1], lambda count, generator: generator.integers(0, shape, (count, 2)))
        table.follow(0, 1, lambda leader, _: leader % 3)
        pieces = table.each_piece(size, start_and_bytes)
        assert [start for start, _ in pieces] == list(range(0, max(1, rows), size))
        pieces_and_counts.append((pieces, table.count([(0, 1)])[0, 1].tolist()))
    assert pieces_and_counts[0] == pieces_and_counts[1]

    assert blank(rows, shape).dtype == np.uint16
    columns, bytes_of_a_code = 2, 2
    bytes_of_pieces = sum(len(piece) for _, piece in pieces_and_counts[1][0])
    assert bytes_of_pieces == columns * bytes_of_a_code * rows


@pytest.fixture
def release(tmp_path: Path) -> tuple[Plan, Path, Ledger]:
    return plan_one_shot(tmp_path)


def read_files(folder: Path) -> dict[str, bytes]:
    """All that is in a folder, by path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def read_parts(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / SYNTHETIC).iterdir()))


def test_a_release_is_the_same_with_any_number_of_threads_and_on_spark(
    release: tuple[Plan, Path, Ledger], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release in parts has the same files with 1, 2 or 4 threads and on Spark, and its
    parts put together are the one file of an ordinary release.

    The ledger repeats the noise without a new spend. Verification gives the same checks.
    """
    plan, table, ledger = release
    one_file = synthesize(plan, table, ledger=ledger).write(tmp_path / "whole")[SYNTHETIC]
    spent = ledger.balance(plan.dataset).spent
    for workers in ("1", "2", "4"):
        monkeypatch.setenv("SYNTH_WORKERS", workers)
        release_in_parts = synthesize_parts(plan, table, ledger=ledger)
        release_in_parts.write(tmp_path / workers, PARTED, ledger)

    place = place_of(Engine.SPARK, folder=tmp_path)
    release_in_parts = synthesize_parts(
        plan, table, ledger=ledger, engine=Engine.SPARK, place=place
    )
    assert isinstance(release_in_parts.drawn, SparkRows)
    release_in_parts.write(tmp_path / "spark", PARTED, ledger)

    expected = read_files(tmp_path / "1")
    assert len(list((tmp_path / "spark" / SYNTHETIC).iterdir())) == 3
    assert all(read_files(tmp_path / name) == expected for name in ("2", "4", "spark"))
    assert read_parts(tmp_path / "spark") == one_file.read_bytes()
    assert ledger.balance(plan.dataset).spent == spent

    checks = verify(tmp_path / "spark", ledger, redraw=True, place=place).checks
    assert checks == verify(tmp_path / "1", ledger, redraw=True).checks
    assert any(check.startswith("All 3 parts are the same") for check in checks)


@pytest.mark.parametrize("rows", [1, 40])
def test_few_rows_are_drawn_here_and_are_one_part(
    release: tuple[Plan, Path, Ledger], tmp_path: Path, rows: int
) -> None:
    """A release of few rows on Spark is one part, the same bytes as an ordinary release, and
    verifies.
    """
    plan, table, ledger = release
    plan_of_few_rows = Plan(
        domain=plan.domain,
        epsilon=Fraction(5),
        method=plan.method,
        dataset="table",
        rows=rows,
    )
    place = place_of(Engine.SPARK, folder=tmp_path)
    release_in_parts = synthesize_parts(plan_of_few_rows, table, ledger=ledger, place=place)
    release_in_parts.write(tmp_path / "spark")

    one_file = synthesize(plan_of_few_rows, table, ledger=ledger).write(tmp_path / "whole")[
        SYNTHETIC
    ]
    assert read_parts(tmp_path / "spark") == one_file.read_bytes()
    assert len(one_file.read_text().splitlines()) == rows + 1
    assert "All 1 parts" in " ".join(
        verify(tmp_path / "spark", redraw=True, place=place).confirmed
    )


def end_worker(start: int, codes: SmallCodes, work: Callable[[int, SmallCodes], Any]) -> Any:
    """In the place of what writes a piece: one worker ends."""
    return os._exit(1) if start else work(start, codes)


def fill_disk(start: int, codes: SmallCodes, work: Callable[[int, SmallCodes], Any]) -> Any:
    """In the place of what writes a piece: a disk has no room."""
    result = work(start, codes)
    if start:
        raise OSError(28, "No space left on device")
    return result


@pytest.mark.parametrize("ends", [end_worker, fill_disk])
def test_a_worker_that_ends_leaves_no_half_table_and_keeps_what_was_paid(
    release: tuple[Plan, Path, Ledger],
    tmp_path: Path,
    ends: Callable[..., Any],
) -> None:
    """If a worker ends or its disk is full, no file is left, and the release can be written
    later without a new spend.

    `ends` takes the place of what writes a piece: `end_worker` ends the process, `fill_disk`
    raises the error of a full disk.
    """
    plan, table, ledger = release
    place = place_of(Engine.SPARK, folder=tmp_path)
    release_in_parts = synthesize_parts(plan, table, ledger=ledger, place=place)
    spent, before = ledger.balance(plan.dataset).spent, sorted(tmp_path.iterdir())

    each_piece = SparkRows.each_piece
    with patch.object(
        SparkRows,
        "each_piece",
        lambda self, size, work: each_piece(self, size, partial(ends, work=work)),
    ):
        with pytest.raises(
            LimitError, match=r"^Spark's workers could not finish .* repeat the"
        ):
            release_in_parts.write(tmp_path / "out", ledger=ledger)
    assert sorted(tmp_path.iterdir()) == before

    repeated_release = synthesize_parts(plan, table, ledger=ledger, place=place)
    repeated_release.write(tmp_path / "out", ledger=ledger)
    assert repeated_release.repeated
    assert ledger.balance(plan.dataset).spent == spent
    one_file = synthesize(plan, table, ledger=ledger).write(tmp_path / "whole")[SYNTHETIC]
    assert read_parts(tmp_path / "out") == one_file.read_bytes()


def test_a_worker_that_ends_while_rows_settle(release: tuple[Plan, Path, Ledger]) -> None:
    """If a worker ends while rows are settled, the release is refused, the epsilon of 5 stays
    spent once, and the release can be repeated.
    """
    plan, table, ledger = release
    place = place_of(Engine.SPARK)
    with patch.object(large_rows, "_settle", partial(os._exit, 1)):
        with pytest.raises(LimitError, match=r"^Spark's workers could not finish"):
            synthesize_parts(plan, table, ledger=ledger, place=place)
    assert ledger.balance(plan.dataset).spent == 5
    assert synthesize_parts(plan, table, ledger=ledger, place=place).repeated


def test_workers_that_are_not_like_this_process_are_refused(tmp_path: Path) -> None:
    """Workers are refused that cannot write to the folder of the release, or that have other
    versions of the packages that rows depend on.
    """
    with pytest.raises(
        ArgumentError, match=r"workers cannot write to .* that all of them see"
    ):
        place_of(Engine.SPARK, folder=tmp_path / "elsewhere")
    with patch.object(spark_rows, "version", lambda name: f"{name} of another day"):
        with pytest.raises(
            ArgumentError, match=r"^Spark's workers need synth .* rows depend on"
        ):
            place_of(Engine.SPARK, folder=tmp_path)


def test_from_the_command_line(
    release: tuple[Plan, Path, Ledger], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`synth release --engine spark --in-parts` writes a table in parts, and `synth verify`
    draws them again.

    The table has 9,000 rows, three parts.
    """
    plan, table, _ = release
    schema = tmp_path / "d.json"
    schema.write_text(json.dumps(write_schema(plan.domain)))
    command = ["release", table, "--domain", schema, "--epsilon", 5, "--method", "one-shot"]
    command += ["--engine", "spark", "--no-ledger", "--in-parts", "--out", tmp_path / "out"]
    assert main([str(word) for word in command]) == 0
    assert "9,000 rows, epsilon 5." in capsys.readouterr().out

    verification = ["verify", str(tmp_path / "out"), "--engine", "spark", "-v"]
    assert main(verification) == 0
    assert "All 3 parts are the same" in capsys.readouterr().out


@pytest.mark.parametrize("strategy", [Method.ONE_SHOT, Method.TREE, Method.HISTOGRAM])
def test_what_workers_are_handed_is_public(strategy: Method) -> None:
    """Neither rows, exact counts, queries nor the door are in what is sent to Spark's
    workers.

    `Listening` pickles all that a step would send. The names of modules in these bytes must
    not be those of the private lane or the door.
    """
    from pyspark import cloudpickle

    sent: list[bytes] = []

    class Listening(large_rows.LargeRows):
        def change(
            self, step: large_rows.Step, generators: list[np.random.Generator]
        ) -> None:
            sent.append(cloudpickle.dumps((step, generators)))
            super().change(step, generators)

    def place(rows: int, shape: tuple[int, ...], generator: np.random.Generator) -> Listening:
        return Listening(blank(rows, shape), shape, generator)

    codes = make_mixture(rows=9_000)[0]
    draw_rows(strategy, place, codes[codes[:, 0] != 1])

    names = {name for pickled in sent for name in re.findall(rb"synth\.[a-z_.]+", pickled)}
    assert b"synth.estimate.models.large_rows" in names
    private = {
        f"synth.{name}".encode() for lane in ("private", "door") for name in LANES[lane]
    }
    assert not [
        name
        for name in names
        for module in private
        if name == module or name.startswith(module + b".")
    ]
    # Private rows would be seen in this way.
    assert cloudpickle.dumps(hold_rows(codes, SHAPE)).count(b"synth.private.counting")


LITTLE = """
import os, sys
from functools import partial
from pathlib import Path
import numpy as np
from pyspark import TaskContext
from synth.private.counting.spark import connect
from synth.estimate.models.large_rows import place_here
from synth.estimate.models.spark_rows import SparkRows, check_workers

def draw(rows, own):
    return own.integers(0, (200, 200, 200, 200), (rows, 4))

def dying(leader, own):
    if TaskContext.get().attemptNumber() == 0:
        os._exit(1)
    return leader[::-1]

def size(start, codes):
    return start, codes.tobytes().count(b"7")

context = connect().sparkContext
check_workers(context)
made = []
backwards = lambda leader, own: leader[::-1]
for way, follow in ((place_here, backwards), (partial(SparkRows, context), dying)):
    rows = way(4_000_000, (200,) * 4, np.random.default_rng(1))
    rows.fill(range(4), draw)
    rows.follow(0, 3, follow)
    made.append((rows.each_piece(100_000, size), rows.count([(0,)])[0,].tolist()))
print(made[0] == made[1])
"""


def test_a_worker_that_ends_once_is_replaced_and_little_comes_back(tmp_path: Path) -> None:
    """A worker that ends once is replaced, and rows do not come back to this process.

    `LITTLE` draws 4 million rows here and on Spark, where workers end at their first attempt,
    and prints whether both agree. The rows are 16 MB; Spark itself refuses results of more
    than 1 MB.
    """
    arguments = "--master local[2,3] --conf spark.driver.maxResultSize=1m pyspark-shell"
    process = run(LITTLE, folder=tmp_path, PYSPARK_SUBMIT_ARGS=arguments)
    assert process.stdout.splitlines()[-1] == "True"


def test_rows_of_earlier_steps_are_not_kept() -> None:
    """A table on Spark keeps the rows of its last step only: filling it again and again keeps
    no more.

    Spark forgets those of other tests when it likes, so only new ones are counted.
    """
    context = connect().sparkContext
    before = set(context._jsc.getPersistentRDDs())

    def count_kept_rows() -> Iterator[int]:
        table = SparkRows(context, 9_000, (3,), generator=np.random.default_rng(1))
        for _ in range(4):
            table.fill([0], lambda size, generator: generator.integers(0, 3, (size, 1)))
            table.count([(0,)])
            yield len(set(context._jsc.getPersistentRDDs()) - before)

    first, *later = count_kept_rows()
    assert first > 0
    assert later == [first] * 3


def test_workers_find_the_package_from_any_folder(tmp_path: Path) -> None:
    """A worker imports this copy of Synth, also where it is not installed."""
    context = Mock(master="local[2]", environment={})
    spark_rows._prepare(context)
    found = subprocess.run(
        [sys.executable, "-c", "import synth; print(synth.__file__)"],
        cwd=tmp_path,
        env={"PYTHONPATH": context.environment["PYTHONPATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == synth.__file__

"""The limits whoever runs a server sets: rows, memory, time, uploads; and stopping a
release.
"""

import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Source
from pages.ui.shell.release_job import ReleaseJob
from synth import limits
from synth.door import Door, Ledger
from synth.errors import ArgumentError, LimitError, SynthError
from synth.plans import Method, Plan
from synth.privacy import parse_budget
from synth.private.counting import DuckDB, one_reading
from synth.private.counting.statements import Statement
from synth.private.table import open_table
from synth.spending import pipeline, synthesize
from synth.util import Watch
from tests.app.steward import error_texts, visit
from tests.patience import SECONDS
from tests.tables import MIXED, ROWS, write

# A histogram of all cells, and a model of pairs of columns.
BOTH = pytest.mark.parametrize("method", [Method.DENSE, Method.ONE_SHOT])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A table with the columns of MIXED and the 11 rows of ROWS."""
    return write(tmp_path / "t.csv", list(MIXED.names), ROWS)


def make_plan(method: Method = Method.DENSE) -> Plan:
    return Plan(
        domain=MIXED, epsilon=Fraction(1), method=method, dataset="t.csv", max_model_mb=1
    )


def refusal_of(path: Path, method: Method, **options: Any) -> str:
    """Return the sentence that refuses a release, after a check that nothing was spent."""
    ledger = Ledger()
    with pytest.raises(SynthError) as caught:
        synthesize(make_plan(method), path, ledger=ledger, **options)
    assert ledger.entries() == []
    return str(caught.value)


@pytest.mark.parametrize("text", ["0", "-1", "1e3", "many", "²"])
@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("SYNTH_UPLOAD_MB", limits.upload_mb),
        ("SYNTH_PERSON_MB", limits.person_mb),
        ("SYNTH_UPLOADS_MB", limits.uploads_mb),
        ("SYNTH_ROWS", limits.table_rows),
        ("SYNTH_MEMORY_MB", limits.memory_mb),
        ("SYNTH_SECONDS", limits.seconds),
        ("SYNTH_WORKERS", limits.workers),
    ],
)
def test_a_limit_is_a_whole_number(
    monkeypatch: pytest.MonkeyPatch, name: str, limit: Callable[[], int], text: str
) -> None:
    """An environment variable sets a limit of the server, and must be a whole number above 0.

    A blank variable leaves the default. Any other text is refused with a sentence.
    """
    usual = limit()
    monkeypatch.setenv(name, " ")
    assert limit() == usual

    monkeypatch.setenv(name, "77")
    assert limit() == 77

    monkeypatch.setenv(name, text)
    with pytest.raises(ArgumentError, match=f"{name} must be a whole number of at least 1"):
        limit()


def test_quotas_of_uploads_grow_with_the_largest_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without settings of their own, the limits of all uploads of a person, and of everybody,
    follow the largest upload. A person may upload three times the largest file of 5,000 MB,
    and all people six times.
    """
    monkeypatch.setenv("SYNTH_UPLOAD_MB", "5000")
    assert (limits.person_mb(), limits.uploads_mb()) == (15_000, 30_000)

    # Both sums may reach their limit, and one byte more is refused.
    limits.check_uploads(15_000 * 2**20, 30_000 * 2**20)
    with pytest.raises(
        LimitError, match=r"15,000 MB, the limit for each person \(SYNTH_PERSON_MB"
    ):
        limits.check_uploads(15_000 * 2**20 + 1, 0)
    with pytest.raises(
        LimitError, match=r"30,000 MB, the limit of this server \(SYNTH_UPLOADS_MB"
    ):
        limits.check_uploads(0, 30_000 * 2**20 + 1)


@BOTH
def test_too_many_rows_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """A table of 11 rows is refused if the server allows 10, and released if it allows 11."""
    monkeypatch.setenv("SYNTH_ROWS", "10")
    assert (
        refusal_of(path, method) == "The table has more than 10 rows, the limit (SYNTH_ROWS)."
    )

    monkeypatch.setenv("SYNTH_ROWS", "11")
    assert synthesize(make_plan(method), path).synthetic.rows == 11


def test_memory_bounds_the_universe_the_model_and_the_rows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SYNTH_MEMORY_MB limits the cells that are counted and the size of a model.

    It does not limit the number of rows, because rows are not held in memory.
    """
    assert limits.dense_cells() == limits.DENSE_CELLS
    monkeypatch.setenv("SYNTH_MEMORY_MB", "100")
    assert limits.dense_cells() == 100 * 2**20 // limits.BYTES_PER_CELL

    # By default a model may take 512 MB, which is more than the 100 MB of this server.
    with pytest.raises(
        LimitError, match=r"^The model may take 512 MB, but the limit is 100 MB"
    ):
        Plan(domain=MIXED, epsilon=Fraction(1), method=Method.TREE).check_size()

    # There seem to be too many rows.
    monkeypatch.setattr(one_reading, "_fits", lambda _: False)
    assert synthesize(make_plan(Method.TREE), path).synthetic.rows > 0  # they are not held


def test_an_engine_out_of_memory_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If DuckDB runs out of memory, the user reads one sentence, and nothing is spent.

    1 MB is too little to count the 30,000 rows.
    """
    rows = [["F", str(i % 90), "1.5", "2024-06-01", "no"] for i in range(30_000)]
    table = write(tmp_path / "t.csv", list(MIXED.names), rows)
    monkeypatch.setenv("SYNTH_MEMORY_MB", "1")
    assert refusal_of(table, Method.DENSE) == (
        "1 MB of memory are not enough to count this table (SYNTH_MEMORY_MB); leave out "
        "columns, or allow more."
    )


# Time.


@BOTH
def test_time_that_is_over_before_the_spend(path: Path, method: Method) -> None:
    """A release whose time is over while rows are counted is refused, and spends nothing.

    A limit of -1 seconds is over from the start.
    """
    assert refusal_of(path, method, watch=Watch(seconds=-1)) == (
        "Reading and counting the rows took longer than -1 seconds, this server's limit "
        "(SYNTH_SECONDS); nothing was spent. Leave out columns, or allow more time."
    )


def test_the_servers_limit_holds_without_being_asked_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SYNTH_SECONDS stops a release although its caller passes no watch.

    Counting takes 1.1 seconds here, and 1 second is allowed.
    """
    original = pipeline.count_and_add

    def slow(*arguments: Any, **named: Any) -> Any:
        time.sleep(1.1)
        return original(*arguments, **named)

    monkeypatch.setenv("SYNTH_SECONDS", "1")
    monkeypatch.setattr(pipeline, "count_and_add", slow)
    assert "took longer than 1 seconds" in refusal_of(path, Method.DENSE)


@pytest.mark.parametrize("is_stopped_by_user", [True, False])
def test_a_query_that_would_take_hours_is_interrupted(
    path: Path, is_stopped_by_user: bool
) -> None:
    """A query is interrupted when its time is over, or when the user stops it, here after 0.2
    seconds. The error holds nothing of DuckDB's own message, which might quote values.
    """
    # 10 million times 10 million rows take hours.
    endless = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"

    begun = time.monotonic()
    table = open_table(path)
    if is_stopped_by_user:
        watch = Watch(seconds=999, stopped=lambda: time.monotonic() > begun + 0.2)
        sentence = "^Stopped"
    else:
        watch = Watch(seconds=0.2)
        sentence = r"than 0\.2 seconds"

    with (
        pytest.raises(SynthError, match=sentence) as caught,
        watch.watch(),
        DuckDB() as engine,
    ):
        engine.fetch(table, Statement(endless, {}))

    assert time.monotonic() - begun < 2 * SECONDS
    assert caught.value.__context__ is None


@BOTH
def test_once_it_is_paid_for_no_clock_stops_a_release(path: Path, method: Method) -> None:
    """After the spend a release is completed, although the watch says that it was stopped.

    The watch here asks to stop as soon as the ledger has an entry. The table has 11 rows.
    """
    ledger = Ledger()
    watch = Watch(stopped=lambda: bool(ledger.entries()))
    assert (
        synthesize(make_plan(method), path, ledger=ledger, watch=watch).synthetic.rows == 11
    )


# Stopping.


def make_job(path: Path, method: Method, ledger: Ledger, folder: PrivateFolder) -> ReleaseJob:
    """Start a release in a thread of its own; return the running job."""
    source = Source(title="t.csv", table=open_table(path))
    return ReleaseJob(source, make_plan(method), ledger=ledger, folder=folder)


@BOTH
def test_stopped_while_rows_are_counted(
    path: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """A job that the user stops while rows are counted spends nothing and releases nothing.

    Counting waits here until the user has pressed the button.
    """
    started, go_on = threading.Event(), threading.Event()
    original = DuckDB._guard

    def waiting(*arguments: Any, **named: Any) -> Any:
        started.set()
        go_on.wait(SECONDS)
        return original(*arguments, **named)

    monkeypatch.setattr(DuckDB, "_guard", waiting)
    ledger = Ledger()
    running = make_job(path, method, ledger, PrivateFolder())

    assert started.wait(SECONDS)
    assert running.may_stop == "Stop before anything is spent"
    running.stop()
    go_on.set()

    assert running.wait(SECONDS)
    assert running.error == "Stopped; nothing was spent."
    assert running.outcome is None
    assert ledger.entries() == []


def test_stopped_after_the_spend_it_goes_on_later(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that is stopped after its spend keeps what it measured.

    The same plan goes on from there without a second spend, and completes its bundle.
    """
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.set_budget("t.csv", parse_budget("1", make_plan().neighbors))
    original = Door.measure
    running = []

    # Presses the stop button between the spend and the measurement.
    def stopping(*arguments: Any) -> Any:
        while not running:  # the job starts before its variable is set
            time.sleep(0.01)
        assert running[0].may_stop == "Stop; the spend stands"
        running[0].stop()
        return original(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Door, "measure", stopping)
        running.append(make_job(path, Method.ONE_SHOT, ledger, PrivateFolder()))
        assert running[0].wait(SECONDS)

    assert running[0].error == (
        "Stopped after the spend; the same plan goes on from here and costs no more. The "
        "spend counts, and the ledger stores the result: asking for the same returns it at "
        "no further cost."
    )
    assert len(ledger.entries()) == 1
    assert ledger.state(ledger.entries()[0]) == "values kept"

    # The same plan once more.
    folder = PrivateFolder()
    again = make_job(path, Method.ONE_SHOT, ledger, folder)
    assert again.wait(SECONDS)
    assert again.outcome is not None, again.error
    assert again.outcome.result.repeated
    assert len(ledger.entries()) == 1
    assert ledger.state(ledger.entries()[0]) == "bundle made"


def test_an_upload_over_the_limit_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 2 MB is refused where 1 MB is the limit, and nothing of it is kept.

    The check of a single byte too many gives the same sentence.
    """
    monkeypatch.setenv("SYNTH_UPLOAD_MB", "1")
    app = visit()
    assert "up to 1 MB" in app.file_uploader[0].label

    with pytest.raises(
        LimitError, match=r"^The upload is larger than 1 MB, the limit \(SYNTH_"
    ):
        limits.check_upload(2**20 + 1)

    app.file_uploader[0].upload("t.csv", b"a\n" * 2**20, "text/csv").run()
    assert error_texts(app) == [
        "The upload is larger than 1 MB, the limit (SYNTH_UPLOAD_MB)."
    ]
    assert app.session_state["draft"].source is None

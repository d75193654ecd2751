"""What tests share: lines that they report, a clock that stands still, a home of their
own.
"""

import gc
import importlib.util
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from plotly import offline

from synth.door.ledger import sqlite_store
from synth.estimate.models import latent_classes, refine_parts
from synth.foreign import child, parent
from synth.foreign.parent import Facts
from synth.noise import bits
from synth.private.counting import connect
from tests.audit import tally
from tests.stand_in import PLOTLY

# Tests keep many objects; looking through all of them for cycles takes 5 % of the time.
gc.set_threshold(50_000, 20, 20)

settings.register_profile("synth", deadline=None)  # a busy machine is slow, which is no fault
settings.load_profile("synth")

STEPS, MOVES = latent_classes.GRADIENT_STEPS, refine_parts.SETTLING_STEPS

Report = Callable[[str], None]


@pytest.fixture
def report(record_property: Callable[[str, Any], None]) -> Report:
    """Keep one line for the summary; it is printed when a suite is chosen by its marker."""
    return lambda line: record_property("line", line)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Stop the clock; restart the system's randomness from one point whenever it is
    called.
    """

    class Noon(datetime):
        @classmethod
        def now(cls, _zone: Any = None) -> datetime:
            return datetime(2026, 1, 1, 12, tzinfo=UTC)

    monkeypatch.setattr(sqlite_store, "datetime", Noon)
    generator = np.random.default_rng  # as it is now: tests of the app replace it
    return lambda: monkeypatch.setattr(bits, "bits", generator(11).bytes)


@pytest.fixture(scope="session")
def spark() -> None:
    """Skip where there is no Spark: `make spark` has it."""
    java = shutil.which("java") or os.environ.get("JAVA_HOME")
    if importlib.util.find_spec("pyspark") is None or not java:
        pytest.skip("pyspark (the extra spark) or Java 17 is not installed")
    connect()  # so that those who take what is at hand have our session


@pytest.fixture(scope="session", autouse=True)
def short_plotly() -> Iterator[Callable[[], str]]:
    """In each report a line stands in for the five megabytes of plotly.js, which never
    change.

    Most of a bundle's time would go into packing them. Yields the real ones.
    """
    with pytest.MonkeyPatch.context() as patch:
        real = offline.get_plotlyjs
        patch.setattr(offline, "get_plotlyjs", lambda: PLOTLY)
        yield real


@pytest.fixture
def real_plotly(short_plotly: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """For bundles of other processes, and for what is said of plotly.js itself."""
    monkeypatch.setattr(offline, "get_plotlyjs", short_plotly)


@pytest.fixture(scope="session", autouse=True)
def short_fits() -> Iterator[None]:
    """Models take a tenth of their steps: enough for what is asked, paid, written and
    verified.

    How near rows come to the table is tested with `whole_fits`.
    """
    with pytest.MonkeyPatch.context() as patch:
        _steps_through(patch, 10)
        yield


@pytest.fixture
def whole_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the quality of rows, and for releases that were made before or in other
    processes.
    """
    _steps_through(monkeypatch, 1)


def _steps_through(patch: pytest.MonkeyPatch, divisor: int) -> None:
    patch.setattr(refine_parts, "SETTLING_STEPS", MOVES // divisor)
    patch.setattr(latent_classes, "GRADIENT_STEPS", STEPS // divisor)


@pytest.fixture(scope="session", autouse=True)
def near_readers() -> Iterator[Callable[[Facts], bool]]:
    """Bundles, code books and answers of our own are read in this process, not by a child
    each.

    What the child is for, and the way to it, is tested with `far_readers`. Yields the real
    way."""
    with pytest.MonkeyPatch.context() as patch:
        far = parent.run_child
        patch.setattr(parent, "run_child", lambda request: _near(request, far))
        yield far


@pytest.fixture(scope="session", autouse=True)
def unsynced_ledgers() -> Iterator[Callable[..., sqlite3.Connection]]:
    """Ledgers do not wait for the disk: what a power cut would lose, no test loses.

    Processes that tests kill are of their own, and wait. Yields the real function.
    """
    connect_synced = sqlite_store.connect

    def connect_unsynced(path: Path | None, *, readonly: bool) -> sqlite3.Connection:
        connection = connect_synced(path, readonly=readonly)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_store, "connect", connect_unsynced)
        yield connect_synced


@pytest.fixture
def far_readers(
    near_readers: Callable[[Facts], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For hostile files, and for a bundle's whole way."""
    monkeypatch.setattr(parent, "run_child", near_readers)


def _near(request: Facts, far: Callable[[Facts], bool]) -> bool:
    if request["task"] not in ("bundle", "parquet", "codebooks", "answers"):
        return far(request)
    child.do(request)
    return False


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """For the slow tests no module is imported that does not speak of any."""
    if config.option.markexpr != "slow" or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text("utf-8")
    return not ("slow" in text or "first_case" in text) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The audit is that of the core; killed and resumed releases are the ledger's, and
    longer.
    """
    for item in items:
        room, name = item.path.parent.name, item.path.stem
        core = room in {"audit", "statistical"}
        core = core and not name.startswith(("test_crash", "test_upgrade"))
        if core or name == "test_sampler":
            item.add_marker(pytest.mark.audit)
    mark_later_cases(items)


def mark_later_cases(items: list[pytest.Item]) -> None:
    """Of a test marked `first_case` all cases but the first are slow."""
    seen: set[tuple[Path, str]] = set()
    for item in items:
        if item.get_closest_marker("first_case") is None:
            continue
        test = (item.path, item.name.partition("[")[0])
        if test in seen:
            item.add_marker(pytest.mark.slow)
        seen.add(test)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """What a test said to `tally` goes with its report, to wherever that is read."""
    if call.when == "call":
        item.user_properties += [("tally", line) for line in tally.taken()]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if terminalreporter.config.option.markexpr not in {"seed", "audit", "mutant"}:
        return
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get(
        "failed", []
    )
    for test_report in sorted(reports, key=lambda test_report: _natural(test_report.nodeid)):
        for name, line in test_report.user_properties:
            if name == "line":
                terminalreporter.write_line(f"{line}   {test_report.outcome}")
    lines = [
        lines
        for test_report in reports
        for name, lines in test_report.user_properties
        if name == "tally"
    ]
    for line in tally.summary(lines):
        terminalreporter.write_line(line)


def _natural(name: str) -> list[str]:
    """A sort key that puts m2 before m10."""
    return [part.zfill(6) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


_HOME = tempfile.TemporaryDirectory(prefix="synth-home-")
os.environ["SYNTH_HOME"] = _HOME.name
_HOMES = count()


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a ledger and projects of its own, made if it needs them."""
    monkeypatch.setenv("SYNTH_HOME", str(Path(_HOME.name, str(next(_HOMES)))))


# Tests of the app choose their tables by path, most of them in folders of their own.
os.environ["SYNTH_FOLDERS"] = os.pathsep.join(
    (tempfile.gettempdir(), str(Path(__file__).parents[2] / "shared" / "data"))
)

"""A command that is killed or crashes: its watcher says what became of it and of the
budget.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from synth.cli.watcher import ENDED, have_watcher
from synth.door import Ledger
from synth.util import NOTHING_SPENT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no watcher")

STANDS = (
    "The spend counts, and the ledger stores the result: the same command returns it at no "
    "further cost."
)
# A program that tells the watcher some sentences and then kills itself.
KILLED = """
import os, signal, sys
from synth.cli.watcher import have_watcher
with have_watcher() as tell:
    for sentence in sys.argv[2:]:
        tell(sentence)
    os.kill(os.getpid(), int(sys.argv[1]))
"""
# `synth`, killed after its spend is recorded and before noise is drawn.
SPENDING = """
import os, signal, sys
from synth.door import Door
from synth.cli.main import run
Door.measure = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
sys.argv = ["synth", *sys.argv[1:]]
sys.exit(run())
"""


def run_python(code: str, *words: str, memory: int = 0) -> tuple[int, str]:
    """The status and the messages of Python that runs this code, with at most so many MB.

    Linear algebra has one thread there: with several, its library may wait for ever for a
    thread that got no memory.
    """

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory * 2**20,) * 2)

    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=limit if memory else None,
    )
    return done.returncode, done.stderr


@pytest.fixture
def survey(tmp_path: Path) -> tuple[str, ...]:
    """The words of a release."""
    (tmp_path / "t.csv").write_text("sex\n" + "f\nm\n" * 50)
    constraints = {"enum": ["f", "m"], "required": True}
    field = {"name": "sex", "type": "string", "constraints": constraints}
    (tmp_path / "d.json").write_text(json.dumps({"fields": [field]}))
    paths = [str(tmp_path / name) for name in ("t.csv", "d.json", "b.zip", "l.db")]
    table, schema, bundle, ledger = paths
    spend = ("--epsilon", "1", "--ledger", ledger, "--dataset", "us", "--budget", "3")
    return ("release", table, "--domain", schema, "--out", bundle, *spend)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_killed_command_says_that_nothing_was_spent(number: signal.Signals) -> None:
    """If a command is killed or crashes before any spend, its watcher prints that nothing was
    spent.

    A watcher is a second process that prints one sentence if the command ends without notice.
    The status of a process that a signal ended is the negative number of the signal.
    """
    assert run_python(KILLED, str(int(number))) == (-number, f"{ENDED} {NOTHING_SPENT}\n")


def test_the_last_sentence_about_the_spend_counts() -> None:
    """Of the sentences about the spend that a command told its watcher, the last one is
    printed.

    The watcher prints it when the command is killed. An empty sentence means that nothing is
    spent after all.
    """
    killed = str(int(signal.SIGKILL))
    assert run_python(KILLED, killed, "one", STANDS)[1] == f"{ENDED} {STANDS}\n"
    assert run_python(KILLED, killed, STANDS, "")[1] == f"{ENDED} {NOTHING_SPENT}\n"


def test_a_command_that_ends_by_itself_is_not_mentioned() -> None:
    """If a command ends by itself, with whatever status, its watcher prints nothing.

    A watcher is a second process that speaks only if the command was killed.
    """
    code = (
        "import sys\nfrom synth.cli.watcher import have_watcher\nwith have_watcher():\n    {}"
    )
    for last, status in (("pass", 0), ("sys.exit(2)", 2), ("raise SystemExit(7)", 7)):
        assert run_python(code.format(last)) == (status, "")


def test_without_a_process_to_spare_a_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the system refuses a second process, the command runs without a watcher.

    A watcher would print what was spent if the command were killed.
    """

    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    with have_watcher() as tell:
        tell("nothing happens")


@pytest.mark.slow
def test_a_command_that_is_killed_after_its_spend_says_so(survey: tuple[str, ...]) -> None:
    assert run_python(SPENDING, *survey) == (-signal.SIGKILL, f"{ENDED} {STANDS}\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system does not limit memory")
def test_little_memory_is_one_sentence(survey: tuple[str, ...]) -> None:
    """A release with too little memory ends with one sentence that also says what was spent.

    This holds whether Python, a library or the system finds that there is none. A library of
    C or C++ may print a line of its own before that, which names no file of ours.
    """
    code = (
        "import sys\nfrom synth.cli.main import run\nsys.argv[0] = 'synth'\nsys.exit(run())"
    )
    ledger = Path(survey[survey.index("--ledger") + 1])

    def spends() -> int:
        return len(Ledger(ledger).entries()) if ledger.exists() else 0

    statuses = set()
    # The limits are from too little for the imports up to about what a release needs.
    for megabytes in (150, 300, 450, 600, 800):
        spends_before = spends()
        status, errors = run_python(code, *survey, memory=megabytes)
        statuses.add(status)
        if status != 0:
            *library_lines, sentence = errors.splitlines()
            assert "Traceback" not in errors, megabytes
            assert all("t.csv" not in line for line in library_lines), megabytes
            assert "memory" in sentence.lower(), megabytes
            if not errors.endswith((f" {NOTHING_SPENT}\n", f" {STANDS}\n")):
                # A refusal before the spend, which has nothing to say of one.
                assert spends() == spends_before, megabytes
    assert 2 in statuses  # at one limit at least it was an orderly refusal

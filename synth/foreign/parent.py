"""Foreign files are read by a child process with limits on memory and time.

If it dies, one sentence names the file and the limits. Nothing that it prints is shown. The
parent takes only its files and the answer of `synth.foreign.child`; a sentence in it is one
line of text. The child is started fresh, never forked off a server with threads.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Timer
from typing import Any, Literal

from synth import limits
from synth.errors import ArgumentError, LimitError, SynthError
from synth.foreign.child import ANSWER
from synth.foreign.fault import REFUSED
from synth.foreign.silence import SILENT, wait_while_heard
from synth.foreign.text import line
from synth.util import check_deadline, interruptible, read_json

Task = Literal[
    "gzip",
    "zip",
    "bundle",
    "workbook",
    "statistics",
    "sqlite",
    "arrow",
    "duckdb",
    "parquet",
    "codebooks",
    "answers",
    "database_tables",
    "database_rows",
]

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-P", "-m", "synth.foreign.child")
# Whether the system can limit a process; if not, only small files may unfold.
MEMORY_IS_LIMITED = sys.platform.startswith(("linux", "freebsd"))

# Kinds of files that may need much more memory than their size.
UNFOLDING: tuple[Task, ...] = (
    "workbook",
    "statistics",
    "arrow",
    "duckdb",
    "parquet",
    "codebooks",
)

ANSWER_BYTES = 4 * 2**20
# Most characters of a sentence.
SENTENCE = 20_000
ERROR_KINDS = {kind.__name__: kind for kind in SynthError.__subclasses__()}
# Settings against threads and pools, which reserve unused memory that counts towards the
# limit.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


# A request to the child or its answer, by name.
Facts = dict[str, Any]


def read_apart(
    task: Task, source: Path, folder: Path, *, name: str, **options: object
) -> Facts:
    """Read a foreign file in a child process with limits on memory and time.

    Args:
        task: The child's task.
        source: The foreign file.
        folder: A private folder for the results.
        name: The file's name in sentences.
        options: Further input of the task.

    Returns:
        The answer: facts, or the fault as one word under ``fault``.

    Raises:
        LimitError: The child exceeded its memory or time, or crashed.
        SynthError: The fault, if the child reports it as a sentence.
    """
    # Without a limit of the system, only small files of kinds that unfold are read.
    if not MEMORY_IS_LIMITED and task in UNFOLDING:
        _check_size(source, name)
    return ask_child(task, folder, name, options={"source": str(source.resolve()), **options})


@dataclass(frozen=True, kw_only=True)
class TimeLimit:
    """The longest time of a child.

    Attributes:
        seconds: The time itself.
        setting: The setting by which the operator sets it.
    """

    seconds: int
    setting: str


def ask_child(
    task: Task,
    folder: Path,
    name: str,
    *,
    options: Facts,
    time_limit: TimeLimit | None = None,
) -> Facts:
    """Have a child process do a task with limits on memory and time.

    Args:
        task: The child's task.
        folder: A private folder for the results.
        name: The name of what it reads, in sentences.
        options: Further input of the task. ``silent_seconds`` ends a child that shows no
            `Pulse` for so long; the answer is the fault `SILENT` then.
        time_limit: The longest time; None for that of a foreign file.

    Returns:
        The answer: facts, or the fault as one word under ``fault``.

    Raises:
        LimitError: The child exceeded its memory or time, or crashed.
        SynthError: The fault, if the child reports it as a sentence.
    """
    if time_limit is None:
        time_limit = TimeLimit(
            seconds=limits.foreign_seconds(), setting="SYNTH_FOREIGN_SECONDS"
        )
    seconds = time_limit.seconds
    request = {
        "task": task,
        "folder": str(folder),
        "memory_mb": limits.foreign_mb(),
        "seconds": seconds,
        "unpacked_mb": limits.UNPACKED_MB,
        "ratio": limits.PACKED_RATIO,
        "free_mb": limits.UNPACKED_FREE_MB,
        "cell_bytes": limits.CELL_BYTES,
        **options,
    }
    is_late = run_child(request)
    # Raises if the caller's own time is over.
    check_deadline()
    if is_late:
        raise LimitError(
            f"'{name}' needs more than {seconds:,} seconds to be read, the limit "
            f"({time_limit.setting})."
        )
    return _take_answer(folder, name)


def run_child(request: Facts) -> bool:
    """Run a child process to its end; return whether it took too long and was killed.

    The request is sent as one line of JSON. What the child prints is dropped.
    """
    late = Event()
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        COMMAND,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=quiet,
        stderr=quiet,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    ) as child:

        def stop() -> None:
            """Kill the child because its time is over."""
            late.set()
            child.kill()

        timer = Timer(request["seconds"], stop)
        timer.start()
        try:
            assert child.stdin is not None
            # Written without a buffer, so that nothing is left to be written to a dead child.
            # The pipe stays open, because the child ends itself when the pipe does.
            child.stdin.write(json.dumps(request).encode() + b"\n")
            # If the caller's time is over, the child is killed too.
            with interruptible(child.kill):
                _wait_for(child, request)
        # The child died before it read the request; its answer will be missing.
        except BrokenPipeError:
            child.wait()
        finally:
            timer.cancel()
            child.kill()
    return late.is_set()


def _wait_for(child: "subprocess.Popen[bytes]", request: Facts) -> None:
    """Wait for the child to end; one that falls silent is ended, with a fault as its answer.

    A request with "silent_seconds" says after how long without a sign that is.
    """
    silent_seconds = request.get("silent_seconds")
    folder = Path(request["folder"])
    if silent_seconds is None:
        child.wait()
    elif not wait_while_heard(child, folder, silent_seconds):
        (folder / ANSWER).write_text(json.dumps({"fault": SILENT}), encoding="utf-8")


def _take_answer(folder: Path, name: str) -> Facts:
    """Return the answer of the child, or raise the error that it reports.

    Args:
        folder: The private folder in which the child wrote the answer.
        name: The name of what it read, for messages.

    Raises:
        LimitError: There is no answer, or the child had too little memory.
        SynthError: The child reports an error as a sentence.
    """
    answer = _answer(folder)
    if answer is None or answer.get("fault") == "memory":
        raise LimitError(
            f"'{name}' needs more than {limits.foreign_mb():,} MB of memory to be read, the "
            "limit (SYNTH_FOREIGN_MB), or it is damaged."
        )
    if answer.get("fault") == REFUSED:
        raise ERROR_KINDS.get(str(answer.get("kind")), LimitError)(
            line(str(answer.get("sentence")), SENTENCE)
        )
    return answer


def _answer(folder: Path) -> Facts | None:
    """Return the child's answer, which is removed; None if there is none, or it is no
    object.
    """
    try:
        with (folder / ANSWER).open("rb") as file:
            answer = read_json(file.read(ANSWER_BYTES), "The answer")
        (folder / ANSWER).unlink()
    except (OSError, ArgumentError):
        return None
    return answer if isinstance(answer, dict) else None


def _check_size(source: Path, name: str) -> None:
    """Refuse a large file where the system does not limit the memory of the child.

    Args:
        source: The file that the child will read.
        name: What the message calls the file.
    """
    if source.stat().st_size > limits.FOREIGN_FILE_MB * 2**20:
        raise LimitError(
            f"'{name}' is larger than {limits.FOREIGN_FILE_MB} MB, the limit for such files "
            "where the system does not limit the memory of a process; save it as CSV."
        )

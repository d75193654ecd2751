"""The child process ``synth.foreign.child``: one foreign file in, plain files out.

A foreign file can need any amount of memory and time, or crash the library that reads it. So
the child reads it under limits of the system. It gives `synth.foreign.parent` plain files in
a private folder and a short answer in JSON: facts, or the fault. A fault is one word from
which the parent makes a sentence, or a sentence. The child imports almost nothing before it
knows its task.
"""

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread

from synth.errors import SynthError
from synth.foreign import packed
from synth.foreign.fault import REFUSED, Fault, Reply, Request
from synth.util import read_json

ANSWER = "answer.json"


def main() -> None:
    """Read a request from standard input, do it under limits, and end the process."""
    request = read_json(sys.stdin.buffer.readline(), "The request")
    Thread(target=_end_with_parent, daemon=True).start()
    # New files are for this user alone.
    os.umask(0o077)
    _limit(request)
    do(request)
    # The process ends at once, without the usual end of the interpreter.
    os._exit(0)


def do(request: Request) -> None:
    """Do the task of a request, and write its answer, or the fault, as JSON into its
    folder.
    """
    try:
        answer = TASKS[request["task"]](request)
    except Fault as fault:
        answer = fault.answer
    except SynthError as error:
        answer = {"fault": REFUSED, "kind": type(error).__name__, "sentence": str(error)}
    except (MemoryError, ImportError):  # a library is not there, or there is no room for it
        answer = {"fault": "memory"}
    (Path(request["folder"]) / ANSWER).write_text(json.dumps(answer), encoding="utf-8")


def _end_with_parent() -> None:
    """Wait until standard input ends, which is when the parent ends, and end too."""
    # `sys.stdin` is not used, because the end of the interpreter needs its lock.
    os.read(0, 1)
    os._exit(1)


def _limit(request: Request) -> None:
    """Limit the memory, the time and the file size of this process, as the request says.

    A lower limit of the system stays. Systems without such limits are left alone.
    """
    with suppress(ImportError):
        import resource

        # Memory, time of the processor, size of a file, and no dump of memory after a crash.
        values = {
            resource.RLIMIT_AS: request["memory_mb"] * 2**20,
            resource.RLIMIT_CPU: request["seconds"],
            resource.RLIMIT_FSIZE: request["unpacked_mb"] * 2**20,
            resource.RLIMIT_CORE: 0,
        }
        for resource_kind, value in values.items():
            hard_limit = resource.getrlimit(resource_kind)[1]
            if hard_limit != resource.RLIM_INFINITY:
                value = min(value, hard_limit)
            with suppress(ValueError, OSError):
                resource.setrlimit(resource_kind, (value, value))


def _task(module: str, name: str) -> Callable[[Request], Reply]:
    """Return a task that imports its module only when it is called.

    Args:
        module: The full name of the module.
        name: The name of the function in it.
    """

    def run(request: Request) -> Reply:
        reply: Reply = getattr(import_module(module), name)(request)
        return reply

    return run


TASKS: dict[str, Callable[[Request], Reply]] = {
    "gzip": packed.unpack_gzip,
    "zip": packed.unpack_zip,
    "bundle": _task("synth.foreign.bundle_zip", "unpack_bundle"),
    "workbook": _task("synth.foreign.workbooks", "read_workbook"),
    "statistics": _task("synth.foreign.statistics", "read_statistics"),
    "sqlite": _task("synth.foreign.sqlite", "read_sqlite"),
    "arrow": _task("synth.private.table.arrow_copy", "copy_arrow_file"),
    "duckdb": _task("synth.private.table.duckdb_copy", "copy_duckdb_table"),
    "parquet": _task("synth.foreign.bundle_rows", "write_rows"),
    "codebooks": _task("synth.domain.codebooks.files", "answer_books"),
    "answers": _task("synth.collecting.answers", "answer_codes"),
    "database_tables": _task("synth.private.table.postgresql_copy", "list_readable_tables"),
    "database_rows": _task("synth.private.table.postgresql_copy", "copy_stored_rows"),
}

if __name__ == "__main__":
    main()

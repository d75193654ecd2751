"""The end of memory, as Python, threads, libraries and engines report it."""

import errno
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

import synth
from synth.cli.main import main
from synth.door import Door
from synth.errors import LimitError
from synth.util import NOTHING_SPENT, OUT_OF_MEMORY, fitting_in_memory, lacks_memory, memory

FRAME = pd.DataFrame({"sex": ["f", "m"] * 50})
STANDS = "The spend counts, and the ledger stores the result: the same "


class OutOfMemoryException(Exception):
    """DuckDB's own error has this name."""


# How Python, threads, the loader of libraries and engines report a lack of memory.
LACKS = [
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    RuntimeError("can't start new thread"),
    ImportError("libarrow.so: failed to map segment from shared object"),
    OutOfMemoryException(),
]
# Errors of the same types that report something else.
OTHERS = [
    ValueError("memory"),
    OSError(errno.ENOSPC, "No space left on device"),
    RuntimeError("generator raised StopIteration"),
    ImportError("No module named 'spark'"),
]


@pytest.mark.parametrize("error", LACKS, ids=lambda error: type(error).__name__)
def test_what_is_the_end_of_memory(error: Exception) -> None:
    """Each of these errors means that memory ran out, also as the cause of another error."""
    assert lacks_memory(error)
    caused = ValueError("could not read")
    caused.__cause__ = error
    assert lacks_memory(caused)


@pytest.mark.parametrize("error", OTHERS, ids=lambda error: type(error).__name__)
def test_other_errors_are_no_lack_of_memory(error: Exception) -> None:
    """An error of one of these types that does not mean lack of memory is not
    taken for it.
    """
    assert not lacks_memory(error)


@pytest.mark.parametrize("error", LACKS, ids=lambda error: type(error).__name__)
def test_a_call_says_what_happened_and_what_was_spent(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If memory runs out, a call says so, and whether the spend counts.

    In a release it runs out after the spend, when noise is drawn: the same call returns the
    result. In a draft nothing is spent.
    """
    error = type(error)(*error.args)  # a new one: notes may be added to an error
    monkeypatch.setattr(Door, "measure", Mock(side_effect=error))
    ledger = tmp_path / "l.db"
    with pytest.raises(LimitError) as refused:
        synth.release(
            FRAME, {"sex": ["f", "m"]}, epsilon=1, ledger=ledger, dataset="us", budget=3
        )
    assert str(refused.value).startswith(f"{OUT_OF_MEMORY} {STANDS}call returns it")

    unpaid = type(error)(*error.args)
    monkeypatch.setattr("synth.api.drafting.open_any", Mock(side_effect=unpaid))
    with pytest.raises(LimitError) as refused:
        synth.draft(FRAME)
    assert str(refused.value) == f"{OUT_OF_MEMORY} {NOTHING_SPENT}"


@pytest.mark.parametrize("error", LACKS, ids=lambda error: type(error).__name__)
def test_a_command_says_the_same(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If memory runs out, a command says so in one line that also says that nothing was
    spent.
    """
    error = type(error)(*error.args)
    monkeypatch.setattr("synth.cli.example.write_example", Mock(side_effect=error))
    assert main(["example", "--out", "demo"]) == 2
    assert capsys.readouterr().err == f"{OUT_OF_MEMORY} {NOTHING_SPENT}\n"


def test_work_fits_into_two_thirds_of_the_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of 16 GB 10 are for large pieces of work: two of 4 GB. One fits everywhere.

    The memory of a container counts if it is less. Its file says "max" without a limit.
    """
    pages = {"SC_PHYS_PAGES": 4 * 2**20, "SC_PAGE_SIZE": 4096}  # 16 GB
    monkeypatch.setattr(memory.os, "sysconf", pages.__getitem__, raising=False)
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "CONTAINER_FILES", (str(limit), str(tmp_path / "none")))
    assert [fitting_in_memory(size) for size in (1024, 4096, 99_999)] == [10, 2, 1]
    limit.write_text("max\n")
    assert fitting_in_memory(4096) == 2
    limit.write_text(f"{6 * 2**30}\n")
    assert fitting_in_memory(1024) == 4

    monkeypatch.delattr(memory.os, "sysconf")  # as on Windows
    assert fitting_in_memory(1) == 1

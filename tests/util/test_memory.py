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
from synth.util import NOTHING_SPENT, OUT_OF_MEMORY, lacks_memory

FRAME = pd.DataFrame({"sex": ["f", "m"] * 50})
STANDS = "The spend counts, and the ledger stores the result: the same "


class OutOfMemoryException(Exception):
    """As DuckDB calls its own."""


LACKS = [
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    RuntimeError("can't start new thread"),
    ImportError("libarrow.so: failed to map segment from shared object"),
    OutOfMemoryException(),
]
OTHERS = [
    ValueError("memory"),
    OSError(errno.ENOSPC, "No space left on device"),
    RuntimeError("generator raised StopIteration"),
    ImportError("No module named 'spark'"),
]


@pytest.mark.parametrize("error", LACKS, ids=lambda error: type(error).__name__)
def test_what_is_the_end_of_memory(error: Exception) -> None:
    assert lacks_memory(error)
    caused = ValueError("could not read")
    caused.__cause__ = error
    assert lacks_memory(caused)


@pytest.mark.parametrize("error", OTHERS, ids=lambda error: type(error).__name__)
def test_other_errors_are_no_lack_of_memory(error: Exception) -> None:
    assert not lacks_memory(error)


@pytest.mark.parametrize("error", LACKS, ids=lambda error: type(error).__name__)
def test_a_call_says_what_happened_and_what_was_spent(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = type(error)(*error.args)  # notes of other tests stay with the other
    monkeypatch.setattr(Door, "measure", Mock(side_effect=error))
    ledger = tmp_path / "l.db"
    with pytest.raises(LimitError) as refused:
        synth.release(FRAME, {"sex": ["f", "m"]}, ledger=ledger, dataset="us", budget=3)
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
    error = type(error)(*error.args)
    monkeypatch.setattr("synth.cli.example.write_example", Mock(side_effect=error))
    assert main(["example", "--out", "demo"]) == 2
    assert capsys.readouterr().err == f"{OUT_OF_MEMORY} {NOTHING_SPENT}\n"

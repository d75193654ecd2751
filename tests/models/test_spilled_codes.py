"""Codes in a file without a name: they keep what is written, nobody finds them, memory is
given.
"""

import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from synth import limits
from synth.errors import LimitError
from synth.estimate import let_go
from synth.estimate.models.spilled_codes import room_for, spill_codes
from synth.foreign import place
from synth.util import SmallCodes

ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for its memory")


def resident_mb(codes: SmallCodes) -> float:
    """Memory that the mapping of these codes takes, in MB.

    That of the whole process would not do: allocators give back memory whenever they like.
    """
    address = codes.ctypes.data
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    for line in lines:
        start, dash, end = line.split()[0].partition("-")
        if dash and int(start, 16) <= address < int(end, 16):
            kilobytes = next(later.split()[1] for later in lines if later.startswith("Rss:"))
            return int(kilobytes) / 1024
    raise AssertionError("The codes are in no mapping.")


def test_few_codes_are_in_memory_and_many_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are in memory up to a limit and in a file beyond it; both behave alike.

    They start as 0, take the largest code of two bytes, 65,535, and keep it when their memory
    is let go. An array over a file has a `base`, one in memory has none.
    """
    in_memory = room_for((2, 5), np.dtype(np.uint16))
    monkeypatch.setattr(limits, "CODES_MB", 0)
    in_a_file = room_for((2, 5), np.dtype(np.uint16))
    assert in_memory.base is None
    assert in_a_file.base is not None
    for codes in (in_memory, in_a_file):
        assert codes.dtype == np.uint16
        assert codes.tolist() == [[0] * 5] * 2
        codes[1, 2] = 65_535
        let_go(codes)
        assert codes.tolist() == [[0] * 5, [0, 0, 65_535, 0, 0]]


@pytest.mark.parametrize("part", [slice(0, 7), slice(4_095, 20_001), slice(None)])
def test_what_is_let_go_stays_as_it_was(part: slice) -> None:
    """Codes that were let go, whole or in part, read as they were written.

    The parts begin and end within and beyond a page of 4,096 bytes.
    """
    codes = spill_codes((3, 50_000), np.dtype(np.uint8))
    codes[:] = np.arange(150_000).reshape(3, -1) % 251
    let_go(codes[:, part])
    let_go(codes[1, part])
    assert (codes == np.arange(150_000).reshape(3, -1) % 251).all()


@ONLY_LINUX
def test_memory_is_given_back() -> None:
    """After `let_go` the codes take no memory, and can still be read."""
    codes = spill_codes((4, 2**24), np.dtype(np.uint8))
    codes[:] = 1
    assert resident_mb(codes) > 1  # 64 MB, of which the system may have taken back some

    let_go(codes)
    assert resident_mb(codes) == 0
    assert int(codes.sum(dtype=np.int64)) == codes.size


@ONLY_LINUX
def test_the_file_has_no_name() -> None:
    """The file of the codes has no name in the folder of private copies, so that nobody can
    open it.
    """
    before = set(place().iterdir())
    codes = spill_codes((1, 2**20), np.dtype(np.uint8))
    assert set(place().iterdir()) == before
    assert codes.size == 2**20


def test_no_rows_take_no_room() -> None:
    assert spill_codes((3, 0), np.dtype(np.uint8)).shape == (3, 0)


def test_a_full_disk_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is refused in one sentence that says how much room the rows take, without
    the system's own error.

    1,000 columns of 2^20 rows, a byte each, are 1,000 MB.
    """
    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("synth.estimate.models.spilled_codes._take_room", full)
    with pytest.raises(
        LimitError, match=r"^The rows take 1,000 MB .* ask for fewer rows\."
    ) as error:
        spill_codes((1_000, 2**20), np.dtype(np.uint8))
    assert error.value.__cause__ is None
    assert error.value.__context__ is None

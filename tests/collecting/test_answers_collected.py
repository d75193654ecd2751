"""Collected answers on their whole way, through the child."""

import io
import resource
import zipfile
from pathlib import Path

import numpy as np
import pytest

from synth import limits
from synth.collecting import read_collected
from synth.errors import CollectError, SynthError
from tests.collecting.forms import answer_line, make_design

FORM = make_design()
MOST_MB = 100


def peak_memory() -> float:
    """The most memory this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def zip_repeated(content: bytes, times: int, name: str = "a.json") -> bytes:
    """A zip of one file, which is the same over and over."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(name, "w") as file:
            for _ in range(times):
                file.write(content)
    return buffer.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"[]," * 2**20, "a.json", "holds a line of more than 1,048,576 characters"),
        (b"[]\n" * 2**13, "a.json", "line 1, is no answer"),
        (b"a," * 2**20, "a.csv", "holds a line of more than 1,048,576 characters"),
        (b"\n" * 2**20, "a.csv", "is empty|must begin with a line of form"),
    ],
)
@pytest.mark.usefixtures("far_readers")
def test_a_zip_takes_no_memory_here(content: bytes, name: str, message: str) -> None:
    """A zip file of up to 60 MB of nonsense is refused, and takes less than 100 MB of this
    process.

    It is read by a child process. Read here, a zip file of one megabyte took five gigabytes.
    """
    before = peak_memory()

    with pytest.raises(CollectError, match=message):
        read_collected([("all.zip", zip_repeated(content, 20, name))], FORM)

    assert peak_memory() - before < MOST_MB


@pytest.mark.usefixtures("far_readers")
def test_people_come_back_as_they_are(tmp_path: Path) -> None:
    """Answers that a child process reads, from a folder and a zip file, come back as the
    same people.
    """
    lines = [
        answer_line(FORM, places, number) for number, places in enumerate([(0, 2), (1, 1)])
    ]

    (tmp_path / "one.json").write_text(lines[0])
    files = [tmp_path, ("two.zip", zip_repeated(lines[1].encode(), 1))]

    collected = read_collected(files, FORM)
    assert np.array_equal(collected.codes, [(0, 2), (1, 1)])
    assert collected.codes.dtype == np.int32


def test_a_line_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of more than 1,000 characters, the limit here, is refused by the name of its
    file.
    """
    monkeypatch.setattr(limits, "ANSWER_LENGTH", 1_000)
    with pytest.raises(
        SynthError, match=r"^'a.txt' holds a line of more than 1,000 characters\.$"
    ):
        read_collected([("a.txt", b"x" * 1_001)], FORM)

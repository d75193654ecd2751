"""Code books on their whole way, through the child: hostile ones cost this process
nothing.
"""

import json
import resource
from pathlib import Path
from threading import Timer
from time import monotonic

import pytest

from synth import limits
from synth.domain import Sheet, ask_codebook, read_codebooks, sheet_in
from synth.errors import DomainError, LimitError, ReleaseError
from synth.util import Watch
from tests.codebooks.test_ddi import write_code_lists

MOST_MB = 100
"""What this process may grow by."""
WIDE = b"a,b\n" + b"a\n" * 500_000 + b"b," * 199
"""A sheet whose rows would all be as wide as its last one."""


def peak_memory() -> float:
    """The most memory this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def shared_missing(words: int, columns: int) -> bytes:
    """Metadata for CSV on the Web whose list of missing values goes to every column."""
    schema = {"columns": [{"titles": f"c{i}"} for i in range(columns)]}
    return json.dumps(
        {"tableSchema": schema, "null": [f"m{i}" for i in range(words)]}
    ).encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.xml",
            write_code_lists(8_000, 8_000),
            "more than 20,000 columns or 1,000,000 codes",
        ),
        (
            "a.xml",
            write_code_lists(9_000, 100, code="longer"),
            "takes more than 8 MB as a declaration",
        ),
        (
            "a.json",
            shared_missing(30_000, 30_000),
            "30,000 codes for missing values of a column; the limit is 999",
        ),
        (
            "a.csv",
            WIDE,
            r"500,002 rows, the longest of 200 cells; the limit is 4,000,000 cells",
        ),
        ("a.xml", b"<a>" + b"<b/>" * 2_000_000 + b"</a>", "describes no variables"),
    ],
)
@pytest.mark.usefixtures("far_readers")
def test_what_unfolds_is_refused_and_takes_no_memory_here(
    name: str, content: bytes, message: str
) -> None:
    """A small file that would unfold to far too much is refused, and costs this process
    nothing.

    A child process reads it. The files are within the size limit, yet make millions of codes
    or cells: lists that many columns refer to, or a last row that makes all rows wide. `WIDE`
    has a header, 500,000 rows and the wide one.
    """
    assert len(content) <= limits.SCHEMA_MB * 2**20
    before = peak_memory()

    with pytest.raises((DomainError, LimitError), match=message):
        read_codebooks([(name, content)])

    assert peak_memory() - before < MOST_MB


@pytest.mark.usefixtures("far_readers")
def test_a_watch_ends_the_child() -> None:
    """When a page is closed, the child process that reads its code book is ended at once.

    A timer "closes the page" after half a second, while the child still reads `WIDE`. Ten
    seconds allow for a busy machine.
    """
    start = monotonic()
    closed: list[bool] = []
    timer = Timer(0.5, closed.append, [True])
    timer.start()

    with (
        pytest.raises(ReleaseError, match="Stopped"),
        Watch(stopped=lambda: bool(closed)).watch(),
    ):
        read_codebooks([("a.csv", WIDE)])

    assert monotonic() - start < 10


@pytest.mark.usefixtures("far_readers")
def test_a_book_is_read_or_what_to_ask_is_told(tmp_path: Path) -> None:
    """A code book is read if it says enough; else the steward learns what to choose.

    A sheet with known titles is read. A package of two tables gives their names. A sheet with
    unknown titles gives its first rows with short cells, and is read once its columns have
    roles.
    """
    by_its_titles = ask_codebook("a.csv", b"name,value\nsex,1\nsex,2\n")
    assert isinstance(by_its_titles, tuple)
    assert by_its_titles[0]["fields"][0]["constraints"]["enum"] == ["1", "2"]

    packages = {"resources": [{"name": "one"}, {"name": "two"}]}
    assert ask_codebook("p.json", json.dumps(packages).encode()) == ("one", "two")

    rows = "".join(f"sex,{i},x,{'y' * 2_000}\n" for i in range(50))
    odd = ask_codebook("odd.csv", f"q,w,e,r\n{rows}".encode())
    assert isinstance(odd, Sheet)
    # Of 50 rows the first 6 come back, and of a cell of 2,000 characters the first 1,000.
    assert (odd.count, len(odd.rows), max(map(len, odd.rows[0]))) == (
        50,
        6,
        limits.NAME_LENGTH,
    )
    books = [("odd.csv", f"q,w,e,r\n{rows}".encode())]
    document, _ = read_codebooks(books, roles={"name": 0, "value": 1})
    assert len(document["fields"][0]["constraints"]["enum"]) == 50

    # Two columns without known titles: the steward says that the first row is a header.
    path = tmp_path / "bare.csv"
    path.write_text("a,b\nsex,1\nsex,2\n")
    assert not sheet_in("bare.csv", path).has_titles
    document, _ = read_codebooks(
        [("bare.csv", path)], roles={"name": 0, "value": 1}, titled=True
    )
    assert [field["name"] for field in document["fields"]] == ["sex"]

"""Hostile bundles: each is one sentence, and takes no memory."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth import limits
from synth.errors import ReleaseError, SynthError
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.spending import synthesize
from synth.verification import open_bundle, verify
from tests.bundle.bundles import edit_certificate, read_bundle, replace_signed, rezip
from tests.foreign.files import MB, write_zeros
from tests.tables import MIXED, ROOT, ROWS, write

pytestmark = pytest.mark.usefixtures("nothing_is_left")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound bundle: a release of the small table in `tests.tables`."""
    return make_bundle(tmp_path_factory.mktemp("bundle"))


@pytest.fixture
def readable(tmp_path: Path, real_plotly: None) -> Path:
    """One that another process opens."""
    del real_plotly
    return make_bundle(tmp_path)


def make_bundle(folder: Path) -> Path:
    """Release the small table `ROWS` and write the bundle as b.zip."""
    table = write(folder / "t.csv", list(MIXED.names), ROWS)
    plan = Plan(domain=MIXED, epsilon=1, neighbors=Neighbors.REPLACE_ONE, method=Method.DENSE)
    return synthesize(plan, table).write_archive(folder / "b.zip")


def write_equal_rows(path: Path, rows: int, group: int = limits.ROWS_AT_A_TIME) -> Path:
    """A Parquet file of the domain's columns that says the same in every row."""
    step = 2**20
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * step, pa.int32()), ["F"])
    piece = pa.table(dict.fromkeys(MIXED.names, texts))
    with pq.ParquetWriter(path, piece.schema) as writer:
        for start in range(0, rows, step):
            writer.write_table(piece.slice(0, rows - start), row_group_size=group)
    return path


def test_a_bundle_of_zeros_is_not_unpacked(tmp_path: Path) -> None:
    """A bundle that unpacks to over 200 times its size, here 70 MB of zeros, is refused."""
    path = write_zeros(tmp_path / "b.zip", "certificate.json", 70)
    with pytest.raises(
        ReleaseError, match=r"^The bundle unpacks to more than 200 times its size"
    ):
        open_bundle(path)


def write_long_text(files: dict[str, bytes]) -> None:
    edit_certificate(files, lambda c: c["drawing"].update(seed="7" * 5_000))


def replace_content(
    name: str, content: Callable[[], bytes]
) -> Callable[[dict[str, bytes]], None]:
    """Put other content into a file of the bundle, made only where it is used."""
    return lambda files: replace_signed(files, name, content())


def rewrite(files: dict[str, bytes], cell: object = None, **options: Any) -> None:
    """Write the rows another way, and with other cells in the first column if need be."""
    table = pq.read_table(pa.BufferReader(files["synthetic.parquet"]))
    if cell is not None:
        table = table.set_column(0, "sex", pa.array([cell] * table.num_rows))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    replace_signed(files, "synthetic.parquet", sink.getvalue().to_pybytes())


def write_in_another_layout(files: dict[str, bytes]) -> None:
    rewrite(files, row_group_size=3)


def write_other_types(files: dict[str, bytes]) -> None:
    rewrite(files, [1])


def write_huge_texts(files: dict[str, bytes]) -> None:
    rewrite(files, "F" * (limits.GROUP_MB * MB + 1))


deep = replace_content("plan.json", lambda: b'{"a":' * 500 + b"1" + b"}" * 500)
many_lists = replace_content("plan.json", lambda: b'{"a": [' + b"[]," * 1_000_000 + b"[]]}")
many_texts = replace_content("plan.json", lambda: b'{"a": [' + b'"",' * 4_000_000 + b'""]}')
long_record = replace_content("domain.json", lambda: b" " * (limits.RECORD_MB * MB + 1))
no_parquet = replace_content("synthetic.parquet", lambda: b"PAR1" + bytes(99) + b"PAR1")


def claim_many_rows(files: dict[str, bytes]) -> None:
    """Claimed rows beyond memory, with the words that go with them."""
    edit_certificate(files, lambda c: c.update(rows=10**9))
    statement = files["statement.txt"].decode()
    changed = statement.replace(f"{len(ROWS)} synthetic rows", f"{10**9:,} synthetic rows")
    assert changed != statement
    replace_signed(files, "statement.txt", changed.encode())


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (write_long_text, r"^The certificate holds a text of over 4,000 characters\.$"),
        (deep, r"^'plan.json' in the bundle is nested too deeply\.$"),
        (
            many_lists,
            r"^'plan.json' in the bundle has more than 1,000,000 lists and objects or ",
        ),
        (
            many_texts,
            r"^'plan.json' in the bundle has more than .* or 4,000,000 texts, the limit",
        ),
        (long_record, r"^'domain.json' in the bundle is larger than 32 MB, the limit\.$"),
        (write_in_another_layout, r"^'synthetic.parquet' does not have Synth's layout\.$"),
        (
            write_other_types,
            r"^'synthetic.parquet' does not h(ave the columns|old values) of the dom",
        ),
        (write_huge_texts, r"^'synthetic.parquet' does not hold values of the domain\.$"),
        (no_parquet, r"^'synthetic.parquet' is not a Parquet file\.$"),
        (
            claim_many_rows,
            r"^The bundle's 1,000,000,000 rows of 5 columns do not fit in 4,096 MB of",
        ),
    ],
)
def test_a_hostile_bundle_is_one_sentence(
    bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tamper: Callable[[dict[str, bytes]], None],
    sentence: str,
) -> None:
    """A bundle with one file changed to exhaust or mislead its reader is refused.

    Each case changes a file of a sound bundle, and its digest in the certificate as well. The
    limit of bytes of a group of rows is lowered to 1 MB. To find another layout of few rows,
    rows come five at a time.
    """
    monkeypatch.setattr(limits, "GROUP_MB", 1)
    monkeypatch.setattr(
        limits, "ROWS_AT_A_TIME", 5 if tamper is write_in_another_layout else 2**18
    )
    files = read_bundle(bundle)
    tamper(files)

    with pytest.raises(SynthError, match=sentence):
        verify(rezip(tmp_path / "b.zip", files))


PEAK = """
import sys
from synth.errors import SynthError
from synth.verification.checks import open_bundle

try:
    open_bundle(sys.argv[1])
    said = "opened"
except SynthError as error:
    said = str(error)
line = next(l for l in open("/proc/self/status") if l.startswith("VmHWM"))
print(int(line.split()[1]) // 1024, said)
"""


def measure_peak(path: Path) -> tuple[int, str]:
    """Most memory in MB that a process took to open a bundle, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    megabytes, _, sentence = done.stdout.strip().partition(" ")
    return int(megabytes), sentence


def stuff_bundle(bundle: Path, folder: Path, rows: int, *, claimed: bool, group: int) -> Path:
    """A bundle whose Parquet file has so many rows, and whose certificate may say so."""
    files = read_bundle(bundle)
    if claimed:
        edit_certificate(files, lambda c: c.update(rows=rows))
        statement = files["statement.txt"].decode()
        statement = statement.replace(
            f"{len(ROWS)} synthetic rows", f"{rows:,} synthetic rows"
        )
        replace_signed(files, "statement.txt", statement.encode())
        lines = f"{','.join(MIXED.names)}\n".encode() + b"F,F,F,F,F\n" * (rows // 10)
        replace_signed(files, "synthetic.csv", lines)
    path = write_equal_rows(folder / "rows.parquet", rows, group)
    replace_signed(files, "synthetic.parquet", path.read_bytes())
    return rezip(folder / "t.zip", files)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
@pytest.mark.parametrize(
    ("rows", "claimed", "group", "sentence"),
    [
        (
            10**7,
            False,
            10**9,
            "The certificate's number of synthetic rows does not match the tab",
        ),
        pytest.param(
            10**7, True, 10**9, "does not have Synth's layout", marks=pytest.mark.slow
        ),
        pytest.param(10**7, True, 2**18, "do not hold the same", marks=pytest.mark.slow),
        pytest.param(10**8, False, 10**9, "does not match the table", marks=pytest.mark.slow),
    ],
)
def test_many_rows_take_no_memory(
    readable: Path, tmp_path: Path, rows: int, claimed: bool, group: int, sentence: str
) -> None:
    """A bundle stuffed with millions of equal rows is refused in little memory.

    Equal rows make a small file. The certificate may claim their number, and the rows may be
    in groups of Synth's size or in one large group. The process takes less than 100 MB more
    than for the sound bundle.
    """
    usual_peak, opened = measure_peak(readable)
    assert opened == "opened"

    peak, sentence_said = measure_peak(
        stuff_bundle(readable, tmp_path, rows, claimed=claimed, group=group)
    )
    assert sentence in sentence_said
    assert peak < usual_peak + 100

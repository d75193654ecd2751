"""Hostile files: each is one sentence, and the process that asked for it goes on."""

import gzip
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth import limits
from synth.bundle.archive import read_archive
from synth.errors import LimitError, ReleaseError, SynthError
from synth.foreign import parent
from synth.foreign.folders import Folder, place
from synth.foreign.parent import read_apart
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.privacy.guarantee import Neighbors
from synth.table.csv_options import Format
from synth.table.private_table import open_table
from synth.verification import verify
from synth.verification.reopen import open_bundle
from tests.bundle.bundles import certified, contents, rezip, signed
from tests.tables import MIXED, ROOT, ROWS, write

LINUX = pytest.mark.skipif(not parent.MEMORY_IS_LIMITED, reason="the system limits no memory")
MB = 2**20


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    """Whatever is refused leaves no private copy behind."""
    before = set(place().iterdir())
    yield
    assert set(place().iterdir()) <= before


def workbook(path: Path, sheet: str | bytes, *, spare: bytes = b"") -> Path:
    """A workbook of one sheet, by hand."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{rel}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets><sheet name="One" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{rel}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": sheet,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
        if spare:
            archive.writestr("xl/media/image1.bin", spare)
    return path


def sheet(*cells: str) -> str:
    """Cells with a 1 in each."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(
        f'<row r="{cell.lstrip("ABCDEFGX")}"><c r="{cell}"><v>1</v></c></row>' for cell in cells
    )
    return f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'


def zeros(path: Path, name: str, megabytes: int) -> Path:
    """A zip file with zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(name, "w", force_zip64=True) as member:
            for _ in range(megabytes):
                member.write(bytes(MB))
    return path


# Workbooks.


def test_a_workbook_by_hand_is_read(tmp_path: Path) -> None:
    table = open_table(workbook(tmp_path / "t.xlsx", sheet("A1", "B2")))
    assert table.data.read_text() == '"1",""\n"","1"\n'


@LINUX
def test_two_far_corners_are_one_sentence(tmp_path: Path) -> None:
    path = workbook(tmp_path / "far.xlsx", sheet("A1", "XFD1048576"))
    assert path.stat().st_size < 2_000
    with pytest.raises(
        LimitError,
        match=r"^'far.xlsx' needs more than 2,048 MB of memory to be read, the limit \(SYNTH_FOR",
    ):
        open_table(path)


def test_a_sheet_that_would_fill_the_disk_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNPACKED_MB", 1)
    path = workbook(tmp_path / "wide.xlsx", sheet("A1", "A400000"))
    with pytest.raises(LimitError, match=r"'wide.xlsx' unpacks to more than 1 MB or 200 times"):
        open_table(path)


def test_a_workbook_is_measured_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNPACKED_FREE_MB", 1)
    path = workbook(tmp_path / "bomb.xlsx", sheet("A1"), spare=bytes(4 * MB))
    with pytest.raises(LimitError, match=r"'bomb.xlsx' unpacks to more than 8,192 MB or 200 times"):
        open_table(path)


def test_where_memory_has_no_limit_such_files_may_only_be_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parent, "MEMORY_IS_LIMITED", False)
    path = workbook(tmp_path / "t.xlsx", sheet("A1"))
    open_table(path)
    monkeypatch.setattr(limits, "FOREIGN_FILE_MB", 0)
    with pytest.raises(LimitError, match=r"'t.xlsx' is larger than 0 MB, the limit .* as CSV"):
        open_table(path)
    zipped = tmp_path / "t.csv.gz"
    zipped.write_bytes(gzip.compress(b"a\n1\n"))
    assert open_table(zipped).header == ("a",)


def test_a_sheet_by_name_and_a_header_further_down(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", sheet("A1", "A2", "A3"))
    assert open_table(path, Format(header=2, sheet="One")).data.read_text() == '"1"\n"1"\n'
    with pytest.raises(SynthError, match=r"'t.xlsx' has no sheet 'Two'; it has One\.$"):
        open_table(path, Format(sheet="Two"))


# The child process.


def child_that(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(parent, "COMMAND", (sys.executable, "-P", "-c", code))


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.abort()",
        "raise MemoryError('cell 4711')",
        "import sys; print('cell 4711'); sys.exit(1)",
        "import os; os.kill(os.getpid(), 9)",
    ],
)
def test_its_death_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any, code: str
) -> None:
    path = workbook(tmp_path / "t.xlsx", sheet("A1"))
    child_that(monkeypatch, code)
    sentence = (
        "'t.xlsx' needs more than 2,048 MB of memory to be read, the limit (SYNTH_FOREIGN_MB), "
        "or it is damaged."
    )
    with pytest.raises(LimitError, match=f"^{re.escape(sentence)}$"):
        open_table(path)
    assert "4711" not in "".join(capfd.readouterr())


def test_its_time_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_FOREIGN_SECONDS", "1")
    child_that(monkeypatch, "import time; time.sleep(600)")
    path = workbook(tmp_path / "t.xlsx", sheet("A1"))
    with pytest.raises(LimitError, match=r"needs more than 1 seconds to be read, the limit \(SYN"):
        open_table(path)


@LINUX
def test_the_limits_are_what_the_server_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "t.xlsx", sheet("A1", "A1048576"))
    monkeypatch.setenv("SYNTH_FOREIGN_MB", "64")
    with pytest.raises(LimitError, match=r"needs more than 64 MB of memory"):
        open_table(path)


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import json, os, subprocess, sys\n"
        "from synth.foreign import parent\n"
        "child = subprocess.Popen(parent.COMMAND, stdin=subprocess.PIPE)\n"
        "child.stdin.write(json.dumps({'task': 'gzip', 'source': sys.argv[1], 'folder': '/',"
        " 'memory_mb': 500, 'seconds': 60, 'unpacked_mb': 1, 'ratio': 1, 'free_mb': 1}).encode()"
        " + b'\\n')\n"
        "child.stdin.flush()\nprint(child.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # nobody writes to it: who reads it waits
    done = subprocess.run(
        [sys.executable, "-c", code, str(pipe)], cwd=ROOT, stdout=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    child = int(done.stdout)
    for _ in range(600):
        if not alive(child):
            return
        time.sleep(0.05)
    pytest.fail("the child is still there")


def alive(process: int) -> bool:
    """Whether it is there, and no mere entry of a dead one."""
    try:
        os.kill(process, 0)
        stat = Path(f"/proc/{process}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_it_starts_with_next_to_nothing() -> None:
    code = (
        "import sys, synth.foreign.child; print({'numpy', 'pandas', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_statistics_files_are_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    from synth.foreign import child as foreign

    frame = pd.DataFrame({"a": [f"t{i}" for i in range(2500)], "b": range(2500)})
    monkeypatch.setattr(foreign, "CELLS", 1)
    for name, writer in (("t.sav", "write_sav"), ("t.dta", "write_dta")):
        getattr(library, writer)(frame, str(tmp_path / name))
        read = getattr(library, foreign.READERS[Path(name).suffix])
        path = str(tmp_path / name)
        rows = list(foreign._columns(partial(_part, read, path)))
        assert rows[0] == ["a", "b"]
        assert [row[0] for row in rows[1:]] == list(frame["a"])
        assert [row[1] for row in rows[1:]] == list(frame["b"])


def _part(read: Any, path: str, **part: int) -> Any:
    return read(path, output_format="dict", **part)[0]


# Packed tables.


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
def test_zeros_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(limits, "UNPACKED_FREE_MB", 1)
    path = zeros(tmp_path / "t.zip", name, 64)
    assert path.stat().st_size < MB
    with pytest.raises(LimitError, match=r"'t.zip' unpacks to more than 8,192 MB or 200 times its"):
        open_table(path)


def test_thousands_of_members_are_no_table(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        for number in range(5_000):
            archive.writestr(f"{number}", b"")
    with pytest.raises(SynthError, match=r"^'t.zip' holds 5000 files; expected one table\.$"):
        open_table(tmp_path / "t.zip")
    with pytest.raises(ReleaseError, match=r"^The bundle holds more than 100 files\.$"):
        read_archive(tmp_path / "t.zip")


def test_a_member_that_says_it_is_small_is_cut_off(tmp_path: Path) -> None:
    path = zeros(tmp_path / "t.zip", "t.csv", 2)
    content = path.read_bytes()
    for size in (2 * MB).to_bytes(4, "little"), (2 * MB).to_bytes(8, "little"):
        content = content.replace(size, (10).to_bytes(len(size), "little"))
    path.write_bytes(content)
    with pytest.raises(SynthError, match=r"^'t.zip' cannot be unpacked; it is damaged or prot"):
        open_table(path)


def test_a_zip_within_a_zip_is_not_followed(tmp_path: Path) -> None:
    inner = zeros(tmp_path / "inner.zip", "t.csv", 1)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(inner, "inner.zip")
    with pytest.raises(SynthError, match=r"^'outer.zip' is packed twice; unpack it once\.$"):
        open_table(tmp_path / "outer.zip")


def test_a_members_name_is_never_a_path(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("../../t.x/../sh", b"a\n1\n")
    table = open_table(tmp_path / "t.zip")
    assert table.data.name == "unpacked"
    assert table.header == ("a",)


# Parquet tables.


def test_a_parquet_file_whose_footer_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pd.DataFrame({f"c{i}": [1] for i in range(200)}).to_parquet(tmp_path / "t.parquet")
    open_table(tmp_path / "t.parquet")
    monkeypatch.setattr(limits, "FOOTER_MB", 0)
    with pytest.raises(LimitError, match=r"^The footer of 't.parquet' has more than 0 MB, the lim"):
        open_table(tmp_path / "t.parquet")


# Bundles.


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    table = write(folder / "t.csv", list(MIXED.names), ROWS)
    plan = Plan(MIXED, 1, Neighbors.REPLACE_ONE, method=Method.DENSE)
    return synthesize(plan, table).write_archive(folder / "b.zip")


def monotonous(path: Path, rows: int, group: int = limits.ROWS_AT_A_TIME) -> Path:
    """A Parquet file of the domain's columns that says the same in every row."""
    step = 2**20
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * step, pa.int32()), ["F"])
    piece = pa.table(dict.fromkeys(MIXED.names, texts))
    with pq.ParquetWriter(path, piece.schema) as writer:
        for start in range(0, rows, step):
            writer.write_table(piece.slice(0, rows - start), row_group_size=group)
    return path


def test_a_bundle_of_zeros_is_not_unpacked(tmp_path: Path) -> None:
    path = zeros(tmp_path / "b.zip", "certificate.json", 70)
    with pytest.raises(ReleaseError, match=r"^The bundle unpacks to more than 200 times its size"):
        open_bundle(path)


def long_text(files: dict[str, bytes]) -> None:
    certified(files, lambda c: c["drawing"].update(seed="7" * 5_000))


def deep(files: dict[str, bytes]) -> None:
    signed(files, "plan.json", b'{"a":' * 500 + b"1" + b"}" * 500)


def long_record(files: dict[str, bytes]) -> None:
    signed(files, "domain.json", b" " * (limits.RECORD_MB * MB + 1))


def other_layout(files: dict[str, bytes]) -> None:
    table = pq.read_table(pa.BufferReader(files["synthetic.parquet"]))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=3)
    signed(files, "synthetic.parquet", sink.getvalue().to_pybytes())


def other_types(files: dict[str, bytes]) -> None:
    table = pq.read_table(pa.BufferReader(files["synthetic.parquet"]))
    lists = pa.array([[1]] * table.num_rows)
    sink = pa.BufferOutputStream()
    pq.write_table(table.set_column(1, "age", lists), sink)
    signed(files, "synthetic.parquet", sink.getvalue().to_pybytes())


def huge_texts(files: dict[str, bytes]) -> None:
    table = pq.read_table(pa.BufferReader(files["synthetic.parquet"]))
    texts = pa.array(["F" * (limits.GROUP_MB * MB + 1)] * table.num_rows)
    sink = pa.BufferOutputStream()
    pq.write_table(table.set_column(0, "sex", texts), sink)
    signed(files, "synthetic.parquet", sink.getvalue().to_pybytes())


def no_parquet(files: dict[str, bytes]) -> None:
    signed(files, "synthetic.parquet", b"PAR1" + bytes(99) + b"PAR1")


def many_rows(files: dict[str, bytes]) -> None:
    """Claimed rows beyond memory, with the words that go with them."""
    certified(files, lambda c: c.update(rows=10**9))
    said = files["statement.txt"].decode()
    changed = said.replace(f"{len(ROWS)} synthetic rows", f"{10**9:,} synthetic rows")
    assert changed != said
    signed(files, "statement.txt", changed.encode())


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (long_text, r"^The certificate holds a text of over 4,000 characters\.$"),
        (deep, r"^'plan.json' in the bundle is not a JSON object\.$"),
        (long_record, r"^'domain.json' in the bundle is larger than 32 MB, the limit\.$"),
        (other_layout, r"^'synthetic.parquet' is not laid out as Synth writes it\.$"),
        (other_types, r"^'synthetic.parquet' does not h(ave the columns|old values) of the dom"),
        (huge_texts, r"^'synthetic.parquet' does not hold values of the domain\.$"),
        (no_parquet, r"^'synthetic.parquet' is not a Parquet file\.$"),
        (many_rows, r"^The bundle's 1,000,000,000 rows of 5 columns do not fit in 4,096 MB of"),
    ],
)
def test_a_hostile_bundle_is_one_sentence(
    bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tamper: Callable[[dict[str, bytes]], None],
    sentence: str,
) -> None:
    monkeypatch.setattr(limits, "GROUP_MB", 1)
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 5 if tamper is other_layout else 2**18)
    files = contents(bundle)
    tamper(files)
    with pytest.raises(SynthError, match=sentence):
        verify(rezip(tmp_path / "b.zip", files))


PEAK = """
import sys
from synth.errors import SynthError
from synth.verification.reopen import open_bundle
try:
    open_bundle(sys.argv[1])
    said = "opened"
except SynthError as error:
    said = str(error)
line = next(l for l in open("/proc/self/status") if l.startswith("VmHWM"))
print(int(line.split()[1]) // 1024, said)
"""


def peak(path: Path) -> tuple[int, str]:
    """Most memory in MB that a process took to open a bundle, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)], cwd=ROOT, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    megabytes, _, said = done.stdout.strip().partition(" ")
    return int(megabytes), said


def stuffed(bundle: Path, folder: Path, rows: int, *, claimed: bool, group: int) -> Path:
    """A bundle whose Parquet file has so many rows, and whose certificate may say so."""
    files = contents(bundle)
    if claimed:
        certified(files, lambda c: c.update(rows=rows))
        said = files["statement.txt"].decode()
        said = said.replace(f"{len(ROWS)} synthetic rows", f"{rows:,} synthetic rows")
        signed(files, "statement.txt", said.encode())
        lines = f"{','.join(MIXED.names)}\n".encode() + b"F,F,F,F,F\n" * (rows // 10)
        signed(files, "synthetic.csv", lines)
    path = monotonous(folder / "rows.parquet", rows, group)
    signed(files, "synthetic.parquet", path.read_bytes())
    return rezip(folder / "t.zip", files)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
@pytest.mark.parametrize(
    ("rows", "claimed", "group", "sentence"),
    [
        (10**7, False, 10**9, "The certificate's number of synthetic rows is not that of the tab"),
        pytest.param(10**7, True, 10**9, "is not laid out as Synth", marks=pytest.mark.slow),
        pytest.param(10**7, True, 2**18, "do not hold the same", marks=pytest.mark.slow),
        pytest.param(10**8, False, 10**9, "is not that of the table", marks=pytest.mark.slow),
    ],
)
def test_many_rows_take_no_memory(
    bundle: Path, tmp_path: Path, rows: int, claimed: bool, group: int, sentence: str
) -> None:
    usual, opened = peak(bundle)
    assert opened == "opened"
    found, said = peak(stuffed(bundle, tmp_path, rows, claimed=claimed, group=group))
    assert sentence in said
    assert found < usual + 100


def test_what_a_child_answers_is_no_program(tmp_path: Path) -> None:
    with Folder() as folder:
        (tmp_path / "t.gz").write_bytes(gzip.compress(b"a"))
        answer = read_apart("gzip", tmp_path / "t.gz", folder, "t.gz")
        assert json.loads(json.dumps(answer)) == {"unpacked": "unpacked"}

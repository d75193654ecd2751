"""Hostile files of every kind, handed to the server: what they cost it in memory and in
silence.
"""

import gzip
import io
import json
import os
import random
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pandas as pd
import pytest
from playwright.sync_api import Browser, Locator, expect

from synth.collecting import design_text
from tests.collecting.forms import answer_line, make_design
from tests.e2e.browser import Steward, process_of, server
from tests.e2e.test_memory import pytestmark as marks
from tests.e2e.test_memory import resident_mb, resting_mb
from tests.foreign.files import MB, write_sheet
from tests.foreign.files import write_workbook as write_workbook_at
from tests.patience import until

pytestmark = marks

FILES = int(os.environ.get("SYNTH_HOSTILE", "3"))
"""Files of each kind."""
MOST_MB = 300
MOST_SECONDS = 2

TABLE = "sex,age\n" + "1,44\n2,55\n" * 50
LINES = "\n".join(
    answer_line(make_design(), (number % 2, number % 2), number) for number in range(50)
)


def zip_of_one(
    name: str, content: bytes, times: int = 1, declared_extra: int = 0, dense: int = 0
) -> bytes:
    """A zip whose first member is ``content``, ``times`` over.

    It also has a member of ``dense`` random bytes, which no zip makes smaller, and
    ``declared_extra`` members of two bytes each.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(name, "w", force_zip64=True) as file:
            for _ in range(times):
                file.write(content)
        if dense:  # so that the ratio is nothing to speak of
            archive.writestr("noise.bin", random.Random(1).randbytes(dense))
        for number in range(declared_extra):
            archive.writestr(f"{number}.json", b"{}")
    return buffer.getvalue()


def write_parquet() -> bytes:
    """A Parquet file as it should be: 1,000 rows of two columns."""
    buffer = io.BytesIO()
    pd.DataFrame({"sex": ["1", "2"] * 500, "age": range(1_000)}).to_parquet(buffer)
    return buffer.getvalue()


def write_workbook(*cells: str, spare: bytes = b"") -> bytes:
    """A workbook with these cells, written by hand, and with ``spare`` bytes besides."""
    path = Path(os.environ["SYNTH_HOME"]) / "book.xlsx"
    return write_workbook_at(path, write_sheet(*cells), spare=spare).read_bytes()


def write_statistics_file(ending: str) -> bytes:
    """An SPSS (sav) or Stata (dta) file as it should be, of two rows."""
    import pyreadstat

    path = Path(os.environ["SYNTH_HOME"]) / f"s.{ending}"
    frame = pd.DataFrame({"sex": [1.0, 2.0]})
    getattr(pyreadstat, f"write_{ending}")(frame, path)
    return path.read_bytes()


def write_references(codes: int, variables: int) -> bytes:
    """DDI Lifecycle whose variables all refer to one list of codes."""
    code_list = "".join(f"<Code><Value>{i}</Value></Code>" for i in range(codes))
    variable_text = (
        "<VariableName>{}</VariableName><CodeListReference><ID>k</ID></CodeListReference>"
    )
    variable_list = "".join(
        f"<Variable>{variable_text.format(f'v{i}')}</Variable>" for i in range(variables)
    )
    return f"<i><CodeList><ID>k</ID>{code_list}</CodeList>{variable_list}</i>".encode()


def write_ranges(number: int) -> bytes:
    """DDI Codebook with so many codes, and so many ranges of missing ones."""
    codes = "".join(f"<catgry><catValu>{i}</catValu></catgry>" for i in range(number))
    missing = "".join(f'<item min="-{i + 2}" max="-{i + 1}"/>' for i in range(number))
    return f"<x><var name='sex'>{codes}<invalrng>{missing}</invalrng></var></x>".encode()


def write_fields(number: int) -> bytes:
    """A declaration of so many columns, most of which nobody has."""
    field_list = [{"name": "sex", "constraints": {"enum": ["1", "2"]}}]
    return json.dumps(
        {"fields": field_list + [{"name": f"c{i}"} for i in range(number)]}
    ).encode()


def write_codes(number: int) -> bytes:
    """A declaration of one column of so many categories."""
    enum = [f"{i}" for i in range(number)]
    return json.dumps({"fields": [{"name": "sex", "constraints": {"enum": enum}}]}).encode()


KINDS: dict[str, Callable[[], list[bytes]]] = {
    "csv": lambda: [TABLE.encode(), b'"' * 8 * MB, b"a," * 4 * MB, b"a\n" + b"\0" * 8 * MB],
    "csv.gz": lambda: [gzip.compress(TABLE.encode()), gzip.compress(bytes(512 * MB), 1)],
    "zip": lambda: [
        zip_of_one("t.csv", TABLE.encode()),
        zip_of_one("t.csv", bytes(MB), 512),
        zip_of_one("t.csv", b"a", declared_extra=20_000),
    ],
    "parquet": lambda: [
        write_parquet(),
        b"PAR1" + b"\xff" * 8 * MB + (7 * MB).to_bytes(4, "little") + b"PAR1",
    ],
    "xlsx": lambda: [
        write_workbook("A1", "B1", "A2"),
        write_workbook("A1", "A2", "XFD1048576", "A1048576"),
        write_workbook("A1", spare=bytes(512 * MB)),
    ],
    "sav": lambda: [write_statistics_file("sav"), b"$FL2" + b"\xff" * 8 * MB],
    "dta": lambda: [write_statistics_file("dta"), b"<stata_dta>" + b"\xff" * 8 * MB],
    "xml": lambda: [
        write_references(3, 3),
        write_references(8_000, 8_000),
        write_ranges(60_000),
        b"<a>" + b"<b/>" * 1_900_000 + b"</a>",
    ],
    "code book csv": lambda: [
        b"name,values\nsex,1=a;2=b\n",
        b"name,values\n" + b"".join(b"s%d,a%sb\n" % (i, b" " * 130_000) for i in range(60)),
        b"a,b\n" + b"a\n" * 3_900_000 + b"b," * 199,
    ],
    "code book xlsx": lambda: [
        write_workbook("A1", "B1", "A2"),
        write_workbook("A1", "XFD1", "XFD500"),
    ],
    "json": lambda: [
        write_codes(2),
        write_fields(19_000),
        write_codes(700_000),
        b'{"fields": [], "x": [' + b"[]," * 2_600_000 + b"[]]}",
        b'{"tableSchema": {"columns": ['
        + b",".join(b'{"titles": "c%d"}' % i for i in range(30_000))
        + b']}, "null": '
        + json.dumps([f"m{i}" for i in range(300_000)]).encode()
        + b"}",
    ],
    "answers": lambda: [LINES.encode(), b"[]," * 10 * MB, b"x\n" * 100_000, b"\n" * 16 * MB],
    "answers zip": lambda: [
        zip_of_one("a.json", LINES.encode()),
        zip_of_one("a.json", b"{}", 1, 30_000),
        zip_of_one("a.json", b"[]," * MB, 70, 0, 2 * MB),
        zip_of_one("a.csv", b"a," * MB, 100, 0, 2 * MB),
    ],
    "form": lambda: [design_text(make_design()).encode(), b"[" + b"[]," * 2_600_000 + b"[]]"],
    "bundle": lambda: [
        zip_of_one("certificate.json", b"{}"),
        zip_of_one("certificate.json", b"[" + b"[]," * 10 * MB + b"[]]"),
        zip_of_one("certificate.json", bytes(MB), 512),
    ],
}
"""By kind, a file as it should be, and some that are meant to hurt; others are made of
these.
"""
BOOKS = ("xml", "json", "code book csv", "code book xlsx")


def hostile_files(kind: str) -> Iterator[bytes]:
    """`FILES` files of a kind: those that are meant to hurt, and then good ones that are
    spoiled.

    A spoiled file is the good one of its kind with 1, 2, 3 ... bytes changed at random.
    """
    good_file, *bad = KINDS[kind]()
    for number in range(FILES):
        if number < len(bad):
            yield bad[number]
            continue
        chance = random.Random(number)
        content = bytearray(good_file)
        for _ in range(1 + number):
            content[chance.randrange(len(content))] = chance.randrange(256)
        yield bytes(content)


class Watched:
    """The server's memory at its peak, and the longest it took to say that it is there."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.peak = 0.0
        self.silence = 0.0

    def ask(self) -> None:
        """Ask how it is, once."""
        start = monotonic()
        with suppress(OSError):
            urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=60).close()
        self.silence = max(self.silence, monotonic() - start)
        self.peak = max(self.peak, resident_mb(self.url))

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch it in this block."""
        done = Event()

        def look() -> None:
            while not done.wait(0.05):
                self.ask()

        thread = Thread(target=look)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def go_to_page_of(steward: Steward, kind: str, table: Path) -> None:
    """Go to the page where files of a kind are handed in."""
    if kind in BOOKS:
        steward.upload(table)
        steward.wait_for_text("has 2 columns")
        steward.go_to_next("Domain")
    elif kind in ("answers", "answers zip", "form"):
        steward.page.get_by_role("link", name="Collect").click()
        steward.page.get_by_role("heading", name="Collect", exact=True).wait_for()


def uploader(steward: Steward, kind: str) -> Locator:
    """Where they are handed in there; what folds when a file is taken is opened again."""
    about = ""
    if kind in BOOKS:
        steward.open("Import or save a description")
        about = "8MB"
    elif kind in ("answers", "answers zip", "form"):
        about = "The form, if" if kind == "form" else "Answers: "
    elif kind == "bundle":
        steward.open("Go on from a bundle")
        about = "bundle.zip"
    steward.wait_until_idle()
    file_input = steward.page.get_by_test_id("stFileUploader")
    return (
        (file_input.filter(has_text=about) if about else file_input)
        .locator("input[type=file]")
        .first
    )


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_cost_the_server_little(
    kind: str,
    chromium: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files that are meant to exhaust a reader take neither memory nor time of the server
    itself.

    Each file of a kind (`KINDS`) is handed to the page that takes it. The server may grow by
    300 MB at its peak, must answer every health check within 2 s, and shows no error of a
    script. A child process reads the files, so their cost is not the server's.
    """
    home = tmp_path / "home"
    table = tmp_path / "table.csv"
    home.mkdir()
    table.write_text(TABLE)
    monkeypatch.setenv("SYNTH_HOME", str(home))
    monkeypatch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "1")
    name = {"answers": "answers.jsonl", "form": "form.json"}.get(
        kind, f"file.{kind.split()[-1]}"
    )
    path = tmp_path / name.replace(".bundle", ".zip")

    with server(tmp_path / "log.txt") as url:
        resting_mb(chromium, url, table)
        idle = resident_mb(url)
        watched = Watched(url)
        context = chromium.new_context()
        steward = Steward(context.new_page(), url)
        go_to_page_of(steward, kind, table)
        with watched.on():
            for content in hostile_files(kind):
                path.write_bytes(content)
                place = uploader(steward, kind)
                with steward.waiting_for_rerun():
                    steward.hand_over(place, path)
                expect(steward.page.get_by_test_id("stException")).to_have_count(0)
        context.close()
        after = resting_mb(chromium, url, table)

    print(
        f"{kind}: {FILES} files, {idle:.0f} MB idle, {watched.peak - idle:+.0f} MB at the "
        f"peak, {after - idle:+.0f} MB after, silent for {watched.silence:.2f} s"
    )
    assert watched.peak - idle < MOST_MB
    assert watched.silence < MOST_SECONDS


def list_readers(url: str) -> list[Path]:
    """The children of the server that read a foreign file."""
    reader_names = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            ours = parent == process_of(url).name
            if ours and b"synth.foreign.child" in (process / "cmdline").read_bytes():
                reader_names.append(process)
    return reader_names


def test_a_closed_page_ends_its_work(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a page is closed, the child process that reads its file ends within 10 s.

    Without that, eight million wrong lines would keep it busy for minutes. After two seconds
    it is still at work, so that it does not end by itself.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    (tmp_path / "answers.jsonl").write_bytes(b"x\n" * 8 * MB)
    with server(tmp_path / "log.txt") as url:
        context = chromium.new_context()
        steward = Steward(context.new_page(), url)
        go_to_page_of(steward, "answers", tmp_path)
        steward.hand_over(uploader(steward, "answers"), tmp_path / "answers.jsonl")
        assert until(lambda: list_readers(url))
        sleep(2)
        assert list_readers(url)
        context.close()
        assert until(lambda: not list_readers(url), 10)

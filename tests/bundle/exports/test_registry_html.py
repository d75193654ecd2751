"""The format of `docs/extending/format.md`, which keeps the contract of all others."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.bundle import FORMATS, FileFormat
from synth.bundle.exports.columns import HeldColumn
from synth.cli.main import main
from synth.domain import Column, write_schema
from synth.rows import SyntheticTable
from tests.bundle.bundles import read_bundle
from tests.bundle.exports.contract import FormatContract
from tests.tables import MIXED, ROWS, write


@dataclass(frozen=True, eq=False)
class HtmlTable(FileFormat):
    """Pages with one table, whose cells have the texts of the CSV file."""

    def hold_column(self, column: Column, name: str) -> HeldColumn:
        """Hold every column as texts."""
        return HeldColumn(column=column, name=name)

    def write(self, rows: SyntheticTable, path: Path) -> None:
        """Write the rows one after the other."""
        with path.open("w", encoding="utf-8", newline="") as file:
            head = "".join(f"<th>{escape(name)}" for name in rows.domain.written)
            file.write(f"<!DOCTYPE html><meta charset=utf-8><table>\n<tr>{head}\n")
            for cells in self.list_rows(rows):
                row = "".join(f"<td>{escape(text or '')}</td>" for text in cells)
                file.write(f"<tr>{row}</tr>\n")
            file.write("</table>\n")


HTML = HtmlTable(
    name="html",
    title="a browser",
    mime="text/html",
    remarks=("All columns are texts; what codes stand for is in dictionary.csv.",),
    max_rows=100_000,
)


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it beside the others."""
    monkeypatch.setitem(FORMATS, HTML.name, HTML)


class _Cells(HTMLParser):
    """The texts of cells, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.is_cell = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - of the parser
        """Begin a row or a cell."""
        self.is_cell = tag == "td"
        if tag == "tr":
            self.rows.append([])
        elif self.is_cell:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - of the parser
        """End it."""
        self.is_cell = False

    def handle_data(self, data: str) -> None:
        """Add to the text of a cell."""
        if self.is_cell:
            self.rows[-1][-1] += data


class TestHtml(FormatContract):
    name = "html"

    def read(self, path: Path) -> Iterator[list[str]]:
        """The rows below the head."""
        cells = _Cells()
        cells.feed(path.read_bytes().decode())
        yield from cells.rows[1:]


def test_python_releases_it(tmp_path: Path) -> None:
    """A format that is registered as in docs/extending works like those of Synth."""
    frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    release = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
    written = read_bundle(release.save(tmp_path / "b.zip", formats="html"))["synthetic.html"]
    release.save_table(tmp_path / "rows.html")
    assert (tmp_path / "rows.html").read_bytes() == written
    assert written.count(b"<td>f</td>") == (release.table["sex"] == "f").sum()
    confirmed = synth.verify(tmp_path / "b.zip").confirmed
    assert "'synthetic.html' holds the synthetic rows." in confirmed


def test_the_command_line_releases_it_and_refuses_before_any_spend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A format that holds 7 rows refuses 220 before there is a ledger; the same words work
    without that limit.
    """
    data = write(tmp_path / "t.csv", list(MIXED.names), ROWS * 20)
    schema = tmp_path / "d.json"
    schema.write_text(json.dumps(write_schema(MIXED)))
    words = ["release", str(data), "--domain", str(schema), "--neighbors", "replace-one"]
    words += [
        "--ledger",
        str(tmp_path / "l.db"),
        "--dataset",
        "t",
        "--budget",
        "2",
        "--anyway",
    ]
    words += ["--epsilon", "1", "--rows", "220", "--out", str(tmp_path / "out")]
    words += ["--formats", "csv,html"]
    with monkeypatch.context() as patched:
        patched.setitem(FORMATS, "html", replace(HTML, max_rows=7))
        assert main(words) == 2
    sentence = (
        "220 rows do not fit in a file for a browser, which holds 7; take Parquet or CSV.\n"
    )
    assert capsys.readouterr().err.endswith(sentence)
    assert not (tmp_path / "l.db").exists()
    assert main(words) == 0
    assert (tmp_path / "out" / "synthetic.html").is_file()

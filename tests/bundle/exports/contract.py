"""What every format must do: a test class of each inherits it.

Files are read back by readers that know nothing of Synth, and compared with the CSV file.
"""

import csv
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from synth.bundle import FORMATS, NOTES, FileFormat, export, formats_named, sha256
from synth.bundle.exports.columns import HeldColumn, Storage
from synth.cli.main import main
from synth.domain import (
    Boolean,
    Categorical,
    Date,
    Domain,
    Integer,
    Number,
    Outside,
    read_schema,
    write_moment,
)
from synth.errors import LimitError, ReleaseError
from synth.rows import SyntheticTable, decode, write_csv
from synth.verification import open_bundle, verify
from tests.bundle.bundles import read_bundle, replace_signed, rezip
from tests.tables import MIXED, SHARED

HOSTILE = Domain(
    (
        Categorical(
            name="=cmd|' /C calc'!A0",
            categories=(
                "=1+1",
                "@sum",
                "+1",
                "-5",
                "_x0041_",
                "a\x01b",
                "ü 漢",
                'q",\n"',
                "<b>&",
            ),
            missing=True,
        ),
        Categorical(
            name="a very long name that nobody can shorten 1", categories=("x" * 300, "y")
        ),
        Categorical(
            name="a very long name that nobody can shorten 2", categories=("z" * 5000, "ÿ")
        ),
        Categorical(
            name="code",
            categories=("1", "2", "3"),
            meanings={"1": "yes", "2": "yes", "3": "l" * 200},
            missing=True,
            outside=Outside.CELL,
            description="d" * 400,
        ),
        Categorical(name="CODE ", categories=("01", "2"), outside=Outside.CELL),
        Categorical(name="if", categories=("a",), description="tab\there"),
        Categorical(name="2nd", categories=("nul\x00cut", "nul\x00kept")),
        Boolean(name="漢字", true_values=("oui",), false_values=("non",), missing=True),
        Boolean(name="bit", true_values=("1",), false_values=("2",)),
        Integer(name="big", minimum=-(10**15), maximum=10**15, bins=4, missing=True),
        Number(name="fine", minimum="0", maximum="1e-3", bins=3, decimals=15),
        Number(name="wide", minimum="-1e14", maximum="1e14", bins=3, outside=Outside.CELL),
        Number(
            name="level",
            minimum=5,
            maximum=200,
            bins=3,
            signs=("<5", ">200", "=n.d.", "s" * 50, "."),
            meanings={"<5": "below"},
            missing=True,
            outside=Outside.CELL,
        ),
        Integer(name="count", minimum=-98, maximum=9, bins=2, signs=("few", "😀" * 50)),
        Date(name="due", minimum="2024-01-01", maximum="2024-12-31", signs=("not yet",)),
        Date(name="old", minimum="0850-01-01", maximum="0990-12-31", bins=3),
        Date(name="short", minimum="1970-01-01", maximum="2010-12-31", format="%d-%b-%y"),
        Date(
            name="month", minimum="2023-01", maximum="2024-12", format="%Y-%m", missing=True
        ),
        Date(name="year", minimum="1950", maximum="1999", format="%Y", outside=Outside.CELL),
        Date(
            name="minute",
            minimum="2020-01-01",
            maximum="2020-02-01",
            time=True,
            format="%d.%m.%Y %I:%M %p",
        ),
        Date(
            name="stamp",
            minimum="2020-01-01",
            maximum="2020-02-01",
            time=True,
            format="%Y-%m-%d %H:%M:%S.%f",
        ),
        Date(
            name="then",
            minimum="2020-01-01T00:00:00",
            maximum="2020-02-01T00:00:00",
            time=True,
        ),
        Date(
            name="day",
            minimum="1850-01-01",
            maximum="2024-02-01",
            format="%d.%m.%Y",
            missing=True,
            outside=Outside.CELL,
        ),
    ),
    ("-9", "NA"),
)

SCHEMAS = sorted(SHARED.glob("*/domain*.schema.json"))


def table_of(domain: Domain, rows: int = 200) -> SyntheticTable:
    """Rows in which every cell of a column comes up, the same each time."""
    rng = np.random.default_rng(5)
    codes = [
        rng.permutation(np.arange(rows) % c.size).astype(np.int32) for c in domain.columns
    ]
    return decode(domain, codes, seed=7)


def csv_rows(rows: SyntheticTable, folder: Path) -> list[list[str]]:
    """The rows as the CSV file has them."""
    write_csv(rows.parts(), folder / "plain.csv", missing=rows.domain.missing_marker)
    with (folder / "plain.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def as_text(value: Any, held_column: HeldColumn, marker: str) -> str:
    """What the CSV file says where a reader found a value."""
    column = held_column.column
    if value is None or value != value or value == "" or value == held_column.missing:
        return marker
    if held_column.storage is Storage.CODE:
        return column.cells[held_column.codes.index(float(value))]
    if held_column.storage is Storage.NUMBER:
        for text, code in held_column.text_codes.items():
            if value == code:
                return text
        return str(int(value)) if isinstance(column, Integer) else repr(float(value))
    if held_column.storage is Storage.BOOLEAN:
        return column.labels[bool(value)]
    if held_column.storage is Storage.DATE:
        is_moment = isinstance(value, datetime)
        moment = value if is_moment else datetime.combine(value, datetime.min.time())
        return write_moment(moment, column.pattern)
    return str(value)


class FormatContract:
    """The contract; a subclass says which format, and reads a file of it."""

    name: ClassVar[str]

    def read(self, path: Path) -> Iterable[Iterable[Any]]:
        """The cells of each row."""
        raise NotImplementedError

    @property
    def kind(self) -> FileFormat:
        return FORMATS[self.name]

    def compare(self, rows: SyntheticTable, path: Path, folder: Path) -> None:
        """See that a file has what the CSV file has."""
        domain = rows.domain
        held_columns = self.kind.hold(domain)
        pairs = [zip(cells, held_columns, strict=True) for cells in self.read(path)]
        cells_read = [
            [as_text(*pair, domain.missing_marker) for pair in row] for row in pairs
        ]
        csv_cells = csv_rows(rows, folder)
        plain = ("-9", "", "NA")
        for place, held_column in enumerate(held_columns):
            ours, theirs = (
                [row[place] for row in lines] for lines in (csv_cells, cells_read)
            )
            if (
                held_column.column.kind == "number"
                and held_column.storage is not Storage.TEXT
            ):
                ours = [
                    t if t in plain or t in held_column.text_codes else repr(float(t))
                    for t in ours
                ]
            assert ours == theirs, held_column.name

    @pytest.mark.parametrize("domain", [MIXED, HOSTILE], ids=["mixed", "hostile"])
    def test_files_hold_what_the_csv_file_does(self, domain: Domain, tmp_path: Path) -> None:
        rows = table_of(domain)
        path = export(rows, self.kind, tmp_path / self.kind.file)
        self.compare(rows, path, tmp_path)
        assert sha256(export(rows, self.kind, tmp_path / "again")) == sha256(path)

    @pytest.mark.skipif(not SCHEMAS, reason="needs the open tables")
    @pytest.mark.parametrize("schema", SCHEMAS, ids=lambda p: f"{p.parent.name}-{p.name}")
    def test_open_tables_are_written_and_read(self, schema: Path, tmp_path: Path) -> None:
        self.test_files_hold_what_the_csv_file_does(
            read_schema(schema.read_bytes()), tmp_path
        )

    def test_a_table_without_rows_is_an_empty_file(self, tmp_path: Path) -> None:
        empty = decode(MIXED, [np.zeros(0, dtype=np.int32) for _ in MIXED.columns], seed=1)
        assert [*self.read(export(empty, self.kind, tmp_path / self.kind.file))] == []

    def test_each_name_is_its_own_and_a_change_is_said(self) -> None:
        held_columns = self.kind.hold(HOSTILE)
        losses = "\n".join(self.kind.list_losses(HOSTILE))
        names = [held_column.name for held_column in held_columns]
        assert len({name.lower() for name in names}) == len(names)
        for held_column in held_columns:
            assert (
                held_column.name.lower() == held_column.column.name.lower()
                or f"is called '{held_column.name}'" in losses
            )
        assert losses.endswith("\n".join(self.kind.remarks))

    def test_too_many_rows_are_refused_before_any_is_written(self, tmp_path: Path) -> None:
        small = replace(self.kind, max_rows=199)
        small.check(MIXED, 199)
        with pytest.raises(
            LimitError, match=f"^200 rows do not fit in a file for {small.title}"
        ):
            export(table_of(MIXED), small, tmp_path / "file")
        assert not [*tmp_path.iterdir()]

    def test_it_is_known_by_its_name(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert formats_named(f"{self.name},.{self.name.upper()}") == (self.kind,)
        for command in ("export", "replicates"):
            with pytest.raises(SystemExit):
                main([command, "--help"])
            assert self.name in capsys.readouterr().out.partition("--formats F,F")[2]

    def test_a_bundle_says_what_it_is_and_is_checked(
        self, bundle_path: Path, tmp_path: Path
    ) -> None:
        bundle = open_bundle(bundle_path).result
        path = bundle.write_archive(tmp_path / "b.zip", formats=[self.kind])
        name = self.kind.file
        assert f"'{name}' holds the synthetic rows." in verify(path).confirmed
        files = read_bundle(path)
        (tmp_path / name).write_bytes(files[name])
        self.compare(bundle.synthetic, tmp_path / name, tmp_path)
        resources = {
            resource["path"]: resource
            for resource in json.loads(files["datapackage.json"])["resources"]
        }
        assert resources[name]["mediatype"] == self.kind.mime
        assert self.kind.title in resources[name]["description"]
        assert f"{name} ({self.kind.title})\n" in files[NOTES].decode()
        replace_signed(files, name, files[name][:-1] + b"!")
        with pytest.raises(
            ReleaseError, match=f"'{name}' does not contain the synthetic rows in"
        ):
            verify(rezip(tmp_path / "forged.zip", files))

    def test_it_is_exported_from_a_bundle_and_verified(
        self, bundle_path: Path, tmp_path: Path
    ) -> None:
        path = tmp_path / f"rows.{self.name}"
        assert main(["export", str(bundle_path), "-o", str(path)]) == 0
        notes = json.loads((tmp_path / f"{path.name}.json").read_text(encoding="utf-8"))[
            "notes"
        ]
        assert notes == [*self.kind.list_losses(MIXED)]
        assert main(["verify", str(bundle_path), "--file", str(path)]) == 0

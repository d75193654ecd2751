"""Layer 11: what tells tables, requests and columns apart, so that none is taken for
another.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from synth.domain import Categorical, Domain, Integer
from synth.door import Ledger
from synth.drafting import DraftRequest
from synth.errors import LedgerError, TableError
from synth.estimate import FitCheck
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors, Unit
from synth.private.table import Format, PrivateTable, csv_options, private_table
from synth.private.table.frames import held_table
from synth.questions import Inquiry
from synth.spending import purchase

ADD, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE_ONE
SEX, AGE = (
    Categorical(name="sex", categories=("F", "M")),
    Integer(name="age", minimum=0, maximum=9),
)
DOMAIN = Domain((SEX, AGE))
DOMAINS = (
    DOMAIN,
    DOMAIN.project(("sex",)),
    replace(DOMAIN, missing_values=("", "NA")),
    Domain((SEX, replace(AGE, maximum=19))),
    Domain((SEX, replace(AGE, missing=True)), ("", "NA")),
    Domain((replace(SEX, categories=("F", "M", "X")), AGE)),
)
FORMATS = (
    Format(),
    Format(delimiter=";"),
    Format(delimiter="\t"),
    Format(encoding="cp1252"),
    Format(header=0),
    Format(header=3),
    Format(comment="#"),
    Format(decimal=","),
    Format(thousands="'"),
    Format(sheet="people"),
    Format(ragged="fill"),
    Format(lines="span"),
    Format(line_end="lf"),
    Format(line_end="cr"),
    Format(header=0, columns=3),
    Format(header=0, columns=2),
    Format(delimiter=";", decimal=","),
)
"""Each option once, the last ones beside another."""
LONG = b"1\n" * 600_000
"""More than a block of what is read at once."""
MANY = 1 << 16
"""As many rows as are written at once of a table in memory."""


Spend = Plan | FitCheck | Inquiry | DraftRequest


def of_file(path: Path, **options: Any) -> PrivateTable:
    return PrivateTable(path=path, header=("a",), data=path, **options)


# Tables.


@cache
def _tables() -> tuple[TemporaryDirectory[str], list[PrivateTable], Ledger, Ledger]:
    """Tables of which no two are the same, two ledgers in files, and the folder of all."""
    folder: TemporaryDirectory[str] = TemporaryDirectory()
    path = Path(folder.name)
    first_ledger, second_ledger = (Ledger(path / name) for name in ("one.db", "other.db"))
    return folder, [*_files(path), *_folders(path), *_frames()], first_ledger, second_ledger


def marking() -> str:
    """Tables that differ in anything have marks that differ; the same one has its mark
    again.
    """
    folder, tables, ledger, other_ledger = _tables()
    marks = [purchase.mark_of(table, ledger) for table in tables]
    if len(set(marks)) < len(marks):
        return "two tables have one mark"
    if not all(marks):
        return "a table has no mark"
    if marks[-20:] != [purchase.mark_of(table, ledger) for table in tables[-20:]]:
        return "a table is not known again"
    if purchase.mark_of(tables[-1], other_ledger) in marks:
        return "the mark of a table is known without the key"
    copy = Path(folder.name) / "copy"
    copy.write_bytes(tables[0].path.read_bytes())
    if purchase.mark_of(of_file(copy), ledger) != marks[0]:
        return "the same bytes are not known elsewhere"
    if purchase.mark_of(of_file(copy, catalog="db.t"), ledger):
        return "a table of a cluster is taken for a file"
    rows = pa.concat_tables([_rows().slice(0, 9), _rows().slice(9)])
    if purchase.mark_of(held_table(rows), ledger) != purchase.mark_of(
        held_table(_rows()), ledger
    ):
        return "the same rows are not known in other pieces"
    return ""


def _files(folder: Path) -> Iterator[PrivateTable]:
    """Long and short files that differ in a byte at the end, or in their length alone."""
    contents = [LONG, LONG + b"1", LONG[:-1] + b"2", b"2" + LONG[1:], LONG + LONG]
    contents += [b"%d\n" % i for i in range(300)]
    for number, content in enumerate(contents):
        path = folder / f"{number}.csv"
        path.write_bytes(content)
        yield of_file(path)


def _folders(folder: Path) -> Iterator[PrivateTable]:
    """The same bytes in other files; and bytes that differ in the last file alone."""
    for number, contents in enumerate(
        [
            (b"one", b"two"),
            (b"onet", b"wo"),
            (b"onetwo", b""),
            (b"", b"onetwo"),
            (b"one", b"two", b""),
            (b"two", b"one"),
            (b"one", LONG),
            (b"one", LONG[:-1] + b"2"),
            (b"one" + LONG, b""),
        ]
    ):
        inside = folder / f"folder {number}"
        inside.mkdir()
        parts = tuple(inside / f"{place}.parquet" for place in range(len(contents)))
        for part, content in zip(parts, contents, strict=True):
            part.write_bytes(content)
        yield of_file(inside, parts=parts)


@cache
def _rows() -> pa.Table:
    numbers = np.arange(MANY + 9)
    return pa.table({"a": numbers, "b": numbers % 7})


def _frames() -> Iterator[PrivateTable]:
    """Tables in memory that differ in a cell, a name, a type, their order or their length."""
    frame_of_rows, numbers = _rows(), np.arange(MANY + 9)
    changed, last = numbers.copy(), numbers % 7
    changed[0], last[-1] = 5, 99
    missing = pa.array(numbers, mask=numbers == 0)
    for frame in (
        frame_of_rows,
        frame_of_rows.set_column(0, "a", [pa.array(changed)]),
        frame_of_rows.set_column(1, "b", [pa.array(last)]),
        frame_of_rows.set_column(0, "a", [missing]),
        frame_of_rows.set_column(0, "a", [pa.array(numbers.astype(np.uint64))]),
        frame_of_rows.rename_columns(["a", "c"]),
        frame_of_rows.select(["b", "a"]),
        frame_of_rows.take(pa.array(numbers[::-1])),
        frame_of_rows.slice(0, MANY),
        frame_of_rows.slice(0, MANY + 8),
        pa.table({"a": ["1", "2"]}),
        pa.table({"a": ["12", ""]}),
        pa.table({"a": ["1", None]}),
    ):
        yield held_table(frame)


# Requests.


def requesting() -> str:
    """Whatever changes an answer changes the request, and a ledger keeps requests apart."""
    tables = [of_file(Path("t"), asked=form.options) for form in FORMATS]
    kinds: list[list[Spend]] = [
        [*list_requests()] for list_requests in (_plans, _checks, _inquiries, _drafts)
    ]
    pairs = [
        (request, tables[0]) for requests_of_kind in kinds for request in requests_of_kind
    ]
    pairs += [
        (requests_of_kind[0], table) for requests_of_kind, table in product(kinds, tables[1:])
    ]
    requests = [purchase.request_of(request, table) for request, table in pairs]
    if len(set(requests)) < len(requests):
        return "two requests are one"
    if any(csv_options.parse_format(form.options) != form for form in FORMATS):
        return "a format is not read as it was asked for"
    return _paying()


def _paying() -> str:
    """A ledger finds the spend of the same request, and of no other."""
    purchase_of: Any = {
        "guarantee": Guarantee.pure(1),
        "neighbors": REPLACE,
        "purpose": "audit",
    }
    triples = [
        *product("de", "tu", "qr"),
        ("d", "tq", "r"),
        ("d", "t", "tq"),
        ("dt", "t", "q"),
    ]
    requests = [
        dict(zip(("dataset", "table", "request"), triple, strict=True)) for triple in triples
    ]
    with Ledger() as ledger:
        for number, request in enumerate(requests, 1):
            if (
                ledger.paid(**request)
                or ledger.spend(**purchase_of, **request).number != number
            ):
                return "a request is taken for another"
        entries = [ledger.paid(**request) for request in requests]
        if [entry and entry.number for entry in entries] != list(range(1, len(requests) + 1)):
            return "a spend is not found again"
        if ledger.paid(dataset="d", table="", request="q"):
            return "an unknown table is taken for another"
        for change in (
            {"guarantee": Guarantee.pure(2)},
            {"guarantee": Guarantee.approximate(1, Fraction(1, 10**9))},
            {"neighbors": ADD},
            {"person": "pid"},
        ):
            number_of_entries = len(ledger.entries())
            with suppress(LedgerError):
                ledger.spend(**(purchase_of | change), **requests[0])
                if len(ledger.entries()) == number_of_entries:
                    return "more is spent than was paid for"
    return ""


def _plans() -> Iterator[Plan]:
    base = Plan(domain=DOMAIN, epsilon=Fraction(1), method=Method.ONE_SHOT)
    yield from (replace(base, domain=domain) for domain in DOMAINS)
    yield from (
        replace(base, neighbors=ADD, unit=Unit("pid", max_rows)) for max_rows in (1, 2)
    )
    yield from (
        replace(base, epsilon=Fraction(1, 2)),
        replace(base, neighbors=ADD),
        replace(base, unit=Unit("pid")),
        replace(base, unit=Unit("kin")),
        replace(base, method=Method.DENSE),
        replace(base, method=Method.ADAPTIVE),
        replace(base, delta=Fraction(1, 10**6)),
        replace(base, predict="sex"),
        replace(base, method=Method.GROUPS, groups=(("sex", "age"),)),
        replace(base, method=Method.GROUPS, groups=(("sex",), ("age",))),
    )


def _checks() -> Iterator[FitCheck]:
    base = FitCheck(
        domain=DOMAIN, epsilon=Fraction(1), neighbors=REPLACE, unit=Unit(), dataset="d"
    )
    yield from (replace(base, domain=domain) for domain in DOMAINS)
    yield from (
        replace(base, epsilon=Fraction(1, 2)),
        replace(base, neighbors=ADD),
        replace(base, unit=Unit("pid")),
        replace(base, unit=Unit("pid", 2)),
        replace(base, columns=("sex",)),
        replace(base, columns=("age",)),
    )


def _inquiries() -> Iterator[Inquiry]:
    base = Inquiry.read(["count where age >= 5"], DOMAIN, Guarantee.pure(1), neighbors=ADD)
    yield base
    yield from (
        Inquiry.read(["mean age"], domain, Guarantee.pure(1), neighbors=ADD)
        for domain in DOMAINS[3:5]
    )
    yield from (
        replace(base, guarantee=Guarantee.pure(2)),
        replace(base, guarantee=Guarantee.approximate(1, Fraction(1, 10**6))),
        replace(base, guarantee=Guarantee.zcdp(1)),
        replace(base, neighbors=REPLACE),
        replace(base, unit=Unit("pid")),
        replace(base, unit=Unit("pid", 2)),
        Inquiry.read(["count where age >= 6"], DOMAIN, Guarantee.pure(1), neighbors=ADD),
        Inquiry.read(
            ["count where age >= 5", "mean age"], DOMAIN, Guarantee.pure(1), neighbors=ADD
        ),
    )


def _drafts() -> Iterator[DraftRequest]:
    base = DraftRequest(
        columns=("sex", "age"), guarantee=Guarantee.approximate(1, Fraction(1, 10**6))
    )
    yield from (
        base,
        replace(base, columns=("sex",)),
        replace(base, guarantee=Guarantee.approximate(1, Fraction(1, 10**7))),
        replace(base, guarantee=Guarantee.approximate(2, Fraction(1, 10**6))),
        replace(base, neighbors=ADD),
        replace(base, unit=Unit("pid")),
        replace(base, unit=Unit("pid", 2)),
    )


# Columns.


def placing() -> str:
    """Declared columns are found where the header has them, whatever else it has."""
    header = ("age", "Sex", "sex", "sex_1", "x")
    table = PrivateTable(
        path=Path("t"), header=header, data=Path("t"), types=("string",) * len(header)
    )
    if table.positions(DOMAIN) != (2, 0):
        return "a column is read from another place"
    with suppress(TableError):
        table.positions(Domain((replace(AGE, name="AGE"),)))
        return "a column that the table has not is read"
    for titles in (["a", "b", "a"], ["a", "a", "a_1"], ["", "column_1", " c  d "], ["", ""]):
        names, notes = private_table.unique_names(titles)
        if len(set(names)) < len(titles) or not notes:
            return "two columns have one name"
        kept_names = [
            names[i] for i, title in enumerate(titles) if title in ("b", "a_1", "column_1")
        ]
        if kept_names != [title for title in titles if title in ("b", "a_1", "column_1")]:
            return "a name is changed that is the only one"
    return ""

"""Every kind of column is counted as plain Python reads it, by all engines.

`tests/counting/test_spark_kinds.py` has the same on Spark."""

from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from synth.domain import COLUMN_KINDS, Column, Domain, write_schema
from synth.private.counting import Engine, count
from synth.private.table import DEFAULT, open_table
from tests.counting.kinds import KINDS
from tests.fuzz.reference import cells, codes
from tests.tables import write

UNCOUNTED = {"synth:cells", "synth:derived", "synth:identifier"}
"""Keys of fields that change no count."""


def check_kind(folder: Path, column: Column, texts: tuple[str, ...], engine: Engine) -> None:
    """Check that an engine counts texts as plain Python does.

    Each text stands in the table as often as its place in the list says, so that no two of
    them can be taken for each other.
    """
    rows = list(chain(*([[text, "x"]] * place for place, text in enumerate(texts, 1))))
    table = open_table(write(folder / "t.csv", [column.name, "beside"], rows))
    domain = Domain((column,), ("", "NA"))
    counts = count(table, domain, engine=engine)
    counts_by_cell = dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True))
    assert counts_by_cell == Counter(cells(domain, codes(domain, rows, DEFAULT)))
    assert counts.rows == len(rows)


@pytest.mark.parametrize("name", KINDS)
def test_a_column_is_counted_as_plain_python_reads_it(tmp_path: Path, name: str) -> None:
    """DuckDB puts each text of the table of kinds into the cell that plain Python finds."""
    check_kind(tmp_path, *KINDS[name], Engine.DUCKDB)


def test_every_kind_and_key_is_in_the_table() -> None:
    """A new kind of column, or a new key of a field, needs a column in the table of kinds.

    The texts of each column have several cells, and some are values, or the test would show
    nothing.
    """
    columns = [column for column, _ in KINDS.values()]
    assert {type(column) for column in columns} == {*COLUMN_KINDS.values()}

    fields = [write_schema(Domain((column,)))["fields"][0] for column in columns]
    names = {name for name, kind in COLUMN_KINDS.items() if kind in map(type, columns)}
    assert {COLUMN_KINDS[name].types[name] for name in names} == {f["type"] for f in fields}
    keys_of_kinds = set(chain(*(kind.keys for kind in COLUMN_KINDS.values())))
    used_keys = {key for key in chain(*fields) if key.startswith("synth:")}
    assert keys_of_kinds - UNCOUNTED <= used_keys
    assert {"synth:bins", "synth:edges", "synth:spikes", "synth:signs"} <= used_keys

    for column, texts in KINDS.values():
        rows = [[text] for text in texts]
        codes_of_texts = {code for (code,) in codes(Domain((column,)), rows, DEFAULT)}
        assert len(codes_of_texts) > 1, column
        assert codes_of_texts & {*range(column.value_cells)}, column

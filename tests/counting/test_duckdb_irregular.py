"""Files that DuckDB reads only roughly are asked about through a private copy, in any way."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.private.counting import DuckDB, profile_table
from synth.private.counting.linked import LinkedDuckDB
from synth.private.table import open_table


def list_questions(engine: type) -> Iterator[str]:
    """The public methods of an engine whose first argument is the table."""
    for name, method in vars(engine).items():
        if not inspect.isfunction(method) or name.startswith("_"):
            continue
        if [*inspect.signature(method).parameters][1:2] == ["table"]:
            yield name


@pytest.mark.parametrize("engine", [DuckDB, LinkedDuckDB])
def test_each_question_may_turn_to_a_private_copy(engine: type) -> None:
    """`fetch` is what the questions themselves use."""
    questions = {*list_questions(engine)} - {"fetch"}
    assert {
        name for name in questions if not hasattr(getattr(engine, name), "__wrapped__")
    } == set()


def test_a_look_compares_keys_in_a_file_that_duckdb_reads_only_roughly(
    tmp_path: Path,
) -> None:
    """All cells are quoted, as KoBo writes them, and some hold a quote.

    The case of a contact is the key of another row, so that a look compares both columns.
    """
    path = tmp_path / "t.csv"
    rows = [f'"{7_000_001 + n}","{7_000_001 + n % 120}","a ""b"""' for n in range(300)]
    path.write_text(
        "\ufeff" + "\r\n".join(['"case","contact","note"', *rows]) + "\r\n", "utf-8"
    )

    look = profile_table(open_table(path))

    assert look.left_out["contact"] == "holds keys of the column 'case'"

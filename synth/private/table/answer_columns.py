"""Cells with several answers as yes/no columns, one for each declared option. PRIVATE.

Each row is split by itself. An answer that is not listed sets the last column, ``_other``. A
row without an answer has no value in any of them.

>>> import pyarrow as pa
>>> answers = pa.array(["1,3", "2", None, "9"])
>>> [
...     column.to_pylist()
...     for column in split_column(answers, AnswerSplit("q", ",", ("1", "2")))
... ]
[['true', 'false', None, 'false'], ['false', 'true', None, 'false'], ['true', 'false', None, 'true']]
"""  # noqa: E501

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from synth.domain import UNREADABLE
from synth.errors import TableError
from synth.foreign import start_copy
from synth.private.table.answer_splits import AnswerSplit, parse_split
from synth.private.table.plain_copy import copy_plain, list_remarks
from synth.private.table.private_table import PrivateTable, explain_failure, unique_names
from synth.private.table.typed_rows import read_typed_rows
from synth.util import check_deadline

if TYPE_CHECKING:
    import pyarrow as pa

# What the column of answers that are not listed is called, after the column's own name.
OTHER = "other"


def split_answers(table: PrivateTable, splits: Sequence[str]) -> PrivateTable:
    """Return a table with yes/no columns in place of columns of several answers.

    The rows are copied once.

    Args:
        table: The table.
        splits: How columns are split, as `parse_split` reads it.

    Raises:
        TableError: There is no such column, it holds no texts, or the copy fails.
    """
    from pyarrow import ArrowException

    split_by_position = {
        table.position(split.name): split for split in map(parse_split, splits)
    }
    plain = table if table.types else copy_plain(table)
    for position, split in split_by_position.items():
        if not plain.types[position].endswith("string"):
            raise TableError(
                f"Column '{split.name}' holds no texts, so that no cell has several answers."
            )
    header, renamed = unique_names(_list_names(table.header, split_by_position))
    target = table.keeper.path / "answers.parquet"
    types: tuple[str, ...] = ()
    try:
        types = _write_copy(plain, split_by_position, target)
    except (ArrowException, OSError):
        pass  # explained below, outside the handler
    if not types:
        explain_failure(table)
    return replace(
        plain,
        header=header,
        data=target,
        types=types,
        stored=types,
        parts=(),
        skip=0,
        careful=False,
        notes=(*table.notes, *renamed),
        remarks=tuple(list_remarks(table)),
        row_reading=table.reading,
    )


def split_column(column: "pa.Array", split: AnswerSplit) -> "list[pa.Array]":
    """Return a column of several answers as yes/no columns; the last is for other answers.

    Args:
        column: Texts, each with the answers of a row.
        split: The mark between answers, and the options.
    """
    import pyarrow as pa

    encoded = column.dictionary_encode()
    rows = [_split_cell(text, split) for text in encoded.dictionary.to_pylist()]
    return [
        pa.array([row[place] for row in rows], pa.string()).take(encoded.indices)
        for place in range(len(split.options) + 1)
    ]


def _split_cell(text: str, split: AnswerSplit) -> list[str | None]:
    """Return "true" or "false" for each option and for other answers, by one cell alone.

    A blank cell has no values, and one that cannot be read only such.
    """
    width = len(split.options) + 1
    if text == UNREADABLE:
        return [UNREADABLE] * width
    answers = {part.strip() for part in text.split(split.mark)} - {""}
    if not answers:
        return [None] * width
    has_others = bool(answers - {*split.options})
    is_chosen = [*(option in answers for option in split.options), has_others]
    return ["true" if chosen else "false" for chosen in is_chosen]


def _list_names(header: Sequence[str], splits: "dict[int, AnswerSplit]") -> list[str]:
    """Return the names of all columns, with those of the options in place of split ones."""
    names: list[str] = []
    for position, name in enumerate(header):
        if position in splits:
            options = [*splits[position].options, OTHER]
            names += [f"{name}_{option}" for option in options]
        else:
            names.append(name)
    return names


def _write_copy(
    table: PrivateTable, splits: "dict[int, AnswerSplit]", target: Path
) -> tuple[str, ...]:
    """Write the rows with split columns to Parquet, and return the types of all columns.

    Args:
        table: A table of typed columns.
        splits: How columns are split, by their positions.
        target: The copy.

    Raises:
        ArrowException: The table can't be read.
        OSError: It can't be read or written.
    """
    import pyarrow as pa

    rows = read_typed_rows(table, range(len(table.header)))
    fields: list[pa.Field] = []
    for position, old_field in enumerate(rows.schema):
        if position in splits:
            options = range(len(splits[position].options) + 1)
            fields += [pa.field(f"a{position}_{place}", pa.string()) for place in options]
        else:
            fields.append(old_field)
    schema = pa.schema(fields)
    batches = rows.to_batches() if isinstance(rows, pa.Table) else rows
    with start_copy(target, schema) as writer:
        for batch in batches:
            check_deadline()
            columns: list[pa.Array] = []
            for position, column in enumerate(batch.columns):
                if position in splits:
                    columns += split_column(column, splits[position])
                else:
                    columns.append(column)
            writer.write_batch(pa.record_batch(columns, schema=schema))
    return tuple(str(field.type) for field in schema)

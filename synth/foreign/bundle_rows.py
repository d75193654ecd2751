"""The rows of a bundle, which the child rewrites before any other code reads them."""

from pathlib import Path
from typing import TYPE_CHECKING

from synth.foreign.cells import start_copy
from synth.foreign.fault import Fault, Reply, Request

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

ROWS_FILE = "rows.parquet"


def write_rows(request: Request) -> Reply:
    """Rewrite synthetic rows as Parquet, if their layout is Synth's.

    The footer is checked first: columns, rows, size of row groups. Texts are listed once per
    group; all together may not be longer than a declaration."""
    import pyarrow as pa
    from pyarrow import parquet

    target = Path(request["folder"]) / ROWS_FILE
    try:
        with parquet.ParquetFile(
            request["source"],
            read_dictionary=request["names"],
            thrift_string_size_limit=request["footer_mb"] * 2**20,
            thrift_container_size_limit=1_000_000,
        ) as file:
            _check_footer(file, request)
            with start_copy(target, _plain_schema(file.schema_arrow)) as out:
                for number in range(file.metadata.num_row_groups):
                    out.write_table(_plain_group(file.read_row_group(number), request))
    except pa.ArrowMemoryError:
        raise Fault("memory") from None
    except KeyError:
        raise Fault("columns") from None
    except (pa.ArrowException, OSError):
        raise Fault("damaged") from None
    return {}


def _check_footer(file: "parquet.ParquetFile", request: Request) -> None:
    schema, footer, step = file.schema_arrow, file.metadata, request["step"]
    if schema.names != request["names"] or len(request["names"]) != footer.num_columns:
        raise Fault("columns")
    if footer.num_rows != request["rows"]:
        raise Fault("rows")
    sizes = [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]
    if any(size != step for size in sizes[:-1]) or any(size > step for size in sizes[-1:]):
        raise Fault("groups")


def _plain_schema(schema: "pa.Schema") -> "pa.Schema":
    """Return the columns with Synth's only types: lists of texts, whole numbers, numbers."""
    import pyarrow as pa

    listed = pa.dictionary(pa.int32(), pa.string())
    known = {
        pa.string(): listed,
        pa.large_string(): listed,
        pa.int64(): None,
        pa.float64(): None,
    }
    fields = []
    for field in schema:
        kind = field.type
        value = kind.value_type if pa.types.is_dictionary(kind) else kind
        if value not in known or (known[value] is None and value != kind):
            raise Fault("values")
        fields.append(pa.field(field.name, known[value] or kind))
    return pa.schema(fields)


def _plain_group(table: "pa.Table", request: Request) -> "pa.Table":
    import pyarrow as pa

    schema = _plain_schema(table.schema)
    columns = []
    for column, field in zip(table.columns, schema, strict=True):
        whole = column.combine_chunks()
        if pa.types.is_dictionary(field.type):
            whole = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
            if whole.dictionary.nbytes > request["group_mb"] * 2**20:
                raise Fault("values")
        columns.append(whole.cast(field.type))
    return pa.Table.from_arrays(columns, schema=schema)

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
    """Rewrite a bundle's synthetic rows as Parquet in the request's folder.

    The rows must have Synth's own layout. The footer is checked first: columns, rows, and the
    size of row groups. The texts of a group, listed once each, may not be longer than a
    limit.

    Args:
        request: The file ("source"), the expected columns ("names") and "rows", the rows of a
            group ("step"), and the limits.

    Raises:
        Fault: The layout is another, the file is damaged, or it needs too much memory.
    """
    import pyarrow as pa
    from pyarrow import parquet

    target = Path(request["folder"]) / ROWS_FILE
    try:
        with parquet.ParquetFile(
            request["source"],
            read_dictionary=request["names"],
            thrift_string_size_limit=request["footer_mb"] * 2**20,
            # The most entries of a list in the footer.
            thrift_container_size_limit=1_000_000,
        ) as file:
            _check_footer(file, request)
            with start_copy(target, _plain_schema(file.schema_arrow)) as out:
                for number in range(file.metadata.num_row_groups):
                    out.write_table(_plain_group(file.read_row_group(number), request))
    except pa.ArrowMemoryError:
        raise Fault("memory") from None
    except KeyError:  # an expected column is not there
        raise Fault("columns") from None
    except (pa.ArrowException, OSError):
        raise Fault("damaged") from None
    return {}


def _check_footer(file: "parquet.ParquetFile", request: Request) -> None:
    """Refuse other columns, rows or sizes of row groups than the request expects.

    All groups but the last must have "step" rows. The Fault says what differs.
    """
    footer = file.metadata
    names = request["names"]
    if file.schema_arrow.names != names or len(names) != footer.num_columns:
        raise Fault("columns")
    if footer.num_rows != request["rows"]:
        raise Fault("rows")
    groups = footer.num_row_groups
    for number in range(groups):
        rows = footer.row_group(number).num_rows
        is_last = number == groups - 1
        if rows > request["step"] or (rows < request["step"] and not is_last):
            raise Fault("groups")


def _plain_schema(schema: "pa.Schema") -> "pa.Schema":
    """Return the schema with the only types that Synth writes: texts, whole numbers, numbers.

    Texts become dictionaries, in which each text is listed once.

    Raises:
        Fault: A column has another type.
    """
    import pyarrow as pa

    text_list = pa.dictionary(pa.int32(), pa.string())
    # The type that each allowed type becomes; None if it stays.
    plain_types = {
        pa.string(): text_list,
        pa.large_string(): text_list,
        pa.int64(): None,
        pa.float64(): None,
    }
    fields = []
    for field in schema:
        kind = field.type
        value_kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if value_kind not in plain_types:
            raise Fault("values")
        # A dictionary of numbers is nothing that Synth writes.
        if plain_types[value_kind] is None and value_kind != kind:
            raise Fault("values")
        fields.append(pa.field(field.name, plain_types[value_kind] or kind))
    return pa.schema(fields)


def _plain_group(table: "pa.Table", request: Request) -> "pa.Table":
    """Return a row group with Synth's own types only.

    Args:
        table: The row group.
        request: Its limit "group_mb" for the distinct texts of a column.

    Raises:
        Fault: A column has another type, or its distinct texts are too long together.
    """
    import pyarrow as pa

    schema = _plain_schema(table.schema)
    columns = []
    for column, field in zip(table.columns, schema, strict=True):
        cells = column.combine_chunks()
        if pa.types.is_dictionary(field.type):
            if not pa.types.is_dictionary(cells.type):
                cells = cells.dictionary_encode()
            if cells.dictionary.nbytes > request["group_mb"] * 2**20:
                raise Fault("values")
        columns.append(cells.cast(field.type))
    return pa.Table.from_arrays(columns, schema=schema)

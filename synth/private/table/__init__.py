"""The confidential table: a file whose header is known and whose rows stay private. PRIVATE.

``private_table``    the table
``opening``          opens a table of any kind
``frames``           tables in memory: pandas, Polars, Arrow
``frame_types``      types and scales of their columns
``record_batches``   streams of record batches of Arrow
``objects``          columns of Python objects
``columns``          Arrow columns in the types that an engine reads
``typed_rows``       rows of Parquet files and of tables in memory
``typed_copy``       a private copy of Parquet files
``arrow_copy``       a private copy of Arrow tables
``duckdb_copy``      a private copy of a table of DuckDB
``duckdb_session``   connections of DuckDB, all opened in one place
``in_use``           data that another program is changing
``addresses``        addresses of tables in databases
``postgresql``       a private copy of a table of PostgreSQL
``postgresql_copy``  reads it, in a process of its own
``postgresql_look``  what its catalogue says of it
``postgresql_types`` its types, and the SQL that reads each
``sources``          databases that are open to a server's users
``file_kinds``       the kind of a file, by its first bytes
``convert``          a file of any kind to one an engine reads
``answer_splits``    how cells with several answers are split
``answer_columns``   splits them into yes/no columns
``csv_options``      how a file is to be read
``applicable``       which of these options apply to which kind of file
``format_guesses``   how it may have to be read, from its shape
``number_marks``     the marks in its numbers
``header_doubts``    whether its first line holds names
``lines_below``      whether the rows right below hold records
``choices``          the encoding and the delimiter
``sheet_remarks``    sentences about hidden things of a workbook
``records``          rows of delimited text
``json_lines``       lines of JSON
``regular``          text that an engine's own reader reads alike
``plain_copy``       a private copy of text that no engine reads
``remarks``          faults of the rows, for the steward
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.table.applicable import check_options, refuse_options
    from synth.private.table.choices import Candidate, Cut, ENCODINGS, name_delimiter
    from synth.private.table.choices import ENCODING_NAMES, EncodingError
    from synth.private.table.columns import CELL, MAX_EXACT_WHOLE
    from synth.private.table.csv_options import (
        DEFAULT,
        DELIMITERS,
        Format,
        JSON_OBJECTS,
        RAGGED,
    )
    from synth.private.table.csv_options import parse_format
    from synth.private.table.duckdb_session import Setting, open_duckdb
    from synth.private.table.number_marks import GROUP_MARKS, guess_marks
    from synth.private.table.frame_types import ARROW, PANDAS, POLARS
    from synth.private.table.frame_types import CategoriesType, FrameTypes
    from synth.private.table.frames import content
    from synth.private.table.file_kinds import kind
    from synth.private.table.header_doubts import split_doubt
    from synth.private.table.opening import TableLike, float_note, open_any, open_table
    from synth.private.table.plain_copy import (
        Unreadable,
        breaks_in,
        copy_plain,
        has_ragged_rows,
    )
    from synth.private.table.plain_copy import (
        is_looked_through,
        list_remarks,
        look_at_irregular,
    )
    from synth.private.table.plain_copy import look_through, reads_strictly
    from synth.private.table.addresses import (
        is_address,
        parse_address,
        table_address,
    )
    from synth.private.table.private_table import (
        ColumnsError,
        HeaderError,
        PrivateTable,
        explain_failure,
    )
    from synth.private.table.private_table import unique_names
    from synth.private.table.sources import is_source, list_source, named_sources
    from synth.private.table.sources import open_source_table, source_address
    from synth.private.table.typed_copy import copy_typed
    from synth.private.table.typed_rows import has_group_without_values, read_typed_rows

__getattr__ = offer(__name__)

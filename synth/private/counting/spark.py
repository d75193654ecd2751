"""Spark, for tables beyond one machine: the same generated SQL in another dialect.

It needs the extra ``spark`` and Java 17. A table is a file or folder that all workers
can read, or a table that the session knows by name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import numpy.typing as npt

from synth.domain import (
    UNREADABLE,
    Column,
    Domain,
    Moment,
    Summand,
    offset_text,
    plain_pattern,
)
from synth.errors import ArgumentError, TableError
from synth.estimate import MomentSum
from synth.foreign import Folder
from synth.privacy import ROW, Unit
from synth.private.counting.adding import Added, Marginals
from synth.private.counting.moments import sum_of_lines
from synth.private.counting.spark_sql import Dialect, digits, java_pattern
from synth.private.counting.sql import (
    RowSource,
    marginals_query,
    used_query,
)
from synth.private.counting.statements import Statement
from synth.private.counting.sums_sql import moments_query, summed_query
from synth.private.table import (
    CELL,
    MAX_EXACT_WHOLE,
    PrivateTable,
    copy_plain,
    copy_typed,
    explain_failure,
    unique_names,
)
from synth.util import Cells, Ints, ascending, number_cells, pack

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame, SparkSession

SparkColumns = tuple[int, ...]
# Most columns in one scan of the rows.
COLUMNS_A_SCAN = 32
# Most groups of columns in one scan.
GROUPS_A_SCAN = 200

# Settings of a new session.
OWN_SETTINGS = {
    "spark.app.name": "synth",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",  # its log quotes cells
}

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.runSQLOnFiles": "false",  # or the name csv.`path` would read any file
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
    # Statistics of a file follow from all its rows: no row is read, or skipped, by them.
    "spark.sql.cbo.enabled": "false",
    "spark.sql.optimizer.metadataOnly": "false",
    "spark.sql.orc.aggregatePushdown": "false",
    "spark.sql.orc.filterPushdown": "false",
    "spark.sql.parquet.aggregatePushdown": "false",
    "spark.sql.parquet.filterPushdown": "false",
}

# Types of Parquet whose cells Spark reads like `synth.private.table.columns`, or refuses.
READABLE_TYPES = re.compile(
    r"bool|u?int(8|16|32|64)|float|double|decimal128\([0-9]+, [0-6]\)|date32\[day\]"
    r"|timestamp\[((ms|us|ns)|(ms|us), tz=UTC)\]"
    r"|(dictionary<values=)?(large_)?(string|binary)(_view)?(, indices=.*)?"
)

CATALOG = "spark.sql.catalogImplementation"
WAREHOUSE = "spark.sql.warehouse.dir"
# What stands for NULL among codes and counts, all of which are 0 or more.
NULL_CODE = -1
_WAREHOUSE_FOLDER = Folder()


def connect(master: str = "") -> "SparkSession":
    """Return the current Spark session, or a new one.

    Args:
        master: The cluster of a new one, such as ``spark://host:7077``; '' for this machine.

    Raises:
        ArgumentError: pyspark or Java is not installed, or the cluster does not answer.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        _refuse("The engine spark needs pyspark: pip install 'pyspark<5'.")
    settings = OWN_SETTINGS | ({"spark.master": master} if master else {})
    try:
        settings |= _warehouse(settings)
        session = SparkSession.builder.config(map=settings).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
    except Exception:  # noqa: BLE001 - its messages are pages long
        session = None
    if session is None:
        where = f" at '{master}'" if master else ""
        _refuse(
            f"Spark{where} could not be started; it needs Java 17, and the cluster to answer."
        )
    return session


def _warehouse(settings: dict[str, str]) -> dict[str, str]:
    """Return the setting that puts Spark's warehouse of tables into a private folder.

    Without it Spark makes one in the steward's current folder. The result is empty if a
    warehouse or a catalog is configured already, which keep their place.

    Args:
        settings: The settings of the session that is about to be started.
    """
    from pyspark import SparkConf, SparkContext

    # A context is started to learn its settings; the session then takes it over.
    configured = SparkContext.getOrCreate(
        SparkConf().setAll(list(settings.items()))
    ).getConf()
    if configured.contains(WAREHOUSE) or configured.get(CATALOG) == "hive":
        return {}
    return {WAREHOUSE: _WAREHOUSE_FOLDER.path.as_uri()}


def open_catalog(name: str) -> PrivateTable:
    """Open a table that the Spark session knows by name, such as ``database.table``.

    Raises:
        TableError: There is none, or it has nested columns.
    """
    session = connect()
    try:
        fields = [(field.name, field.dataType) for field in session.table(name).schema]
    except Exception:  # noqa: BLE001 - its messages are pages long
        fields = []
    if not fields:
        raise TableError(f"Spark knows no table '{name}'.")
    kinds = tuple(kind.simpleString() for _, kind in fields)
    # Types of lists and records are written with what they hold, such as array<int>.
    nested = [repr(n) for (n, _), kind in zip(fields, kinds, strict=True) if "<" in kind]
    if nested:
        raise TableError(
            f"'{name}' has nested columns, which are not supported: {', '.join(nested)}."
        )
    header, notes = unique_names([name for name, _ in fields])
    place = Path(name)  # for messages only; there is no such file
    return PrivateTable(
        path=place, header=header, data=place, types=kinds, notes=tuple(notes), catalog=name
    )


class Spark:
    """An engine on a Spark session.

    Text is read from its private copy (`synth.private.table.plain_copy`), as by all engines;
    on a cluster the workers must be able to read the temporary folder.

    Raises:
        ArgumentError: There is no session and none can be started.
    """

    def __init__(self) -> None:
        """Take the current session, or start one."""
        self._session = connect()

    def sums(
        self,
        table: PrivateTable,
        domain: Domain,
        sums: Sequence[Summand],
        *,
        unit: Unit = ROW,
    ) -> tuple[Cells, Ints, Ints, int]:
        """Count rows by cell, and add numbers: see `RowCounter.sums`. PRIVATE.

        Returns the occupied cells, ascending; their rows, shape (cells,); their sums in steps
        of the grids, shape (cells, sums); and the rows that a rule leaves out.
        """
        table, source = _source(table, domain, unit)
        query = source.dialect.query(summed_query(source, sums))
        fetched = self.fetch(table, domain, source.rows, query=query)
        # An answer has the numbers of the cell, one for each run of columns whose cells fit
        # in 64 bits; then the rows of the cell; and then its sums.
        columns = len(fetched) - len(sums)
        *words, counts = fetched[:columns]
        added = np.array(fetched[columns:], dtype=np.int64).reshape(len(sums), len(counts)).T
        # A negative number stands for NULL: a rule leaves out the row.
        is_inside = np.logical_and.reduce([word >= 0 for word in words])
        cells = pack([word[is_inside].astype(np.int64) for word in words])
        order = ascending(cells)
        left_out = int(counts[~is_inside].sum()) + table.left_out
        return cells[order], counts[is_inside][order], added[is_inside][order], left_out

    def _add_moments(
        self, table: PrivateTable, domain: Domain, sums: Sequence[MomentSum], *, unit: Unit
    ) -> list[Ints]:
        """Return sums of offsets or of products, each in steps by its cells. PRIVATE."""
        table, source = _source(table, domain, unit)
        totals: dict[MomentSum, Ints] = {}
        over_all_rows = [moment_sum for moment_sum in sums if not moment_sum.by]
        by_cells = [moment_sum for moment_sum in sums if moment_sum.by]
        # Sums over all rows have a scan of their own. In one scan each sum is computed by
        # every set of columns that some sum is by.
        for sums_of_scan in (over_all_rows, by_cells):
            if sums_of_scan:
                query = source.dialect.query(
                    moments_query(source, sums_of_scan, all_sums=sums)
                )
                lines = self.fetch(table, domain, source.rows, query=query)
                totals |= {
                    moment_sum: sum_of_lines(moment_sum, domain, sums_of_scan, lines=lines)
                    for moment_sum in sums_of_scan
                }
        return [totals[moment_sum] for moment_sum in sums]

    def marginals(
        self,
        table: PrivateTable,
        domain: Domain,
        groups: Sequence[SparkColumns],
        *,
        sums: Sequence[MomentSum] = (),
        unit: Unit = ROW,
    ) -> Added:
        """Count the marginals of groups of columns, and add numbers. PRIVATE.

        It takes few scans of the rows: see `RowCounter.marginals`.
        """
        table, source = _source(table, domain, unit)
        codes = used_query(source)
        marginals: Marginals = {}
        rows = 0
        for batch in batches(groups):
            query = source.dialect.query(marginals_query(codes, len(domain.columns), batch))
            *columns, is_kept, counts = self.fetch(table, domain, source.rows, query=query)
            numbers = sorted({*chain(*batch)})
            # Every group counts all rows, also those left out, so any one gives their number.
            rows = int(counts[_in_set(columns, numbers, batch[0])].sum())
            for group in batch:
                chosen = _in_set(columns, numbers, group) & (is_kept == 1)
                codes_of_group = [columns[numbers.index(number)][chosen] for number in group]
                cells = number_cells(
                    codes_of_group, [domain.shape[number] for number in group]
                )
                order = ascending(cells)
                marginals[group] = (cells[order], counts[chosen][order])
        if not unit.person:
            rows += table.left_out
        return Added(marginals, rows, self._add_moments(table, domain, sums, unit=unit))

    def fetch(
        self, table: PrivateTable, domain: Domain, source: str, *, query: Statement
    ) -> list[Ints]:
        """Return the columns of an answer in whole numbers, `NULL_CODE` for NULL.

        In codes, NULL means that a rule leaves out the row, or that the line is not grouped
        by the column. See `read` for the arguments and errors.
        """
        result = self.read(table, domain, source, query=query)
        return [
            np.asarray(column.fill_null(NULL_CODE)).astype(np.int64)
            for column in result.columns
        ]

    def read(
        self, table: PrivateTable, domain: Domain, source: str, *, query: Statement
    ) -> "pa.Table":
        """Return an answer about a table as Arrow.

        If Spark cannot read a file, it reads a private copy.

        Args:
            table: The table, in files that Spark can read, or of a catalog.
            domain: The declared columns.
            source: The name of the table's rows in the statement.
            query: The statement.

        Raises:
            TableError: The table cannot be read.
        """
        result = self._ask(table, domain, source, query=query)
        if result is None and not table.catalog:
            result = self._ask(copy_typed(table), domain, source, query=query)
        if result is None:
            explain_failure(table)  # raises
        return result

    @contextmanager
    def shown(self, frames: "Mapping[str, DataFrame]") -> Iterator[None]:
        """Let statements in this ``with`` block read these rows by their names.

        The names are dropped at the end, also after a failure.
        """
        try:
            for name, frame in frames.items():
                frame.createOrReplaceTempView(name)
            yield
        finally:
            for name in frames:
                with suppress(Exception):
                    self._session.catalog.dropTempView(name)

    def _ask(
        self, table: PrivateTable, domain: Domain, source: str, *, query: Statement
    ) -> "pa.Table | None":
        """Return the result of a query on a table as Arrow; None if Spark fails.

        See `read` for the arguments.
        """
        try:
            with self.shown({source: self._view(table, domain)}):
                # The dialect's SQL decodes its texts from hexadecimal digits.
                values = {name: digits(value) for name, value in query.values.items()}
                return self._session.sql(query.text, args=values).toArrow()
        except Exception:  # noqa: BLE001 - its messages quote cells
            return None

    def _view(self, table: PrivateTable, domain: Domain) -> "DataFrame":
        """Return a table's columns as texts ``f0``, ``f1``, ..., whatever they are stored as.

        Args:
            table: A table in Parquet files, or of a catalog.
            domain: The declared columns; their dates are written in the declared format.
        """
        names = [f"f{i}" for i in range(len(table.header))]
        paths = [as_pattern(str(path.resolve())) for path in table.parts or (table.data,)]
        # With this option, the names of folders make no columns.
        files = self._session.read.option("recursiveFileLookup", True)
        # Without a catalog this is '', and the files are read.
        catalog = table.catalog and self._session.table(table.catalog)
        frame = (catalog or files.parquet(*paths)).toDF(*names)
        columns: dict[int, Column] = dict(
            zip(table.positions(domain), domain.columns, strict=True)
        )
        kinds = table.stored or table.types
        texts = (
            _text_of_field(name, kinds[i], columns.get(i), missing_kinds=table.missing_kinds)
            for i, name in enumerate(names)
        )
        return frame.select(*texts)


def _source(
    table: PrivateTable, domain: Domain, unit: Unit
) -> tuple[PrivateTable, RowSource]:
    """Return the table in files that Spark can read, and what the SQL of its rows needs.

    Args:
        table: The confidential rows.
        domain: The declared columns.
        unit: The protected unit; its person column need not be declared.
    """
    table = with_copy(table)
    sql = Dialect()
    rows = RowSource(
        domain=domain,
        positions=table.positions(domain),
        rows=sql.source,
        dialect=sql,
        form=table.form,
        person=table.position(unit.person) if unit.person else None,
        max_rows=unit.max_rows,
    )
    return table, rows


def with_copy(table: PrivateTable) -> PrivateTable:
    """Return the table in files that Spark can read: itself, or a private copy.

    A copy replaces text, types that Spark does not know, and names with ``${``, which Hadoop
    takes for the name of a setting.

    Raises:
        ArgumentError: The table is in memory, or is of a catalog and has such a name.
    """
    odd = next((name for name in table.header if "${" in name), None)
    if table.catalog and odd is not None:
        _refuse(f"The engine spark cannot read the column '{odd}'; take ${{ out of its name.")
    if table.held is not None:
        _refuse(
            "A table in memory is counted by the engine duckdb; save it as Parquet for spark."
        )
    if not table.types:
        return copy_plain(table)
    is_readable = table.catalog or (
        table.stored and all(map(READABLE_TYPES.fullmatch, table.stored))
    )
    return table if is_readable and odd is None else copy_typed(table)


def _text_of_field(
    name: str, kind: str, column: Column | None, *, missing_kinds: Sequence[str] = ()
) -> "Expression":
    """Return the Spark expression of a field as the text that other engines read.

    Args:
        name: The field.
        kind: The Arrow type of the field, or the Spark type for a table of a catalog.
        column: The declaration; None if the field is not declared.
        missing_kinds: The file's own missing values that say why one is missing. Those that
            the column does not declare are NULL.
    """
    from pyspark.sql import functions as sql

    field = sql.col(name)
    unreadable = sql.lit(UNREADABLE)
    text = field.cast("string")
    reading = None if column is None else column.reading
    # Years outside 1 to 9999 count as undeclared, whatever their text would be.
    if kind.startswith(("timestamp", "date")):
        years = range(1, 10_000)
        if isinstance(reading, Moment):
            years = reading.years
            text = _moment_text(name, reading)
        text = sql.when(sql.year(field).between(years[0], years[-1]), text).when(
            field.isNotNull(), unreadable
        )
    elif "string" in kind or "binary" in kind:  # NULL where the field is
        bad = ~sql.is_valid_utf8(text) | (sql.octet_length(field) > CELL)
        text = sql.when(bad, unreadable).otherwise(text)
    elif kind in ("float", "double"):  # whole numbers without ".0", as in columns of integers
        is_whole = (sql.abs(field) < MAX_EXACT_WHOLE) & (field == sql.rint(field))
        text = sql.when(is_whole, field.cast("bigint").cast("string")).otherwise(text)
    elif kind.startswith("decimal") and not kind.replace(" ", "").endswith(",0)"):
        text = _without_zeros(text)
    elif kind.startswith("interval") and not kind.endswith(("month", "year")):
        text = _length_text(field)
    undeclared = [
        kind for kind in missing_kinds if column is None or not column.declares(kind)
    ]
    if undeclared:
        text = sql.when(~text.isin(undeclared), text)
    return text.alias(name)


def _length_text(field: "Expression") -> "Expression":
    """Return the Spark expression of a length of time as seconds, as files have it.

    Args:
        field: A field of the type of days to seconds, or of some of these units.
    """
    from pyspark.sql import functions as sql

    whole_seconds = sql.lit(0).cast("bigint")
    for unit, seconds in {"DAY": 86_400, "HOUR": 3_600, "MINUTE": 60}.items():
        whole_seconds += sql.date_part(sql.lit(unit), field) * seconds
    second = sql.date_part(sql.lit("SECOND"), field)  # with its decimals
    return _without_zeros((whole_seconds.cast("decimal(20,0)") + second).cast("string"))


def _without_zeros(text: "Expression") -> "Expression":
    """Return the Spark expression of a decimal number without zeros at its end."""
    from pyspark.sql import functions as sql

    return sql.regexp_replace(text, "[.]?0+$", "")


def _moment_text(name: str, reading: Moment) -> "Expression":
    """Return the Spark expression of a date or timestamp as the text of a column's format.

    With offsets, the timestamp is a time by the clock of the declared zone.

    Args:
        name: The field.
        reading: How the text will be read.
    """
    from pyspark.sql import functions as sql

    field = sql.col(name)
    pattern = plain_pattern(reading.pattern)
    text = sql.date_format(field, java_pattern(pattern.removesuffix("%z")))
    if not reading.has_offsets:
        return text
    second = sql.unix_timestamp(field)
    *changes, last = reading.clock_changes
    offset = sql.lit(offset_text(last.offset))
    # From the last change back: before it the clock had the offset of the one before.
    for change, later in zip(
        reversed(changes), reversed(reading.clock_changes), strict=False
    ):
        is_before = second < later.clock_second
        offset = sql.when(is_before, sql.lit(offset_text(change.offset))).otherwise(offset)
    return sql.concat(text, offset)


def as_pattern(name: str) -> str:
    """Return the pattern that matches one file's name only: marks of patterns are escaped.

    >>> print(as_pattern("t[1].csv"), as_pattern("{a,b}.csv"))
    t\\[1\\].csv \\{a,b\\}.csv
    """
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", name)


def batches(groups: Sequence[SparkColumns]) -> list[list[SparkColumns]]:
    """Return the groups of columns in batches, each for one scan of the rows, in order.

    A batch has at most `GROUPS_A_SCAN` groups, and unless one group alone has more, at most
    `COLUMNS_A_SCAN` different columns. More are too many for Spark and for memory.

    >>> batches([(0,), (1,), (0, 1)])
    [[(0,), (1,), (0, 1)]]
    """
    batches_of_groups: list[list[SparkColumns]] = []
    columns: set[int] = set()
    for group in groups:
        columns |= set(group)
        if (
            not batches_of_groups
            or len(columns) > COLUMNS_A_SCAN
            or len(batches_of_groups[-1]) >= GROUPS_A_SCAN
        ):
            batches_of_groups.append([])
            columns = set(group)
        batches_of_groups[-1].append(group)
    return batches_of_groups


def _in_set(
    columns: Sequence[Ints], numbers: Sequence[int], group: SparkColumns
) -> npt.NDArray[np.bool_]:
    """Return which lines of an answer are grouped by these columns, and by no others.

    Args:
        columns: The codes of the answer's columns, shape (lines,) each; negative in lines
            that are not grouped by the column.
        numbers: The number of each of these columns.
        group: The numbers of the wanted columns.

    Returns booleans of shape (lines,).
    """
    inside = [
        (column >= 0) == (n in group) for column, n in zip(columns, numbers, strict=True)
    ]
    in_set: npt.NDArray[np.bool_] = np.logical_and.reduce(inside)
    return in_set


def _refuse(message: str) -> NoReturn:
    raise ArgumentError(message) from None

"""Tables that differ in one record, counted on Spark in one job.

A job of its own for each table takes most of a second, nearly all of it for planning. So the
tables of a case are read as views of their own, put one below the other with a column that
tells them apart, and counted by the statement that counts one table.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from synth.domain import Categorical, Domain
from synth.private.counting.spark import Spark, with_copy
from synth.private.counting.spark_sql import Dialect, digits
from synth.private.counting.sql import RowSource, cell_query
from synth.private.table import PrivateTable
from tests.fuzz.neighbours import (
    LEFT_OUT,
    Case,
    Histogram,
    find_fault,
    find_gap,
    save_tables,
    spark_histogram,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TABLE_NUMBER = "number of the table"
MAX_CELLS = 2**63
"""A universe of fewer cells has one number for each."""


class OneJob(Spark):
    """Spark, which counts the tables of a case at once.

    Attributes:
        cases: Cases that were counted so.
        apart: Cases whose tables were counted one by one.
    """

    def __init__(self) -> None:
        """Take the current session, or start one."""
        super().__init__()
        self.cases = 0
        self.apart = 0

    def find_fault(self, case: Case, folder: Path) -> str:
        """What is wrong with a case; nothing if it is as it should be.

        A file that Spark itself refuses is read from a copy, which only reading by itself
        makes: such cases are counted table by table.
        """
        try:
            histograms = self.histograms(save_tables(case, folder), case.domain)
        except Exception:  # noqa: BLE001 - which of the tables it is, is said one by one
            self.apart += 1
            return find_fault(case, folder, spark_histogram)
        self.cases += 1
        return find_gap(case, histograms)

    def histograms(self, tables: Sequence[PrivateTable], domain: Domain) -> list[Histogram]:
        """Rows by cell of each table."""
        names = tuple(f"table {number}" for number in range(len(tables)))
        tables = [with_copy(table) for table in tables]
        views = map(self._named_view, tables, repeat(domain), names)
        rows = reduce(lambda above, below: above.unionAll(below), views)
        dialect = Dialect()
        statement = dialect.query(cell_query(source_of(tables, domain, names, dialect)))
        values = {name: digits(value) for name, value in statement.values.items()}
        with self.shown({dialect.source: rows}):
            answer = self._session.sql(statement.text, args=values).collect()
        rows_by_name = dict(rows.groupBy("f0").count().collect())

        histograms = [Counter[int]() for _ in tables]
        for cell, count in answer:
            if cell is not None:
                number, cell_of_table = divmod(cell, domain.size)
                histograms[number][cell_of_table] = count
        left_out = sum(count for cell, count in answer if cell is None)
        for name, table, histogram in zip(names, tables, histograms, strict=True):
            without_cell = rows_by_name.get(name, 0) - histogram.total()
            histogram[LEFT_OUT] = without_cell + table.left_out
            left_out -= without_cell
        assert left_out == 0
        return [+histogram for histogram in histograms]

    def _named_view(self, table: PrivateTable, domain: Domain, name: str) -> "DataFrame":
        """The declared columns of a table as texts, behind the table's name."""
        from pyspark.sql import functions as sql

        texts = [
            sql.col(f"f{position}").alias(f"f{number}")
            for number, position in enumerate(table.positions(domain), start=1)
        ]
        return self._view(table, domain).select(sql.lit(name).alias("f0"), *texts)


def source_of(
    tables: Sequence[PrivateTable], domain: Domain, names: tuple[str, ...], dialect: Dialect
) -> RowSource:
    """The rows of all tables, with the table's name as their first column.

    Args:
        tables: The tables, all of one form.
        domain: Their columns.
        names: What stands in the first column, for each table.
        dialect: The SQL of the statement.
    """
    first_column = Categorical(name=TABLE_NUMBER, categories=names)
    named_domain = replace(domain, columns=(first_column, *domain.columns))
    assert named_domain.size < MAX_CELLS
    (form,) = {table.form for table in tables}
    return RowSource(
        domain=named_domain,
        positions=range(len(named_domain.columns)),
        rows=dialect.source,
        dialect=dialect,
        form=form,
    )

"""Spark, for tables beyond one machine: the same generated SQL in another dialect.

It needs ``requirements-spark.txt`` and Java 17. The session is the one at hand, or a local one.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from synth.cells import Cells, pack
from synth.domain import Date, Domain
from synth.engines.sql import cell_query, literal
from synth.errors import ArgumentError
from synth.privacy import ROW, Unit
from synth.table import PrivateTable, explain_failure

Ints = npt.NDArray[np.int64]

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
}
_MOMENTS = {
    "%Y": "yyyy", "%y": "yy", "%m": "MM", "%d": "dd", "%H": "HH", "%M": "mm", "%S": "ss",
    "%b": "MMM", "%B": "MMMM", "%I": "hh", "%p": "a", "%j": "DDD",
}  # fmt: skip
_DECIMAL = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
_INFINITE = r"[+-]?(?i:inf|infinity)"


class Spark:
    """An engine on a Spark session.

    Raises:
        ArgumentError: pyspark is not installed.
    """

    def __init__(self) -> None:
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            SparkSession = None
        if SparkSession is None:
            message = "The engine spark needs pyspark: pip install -r requirements-spark.txt."
            raise ArgumentError(message)
        builder = SparkSession.builder.appName("synth").config("spark.ui.enabled", "false")
        self._session = builder.getOrCreate()
        self._session.sparkContext.setLogLevel("OFF")  # its log quotes cells
        for name, value in SETTINGS.items():
            self._session.conf.set(name, value)

    def count(
        self, table: PrivateTable, domain: Domain, unit: Unit = ROW
    ) -> tuple[Cells, Ints, int]:
        """Occupied cells in ascending order, their counts, and the rows the rules left out."""
        person = table.position(unit.person) if unit.person else None
        query = cell_query(
            domain,
            table.positions(domain),
            "synth_source",
            self,
            table.form,
            person=person,
            max_rows=unit.max_rows,
        )
        try:
            self._view(table, domain)
            result: Any = self._session.sql(query).toArrow()
        except Exception:  # noqa: BLE001 - its messages quote cells
            result = None
        if result is None:
            explain_failure(table)
        *words, counts = (np.asarray(column.fill_null(-1)) for column in result.columns)
        kept = np.logical_and.reduce([word >= 0 for word in words])
        cells = pack([word[kept].astype(np.int64) for word in words])
        order = np.argsort(cells)
        return cells[order], counts[kept][order].astype(np.int64), int(counts[~kept].sum())

    def _view(self, table: PrivateTable, domain: Domain) -> None:
        """The table as a view whose columns are texts called f0, f1, ..."""
        names = [f"f{i}" for i in range(len(table.header))]
        path = str(table.data.resolve())
        if table.types:
            frame = self._session.read.parquet(path).toDF(*names)
            shown = dict.fromkeys(names, "CAST({} AS STRING)")
            for column, position in zip(domain.columns, table.positions(domain), strict=True):
                if table.types[position].startswith(("timestamp", "date")) and isinstance(
                    column, Date
                ):
                    pattern = literal(java_pattern(column.pattern))
                    shown[names[position]] = f"date_format({{}}, {pattern})"
            frame = frame.selectExpr(*(f"{shown[n].format(n)} AS {n}" for n in names))
        else:
            reader = self._session.read.schema(", ".join(f"{name} STRING" for name in names))
            frame = reader.csv(
                path,
                sep=table.form.delimiter,
                header=table.skip > 0,
                quote='"',
                escape='"',
                mode="FAILFAST",
                multiLine=True,
                encoding="UTF-8",
            )
        frame.createOrReplaceTempView("synth_source")

    # The dialect.

    def text(self, field: str) -> str:
        return f"COALESCE(trim({field}), '')"

    def lookup(self, text: str, categories: Sequence[str]) -> str:
        listing = ", ".join(literal(category) for category in categories)
        return f"NULLIF(array_position(array({listing}), {text}), 0) - 1"

    def matches(self, text: str, pattern: str) -> str:
        return f"{text} RLIKE {literal(f'^({pattern})$')}"

    def number(self, field: str) -> str:
        text = f"trim({field})"
        finite = f"abs(TRY_CAST({text} AS DOUBLE)) < CAST('Infinity' AS DOUBLE)"
        sign = f"CASE WHEN {text} LIKE '-%' THEN '-Infinity' ELSE 'Infinity' END"
        return (
            f"CASE WHEN {self.matches(text, _DECIMAL)} AND {finite} "
            f"THEN TRY_CAST({text} AS DOUBLE) "
            f"WHEN {self.matches(text, _INFINITE)} THEN CAST({sign} AS DOUBLE) END"
        )

    def moment(self, field: str, pattern: str) -> str:
        java = literal(java_pattern(pattern))
        return f"unix_timestamp(try_to_timestamp(trim({field}), {java}))"


def java_pattern(pattern: str) -> str:
    """A strftime pattern as Java writes it.

    >>> java_pattern("%d.%m.%Y at %H:%M")
    "dd.MM.yyyy 'at' HH:mm"

    Raises:
        ArgumentError: Spark has no such directive.
    """
    unknown = [mark for mark in re.findall("%.", pattern) if mark not in _MOMENTS]
    if unknown:
        message = f"The engine spark cannot read dates with {unknown[0]} in their format."
        raise ArgumentError(message)
    return re.sub("%.|[A-Za-z]+", lambda m: _MOMENTS.get(m[0], f"'{m[0]}'"), pattern)

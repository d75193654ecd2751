"""DuckDB as it profiles columns for a draft: statistics of their texts. PRIVATE."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from synth import limits
from synth.domain import UNREADABLE, Moment, Reading, midnight_form
from synth.privacy import RowReading
from synth.private.counting.clock_texts import clock_readings
from synth.private.counting.duckdb import DuckDB, strict_first
from synth.private.counting.duckdb_files import text_source
from synth.private.counting.duckdb_sql import Dialect
from synth.private.counting.profiles import (
    Profile,
    Readings,
    date_patterns,
    empty_profile,
    find_second_form,
    grouped_query,
    profiles_query,
    ranks_query,
    read_profile,
    read_ranks,
    read_values,
    times_query,
)
from synth.private.counting.statements import Statement
from synth.private.table import PrivateTable

# Columns profiled in one scan at most.
MAX_PROFILED_COLUMNS = 1_000

# Assumed size of a typed file's cells as texts, as a multiple of the file: it is compressed.
TEXT_EXPANSION = 8


class Profiler(DuckDB):
    """An engine that profiles the columns of a table."""

    @strict_first
    def profiles(
        self,
        table: PrivateTable,
        names: Sequence[str],
        missing_texts: Sequence[str],
        *,
        dates: Mapping[str, str],
        missing_by_column: Mapping[str, Sequence[str]] | None = None,
    ) -> list[Profile]:
        """Return statistics of some columns, read as texts, in the order of the names.

        PRIVATE. The columns are profiled in batches.

        Args:
            table: The confidential rows.
            names: The columns.
            missing_texts: Spellings that are declared missing.
            dates: Formats of dates that are known, by column.
            missing_by_column: The spellings of columns that have their own.
        """
        own_missing = missing_by_column or {}
        profiles: dict[str, Profile] = {}
        # As many columns at a time as fit in a quarter of the memory, if all are equally
        # large.
        quarter_bytes = limits.memory_mb() * 2**20 // 4
        text_bytes = table.bytes * (TEXT_EXPANSION if table.types else 1)
        share = quarter_bytes / max(1, text_bytes)
        step = max(1, min(MAX_PROFILED_COLUMNS, int(share * len(table.header))))
        for start in range(0, len(names), step):
            batch = names[start : start + step]
            fields = {f"f{table.position(name)}": name for name in batch}
            # Each statement has a dialect of its own, which collects its texts.
            sql = Dialect(self.enum)
            source = text_source(table, batch, sql)
            query = grouped_query(
                list(fields),
                source,
                sql,
                missing_texts=("", UNREADABLE, *missing_texts),
                missing_by_field={
                    field: ("", UNREADABLE, *own_missing[name])
                    for field, name in fields.items()
                    if name in own_missing
                },
            )
            self.fetch(table, sql.query(f"CREATE OR REPLACE TEMP TABLE grouped AS {query}"))
            profiles |= self._profile_columns(table, fields, dates)
        has_marks = table.reading in (RowReading.LINES, RowReading.SPAN)
        suggested = table.suggest_options() if has_marks else ()
        marks = tuple(o for o in suggested if o.startswith(("decimal=", "thousands=")))
        return [
            replace(
                profiles.get(name) or empty_profile(name), has_marks=has_marks, marks=marks
            )
            for name in names
        ]

    def _profile_columns(
        self, table: PrivateTable, fields: Mapping[str, str], dates: Mapping[str, str]
    ) -> dict[str, Profile]:
        """Return profiles of some columns, by name, from their grouped texts.

        The table ``grouped`` of the connection holds the different texts of these columns and
        their rows. Numbers are read first, then dates in each format that texts may have,
        then, in columns without dates, times of day and durations.

        Args:
            table: The confidential rows, for errors only.
            fields: Names of the columns by their fields in SQL.
            dates: Formats of dates that are known, by name of the column.
        """
        sql = Dialect(self.enum)
        rows = self._rows(table, sql.query(profiles_query("grouped", sql, table.form)))
        # In the table's order, so that formats of dates are tried in the same one every time.
        profiles = {
            field: read_profile(name, rows[field])
            for field, name in fields.items()
            if field in rows
        }
        self._add_ranks(table, profiles)
        self._add_dates(table, profiles, dates)
        for field, profile in profiles.items():
            if profile.dates:
                continue
            clocks = {
                reading: self._read_times(table, field, reading)
                for reading in clock_readings(profile)
            }
            profiles[field] = replace(profile, clocks=clocks)
        return {profile.name: profile for profile in profiles.values()}

    def _add_ranks(self, table: PrivateTable, profiles: dict[str, Profile]) -> None:
        """Add groups of sorted numbers to the profiles of columns of numbers, in place.

        They matter only where at least half of the filled cells are numbers.

        Args:
            table: The confidential rows, for errors only.
            profiles: The profiles of the columns, by their fields in SQL.
        """
        numeric_fields = [
            field
            for field, profile in profiles.items()
            if 2 * profile.numbers.rows >= profile.filled_rows > 0
        ]
        if not numeric_fields:
            return
        sql = Dialect(self.enum)
        query = sql.query(ranks_query("grouped", numeric_fields, sql, form=table.form))
        for field, row in self._rows(table, query).items():
            ranked = replace(profiles[field].numbers, ranks=read_ranks(row["ranks"]))
            profiles[field] = replace(profiles[field], numbers=ranked)

    def _add_dates(
        self, table: PrivateTable, profiles: dict[str, Profile], dates: Mapping[str, str]
    ) -> None:
        """Add the dates that texts are in each format to the profiles, in place.

        Columns that may have the same format are read by one query.

        Args:
            table: The confidential rows, for errors only.
            profiles: The profiles of the columns, by their fields in SQL.
            dates: Formats of dates that are known, by name of the column.
        """
        fields_by_pattern: dict[str, list[str]] = {}
        for field, profile in profiles.items():
            forms = None if dates.get(profile.name) else find_second_form(profile)
            if forms:
                reading = Moment(forms[0], 1, others=forms[1:])
                values = self._read_times(table, field, reading)
                profiles[field] = replace(profile, dates={forms[0]: values}, also=forms[1])
                continue
            for pattern in date_patterns(profile, dates.get(profile.name, "")):
                fields_by_pattern.setdefault(pattern, []).append(field)
        for pattern, dated_fields in fields_by_pattern.items():
            sql = Dialect(self.enum)
            midnights = midnight_form(pattern)  # a day alone is one
            reading = Moment(pattern, 1, others=(midnights,) if midnights else ())
            query = sql.query(times_query("grouped", dated_fields, sql, reading=reading))
            for field, row in self._rows(table, query).items():
                dates_by_pattern = {**profiles[field].dates, pattern: read_values(row)}
                profiles[field] = replace(profiles[field], dates=dates_by_pattern)

    def _read_times(self, table: PrivateTable, field: str, reading: Reading) -> Readings:
        """Return statistics of the texts of a field, read as dates or times.

        The table ``grouped`` of the connection holds the different texts and their rows.
        """
        sql = Dialect(self.enum)
        query = sql.query(times_query("grouped", [field], sql, reading=reading))
        rows = self._rows(table, query)
        return read_values(rows[field]) if field in rows else Readings()

    def _rows(self, table: PrivateTable, query: Statement) -> dict[str, dict[str, object]]:
        """Return the lines of an answer by the field in its column ``c``.

        A line maps the names of the answer's columns to its values, None for NULL.
        """
        fetched = self.fetch(table, query)
        columns = {name: np.ma.asarray(values).tolist() for name, values in fetched.items()}
        rows = (
            dict(zip(columns, row, strict=True))
            for row in zip(*columns.values(), strict=True)
        )
        return {str(row["c"]): row for row in rows}

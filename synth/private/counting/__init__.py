"""Exact counts of the confidential table, by cell. PRIVATE.

``counts``      counts, sums of numbers, and rows as codes
``one_reading`` counts and sums of numbers from one reading of a table
``moments``     sums of offsets within bins and of products
``fits``        rows that fit a declaration
``preview``     the first rows, for the steward alone
``pictures``    the shape of each column as a few bars, for the steward alone
``look``        fields filled in from the rows
``key_columns`` keys of other columns and of persons with several rows
``repeated_keys`` a column of keys that repeat, as a proposal of whose row it is
``derived_rows``      rows as the rules of derived columns read them
``column_rows`` rows of some columns, to look for relations between them
``dependencies``      relations that all rows obey
``dependency_sums``       totals and differences
``dependency_support``    rows that could have broken one
``dependency_orders``     one column at most another
``dependency_lists``      one list decides another
``dependency_bins``       a list cuts a number or a date
``dependency_formulas``   equal numbers and other formulas
``dependency_ages``       formulas of ages, spans and parts of dates
``dependency_texts``      names, numbers and days in formulas
``labelled``    columns that a code book describes in part
``losses``      rows whose value a draft does not describe
``profiles``    statistics of a column
``profiler``    reads them by DuckDB
``settling``    the kind of column that fits a profile
``settling_dates``   dates
``settling_clocks``  times of day and durations
``clock_texts`` how texts of these are told
``settling_numbers`` numbers
``settling_texts``   texts
``several_answers`` several answers in one cell
``missing_texts``    texts among dates or numbers that are none
``spelled_values`` texts such as NA that are values in one column only
``number_holes``    holes between whole numbers, which tell codes from measures
``signs``       texts among numbers that get a cell of their own
``ordering``    the order of listed texts
``rounding``    bounds and edges that are no row's own
``shapes``      keys, contacts, free text and markers
``sentinels``   codes among values
``cell_shapes`` rows by the shapes of single columns, and by value
``sql``         SQL from rows of text to cells
``sums_sql``    SQL of sums of numbers
``statements``  SQL, with its texts kept separately
``spelling``    how cells spell numbers and dates
``adding``      what takes the rows of one reading: codes, histograms
``duckdb``      DuckDB, in this process
``duckdb_files`` how it reads a table
``duckdb_sql``  its dialect
``engines``     all engines by name
``linked``      rows of linked tables
``row_digest``  the digest of a table of a database
``spark``       Spark, for tables beyond one machine
``spark_sql``   its dialect
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.counting.cell_shapes import ListCoding, Scan, ShapeCoding, StepCoding
    from synth.private.counting.cell_shapes import ValueRows
    from synth.private.counting.counts import Counts, Rows, Summed, codes, count, count_sums
    from synth.private.counting.counts import open_source
    from synth.private.counting.derived_rows import count_disagreeing, hold_values
    from synth.private.counting.duckdb import DuckDB, Readings
    from synth.private.counting.engines import ENGINES, Engine
    from synth.private.counting.fits import (
        FitShares,
        count_all_rows,
        count_fitting,
        fit_shares,
    )
    from synth.private.counting.labelled import read_book, read_labels_of
    from synth.private.counting.look import Look, profile_table
    from synth.private.counting.linked import settle_tables
    from synth.private.counting.pictures import count_bars
    from synth.private.counting.preview import read_first_rows
    from synth.private.counting.repeated_keys import RepeatedKey, find_repeated_key
    from synth.private.counting.row_digest import digest_rows
    from synth.private.counting.moments import AddedMoments
    from synth.private.counting.one_reading import (
        Needs,
        add_moments,
        count_and_add,
        read_rows,
    )
    from synth.private.counting.spark import connect

__getattr__ = offer(__name__)

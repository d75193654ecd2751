"""The SQL of sums of numbers: what each row adds, in whole steps, the same for every engine.

A sum is over the values of a column, over products of two columns, or over their distances
from the middles of bins (`synth.domain.offsets`). Steps are whole, so no order of rows can
change a sum.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from synth.domain import (
    Domain,
    Frame,
    Offsets,
    Product,
    Steps,
    Summable,
    Summand,
    summed_column,
)
from synth.estimate import MomentSum
from synth.private.counting.sql import (
    RowSource,
    cell_query,
    codes_query,
    kept_query,
    place_sql,
)


def summed_query(source: RowSource, sums: Sequence[Summand]) -> str:
    """Return SQL that counts rows by cell, and adds numbers: see `cell_query`.

    Args:
        source: The declared columns, the rows and the dialect.
        sums: For each sum, the grid of its column, or two grids for a product.
    """
    return cell_query(source, [_sum_sql(source.domain, summand) for summand in sums])


def _sum_sql(domain: Domain, summand: Summand) -> str:
    """Return SQL for what a row adds to a sum, in whole steps.

    Args:
        domain: The declared columns.
        summand: The grid of a column, by which its number becomes steps; or the grids of two
            columns, whose steps are multiplied.
    """
    if isinstance(summand, Product):
        first, second = (f"CAST({_steps_sql(domain, steps)} AS BIGINT)" for steps in summand)
        return f"{first} * {second}"
    return _steps_sql(domain, summand)


def _steps_sql(domain: Domain, steps: Steps) -> str:
    """Return SQL for the whole steps of a row's value from the middle of its column.

    The operations are those of `synth.domain.offsets.steps_of`. A code outside the bounds,
    a missing or an undeclared value adds nothing. A value that is moved to a bound adds the
    bound's steps. The value is ``v{i}`` and its code ``c{i}`` for column i.

    Args:
        domain: The declared columns.
        steps: The grid: its column, middle and size, and the most steps.
    """
    column = summed_column(domain, steps)
    code = f"c{steps.column}"
    middle = place_sql(float(steps.middle))
    grid = place_sql(float(steps.grid))
    inside = f"{code} BETWEEN {column.first} AND {column.last}"
    whole_steps = _whole_sql(
        f"({_value_sql(column, steps.column)} - {middle}) / {grid}", steps.most
    )
    return f"CASE WHEN {inside} THEN {whole_steps} ELSE 0 END"


def _value_sql(column: Summable, number: int) -> str:
    """Return SQL of a value for sums: within the bounds, and in whole units if there are any.

    Args:
        column: The bounds of the column's values, and their unit; real numbers have none.
        number: The number of the column, whose value is ``v{number}``.
    """
    value = _clamp_sql(f"CAST(v{number} AS DOUBLE)", column.low, column.high)
    if column.unit is not None:  # as the cells have it: 39.5 is one of those from 35 to 39
        unit = place_sql(column.unit)
        value = f"floor({value} / {unit}) * {unit}"
    return value


def _whole_sql(away: str, limit: int) -> str:
    """Return SQL of a double rounded to a whole number, a half away from 0, and clipped.

    The rounding is spelled out, so that all engines round alike.

    Args:
        away: SQL of the double.
        limit: The result is clipped to [-limit, limit].
    """
    rounded = f"sign({away}) * floor(abs({away}) + {place_sql(0.5)})"
    return f"CAST({_clamp_sql(rounded, -float(limit), float(limit))} AS INTEGER)"


def steps_of_row(domain: Domain, sums: Sequence[MomentSum]) -> list[str]:
    """Return SQL of what sums of offsets and products need of a row, as ``s0``, ``s1``, ...

    These are the steps of each factor, and then 1 or 0 for each column in which a row must
    have a number, whether it has one.
    """
    factors, required = _row_needs(sums)
    steps = [
        *(_offset_sql(domain, Offsets.build(domain, *pair)) for pair in factors),
        *(_has_number_sql(domain, column) for column in required),
    ]
    return [f"{expression} AS s{j}" for j, expression in enumerate(steps)]


def _row_needs(
    sums: Sequence[MomentSum],
) -> tuple[list[tuple[int, Frame]], list[int]]:
    """Return the factors of sums, and the columns in which rows need a number for them."""
    factors = dict.fromkeys(chain(*(moment_sum.factor_keys for moment_sum in sums)))
    required = {*chain(*(moment_sum.given for moment_sum in sums))}
    return list(factors), sorted(required)


def moments_query(
    source: RowSource, sums: Sequence[MomentSum], *, all_sums: Sequence[MomentSum]
) -> str:
    """Return SQL that adds offsets of numbers, or products of them, by cells.

    Columns are the codes ``c0``, ... of every column that some sum is by, and the sums in
    steps ``m0``, ``m1``, ... The lines of a sum are those with codes in its own columns, and
    NULL in the others. Rows that a rule leaves out do not count.

    Args:
        source: The declared columns, the rows and the dialect.
        sums: The definitions of the sums, each with the columns that it is by.
        all_sums: These and the sums of the same release that other statements add. All of
            them decide which rows of a person count, so all statements use the same rows.
    """
    domain = source.domain
    factors, required = _row_needs(all_sums)
    added = steps_of_row(domain, all_sums)
    codes = codes_query(source, values=True)
    if source.person is None:
        inside = " AND ".join(f"c{i} IS NOT NULL" for i in range(len(domain.columns)))
        rows = f"SELECT *, {', '.join(added)} FROM ({codes}) WHERE {inside}"
    else:
        rows = kept_query(codes, domain, source.max_rows, added=added)
    totals = []
    for j, moment_sum in enumerate(sums):
        steps = _moment_sql(moment_sum, factors, required)
        totals.append(f"CAST(COALESCE(sum(CAST({steps} AS BIGINT)), 0) AS BIGINT) AS m{j}")
    # A line is by one group of columns; the sums of other groups are in it too, but unused.
    groups = list(dict.fromkeys(moment_sum.by for moment_sum in sums))
    names = [f"c{i}" for i in sorted({*chain(*groups)})]
    sets = ", ".join(f"({', '.join(f'c{i}' for i in group)})" for group in groups)
    typed = [f"CAST({name} AS INTEGER) AS {name}" for name in names]
    row = ", ".join([*typed, *(f"s{j}" for j in range(len(added)))])
    chosen = ", ".join([*names, *totals])
    return (
        f"SELECT {chosen} FROM (SELECT {row} FROM ({rows})) GROUP BY GROUPING SETS ({sets})"
    )


def _moment_sql(
    moment_sum: MomentSum, factors: Sequence[tuple[int, Frame]], required: Sequence[int]
) -> str:
    """Return SQL for what a row adds to a sum, in steps.

    A row has the steps of all factors, ``s0``, ..., and then 1 or 0 for each required column,
    whether it has a number there. Without a number the row adds 0.

    Args:
        moment_sum: The definition of the sum.
        factors: Each column whose offsets some sum needs, with where these count from.
        required: Columns that need a number, by number.
    """
    factor_steps = [
        f"CAST(s{factors.index(pair)} AS DOUBLE)" for pair in moment_sum.factor_keys
    ]
    if not factor_steps:
        steps = str(moment_sum.steps)
    elif len(factor_steps) == 1:
        (steps,) = factor_steps
    else:
        # Two factors of so many steps have a product of as many steps, after division.
        product = f"({' * '.join(factor_steps)} / {place_sql(float(moment_sum.steps))})"
        steps = _whole_sql(product, moment_sum.steps)
    places = [len(factors) + required.index(column) for column in moment_sum.given]
    return " * ".join([steps, *(f"s{place}" for place in places)])


def _has_number_sql(domain: Domain, column: int) -> str:
    """Return SQL that is 1 for a row with a number in a column, else 0."""
    # Cells without a number, such as that of missing values, have no width.
    codes = np.flatnonzero(Offsets.build(domain, column, Frame.RANGE).halves).tolist()
    return f"CASE WHEN c{column} IN ({', '.join(map(str, codes))}) THEN 1 ELSE 0 END"


def _offset_sql(domain: Domain, offsets: Offsets) -> str:
    """Return SQL for the whole steps of a row's value from the middle of its cell.

    A row in a cell without a number has 0 steps.

    Args:
        domain: The declared columns.
        offsets: By cell of a column, the middle and half the width; and the most steps.
    """
    column = domain.columns[offsets.column].summable
    code = f"c{offsets.column}"
    assert column is not None
    # Cells without a number have no width. Others have ``most`` steps in half their width.
    codes = np.flatnonzero(offsets.halves).tolist()
    middle = _by_code(code, {number: float(offsets.middles[number]) for number in codes})
    grid = _by_code(
        code, {number: float(offsets.halves[number]) / offsets.most for number in codes}
    )
    whole_steps = _whole_sql(
        f"({_value_sql(column, offsets.column)} - {middle}) / {grid}", offsets.most
    )
    return f"CASE WHEN {code} IN ({', '.join(map(str, codes))}) THEN {whole_steps} ELSE 0 END"


def _by_code(code: str, values: Mapping[int, float]) -> str:
    """Return SQL for the number that belongs to a row's code.

    Args:
        code: SQL of the code.
        values: The numbers by code, at least one.
    """
    # If all codes share a number, no CASE is needed.
    first, *others = dict.fromkeys(values.values())
    if not others:
        return place_sql(first)
    whens = " ".join(
        f"WHEN {number} THEN {place_sql(value)}" for number, value in values.items()
    )
    return f"CASE {code} {whens} END"


def _clamp_sql(value: str, low: float, high: float) -> str:
    return f"least(greatest({value}, {place_sql(low)}), {place_sql(high)})"

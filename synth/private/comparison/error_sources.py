"""Which part of the error is binning, which noise, which drawing. PRIVATE.

A release is a chain: real values are cut into bins, a person's rows beyond the most that are used
are left out, the bins' shares get noise and are repaired (or joined by a model), and rows are
drawn from them. Each step is measured by itself, against
what went into it. Distances obey the triangle inequality: the whole is at most the sum of its
parts, and may be less, as drawing can by chance undo what noise did.

Shares of cells are compared by total variation, which binning leaves as it is; numbers and dates
also by the largest gap between their cumulative shares (Kolmogorov and Smirnov), which sees it.
"""

from dataclasses import dataclass

import numpy as np

from synth.private.comparison.numeric_columns import ColumnValues, ValueLaw, column_axes, gap
from synth.private.comparison.tables import Compared
from synth.util import Codes, Floats, Names


@dataclass(frozen=True)
class Parts:
    """Total variation step by step. PRIVATE.

    Attributes:
        left_out: From all real rows to those that are used; 0 where each row is a person.
        noise: From their shares to those after the noise (and the model, if there is one);
            None where a model does not say what it holds the table to be.
        drawing: From there to the rows drawn.
        whole: From real to synthetic.
    """

    left_out: float
    noise: float | None
    drawing: float | None
    whole: float


@dataclass(frozen=True)
class Stage:
    """A number's mean and quartiles at one stage; dates in days or seconds since 1970."""

    name: str
    mean: float
    quartiles: tuple[float, float, float]


@dataclass(frozen=True)
class NumberParts:
    """What each step does to one column of numbers or dates. PRIVATE.

    Attributes:
        binning, left_out, noise, drawing, whole: Largest gap of the cumulative shares, step by
            step.
        stages: Real, binned, of the rows that are used, after the noise, drawn.
    """

    binning: float
    left_out: float
    noise: float | None
    drawing: float | None
    whole: float | None
    stages: tuple[Stage, ...]


def parts(seen: Compared, names: Names) -> Parts:
    """The error of one table, step by step."""
    real, drawn = seen.pair(*names)
    used = seen.used_shares(names)
    between = seen.noisy(names)
    left_out, whole = _distance(real, used), _distance(real, drawn)
    if between is None:
        return Parts(left_out, None, None, whole)
    return Parts(left_out, _distance(used, between), _distance(between, drawn), whole)


def all_parts(seen: Compared) -> dict[Names, Parts]:
    """The errors of all columns and pairs that were compared."""
    tables = [*seen.errors.one_way.by_table, *seen.errors.two_way.by_table]
    return {names: parts(seen, names) for names in tables}


def number_parts(seen: Compared, real: dict[str, ColumnValues]) -> dict[str, NumberParts]:
    """The same for every column of numbers or dates.

    Args:
        seen: Both tables.
        real: The values of the confidential rows (`within.read`).
    """
    return {name: _number(seen, name, values) for name, values in real.items()}


def _distance(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).sum() / 2)


def _number(seen: Compared, name: str, real: ColumnValues) -> NumberParts:
    axis = column_axes(seen.domain)[name]
    cells = len(axis.column.labels)
    between = seen.noisy((name,))
    exact, binned = axis.exactly(real.values), axis.spread(_counts(real.codes, cells))
    used = axis.spread(seen.used_shares((name,))[:cells])
    noisy = None if between is None else axis.spread(between[:cells])
    values = axis.parse_values(seen.result.synthetic.table[name])
    drawn = axis.exactly(values) if len(values) else None
    laws: dict[str, ValueLaw | None] = {"real": exact, "in bins": binned}
    all_used = seen.kept is seen.real
    if not all_used:
        laws["of the rows used"] = used
    laws |= {"after the noise": noisy, "drawn": drawn}
    return NumberParts(
        gap(exact, binned),
        0.0 if all_used else gap(binned, used),
        None if noisy is None else gap(used, noisy),
        None if noisy is None or drawn is None else gap(noisy, drawn),
        None if drawn is None else gap(exact, drawn),
        tuple(Stage(n, law.mean, law.quartiles) for n, law in laws.items() if law is not None),
    )


def _counts(codes: Codes, cells: int) -> Floats:
    return np.bincount(codes, minlength=cells).astype(np.float64)

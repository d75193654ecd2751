"""The parts of the error: binning, noise, drawing. PRIVATE.

Each step from real to synthetic is compared with its own input, by total variation. Numbers
and dates are also compared by the largest gap of cumulative shares (Kolmogorov, Smirnov),
which shows binning. The whole is at most the sum of its parts."""
# Real values are cut into bins, a person's rows beyond the limit are left out, the bins'
# shares get noise and are repaired (or joined by a model), and rows are drawn. Distances obey
# the triangle inequality; drawing can by chance undo noise.

from dataclasses import dataclass

import numpy as np

from synth.private.comparison.numeric_columns import ColumnValues, ValueLaw, column_axes, gap
from synth.private.comparison.tables import Compared, distance
from synth.util import Names


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Distances step by step: total variations of a table. PRIVATE.

    Attributes:
        left_out: From all real rows to the used ones; 0 if each row is a person.
        noise: Then to those after the noise and a model; None if a model does not cover them.
        drawing: Then to the drawn rows.
        whole: From real to synthetic; None if no row is drawn.
    """

    left_out: float
    noise: float | None
    drawing: float | None
    whole: float | None

    @property
    def steps(self) -> dict[str, float | None]:
        """The distances as people read them, in the order of the steps."""
        named = "left out", "noise", "drawing", "in all"
        return dict(
            zip(named, (self.left_out, self.noise, self.drawing, self.whole), strict=True)
        )


@dataclass(frozen=True)
class Stage:
    """Mean and quartiles of a number at one stage; dates in days or seconds since 1970."""

    name: str
    mean: float
    quartiles: tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class NumberParts(Parts):
    """Effect of each step on one column of numbers or dates. PRIVATE.

    The steps are largest gaps of cumulative shares, and the first one is ``binning``; the
    stages are real, binned, used rows, after the noise, drawn."""

    binning: float
    stages: tuple[Stage, ...]


def parts(seen: Compared, names: Names) -> Parts:
    real, drawn = seen.pair(*names)
    used = seen.used_shares(names)
    between = seen.noisy(names)
    left_out, whole = distance(real, used), distance(real, drawn)
    if between is None:
        return Parts(left_out=left_out, noise=None, drawing=None, whole=whole)
    return Parts(
        left_out=left_out,
        noise=distance(used, between),
        drawing=distance(between, drawn),
        whole=whole,
    )


def all_parts(seen: Compared) -> dict[Names, Parts]:
    tables = [*seen.errors.one_way.by_table, *seen.errors.two_way.by_table]
    return {names: parts(seen, names) for names in tables}


def number_parts(seen: Compared, real: dict[str, ColumnValues]) -> dict[str, NumberParts]:
    """Return the error of every column of numbers or dates.

    ``real`` are the confidential values (`numeric_columns.read_columns`).
    """
    return {name: _number(seen, name, values) for name, values in real.items()}


def _number(seen: Compared, name: str, real: ColumnValues) -> NumberParts:
    axis = column_axes(seen.domain)[name]
    cells = len(axis.column.labels)
    between = seen.noisy((name,))
    exact, binned = (
        axis.exactly(real.values),
        axis.spread(np.bincount(real.codes, minlength=cells)),
    )
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
        left_out=0.0 if all_used else gap(binned, used),
        noise=None if noisy is None else gap(used, noisy),
        drawing=None if noisy is None or drawn is None else gap(noisy, drawn),
        whole=None if drawn is None else gap(exact, drawn),
        binning=gap(exact, binned),
        stages=tuple(
            Stage(n, law.mean, law.quartiles) for n, law in laws.items() if law is not None
        ),
    )

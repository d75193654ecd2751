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
        total: From real to synthetic; None if no row is drawn.
    """

    left_out: float
    noise: float | None
    drawing: float | None
    total: float | None

    @property
    def steps(self) -> dict[str, float | None]:
        """The distance of each step, by the step's name as people read it, in order.

        A distance is None if it is not known.
        """
        return {
            "left out": self.left_out,
            "noise": self.noise,
            "drawing": self.drawing,
            "in all": self.total,
        }


@dataclass(frozen=True)
class Stage:
    """Mean and quartiles of a number at one stage; dates in days or seconds since 1970.

    Attributes:
        name: What people call the stage.
        mean: The mean.
        quartiles: The lower quartile, the median and the upper quartile.
    """

    name: str
    mean: float
    quartiles: tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class NumberParts(Parts):
    """Effect of each step on one column of numbers or dates. PRIVATE.

    The steps are largest gaps of cumulative shares.

    Attributes:
        binning: The first step, from real values to bins.
        stages: Real values, in bins, of the rows used, after the noise, drawn.
    """

    binning: float
    stages: tuple[Stage, ...]


def parts(compared: Compared, names: Names) -> Parts:
    """Return how far each step from real to synthetic moves one table of columns.

    Steps are leaving out rows, noise (with its repair or model), and drawing.

    Args:
        compared: The real and the synthetic rows, and the release.
        names: The columns.
    """
    real, synthetic = compared.pair(*names)
    # Without a person column these are the same object, as all rows may be used.
    all_used = compared.used is compared.real
    used = real if all_used else compared.used_shares(names)
    noisy = compared.noisy(names)
    left_out = distance(real, used)
    total = distance(real, synthetic)
    if noisy is None:
        return Parts(left_out=left_out, noise=None, drawing=None, total=total)
    return Parts(
        left_out=left_out,
        noise=distance(used, noisy),
        drawing=distance(noisy, synthetic),
        total=total,
    )


def all_parts(compared: Compared) -> dict[Names, Parts]:
    """Return the parts of the error of every column and every pair."""
    tables = [*compared.errors.one_way.by_table, *compared.errors.two_way.by_table]
    return {names: parts(compared, names) for names in tables}


def number_parts(compared: Compared, real: dict[str, ColumnValues]) -> dict[str, NumberParts]:
    """Return how far each step moves every column of numbers or dates, by name.

    Args:
        compared: The real and the synthetic rows, and the release.
        real: The confidential values (`numeric_columns.values_in_bins`).
    """
    return {name: _number(compared, name, values) for name, values in real.items()}


def _number(compared: Compared, name: str, real: ColumnValues) -> NumberParts:
    """Return how far each step moves a column's values.

    The steps are binning, leaving out rows, noise, and drawing. Each stage is a law of the
    values: the values themselves, or shares of bins whose values are spread evenly.

    Args:
        compared: The real and the synthetic rows, and the release.
        name: The column.
        real: The confidential values of the column.
    """
    axis = column_axes(compared.domain)[name]  # the lattice on which the values lie
    cells = len(axis.column.labels)  # the cells that hold numbers; they come first
    exact = axis.exactly(real.values)
    binned = axis.spread(np.bincount(real.codes, minlength=cells))
    used = axis.spread(compared.used_shares((name,))[:cells])
    noisy_shares = compared.noisy((name,))
    noisy = None if noisy_shares is None else axis.spread(noisy_shares[:cells])
    synthetic_values = axis.parse_values(compared.result.synthetic.table[name])
    synthetic = axis.exactly(synthetic_values) if len(synthetic_values) else None
    # Without a person column these are the same object, as all rows may be used.
    all_used = compared.used is compared.real
    laws: dict[str, ValueLaw | None] = {"real": exact, "in bins": binned}
    if not all_used:
        laws["of the rows used"] = used
    laws |= {"after the noise": noisy, "drawn": synthetic}
    stages = [
        Stage(stage, law.mean, law.quartiles)
        for stage, law in laws.items()
        if law is not None
    ]
    return NumberParts(
        left_out=0.0 if all_used else gap(binned, used),
        noise=_gap_if_known(used, noisy),
        drawing=_gap_if_known(noisy, synthetic),
        total=_gap_if_known(exact, synthetic),
        binning=gap(exact, binned),
        stages=tuple(stages),
    )


def _gap_if_known(before: ValueLaw | None, after: ValueLaw | None) -> float | None:
    """Return the gap between two stages; None if one of the stages is missing."""
    if before is None or after is None:
        return None
    return gap(before, after)

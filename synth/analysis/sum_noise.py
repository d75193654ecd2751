"""The joint noise of several weighted sums of noisy cells. PUBLIC.

Sums from one histogram share its noise, even if they use different columns of it.
"""

from collections.abc import Sequence

import numpy as np

from synth.analysis.selection import JointColumns
from synth.domain import Domain
from synth.errors import LimitError
from synth.util import Floats

# Most cells times sums in memory at once.
MOST_WEIGHTS = 2 * 10**7
# What a sum takes from one histogram: weights of its cells, shape (1 or cells of each
# column), the variance of a cell's noise, and the number of its cells.
_Spread = tuple[Floats, float, int]


def check_weights(sums: int, cells: int) -> None:
    """Refuse weighted sums over cells whose weights would need too much memory.

    Args:
        sums: The number of sums.
        cells: The number of cells that each adds up.

    Raises:
        LimitError: There are more weights than the limit.
    """
    if sums * cells > MOST_WEIGHTS:
        raise LimitError(
            f"it takes {sums:,} sums over {cells:,} cells; ask of fewer columns, or of "
            "columns of fewer cells"
        )


def noise_covariance(
    weights: Sequence[Floats], tables: Sequence[JointColumns], domain: Domain
) -> Floats:
    """Return the noise covariances of weighted sums of cells, shape (sums, sums).

    Histograms have independent noise, so their covariances add up. In one histogram, the
    covariance of two sums is the noise's variance times the sum of the products of their
    weights.

    Args:
        weights: For each sum, the weights of cells, which broadcast to its table's shape.
        tables: For each sum, the noisy counts that it adds.
        domain: The declared columns of the release.
    """
    # For each sum, by the number of a histogram: the weights, the variance, the cells.
    spread = [
        _spread(sum_weights, table, domain)
        for sum_weights, table in zip(weights, tables, strict=True)
    ]
    covariance = np.zeros((len(spread), len(spread)))
    histograms = {number for terms in spread for number in terms}
    for number in sorted(histograms):
        sums = [i for i, terms in enumerate(spread) if number in terms]
        weights_here = [spread[i][number][0] for i in sums]
        _, variance, cells = spread[sums[0]][number]
        shape = np.broadcast_shapes(*(table.shape for table in weights_here))
        flat = np.stack(
            [np.broadcast_to(sum_weights, shape).reshape(-1) for sum_weights in weights_here]
        )
        # The sums use only some columns, so each cell of these stands for several.
        measured_cells = cells / flat.shape[1]
        covariance[np.ix_(sums, sums)] += variance * measured_cells * (flat @ flat.T)
    return covariance


def _spread(weights: Floats, table: JointColumns, domain: Domain) -> dict[int, _Spread]:
    """Return what one weighted sum takes from each histogram, by the histogram's number.

    For each histogram: the weights of its cells, shape (1 or cells of each column of the
    domain); the variance of a cell's noise; and its number of measured cells.

    Args:
        weights: The weight of each cell of the table, broadcast to the shape of the cells.
        table: The noisy counts that are summed.
        domain: The declared columns of the release.
    """
    spread_by_number = {}
    all_weights = np.broadcast_to(weights, table.source.shape).reshape(-1)
    for term, part in zip(table.source.terms(all_weights), table.source.parts, strict=True):
        shape = [1] * len(domain.columns)
        for axis in part.axes:
            shape[domain.names.index(table.names[axis])] = part.sums.shape[axis]
        variance = float(part.noise.variance)
        cells = part.sums.size * part.each
        spread_by_number[part.number] = (term.weights.reshape(shape), variance, cells)
    return spread_by_number


def sampling_covariance(weights: Sequence[Floats], table: JointColumns) -> Floats:
    """Return the sampling covariances of sums, shape (sums, sums).

    The rows are a random sample, so counts are multinomial: with w the weights of a cell in
    all sums, the covariance is the sum over rows of w w' less rows times mean(w) mean(w)'.

    Args:
        weights: For each sum, the weights of cells, which broadcast to the table's shape.
        table: The noisy counts that are summed; negative ones count as 0.
    """
    rows = np.maximum(table.rows, 0).reshape(-1)
    flat = np.stack(
        [
            np.broadcast_to(cell_weights, table.rows.shape).reshape(-1)
            for cell_weights in weights
        ]
    )
    means = flat @ rows / max(1.0, rows.sum())
    return np.asarray((flat * rows) @ flat.T - np.outer(means, means) * rows.sum())

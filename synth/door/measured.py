"""The noisy answers that leave the door. PUBLIC.

>>> least_listed(10**6, Fraction(2)), least_listed(10**18, Fraction(2))
(None, 59)
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from synth import limits
from synth.noise import LaplaceLaw, Mechanism
from synth.privacy import Guarantee, Neighbors
from synth.util import Cells, Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured:
    """The noisy answer to one query.

    Attributes:
        values: Noisy integers, read-only, shape (k,).
        mechanism: The noise on each of them.
        guarantee: What the answer cost.
        neighbors: The relation of the guarantee.
        rows: The table's public number of rows, if any.
        cells: The values' cells, ascending, shape (k,), if not all are listed.
        threshold: The least count that is listed, if not all are.
    """

    values: Ints
    mechanism: Mechanism
    guarantee: Guarantee
    neighbors: Neighbors
    rows: int | None = None
    cells: Cells | None = None
    threshold: int | None = None

    def split(self, size: int) -> tuple[Ints, int | None]:
        """Return the noisy counts of ``size`` cells, and the noisy count of the other rows.

        The latter is None if it was not measured: it is the one number after the cells. An
        answer that lists large counts only is returned as it is.
        """
        if self.cells is not None or len(self.values) == size:
            return self.values, None
        return self.values[:size], int(self.values[size])


@dataclass(frozen=True)
class Chosen:
    """The noisy choice of one candidate among many.

    Attributes:
        index: The number of the candidate, from 0 up.
        guarantee: What the choice cost.
    """

    index: int
    guarantee: Guarantee


def least_listed(size: int, scale: Fraction) -> int | None:
    """Return the least noisy count to list in a universe of this size; None to list all.

    It is so large that about `limits.SPURIOUS_CELLS` empty cells reach it. It depends on
    public numbers only (Cormode, Procopiuc, Srivastava, Tran 2012), as a threshold that
    depends on private counts would disclose something about them.

    Args:
        size: The number of cells of the universe.
        scale: The scale of the discrete Laplace noise on each count.

    >>> least_listed(10**6, Fraction(2)), least_listed(10**18, Fraction(2))
    (None, 59)
    """
    if size <= limits.LISTED_CELLS:
        return None
    # An empty cell's noise reaches t with probability q^t / (1 + q), q = exp(-1 / scale).
    spurious = limits.SPURIOUS_CELLS * (1 + LaplaceLaw(scale).ratio)
    return max(1, math.ceil(scale * (math.log(size) - math.log(spurious))))

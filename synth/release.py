"""THE ONE DOOR from private to public.

Every number that depends on a person's row leaves through a `Door`. It charges the ledger
for its whole guarantee when it is opened, before any noise is drawn, and then lets out no
more than was charged. What comes out may be shown, repaired, drawn from and published.

>>> from fractions import Fraction
>>> import numpy as np
>>> from synth.counts import Counts
>>> from synth.domain import Categorical, Domain
>>> from synth.ledger import Ledger
>>> from synth.noise.laplace import DiscreteLaplace
>>> from synth.privacy import Guarantee, Neighbors
>>> domain = Domain((Categorical(name="sex", categories=("F", "M")),))
>>> counts = Counts(domain, np.array([0, 1]), np.array([40, 60]), 100)
>>> door = Door(ledger=Ledger(), dataset="survey", neighbors=Neighbors.REPLACE_ONE,
...             guarantee=Guarantee.pure(1), purpose="histogram")
>>> door.measure(counts, DiscreteLaplace.for_epsilon(1, sensitivity=2)).values.shape
(2,)
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from synth.counts import Counts
from synth.domain import Domain
from synth.errors import ReleaseError
from synth.ledger import Entry, Ledger
from synth.noise.laplace import DiscreteLaplace
from synth.privacy import Guarantee, Neighbors


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """What the door let out: a noisy count for every cell. PUBLIC.

    Attributes:
        domain: The universe.
        values: Noisy counts of all cells, negative ones included, shape (domain.size,).
        scale: Scale of the discrete Laplace noise.
        neighbors: The relation the guarantee is about.
        guarantee: What was paid for these values.
        rows: The number of rows of the table where it is public (replace-one), else None.
    """

    domain: Domain
    values: npt.NDArray[np.int64]
    scale: Fraction
    neighbors: Neighbors
    guarantee: Guarantee
    rows: int | None

    @property
    def total(self) -> int:
        """The public number of rows, or the best public guess: the sum of the noisy counts."""
        return max(0, int(self.values.sum())) if self.rows is None else self.rows


class Door:
    """One release's passage from private to public.

    Args:
        ledger: Where the spend is written, at once.
        dataset: The steward's name for the table.
        neighbors: The relation the guarantee is about.
        guarantee: The most that may be spent through this door.
        purpose: A few words for the ledger.

    Raises:
        LedgerError: The spend could not be written; nothing was drawn.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        dataset: str,
        neighbors: Neighbors,
        guarantee: Guarantee,
        purpose: str,
    ) -> None:
        self.neighbors = neighbors
        self.guarantee = guarantee
        self.spent: Guarantee | None = None
        self.entry: Entry = ledger.spend(
            dataset=dataset, guarantee=guarantee, neighbors=neighbors, purpose=purpose
        )

    def measure(self, counts: Counts, mechanism: DiscreteLaplace) -> NoisyCounts:
        """Release the histogram with noise on every cell, the empty ones included.

        Raises:
            ReleaseError: The mechanism costs more than is left of the door's guarantee.
        """
        cost = mechanism.guarantee(counts.sensitivity(self.neighbors))
        self._pay(cost)
        values = mechanism.release(counts.dense())
        values.flags.writeable = False
        rows = counts.rows if self.neighbors is Neighbors.REPLACE_ONE else None
        return NoisyCounts(counts.domain, values, mechanism.scale, self.neighbors, cost, rows)

    def _pay(self, cost: Guarantee) -> None:
        spent = cost if self.spent is None else self.spent + cost
        if not _within(spent, self.guarantee):
            message = f"This needs {cost}, more than is left of {self.guarantee}."
            raise ReleaseError(message)
        self.spent = spent


def _within(spent: Guarantee, charged: Guarantee) -> bool:
    if spent.epsilon is not None and charged.epsilon is not None:
        return spent.epsilon <= charged.epsilon and spent.delta <= charged.delta
    return spent.rho is not None and charged.rho is not None and spent.rho <= charged.rho

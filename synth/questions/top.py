"""Which candidates may be among the most frequent, by their noisy counts. PUBLIC.

If all noisy counts are within t of the exact ones at once, whoever is below k others by more
than 2 t is not among the top k, and whoever is above all but k - 1 by more than 2 t is. A choice
without counts (permute-and-flip) leaves no such set: it says who was chosen and nothing more.

>>> noisy = np.array([90, 70, 69, 12])
>>> may, must = top_candidates(noisy, 2, within=5)
>>> may.tolist(), must.tolist()
([True, True, True, False], [True, False, False, False])
"""

import numpy as np

from synth import check
from synth.arrays import Ints, Mask
from synth.errors import ArgumentError


def top_candidates(noisy: Ints, k: int, *, within: int) -> tuple[Mask, Mask]:
    """Candidates that may be, and that must be, among the k most frequent.

    With the chance that all counts are within ``within`` of the exact ones
    (`synth.questions.reach.all_at_once`), each of the exact top k may be, and each that must be
    is among them; of candidates tied at place k, whichever are taken.

    Args:
        noisy: Counts of all candidates, shape (candidates,).
        k: How many were asked for.
        within: How far any of the counts may be off, in rows.

    Raises:
        ArgumentError: k is not between 1 and the number of candidates.
    """
    check.whole(0, within=within)
    check.in_range(1, max(1, len(noisy)), k=k)
    if noisy.ndim != 1 or not len(noisy):
        message = "noisy must hold the counts of one candidate or more."
        raise ArgumentError(message)
    ordered = np.sort(noisy)[::-1]
    may = noisy + 2 * within >= ordered[k - 1]
    if k == len(noisy):
        return may, np.ones(len(noisy), np.bool_)
    return may, np.asarray(noisy - 2 * within > ordered[k])

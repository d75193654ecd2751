"""Sums of offsets within bins and of products of numbers.

``docs/proofs/moments.md`` proves the function. ``tests/audit/test_moments.py`` searches its
sensitivity among all neighbours of small tables.
"""

from collections.abc import Sequence

import numpy as np

from synth.door import Query, digest_subject
from synth.estimate import MomentSum, moment_sensitivity
from synth.privacy import Neighbors
from synth.private.counting import AddedMoments


def moment_sums(
    added: AddedMoments, sums: Sequence[MomentSum], neighbors: Neighbors
) -> Query:
    """Return one query for all these sums, one after another.

    Each sum adds offsets of numbers from a bin's or a range's middle, or products of them,
    over the rows of each cell of its ``by`` columns. They are counted in whole steps, a
    public fraction of the width of a bin or range.

    Args:
        added: The exact sums in steps, by definition. PRIVATE.
        sums: The definitions of the wanted sums; ``added`` has each of them.
        neighbors: The relation of the sensitivity.
    """
    domain = added.domain
    return Query(
        name="sums of numbers",
        proof="moments",
        neighbors=neighbors,
        unit=added.unit,
        sensitivity=moment_sensitivity(sums, added.unit, neighbors),
        size=sum(added.sums[moment].size for moment in sums),
        exact=lambda: np.concatenate([added.sums[moment] for moment in sums]),
        # The digest has all that defines the sums: the columns, the value of a step, and the
        # middles from which numbers count.
        subject=digest_subject(
            domain.names,
            [
                (moment.columns, moment.by, moment.given, moment.unit(domain).tolist())
                for moment in sums
            ],
            [factor.middles.tolist() for moment in sums for factor in moment.factors(domain)],
        ),
    )

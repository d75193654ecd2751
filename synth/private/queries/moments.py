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
    """Return sums over the rows of each cell, one after another, in steps."""
    domain = added.domain
    return Query(
        name="sums of numbers",
        proof="moments",
        neighbors=neighbors,
        unit=added.unit,
        sensitivity=moment_sensitivity(sums, added.unit, neighbors),
        size=sum(added.sums[moment].size for moment in sums),
        exact=lambda: np.concatenate([added.sums[moment] for moment in sums]),
        subject=digest_subject(
            domain.names,
            [
                (moment.columns, moment.by, moment.given, moment.unit(domain).tolist())
                for moment in sums
            ],
            [factor.middles.tolist() for moment in sums for factor in moment.factors(domain)],
        ),
    )

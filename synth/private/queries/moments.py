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
    added: AddedMoments, what: Sequence[MomentSum], neighbors: Neighbors
) -> Query:
    domain = added.domain
    return Query(
        name="sums of numbers",
        proof="moments",
        neighbors=neighbors,
        unit=added.unit,
        sensitivity=moment_sensitivity(what, added.unit, neighbors),
        size=sum(added.sums[one].size for one in what),
        exact=lambda: np.concatenate([added.sums[one] for one in what]),
        subject=digest_subject(
            domain.names,
            [(one.columns, one.by, one.given, one.unit(domain).tolist()) for one in what],
            [factor.middles.tolist() for one in what for factor in one.factors(domain)],
        ),
    )

"""Whether a release's intervals cover the real shares as often as they should. PRIVATE."""

from dataclasses import dataclass

from synth.private.comparison.tables import Compared


@dataclass(frozen=True)
class Coverage:
    within: int
    bars: int


def measure_coverage(seen: Compared) -> Coverage:
    """Count the cells of all columns whose real share is in its interval. PRIVATE."""
    within = bars = 0
    for name in seen.domain.names:
        found = seen.result.interval(name)
        if found is not None:
            real = seen.pair(name)[0]
            inside = (found.low <= real + 1e-12) & (real <= found.high + 1e-12)
            within, bars = within + int(inside.sum()), bars + len(real)
    return Coverage(within, bars)


def covered_pairs(seen: Compared) -> Coverage:
    """Count the pairs whose real error is below their limit. PRIVATE."""
    errors = seen.errors.two_way.by_table
    known = [(errors[b.names], b.reach) for b in seen.result.pair_bars if b.names in errors]
    return Coverage(sum(error <= reach for error, reach in known), len(known))

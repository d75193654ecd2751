"""Error bars, and whether they cover what they should.

A column's bars say where its real shares are in 95 of 100 releases: around the noisy counts, as
wide as the noise. They are PUBLIC; a model's bars of its pairs (`synth.models.record`) are too.
What they cover is PRIVATE, as it takes the real shares to know.
"""

from dataclasses import dataclass

from synth.bundle.result import Result
from synth.comparison.tables import Compared
from synth.noisy.record import Bar, Interval


@dataclass(frozen=True)
class Coverage:
    """How many of the bars hold the real number. PRIVATE."""

    within: int
    bars: int


def interval(result: Result, name: str) -> Interval | None:
    """The bars of one column; None where only large counts are listed. PUBLIC."""
    return result.record.interval(result.plan.domain.names.index(name))


def covered(seen: Compared) -> Coverage:
    """Over all columns: the cells whose real share is within its bar. PRIVATE."""
    within = bars = 0
    for name in seen.domain.names:
        found = interval(seen.result, name)
        if found is not None:
            real = seen.pair(name)[0]
            inside = (found.low <= real + 1e-12) & (real <= found.high + 1e-12)
            within, bars = within + int(inside.sum()), bars + len(real)
    return Coverage(within, bars)


def pair_bars(result: Result) -> list[Bar]:
    """A model's bars of pairs, largest first; none of a histogram. PUBLIC."""
    return [bar for bar in result.record.bars if len(bar.names) == 2]


def covered_pairs(seen: Compared) -> Coverage:
    """The pairs whose real error is within their bar. PRIVATE."""
    errors = seen.errors.two_way.by_table
    known = [(errors[b.names], b.reach) for b in pair_bars(seen.result) if b.names in errors]
    return Coverage(sum(error <= reach for error, reach in known), len(known))

"""What the audit has to say at its end: numbers that add up over tests, and lines.

>>> record("empirical bounds", "histogram, replace-one: at least 0.61 of 1")
>>> add("mutants", tried=1)
>>> add("mutants", tried=1, caught=2)
>>> print(*summary(taken()), sep="\\n")
empirical bounds
  histogram, replace-one: at least 0.61 of 1
mutants: 2 tried, 2 caught

Tests call `record` and `add` from anywhere; ``tests/conftest.py`` takes what was said after
each test into its report, which finds its way from the processes of xdist, and prints it all.
"""

from collections.abc import Iterable

Said = tuple[str, str, dict[str, int]]
"""A section, a line of it ('' for none), and numbers to be added up."""

_collected: list[Said] = []


def record(section: str, line: str) -> None:
    """Keep one line for the summary."""
    _collected.append((section, line, {}))


def add(section: str, **numbers: int) -> None:
    """Add numbers up for the summary: ``add("mutants", tried=1)``."""
    _collected.append((section, "", numbers))


def taken() -> list[Said]:
    """All that was said since this was last asked."""
    collected = list(_collected)
    _collected.clear()
    return collected


def summary(collected: Iterable[Said]) -> list[str]:
    """The lines of all sections: the sums of a section beside its name, its lines below."""
    sums: dict[str, dict[str, int]] = {}
    lines: dict[str, list[str]] = {}
    for section, line, numbers in collected:
        total = sums.setdefault(section, {})
        for name, number in numbers.items():
            total[name] = total.get(name, 0) + number
        lines.setdefault(section, []).extend([line] if line else [])
    summary_lines = []
    for section, total in sorted(sums.items()):
        counted = ", ".join(
            f"{number:,} {name.replace('_', ' ')}" for name, number in total.items()
        )
        summary_lines.append(f"{section}: {counted}" if counted else section)
        summary_lines += [f"  {line}" for line in sorted(lines[section])]
    return summary_lines

"""What opening the step Compare costs, on Adult's 15 columns; needs the shared tables.

Each line is CPU seconds, and as a multiple of reading the table once.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from synth.comparison.associations import associations
from synth.comparison.classifier import train
from synth.comparison.error_sources import all_parts, number_parts
from synth.comparison.numeric_columns import read
from synth.comparison.subgroups import groups, lost_groups
from synth.comparison.tables import compare_tables
from synth.counting.counts import codes
from synth.domain.table_schema import read_schema
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.table.private_table import open_table
from tests.tables import SHARED


def main() -> None:
    """Time every part once."""
    domain = read_schema(SHARED / "adult/domain.schema.json")
    table = open_table(SHARED / "adult/adult_train.csv")
    result = synthesize(Plan(domain, Fraction(1), method=Method.AUTO), table)
    reading, _ = timed(lambda: codes(table, domain))
    opening, seen = timed(lambda: compare_tables(table, result))
    parts: dict[str, Callable[[], Any]] = {
        "error split": lambda: all_parts(seen),
        "numbers within bins": lambda: number_parts(seen, read(table, domain)),
        "associations": lambda: associations(seen),
        "groups": lambda: (groups(seen, "occupation"), lost_groups(seen)),
        "training": lambda: train(seen, "income"),
    }
    times = {"reading": reading, "opening": opening}
    times |= {name: timed(act)[0] for name, act in parts.items()}
    for name, seconds in times.items():
        print(f"{name:22}{seconds:7.2f} s{seconds / reading:8.1f} x reading")


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of an act, and what came of it."""
    start = process_time()
    found = act()
    return process_time() - start, found


if __name__ == "__main__":
    main()

"""Fields filled in from the private rows, because the steward asks for it. PRIVATE.

Whoever uses them must stamp the domain: no guarantee covers it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from synth.domain import LOOKED_UP, format_of
from synth.estimate import DraftColumn
from synth.private.counting.alike import alike
from synth.private.counting.duckdb import DuckDB
from synth.private.counting.settling import settle_column
from synth.private.table import PrivateTable
from synth.util import Document

MOST_MARKERS = 20
"""Most spellings of missing values that are proposed."""


@dataclass(frozen=True, eq=False, repr=False)
class Look:
    """What a look at the rows proposes.

    Attributes:
        columns: The columns; those that are open are not complete.
        missing_values: Spellings of missing values, those that were given first.
    """

    columns: Sequence[DraftColumn]
    missing_values: tuple[str, ...]

    @property
    def left_out(self) -> dict[str, str]:
        """The columns that should take no part, and why."""
        return {one.name: one.reason for one in self.columns if one.left_out}

    @property
    def open(self) -> dict[str, str]:
        """The columns that take part and whose declaration is not complete, and why."""
        return {c.name: c.reason for c in self.columns if c.is_open and not c.left_out}

    @property
    def notes(self) -> list[str]:
        """A sentence on each column that is left out or open."""
        out = [f"Column '{name}' is left out: it {why}." for name, why in self.left_out.items()]
        return out + [f"Column '{name}' is open: it {why}." for name, why in self.open.items()]

    def schema(self) -> Document:
        """The Table Schema, stamped; it lacks the columns that are left out and says why."""
        out: Document = dict(self.left_out)
        return {
            "fields": [one.field for one in self.columns if not one.left_out],
            "missingValues": list(self.missing_values),
            "synth:origin": LOOKED_UP,
            **({"synth:left_out": out} if out else {}),
        }


def profile_table(
    table: PrivateTable,
    names: Collection[str] | None = None,
    missing_values: Sequence[str] = ("",),
    dates: Mapping[str, str] | None = None,
) -> Look:
    """What the rows say of each column: its kind, values, bounds and spellings of missing ones.

    PRIVATE, and asked for by the steward.

    Args:
        table: The table.
        names: Look at these columns only.
        missing_values: Spellings that stand for a missing value, typed by the steward.
        dates: Examples of how columns write dates, by name, where that was asked.

    Raises:
        DomainError: An example is no date.
        TableError: The table cannot be read, or lacks a column.
    """
    wanted = [n for n in table.header if names is None or n in names]
    formats = {name: format_of(example) for name, example in (dates or {}).items()}
    for name in formats:
        table.position(name)
    with DuckDB() as engine:
        profiles = engine.profiles(table, wanted, [m for m in missing_values if m], formats)
    times = Counter(text for profile in profiles for text in settle_column(profile).missing)
    known = {text for text, columns in times.items() if columns > 1}
    found = alike([settle_column(profile, known) for profile in profiles])
    proposed = dict.fromkeys(text for one in found for text in one.missing)
    return Look(found, tuple(dict.fromkeys([*missing_values, *[*proposed][:MOST_MARKERS]])))

"""The current table, and a release that was made of it or opened from a bundle."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from synth.bundle import Result, find_negative_columns, whole_counts
from synth.estimate import NoisyCounts, Repair, Repaired, side_by_side
from synth.plans import Plan
from synth.privacy import name_cost
from synth.private.table import PrivateTable


@dataclass(frozen=True, kw_only=True)
class Source:
    """The confidential table, with the steward's name for it.

    Attributes:
        title: The steward's name for it.
        table: The opened table. PRIVATE.
        simulated: Whether it is a practice table, whose rows nobody is behind.
        mark: Its keyed digest in the ledger; empty if no ledger knows it.
        people: Its dataset in the ledger; empty until it is chosen.
        place: Its place in a database, by names only; empty for a file.
        rows: Its counted number of rows, otherwise 0. PRIVATE, unless neighbours share
            their number.
        is_empty: Whether it was counted and has no rows. PRIVATE.
        first_rows: Its first rows as texts, if they may be shown. PRIVATE.
        key: A column of keys that repeat, such as those of persons; empty without one.
        key_rows: The rows of each key that are proposed to count. PRIVATE.
        rows_with_key: How many rows have a key. PRIVATE.
        rows_beyond: How many of these would not count. PRIVATE.
    """

    title: str
    table: PrivateTable
    simulated: bool = False
    mark: str = ""
    people: str = ""
    place: str = ""
    rows: int = field(default=0, repr=False)
    is_empty: bool = field(default=False, repr=False)
    first_rows: tuple[tuple[str | None, ...], ...] = field(default=(), repr=False)
    key: str = field(default="", repr=False)
    key_rows: int = field(default=0, repr=False)
    rows_with_key: int = field(default=0, repr=False)
    rows_beyond: int = field(default=0, repr=False)

    @property
    def dataset(self) -> str:
        """Return its name in the ledger."""
        return self.people or self.title


@dataclass(frozen=True, eq=False, kw_only=True)
class Release:
    """A paid release.

    Attributes:
        source: Its table; None for a release from a bundle until its table is chosen.
        plan: The choices by which it was made.
        result: What was released. It is public.
        files: Paths of its files by name. They are public.
        comparison: How close the rows are to the real ones. PRIVATE.
        opened: Whether it comes from a bundle.
    """

    source: Source | None
    plan: Plan
    result: Result
    files: Mapping[str, Path]
    comparison: Any = None
    opened: bool = False

    @property
    def cost(self) -> str:
        """Return its cost, including the delta."""
        return name_cost(self.plan.guarantee(self.plan.epsilon))

    @property
    def title(self) -> str:
        """Return its dataset and its cost."""
        opened = ", opened from a bundle" if self.opened else ""
        return f"{self.plan.dataset}, {self.cost}{opened}"

    @cached_property
    def noisy_counts(self) -> NoisyCounts | None:
        """Return its noisy counts of all cells; None if no histogram has all columns."""
        return whole_counts(self.result.record)

    @cached_property
    def negative_columns(self) -> tuple[int, ...]:
        """Return the first columns of its histogram with a summed noisy count below 0."""
        if self.noisy_counts is None:
            return (0,)
        return find_negative_columns(self.noisy_counts)

    @cached_property
    def repairs(self) -> list[Repaired]:
        """Return every repair of its noisy counts with its effects; none for a model."""
        return side_by_side(self.noisy_counts)

    @property
    def repair(self) -> str:
        """Return the repair of its noisy counts; of a histogram by a model, it is pooled."""
        chosen = self.result.record.repair or self.plan.repair
        return Repair.POOLED if chosen == Repair.AUTO else chosen

    def follows(self, plan: Plan) -> bool:
        """Return whether it was made by this plan; its table may have had another name."""
        return replace(self.plan, dataset=plan.dataset) == plan

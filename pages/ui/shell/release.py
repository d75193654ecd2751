"""The current table, and a release that was made of it or opened from a bundle."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from synth.bundle import Result
from synth.plans import Plan
from synth.privacy import name_cost
from synth.private.table import PrivateTable


@dataclass(frozen=True, kw_only=True)
class Source:
    """The confidential table, with the steward's name for it.

    ``mark`` is its keyed digest in the ledger; empty if no ledger knows it. ``people`` is its
             dataset. ``place`` is its place in a database, by names only. ``rows`` is its
             counted number of rows, otherwise 0. PRIVATE, unless neighbours share their
             number.
    """

    title: str
    table: PrivateTable
    simulated: bool = False
    mark: str = ""
    people: str = ""
    place: str = ""
    rows: int = field(default=0, repr=False)

    @property
    def dataset(self) -> str:
        return self.people or self.title


@dataclass(frozen=True, eq=False, kw_only=True)
class Release:
    """A paid release. Its result and files are public, its comparison is not.

    A release from a bundle has no source until its table is chosen.
    """

    source: Source | None
    plan: Plan
    result: Result
    files: Mapping[str, Path]
    comparison: Any = None
    opened: bool = False

    @property
    def cost(self) -> str:
        """What it cost, the delta included."""
        return name_cost(self.plan.guarantee(self.plan.epsilon))

    @property
    def title(self) -> str:
        opened = ", opened from a bundle" if self.opened else ""
        return f"{self.plan.dataset}, {self.cost}{opened}"

    def follows(self, plan: Plan) -> bool:
        """Its table may have had another name elsewhere."""
        return replace(self.plan, dataset=plan.dataset) == plan

"""The beginning of every release, of one table or of linked ones. DOOR.

A certificate says what its declarations owe to the rows: looks at exact numbers, and paid drafts
and checks. All of it is recalled here, before anything is counted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from synth.door import Ledger
from synth.estimate import Preparation
from synth.plans import LinkedPlan, Plan
from synth.private.table import PrivateTable
from synth.spending.fit import collect
from synth.spending.purchase import RELEASE_STAGES, Progress, Purchase
from synth.util import Watch

PlanOf = TypeVar("PlanOf", Plan, LinkedPlan)


@dataclass(frozen=True)
class BegunRelease(Generic[PlanOf]):
    """A release that has begun.

    Attributes:
        preparations: What was paid before, which the guarantee covers too.
    """

    purchase: Purchase[PlanOf]
    preparations: tuple[Preparation, ...]

    @property
    def plan(self) -> PlanOf:
        """The plan, with all facts that are known before counting."""
        return self.purchase.spending


def begin_release(
    plan: PlanOf,
    tables: Mapping[str, PrivateTable],
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
    preparations: Sequence[Preparation] = (),
    public: Collection[str] = (),
) -> BegunRelease[PlanOf]:
    """Begin a release: recall the looks at its tables, and all that was paid for them before.

    Args:
        tables: The tables by name; the plan's first one first.
        ledger, progress, watch: See `Purchase.begin`.
        preparations: Paid checks that neither the ledger nor a declaration knows.
        public: Names of tables that are no secret.

    Raises:
        ArgumentError: A preparation protects another unit or relation.
    """
    purchase = Purchase.begin(plan, tables, ledger, progress, watch, RELEASE_STAGES, public)
    paid = collect(purchase.spending, purchase.ledger, purchase.marks, *preparations)
    return BegunRelease(purchase, paid)

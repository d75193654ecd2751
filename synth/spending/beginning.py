"""The beginning of every release, of one table or of linked ones, and its door. DOOR.

A certificate says what its declarations owe to the rows: looks at exact numbers, and paid
drafts and checks. All of it is recalled here, twice. Before anything is counted, so that what
cannot be added up is refused before the spend. And once more when the line of the spend is in
the ledger, because somebody else may look, or pay for a check, while the rows are counted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from synth.door import Door, Preparation
from synth.plans import Plan
from synth.privacy import Guarantee
from synth.private.table import PrivateTable
from synth.spending.fit import collect
from synth.spending.purchase import RELEASE_STAGES, Purchase, SpendSetting

if TYPE_CHECKING:
    from synth.plans import LinkedPlan

PlanOf = TypeVar("PlanOf", Plan, "LinkedPlan")


@dataclass(frozen=True)
class BegunRelease(Generic[PlanOf]):
    """A release that has begun.

    Attributes:
        purchase: The spend, with what the ledger knew of the dataset at the beginning.
        unrecorded: Paid checks that neither the ledger nor a declaration knows.
    """

    purchase: Purchase[PlanOf]
    unrecorded: tuple[Preparation, ...] = ()

    @property
    def plan(self) -> PlanOf:
        """The plan, with all facts that are known before counting."""
        return self.purchase.spending

    def open_door(self, guarantee: Guarantee, purpose: str) -> "OpenedRelease[PlanOf]":
        """Record the spend in the ledger, and return the release with its door.

        The door is the one place where noise is added. What the ledger knows of the tables is
        read once more after the spend, as somebody may have looked at exact numbers, or paid
        for a check, in the meantime. A release that was paid for earlier gets the certificate
        of that time: what came since was not known to it.

        Args:
            guarantee: What the release spends.
            purpose: What for, in the words of the ledger.

        Raises:
            LedgerError: The budget is too small, or the spend cannot be recorded.
            ReleaseError: The guarantee does not cover these costs.
        """
        door = self.purchase.open_door(guarantee, purpose)
        spend = door.entry.number
        purchase = self.purchase.recall(before=spend)
        paid = collect(
            purchase.spending,
            purchase.ledger,
            purchase.marks,
            *self.unrecorded,
            before=spend,
        )
        return OpenedRelease(purchase, door, paid)


@dataclass(frozen=True)
class OpenedRelease(Generic[PlanOf]):
    """A release whose spend is in the ledger.

    Attributes:
        purchase: The spend, with all looks that the ledger knows after it.
        door: The door to the tables.
        preparations: What was paid before, which the guarantee covers too.
    """

    purchase: Purchase[PlanOf]
    door: Door
    preparations: tuple[Preparation, ...]

    @property
    def plan(self) -> PlanOf:
        """The plan, with all looks that the ledger knows: this one is certified."""
        return self.purchase.spending

    @property
    def head(self) -> str | None:
        """The hash of the ledger's newest event of the release; None without a file."""
        return self.purchase.head_of(self.door)


def begin_release(
    plan: PlanOf,
    tables: Mapping[str, PrivateTable],
    *,
    setting: SpendSetting | None = None,
    preparations: Sequence[Preparation] = (),
    public: Collection[str] = (),
) -> BegunRelease[PlanOf]:
    """Begin a release; nothing is counted or spent yet.

    Recalls from the ledger who looked at exact numbers of the tables, and what was paid for
    drafts and checks before.

    Args:
        plan: What to release, and how.
        tables: The tables by name; the plan's first one first.
        setting: The ledger, the callback of the stages and the time limit; None for defaults.
        preparations: Paid checks that neither the ledger nor a declaration knows.
        public: Names of tables that are no secret.

    Raises:
        ArgumentError: A paid draft or check protects another unit or relation.
    """
    purchase = Purchase.begin(
        plan,
        tables,
        setting=setting,
        stages=RELEASE_STAGES,
        public=public,
    )
    # Only to refuse costs that cannot be added up; they are collected again after the spend.
    collect(purchase.spending, purchase.ledger, purchase.marks, *preparations)
    return BegunRelease(purchase, tuple(preparations))

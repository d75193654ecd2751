"""Slips in the beginning of a release, by which looks and payments are forgotten."""

from collections.abc import Collection
from dataclasses import replace
from itertools import count
from typing import Any

from synth.door import Ledger
from synth.door.ledger import prepared
from synth.plans import LinkedPlan
from synth.privacy import Guarantee
from synth.spending import beginning, collect, fit, linked, pipeline
from synth.spending.beginning import BegunRelease, OpenedRelease
from synth.spending.purchase import RELEASE_STAGES, Purchase
from tests.audit.path_mutants.told import both, put

NUMBERS = count()


class UnrecalledRelease(BegunRelease[Any]):
    """A release that recalls nothing, neither at its beginning nor at its door."""

    def open_door(self, guarantee: Guarantee, purpose: str) -> OpenedRelease[Any]:
        return OpenedRelease(self.purchase, self.purchase.open_door(guarantee, purpose), ())


def not_begun(
    _: Any, plan: Any, tables: Any, *, setting: Any, **_others: Any
) -> BegunRelease[Any]:
    """A release that spends at once, and recalls nothing."""
    purchase = Purchase.begin(
        plan,
        tables,
        setting=replace(setting, ledger=None),
        stages=RELEASE_STAGES,
    )
    blank = Purchase(
        request=purchase.request,
        spending=purchase.spending,
        tables=purchase.tables,
        marks=purchase.marks,
        ledger=setting.ledger or Ledger(),
        report=purchase.report,
        watch=purchase.watch,
        stages=purchase.stages,
    )
    return UnrecalledRelease(blank)


def root_alone(right: Any, plan: LinkedPlan, readings: Any, looked: Collection[str]) -> Any:
    """Only looks at the root table."""
    return right(plan, readings, [name for name in looked if name == plan.package.root.name])


def never_the_same(_: Any, name: str) -> str:
    """Another spelling at each call, so that only the marks of files are left."""
    return f"{name} {next(NUMBERS)}"


def recalled_before_alone(
    _: Any, begun: Any, guarantee: Any, purpose: str
) -> OpenedRelease[Any]:
    """A release that does not recall again when its spend is in the ledger."""
    purchase = begun.purchase
    paid = collect(purchase.spending, purchase.ledger, purchase.marks, *begun.unrecorded)
    return OpenedRelease(purchase, purchase.open_door(guarantee, purpose), paid)


def unpaid(right: Any, *arguments: Any, **words: Any) -> Any:
    right(*arguments, **words)
    return ()


OF_BEGINNINGS = {
    "a linked release that goes past the beginning": put(linked, "begin_release", not_begun),
    "a release that goes past the beginning": put(pipeline, "begin_release", not_begun),
    "looks at tables below the root forgotten": put(LinkedPlan, "learn", root_alone),
    "looks and payments for other files of the dataset forgotten": put(
        prepared, "standard", never_the_same
    ),
    "looks forgotten by every spend": put(Ledger, "looks", lambda *_: []),
    "looks while rows are counted forgotten": put(
        BegunRelease, "open_door", recalled_before_alone
    ),
    "payments forgotten": both(
        put(beginning, "collect", unpaid), put(fit, "collect", unpaid)
    ),
}

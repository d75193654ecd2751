"""Slips in the beginning of a release, by which looks and payments are forgotten."""

from collections.abc import Collection
from typing import Any

from synth.door import Ledger
from synth.plans import LinkedPlan
from synth.spending import beginning, fit, linked, pipeline
from synth.spending.beginning import BegunRelease
from synth.spending.purchase import RELEASE_STAGES, Purchase
from tests.audit.path_mutants.told import both, put


def not_begun(_: Any, plan: Any, tables: Any, *, ledger: Any, **others: Any) -> BegunRelease[Any]:
    """A release that spends at once, and recalls nothing."""
    unused = (others["progress"] or (lambda _stage: None), others["watch"])
    purchase = Purchase.begin(plan, tables, None, *unused, RELEASE_STAGES)
    blank = Purchase(
        purchase.spending,
        purchase.tables,
        purchase.marks,
        ledger or Ledger(),
        purchase.report,
        purchase.watch,
        purchase.stages,
    )
    return BegunRelease(blank, ())


def root_alone(right: Any, plan: LinkedPlan, reading: Any, looked: Collection[str]) -> Any:
    """Only looks at the root table."""
    return right(plan, reading, [name for name in looked if name == plan.package.root.name])


def unpaid(right: Any, *given: Any) -> Any:
    right(*given)
    return ()


OF_BEGINNINGS = {
    "a linked release that goes past the beginning": put(linked, "begin_release", not_begun),
    "a release that goes past the beginning": put(pipeline, "begin_release", not_begun),
    "looks at tables below the root forgotten": put(LinkedPlan, "learn", root_alone),
    "looks forgotten by every spend": put(Ledger, "was_looked_at", lambda *_: False),
    "payments forgotten": both(put(beginning, "collect", unpaid), put(fit, "collect", unpaid)),
}

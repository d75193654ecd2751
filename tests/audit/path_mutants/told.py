"""How a mutant is told: what is replaced, and the layer that must see it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any

from synth.door.ledger.ledger import Ledger
from synth.plans.plan import Method
from synth.privacy.guarantee import ROW, Neighbors, Unit
from tests.audit import path
from tests.audit.mutate import catch, edited, replaced
from tests.conftest import Report

Place = tuple[Any, str, Any]


@dataclass(frozen=True)
class Mutant:
    """What is wrong, where, and the layer that must see it."""

    name: str
    layer: str
    sees: Callable[[], object]
    places: Callable[[], Sequence[Place]]

    def catch(self, report: Report) -> None:
        """Put the slip in its place, and have the layer look."""
        with ExitStack() as stack:
            for place in self.places():
                stack.enter_context(replaced(*place))
            catch(self.name, self.layer, lambda: bool(self.sees()), report)


def seen_by(
    layer: str, sees: Callable[[], object], slips: Mapping[str, Callable[[], Sequence[Place]]]
) -> list[Mutant]:
    """The mutants that one layer must see, by what is wrong with each."""
    return [Mutant(name, layer, sees, places) for name, places in slips.items()]


def edit(owner: Any, name: str, old: str, new: str) -> Callable[[], Sequence[Place]]:
    """In the place of something, the same with a slip."""

    def places() -> Sequence[Place]:
        getattr(owner, name)  # a module may import it only now
        return [(owner, name, edited(owner.__dict__[name], old, new))]

    return places


def put(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[], Sequence[Place]]:
    """In the place of something, what is made of it."""
    return lambda: [(owner, name, make(getattr(owner, name)))]


def drawn_again() -> Sequence[Place]:
    return [
        (Ledger, "kept", lambda *_: None),
        (Ledger, "keep", lambda ledger, _entry, _part, payload: (payload, ledger.head)),
    ]


@cache
def dense(neighbors: Neighbors, unit: Unit = ROW) -> Callable[[], str]:
    return lambda: path.replaying(Method.DENSE, neighbors, unit)


COUNTING, READING, REPLAY = "6 neighbours", "6 plain reader", "5 record and replay"

LAWS, LEDGER, FRESH = "8 divergences", "9 ledger", "1 bits of its own"

APART, PRICES = "11 told apart", "12 charged and met"

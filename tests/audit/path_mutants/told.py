"""How a mutant is told: what is replaced, and the layer that must see it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

from synth.door import Ledger
from tests.audit.mutate import catch, edited
from tests.conftest import Report

Place = tuple[Any, str, Any]
Slip = Callable[[], Sequence[Place]]
"""What is put where, for the time of a look."""


@dataclass(frozen=True)
class Mutant:
    """What is wrong, where, and the layer that must see it."""

    name: str
    layer: str
    sees: Callable[[], object]
    places: Slip

    def catch(self, report: Report) -> None:
        """Put the slip in its place, and have the layer look."""
        with ExitStack() as stack:
            for place in self.places():
                stack.enter_context(patch.object(*place))
            catch(self.name, self.layer, lambda: bool(self.sees()), report)


def seen_by(
    layer: str, sees: Callable[[], object], slips: Mapping[str, Slip]
) -> list[Mutant]:
    """The mutants that one layer must see, by what is wrong with each."""
    return [Mutant(name, layer, sees, places) for name, places in slips.items()]


def edit(owner: Any, name: str, old: str, new: str) -> Slip:
    """In the place of something, the same with a slip."""

    def places() -> Sequence[Place]:
        right = getattr(owner, name)  # a module may import it only now, a room at each use
        return [(owner, name, edited(owner.__dict__.get(name, right), old, new))]

    return places


def put(owner: Any, name: str, slip: Callable[..., Any]) -> Slip:
    """In the place of a function or property, a slip that is handed the right one as well."""

    def places() -> Sequence[Place]:
        right = getattr(owner, name)
        if isinstance(right, property):
            return [(owner, name, property(partial(slip, right.fget)))]
        return [(owner, name, lambda *arguments, **words: slip(right, *arguments, **words))]

    return places


def both(*slips: Slip) -> Slip:
    """Several slips that are one mistake."""
    return lambda: [place for slip in slips for place in slip()]


def drawn_again() -> Sequence[Place]:
    return [
        (Ledger, "kept", lambda *_: None),
        (Ledger, "keep", lambda ledger, _entry, _part, payload: (payload, ledger.head)),
    ]

"""Releases that are killed, kept, and gone on with by another version."""

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth import noise as mechanisms
from synth.domain import Categorical, Domain
from synth.door import Ledger
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm
from synth.plans import Method, Plan
from synth.privacy import Neighbors, parse_budget
from synth.private.table import PrivateTable
from synth.spending import synthesize
from synth.spending.pipeline import Result

DOMAIN = Domain(
    tuple(Categorical(name=name, categories=("x", "y", "z")) for name in ("a", "b", "c"))
)

OTHER = (
    "Another version of Synth made this release, and this version can neither repeat nor "
    "finish it. Its spend still counts. For a new release, change the request and spend "
    "again."
)

PLANS = {
    "tree": Plan(domain=DOMAIN, epsilon=Fraction(8), method=Method.TREE),
    "one-shot": Plan(
        domain=DOMAIN,
        epsilon=Fraction(8),
        method=Method.ONE_SHOT,
        neighbors=Neighbors.ADD_REMOVE,
    ),
    "adaptive": Plan(domain=DOMAIN, epsilon=Fraction(8), method=Method.ADAPTIVE),
    "adaptive, zCDP": Plan(
        domain=DOMAIN, epsilon=Fraction(8), method=Method.ADAPTIVE, delta=Fraction(1, 10**6)
    ),
}


class Killed(BaseException):
    """In the place of SIGKILL."""


def less_noise(mechanism: DiscreteLaplace, *arguments: Any) -> str:
    return f"{arguments[-1]}>{mechanism.scale}"


def in_force(laws: list[str]) -> list[str]:
    """Without those of answers that were released again with less noise."""
    laws_in_force: list[str] = []
    for law in laws:
        before, _, after = law.partition(">")
        if after:
            laws_in_force.remove(before)
        laws_in_force.append(after or before)
    return laws_in_force


class DrawnLaws:
    """The laws that were drawn from for what the ledger keeps, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kept: list[str] = []
        self.last = ""
        self.kill = 0
        scaled = {DiscreteLaplace: "scale", KNorm: "scale", DiscreteGaussian: "sigma2"}
        for mechanism, name in scaled.items():
            self._watch(
                monkeypatch, mechanism, "release", lambda m, *_, n=name, **__: getattr(m, n)
            )
        self._watch(monkeypatch, DiscreteLaplace, "reduce_noise", less_noise)
        for law in ("permute_and_flip", "draw_exponential"):
            self._watch(monkeypatch, mechanisms, law, lambda *_, epsilon, **__: epsilon)
        keep = Ledger.keep

        def killing(ledger: Ledger, entry: Any, part: str, payload: bytes) -> Any:
            recorded = keep(ledger, entry, part, payload)
            if part.isdigit():
                self.kept.append(self.last)
                if len(self.kept) == self.kill:
                    raise Killed
            return recorded

        monkeypatch.setattr(Ledger, "keep", killing)

    def _watch(
        self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, law_of: Any
    ) -> None:
        original = getattr(owner, name)

        def watched(*arguments: Any, **options: Any) -> Any:
            self.last = str(law_of(*arguments, **options))
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, watched)


def open_ledger(folder: Path, plan: Plan) -> Ledger:
    ledger = Ledger(folder / "ledger.db")
    delta = f",delta={plan.delta}" if plan.delta else ""
    ledger.set_budget("table", parse_budget(f"epsilon=100{delta}", plan.neighbors))
    return ledger


def release_and_kill(
    plan: Plan, table: PrivateTable, folder: Path, drawn_laws: DrawnLaws, at: int
) -> Result | None:
    """A release killed after a part was kept; the whole release where it has fewer parts."""
    drawn_laws.kept.clear()
    drawn_laws.kill = at
    with open_ledger(folder, plan) as ledger:
        try:
            return synthesize(plan, table, ledger=ledger)
        except Killed:
            return None
        finally:
            drawn_laws.kill = 0


def noise(scale: str) -> dict[str, str]:
    return {"law": "discrete Laplace", "scale": scale}


def pack_arrays(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()

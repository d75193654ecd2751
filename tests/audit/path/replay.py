"""Layer 5: releases of neighbours with their noise frozen, and noise that nobody could
know.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from synth import noise
from synth.domain import Domain
from synth.door import door
from synth.errors import SynthError
from synth.estimate import Fitted
from synth.estimate.recipes.recipe import Recipe
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm, bits
from synth.plans import Method, Plan
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.private.methods import session
from synth.spending import pipeline
from tests.audit.path.tables import DOMAIN, HEADER, SECRET, Rows, related
from tests.audit.twins import NoJoiner, cut_short, held
from tests.tables import write, write_plain


@dataclass
class Seen:
    """A release with its noise frozen: what left, and what went into the noise."""

    left: Any = None
    asked: list[Any] = field(default_factory=list)
    prices: list[Fraction] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)


def replaying(
    method: Method,
    neighbors: Neighbors,
    unit: Unit = ROW,
    domain: Domain = DOMAIN,
    **options: Any,
) -> str:
    """Everything public is the same of neighbours; the inputs' moves are within what was
    paid.
    """
    tables, are = related(neighbors, unit)
    plan = Plan(
        domain=domain,
        epsilon=Fraction(2),
        neighbors=neighbors,
        method=method,
        unit=unit,
        **options,
    )
    releases = [released(plan, rows) for rows in tables]
    for (first, a), (second, b) in product(zip(releases, tables, strict=True), repeat=2):
        if SECRET in repr(first.left):
            return "a cell is quoted"
        if not are(a, b):
            continue
        if first.left != second.left:
            return "what leaves differs beside the noise"
        if first.asked != second.asked:
            return "what is asked differs"
        if not plan.delta and _costs_more(first, second):
            return "inputs move by more than was paid for"
        if sum(first.prices) > plan.epsilon:
            return "more is paid for than was charged"
    return ""


def released(plan: Plan, rows: Rows) -> Seen:
    """One release with frozen noise; a refusal is something that leaves, too."""
    traced = Seen()
    with TemporaryDirectory() as folder, frozen(traced):
        source = write(Path(folder) / "t.csv", HEADER, rows)
        try:
            result = pipeline.synthesize(plan, source)
        except SynthError as error:
            traced.left = str(error).replace(folder, "")
            return traced
        paths = write_plain(result, Path(folder) / "out")
        files = {name: path.read_bytes() for name, path in paths.items()}
    for name, content in files.items():
        if b'"created"' in content:
            files[name] = json.loads(content) | {"created": ""}
    traced.left = files
    return traced


@contextmanager
def frozen(traced: Seen) -> Iterator[None]:
    """Noise that does not look at its input, but for the shape of it."""

    def answer(noise: Any, values: Any) -> Any:
        traced.asked.append((repr(noise), values.shape))
        traced.inputs.append((noise, values.copy()))
        noisy = np.random.default_rng(len(traced.inputs)).integers(-3, 9, values.shape)
        return noisy + 6 if values.size > 1 else noisy + 40

    def choose(
        scores: Any, *, epsilon: Fraction, sensitivity: int, monotone: bool = False
    ) -> int:
        assert not monotone
        traced.asked.append((len(scores), epsilon, sensitivity))
        traced.inputs.append(
            (epsilon / sensitivity, np.array([int(score) for score in scores]))
        )
        return 0

    def less(noise: Any, values: Any, _: Any, before: Fraction) -> Any:
        # Costs what the scales differ in.
        return answer(DiscreteLaplace(1 / (1 / noise.scale - 1 / before)), values)

    measure, choice = door.Door.measure, door.Door.choose
    reduce_noise = door.Door.reduce_noise

    def priced(opened: Any, query: Any, noise: Any, claim: Any = None) -> Any:
        traced.prices.append(door.price(query, noise, claim).epsilon or Fraction(0))
        return measure(opened, query, noise, claim)

    def reduced(opened: Any, query: Any, noise: Any) -> Any:
        before = opened._answers[query].guarantee.epsilon
        traced.prices.append((door.price(query, noise).epsilon or Fraction(0)) - before)
        return reduce_noise(opened, query, noise)

    def paid(door: Any, query: Any, cost: Guarantee) -> Any:
        traced.prices.append(cost.epsilon or Fraction(0))
        return choice(door, query, cost)

    private = session.Session._private

    def guessed(opened_session: Any, clique: Any, expected: Any) -> Any:
        traced.asked.append(expected.tolist())  # a guess is public
        return private(opened_session, clique, expected)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session.Session, "_private", guessed)
        patch.setattr(door.Door, "measure", priced)
        patch.setattr(door.Door, "choose", paid)
        patch.setattr(door.Door, "reduce_noise", reduced)
        patch.setattr(DiscreteLaplace, "reduce_noise", less)
        for law in (DiscreteLaplace, DiscreteGaussian, KNorm):
            patch.setattr(law, "release", answer)
        patch.setattr(noise, "permute_and_flip", choose)
        patch.setattr(noise, "draw_exponential", choose)
        cut_short(
            patch,
            partial(Quick, traced),
            lambda *arguments, **options: _quick_draw(traced, *arguments, **options),
        )
        patch.setattr(bits, "bits", np.random.default_rng(5).bytes)
        yield


class Quick(NoJoiner):
    """Rows that say how many there are to be; they would follow from what is noted here."""

    def __init__(self, traced: Seen, evidence: Any, *arguments: Any) -> None:
        super().__init__(evidence, *arguments)
        self._total = int(evidence.total)
        traced.asked.append(
            ([c.tolist() for c in evidence.columns], dict(evidence.distances))
        )

    def rows(self, *_: Any, **_options: Any) -> Any:
        return held(np.zeros((self._total, len(HEADER) - 1), dtype=np.int32))


def _quick_draw(
    traced: Seen, method: Recipe, evidence: Any, noisy: Any, _: Any, *, generator: Any
) -> Fitted:
    evidence.repair_columns()
    rows = Quick(traced, evidence).rows()
    estimates = method.estimates(evidence, noisy, generator)
    return Fitted(strategy=method.name, drawn=rows, estimates=estimates, total=evidence.total)


def _costs_more(first: Seen, second: Seen) -> bool:
    """Whether a part moves by more than its price; a choice by its score that moves the
    most.
    """
    for (mechanism, a), (_, b), price in zip(
        first.inputs, second.inputs, first.prices, strict=True
    ):
        gap = np.abs(a.astype(object) - b.astype(object))
        if cost_of(mechanism, gap) > price:
            return True
    return False


def cost_of(noise: Any, gap: Any) -> Fraction:
    """What moves by so much cost with a noise, or with a choice at a rate."""
    if isinstance(noise, Fraction):
        return Fraction(int(gap.max())) * noise
    moved = gap.max() if isinstance(noise, KNorm) else gap.sum()
    return Fraction(int(moved)) / noise.scale


def freshness() -> str:
    """Two answers have noise of their own: as many fresh bits for the second as for the
    first.
    """
    noise, values, bytes_read = DiscreteLaplace(Fraction(20)), np.zeros(5_000, np.int64), []
    fresh = bits.bits

    def counted_bits(nbytes: int) -> bytes:
        bytes_read.append(nbytes)
        return fresh(nbytes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bits, "bits", counted_bits)
        answers = []
        for _ in range(2):
            bytes_read.clear()
            answers.append(noise.release(values))
            if sum(bytes_read) < 2 * values.size:
                return "noise is not fresh"
        if np.array_equal(*answers) or not (answers[0] != 0).any():
            return "noise is used again"
        some_counts = np.array([0, 1, 0, 7])
        patch.setattr(bits, "bits", np.random.default_rng(0).bytes)
        noisy = noise.release(some_counts)
        patch.setattr(bits, "bits", np.random.default_rng(0).bytes)
        if not np.array_equal(noise.release(some_counts * 0) + some_counts, noisy):
            return "noise looks at what it is added to"
    return ""

"""The mechanism of `docs/extending/mechanism.md`, which keeps the contract of all others."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from synth.noise import CellNoise, LaplaceLaw
from synth.noise.known import MECHANISMS
from synth.noise.laws import OneSided
from synth.noise.mechanism import exact
from synth.noise.sampler import Chunks, sampler
from synth.privacy import Guarantee, Sensitivity
from tests.noise.test_known import MechanismContract


@dataclass(frozen=True)
class TwoGeometric(CellNoise):
    """The difference of two geometric numbers, which is discrete Laplace noise."""

    scale: Fraction

    law: ClassVar[str] = "two geometric"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", exact(scale=self.scale))

    def price(self, moves: Sensitivity, _claim: Guarantee | None = None) -> Guarantee:
        """The guarantee for values of this sensitivity, by its L1 norm."""
        return Guarantee.pure(moves.l1 / self.scale)

    @property
    def number_law(self) -> LaplaceLaw:
        """In closed form."""
        return LaplaceLaw(self.scale)

    def chunks(self, size: int) -> Chunks:
        """Noise in pieces, each overwritten by the next."""
        one = sampler(OneSided(1 / self.scale))
        for (start, up), (_, down) in zip(one.chunks(size), one.chunks(size), strict=True):
            yield start, up.astype(np.int64) - down


@pytest.mark.usefixtures("listed")
class TestTwoGeometric(MechanismContract):
    some = tuple(TwoGeometric(Fraction(s)) for s in (2, 50))
    refused = ((lambda: TwoGeometric(Fraction(0)), "scale must be above 0, but it is 0."),)

    @pytest.fixture
    def listed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put it beside the others that a door draws from."""
        monkeypatch.setitem(MECHANISMS, TwoGeometric.law, TwoGeometric)

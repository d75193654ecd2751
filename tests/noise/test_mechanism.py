"""The mechanism of `docs/extending/mechanism.md`, which keeps the contract of all others."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from synth.analysis import conclusions
from synth.bundle import CERTIFICATE, certificate, schema
from synth.bundle.certificate_parts import PortionRecord
from synth.bundle.typed_json import WrongFormError, read_typed
from synth.estimate import MarginalsRecord
from synth.estimate.models import allocation
from synth.forecasts import outlook
from synth.noise import CellNoise, LaplaceLaw
from synth.noise.known import MECHANISMS
from synth.noise.laws import OneSided
from synth.noise.mechanism import exact
from synth.noise.sampler import Chunks, sampler
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Sensitivity
from synth.questions import Inquiry, parse
from synth.questions.way import way
from synth.spending import ask
from synth.verification import VerifiedRelease, verify
from synth.verification.checks import VerifiedAnswers
from tests.bundle.bundles import read_bundle
from tests.ledger.ledgers import ledger_with_budget
from tests.noise.test_known import MechanismContract
from tests.verification.models import DOMAIN, make_bundle
from tests.verification.models import write_table as people


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
        geometric = sampler(OneSided(1 / self.scale))
        chunks = zip(geometric.chunks(size), geometric.chunks(size), strict=True)
        for (start, up), (_, down) in chunks:
            yield start, up.astype(np.int64) - down


@pytest.fixture(autouse=True)
def register_mechanism(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Put the mechanism beside those that a door draws from, and write the schemas anew."""
    monkeypatch.setitem(MECHANISMS, TwoGeometric.law, lambda: TwoGeometric)
    monkeypatch.setattr(certificate, "SCHEMAS", tmp_path_factory.mktemp("schemas"))
    schema.main()


class TestTwoGeometric(MechanismContract):
    some = tuple(TwoGeometric(Fraction(s)) for s in (2, 50))
    refused = ((lambda: TwoGeometric(Fraction(0)), "scale must be above 0, but it is 0."),)


def test_a_release_with_it_is_certified_verified_and_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release with noise from an added mechanism, TwoGeometric, is certified and verified.

    It takes the place of Laplace noise. Rows are drawn again from the noisy numbers, the
    certificate names the law, and answers have intervals.
    """

    def for_epsilon(epsilon: Fraction, *, sensitivity: int) -> TwoGeometric:
        return TwoGeometric(sensitivity / epsilon)

    monkeypatch.setattr(
        allocation, "DiscreteLaplace", SimpleNamespace(for_epsilon=for_epsilon)
    )

    plan = Plan(domain=DOMAIN, epsilon=Fraction(10), method=Method.TREE)
    assert 0 < outlook(plan, 3_000).pairs.likely < 0.2

    checked = verify(make_bundle(tmp_path, method=Method.TREE), redraw=True)
    assert isinstance(checked, VerifiedRelease)
    assert isinstance(checked.record, MarginalsRecord)
    assert {type(noisy.mechanism) for _, noisy in checked.record.measured} == {TwoGeometric}
    assert b'"law": "two geometric"' in read_bundle(tmp_path / "b.zip")[CERTIFICATE]

    (table,) = conclusions([parse("table marital")], checked.record)
    assert (table.low <= table.high).all()


def test_answers_with_it_are_forecast_certified_and_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer with noise from an added mechanism, TwoGeometric, is certified and verified.

    It takes the place of Laplace noise.
    """
    monkeypatch.setattr(way, "DiscreteLaplace", TwoGeometric)
    inquiry = Inquiry.read(
        ["count where age >= 50"], DOMAIN, Guarantee.pure(1), dataset="survey"
    )
    (forecast,) = inquiry.forecast(3_000)
    assert forecast.expected_error > 0

    ledger = ledger_with_budget(tmp_path / "l.db", "epsilon=9", "survey", inquiry.neighbors)
    answers = ask(inquiry, people(tmp_path), ledger=ledger)
    checked = verify(answers.write_archive(tmp_path / "a.zip", ledger), ledger)
    assert isinstance(checked, VerifiedAnswers)

    (portion,) = checked.certificate.portions
    assert isinstance(portion.noise, TwoGeometric)
    assert checked.answers[0].low <= checked.answers[0].high


def test_noise_that_no_door_draws_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate is read only if its noise is fully described and of a registered
    mechanism.
    """
    noise = TwoGeometric(Fraction(4))
    portion = {"questions": [1], "way": "laplace", "noise": noise.describe()}
    assert read_typed(PortionRecord, portion).noise == noise

    # A description without its scale, and one with a part that it does not have.
    for broken_noise in ({"law": "two geometric"}, {**noise.describe(), "rows": "3"}):
        with pytest.raises(WrongFormError, match=r"^noise$"):
            read_typed(PortionRecord, {**portion, "noise": broken_noise})

    monkeypatch.delitem(MECHANISMS, TwoGeometric.law)
    with pytest.raises(WrongFormError, match=r"^noise$"):
        read_typed(PortionRecord, portion)

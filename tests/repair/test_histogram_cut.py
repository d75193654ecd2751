"""The repair of `docs/extending/repair.md`, which keeps the contract of all others."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synth.door import Ledger
from synth.estimate import REPAIRS, HistogramRecord, NoisyCounts
from synth.estimate.repair.histogram import Means
from synth.forecasts import forecast
from synth.plans import OPTIONS, Plan
from synth.privacy import Neighbors
from synth.util import Floats
from synth.verification import VerifiedRelease, verify
from tests.repair.test_histogram import RepairContract
from tests.verification.models import DOMAIN, make_bundle


def cut_small(noisy: NoisyCounts) -> Floats:
    """Leave out counts that noise alone often makes, and scale the others to the total."""
    large = np.where(noisy.values > 2 * float(noisy.scale), noisy.values, 0.0)
    return large * (noisy.total / (large.sum() or 1))


CUT = Means(
    name="cut",
    title="Cut",
    effect="counts up to twice the scale of the noise become 0; the others keep the total",
    weights=cut_small,
    bias=lambda universe, count: 0.0 if count > 2 * universe.scale else -count,
)


@pytest.fixture(autouse=True)
def offer_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it beside the others."""
    monkeypatch.setitem(REPAIRS, CUT.name, CUT)


class TestCut(RepairContract):
    method = "cut"


def test_it_is_chosen_released_certified_and_verified(tmp_path: Path) -> None:
    """A repair that somebody adds can be chosen by name, released, certified and verified."""
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), repair=OPTIONS["repair"].from_text("cut"))
    assert Plan.from_json(plan.to_json()) == plan

    verified = verify(
        make_bundle(tmp_path, repair="cut"), Ledger(tmp_path / "b.db", readonly=True)
    )

    assert isinstance(verified, VerifiedRelease)
    assert isinstance(verified.record, HistogramRecord)
    assert verified.record.repair == verified.certificate.repair_words == "cut"


def test_its_bias_is_forecast() -> None:
    options = {"epsilon": Fraction(1), "rows": 1_000, "neighbors": Neighbors.REPLACE_ONE}
    forecast_of_repair = forecast(DOMAIN.project(("kin", "marital")), **options)
    assert forecast_of_repair.biases["cut"] == 0 == forecast_of_repair.biases["clamp"]

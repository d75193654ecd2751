"""What holds of every method.

A method is forecast, released, certified, verified and drawn again by what its halves say.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from synth.door import Ledger
from synth.estimate import (
    RECIPES,
    MarginalsRecord,
    Method,
)
from synth.forecasts import outlook
from synth.plans import Plan
from synth.private.methods.measurements import MEASURED
from synth.verification import VerifiedRelease, verify
from tests.verification.models import DOMAIN, RULES, make_bundle

SAME = "are the same when drawn again from the counts and the seed."
GIVEN = "The synthetic rows follow from the noisy counts, the repair and the seed."


class MethodContract:
    """What every method keeps."""

    method: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}

    def plan(self, epsilon: int) -> Plan:
        return Plan(
            domain=DOMAIN, epsilon=Fraction(epsilon), method=self.method, **self.options
        )

    def released(self, folder: Path) -> VerifiedRelease:
        """A release that is certified, verified and drawn again."""
        path = make_bundle(folder, method=self.method, **self.options)
        verified = verify(path, Ledger(folder / "b.db", readonly=True), redraw=True)
        assert isinstance(verified, VerifiedRelease)
        return verified

    def test_it_is_offered_in_words_and_measured_by_a_function(self) -> None:
        """A method has a title and an effect, and all methods that it may turn into are
        measured by a function or by a histogram.
        """
        recipe = RECIPES[self.method]
        assert recipe.name == self.method
        assert recipe.title
        assert recipe.effect
        assert {*recipe.leads_to} <= MEASURED.keys() | {Method.DENSE}

    def test_its_forecast_is_better_with_more_epsilon_and_rows(self) -> None:
        """The forecast errors of columns and pairs do not grow with more rows or more
        epsilon, and the forecast names a method that is not `auto`.
        """
        cases = ((1, 1_000), (1, 100_000), (10, 100_000))
        forecasts = [outlook(self.plan(epsilon), rows) for epsilon, rows in cases]
        column_errors = [forecast.columns.likely for forecast in forecasts]
        pair_errors = [forecast.pairs.likely for forecast in forecasts]
        assert column_errors == sorted(column_errors, reverse=True)
        assert pair_errors == sorted(pair_errors, reverse=True)
        assert all(
            forecast.seconds > 0 and forecast.method != Method.AUTO for forecast in forecasts
        )

    def test_a_release_is_verified_and_drawn_again(self, tmp_path: Path) -> None:
        """A bundle is verified without an open claim, and its rows are drawn again the same.

        It measured only marginals that the plan foresees.
        """
        verified = self.released(tmp_path)
        assert isinstance(verified.record, MarginalsRecord)
        assert verified.record.strategy in RECIPES[self.method].leads_to
        assert {clique for clique, _ in verified.record.measured} <= {
            *verified.plan.marginals(verified.domain)
        }
        assert any(SAME in sentence for sentence in verified.confirmed)
        assert verified.not_checked == ()


class TestAutomatic(MethodContract):
    method = Method.AUTO
    options: ClassVar[dict[str, Any]] = {"rules": RULES}  # by which it is a model


class TestColumns(MethodContract):
    method = Method.INDEPENDENT


class TestTree(MethodContract):
    method = Method.TREE


class TestPairsAtOnce(MethodContract):
    method = Method.ONE_SHOT


class TestAdaptive(MethodContract):
    method = Method.ADAPTIVE


class TestGroups(MethodContract):
    method = Method.GROUPS
    options: ClassVar[dict[str, Any]] = {"groups": (("age", "kin"), ("marital", "income"))}


class TestHistogram(MethodContract):
    method = Method.DENSE

    def test_a_release_is_verified_and_drawn_again(self, tmp_path: Path) -> None:
        verified = self.released(tmp_path)
        assert not isinstance(verified.record, MarginalsRecord)
        assert GIVEN in verified.confirmed


class TestLargeHistogram(TestHistogram):
    method = Method.HISTOGRAM


def test_every_method_keeps_the_contract() -> None:
    """Each method has a class of tests here that inherits the contract, and a recipe."""
    contracts = (*MethodContract.__subclasses__(), TestLargeHistogram)
    methods = {contract.method for contract in contracts if contract.__module__ == __name__}
    assert methods == {*Method} == {*RECIPES}

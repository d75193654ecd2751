"""The method of `docs/extending/method.md`, which keeps the contract of all others."""

from pathlib import Path

import pytest
from numpy.random import Generator

from synth.bundle import CERTIFICATE, certificate, schema
from synth.estimate import (
    RECIPES,
    LikelyErrors,
    MarginalsRecord,
    NoisyParts,
    Order,
    UsualTable,
)
from synth.estimate.recipes.recipe import Recipe
from synth.private.methods.measurements import MEASURED
from synth.private.methods.session import Session
from tests.bundle.bundles import read_bundle
from tests.methods.test_strategies_contract import MethodContract


class Star(Recipe):
    """Pairs of the first column with each other column."""

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the errors: so many pairs are measured."""
        return table.split(open_pairs=len(table.shape) - 1)


STAR = Star(
    name="star",
    title="Star",
    effect="the relations of the first column",
    spread="tree",
)


def measure_star(session: Session, _order: Order, _: Generator) -> NoisyParts:
    """Measure pairs of the first column, as far as they are worth it."""
    pairs = [pair for pair in session.evidence.pairs if 0 in pair]
    noisy = session.measure_pairs(pairs, session.left)
    session.spend_rest()
    return noisy


@pytest.fixture(autouse=True)
def register_method(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Put both halves of the method beside the others, and write the schemas anew."""
    monkeypatch.setitem(RECIPES, STAR.name, STAR)
    monkeypatch.setitem(MEASURED, STAR.name, measure_star)
    monkeypatch.setattr(certificate, "SCHEMAS", tmp_path_factory.mktemp("schemas"))
    schema.main()


class TestStar(MethodContract):
    method = "star"

    def test_its_bundle_names_it_and_its_pairs(self, tmp_path: Path) -> None:
        """The certificate names the registered method, which measured only pairs of the first
        column.
        """
        verified = self.released(tmp_path)
        assert isinstance(verified.record, MarginalsRecord)
        assert (
            f'"strategy": "{STAR.name}"'
            in read_bundle(tmp_path / "b.zip")[CERTIFICATE].decode()
        )
        pairs = [clique for clique, _ in verified.record.measured if len(clique) == 2]
        assert pairs
        assert all(0 in pair for pair in pairs)

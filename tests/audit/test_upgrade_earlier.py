"""Ledgers of versions that did not write down how a part was drawn."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth import door, limits
from synth.errors import ReleaseError
from synth.ledger import parts
from synth.ledger.ledger import Ledger
from synth.ledger.parts import Part
from synth.noise.laplace import DiscreteLaplace
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.privacy.guarantee import Neighbors
from synth.table.private_table import PrivateTable
from tests.audit.upgrades import DOMAIN, PLANS, STUCK, Drawn, killed, opened, saved


def forget(patched: pytest.MonkeyPatch) -> None:
    """Keep payloads as algorithm 1 did once: values, and for a query of a model its name."""
    keep = Ledger.keep
    for module in (parts, door):
        patched.setattr(module, "ALGORITHM", 1)

    def forgetting(ledger: Ledger, entry: Any, name: str, payload: bytes) -> Any:
        part = Part.read(payload)
        named = part.about.get("query") not in (None, "histogram")
        query = {"name": np.array(part.about["query"])} if named else {}
        return payload, keep(ledger, entry, name, saved(**part.arrays, **query))[1]

    patched.setattr(Ledger, "keep", forgetting)


@pytest.mark.parametrize("name", [*PLANS, "histogram"])
def test_what_an_earlier_version_finished_is_repeated(
    name: str, table: PrivateTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = PLANS.get(name, Plan(DOMAIN, Fraction(8), method=Method.DENSE))
    with monkeypatch.context() as patched, opened(tmp_path, plan) as ledger:
        forget(patched)
        first = synthesize(plan, table, ledger=ledger)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: pytest.fail("noise was drawn"))
    with opened(tmp_path, plan) as ledger:
        again = synthesize(plan, table, ledger=ledger)
        assert again.repeated
        assert len(ledger.entries()) == 1
    for one, other in zip(first.synthetic.codes, again.synthetic.codes, strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.certificate.mechanism == first.certificate.mechanism


def test_what_an_earlier_version_only_began_is_refused(
    table: PrivateTable, tmp_path: Path, drawn: Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = PLANS["tree"]
    with monkeypatch.context() as patched:
        forget(patched)
        assert killed(plan, table, tmp_path, drawn, 3) is None
    with opened(tmp_path, plan) as ledger, pytest.raises(ReleaseError, match=STUCK) as caught:
        synthesize(plan, table, ledger=ledger)
    assert "3 parts of it are kept, and this version" in str(caught.value)
    assert len(drawn.kept) == 3, "nothing more was drawn"


def test_of_an_earlier_version_the_number_of_rows_lies_beside_the_histogram(
    table: PrivateTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LISTED_CELLS", 10)
    monkeypatch.setattr(limits, "SUMMED_CELLS", 10)
    monkeypatch.setattr(limits, "SPURIOUS_CELLS", 5)
    plan = Plan(DOMAIN, Fraction(8), method=Method.HISTOGRAM, neighbors=Neighbors.ADD_REMOVE)
    with opened(tmp_path, plan) as ledger:
        first = synthesize(plan, table, ledger=ledger)
        (entry,) = ledger.entries()
        cells, rows = (Part.read(ledger.kept(entry, part)[0]) for part in "12")  # type: ignore[index]
    old = saved(**cells.arrays, rows=rows.values)
    with monkeypatch.context() as patched:
        found = {"1": (old, "head"), "seed": ledger_part(tmp_path, plan, "seed")}
        patched.setattr(Ledger, "kept", lambda _, __, part: found.get(part))
        with opened(tmp_path, plan) as ledger:
            again = synthesize(plan, table, ledger=ledger)
    assert again.record.noisy.noisy_rows == int(rows.values[0])  # type: ignore[union-attr]
    assert again.certificate.mechanism == first.certificate.mechanism
    for one, other in zip(first.synthetic.codes, again.synthetic.codes, strict=True):
        np.testing.assert_array_equal(one, other)


def ledger_part(folder: Path, plan: Plan, part: str) -> Any:
    with opened(folder, plan) as ledger:
        return ledger.kept(ledger.entries()[0], part)


@pytest.mark.parametrize("algorithm", [2, 3])
@pytest.mark.parametrize("name", PLANS)
def test_what_an_earlier_algorithm_finished_is_repeated(
    name: str,
    algorithm: int,
    table: PrivateTable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So loud that algorithm 3 would repair columns otherwise; a delta was spent by zCDP."""
    plan = replace(PLANS[name], epsilon=Fraction(1, 20))
    with monkeypatch.context() as patched, opened(tmp_path, plan) as ledger:
        for module in (parts, door):
            patched.setattr(module, "ALGORITHM", algorithm)
        first = synthesize(plan, table, ledger=ledger)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: pytest.fail("noise was drawn"))
    with opened(tmp_path, plan) as ledger:
        again = synthesize(plan, table, ledger=ledger)
    assert again.repeated
    for one, other in zip(first.synthetic.codes, again.synthetic.codes, strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.certificate.mechanism == first.certificate.mechanism

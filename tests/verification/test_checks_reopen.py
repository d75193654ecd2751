"""A bundle opened again is the release it was made of: rows, noisy counts, record and
bytes.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.bundle import Result
from synth.domain import Domain, Number
from synth.errors import ReleaseError
from synth.estimate import MarginalsRecord, Repair
from synth.plans import Method, Plan
from synth.privacy import Neighbors, Unit
from synth.spending import synthesize
from synth.verification import open_bundle
from tests.bundle.bundles import ODD, edit_text, read_bundle, rezip
from tests.tables import MIXED, ROWS, write

PLANS: dict[str, dict[str, Any]] = {
    "histogram": {"repair": Repair.CLAMP, "neighbors": Neighbors.ADD_REMOVE},
    "large": {
        "domain": Domain(tuple(Number(name=n, minimum=0, maximum=9, bins=900) for n in "ab")),
        "method": Method.HISTOGRAM,
        "epsilon": Fraction(9),
    },
    "by person": {"domain": MIXED.project(["sex", "age"]), "unit": Unit("day", 2)},
    "model by person": {
        "method": Method.TREE,
        "unit": Unit("day", 2),
        "epsilon": Fraction(50),
    },
    "to be guarded": {"domain": ODD},
    "pure model": {"method": Method.ONE_SHOT},
    "model with delta": {
        "method": Method.ADAPTIVE,
        "delta": Fraction(1, 10**9),
        "neighbors": Neighbors.ADD_REMOVE,
        "rows": 40,
    },
    "delta that was not needed": {
        "method": Method.INDEPENDENT,
        "delta": Fraction(1, 10**9),
    },
}


def release_of(folder: Path, **options: Any) -> Result:
    """A release of a small table whose columns follow the domain of the plan."""
    plan = Plan(
        **{"domain": MIXED, "epsilon": Fraction(1), "method": Method.DENSE, **options}
    )
    names = list(plan.domain.names if plan.domain.names[0] in ("a", "=sum") else MIXED.names)
    rows = ROWS * 9 if len(names) == 5 else [["=1+1", "7"][-len(names) :]] * 60
    return synthesize(plan, write(folder / "t.csv", names, rows))


SLOW = ("large", "model with delta", "model by person")


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[pytest.mark.slow] * (k in SLOW)) for k in PLANS],
)
def test_an_opened_release_is_the_one_that_was_made(tmp_path: Path, kind: str) -> None:
    """Plan, noisy numbers, cost and rows come back from the files, and give the same bundle
    again.

    `PLANS` maps a kind of release to the options of its plan.
    """
    before = release_of(tmp_path, **PLANS[kind])
    bundle = before.write_archive(tmp_path / "b.zip")
    opened = open_bundle(bundle)
    after = opened.result

    assert after.plan == before.plan
    assert after.repeated
    assert after.synthetic.table.equals(before.synthetic.table)
    assert after.write_archive(tmp_path / "again.zip").read_bytes() == bundle.read_bytes()

    new = after.record
    old = before.record
    assert (new.rows, new.summary()) == (old.rows, old.summary())
    if isinstance(old, MarginalsRecord):
        assert new.charged == old.charged
        if kind == "delta that was not needed":
            # The ledger was charged the delta, and the release by pure epsilon spent no rho.
            assert (old.charged.delta, old.spent.rho) == (Fraction(1, 10**9), None)
        assert new.describe() == old.describe()
        # The certificate has the total as a whole number.
        assert new.total == pytest.approx(old.total, abs=0.5)
        for (clique, new_counts), (old_clique, old_counts) in zip(
            new.measured, old.measured, strict=True
        ):
            assert clique == old_clique
            assert (new_counts.mechanism, new_counts.guarantee) == (
                old_counts.mechanism,
                old_counts.guarantee,
            )
            assert (new_counts.values == old_counts.values).all()
    else:
        assert (new.noisy.values == old.noisy.values).all()
        assert np.array_equal(new.distribution.weights, old.distribution.weights)


def test_marginals_that_the_certificate_does_not_list_are_refused(tmp_path: Path) -> None:
    """A release is not opened if its file of noisy counts lacks the last line, whatever its
    digest.
    """
    files = read_bundle(
        release_of(tmp_path, method=Method.TREE).write_archive(tmp_path / "b.zip")
    )

    last = files["noisy_counts.csv"].splitlines(keepends=True)[-1]
    edit_text("noisy_counts.csv", last, b"")(files)

    with pytest.raises(ReleaseError, match=r"noisy_counts\.csv"):
        open_bundle(rezip(tmp_path / "t.zip", files))

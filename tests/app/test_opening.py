"""Opening a bundle continues the work, and nothing is spent."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import home
from synth.door import Ledger
from synth.estimate import MarginalsRecord, Repair
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.spending import synthesize
from tests.app.steward import draft, errors, go, press, said, spend, use, visit
from tests.tables import MIXED, ROWS, write

PLANS: dict[str, dict[str, Any]] = {
    "histogram": {"repair": Repair.CLAMP, "neighbors": Neighbors.ADD_REMOVE, "rows": 44},
    "model": {
        "method": Method.GROUPS,
        "groups": (("sex", "age"), ("weight", "smoker"), ("day",)),
        "rules": {"impossible": [{"sex": ["F"], "smoker": ["yes"]}]},
        "delta": Fraction(1, 10**9),
        "epsilon": Fraction(5, 2),
    },
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    return write(tmp_path / "people.csv", list(MIXED.names), ROWS * 5)


def planned(**options: Any) -> Plan:
    return Plan(
        **{"domain": MIXED, "epsilon": Fraction(1), "method": Method.DENSE, **options}
    )


def bundle(path: Path, **options: Any) -> Path:
    """A bundle from elsewhere: made by the command line, without this home's ledger."""
    plan = planned(dataset="elsewhere.csv", **options)
    return synthesize(plan, path).write_archive(path.with_name("b.zip"))


def opened(bundle: Path, app: AppTest | None = None) -> AppTest:
    app = app or visit()
    go(app, "data")
    uploader = next(u for u in app.file_uploader if "bundle" in u.label)
    uploader.upload("some.zip", bundle.read_bytes(), "application/zip").run()
    assert not app.exception
    return app


def spends() -> int:
    return len(Ledger(home.folder() / "ledger.db").entries())


@pytest.mark.parametrize("kind", PLANS)
def test_an_opened_bundle_is_a_stored_release(path: Path, kind: str) -> None:
    zipped = bundle(path, **PLANS[kind])
    app = opened(zipped)
    assert "Nothing that the bundle claims is refuted. 18 files" in said(app)
    assert "nothing was spent" in said(app)
    go(app, "download")
    assert len(app.get("download_button")) == 5
    files = draft(app).release.files
    assert files["bundle.zip"].read_bytes() == zipped.read_bytes()
    assert files["certificate.json"].is_file()

    use(go(app, "data"), path)
    assert "The ledger here does not count the release of this bundle" in said(app)
    assert draft(app).plan() == planned(dataset="people", **PLANS[kind])
    go(app, "release")
    assert "Opened from a bundle: " in said(app)
    if kind == "model":
        assert isinstance(draft(app).release.result.record, MarginalsRecord)
        assert any(expander.label.startswith("Measurements") for expander in app.expander)
        expected = {metric.label: metric.value for metric in app.metric}
        assert "%" in expected["Expected error of columns"]
        assert " to " in expected["Expected error of pairs"]
        assert "Four of five tables of people lie within these ranges." in said(app)
        assert any(expander.label == "Error bar of each pair" for expander in app.expander)
    go(app, "compare")
    press(app, "Compare with the confidential table")
    # Of so few rows noise may leave nothing to be seen.
    assert all("so this release is mostly noise." in error for error in errors(app))
    assert draft(app).release.comparison is not None
    assert spends() == 0


@pytest.mark.slow
def test_a_release_by_the_same_plan_is_found_in_the_ledger(path: Path) -> None:
    write(path, list(MIXED.names), ROWS * 300)  # so that it is not mostly noise
    app = spend(use(opened(bundle(path)), path))
    assert "Released: 3,300 synthetic rows" in said(app)
    assert [r.opened for r in draft(app).releases] == [True, False]
    titles = [r.title for r in reversed(draft(app).releases)]
    assert titles == ["people, epsilon 1", "elsewhere.csv, epsilon 1, opened from a bundle"]
    mine = draft(app).release.files["bundle.zip"]
    again = use(opened(mine), path)
    assert "The release of the bundle is entry 2 of the ledger here." in said(again)
    go(again, "release")
    assert "Getting that release back spends nothing" in said(again)
    assert spends() == 1


@pytest.mark.slow
def test_a_table_at_hand_that_lacks_a_column_is_put_aside(path: Path, tmp_path: Path) -> None:
    zipped = bundle(path)
    app = use(visit(), path)
    assert draft(opened(zipped, app)).release.opened
    assert draft(app).source is not None

    other_path = write(tmp_path / "other.csv", ["sex", "age"], [["F", "3"]])
    app = use(visit(), other_path)
    opened(zipped, app)
    assert "The table at hand lacks columns of the bundle and was put aside." in said(app)
    assert draft(app).source is None
    use(go(app, "data"), other_path)
    assert "The opened bundle waits for a table that has all its columns." in said(app)
    assert draft(app).domain is None
    use(go(app, "data"), path)
    assert draft(app).release.opened
    assert draft(app).domain == MIXED

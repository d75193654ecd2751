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
from tests.app.steward import (
    draft_of,
    error_texts,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)
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
    """A table of 55 rows in the columns of MIXED, in a home of its own."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    return write(tmp_path / "people.csv", list(MIXED.names), ROWS * 5)


def make_plan(**options: Any) -> Plan:
    return Plan(
        **{"domain": MIXED, "epsilon": Fraction(1), "method": Method.DENSE, **options}
    )


def write_foreign_bundle(path: Path, **options: Any) -> Path:
    """A bundle from elsewhere: made by the command line, without this home's ledger."""
    plan = make_plan(dataset="elsewhere.csv", **options)
    return synthesize(plan, path).write_archive(path.with_name("b.zip"))


def upload_bundle(bundle: Path, app: AppTest | None = None) -> AppTest:
    app = app or visit()
    go_to(app, "data")
    uploader = next(u for u in app.file_uploader if "bundle" in u.label)
    uploader.upload("some.zip", bundle.read_bytes(), "application/zip").run()
    assert not app.exception
    return app


def count_entries() -> int:
    """Return the number of releases in the ledger of this home."""
    return len(Ledger(home.folder() / "ledger.db").entries())


@pytest.mark.parametrize("kind", PLANS)
def test_an_opened_bundle_is_a_stored_release(path: Path, kind: str) -> None:
    """A bundle from elsewhere is shown, compared and downloaded as it is, and nothing is
    spent here. The ledger of this home has no entry of it. PLANS has a histogram and a model;
    a model also shows its expected error.
    """
    zipped = write_foreign_bundle(path, **PLANS[kind])
    app = upload_bundle(zipped)
    assert "Nothing that the bundle claims is refuted. 16 files" in text_of(app)
    assert "nothing was spent" in text_of(app)

    go_to(app, "download")
    assert len(app.get("download_button")) == 10
    files = draft_of(app).release.files
    assert files["bundle.zip"].read_bytes() == zipped.read_bytes()
    assert files["certificate.json"].is_file()

    use_file(go_to(app, "data"), path)
    assert "The ledger here does not count the release of this bundle" in text_of(app)
    assert draft_of(app).plan() == make_plan(dataset="people", **PLANS[kind])

    go_to(app, "release")
    assert "Opened from a bundle: " in text_of(app)
    if kind == "model":
        assert isinstance(draft_of(app).release.result.record, MarginalsRecord)
        assert any(expander.label.startswith("Measurements") for expander in app.expander)
        expected = {metric.label: metric.value for metric in app.metric}
        assert "%" in expected["Expected error of columns"]
        assert " to " in expected["Expected error of pairs"]
        assert "Four of five tables of people lie within these ranges." in text_of(app)
        assert any(expander.label == "Error bar of each pair" for expander in app.expander)

    go_to(app, "compare")
    press(app, "Compare with the confidential table")
    # Of so few rows noise may leave nothing to be seen.
    assert all("so this release is mostly noise." in error for error in error_texts(app))
    assert draft_of(app).release.comparison is not None
    # Nothing was spent here.
    assert count_entries() == 0


@pytest.mark.slow
def test_a_release_by_the_same_plan_is_found_in_the_ledger(path: Path) -> None:
    """After opening a foreign bundle, a release by the same plan is a new one, and its own
    bundle is recognised later. A bundle from elsewhere is not in the ledger here. The 11 rows
    300 times make 3,300; entry 1 of the ledger is the budget.
    """
    write(path, list(MIXED.names), ROWS * 300)  # so that it is not mostly noise
    app = release_by_plan(use_file(upload_bundle(write_foreign_bundle(path)), path))
    assert "Released: 3,300 synthetic rows" in text_of(app)
    assert [r.opened for r in draft_of(app).releases] == [True, False]
    titles = [r.title for r in reversed(draft_of(app).releases)]
    assert titles == ["people, epsilon 1", "elsewhere.csv, epsilon 1, opened from a bundle"]

    mine = draft_of(app).release.files["bundle.zip"]
    again = use_file(upload_bundle(mine), path)
    assert "The release of the bundle is entry 2 of the ledger here." in text_of(again)
    go_to(again, "release")
    assert "Getting that release back spends nothing" in text_of(again)
    assert count_entries() == 1


@pytest.mark.slow
def test_a_table_at_hand_that_lacks_a_column_is_put_aside(path: Path, tmp_path: Path) -> None:
    """A bundle that is opened with a table that lacks its columns puts that table aside.

    The opened bundle stays, and waits for a table that has all its columns.
    """
    zipped = write_foreign_bundle(path)
    app = use_file(visit(), path)
    assert draft_of(upload_bundle(zipped, app)).release.opened
    assert draft_of(app).source is not None

    other_path = write(tmp_path / "other.csv", ["sex", "age"], [["F", "3"]])
    app = use_file(visit(), other_path)
    upload_bundle(zipped, app)
    assert "The table at hand lacks columns of the bundle and was put aside." in text_of(app)
    assert draft_of(app).source is None

    use_file(go_to(app, "data"), other_path)
    assert "The opened bundle waits for a table that has all its columns." in text_of(app)
    assert draft_of(app).domain is None

    use_file(go_to(app, "data"), path)
    assert draft_of(app).release.opened
    assert draft_of(app).domain == MIXED

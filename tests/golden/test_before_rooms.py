"""Bundles made by the commit before the rooms (`before-rooms`) verify, open and repeat.

How they were made stands in `before_rooms`.
"""

import json
from pathlib import Path

import pytest

from synth.__main__ import main
from synth.bundle.guide import GUIDE
from synth.bundle.notebook import NOTEBOOK
from synth.bundle.resources import DESCRIBING
from synth.ledger.ledger import Ledger
from synth.verification import verify
from synth.verification.reopen import open_bundle
from tests.bundle.bundles import contents
from tests.golden.before_rooms import REQUESTS, arguments, whole
from tests.golden.test_older import alike

pytestmark = pytest.mark.usefixtures("real_plotly", "whole_fits")

KEPT = "before-rooms"

SAID_SINCE = {"certificate.json", "certificate.schema.json", "report.html", "statement.txt"}
"""What says since version 0.2 whether rows fit, and what was paid for before."""
MODELS = {"auto", "persons"}


@pytest.fixture(params=REQUESTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
def test_a_bundle_verifies_and_opens(name: str, ledger: Path, tmp_path: Path) -> None:
    bundle = whole(name, tmp_path)
    with Ledger(ledger, readonly=True) as book:
        assert book.verify() == len(book.events())
        checked = verify(bundle, book)
    assert any("ledger knows the certificate" in check for check in checked.checks)
    opened = open_bundle(bundle).result
    assert opened.synthetic.rows == checked.certificate.rows
    assert opened.plan.to_json() == checked.plan


def test_a_release_is_repeated_and_spends_nothing(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Ledger(ledger, readonly=True) as book:
        spent = len(book.entries())
    again = tmp_path / "again.zip"
    status = main(arguments(tmp_path, name, ledger, again))
    made = json.loads(capsys.readouterr().out)
    assert (status, made["repeated"]) == (0, True)
    new, old = contents(again), contents(whole(name, tmp_path))
    assert new.keys() == {*old, *DESCRIBING, GUIDE, NOTEBOOK}
    different = {file for file in old if new[file] != old[file]} - SAID_SINCE
    if name in MODELS and different:  # float arithmetic differs between kinds of processors
        assert alike(new["synthetic.csv"], old["synthetic.csv"])
        different -= {"synthetic.csv", "synthetic.parquet"}
    assert not different
    with Ledger(ledger, readonly=True) as book:
        assert len(book.entries()) == spent

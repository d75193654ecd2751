"""Bundles and ledgers made by an earlier commit (588ee49) still open, verify and repeat.

They are of the simulated survey, so that nobody's data and no budget of anybody's is in them.
"""

import io
import json
import shutil
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from synth.__main__ import main
from synth.ledger.ledger import Ledger
from synth.lessons.survey import write_example
from synth.verification import verify
from synth.verification.reopen import open_bundle

pytestmark = pytest.mark.usefixtures("real_plotly", "whole_fits", "far_readers")

HERE = Path(__file__).parent
REQUESTS = {
    "histogram": ["--columns", "sex,age,smoker", "--method", "dense", "--budget", "10"],
    "model": ["--columns", "sex,age,smoker,income", "--neighbors", "add-remove", "--method",
              "auto", "--delta", "1e-9", "--budget", "rho=1/2,delta=1e-9"],
}  # fmt: skip
"""What was asked for, besides epsilon 1."""


@pytest.fixture(params=REQUESTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ledger(name: str, tmp_path: Path) -> Path:
    for suffix in ("db", "db.key"):
        shutil.copy(HERE / f"{name}.{suffix}", tmp_path / f"ledger.{suffix}")
    return tmp_path / "ledger.db"


def alike(one: bytes, other: bytes) -> bool:
    """Whether two tables have one header, as many rows, and shares that are nearly the same.

    The rows of a model follow from float arithmetic, which differs between kinds of processors.
    """
    first, second = (pd.read_csv(io.BytesIO(rows), dtype=str) for rows in (one, other))
    shares = ((table[name].value_counts() / len(table) for table in (first, second))
              for name in first.columns[:-1])  # fmt: skip
    gaps = [a.sub(b, fill_value=0).abs().max() for a, b in shares]
    return [*first] == [*second] and len(first) == len(second) and max(gaps) < 0.02


def test_an_older_bundle_is_verified_and_opened(name: str, ledger: Path) -> None:
    bundle = HERE / f"{name}.zip"
    with Ledger(ledger, readonly=True) as book:
        assert book.verify() == len(book.events())
        checked = verify(bundle, book)
    assert any("ledger knows the certificate" in check for check in checked.checks)
    opened = open_bundle(bundle).result
    assert opened.synthetic.rows == checked.certificate.rows


def test_an_older_release_is_repeated_and_spends_nothing(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, domain = write_example(tmp_path)
    capsys.readouterr()
    again = tmp_path / "again.zip"
    status = main(
        ["release", str(table), "--domain", str(domain), "--epsilon", "1", *REQUESTS[name],
         "--ledger", str(ledger), "--dataset", "survey", "--bundle", str(again), "--json"]
    )  # fmt: skip
    made = json.loads(capsys.readouterr().out)
    assert (status, made["repeated"]) == (0, True)
    with zipfile.ZipFile(again) as new, zipfile.ZipFile(HERE / f"{name}.zip") as old:
        assert new.read("noisy_counts.csv") == old.read("noisy_counts.csv")
        rows, before = new.read("synthetic.csv"), old.read("synthetic.csv")
    if name == "histogram":
        assert rows == before
    else:
        assert alike(rows, before)
    with Ledger(ledger, readonly=True) as book:
        assert len(book.entries()) == 1

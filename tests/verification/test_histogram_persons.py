"""A histogram of persons of several rows each, and rows of one that is not verified."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

import synth
from synth.bundle import HistogramCertificate
from synth.domain import Domain
from synth.errors import RefutedError, ReleaseError
from synth.plans import Method, Plan
from synth.privacy import Unit
from synth.spending import synthesize
from synth.verification import checks, open_bundle, unverified, verify
from synth.verification.histogram import check_guarantee
from synth.verification.unverified import open_unverified
from tests.ledger.ledgers import ledger_with_budget
from tests.verification.models import write_table


def test_the_statement_of_a_histogram_is_about_its_persons(tmp_path: Path) -> None:
    """The statement names the column of persons, and a certificate with another one is
    refused.
    """
    plan = Plan(
        domain=Domain(kin=["head", "child", "=aunt"]),
        epsilon=Fraction(1),
        method=Method.HISTOGRAM,
        dataset="survey",
        unit=Unit("pid", 2),
    )

    ledger = ledger_with_budget(None, "1", "survey", plan.neighbors)
    certificate = synthesize(plan, write_table(tmp_path, 300), ledger=ledger).certificate

    assert isinstance(certificate, HistogramCertificate)
    assert "'pid'" in certificate.guarantee.statement
    check_guarantee(certificate, plan)

    # A forger names households in place of persons.
    of_homes = replace(certificate, privacy_unit=str(Unit("home", 2)))
    with pytest.raises(ReleaseError, match="statement does not follow"):
        check_guarantee(of_homes, plan)


def test_an_unverified_histogram_has_the_rows_of_the_verified_one(bundle_path: Path) -> None:
    """Rows that are read without a check are the ones that are read with it."""
    assert open_unverified(bundle_path).synthetic.table.equals(
        open_bundle(bundle_path).synthetic.table
    )


@pytest.mark.parametrize("error", [AssertionError, AttributeError, KeyError, RecursionError])
def test_whatever_a_forged_file_breaks_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """A file can contradict itself anywhere, so a reader may stumble in any of these ways."""
    frame = pd.DataFrame({"sex": ["f", "m"] * 50})
    path = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1).save(tmp_path / "b.zip")
    monkeypatch.setattr(unverified, "_read_result", Mock(side_effect=error("private")))
    with pytest.raises(ReleaseError, match=r"cannot read the bundle, even unverified\.$"):
        open_unverified(path)

    monkeypatch.setattr(checks._Check, "check_bundle", Mock(side_effect=error("private")))
    with pytest.raises(RefutedError, match=r"certificate and plan contradict each other\.$"):
        verify(path)

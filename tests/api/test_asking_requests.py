"""A figure of a release is checked by `synth.ask` with a request, and by hand."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.bundle import CheckRequest
from synth.errors import LedgerError, SynthError
from synth.privacy import Guarantee
from synth.questions import Inquiry, least_epsilon, least_rho
from tests.bundle.bundles import edit_certificate, read_bundle, rezip

FRAME = pd.DataFrame({"sex": ["f"] * 600 + ["m"] * 400})
DOMAIN = {"sex": ["f", "m"]}
TEXT = "close to 0.6 within 0.1: share where sex = f"


@pytest.fixture
def ledger(tmp_path: Path) -> synth.Ledger:
    return synth.Ledger(tmp_path / "l.db")


def ask(
    ledger: synth.Ledger, request: CheckRequest | str | Path, epsilon: str
) -> synth.Answers:
    return synth.ask(
        FRAME, DOMAIN, request=request, epsilon=epsilon, ledger=ledger, dataset="people"
    )


@pytest.mark.filterwarnings("ignore:The budget of")
def test_a_request_is_answered_yes_within_the_allowed_checks(
    tmp_path: Path, ledger: synth.Ledger
) -> None:
    """The release names its certificate, and the ledger knows it. At epsilon 1 a wrong answer
    has a probability of exp(-100) / 2.
    """
    made = synth.release(FRAME, DOMAIN, epsilon=1, ledger=ledger, dataset="people")
    bundle = made.save(tmp_path / "r.zip")
    request = synth.analyse(bundle).request(TEXT, asker="Ada")
    assert request.is_about(ledger, "people")
    path = request.save(tmp_path / "request.json")
    with pytest.raises(LedgerError, match="No number of checks"):
        ask(ledger, path, "1")
    ledger.allow_checks("people", 1, "Ada")
    found = ask(ledger, path, "1")
    assert found[0].chosen == ("yes",)
    assert found[0].expected_error < 1e-40
    assert "below 0.0001 %" in found[0].remarks[0]
    assert ask(ledger, request, "1").repeated
    with pytest.raises(LedgerError, match="1 of 1"):
        ask(ledger, path, "1/2")


@pytest.mark.filterwarnings("ignore:The budget of")
@pytest.mark.parametrize("field", ["value", "expected_error"])
def test_a_forged_yes_is_refuted(tmp_path: Path, ledger: synth.Ledger, field: str) -> None:
    """`verify` reads the answer and its probability off the certificate again. At epsilon
    0.02 and a tolerance of 100 rows, the probability is exp(-2) / 2.
    """
    found = synth.ask(FRAME, DOMAIN, TEXT, epsilon="0.02", ledger=ledger, dataset="people")
    bundle = found.save(tmp_path / "a.zip")
    assert synth.verify(bundle, ledger)
    (answer,) = found.certificate.answers
    assert answer.expected_error == pytest.approx(0.0676676)
    other = "no" if found[0].chosen == ("yes",) else "yes"
    files = read_bundle(bundle)

    def forge(certificate: dict[str, Any]) -> None:
        """Turn the answer around, or make it look surer."""
        certificate["answers"][0][field] = [other] if field == "value" else 0.001

    edit_certificate(files, forge)
    rezip(tmp_path / "forged.zip", files)
    with pytest.raises(SynthError, match="do not follow from the noisy numbers"):
        synth.verify(tmp_path / "forged.zip")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"neighbors": "add-remove"}, "number of rows is public"),
        ({"person": "name", "max_rows": 2}, "number of rows is public"),
    ],
)
def test_a_share_of_a_private_number_of_rows_is_refused(
    options: dict[str, str | int], why: str
) -> None:
    """A count may be compared even so."""
    frame = FRAME.assign(name=[f"p{n // 2}" for n in range(len(FRAME))])
    for text in (TEXT, "close to 600 within 100: count where sex = f"):
        if "count" in text:
            found = synth.ask(frame, DOMAIN, text, epsilon=1, ledger=False, **options)
            assert found[0].chosen == ("yes",)
        else:
            with pytest.raises(SynthError, match=why):
                synth.ask(frame, DOMAIN, text, epsilon=1, ledger=False, **options)


@pytest.mark.parametrize("kind", ["mean age", "total age", "median age", "table sex"])
def test_other_figures_are_refused(kind: str) -> None:
    with pytest.raises(SynthError, match="compares a count or a share"):
        synth.ask(FRAME, DOMAIN, f"close to 1 within 1: {kind}", epsilon=1, ledger=False)


def test_questions_and_a_request_are_not_mixed() -> None:
    request = CheckRequest.of(TEXT, asker="Ada", release="0" * 64)
    with pytest.raises(SynthError, match="leave out questions"):
        synth.ask(FRAME, DOMAIN, ["count"], 1, request=request)  # type: ignore[call-overload]


def test_the_error_of_a_forecast_is_a_probability() -> None:
    """The least epsilon for 5 % is ln(10) / 100 for a tolerance of 100 rows: 0.0231."""
    inquiry = Inquiry.read([TEXT], synth.Domain(sex=["f", "m"]), Guarantee.pure(1))
    needed = least_epsilon(inquiry, 0.05, 1_000)
    assert needed is not None
    assert float(needed) == pytest.approx(0.0231)
    (forecast,) = inquiry.priced_at(Guarantee.pure(needed)).forecast(1_000)
    assert forecast.remarks[-1] == "an epsilon of 0.024 brings this probability to 5 %"


def test_a_probability_of_zero_does_not_hinder_the_search() -> None:
    """At rho 1 the probability of a wrong answer is too small for a float."""
    text = "close to 0.6 within 0.4: share where sex = f"
    inquiry = Inquiry.read([text], synth.Domain(sex=["f", "m"]), Guarantee.pure(1))
    needed = least_rho(inquiry, 0.05, 20_000)
    assert needed is not None
    assert 0 < needed < Fraction(1, 1000)

"""Rare parts of certificates: scores, IDs, payments before a release, and long lists."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from synth.bundle import HistogramCertificate, MarginalsCertificate, ScoreRecord
from synth.bundle.certificate_parts import ColumnDecision, IdentifierRecord, PreparationRecord
from synth.dossier.facts import Facts
from synth.dossier.html_pages import write_html
from synth.dossier.opening import MOST_ENTRIES, THE_REST, list_payments
from synth.dossier.pieces import Sheet, Statement, text_of
from synth.dossier.writing import SHEETS
from synth.privacy import Guarantee, Neighbors
from synth.verification.verified import Verified
from tests.dossier.tracing import MarkedText, list_untraced

Checked = Callable[[str], Verified]

SCORE = ScoreRecord(
    what="mean error of all pairs of columns",
    error=0.0123456,
    k_marginal=951.25,
    reach=0.0045,
    pairs=1,
    rows=150,
    noisy_distance=4711,
    sensitivity=128,
    scale=Fraction(128),
    epsilon=Fraction(1, 10),
    entry=9,
)
CHECK = PreparationRecord(
    kind="check",
    guarantee=Guarantee.of(Fraction(1, 20), Fraction(0)),
    neighbors=Neighbors.REPLACE_ONE,
    person="",
    max_rows=1,
    entry="a" * 64,
    said={},
)


@pytest.fixture
def facts(checked: Checked) -> Facts:
    """Facts of a certificate with everything that is rare."""
    certificate = checked("histogram").certificate
    assert isinstance(certificate, HistogramCertificate)
    declaration = replace(
        certificate.declaration,
        looked=True,
        preparations=(CHECK,),
        agreed=(ColumnDecision("age", "values above 90 are lost"),),
    )
    certificate = replace(
        certificate,
        scores=(SCORE,),
        identifiers=(IdentifierRecord("patient", "P-[0-9]{6}", 3),),
        declaration=declaration,
    )
    return Facts(certificate, hashlib.sha256(b"").hexdigest())


def page_of(sheet: Sheet) -> str:
    """The sheet as a page."""
    return write_html(sheet, {}).decode()


def test_rare_parts_are_on_the_sheets_and_traced(facts: Facts) -> None:
    """Scores, IDs, a paid check, a look and agreed losses are named, each with its field."""
    content = json.loads(json.dumps(facts.document))
    pages = {}
    for name, fill in SHEETS.items():
        pages[name] = page_of(fill(facts))
        assert list_untraced(pages[name], content, (facts.digest,)) == []
    layers = MarkedText(pages["nist_sp_800_226"])
    assert {"0.0123", "check", "epsilon 0.05", "yes"} <= {*layers.of("figure")}
    assert "scores.0.error" in "".join(layers.of("field"))
    protection = MarkedText(pages["data_protection"]).of("figure")
    assert {"patient", "P-[0-9]{6}", "values above 90 are lost"} <= {*protection}


def test_a_long_list_of_payments_is_cut_and_says_so(checked: Checked) -> None:
    """A sheet shows the first payments, and refers to the certificate for the others."""
    certificate = checked("model").certificate
    assert isinstance(certificate, MarginalsCertificate)
    many = certificate.mechanism.marginals * 20
    mechanism = replace(certificate.mechanism, marginals=many)
    *shown, last = list_payments(Facts(replace(certificate, mechanism=mechanism), ""))
    assert len(shown) == MOST_ENTRIES
    assert last == THE_REST
    first = shown[0]
    assert isinstance(first, Statement)
    assert text_of(first.content[0]) == many[0].what

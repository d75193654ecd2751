"""Answers that several tests make, open and tamper with."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from synth.bundle import AnswersCertificate, Asked, Certificate, describe_files, writers_of
from synth.bundle.archive import write_zip
from synth.domain import Domain
from synth.domain.building import Integer
from synth.door import Ledger
from synth.errors import ReleaseError
from synth.privacy import Guarantee
from synth.questions import Inquiry
from synth.spending import ask
from synth.util import Protection
from synth.verification import verify
from tests.ledger.ledgers import ledger_with_budget
from tests.tables import write

DOMAIN = Domain(sex=["F", "M"], age=Integer(17, 90), job=["=cook", "tailor", "clerk"])
ROWS = [
    ["FM"[i % 2], str(17 + i % 74), ("=cook", "tailor", "clerk")[i % 3]] for i in range(300)
]
QUESTIONS = (
    "count where age >= 65",
    "mean age",
    "table job",
    "top 1 job",
    "count where sex = F",
    "count where age < 30",
)


def asked_of(folder: Path, *questions: str, **options: Any) -> tuple[Asked, Ledger]:
    """Questions as they are answered, with their ledger."""
    guarantee = options.pop("guarantee", Guarantee.pure(1))
    usual = "rho=5,delta=1e-8" if guarantee.rho else "epsilon=9,delta=1e-8"
    budget = options.pop("budget", usual)
    domain = options.pop("domain", DOMAIN)
    inquiry = Inquiry.read(
        questions or QUESTIONS, domain, guarantee, dataset="staff", **options
    )
    ledger = ledger_with_budget(folder / "l.db", budget, "staff", inquiry.neighbors)
    return ask(
        inquiry, write(folder / "t.csv", list(DOMAIN.names), ROWS), ledger=ledger
    ), ledger


@cache
def cached_answers(*questions: str, **options: Any) -> Asked:
    """Answers without their ledger, made once a session; forged ones are copies."""
    with TemporaryDirectory() as folder:
        return asked_of(Path(folder), *questions, **options)[0]


def write_forged(answers: Asked, path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """Files that all say what a changed certificate says: nothing but the claims can be
    wrong.
    """
    content = json.loads(answers.certificate.to_bytes())
    change(content)
    certificate = Certificate.from_json(content)
    return write_answers(path, certificate, answers.inquiry)


def write_answers(path: Path, certificate: AnswersCertificate, inquiry: Inquiry) -> Path:
    """The files of a certificate, and of what it says was asked."""
    described = describe_files(certificate, inquiry.domain)
    files = writers_of(certificate, inquiry)
    return write_zip(
        path, files, certificate, described=described, protection=Protection(overwrite=True)
    )


def refusal_of(path: Path, ledger: Ledger | None = None) -> str:
    """What `verify` says of files that do not hold."""
    with pytest.raises(ReleaseError) as caught:
        verify(path, ledger)
    return str(caught.value)

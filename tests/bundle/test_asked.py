"""What was asked, its certificate, and the ledger that keeps its digest."""

import json
from pathlib import Path

import pytest

from synth.bundle import AnswersCertificate, Certificate
from synth.bundle.certify_answers import NEVER_SPENT
from synth.door import BUNDLED
from synth.door.ledger import chain
from synth.questions import read_answers
from tests.bundle.asked import asked_of


def test_the_certificate_says_what_the_answers_say(tmp_path: Path) -> None:
    found, _ = asked_of(tmp_path)
    certificate = found.certificate
    assert certificate.rows == 300
    assert (certificate.created, certificate.ledger_record.head) == (
        found.entry.time,
        found.head,
    )
    told = json.loads(certificate.to_bytes())
    answers = read_answers(found.inquiry.arrangement, found.noisy, found.rows)
    assert told["answers"] == [json.loads(json.dumps(one.to_json())) for one in answers]
    assert Certificate.from_json(told) == certificate
    assert isinstance(Certificate.from_json(told), AnswersCertificate)


def test_nothing_spent_is_recorded_nowhere(tmp_path: Path) -> None:
    found, ledger = asked_of(tmp_path, "count")
    certificate = found.certificate
    assert (certificate.spent, certificate.ledger_record) == (None, None)
    assert certificate.created == NEVER_SPENT
    found.write(tmp_path / "folder", ledger)
    assert len(ledger.entries()) == 0


@pytest.mark.parametrize("way", ["write", "write_archive"])
def test_the_ledger_keeps_the_digest_of_the_certificate(tmp_path: Path, way: str) -> None:
    found, ledger = asked_of(tmp_path, "mean age")
    getattr(found, way)(tmp_path / "to", ledger)
    found.write(tmp_path / "folder")
    digest = chain.digest((tmp_path / "folder" / "certificate.json").read_bytes())
    assert ledger.kept(found.entry, f"{BUNDLED}{digest}") is not None

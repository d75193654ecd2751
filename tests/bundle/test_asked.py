"""What was asked, its certificate, and the ledger that keeps its digest."""

import json
from pathlib import Path

import pytest

from synth.bundle import AnswersCertificate, Certificate
from synth.bundle.certificate_parts import NEVER_SPENT
from synth.door import BUNDLED
from synth.door.ledger import chain
from synth.questions import read_answers
from tests.bundle.asked import asked_of


def test_the_certificate_says_what_the_answers_say(tmp_path: Path) -> None:
    """The certificate has the answers that follow from its noisy numbers, and is read back
    the same.

    It has the 300 rows of the table, and the time and the last hash (head) of the ledger.
    """
    released, _ = asked_of(tmp_path)
    certificate = released.certificate
    assert certificate.rows == 300
    assert (certificate.created, certificate.ledger_record.head) == (
        released.entry.time,
        released.head,
    )

    content = json.loads(certificate.to_bytes())
    answers = read_answers(released.inquiry.arrangement, released.noisy, released.rows)
    assert content["answers"] == [
        json.loads(json.dumps(answer.to_json())) for answer in answers
    ]

    assert Certificate.from_json(content) == certificate
    assert isinstance(Certificate.from_json(content), AnswersCertificate)


def test_nothing_spent_is_recorded_nowhere(tmp_path: Path) -> None:
    """A public count costs nothing: no entry in the ledger, and no time in the
    certificate.
    """
    answers, ledger = asked_of(tmp_path, "count")
    certificate = answers.certificate
    assert (certificate.spent, certificate.ledger_record) == (None, None)
    assert certificate.created == NEVER_SPENT

    answers.write(tmp_path / "folder", ledger)
    assert len(ledger.entries()) == 0


@pytest.mark.parametrize("way", ["write", "write_archive"])
def test_the_ledger_keeps_the_digest_of_the_certificate(tmp_path: Path, way: str) -> None:
    """By the digest the ledger knows later whether a certificate is the one it paid for."""
    answers, ledger = asked_of(tmp_path, "mean age")
    getattr(answers, way)(tmp_path / "to", ledger)
    answers.write(tmp_path / "folder")
    digest = chain.digest((tmp_path / "folder" / "certificate.json").read_bytes())
    assert ledger.kept(answers.entry, f"{BUNDLED}{digest}") is not None

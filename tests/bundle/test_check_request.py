"""The file of a request to check a figure: what it holds, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import CheckRequest, load_check_request, read_check_request
from synth.errors import ReleaseError, SynthError

TEXT = "close to 0.42 within 0.05: share where age >= 65"
DIGEST = "ab" * 32


def made(**changes: Any) -> bytes:
    """The file of a request, with other fields, or without those that are None."""
    request = CheckRequest.of(TEXT, asker=" Ada  Lovelace ", release=DIGEST)
    document = json.loads(request.to_bytes()) | changes
    return json.dumps({k: v for k, v in document.items() if v is not None}).encode()


def test_a_request_is_read_as_it_was_written(tmp_path: Path) -> None:
    """The asker's name has one spelling. The file is not replaced by another one."""
    request = CheckRequest.of(TEXT, asker=" Ada  Lovelace ", release=DIGEST)
    assert request.asker == "Ada Lovelace"
    assert json.loads(request.to_bytes()) == {
        "format": "synth-request-1",
        "question": "share where age >= 65",
        "figure": "0.42",
        "within": "0.05",
        "asker": "Ada Lovelace",
        "release": DIGEST,
    }
    path = request.save(tmp_path / "r.json")
    assert load_check_request(path) == request
    other = CheckRequest.of(TEXT, asker="Grace", release=DIGEST)
    with pytest.raises(ReleaseError):
        other.save(path)
    other.save(path, overwrite=True)
    assert load_check_request(path).asker == "Grace"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[]", "is no request of the form"),
        (b"\xff", "request"),
        (made(format="synth-request-2"), "is no request of the form"),
        (made(extra="x"), "a part that this version of Synth does not know"),
        (made(asker=None), "or lacks one"),
        (made(figure=0.42), "or lacks one"),
        (made(figure="1.5"), "from 0 to 1"),
        (made(figure="0.1234567"), "at most 6 digits"),
        (made(within="0"), "is above 0"),
        (made(within="1 within 2"), "Write the figure, the tolerance and the question"),
        (made(question="mean age"), "compares a count or a share"),
        (made(question="share"), "needs a condition"),
        (made(release="xyz"), "SHA-256"),
        (made(asker=""), "An asker needs a name"),
    ],
)
def test_a_wrong_request_is_refused_in_a_sentence(content: bytes, why: str) -> None:
    with pytest.raises(SynthError, match=why):
        read_check_request(content)


def test_a_request_needs_a_claimed_figure() -> None:
    with pytest.raises(SynthError, match="about a claimed figure"):
        CheckRequest.of("share where age >= 65", asker="Ada", release=DIGEST)

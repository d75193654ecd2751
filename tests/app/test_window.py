"""The proof of a window's own server."""

from typing import Any

import pytest

from pages.ui.shell.window import Window
from synth.util import PROOF_PATH, is_proved, keep_secret
from tests.app.loops import await_result


def answer_request(path: str, question: bytes) -> tuple[int, str]:
    """The status and body of a request; the app behind says 204 and nothing."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    scope = {"type": "http", "path": path, "query_string": question, "headers": []}
    await_result(Window(app)(scope, None, send))
    return sent[0]["status"], sent[1]["body"].decode()


@pytest.fixture(autouse=True)
def no_secret() -> Any:
    yield
    keep_secret(b"")


def test_a_server_proves_that_it_has_the_secret() -> None:
    """A server answers a question with a proof that it has the secret of its window.

    The proof fits only that question and that secret.
    """
    keep_secret(b"secret")
    status, proof = answer_request(PROOF_PATH, b"0123")
    assert status == 200

    assert is_proved(b"secret", "0123", proof)
    assert not is_proved(b"secret", "0124", proof)
    assert not is_proved(b"other", "0123", proof)


def test_a_server_without_a_window_proves_nothing() -> None:
    assert answer_request(PROOF_PATH, b"0123")[0] == 404


def test_a_question_is_short() -> None:
    keep_secret(b"secret")
    assert answer_request(PROOF_PATH, b"0" * 10_000)[0] == 404


def test_other_paths_are_the_apps() -> None:
    keep_secret(b"secret")
    assert answer_request("/", b"")[0] == 204

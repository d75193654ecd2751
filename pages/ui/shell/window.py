"""The answer to a window that asks whether this server is its own.

`synth desktop` shows a page only after its server has answered by the secret of the two
(`synth.util.proof`). A server without a window has no secret and serves no such path.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from pages.ui.shell.hosts import Scope, Send, refuse
from synth.util import PROOF_PATH, prove

NO_WINDOW = "Synth does not serve this.\n"
# Most characters of a question.
_MAX_QUESTION_LENGTH = 200


class Window:
    """Answers the questions of this server's window, and passes on all other requests."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """Answer a question of the window by the proof that this server has its secret.

        Other requests are passed on. The arguments are those of an ASGI application.
        """
        if scope["type"] != "http" or scope["path"] != PROOF_PATH:
            await self.app(scope, receive, send)
            return
        question = scope.get("query_string", b"").decode("latin-1")
        answer = prove(question) if len(question) <= _MAX_QUESTION_LENGTH else ""
        # `refuse` sends any status with a text. Without a secret the proof is empty: 404.
        await refuse(send, 200 if answer else 404, answer or NO_WINDOW)

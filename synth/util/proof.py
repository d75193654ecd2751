"""A proof that a server is the one that a window started: a secret that only the two know.

The window asks with a new random question each time. The answer is a digest of the question
under the secret, so a listener learns nothing that answers the next one. PUBLIC.

>>> keep_secret(b"secret")
>>> is_proved(b"secret", "0001", prove("0001"))
True
>>> keep_secret(b"")
>>> prove("0001")
''
"""

import hmac

# The path at which the app's server answers such a question.
PROOF_PATH = "/_synth/proof"

_SECRETS: dict[str, bytes] = {}


def keep_secret(secret: bytes) -> None:
    """Keep the secret of this server's window; an empty one is none."""
    _SECRETS["window"] = secret


def prove(question: str) -> str:
    """Return the answer to a question; empty if this server has no window."""
    secret = _SECRETS.get("window", b"")
    return _digest(secret, question) if secret else ""


def is_proved(secret: bytes, question: str, answer: str) -> bool:
    """Return whether an answer comes from a server with this secret."""
    return hmac.compare_digest(_digest(secret, question).encode(), answer.encode())


def _digest(secret: bytes, question: str) -> str:
    return hmac.new(secret, question.encode(), "sha256").hexdigest()

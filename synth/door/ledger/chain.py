"""The ledger's entries as a chain: every edit shows.

Each event carries two links. Its *hash* covers the public part of the event and the hash
before. Anybody can check it, and the certificate of a release quotes it. Its *seal* covers
the hash, the keyed fingerprints and the seal before. Without the ledger's key nobody can
write a chain that passes. The last seal is sealed once more with the number of events, so
cutting off the end shows too.

>>> first = link(None, time="2026-01-01", kind="budget", dataset="survey", content={"a": "1"})
>>> second = link(first, time="2026-01-02", kind="spend", dataset="survey", content={})
>>> find_edit([first, second]), find_edit([replace(first, dataset="other"), second])
(None, 1)
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import cast

from synth.util import Document, Json

# The link before the first event.
START = "0" * 64


@dataclass(frozen=True, kw_only=True)
class Event:
    """One line of the ledger. ``mark`` (fingerprint and request) is keyed and never
    exported.
    """

    number: int
    time: str
    kind: str
    dataset: str
    content: Document
    hash: str
    mark: str = ""
    seal: str = ""

    def public(self) -> Document:
        return {k: v for k, v in asdict(self).items() if k not in ("mark", "seal")}


class Checked:
    def __init__(self, events: Sequence[Event] = ()) -> None:
        self.events: list[Event] = []
        self._kept: dict[int, dict[str, Event]] = {}
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Add the next event; of two values for one part the first one counts."""
        self.events.append(event)
        if event.kind == "kept":
            spend, part = (
                cast("int", event.content["spend"]),
                cast("str", event.content["part"]),
            )
            self._kept.setdefault(spend, {}).setdefault(part, event)

    def stored_parts(self, spend: int) -> dict[str, Event]:
        return dict(self._kept.get(spend, {}))


def link(
    before: Event | None, *, time: str, kind: str, dataset: str, content: Document
) -> Event:
    number = 1 if before is None else before.number + 1
    event = Event(
        number=number, time=time, kind=kind, dataset=dataset, content=content, hash=""
    )
    return replace(event, hash=_hash(START if before is None else before.hash, event))


def seal(before: Event | None, event: Event, key: bytes) -> str:
    return _sign(
        key, "event", START if before is None else before.seal, event.hash, event.mark
    )


def seal_end(last: Event | None, key: bytes) -> str:
    number, link_before = (0, START) if last is None else (last.number, last.seal)
    return _sign(key, "end", str(number), link_before)


def find_edit(events: Sequence[Event], key: bytes | None = None) -> int | None:
    """Return the number of the first event that was edited; without the key by the hashes
    only.
    """
    before: Event | None = None
    for event in events:
        if not is_linked(before, event, key):
            return 1 if before is None else before.number + 1
        before = event
    return None


def is_linked(before: Event | None, event: Event, key: bytes | None = None) -> bool:
    number, link_before = (0, START) if before is None else (before.number, before.hash)
    if event.number != number + 1 or event.hash != _hash(link_before, event):
        return False
    if key is None:
        return True
    return hmac.compare_digest(event.seal.encode(), seal(before, event, key).encode())


def mark(key: bytes, *parts: str) -> str:
    """Return a keyed digest; without the key nobody can read or test it."""
    return _sign(key, "mark", *parts)[:32]


def digest(payload: bytes | str) -> str:
    content = payload.encode() if isinstance(payload, str) else payload
    return hashlib.sha256(content).hexdigest()


def canonical(content: Json) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _hash(before: str, event: Event) -> str:
    shown: Json = [before, event.number, event.time, event.kind, event.dataset, event.content]
    return digest(canonical(shown))


def _sign(key: bytes, *parts: str) -> str:
    return hmac.new(key, canonical(parts).encode(), "sha256").hexdigest()

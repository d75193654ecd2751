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
# Kind of the event that sets a dataset, or the whole ledger, to two persons, or ends that.
PERSONS = "persons"
# Kind of the event that reserves a part of a dataset's budget, or ends that.
RESERVATION = "reservation"
# In place of a dataset's name: all datasets of the ledger, also those to come.
WHOLE_LEDGER = "*"
# Kinds of events about the persons of a ledger, perhaps of the whole of it.
_OF_PERSONS = frozenset((PERSONS, "request", "approval", "rejection", "kept"))


@dataclass(frozen=True, kw_only=True)
class Event:
    """One line of the ledger.

    Attributes:
        number: Its place in the chain, from 1 up.
        time: When it was written, in UTC and ISO 8601.
        kind: What happened: "budget", "spend", "refusal", "kept", "look" or "checks"; with
            two persons also "persons", "request", "approval", "rejection" or "vouch"; of a
            project "reservation".
        dataset: The dataset's name as it was typed.
        content: The record of this kind, as JSON.
        hash: Digest of the public part of the event and of the hash before.
        mark: Keyed digests of the tables and the request; never exported.
        seal: Keyed digest of the hash, the mark and the seal before; never exported.
    """

    number: int
    time: str
    kind: str
    dataset: str
    content: Document
    hash: str
    mark: str = ""
    seal: str = ""

    @property
    def is_about_whole(self) -> bool:
        """Whether it is about two persons of the whole ledger, and no dataset's."""
        return self.dataset == WHOLE_LEDGER and self.kind in _OF_PERSONS

    def public(self) -> Document:
        """Return the fields that may be exported, as JSON: all but the mark and the seal."""
        fields = asdict(self)
        del fields["mark"], fields["seal"]
        return fields


class CheckedEvents:
    """Events whose links were checked, and the stored values of each spend.

    Attributes:
        events: All events, oldest first.
    """

    def __init__(self, events: Sequence[Event] = ()) -> None:
        """Take the events, oldest first, and index the stored values of each spend."""
        self.events: list[Event] = []
        self._kept: dict[int, dict[str, Event]] = {}
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Add the next event of the chain, whose links the caller has checked.

        Of two events that store a value of one spend under one name, the first one counts.
        """
        self.events.append(event)
        if event.kind == "kept":  # it stores a value, such as noisy counts
            spend = cast("int", event.content["spend"])
            part = cast("str", event.content["part"])
            self._kept.setdefault(spend, {}).setdefault(part, event)

    def stored_parts(self, spend: int) -> dict[str, Event]:
        """Return the events that store values of a spend, by the name of each value.

        ``spend`` is the number of the event that records the spend.
        """
        return dict(self._kept.get(spend, {}))


def link(
    before: Event | None, *, time: str, kind: str, dataset: str, content: Document
) -> Event:
    """Return the next event of a chain, with its hash; its mark and seal are still empty.

    Args:
        before: The event before it; None for the first one.
        time: When it is written, in UTC and ISO 8601.
        kind: What happened, such as "spend".
        dataset: The dataset's name as it was typed.
        content: The record, as JSON.
    """
    number = 1 if before is None else before.number + 1
    event = Event(
        number=number, time=time, kind=kind, dataset=dataset, content=content, hash=""
    )
    return replace(event, hash=_hash(START if before is None else before.hash, event))


def seal(before: Event | None, event: Event, key: bytes) -> str:
    """Return an event's seal: a keyed digest of its hash, its mark and the seal before.

    ``before`` is the event before it, None for the first one; ``key`` is the ledger's secret
    key.
    """
    return _sign(
        key, "event", START if before is None else before.seal, event.hash, event.mark
    )


def seal_end(last: Event | None, key: bytes) -> str:
    """Return the seal of the chain's end, by which a chain that was cut short is detected.

    It is a keyed digest of the last event's number and seal. ``last`` is None for an empty
    chain; ``key`` is the ledger's secret key.
    """
    if last is None:
        return _sign(key, "end", "0", START)
    return _sign(key, "end", str(last.number), last.seal)


def find_edit(events: Sequence[Event], key: bytes | None = None) -> int | None:
    """Return the number, from 1 up, of the first event that was edited; None if all are well.

    Args:
        events: All events of the chain, oldest first.
        key: The ledger's secret key; without it only hashes are checked, which anybody could
            compute anew, and no seals.
    """
    before: Event | None = None
    for event in events:
        if not is_linked(before, event, key):
            return 1 if before is None else before.number + 1
        before = event
    return None


def is_linked(before: Event | None, event: Event, key: bytes | None = None) -> bool:
    """Return whether an event continues the chain: by its number, its hash and its seal.

    ``before`` is the event before it, None for the first one. Without the ledger's secret
    key the seal is not checked.
    """
    number_before = 0 if before is None else before.number
    hash_before = START if before is None else before.hash
    if event.number != number_before + 1 or event.hash != _hash(hash_before, event):
        return False
    if key is None:
        return True
    # As bytes: an edited seal may be any text, and only ASCII texts can be compared so.
    return hmac.compare_digest(event.seal.encode(), seal(before, event, key).encode())


def mark(key: bytes, *parts: str) -> str:
    """Return a keyed digest; without the key nobody can read or test it."""
    return _sign(key, "mark", *parts)[:32]


def digest(payload: bytes | str) -> str:
    """Return the SHA-256 of bytes or of a text, as 64 hex digits."""
    content = payload.encode() if isinstance(payload, str) else payload
    return hashlib.sha256(content).hexdigest()


def canonical(content: Json) -> str:
    """Return JSON as the one text that is hashed: sorted keys, no blanks, ASCII."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _hash(hash_before: str, event: Event) -> str:
    """Return an event's hash: the digest of its public fields and of the hash before it.

    The event's own hash, mark and seal are not covered.
    """
    public_part: Json = [
        hash_before,
        event.number,
        event.time,
        event.kind,
        event.dataset,
        event.content,
    ]
    return digest(canonical(public_part))


def _sign(key: bytes, *parts: str) -> str:
    """Return the HMAC of some texts under a key; the first text says what it is used for."""
    return hmac.new(key, canonical(parts).encode(), "sha256").hexdigest()

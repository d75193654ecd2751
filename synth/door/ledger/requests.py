"""Requests that wait for a second person, and the decisions about them. PUBLIC.

A request is a line of the ledger with the one who asks, and a keyed digest of the exact
request. An approval or a rejection is another line, by another person, with the hash of the
request's line. A spend names the approval that allowed it, so no approval is used twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from synth.door.ledger.chain import Event
from synth.privacy import Guarantee, from_terms
from synth.util import Document

# Kinds of the events.
REQUEST = "request"
APPROVAL = "approval"
REJECTION = "rejection"
# Part name of the second person's view of a request, stored under its event.
DOSSIER = "request"

# States of a request.
WAITING = "waiting"
APPROVED = "approved"
REJECTED = "refused"
USED = "used"


@dataclass(frozen=True, kw_only=True)
class Request:
    """Something that one person asks for, and another one decides.

    Attributes:
        number: The number of its line in the ledger.
        time: When it was asked for, in UTC and ISO 8601.
        dataset: The name of the dataset; `WHOLE_LEDGER` if it is about the whole ledger.
        by: Who asks.
        purpose: The purpose, in words.
        digest: A keyed digest of the exact request.
        hash: The hash of its line, which an approval quotes.
        setting: The number of the setting under which it was asked for.
        guarantee: The cost; None if it costs nothing.
        vouches: Whether it vouches that values taken from the rows are public.
        project: The project whose budget pays; empty for none.
        state: `WAITING`, `APPROVED`, `REJECTED` or `USED`.
        decided_by: Who approved or refused it last; empty as long as it waits.
        decision: The number of that line; 0 as long as it waits.
        reason: Why it was refused; else empty.
    """

    number: int
    time: str
    dataset: str
    by: str
    purpose: str
    digest: str
    hash: str
    setting: int
    guarantee: Guarantee | None = None
    vouches: bool = False
    project: str = ""
    state: str = WAITING
    decided_by: str = ""
    decision: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Authority:
    """The two persons who agreed to an entry of the ledger.

    Attributes:
        request: The number of the line of the request.
        approval: The number of the line of the approval.
        by: Who asked.
        approved_by: Who approved.
    """

    request: int
    approval: int
    by: str
    approved_by: str

    def to_json(self) -> Document:
        """Return the fields that an entry of the ledger gets."""
        return {
            "request": self.request,
            "approval": self.approval,
            "by": self.by,
            "approved_by": self.approved_by,
        }


def read_requests(events: Iterable[Event]) -> dict[int, Request]:
    """Return all requests by their numbers, each with the last decision.

    Args:
        events: All events of the ledger, oldest first.
    """
    requests: dict[int, Request] = {}
    for event in events:
        number = event.content.get("request")
        if event.kind == REQUEST:
            requests[event.number] = _read_request(event)
        elif isinstance(number, int) and number in requests:
            requests[number] = _decide(requests[number], event)
    return requests


def _read_request(event: Event) -> Request:
    content = event.content
    guarantee = cast("dict[str, str] | None", content.get("guarantee"))
    return Request(
        number=event.number,
        time=event.time,
        dataset=event.dataset,
        by=cast("str", content["by"]),
        purpose=cast("str", content["purpose"]),
        digest=cast("str", content["digest"]),
        hash=event.hash,
        setting=cast("int", content["setting"]),
        guarantee=None if guarantee is None else from_terms(guarantee),
        vouches=content.get("vouches") is True,
        project=cast("str", content.get("project", "")),
    )


def _decide(request: Request, event: Event) -> Request:
    """Return a request after an event that names it."""
    if event.kind not in (APPROVAL, REJECTION):
        return replace(request, state=USED)
    return replace(
        request,
        state=APPROVED if event.kind == APPROVAL else REJECTED,
        decided_by=cast("str", event.content["by"]),
        decision=event.number,
        reason=cast("str", event.content.get("reason", "")),
    )

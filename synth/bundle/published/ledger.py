"""The schemas of an exported ledger: as one object, and as lines. PUBLIC."""

from synth.bundle.published.forms import (
    HASH,
    Fields,
    constant,
    digest,
    document,
    listing,
    or_null,
    record,
    refer,
    text,
    texts,
    truth,
    whole,
)
from synth.bundle.published.shared import COST, NEIGHBORS
from synth.util import Document, Json

_BY = text("Who did it; absent if unknown.", minLength=1)
_PERSON = text("A person of the ledger.", minLength=1)
_REQUEST_NUMBER = whole("The number of the request.", minimum=1)
# What a spend, and the request for it, say of its project and of values from the rows.
_PAYING: Fields = {
    "project": text("The project whose reserved budget pays; absent if none.", minLength=1),
    "vouches": truth(
        "True if it vouches that values from the rows are public; absent if not."
    ),
}
# What the line of an entry says that needed two persons.
_TWO: Fields = {
    "request": whole("The number of the request; absent if none was needed.", minimum=1),
    "approval": whole("The number of the approval; absent if none was needed.", minimum=1),
    "approved_by": text("The second person; absent if none was needed.", minLength=1),
}
_SPEND: Document = record(
    "A purchase and its cost.",
    {
        "guarantee": refer("The cost.", "cost"),
        "neighbors": NEIGHBORS,
        "purpose": text("The purchase, in words."),
    },
    {
        "person": text(
            "The column that identifies the person; absent if each row is a person.",
            minLength=1,
        ),
        "by": _BY,
        **_PAYING,
        **_TWO,
        "asker": text(
            "Who has claimed figures compared with the real ones; absent if nobody is named.",
            minLength=1,
        ),
        "checks": whole(
            "The number of claimed figures that are compared; absent without an asker.",
            minimum=0,
        ),
    },
)
_BUDGET: Document = record(
    "A budget that was set, or changed.",
    {
        "budget": refer("The budget: the most that all spends may cost together.", "cost"),
        "neighbors": NEIGHBORS,
        "delta": or_null(
            text("The delta at which a budget in rho is stated as an epsilon."),
            "Null for a budget in epsilon.",
        ),
    },
    {
        "reason": text(
            "Why it was changed; absent for the first budget of a dataset.", minLength=1
        ),
        "by": _BY,
        "spellings": texts(
            "Other spellings of the dataset's name, whose budgets it replaces; absent if "
            "there is none.",
            minItems=1,
        ),
    },
)
_KEPT: Document = record(
    "A value that was released under a spend, or belongs to another event, and is stored.",
    {
        "spend": whole(
            "The number of the spend that paid for it, or of the request or setting that it "
            "belongs to.",
            minimum=1,
        ),
        "part": text("The name of the value within the spend."),
        "sha256": digest("The SHA-256 of the value."),
    },
)
_LOOK: Document = record("A look at exact shares of a table's rows.", {}, {"by": _BY, **_TWO})
_VOUCH: Document = record(
    "Somebody vouched, after the release, that values taken from the rows are public.",
    {"spend": whole("The number of the spend.", minimum=1), "by": _PERSON, **_TWO},
)
_PERSONS: Document = record(
    "Two of these persons must agree to each spend; if there are none, one is enough.",
    {"names": texts("The persons; empty if the setting ends.")},
    {
        "signed_in": texts(
            "The persons who sign in at the server; absent if none do.", minItems=1
        ),
        "by": _BY,
        **_TWO,
    },
)
_ASKED: Document = record(
    "A request that waits for a second person.",
    {
        "by": _PERSON,
        "purpose": text("The purpose, in words."),
        "digest": text("A keyed digest of the exact request."),
        "setting": whole("The number of the setting that asks for two persons.", minimum=1),
    },
    {
        "guarantee": refer("The cost; absent if it costs nothing.", "cost"),
        **_PAYING,
    },
)
_DECISION: Fields = {
    "request": _REQUEST_NUMBER,
    "hash": digest("The hash of the request."),
    "by": _PERSON,
}
_APPROVAL: Document = record("A second person's approval of a request.", _DECISION)
_REJECTION: Document = record(
    "A second person's refusal of a request.",
    {**_DECISION, "reason": text("Why it was refused.", minLength=1)},
)
_RESERVATION: Document = record(
    "A part of the budget that only one project may spend.",
    {
        "project": text("The project.", minLength=1),
        "amount": text("The epsilon or rho that is reserved, exact; 0 for nothing."),
    },
    {"delta": text("The delta that is reserved, exact; absent if none."), "by": _BY, **_TWO},
)
_CHECKS: Document = record(
    "The number of claimed figures that an asker may have compared with the real ones.",
    {"limit": whole("The number, with those so far.", minimum=0)},
    {
        "asker": text(
            "The name of the asker; absent for each asker without a number of their own.",
            minLength=1,
        ),
        "by": _BY,
    },
)

# What the content of each kind of event is, with a sentence on the kind.
_KINDS: dict[str, tuple[str, Document]] = {
    "budget": ("A budget was set.", _BUDGET),
    "spend": ("A spend was recorded, before its noise was drawn.", _SPEND),
    "refusal": ("A spend was refused, because it exceeded the budget.", _SPEND),
    "kept": ("A released value was stored.", _KEPT),
    "checks": ("A number of checks was declared for an asker.", _CHECKS),
    "look": ("Somebody looked at exact shares of rows.", _LOOK),
    "persons": ("Two persons were asked for, or no longer.", _PERSONS),
    "request": ("Somebody asked a second person.", _ASKED),
    "approval": ("A second person approved a request.", _APPROVAL),
    "rejection": ("A second person refused a request.", _REJECTION),
    "vouch": ("Somebody vouched for values after the release.", _VOUCH),
    "reservation": ("A part of a budget was reserved for a project.", _RESERVATION),
}
# What only a line says.
_OF_LINE: Fields = {
    "before": digest("The hash of the event before; 64 zeros for the first one."),
}
_REQUEST = text(
    "A keyed digest of the request: equal digests are one request. Absent if the ledger does "
    "not recognise the table.",
    pattern="^[0-9a-f]{32}$",
)


def _event(kind: str, *, is_line: bool) -> Document:
    """Return the schema of an event of a kind, in one object or as a line."""
    about, content = _KINDS[kind]
    fields: Fields = {
        "number": whole("Its place in the chain, from 1 up.", minimum=1),
        "time": text(
            "When it was written, in UTC and ISO 8601.",
            pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}",
        ),
        "kind": constant(about, kind),
        "dataset": text(
            "The name of the dataset as it was typed; * in events about two persons of the "
            "whole ledger.",
            minLength=1,
        ),
        "content": content,
        "hash": digest("The SHA-256 of the public part of the event and of the hash before."),
    }
    if is_line:
        return record(about, {**fields, **_OF_LINE}, {"request": _REQUEST})
    return record(about, fields)


def _any_event(*, is_line: bool) -> Document:
    events: list[Json] = [_event(kind, is_line=is_line) for kind in _KINDS]
    return {"description": "An event of the ledger.", "type": "object", "oneOf": events}


def ledger_schema() -> Document:
    """Return the schema of an exported ledger as one object.

    It is for auditors, and Synth does not read it. A schema cannot tell whether hashes fit.
    """
    content = record(
        "The ledger.",
        {
            "format": constant("The form of the ledger.", "synth-ledger-1"),
            "head": text(
                "The hash of the last event, which identifies the whole ledger; 64 zeros if "
                "it is empty.",
                pattern=HASH,
            ),
            "events": listing("All events, oldest first.", {"$ref": "#/$defs/event"}),
        },
    )
    return document(
        title="Exported ledger",
        about=(
            "All events of a ledger: budgets, spends, refusals, stored values, looks, and "
            "what two persons asked for and decided; without the keyed digests that identify "
            "tables."
        ),
        content=content,
        definitions={"cost": COST, "event": _any_event(is_line=False)},
    )


def line_schema() -> Document:
    """Return the schema of one line of an exported ledger (`synth ledger export`)."""
    return document(
        title="Line of an exported ledger",
        about=(
            "One event of a ledger. Each line names the hash of the line before, so that a "
            "reader can check the chain."
        ),
        content=_any_event(is_line=True),
        definitions={"cost": COST},
    )

"""The origin of a declaration, and its paid drafts. PUBLIC."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from synth import limits
from synth.domain.column import refuse
from synth.domain.decisions import NO_DECISIONS, Decisions
from synth.util import Json

DECLARED = "declared"
LOOKED_UP = "taken from the private data: the guarantee does not cover the domain"
DRAFTED = "drafted from the private data under differential privacy"
# All origins, the one that owes most to the rows last.
ORIGINS = (DECLARED, DRAFTED, LOOKED_UP)


class Provenance(NamedTuple):
    """What a declaration owes to the rows.

    Attributes:
        origin: Where it comes from, in words.
        drafts: Its paid drafts.
        looked: Whether somebody saw exact numbers of rows that fit.
        vouched: Whether the steward vouches that all values taken from the rows are public.
        decisions: Columns that the steward leaves out, or lets lose values.
    """

    origin: str
    drafts: tuple[Mapping[str, Json], ...]
    looked: bool
    vouched: bool
    decisions: Decisions = NO_DECISIONS


def join_provenances(provenances: Sequence[Provenance]) -> Provenance:
    """Return the provenance of several declarations together: each time the worst.

    The worst origin counts, and all drafts do. The result is vouched for if all declarations
    of the worst origin are.

    >>> declared = Provenance(origin=DECLARED, drafts=(), looked=False, vouched=False)
    >>> taken = Provenance(origin=LOOKED_UP, drafts=(), looked=False, vouched=True)
    >>> joined = join_provenances([declared, taken])
    >>> joined.origin == LOOKED_UP, join_provenances([taken]) == taken
    (True, True)
    """
    origin = max((provenance.origin for provenance in provenances), key=ORIGINS.index)
    drafts: list[Mapping[str, Json]] = []
    left_out: dict[str, str] = {}
    agreed: dict[str, str] = {}
    for provenance in provenances:
        drafts += provenance.drafts
        left_out |= provenance.decisions.left_out
        agreed |= provenance.decisions.agreed
    return Provenance(
        origin=origin,
        drafts=tuple(drafts),
        looked=any(provenance.looked for provenance in provenances),
        vouched=all(
            provenance.vouched for provenance in provenances if provenance.origin == origin
        ),
        decisions=Decisions(left_out=left_out, agreed=agreed),
    )


def read_provenance(
    document: Mapping[str, Json],
) -> tuple[str, tuple[Mapping[str, Json], ...]]:
    """Return the origin of a Table Schema in words, and its paid drafts in order.

    Raises:
        DomainError: They are not in the form that `write_schema` writes.
    """
    origin = document.get("synth:origin", DECLARED)
    if not isinstance(origin, str) or origin not in ORIGINS:
        refuse(f"'synth:origin' must be '{LOOKED_UP}' or '{DRAFTED}', or left out.")
    entries = document.get("synth:draft", [])
    drafts: list[Mapping[str, Json]] = []
    if isinstance(entries, list):
        drafts += [entry for entry in entries if isinstance(entry, Mapping)]
    # No entry was left out, so all are objects.
    is_list_of_objects = isinstance(entries, list) and len(drafts) == len(entries)
    if not is_list_of_objects or len(drafts) > limits.DRAFTS:
        refuse(f"'synth:draft' must be a list of up to {limits.DRAFTS} drafts, or left out.")
    if origin == DRAFTED and not drafts:
        refuse("'synth:origin' says that it was drafted, but 'synth:draft' lists no draft.")
    return origin, tuple(drafts)

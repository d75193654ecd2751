"""The origin of a declaration, and its paid drafts. PUBLIC."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from synth import limits
from synth.domain.column import refuse
from synth.util import Json

DECLARED = "declared"
LOOKED_UP = "taken from the private data: the guarantee does not cover the domain"
DRAFTED = "drafted from the private data under differential privacy"
_WORSE = (DECLARED, DRAFTED, LOOKED_UP)


class Provenance(NamedTuple):
    """What a declaration owes to the rows.

    Attributes:
        origin: Where it comes from, in words.
        drafts: Its paid drafts.
        looked: Whether somebody saw exact numbers of rows that fit.
        vouched: Whether the steward vouches that all values taken from the rows are public.
    """

    origin: str
    drafts: tuple[Mapping[str, Json], ...]
    looked: bool
    vouched: bool


def join_provenances(of_tables: Sequence[Provenance]) -> Provenance:
    """Return the provenance of several declarations together: each time the worst.

    >>> declared = Provenance(DECLARED, (), False, False)
    >>> taken = Provenance(LOOKED_UP, (), False, True)
    >>> (
    ...     join_provenances([declared, taken])[0] == LOOKED_UP,
    ...     join_provenances([taken]) == taken,
    ... )
    (True, True)
    """
    origin = max((one.origin for one in of_tables), key=_WORSE.index)
    worst = [one for one in of_tables if one.origin == origin]
    return Provenance(
        origin,
        tuple(draft for one in of_tables for draft in one.drafts),
        looked=any(one.looked for one in of_tables),
        vouched=all(one.vouched for one in worst),
    )


def read_provenance(
    document: Mapping[str, Json],
) -> tuple[str, tuple[Mapping[str, Json], ...]]:
    """Return the origin of a declaration, and its paid drafts.

    Raises:
        DomainError: They are not in the form that `write_schema` writes.
    """
    origin, drafts = document.get("synth:origin", DECLARED), document.get("synth:draft", [])
    if not isinstance(origin, str) or origin not in (DECLARED, DRAFTED, LOOKED_UP):
        refuse(f"'synth:origin' must be '{LOOKED_UP}' or '{DRAFTED}', or left out.")
    listed = drafts if isinstance(drafts, list) and len(drafts) <= limits.DRAFTS else [None]
    found = tuple(one for one in listed if isinstance(one, Mapping))
    if len(found) < len(listed):
        refuse(f"'synth:draft' must be a list of up to {limits.DRAFTS} drafts, or left out.")
    if origin == DRAFTED and not found:
        refuse("'synth:origin' says that it was drafted, but 'synth:draft' lists no draft.")
    return origin, found

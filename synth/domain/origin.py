"""The origin of a declaration, and its paid drafts. PUBLIC."""

from collections.abc import Mapping

from synth import limits
from synth.domain.column import refuse
from synth.util import Json

DECLARED = "declared"
LOOKED_UP = "taken from the private data: the guarantee does not cover the domain"
DRAFTED = "drafted from the private data under differential privacy"


def provenance(document: Mapping[str, Json]) -> tuple[str, tuple[Mapping[str, Json], ...]]:
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

"""Fields of dataclasses that files leave out if they have their default. PUBLIC.

A field that a later version adds is made so. Then files of earlier versions, which lack it,
are read as before, and what is written again from them has the same bytes.

>>> from dataclasses import dataclass, fields
>>> @dataclass(frozen=True)
... class Request:
...     rows: int
...     colour: str = omitted("")
>>> [may_lack(part) for part in fields(Request)]
[False, True]
"""

from collections.abc import Mapping
from dataclasses import Field, field
from typing import Any

_MARK: Mapping[str, object] = {"left out": True}


def omitted(default: Any) -> Any:
    """Return a field of a dataclass that files leave out if it has its default."""
    return field(default=default, metadata=_MARK)


def may_lack(part: Field[Any]) -> bool:
    """Return whether files leave out a field if it has its default."""
    return part.metadata == _MARK

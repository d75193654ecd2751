"""Paid drafts and checks of the declaration before a release. PUBLIC.

As they helped to make the release, its guarantee covers all of them (`sum_preparations`).

>>> from fractions import Fraction
>>> from synth.privacy.guarantee import ROW
>>> paid = Guarantee.pure(Fraction(1, 10))
>>> check = Preparation(
...     kind="check",
...     guarantee=paid,
...     neighbors=Neighbors.REPLACE_ONE,
...     unit=ROW,
...     entry="0" * 64,
...     said={"noisy": 12},
... )
>>> Preparation.from_json(check.to_json()) == check, str(sum_preparations([check, check]))
(True, 'epsilon = 1/5')
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path
from typing import Literal, cast, get_args

from synth import limits
from synth.domain import Domain, freeze, set_field, thaw
from synth.errors import ArgumentError, SynthError
from synth.foreign import load_file
from synth.privacy import Guarantee, Neighbors, Unit, from_terms, parse_epsilon, terms
from synth.util import Document, read_json

PreparationKind = Literal["draft", "check"]

_WRONG = "This is no preparation of Synth, or one of another version."


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """A payment before a release, and its result.

    Attributes:
        kind: Draft or check.
        guarantee: The cost: an epsilon, with or without a delta.
        neighbors: The relation of the guarantee.
        unit: What the guarantee protects.
        entry: The hash of the spend's event in the ledger.
        said: The result, as JSON.

    Raises:
        ArgumentError: The kind is unknown, the entry is no hash, or the cost is a rho.
    """

    kind: PreparationKind
    guarantee: Guarantee
    neighbors: Neighbors
    unit: Unit
    entry: str
    said: Document

    def __post_init__(self) -> None:
        """Make the result immutable, and refuse values that no preparation has.

        Every preparation costs an epsilon, and ``entry`` is the hash of its spend's event.
        """
        set_field(self, "said", freeze(self.said))
        is_known_kind = self.kind in get_args(PreparationKind)
        is_hash = re.fullmatch("[0-9a-f]{64}", self.entry)
        if not is_known_kind or self.guarantee.epsilon is None or not is_hash:
            raise ArgumentError(_WRONG)

    def to_json(self) -> Document:
        """Return the preparation as JSON, which `from_json` reads."""
        return {
            "kind": self.kind,
            "guarantee": terms(self.guarantee),
            "neighbors": self.neighbors.value,
            "person": self.unit.person,
            "max_rows": self.unit.max_rows,
            "entry": self.entry,
            "said": thaw(self.said),
        }

    @classmethod
    def from_json(cls, content: Document) -> "Preparation":
        """Return the preparation that `to_json` wrote as this JSON object.

        Raises:
            ArgumentError: The object has another form.
        """
        try:
            return cls._read(content)
        except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError):
            raise ArgumentError(_WRONG) from None

    @classmethod
    def _read(cls, content: Document) -> "Preparation":
        """Read a stored preparation.

        Raises:
            ValueError: Its values can be read, but are not as `to_json` writes them.
        """
        preparation = cls(
            kind=cast("PreparationKind", content["kind"]),
            guarantee=from_terms(cast("dict[str, str]", content["guarantee"])),
            neighbors=Neighbors(cast("str", content["neighbors"])),
            unit=Unit(cast("str", content["person"]), cast("int", content["max_rows"])),
            entry=cast("str", content["entry"]),
            said=dict(cast("Document", content["said"])),
        )
        # Whatever else the object says, or says in another way, was not written by Synth.
        is_text = type(content["person"]) is str
        if not is_text or preparation.to_json() != content:
            raise ValueError
        return preparation


def drafts_of(domain: Domain) -> tuple[Preparation, ...]:
    """Return the paid drafts that a declaration of columns came from.

    Raises:
        ArgumentError: One of them cannot be read, or is no draft.
    """
    preparations = tuple(Preparation.from_json(thaw(draft)) for draft in domain.drafts)
    if any(preparation.kind != "draft" for preparation in preparations):
        raise ArgumentError(_WRONG)
    return preparations


def sum_preparations(preparations: Iterable[Preparation]) -> Guarantee | None:
    """Return their cost, if any, by basic composition."""
    costs = [preparation.guarantee for preparation in preparations]
    return reduce(add, costs) if costs else None


def read_check(text: str) -> Fraction | Preparation:
    """Read the option for a check: an epsilon for a new one, or the path of an earlier one.

    A check is a paid noisy count of the rows that fit the declaration.

    Raises:
        SynthError: The text is neither, or the file is no check.
    """
    try:
        return parse_epsilon(text)
    except SynthError:  # no epsilon; that error stays unless there is such a file
        if not Path(text).is_file():
            raise
    payload = load_file(Path(text), limits.SCHEMA_MB * 2**20, "The check", kind=ArgumentError)
    content = read_json(payload, f"The check '{Path(text).name}'")
    preparation = Preparation.from_json(content if isinstance(content, dict) else {})
    if preparation.kind != "check":
        raise ArgumentError(_WRONG)
    return preparation

"""Which columns a steward leaves out, and which may lose values. PUBLIC.

A declaration names such columns itself, so their names are public by the steward's word.

>>> decided = Decisions(left_out={"id": "is a key"}, agreed={"town": "rare ones are joined"})
>>> decided.left_out_sentence
"Left out: 'id' (is a key)."
>>> decided.agreed_sentence
"The steward agreed to what columns lose: of 'town', rare ones are joined."
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from synth import limits
from synth.domain.column import refuse, refuse_long
from synth.domain.frozen import FrozenMap, freeze_fields
from synth.util import Document, Json

LEFT_OUT_KEY = "synth:left_out"
AGREED_KEY = "synth:agreed"
# Reasons why a column is left out, where the declaration gives no other.
UNDECIDED = "was to decide, and nobody decided"
NOT_CHOSEN = "was not chosen"
# The reason for a column that the steward gave up for the relations between the others.
FOR_RELATIONS = "was left out so that the other columns keep their relations"


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """Columns that a declaration leaves out, and columns that lose values with consent.

    Attributes:
        left_out: Why a column is left out, by its name.
        agreed: What becomes of the values that a column loses, by its name.
    """

    left_out: Mapping[str, str] = field(default_factory=FrozenMap)
    agreed: Mapping[str, str] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        """Make the mappings immutable; DomainError if they or their texts are too long."""
        freeze_fields(self)
        for texts in (self.left_out, self.agreed):
            if len(texts) > limits.FIELDS:
                refuse(f"The declaration decides about over {limits.FIELDS:,} columns.")
            refuse_long("The name of a column", texts, limits.NAME_LENGTH)
            refuse_long("A decision about a column", texts.values(), limits.LABEL_LENGTH)

    @property
    def left_out_sentence(self) -> str:
        """The left-out columns, each with its reason; empty if there are none."""
        reasons = "; ".join(f"'{name}' ({why})" for name, why in self.left_out.items())
        return f"Left out: {reasons}." if reasons else ""

    @property
    def agreed_sentence(self) -> str:
        """What the steward agreed to lose, by column; empty for nothing."""
        fates = "; ".join(f"of '{name}', {fate}" for name, fate in self.agreed.items())
        return f"The steward agreed to what columns lose: {fates}." if fates else ""

    def leave_out(self, reasons: Mapping[str, str]) -> Decisions:
        """Return the decisions with more left-out columns; earlier reasons stay.

        Args:
            reasons: Why a column is left out, by its name.
        """
        return Decisions(left_out={**reasons, **self.left_out}, agreed=self.agreed)

    def restrict(self, names: Collection[str]) -> Decisions:
        """Return the decisions that concern a table of some columns.

        A column of the table is not left out, and only its columns lose values.

        Args:
            names: The names of the table's columns.
        """
        left_out = {name: why for name, why in self.left_out.items() if name not in names}
        agreed = {name: fate for name, fate in self.agreed.items() if name in names}
        return Decisions(left_out=left_out, agreed=agreed)

    def write(self) -> Document:
        """Return the entries of a Table Schema; none for an empty decision."""
        entries: Document = {}
        if self.left_out:
            entries[LEFT_OUT_KEY] = dict(self.left_out)
        if self.agreed:
            entries[AGREED_KEY] = dict(self.agreed)
        return entries


NO_DECISIONS = Decisions()


def read_decisions(document: Mapping[str, Json]) -> Decisions:
    """Return the decisions of a Table Schema.

    Raises:
        DomainError: They are not in the form that `Decisions.write` writes.
    """
    return Decisions(
        left_out=_read_texts(document, LEFT_OUT_KEY), agreed=_read_texts(document, AGREED_KEY)
    )


def _read_texts(document: Mapping[str, Json], key: str) -> dict[str, str]:
    """Return the texts by name under a key, none if it is absent."""
    texts = document.get(key, {})
    if not isinstance(texts, Mapping):
        refuse(f"'{key}' must give a reason for each column by its name, or be left out.")
    result = {}
    for name, text in texts.items():
        if not isinstance(text, str):
            refuse(f"'{key}' must give a text for the column '{name}'.")
        result[str(name)] = " ".join(text.split())
    return result

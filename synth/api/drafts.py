"""``synth.Draft``: a drafted domain, with notes for the steward."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from synth.api.declaring import DraftedDomain
from synth.domain import Domain, finish
from synth.drafting import DraftColumn, Proposal, choose_proposals, take_proposals
from synth.errors import DomainError
from synth.util import Document, Json


@dataclass(frozen=True, eq=False, repr=False)
class Draft(DraftedDomain):
    """A draft of the domain, and notes on what to review.

    Functions take it in place of a domain: its complete columns then take part, and the
    certificate says that the domain comes from a draft.

    Attributes:
        document: The Table Schema of the columns that take part, complete or not.
        notes: Sentences on what the draft leaves out, leaves to you, or changes.
        columns: All columns; PRIVATE in a quick draft.
        proposals: Relations that all rows obey, which a quick draft offers; PRIVATE until
            `obey` takes them in.
        taken: The relations that were taken in.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"id": range(600), "sex": ["f", "m"] * 300})
    >>> found = synth.draft(frame)
    >>> found.notes[0].startswith("Left out as identifiers: 'id'")
    True
    >>> found.domain.names, len(found.columns), found.open
    (('sex',), 2, ())
    """

    document: Document
    notes: tuple[str, ...]
    columns: tuple[DraftColumn, ...]
    proposals: tuple[Proposal, ...] = ()
    taken: tuple[Proposal, ...] = ()

    @property
    def domain(self) -> Domain:
        """Return the domain of the complete columns; it says that it comes from a draft.

        Raises:
            DomainError: No column is complete.
        """
        fields = [column.field for column in self._complete]
        if not fields:
            raise DomainError(
                "The draft describes no column to the end, as its notes say; declare the "
                "columns yourself, as in synth.Domain."
            )
        document: Document = {**self.document, "fields": cast("Json", fields)}
        return finish(take_proposals(self.taken, document, None).document)

    @property
    def rules(self) -> Document:
        """Return the rules that were taken in, as JSON of rules; empty without any.

        `synth.release` obeys them if the draft is its domain and it has no other rules.
        """
        return take_proposals(self.taken, {"fields": []}, None).rules

    def obey(self, *names: str) -> Draft:
        """Return the draft with relations taken in that all rows obey.

        They are marked as taken from the rows, as no guarantee covers them: take in what is
        public knowledge about any such table. Synthetic rows then obey them.

        Args:
            names: Names of proposals; by default all, of those in conflict the first.

        Raises:
            ArgumentError: There is no proposal of a name, or two exclude each other.

        >>> import pandas as pd, synth
        >>> towns = [number % 20 for number in range(900)]
        >>> frame = pd.DataFrame({"town": towns, "half": ["ab"[t // 10] for t in towns]})
        >>> frame = frame.replace({"town": {t: f"town {t}" for t in range(20)}})
        >>> found = synth.draft(frame)
        >>> [proposal.name for proposal in found.proposals]
        ['half from town']
        >>> found.obey().domain.derived[0].taken
        True
        """
        every = "" if names else "all"
        chosen = choose_proposals(self.proposals, names or [every], every=every)
        taken = (*self.taken, *chosen)
        return replace(
            self,
            document=take_proposals(chosen, self.document, None).document,
            proposals=tuple(
                proposal
                for proposal in self.proposals
                if not any(proposal.conflicts_with(other) for other in taken)
                and proposal not in taken
            ),
            taken=taken,
        )

    @property
    def open(self) -> tuple[str, ...]:
        """Return the names of the columns that the draft leaves to you.

        They take no part in `domain`.
        """
        return tuple(
            column.name for column in self.columns if column.is_open and not column.left_out
        )

    @property
    def losses(self) -> dict[str, float]:
        """Return the share of rows whose value is lost, by the names of such columns.

        The draft does not describe these values, so they come out as (other) or missing. The
        largest loss comes first. PRIVATE in a quick draft; empty in one with a guarantee,
        which does not count them.

        >>> import pandas as pd, synth
        >>> names = ["f", "m"] * 45 + [f"rare {number}" for number in range(10)]
        >>> synth.draft(pd.DataFrame({"name": names})).losses
        {'name': 0.1}
        """
        losing = sorted(self._complete, key=lambda column: -column.lost)
        return {column.name: column.lost for column in losing if column.lost}

    @property
    def _complete(self) -> list[DraftColumn]:
        """The columns that take part: neither left out nor left to the user."""
        return [column for column in self.columns if not (column.left_out or column.is_open)]

    def __repr__(self) -> str:
        """Return how many columns are complete."""
        return f"Draft({len(self._complete)} of {len(self.columns)} columns)"

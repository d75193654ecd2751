"""``synth.Draft``: a drafted domain, with notes for the steward."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from synth.api.declaring import DraftedDomain
from synth.domain import Domain
from synth.drafting import (
    DraftColumn,
    Proposal,
    choose_proposals,
    finish_complete,
    list_losses,
    take_proposals,
)
from synth.errors import ArgumentError
from synth.util import Document, list_html, paragraph_html, table_html

if TYPE_CHECKING:
    from synth.private.counting import Look


QUICK_BADGE = "PRIVATE: read from the rows without a guarantee"


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
    _look: Look | None = field(default=None, repr=False)

    @property
    def domain(self) -> Domain:
        """Return the domain of the complete columns; it says that it comes from a draft.

        Raises:
            DomainError: No column is complete.
        """
        return finish_complete(self.document, self.columns, self.taken)

    @property
    def rules(self) -> Document:
        """Return the rules that were taken in, as JSON of rules; empty without any.

        `synth.release` obeys them if the draft is its domain and it has no other rules.

        >>> import pandas as pd, synth
        >>> starts = [number * 37 % 800 for number in range(900)]
        >>> ends = [start + number % 90 for number, start in enumerate(starts)]
        >>> found = synth.draft(pd.DataFrame({"start": starts, "end": ends}))
        >>> found.obey("start <= end").rules
        {'taken': {'order': [['start', 'end']]}}
        """
        return take_proposals(self.taken, {"fields": []}, None).rules

    def obey(self, *names: str) -> Draft:
        """Return the draft with relations taken in that all rows obey.

        They are marked as taken from the rows, as no guarantee covers them: take in
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

        The draft does not describe these values, so they come out as (other) or missing, or
        as the nearest bound. The largest loss comes first. PRIVATE in a quick draft; empty in
        one with a guarantee, which does not count them.

        A column that loses more than 1 % of its rows takes no part until you `agree`.

        >>> import pandas as pd, synth
        >>> names = ["f", "m"] * 45 + [f"rare {number}" for number in range(10)]
        >>> synth.draft(pd.DataFrame({"name": names})).losses
        {'name': 0.1}
        """
        return list_losses(self.columns)

    @property
    def unused(self) -> dict[str, int]:
        """Return the number of possible values that no row has, by the names of columns.

        These are whole numbers in a range of which at most half occur. PRIVATE in a quick
        draft; empty in one with a guarantee, which does not count them.

        >>> import pandas as pd, synth
        >>> rounded = [number * 5 for number in range(20)] * 50
        >>> synth.draft(pd.DataFrame({"minutes": rounded})).unused
        {'minutes': 76}
        """
        return {
            column.name: column.loss.unused for column in self._complete if column.loss.unused
        }

    @property
    def undecided(self) -> tuple[str, ...]:
        """Return the names of columns that take no part, as they would lose many values.

        >>> import pandas as pd, synth
        >>> names = ["f", "m"] * 45 + [f"rare {number}" for number in range(10)]
        >>> synth.draft(pd.DataFrame({"name": names})).undecided
        ('name',)
        """
        return tuple(column.name for column in self.columns if column.is_undecided)

    def agree(self, *names: str) -> Draft:
        """Return the draft with columns that take part in spite of the values that they lose.

        The declaration records that you agreed, and every certificate with it says so.

        Args:
            names: The columns, which are `undecided`; by default all of them.

        Raises:
            ArgumentError: A column is not undecided.

        >>> import pandas as pd, synth
        >>> names = ["f", "m"] * 45 + [f"rare {number}" for number in range(10)]
        >>> draft = synth.draft(pd.DataFrame({"name": names}))
        >>> draft.agree("name").domain["name"].cells
        ('f', 'm', '(other)')
        """
        if self._look is None:
            raise ArgumentError("A draft with a guarantee leaves no loss to agree to.")
        agreed = draft_of_look(agree_to(self._look, names or True))
        taken_names = [proposal.name for proposal in self.taken]
        return agreed.obey(*taken_names) if taken_names else agreed

    @property
    def _complete(self) -> list[DraftColumn]:
        """The columns that take part: neither left out nor left to the user."""
        return [column for column in self.columns if not (column.left_out or column.is_open)]

    @property
    def _badge(self) -> str:
        """The warning of a quick draft, which quotes rows; empty with a guarantee."""
        return "" if self._look is None else QUICK_BADGE

    def __repr__(self) -> str:
        """Return how many columns are complete, and whether the draft is private."""
        badge = f", {self._badge}" if self._badge else ""
        return f"Draft({len(self._complete)} of {len(self.columns)} columns{badge})"

    def _repr_html_(self) -> str:
        """Return what is drafted of each column, and the notes, for a notebook."""
        sentence = f"{len(self._complete)} of {len(self.columns)} columns take part."
        badge = paragraph_html("", title=self._badge) if self._badge else ""
        lines = [
            (column.name, column.field.get("type", ""), _say_part(column), column.reason)
            for column in self.columns
        ]
        table = table_html(("column", "type", "takes part", "content or reason"), lines)
        return badge + paragraph_html(sentence, title="Draft") + table + list_html(self.notes)


def _say_part(column: DraftColumn) -> str:
    """Return whether a column takes part, or what it waits for."""
    if column.is_undecided:
        return "until you agree: no"
    if column.left_out:
        return "no"
    return "open: declare it" if column.is_open else "yes"


def draft_of_look(look: Look) -> Draft:
    """Return the draft that a look at the rows proposes."""
    return Draft(
        document=look.schema(),
        notes=tuple(look.notes),
        columns=tuple(look.columns),
        proposals=look.open_proposals,
        _look=look,
    )


def agree_to(look: Look, agreed: Collection[str] | bool) -> Look:
    """Return a look with what a person agreed to.

    Args:
        look: The proposals.
        agreed: The columns that may lose values; True for all, False for none.

    Raises:
        ArgumentError: A column is not to decide.
    """
    if isinstance(agreed, bool):
        return look.agree_all() if agreed else look
    return look.agree((agreed,) if isinstance(agreed, str) else agreed)

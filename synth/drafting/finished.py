"""The domain of the columns that a draft describes to the end. PUBLIC.

>>> columns = [
...     DraftColumn(field={"name": "sex", "type": "boolean"}, reason=""),
...     DraftColumn(field={"name": "note"}, reason="holds free text"),
... ]
>>> domain = finish_complete({"missingValues": [""]}, columns)
>>> domain.names, [*domain.decisions.left_out]
(('sex',), ['note'])
"""

from collections.abc import Sequence
from typing import cast

from synth.domain import Domain, finish
from synth.drafting.drafted import DraftColumn, decisions_of
from synth.drafting.proposals import Proposal, take_proposals
from synth.errors import DomainError
from synth.util import Document, Json


def finish_complete(
    document: Document, columns: Sequence[DraftColumn], taken: Sequence[Proposal] = ()
) -> Domain:
    """Return the domain of the complete columns; it names the others as left out.

    Args:
        document: The Table Schema of the draft, whose other entries stay.
        columns: All drafted columns.
        taken: The relations of all rows that a person took in.

    Raises:
        DomainError: No column is complete.
    """
    fields = [column.field for column in columns if not column.stays_out]
    if not fields:
        raise DomainError(
            "The draft describes no column to the end, as its notes say; declare the "
            "columns yourself."
        )
    entries = decisions_of(columns).write()
    complete: Document = {**document, "fields": cast("Json", fields), **entries}
    return finish(take_proposals(taken, complete, None).document)

"""``synth.draft``: a draft of the domain from a table, with a guarantee or without."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from synth.api.drafts import Draft
from synth.api.spending import Amount, Written, open_spender
from synth.door import Ledger
from synth.drafting import Candidates, DraftRequest, draft_lines
from synth.plans import OPTIONS
from synth.privacy import Guarantee
from synth.private.counting import profile_table
from synth.private.table import TableLike, look_through, open_any
from synth.spending import draft_domain
from synth.util import check_types


@check_types
def draft(
    data: TableLike,
    epsilon: Amount | None = None,
    *,
    delta: Amount = 0,
    columns: Sequence[str] | None = None,
    candidates: Mapping[str, Sequence[str]] | None = None,
    missing: Sequence[str] = (),
    dates: Mapping[str, str] | None = None,
    take: Collection[str] = (),
    neighbors: str = "replace-one",
    person: str = "",
    max_rows: int = 1,
    ledger: Ledger | str | Path | None = None,
    dataset: str | None = None,
    new_dataset: bool = False,
    budget: Amount | None = None,
    progress: Callable[[str], None] | None = None,
) -> Draft:
    """Draft the domain from the rows, quickly or with a guarantee.

    Give an epsilon for a guarantee; a quick draft is free. A quick draft reads the rows
    without any guarantee: review it before you publish it.

    Args:
        data: The confidential table, as in `synth.release`. epsilon, delta: The cost of a
        draft with a guarantee; a delta lets it name common values. columns: The columns to
        draft. candidates: With a guarantee: values to look for, by column. missing, dates,
        take: In a quick draft: spellings of missing values, examples of dates by
            column, and columns to include that it would leave out.
        neighbors, person, max_rows, ledger, dataset, new_dataset, budget, progress: As in
            `synth.release`.

    Raises:
        SynthError: With one sentence.

    >>> import pandas as pd, synth
    >>> synth.draft(pd.DataFrame({"sex": ["f", "m"] * 300}), epsilon=20)
    Draft(1 of 1 columns)
    """
    if epsilon is None:
        table = open_any(data, columns or ())
        look_through(table)
        wanted = columns or [name for name in table.header if name != person]
        found = profile_table(table, wanted, ("", *missing), dates=dates).take_in(take)
        return Draft(found.schema(), tuple(found.notes), tuple(found.columns))
    where = Written(ledger, dataset, new_dataset, budget)
    spend = open_spender(
        data, columns or (), where, person=person, max_rows=max_rows, neighbors=neighbors
    )
    cost = (OPTIONS[n].from_call(v) for n, v in (("epsilon", epsilon), ("delta", delta)))
    names = tuple(columns or (name for name in spend.table.header if name != person))
    listed = Candidates.from_json(dict(candidates or {}))
    request = DraftRequest(
        columns=names,
        guarantee=Guarantee.of(*cost),
        neighbors=spend.neighbors,
        unit=spend.unit,
        candidates=listed,
        dataset=spend.dataset,
    )
    made = draft_domain(request, spend.table, ledger=spend.ledger, progress=progress)
    return Draft(made.document, tuple(draft_lines(made)), made.columns)

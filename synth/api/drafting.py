"""``synth.draft``: a draft of the domain from a table, with a guarantee or without."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from synth.api.drafts import Draft, agree_to, draft_of_look
from synth.api.option_names import NeighborsName
from synth.api.spending import (
    Amount,
    LedgerChoice,
    Protected,
    Written,
    cost_of,
    open_spender,
)
from synth.drafting import Candidates, DraftRequest, draft_lines
from synth.errors import ArgumentError
from synth.private.counting import profile_table, read_book
from synth.private.table import (
    PrivateTable,
    TableLike,
    has_ragged_rows,
    list_remarks,
    look_through,
    open_any,
)
from synth.spending import columns_to_draft, draft_domain
from synth.util import check_types


@check_types
def draft(  # noqa: PLR0913 - public: each option by name
    data: TableLike,
    epsilon: Amount | None = None,
    *,
    delta: Amount = 0,
    columns: Sequence[str] | None = None,
    candidates: Mapping[str, Sequence[str]] | None = None,
    missing: Sequence[str] = (),
    dates: Mapping[str, str] | None = None,
    take: Collection[str] = (),
    agree: Collection[str] | bool = False,
    codebook: str | Path | None = None,
    neighbors: NeighborsName = "replace-one",
    neighbours: NeighborsName | None = None,
    person: str = "",
    max_rows: int = 1,
    ledger: LedgerChoice = None,
    dataset: str | None = None,
    new_dataset: bool = False,
    budget: Amount | None = None,
    progress: Callable[[str], None] | None = None,
) -> Draft:
    """Draft the domain from the rows, quickly or with a guarantee.

    Give an epsilon for a guarantee; a quick draft is free. A quick draft reads the rows
    without any guarantee: review it before you publish it.

    Args:
        data: The confidential table, as in `synth.release`.
        epsilon: The cost of a draft with a guarantee; None for a quick draft.
        delta: Above 0 it lets a draft with a guarantee name common values.
        columns: The columns to draft; by default all.
        candidates: Values that a draft with a guarantee looks for, by column.
        missing: Spellings of missing values, in a quick draft.
        dates: Examples of dates by column, in a quick draft.
        take: Columns to include that a quick draft would leave out.
        agree: Columns to include in spite of the values that they lose; True for all.
        codebook: A code book of any kind, which a quick draft completes.
        neighbors: "replace-one" or "add-remove", as in `synth.release`.
        neighbours: Another spelling of ``neighbors``.
        person: The column that identifies persons.
        max_rows: The number of rows of one person that count.
        ledger: The ledger that records the spend (`LedgerChoice`).
        dataset: The dataset's name in the ledger.
        new_dataset: Whether the dataset is new, although a similar name exists.
        budget: The total budget of the dataset, set once.
        progress: It is called with the name of each stage.

    Raises:
        SynthError: An argument is refused; the message is one sentence.

    >>> import pandas as pd, synth
    >>> synth.draft(pd.DataFrame({"sex": ["f", "m"] * 300}), epsilon=20)
    Draft(1 of 1 columns)
    """
    if epsilon is None:
        # ``delta`` may be any zero, and the others are empty by default.
        _refuse_idle(
            {"delta": delta or None, "candidates": candidates, "budget": budget},
            "with a guarantee; add epsilon",
        )
        table = open_any(data, columns or ())
        look_through(table)
        look = profile_table(
            table,
            columns_to_draft(table, columns, person=person),
            ("", *missing),  # an empty cell always counts as missing
            dates=dates,
            book=read_book(table, codebook),
        )
        quick_draft = draft_of_look(agree_to(look.take_in(take), agree))
        return replace(quick_draft, notes=_notes_on(table, quick_draft))
    _refuse_idle(
        {
            "missing": missing,
            "dates": dates,
            "take": take,
            "agree": agree,
            "codebook": codebook,
        },
        "from a quick look; leave out epsilon",
    )
    cost = cost_of(epsilon, delta)
    looked_for = Candidates.from_json(dict(candidates or {}))
    where = Written(ledger, dataset, new_dataset, budget, costs=[cost])
    spend = open_spender(
        data, columns or (), where, protected=Protected(person, max_rows, neighbors)
    )
    request = DraftRequest(
        columns=columns_to_draft(spend.table, columns, person=person),
        guarantee=cost,
        neighbors=spend.neighbors,
        unit=spend.unit,
        candidates=looked_for,
        dataset=spend.dataset,
    )
    drafted = draft_domain(request, spend.table, ledger=spend.ledger, progress=progress)
    return Draft(drafted.document, tuple(draft_lines(drafted)), drafted.columns)


def _notes_on(table: PrivateTable, quick_draft: Draft) -> tuple[str, ...]:
    """Return the notes on a table, on its quick draft, and on its damaged rows, in order."""
    notes = [*table.notes]
    hint = table.hint().strip()
    if hint and not has_ragged_rows(table):  # else a remark on the rows says it
        notes.append(hint)
    return (*notes, *quick_draft.notes, *list_remarks(table))


def _refuse_idle(options: Mapping[str, object], kind: str) -> None:
    """Refuse options of the other kind of draft, which would else do nothing in silence.

    Args:
        options: What the caller gave, by the name of the option.
        kind: The drafts that these options are for, and how to get one.

    Raises:
        ArgumentError: One of them is given.
    """
    for name, value in options.items():
        if value is not None and value is not False and value != () and value != []:
            raise ArgumentError(f"{name} is for a draft {kind}, or leave out {name}.")

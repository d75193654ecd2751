"""``synth.check``: how many rows fit a declaration, before anything is released."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synth.api.spending import Amount, Written, as_domain, open_spender
from synth.domain import Domain
from synth.door import Ledger
from synth.estimate import FEW_ROWS_SHARE, FitCheck
from synth.plans import OPTIONS
from synth.private.table import TableSource
from synth.spending import check_fit, look_at, said_by


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """How many rows fit a declaration.

    Attributes:
        domain: The declaration to release with; after a look, it says that you looked.
        together: Rows that fit in all columns; after a look PRIVATE, else noisy.
        columns: Rows that fit, by the column, likewise; of a check those that were asked for.
        notes: What to fix before a release, or what the noisy numbers say, in sentences.
        is_few: Whether the rows that fit are so few that a release would be mostly noise.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 300, "age": [40] * 600})
    >>> found = synth.check(frame, {"sex": ["1", "2"], "age": synth.Integer(0, 99, bins=5)})
    >>> found.notes
    ("Only 0 of 600 rows (0.0 %) fit column 'sex'; Synth leaves out the others.",)
    """

    domain: Domain
    together: int
    columns: Mapping[str, int]
    notes: tuple[str, ...]
    is_few: bool

    def __repr__(self) -> str:
        return f"Check({len(self.notes)} notes)"


def check(
    data: TableSource, domain: Domain | str | Path | Mapping[str, Any],
    epsilon: Amount | None = None, *, columns: Sequence[str] = (), rows: int | None = None,
    neighbors: str = "replace-one", person: str = "", max_rows: int = 1,
    ledger: Ledger | str | Path | None = None, dataset: str | None = None,
    new_dataset: bool = False, budget: Amount | None = None,
    progress: Callable[[str], None] | None = None,
) -> Check:  # fmt: skip
    """Check how many rows fit: noisy numbers where an epsilon is given, else an exact look.

    A look is free and for you alone. A declaration that you change after it may depend on the
    table: release with the `Check.domain` of the look, and the certificate says so.

    Args:
        data, domain: The confidential table and its declaration, as in `synth.release`.
        epsilon: The price of each noisy number.
        columns: Columns to ask about one by one besides, each for the same epsilon.
        rows: About how many rows there are, where their number is private.
        neighbors, person, max_rows, ledger, dataset, new_dataset, budget, progress: As in
            `synth.release`; a release with the same ledger knows what was checked.

    Raises:
        SynthError: With one sentence.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 300})
    >>> synth.check(frame, {"sex": ["f", "m"]}, 1).is_few
    False
    """
    declared = as_domain(domain)
    where = Written(ledger, dataset, new_dataset, budget)
    spend = open_spender(data, declared.names, where, person, max_rows, neighbors)
    if epsilon is None:
        book = spend.ledger if spend.ledger is not None and spend.ledger.path else None
        shares = look_at(declared, spend.table, ledger=book, dataset=spend.dataset)
        empty = map(shares.describe_empty, shares.empty_columns())
        notes = (*shares.misfits(declared), *empty)
        few = shares.share(shares.together) < FEW_ROWS_SHARE
        return Check(replace(declared, looked=True), shares.together, shares.columns, notes, few)
    price = OPTIONS["epsilon"].from_call(epsilon)
    asked = FitCheck(
        declared, price, spend.neighbors, spend.unit, spend.dataset, tuple(columns), rows
    )
    said = said_by(check_fit(asked, spend.table, ledger=spend.ledger, progress=progress))
    each = {one.columns[0]: one.noisy for one in said.counts[1:]}
    return Check(
        declared, said.counts[0].noisy, each, tuple(map(said.said_of, said.counts)), said.is_few
    )

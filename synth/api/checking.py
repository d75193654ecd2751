"""``synth.check``: how many rows fit the domain, before a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synth.api.declaring import as_domain
from synth.api.spending import Amount, Written, open_spender
from synth.domain import Domain
from synth.door import Ledger
from synth.estimate import FEW_ROWS_SHARE, FitCheck
from synth.plans import OPTIONS
from synth.private.table import TableLike
from synth.spending import check_fit, look_at, said_by
from synth.util import check_types


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Check:
    """The number of rows that fit the domain.

    Attributes:
        domain: The domain to release with; after a look, it records that you looked.
        together: Rows that fit in all columns: exact and PRIVATE after a look, otherwise
        noisy. columns: Rows that fit by column likewise; noisy only for the columns you
        named. notes: Sentences on what to fix before a release, or on what the noisy numbers
        show. is_few: Whether so few rows fit that a release would be mostly noise.

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


@check_types
def check(
    data: TableLike,
    domain: Any,
    epsilon: Amount | None = None,
    *,
    columns: Sequence[str] = (),
    rows: int | None = None,
    neighbors: str = "replace-one",
    person: str = "",
    max_rows: int = 1,
    ledger: Ledger | str | Path | None = None,
    dataset: str | None = None,
    new_dataset: bool = False,
    budget: Amount | None = None,
    progress: Callable[[str], None] | None = None,
) -> Check:
    """Count the rows that fit the domain, exactly or with noise.

    Give an epsilon for noisy counts. An exact look is free, and only you may see it. If you
    change the domain afterwards, it may depend on the table: release with `Check.domain`, and
    the certificate says so.

    Args:
        data, domain: The confidential table and its domain, as in `synth.release`.
        epsilon: The cost of each noisy number.
        columns: Columns to count one by one, each at the same cost.
        rows: The rough number of rows, if the exact one is private.
        neighbors, person, max_rows, ledger, dataset, new_dataset, budget, progress: As in
            `synth.release`; a release with the same ledger knows this check.

    Raises:
        SynthError: With one sentence.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 300})
    >>> synth.check(frame, {"sex": ["f", "m"]}, 1).is_few
    False
    """
    declared = as_domain(domain)
    where = Written(ledger, dataset, new_dataset, budget, [domain])
    pays = epsilon is not None
    spend = open_spender(
        data,
        declared.names,
        where,
        person=person,
        max_rows=max_rows,
        neighbors=neighbors,
        spends=pays,
    )
    if epsilon is None:
        book = spend.ledger if spend.ledger is not None and spend.ledger.path else None
        shares = look_at(declared, spend.table, ledger=book, dataset=spend.dataset)
        notes = (
            *shares.misfits(declared),
            *map(shares.describe_empty, shares.empty_columns()),
        )
        few = shares.share(shares.together) < FEW_ROWS_SHARE
        return Check(
            domain=replace(declared, looked=True),
            together=shares.together,
            columns=shares.columns,
            notes=notes,
            is_few=few,
        )
    price = OPTIONS["epsilon"].from_call(epsilon)
    asked = FitCheck(
        domain=declared,
        epsilon=price,
        neighbors=spend.neighbors,
        unit=spend.unit,
        dataset=spend.dataset,
        columns=tuple(columns),
        rows=rows,
    )
    said = said_by(check_fit(asked, spend.table, ledger=spend.ledger, progress=progress))
    each = {one.columns[0]: one.noisy for one in said.counts[1:]}
    return Check(
        domain=declared,
        together=said.counts[0].noisy,
        columns=each,
        notes=tuple(map(said.said_of, said.counts)),
        is_few=said.is_few,
    )

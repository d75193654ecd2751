"""``synth.check``: how many rows fit the domain, before a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from synth.api.declaring import as_domain
from synth.api.option_names import NeighborsName
from synth.api.spending import (
    Amount,
    LedgerChoice,
    Protected,
    Spender,
    Written,
    cost_of,
    open_spender,
)
from synth.domain import Domain
from synth.estimate import FEW_ROWS_SHARE, FitCheck
from synth.plans import OPTIONS
from synth.private.table import TableLike
from synth.spending import check_fit, look_at, said_by
from synth.util import check_types, list_html, paragraph_html

if TYPE_CHECKING:
    from synth.api.declaring import DomainLike


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Check:
    """The number of rows that fit the domain.

    Attributes:
        domain: The domain to release with; after a look, it records that you looked.
        together: Rows that fit in all columns: exact and PRIVATE after a look, otherwise
            noisy.
        columns: Rows that fit by column likewise; noisy only for the columns you named.
        notes: Sentences on faults to fix before a release, or on the noisy numbers.
        is_few: Whether so few rows fit that a release would be mostly noise.
        is_private: Whether the numbers are exact, so that only you may see them.

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
    is_private: bool = False

    def __repr__(self) -> str:
        """Return about how many rows fit; of a look, no number, which would be exact."""
        # If the numbers are noisy, the first note says so, with the interval.
        if not self.is_private:
            return f"Check({self.notes[0]})"
        notes = "1 note" if len(self.notes) == 1 else f"{len(self.notes)} notes"
        return f"Check(PRIVATE, {notes})"

    def _repr_html_(self) -> str:
        """Return the number of rows that fit and the notes, for a notebook."""
        badge = paragraph_html("", title="PRIVATE - do not share") if self.is_private else ""
        title = "A release would be mostly noise" if self.is_few else "Check"
        # If the numbers are noisy, the first note says so, with the interval.
        sentence = f"{self.together:,} rows fit in all columns." if self.is_private else ""
        return badge + paragraph_html(sentence, title=title) + list_html(self.notes)


@check_types
def check(  # noqa: PLR0913 - public: each option by name
    data: TableLike,
    domain: DomainLike,
    epsilon: Amount | None = None,
    *,
    columns: Sequence[str] = (),
    rows: int | None = None,
    neighbors: NeighborsName = "replace-one",
    neighbours: NeighborsName | None = None,
    person: str = "",
    max_rows: int = 1,
    ledger: LedgerChoice = None,
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
        data: The confidential table, as in `synth.release`.
        domain: The declared columns, as in `synth.release`.
        epsilon: The cost of each noisy number.
        columns: Columns to count one by one, each at the same cost.
        rows: The rough number of rows, if the exact one is private.
        neighbors: "replace-one" or "add-remove", as in `synth.release`.
        neighbours: Another spelling of ``neighbors``.
        person: The column that identifies persons.
        max_rows: The number of rows of one person that count.
        ledger: The ledger (`LedgerChoice`); a release with the same one knows this check.
        dataset: The dataset's name in the ledger.
        new_dataset: Whether the dataset is new, although a similar name exists.
        budget: The total budget of the dataset, set once.
        progress: It is called with the name of each stage.

    Raises:
        SynthError: An argument is refused; the message is one sentence.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 300})
    >>> synth.check(frame, {"sex": ["f", "m"]}, 1).is_few
    False
    """
    declared = as_domain(domain)
    costs = [] if epsilon is None else [cost_of(epsilon)]
    where = Written(ledger, dataset, new_dataset, budget, costs=costs, inputs=[domain])
    protected = Protected(person, max_rows, neighbors)
    if epsilon is None:
        return _look(declared, open_spender(data, declared.names, where, protected=protected))
    # The request comes first, so that a wrong option is refused before the table is read.
    request = FitCheck(
        domain=declared,
        epsilon=OPTIONS["epsilon"].from_call(epsilon),
        neighbors=protected.relation,
        unit=protected.unit,
        columns=tuple(columns),
        rows=rows,
    )
    spend = open_spender(data, declared.names, where, protected=protected)
    request = replace(request, dataset=spend.dataset)
    paid = check_fit(request, spend.table, ledger=spend.ledger, progress=progress)
    result = said_by(paid)
    # The first count is of rows that fit in all columns, the others of one column each.
    all_columns, *single_columns = result.counts
    return Check(
        domain=declared,
        together=all_columns.noisy,
        columns={count.columns[0]: count.noisy for count in single_columns},
        notes=tuple(map(result.said_of, result.counts)),
        is_few=result.is_few,
    )


def _look(domain: Domain, spend: Spender) -> Check:
    """Return how many rows fit the domain, exactly, so that the result is PRIVATE.

    The ledger notes that somebody looked, and so does the domain of the result.

    Args:
        domain: The declared columns.
        spend: The confidential table, its dataset and its ledger.
    """
    # A ledger in memory only would forget the look.
    has_file = spend.ledger is not None and spend.ledger.path is not None
    shares = look_at(
        domain,
        spend.table,
        ledger=spend.ledger if has_file else None,
        dataset=spend.dataset,
    )
    empty_notes = map(shares.describe_empty, shares.empty_columns())
    return Check(
        domain=replace(domain, looked=True),
        together=shares.together,
        columns=shares.columns,
        notes=(*shares.misfits(domain), *empty_notes),
        is_few=shares.share(shares.together) < FEW_ROWS_SHARE,
        is_private=True,
    )

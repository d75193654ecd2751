"""Relations between columns that all rows obey: rules and derived columns to offer. PRIVATE.

Random rows show which relations may hold; then all rows decide. A relation that holds is true
of each sample, too, so that no sample hides one. What all rows obey is private until the
steward takes it in, as one row could break it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, cast

from synth import limits
from synth.domain import Column, Domain, finish
from synth.drafting import Proposal
from synth.errors import DomainError, LimitError
from synth.private.counting.column_rows import ColumnRows, RowsByName, read_columns
from synth.private.counting.dependency_bins import confirm_cut, guess_cut
from synth.private.counting.dependency_formulas import confirm_formula, guess_formulas
from synth.private.counting.dependency_lists import confirm_decided, guess_decided
from synth.private.counting.dependency_orders import (
    confirm_order,
    drop_implied_orders,
    guess_orders,
)
from synth.private.counting.duckdb import DuckDB
from synth.private.table import PrivateTable
from synth.util import Document, Json

# Random rows that show which relations may hold.
SAMPLED_ROWS = 2000
# Most numbers, most dates and most lists among which relations are looked for.
MAX_COLUMNS_OF_KIND = 60
# Most relations of one kind that all rows are compared with.
MAX_GUESSES = 200
# Bytes of a row of one column: a reading, a code, and what is computed of them.
BYTES_PER_VALUE = 48


class Dependencies(NamedTuple):
    """Relations that all rows obey. PRIVATE.

    Attributes:
        proposals: Those to offer to the steward.
        remarks: Sentences about what was not looked for.
    """

    proposals: tuple[Proposal, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Guess:
    """A relation that sampled rows obey.

    Attributes:
        columns: Names of the columns.
        confirm: Returns the proposal from all rows of these columns; None if they break it
            or do not support it.
    """

    columns: tuple[str, ...]
    confirm: Callable[[RowsByName], Proposal | None]


def propose_for_draft(
    engine: DuckDB,
    table: PrivateTable,
    fields: Sequence[Document],
    *,
    missing_values: Sequence[str],
    rows: int,
) -> Dependencies:
    """Return the relations between the columns of a draft that all rows obey.

    Args:
        engine: Reads the rows.
        table: The confidential rows.
        fields: The complete fields of the columns that take part.
        missing_values: Spellings of a missing value.
        rows: The number of rows.
    """
    # Of two columns that follow from each other, the later one of the table is derived.
    fields = sorted(fields, key=lambda field: table.position(str(field["name"])))
    if len(fields) < 2:
        return Dependencies(())
    try:
        domain = finish(
            {"fields": cast("Json", fields), "missingValues": list(missing_values)}
        )
    except DomainError:  # columns that do not go together, as the draft says elsewhere
        return Dependencies(())
    return propose_dependencies(engine, table, domain, rows=rows)


def propose_dependencies(
    engine: DuckDB, table: PrivateTable, domain: Domain, *, rows: int
) -> Dependencies:
    """Return the relations that all rows obey. PRIVATE, and only in a look.

    Args:
        engine: Reads the rows.
        table: The confidential rows.
        domain: The drafted columns.
        rows: The number of rows.
    """
    related_names = [column.name for column in domain.columns if _kind_in_formulas(column)]
    if len(related_names) < 2:
        return Dependencies(())
    compared_domain, remarks = _limit_columns(domain.project(related_names))
    try:
        sample = [
            *read_columns(engine, table, compared_domain, sampled=SAMPLED_ROWS).values()
        ]
        if len(sample[0].codes) < limits.LISTED_ROWS:
            return Dependencies(())
        guesses = [*list_guesses(sample, compared_domain)]
        confirmed = _confirm(
            guesses, partial(read_columns, engine, table), domain=compared_domain, rows=rows
        )
    except LimitError:
        why = "The table is too large to look for relations between its columns."
        return Dependencies((), (why,))
    return Dependencies(choose_relations(confirmed), remarks)


def _kind_in_formulas(column: Column) -> str:
    """Return the kind of a column's values in a formula; empty if it has none, as times."""
    try:
        return str(column.formula_values.kind)
    except DomainError:
        return ""


def _limit_columns(domain: Domain) -> tuple[Domain, tuple[str, ...]]:
    """Return the columns among which relations are looked for, and a remark if some are not.

    These are the first numbers, dates and lists of a wide table.
    """
    names_of_kind: dict[str, list[str]] = {}
    for column in domain.columns:
        names_of_kind.setdefault(column.formula_values.kind, []).append(column.name)
    compared_names = {
        name for names in names_of_kind.values() for name in names[:MAX_COLUMNS_OF_KIND]
    }
    if len(compared_names) == len(domain.columns):
        return domain, ()
    names = [name for name in domain.names if name in compared_names]
    remark = (
        f"Relations were looked for among {len(names):,} of {len(domain.columns):,} columns: "
        f"the first {MAX_COLUMNS_OF_KIND} numbers, dates and lists each."
    )
    return domain.project(names), (remark,)


def list_guesses(sample: Sequence[ColumnRows], domain: Domain) -> Iterator[Guess]:
    """Yield relations that sampled rows obey, at most `MAX_GUESSES` of a kind.

    Formulas come first, then cuts and lists; orders come last.

    Args:
        sample: The sampled rows of the columns.
        domain: The declared columns.
    """
    # What names the columns of relations of one kind, and what confirms one of them.
    kinds: tuple[tuple[Iterable[tuple[str, ...]], Callable[..., Proposal | None]], ...] = (
        (guess_formulas(sample), partial(confirm_formula, domain=domain)),
        (guess_cut(sample), partial(confirm_cut, domain=domain)),
        (guess_decided(sample), partial(confirm_decided, domain=domain)),
        (guess_orders(sample), confirm_order),
    )
    for guesses, confirm in kinds:
        for names in islice(guesses, MAX_GUESSES):
            yield Guess(names, partial(confirm, names))


def _confirm(
    guesses: Sequence[Guess],
    read: Callable[[Domain], Mapping[str, ColumnRows]],
    *,
    domain: Domain,
    rows: int,
) -> list[Proposal]:
    """Return the proposals of the guesses that all rows obey and support.

    The rows of as many columns as fit in a quarter of the memory are read at a time.

    Args:
        guesses: Relations that sampled rows obey.
        read: Reads all rows of the columns of a domain.
        domain: The declared columns.
        rows: The number of rows.
    """
    quarter_bytes = limits.memory_mb() * 2**20 // 4
    most_columns = max(4, quarter_bytes // (BYTES_PER_VALUE * max(1, rows)))
    proposals: list[Proposal | None] = []
    waiting = [*guesses]
    while waiting:
        names: dict[str, Any] = {}  # a set that keeps the order
        batch: list[Guess] = []
        while waiting and len({*names, *waiting[0].columns}) <= most_columns:
            names |= dict.fromkeys(waiting[0].columns)
            batch.append(waiting.pop(0))
        columns = read(domain.project([name for name in domain.names if name in names]))
        proposals += [guess.confirm(columns) for guess in batch]
    return [proposal for proposal in proposals if proposal is not None]


def choose_relations(proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Return proposals without those that others imply.

    A column follows from others in one way, and not in a circle. An order between a column
    and what it follows from says nothing, nor does one that follows from two others.

    Args:
        proposals: All that rows obey; the first of several for one column counts.
    """
    # For each column that follows from others, all columns that it follows from.
    origins: dict[str, set[str]] = {}
    chosen: list[Proposal] = []
    orders: list[Proposal] = []
    for proposal in proposals:
        *sources, target = proposal.columns
        if "order" in proposal.rule:
            orders.append(proposal)
            continue
        origins_of_sources = {*sources}.union(*(origins.get(name, ()) for name in sources))
        if target in origins or target in origins_of_sources:
            continue
        origins[target] = origins_of_sources
        chosen.append(proposal)
    for proposal in drop_implied_orders(orders):
        first, second = proposal.columns
        if first not in origins.get(second, ()) and second not in origins.get(first, ()):
            chosen.append(proposal)
    return tuple(chosen)

"""The arguments of all functions that spend: dataset, guarantee and ledger."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, NamedTuple

from synth.door import Ledger, check_name, home_ledger
from synth.errors import ArgumentError, clean_message
from synth.plans import OPTIONS
from synth.privacy import Guarantee, Neighbors, Unit, parse_budget
from synth.private.table import (
    PrivateTable,
    TableLike,
    float_note,
    is_address,
    list_remarks,
    look_at_irregular,
    open_any,
)
from synth.spending import (
    DatasetName,
    Wording,
    check_name_known,
    dataset_of,
    mark_of,
    set_first_budget,
)
from synth.util import FileOutput, Protection, Watch, refuse_shared_ledger

Amount = str | int | float | Fraction
"""An exact number; a float means its shortest decimal form: 0.1 is one tenth."""

WORDING = Wording("dataset='...'", "dataset='{}'", "new_dataset=True")
"""Names of options in sentences, as Python spells them."""
NOT_RECORDED = (
    "Not recorded: a frame has no name, so no ledger knows this spend. Add dataset='NAME', "
    "the same for all tables about the same people, or ledger=False to record nothing."
)
WARNING_LEVELS = 5
"""Stack levels from a warning up to the caller's line: the function that warns, one that
calls it, the public function, and the look at its arguments around that."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Spender:
    """A table to spend on, and the ledger of the spend.

    Attributes:
        table: The confidential table.
        others: The other protected tables of a package.
        dataset: The dataset's name in the ledger.
        ledger: The ledger; None for memory only.
        unit: What one person contributes.
        neighbors: The relation that the guarantee compares.
        inputs: The files of the call, which no output replaces.
    """

    table: PrivateTable
    others: tuple[PrivateTable, ...]
    dataset: str
    ledger: Ledger | None
    unit: Unit
    neighbors: Neighbors
    inputs: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        """Return a name without content, as the table is private."""
        return "Spender(private)"

    @property
    def marks(self) -> list[str]:
        """Return the digests by which the ledger recognises the tables, in their order.

        They are empty texts without a ledger.
        """
        tables = (self.table, *self.others)
        if self.ledger is None:
            return ["" for _ in tables]
        return [mark_of(table, self.ledger) for table in tables]


LedgerChoice = Ledger | str | Path | Literal[False] | None
"""Where a call records what it spends: a ledger or its path; None for the ledger of this
machine, which the app and the command line have too; False for none."""


class Written(NamedTuple):
    """Where a spend is recorded.

    Attributes:
        ledger: The ledger, as the call names it.
        dataset: The dataset's name; None for that of the file.
        new_dataset: Whether the dataset is new, although a similar name exists.
        budget: The total budget, to be set.
        costs: The amounts that the call is about to spend; without any, no budget is needed.
        inputs: Other arguments of the call; paths in it are inputs, as the table is.
    """

    ledger: LedgerChoice
    dataset: str | None
    new_dataset: bool
    budget: Amount | None
    costs: Sequence[Guarantee] = ()
    inputs: Sequence[object] = ()

    def check(self, neighbors: Neighbors) -> None:
        """Refuse a name or a budget that no dataset has; ``neighbors`` is the relation.

        Raises:
            SynthError: The name or the budget is wrong.
        """
        if self.dataset is not None:
            check_name(self.dataset)
        if self.budget is not None:
            parse_budget(str(self.budget), neighbors)


def cost_of(epsilon: Amount, delta: Amount = 0) -> Guarantee:
    """Return what a call spends, from its arguments.

    Raises:
        SynthError: An amount is wrong.
    """
    return Guarantee.of(
        OPTIONS["epsilon"].from_call(epsilon), OPTIONS["delta"].from_call(delta)
    )


class Protected(NamedTuple):
    """The protected unit, as a call says it.

    Attributes:
        person: The column that identifies persons; empty for none.
        max_rows: The number of rows of one person that count.
        neighbors: The name of the relation.
    """

    person: str
    max_rows: int
    neighbors: str

    @property
    def relation(self) -> Neighbors:
        """The relation of that name.

        Raises:
            SynthError: There is none of that name.
        """
        relation: Neighbors = OPTIONS["neighbors"].from_call(self.neighbors)
        return relation

    @property
    def unit(self) -> Unit:
        """What one person contributes.

        Raises:
            SynthError: No person can have this number of rows.
        """
        return Unit(self.person, self.max_rows)


def open_spender(
    data: TableLike,
    names: Sequence[str],
    where: Written,
    *,
    protected: Protected,
    others: Sequence[PrivateTable] = (),
) -> Spender:
    """Open a table for a spend, before any counting.

    It checks the name of the dataset, opens the ledger, and sets the dataset's budget: the
    one that the call names, or the usual one at the first spend.

    Args:
        data: The confidential table.
        names: The needed declared columns, for a table without names.
        where: Where the spend is recorded.
        protected: The protected unit.
        others: The other protected tables of a package.

    Raises:
        SynthError: The request is refused, in one sentence. Nothing was spent.
    """
    paths = input_paths(data, *where.inputs, *others)
    refuse_shared_ledger(path_of_ledger(where.ledger), paths)
    relation, unit, person = protected.relation, protected.unit, protected.person
    where.check(relation)
    table = open_any(data, (*names, person))
    with Watch().watch():  # a look through all rows may take long, so time is limited
        look_at_irregular(table)
    for note in _list_notes(table, person):
        # A public function calls this one directly, which is one level less than
        # `WARNING_LEVELS`.
        warnings.warn(clean_message(note), UserWarning, stacklevel=WARNING_LEVELS - 1)
    book = _open_ledger(where, is_named=table.has_name)
    file_name = dataset_of(table.path.name) if table.has_name else "table"
    spender = Spender(
        table=table,
        others=tuple(others),
        dataset=check_name(where.dataset or file_name),
        ledger=book,
        unit=unit,
        neighbors=relation,
        inputs=paths,
    )
    if book is not None and book.path is not None:
        dataset_name = DatasetName(
            name=spender.dataset,
            is_said=where.dataset is not None,
            is_new=where.new_dataset,
        )
        check_name_known(book, dataset_name, spender.marks, wording=WORDING)
        _set_budget(spender, book, where)
    return spender


def _list_notes(table: PrivateTable, person: str) -> list[str]:
    """Return what the steward should know of a table before a spend; some of it is private.

    ``person`` is the column that names persons, empty for none; it may hold floats.
    """
    notes = [*table.notes]
    if person:
        notes.append(float_note(table, person))
    notes += [f"Private, for you alone: {remark}" for remark in list_remarks(table)]
    return [note for note in notes if note]


def _open_ledger(where: Written, *, is_named: bool) -> Ledger | None:
    """Open the ledger of a call; return None if nothing is recorded.

    A frame without a dataset's name is not recorded, as nothing says whose rows it holds; a
    warning says so if something is spent.

    Raises:
        ArgumentError: There is a budget, and no ledger to hold it.
    """
    if isinstance(where.ledger, bool) and where.ledger:
        raise ArgumentError("ledger must be a Ledger, a path or False, but it is True.")
    is_nameless = where.ledger is None and not is_named and where.dataset is None
    if where.ledger is False or is_nameless:
        if where.budget is not None:
            raise ArgumentError(
                "A budget needs a ledger: add dataset='NAME' or ledger='FILE', or leave out "
                "the budget."
            )
        if is_nameless and where.costs:
            warnings.warn(NOT_RECORDED, UserWarning, stacklevel=WARNING_LEVELS)
        return None
    if isinstance(where.ledger, Ledger):
        return where.ledger
    return Ledger(home_ledger() if where.ledger is None else where.ledger)


def input_paths(*arguments: object) -> tuple[Path, ...]:
    """Return the files and folders among the arguments of a call, and of opened tables."""
    paths: list[Path] = []
    for argument in arguments:
        if isinstance(argument, PrivateTable):
            paths += argument.inputs
        elif isinstance(argument, str | Path) and str(argument) and not is_address(argument):
            paths.append(Path(argument).absolute())
    return tuple(paths)


def path_of_ledger(ledger: LedgerChoice) -> Path | None:
    """Return the path of a named ledger's file; None for none and for one in memory."""
    if isinstance(ledger, Ledger):
        return ledger.path
    return Path(ledger) if ledger else None


def protect(
    inputs: Sequence[Path],
    ledger: Ledger | None = None,
    *,
    overwrite: bool = False,
    output: FileOutput | None = None,
) -> Protection:
    """Return the protection of a call's inputs and ledger from being overwritten.

    Args:
        inputs: The files of the call, which no output may replace.
        ledger: The ledger of the call; None without one.
        overwrite: Whether other files may be replaced.
        output: The file that is written next, which is checked at once; None for no check.

    Raises:
        ReleaseError: The output must not or cannot be written.
    """
    path = path_of_ledger(ledger)
    protection = Protection(tuple(inputs) if path is None else (*inputs, path), overwrite)
    if output is not None:
        protection.check(output)
    return protection


def _set_budget(spend: Spender, book: Ledger, where: Written) -> None:
    """Set the budget of a dataset in its ledger, if the call names one or is the first spend.

    A warning says if it is the usual budget.

    Raises:
        LedgerError: The dataset has another budget; or it has none, and the call costs more
            than the usual one.
    """
    if where.budget is not None:
        book.set_budget(spend.dataset, parse_budget(str(where.budget), spend.neighbors))
    elif where.costs:
        remark = set_first_budget(
            book,
            spend.dataset,
            where.costs,
            neighbors=spend.neighbors,
            option="budget=",
        )
        if remark:
            warnings.warn(clean_message(remark), UserWarning, stacklevel=WARNING_LEVELS)

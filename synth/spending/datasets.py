"""New datasets: their names, confirmed if in doubt, and their first budget. DOOR.

A name means a population. It gets its own budget only on request: an updated table often has
another name and the same people in it. The first spend on a dataset sets its budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from synth.door import Ledger, list_datasets
from synth.errors import LedgerError
from synth.privacy import DEFAULT_BUDGET, Guarantee, Neighbors, parse_budget

NEW_BUDGET = (
    "The budget of '{}' is now epsilon 3 and delta one in a million, for all spends on these "
    "people together; it can be changed, with a reason."
)


class Wording(NamedTuple):
    """How a steward names a dataset, in the words of the place where they work.

    Attributes:
        option: The option by which they name it.
        naming: That option with a name in place of ``{}``.
        new: The option that marks a name as new.
    """

    option: str
    naming: str
    new: str


@dataclass(frozen=True, kw_only=True)
class DatasetName:
    """The name of a dataset in a call.

    Attributes:
        name: The name itself.
        is_said: Whether the steward gave it.
        is_new: Whether the steward marked it as new.
    """

    name: str
    is_said: bool
    is_new: bool


# Endings of packed files, whose own ending stands before.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def dataset_of(file: str) -> str:
    """Return the name of a dataset that is named by its file: without the file's endings.

    >>> dataset_of("data/people.csv"), dataset_of("survey.2024.csv.gz"), dataset_of("table")
    ('people', 'survey.2024', 'table')
    """
    path = Path(file)
    return Path(path.stem).stem if path.suffix.lower() in PACKED else path.stem


def check_name_known(
    ledger: Ledger, dataset_name: DatasetName, marks: Sequence[str], *, wording: Wording
) -> list[str]:
    """Refuse a new name if it is similar to another, or if the table has another one.

    A dataset has a budget. A misspelt name would get a budget of its own for the same people.

    Args:
        ledger: The ledger with its known names.
        dataset_name: The name in the call, and whether the steward marked it as new.
        marks: Digests by which the ledger recognises the tables; empty ones for tables that
            it cannot recognise.
        wording: How the options are called where the steward works.

    Returns:
        One remark if the name is new and the ledger has others; else none.

    Raises:
        LedgerError: The name looks like another, or the table has another name.
    """
    dataset = dataset_name.name
    datasets = ledger.datasets()
    if dataset in datasets:
        return []
    if not dataset_name.is_new:
        earlier_names = [name for mark in marks for name in ledger.known_as(mark)]
        _refuse_doubtful_name(
            dataset, earlier_names, ledger.look_alikes(dataset), wording=wording
        )
    if not datasets:
        return []
    remark = f"'{dataset}' is new in this ledger; {list_datasets(datasets)}."
    if not dataset_name.is_said:
        remark += f" If these are the same people, say so by {wording.option}."
    return [remark]


def _refuse_doubtful_name(
    dataset: str,
    earlier_names: Sequence[str],
    similar_names: Sequence[str],
    *,
    wording: Wording,
) -> None:
    """Refuse a new name if the table has another one, or if it looks like another one.

    Args:
        dataset: The new name.
        earlier_names: Names under which the ledger knows the same table.
        similar_names: Known names that look like the new one.
        wording: How the options are called where the steward works.

    Raises:
        LedgerError: One of the two is the case.
    """
    if earlier_names:
        known_name = earlier_names[0]
        reason = f"The same table was released before as '{known_name}'"
    elif similar_names:
        known_name = similar_names[0]
        reason = f"The ledger has a dataset '{known_name}', which looks like '{dataset}'"
    else:
        return
    raise LedgerError(
        f"{reason}: give {wording.naming.format(known_name)} to share its budget, "
        f"or add {wording.new} if '{dataset}' is to have one of its own all the same."
    )


def needs_budget(ledger: Ledger, dataset: str) -> bool:
    """Return whether a spend on a dataset must set its first budget.

    A ledger that only answers again what was paid for before takes no budget.
    """
    return not (ledger.balance(dataset).budgets or ledger.has_repeats_only)


def set_first_budget(
    ledger: Ledger,
    dataset: str,
    costs: Sequence[Guarantee],
    *,
    neighbors: Neighbors,
    option: str,
) -> str:
    """Set the budget of a dataset at its first spend; return a remark, empty if it has one.

    Args:
        ledger: The ledger that records the spend.
        dataset: The dataset's name.
        costs: The amounts that the call is about to spend.
        neighbors: The relation of the spends.
        option: How a budget is named where the steward works, such as ``--budget``.

    Raises:
        LedgerError: The spend is above the default budget, or cannot be counted by it.
    """
    if not needs_budget(ledger, dataset):
        return ""
    budget = parse_budget(DEFAULT_BUDGET, neighbors)
    if any(cost.rho is not None for cost in costs):
        raise LedgerError(
            f"'{dataset}' has no budget yet, and the usual one counts epsilon: name one that "
            f"counts rho, such as rho=1/2,delta=1e-9, by {option}."
        )
    if not budget.admits(costs):
        raise LedgerError(
            f"'{dataset}' has no budget yet, and this costs more than the usual one of "
            f"epsilon 3: name the most that all spends on these people may cost, by {option}."
        )
    ledger.set_default_budget(dataset, budget)
    return NEW_BUDGET.format(dataset)

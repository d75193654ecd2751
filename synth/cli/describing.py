"""``synth release TABLE --epsilon E`` without ``--domain``: the columns are drafted first."""

import argparse
import sys
from dataclasses import dataclass, replace

from synth.cli import ledger
from synth.cli import plan as plans
from synth.cli.commands import progress
from synth.cli.saying import ask_line, say
from synth.domain import Categorical, Domain
from synth.door import Ledger
from synth.drafting import DraftRequest
from synth.errors import ArgumentError
from synth.plans import OPTIONS, Plan
from synth.privacy import Guarantee
from synth.private.counting import Engine
from synth.private.table import PrivateTable
from synth.spending import (
    NEED_DESCRIPTION,
    OFFERED_RELEASE_DELTA,
    DescribingWords,
    DraftSplit,
    SpendSetting,
    columns_to_draft,
    describe_from_rows,
    describe_privately,
    refuse_with_draft,
)

COMMAND_WORDS = DescribingWords(
    "give a description by --domain FILE (`synth domain template TABLE` begins one)",
    f"add --delta {OFFERED_RELEASE_DELTA}",
    "add --look",
)
DRAFTED_FROM_ROWS = (
    "The description was drafted from the rows. The guarantee does not cover it, and the "
    "certificate says so."
)
# Further options that a private draft excludes: they choose the form of the rows by the
# number of cells, or are about values from the rows.
_EXCLUDED = (*NEED_DESCRIPTION, "in_parts", "vouch")


@dataclass(frozen=True)
class DescribedPlan:
    """A plan whose columns a draft described.

    Attributes:
        plan: The plan of the release, at its own part of the epsilon.
        remark: What the draft cost, or that no guarantee covers it.
    """

    plan: Plan
    remark: str


def chooses_look(options: argparse.Namespace) -> bool:
    """Return whether a look describes the columns, and else a private draft.

    A delta allows a private draft, which names values. Without one, and if no option says so,
    a person at a terminal is asked, and the answer is stored in the options.

    Raises:
        ArgumentError: Nothing says how, or an option needs a description.
    """
    if options.epsilon is None:
        raise ArgumentError("Set the privacy budget to spend: --epsilon E, such as 1.")
    if options.engine != Engine.DUCKDB:
        raise ArgumentError(
            f"--engine {options.engine} needs a description of the columns: give one by "
            "--domain FILE."
        )
    if not options.look and options.delta is None:
        _ask_way(options)
    if options.look:
        return True
    refuse_with_draft(
        _EXCLUDED,
        lambda name: getattr(options, name) not in (None, False, ""),
        lambda name: OPTIONS[name].flag,
    )
    _probe_plan(options)  # so that a wrong option is refused before anything is spent
    return False


def split_of(options: argparse.Namespace, *beside: Guarantee) -> DraftSplit:
    """Return the prices of a private draft and of the release after it.

    Args:
        options: The options of the command line.
        beside: What the command buys besides the two.
    """
    split = DraftSplit.of(
        plans.read_option(options, "epsilon"), plans.read_option(options, "delta")
    )
    return replace(split, beside=beside)


def plan_by_look(options: argparse.Namespace, table: PrivateTable) -> DescribedPlan:
    """Return the plan with the columns that a look at the rows describes. PRIVATE."""
    progress("Drafting the description")
    domain = describe_from_rows(
        table,
        plans.read_option(options, "columns"),
        person=plans.read_option(options, "person"),
    )
    return DescribedPlan(plans.plan_with(options, domain), DRAFTED_FROM_ROWS)


def plan_by_draft(
    options: argparse.Namespace,
    table: PrivateTable,
    split: DraftSplit,
    *,
    book: Ledger | None,
) -> DescribedPlan:
    """Pay for a private draft, and return the plan with the columns that it describes.

    Args:
        options: The options of the command line.
        table: The confidential table.
        split: The prices.
        book: The ledger, with a budget; None to record nothing.
    """
    request = draft_request(options, table)
    domain = describe_privately(
        request,
        table,
        split,
        words=COMMAND_WORDS,
        setting=SpendSetting(ledger=book, progress=progress),
    )
    plan = _at_price(plans.plan_with(options, domain), split)
    return DescribedPlan(plan, split.say(domain))


def draft_request(options: argparse.Namespace, table: PrivateTable) -> DraftRequest:
    """Return the draft of all columns, or of the chosen ones.

    Raises:
        TableError: The table lacks a column.
    """
    unit = plans.unit_from(options)
    columns = plans.read_option(options, "columns")
    return DraftRequest(
        columns=columns_to_draft(table, columns, person=unit.person),
        guarantee=split_of(options).draft,
        neighbors=plans.read_option(options, "neighbors"),
        unit=unit,
        dataset=plans.dataset_from(options),
    )


def open_ledger(
    options: argparse.Namespace, table: PrivateTable, split: DraftSplit
) -> Ledger | None:
    """Return the ledger of a private draft and its release; None to record nothing.

    Args:
        options: The options of the command line.
        table: The confidential table.
        split: The prices.
    """
    draft_request(options, table)  # refuses wrong columns before a budget is set
    return ledger.open_ledger(
        options,
        plans.dataset_from(options),
        plans.read_option(options, "neighbors"),
        table,
        costs=split.costs,
    )


def _at_price(plan: Plan, split: DraftSplit) -> Plan:
    """Return a plan at the price of the release alone; the draft has the delta."""
    assert split.release.epsilon is not None
    return replace(plan, epsilon=split.release.epsilon, delta=split.release.delta)


def _probe_plan(options: argparse.Namespace) -> None:
    """Refuse options of the plan that are wrong whatever the columns are.

    The draft is paid before the columns are known, so a plan with a column that stands for
    all of them is made first.

    Raises:
        SynthError: An option is wrong.
    """
    stand_in = Domain(columns=(Categorical(name="any column", categories=("a", "b")),))
    _at_price(plans.plan_with(options, stand_in), split_of(options))


def _ask_way(options: argparse.Namespace) -> None:
    """Ask a person at a terminal how the columns are described, and set that option.

    Raises:
        ArgumentError: Nobody is asked, as in a script; or the person is to describe them.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ArgumentError(COMMAND_WORDS.sentence)
    say(
        "Nothing describes the columns of the table. Synth can draft a description:",
        f"  1  Private draft: spends half of epsilon, and a delta of {OFFERED_RELEASE_DELTA} "
        f"(--delta {OFFERED_RELEASE_DELTA})",
        "  2  Draft from the rows: free, but no guarantee covers it, and the certificate "
        "says so (--look)",
        "  3  Neither: I describe the columns myself (--domain FILE)",
        to=sys.stderr,
    )
    answer = ""
    while answer not in ("1", "2", "3"):
        if not (line := ask_line("1, 2 or 3? ")):  # the end of the input
            raise ArgumentError(COMMAND_WORDS.sentence)
        answer = line.strip()
    if answer == "1":
        options.delta = OFFERED_RELEASE_DELTA
    elif answer == "2":
        options.look = True
    else:
        raise ArgumentError(
            "Nothing was spent: begin a description by synth domain template TABLE --out "
            "FILE.csv, fill it in, and give it by --domain FILE.csv."
        )

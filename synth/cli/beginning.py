"""The beginning of ``synth release``: the description, the table and the ledger."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli import check, ledger
from synth.cli import plan as plans
from synth.cli.commands import table_from
from synth.cli.export import chosen_output
from synth.cli.plan import read_option
from synth.door import Ledger
from synth.errors import ArgumentError
from synth.privacy import Guarantee, RowReading

if TYPE_CHECKING:
    from synth.estimate import PublicTable, RowStore
    from synth.plans import Plan
    from synth.private.table import PrivateTable


@dataclass(frozen=True, kw_only=True)
class BegunCommand:
    """A release before its spend.

    Attributes:
        plan: The plan.
        table: The confidential table.
        book: The ledger that records it; None for none.
        place: What draws the rows in parts; None for rows in one piece.
        public: A public table as the guess.
        remark: What a draft of the columns cost; empty if they were declared.
    """

    plan: "Plan"
    table: "PrivateTable"
    book: Ledger | None
    place: "RowStore | None" = None
    public: "PublicTable | None" = None
    remark: str = ""


def choose_beginning(
    options: argparse.Namespace,
) -> Callable[[argparse.Namespace], BegunCommand]:
    """Return what begins the release: with declared columns, a look or a private draft.

    Raises:
        ArgumentError: Nothing describes the columns, or two options do.
    """
    if options.domain is None and options.plan is None:
        from synth.cli.describing import chooses_look

        return _begin_with_look if chooses_look(options) else _begin_with_draft
    if options.look:
        raise ArgumentError(
            "--look drafts a description from the rows, and there is one already: leave "
            "out --look, --domain or --plan."
        )
    return _begin_declared


def _begin_declared(options: argparse.Namespace) -> BegunCommand:
    """Begin a release whose columns are declared: plan, table, ledger."""
    plan, public = _public_from(
        options, check.add_vouching(options, plans.plan_from(options))
    )
    costs = _costs_beside(options)
    plan.check_size()
    place = _place_of_rows(options, plan)
    # The file of a plan may say that cells hold line breaks. Typed options come last and win.
    if plan.reading is RowReading.SPAN:
        options.read = ["lines=span", *options.read]
    table = table_from(options, (*plan.domain.names, plan.unit.person))
    _refuse_itself(options, table)
    book = _open_ledger(options, plan, table, costs=costs)
    return BegunCommand(plan=plan, table=table, book=book, place=place, public=public)


def _begin_with_look(options: argparse.Namespace) -> BegunCommand:
    """Begin a release whose columns are drafted from the rows, which costs nothing."""
    from synth.cli import describing

    costs = _costs_beside(options)
    table = table_from(options)
    described = describing.plan_by_look(options, table)
    plan, public = _public_from(options, check.add_vouching(options, described.plan))
    plan.check_size()
    place = _place_of_rows(options, plan)
    _refuse_itself(options, table)
    return BegunCommand(
        plan=plan,
        table=table,
        book=_open_ledger(options, plan, table, costs=costs),
        place=place,
        public=public,
        remark=described.remark,
    )


def _begin_with_draft(options: argparse.Namespace) -> BegunCommand:
    """Begin a release whose columns a private draft describes, which is paid here."""
    from synth.cli import describing

    split = describing.split_of(options, *_costs_beside(options))
    table = table_from(options)
    book = describing.open_ledger(options, table, split)
    described = describing.plan_by_draft(options, table, split, book=book)
    described.plan.check_size()
    place = _place_of_rows(options, described.plan)
    return BegunCommand(
        plan=described.plan, table=table, book=book, place=place, remark=described.remark
    )


def _open_ledger(
    options: argparse.Namespace,
    plan: "Plan",
    table: "PrivateTable",
    *,
    costs: Sequence[Guarantee],
) -> Ledger | None:
    """Return the ledger of a release with its budget set; None for none.

    Args:
        options: The options of the command line.
        plan: The plan of the release.
        table: The confidential table.
        costs: What is bought besides the release.
    """
    return ledger.open_ledger(
        options,
        plan.dataset,
        plan.neighbors,
        table,
        costs=[plan.guarantee(plan.epsilon), *costs],
    )


def _costs_beside(options: argparse.Namespace) -> list[Guarantee]:
    """Return what a release buys besides its rows: a check now, and a utility score."""
    prices = (read_option(options, "check"), read_option(options, "score"))
    return [Guarantee.pure(price) for price in prices if isinstance(price, Fraction)]


def _place_of_rows(options: argparse.Namespace, plan: "Plan") -> "RowStore | None":
    """Return what draws the rows in parts; None for rows in one piece.

    Rows in one piece must fit into their formats, which is checked here.

    Raises:
        SynthError: The plan has no rows in parts, or the rows do not fit.
    """
    from synth.spending import place_of, refuse_one_piece

    if options.in_parts:
        refuse_one_piece(plan)
        return place_of(
            options.engine, options.master, Path(options.out[0]).absolute().parent
        )
    for kind in chosen_output(options.formats)[1]:
        kind.check(plan.domain, plan.rows or 0)
    return None


def _refuse_itself(options: argparse.Namespace, table: "PrivateTable") -> None:
    """Refuse the confidential table if ``--public`` names the same table."""
    if options.public is None:
        return
    from synth.spending import refuse_itself

    refuse_itself(options.public, table)


def _public_from(
    options: argparse.Namespace, plan: "Plan"
) -> "tuple[Plan, PublicTable | None]":
    """Return the plan with the public table that ``--public`` names, and the table.

    Without that option the plan is unchanged, and the table None.

    Raises:
        SynthError: The table cannot be the guess, or nobody vouches for it.
    """
    voucher = read_option(options, "vouched_by")
    if options.public is None:
        if voucher:
            raise ArgumentError(
                "--vouched-by is about a public table; say which one by --public FILE."
            )
        return plan, None
    if plan.public is not None and not voucher:
        voucher = plan.public.vouched_by
    from synth.spending import read_public

    table = read_public(options.public, plan.domain, voucher)
    return (plan if plan.public else replace(plan, public=table.source)), table

"""``domain draft TABLE --epsilon E``: a draft with a guarantee, or what can be hoped of one."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from synth.bundle import prepare
from synth.cli import ledger
from synth.cli import plan as plans
from synth.cli.commands import progress, table_from
from synth.cli.saying import say
from synth.errors import ArgumentError
from synth.estimate import Drafted, DraftRequest, Hopes
from synth.privacy import Guarantee, spell
from synth.spending import draft_domain
from synth.util import Document

GUARANTEED = (
    *("delta", "neighbors", "person", "max_rows", "rows", "candidates", "columns", "forecast"),
    *ledger.SPEND_OPTIONS,
)
"""The options of a draft with a guarantee alone."""


def add_draft_options(parser: argparse.ArgumentParser) -> None:
    """The options of a draft with a guarantee."""
    plans.spend(parser, required=False)
    plans.offer_options(parser, "delta", help="beside epsilon: names values that enough rows have")
    plans.offer_options(parser, "columns", help="the columns to be drafted")
    plans.offer_options(parser, "candidates")
    plans.offer_options(parser, "rows", help="about how many rows, for what can be hoped")
    plans.offer_options(parser, "forecast", help="what can be hoped, alone: spends nothing")
    plans.offer_options(parser, *ledger.SPEND_OPTIONS)


def check_draft(options: argparse.Namespace) -> None:
    """Refuse options that do not go together.

    Raises:
        ArgumentError: They do not.
    """
    if options.epsilon is not None and options.look:
        raise ArgumentError("--look and --epsilon are two ways to draft; keep one.")
    if options.forecast and options.rows is None:
        raise ArgumentError("A forecast counts no row: say by --rows N about how many there are.")
    if options.epsilon is None:
        wrong = "{} is for a draft with a guarantee: add --epsilon E."
        plans.refuse_given(options, GUARANTEED, wrong)


def draft_with_guarantee(
    options: argparse.Namespace, write: Callable[[str | None, Document], None]
) -> None:
    """Draft, or say what can be hoped.

    Raises:
        SynthError: With one sentence; before noise is drawn nothing was spent.
    """
    table = table_from(options)
    request = request_from(options, table.header)
    if request.unit.person:
        table.position(request.unit.person)
    if options.rows is not None:
        for line in Hopes(request, plans.read_option(options, "rows")).lines:
            say(line, to=sys.stdout if options.forecast else sys.stderr)
    if options.forecast:
        return
    if options.out:
        prepare(Path(options.out).parent)
    book = ledger.open_ledger(options, request.dataset, request.neighbors, table)
    drafted = draft_domain(request, table, ledger=book, progress=progress)
    for line in draft_lines(drafted):
        say(line, to=sys.stderr)
    write(options.out, drafted.document)


def request_from(options: argparse.Namespace, header: tuple[str, ...]) -> DraftRequest:
    """What the options ask for.

    Raises:
        ArgumentError: They ask for what cannot be.
    """
    unit = plans.unit_from(options)
    return DraftRequest(
        plans.read_option(options, "columns")
        or tuple(name for name in header if name != unit.person),
        Guarantee.of(plans.read_option(options, "epsilon"), plans.read_option(options, "delta")),
        plans.read_option(options, "neighbors"),
        unit,
        plans.read_option(options, "candidates"),
        plans.dataset_from(options),
    )


def draft_lines(drafted: Drafted) -> list[str]:
    """What was settled, what stays open, and what was paid."""
    settled = [f"  {one.name}: {one.reason}" for one in drafted.settled]
    opened = [f"  {name}: {reason}" for name, reason in drafted.open.items()]
    paid = f"It cost {spell(drafted.request.guarantee)}"
    again = "It was drafted before, and nothing is spent again" if drafted.repeated else paid
    return [
        f"Columns settled: {len(settled):,}",
        *settled,
        f"Columns left open: {len(opened):,}",
        *opened,
        f"{again}; every release with this declaration counts it.",
    ]

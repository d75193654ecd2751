"""``domain draft TABLE --epsilon E``: a draft with a guarantee, or its forecast."""

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
from synth.estimate import QUICK_DRAFT, DraftRequest, Hopes, draft_lines, list_offers, offer_draft
from synth.privacy import DEFAULT_BUDGET, Guarantee, Neighbors, parse_budget, plain
from synth.spending import draft_domain
from synth.util import Document

GUARANTEED = (
    *("delta", "neighbors", "person", "max_rows", "rows", "candidates", "columns", "forecast"),
    *ledger.SPEND_OPTIONS,
)


def add_draft_options(parser: argparse.ArgumentParser) -> None:
    plans.spend(parser, required=False)
    plans.offer_options(
        parser, "delta", help="in addition to epsilon: names values that enough rows have"
    )
    plans.offer_options(parser, "columns", help="the columns to be drafted")
    plans.offer_options(parser, "candidates")
    plans.offer_options(parser, "rows", group="forecast", help="about how many rows the table has")
    plans.offer_options(parser, "forecast", help="only show the expected result: spends nothing")
    plans.offer_options(parser, *ledger.SPEND_OPTIONS)
    plans.offer_options(parser, "out", metavar="FILE", help="default: standard output")


def check_draft(options: argparse.Namespace) -> None:
    """Refuse options that do not go together.

    Raises:
        ArgumentError: Two options conflict.
    """
    if options.epsilon is not None and options.look:
        raise ArgumentError("--look and --epsilon are two ways to draft; keep one.")
    if options.forecast and options.rows is None:
        raise ArgumentError("A forecast reads no rows: add --rows N, their rough number.")
    if options.epsilon is None:
        wrong = "{} is for a draft with a guarantee: add --epsilon E."
        offers = ("rows",) if not options.look else ()
        plans.refuse_given(options, [one for one in GUARANTEED if one not in offers], wrong)


def offer_drafts(options: argparse.Namespace, header: tuple[str, ...]) -> list[str]:
    unit, rows = plans.unit_from(options), plans.read_option(options, "rows")
    if rows is None:
        return [
            "With --rows N, the rough number of rows, Synth shows what a private draft can "
            "describe.",
            f"{QUICK_DRAFT} (--look).",
        ]
    names = [name for name in header if name != unit.person]
    found = offer_draft(names, rows, plans.read_option(options, "neighbors"), unit)
    budget = plain(parse_budget(DEFAULT_BUDGET, Neighbors.REPLACE_ONE).amount)
    private, quick = list_offers(found, budget, len(names))
    if found is not None:
        guarantee, some = found.request.guarantee, found.request.columns
        private += (
            f": --epsilon {float(guarantee.epsilon or 0):g} --delta {float(guarantee.delta):g}"
        )
        private += f" --columns '{', '.join(some)}'" if len(some) < len(names) else ""
    return [f"{private}.", f"{quick} (--look)."]


def draft_with_guarantee(
    options: argparse.Namespace, write: Callable[[str | None, Document], None]
) -> None:
    """Draft, or print the forecast.

    Raises:
        SynthError: With one sentence; before noise is drawn nothing was spent.
    """
    table = table_from(options, plans.read_option(options, "columns") or ())
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
    """Return the request that the options describe.

    Raises:
        ArgumentError: The options ask for something impossible.
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

"""``synth release``: synthetic rows and a certificate from a table."""

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.bundle import BUNDLED_TABLES, CSV, FORMATS, Result, free_folder, write
from synth.cli import check, export, ledger, linked
from synth.cli import plan as plans
from synth.cli.commands import (
    count_options,
    prepare_places,
    progress,
    read_options,
    table_from,
    tell,
)
from synth.cli.public import public_from
from synth.cli.saying import print_answer, say, set_run
from synth.door import Ledger, drop_spends
from synth.errors import ArgumentError, ReleaseError, SynthError
from synth.estimate import RECIPES, Record, measured_pairs, relations
from synth.plans import Plan
from synth.privacy import RowReading, plain
from synth.spending import (
    add_score,
    place_of,
    refuse_itself,
    refuse_one_piece,
    synthesize,
    synthesize_parts,
)
from synth.util import Document, write_share

if TYPE_CHECKING:
    from synth.bundle import PartedResult
    from synth.estimate import RowStore


def define(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s TABLE --domain FILE --epsilon E\n         --bundle FILE.zip [options]"
    set_run(parser, _release, details=True)
    read_options(parser)
    plans.add_options(parser)
    plans.offer_options(parser, "public", "vouched_by", "out")
    others = [name for name in FORMATS if name not in BUNDLED_TABLES]
    plans.in_group(parser, "results").add_argument(
        "--output",
        default=CSV.name,
        metavar="F,F",
        help="formats of the synthetic rows in DIR: csv (default), parquet or both; and, also in "
        f"the bundle, any of {', '.join(others)}",
    )
    plans.offer_options(parser, "bundle", help="one zip with all files")
    plans.offer_options(parser, "parts", "score", "check", "anyway", "vouch", *ledger.SPEND_OPTIONS)
    count_options(parser)


def _release(options: argparse.Namespace) -> None:
    if linked.is_package(options.table):
        linked.release_package(options)
        return
    plan, public = public_from(options, check.add_vouching(options, plans.plan_from(options)))
    price = plans.read_option(options, "score")
    plan.check_size()
    place = _prepare(options, plan)
    engine = options.engine
    if plan.reading is RowReading.SPAN:
        options.format = ["lines=span", *options.format]
    table = table_from(options, (*plan.domain.names, plan.unit.person))
    if options.public is not None:
        refuse_itself(options.public, table)
    book = ledger.open_ledger(options, plan.dataset, plan.neighbors, table)
    paid = check.paid_before(options, plan, table, book)
    ways: dict[str, Any] = {"ledger": book, "engine": engine, "preparations": paid}
    ways |= {"public": public, "progress": progress}
    if options.verbose:
        ways["measured"] = lambda what: say(f"  {what}", to=sys.stderr)
    result: Result | PartedResult
    if place is None:
        result = synthesize(plan, table, **ways)
    else:
        result = synthesize_parts(plan, table, place=place, **ways)
    failed = ""
    if price is not None and isinstance(result, Result):
        progress("Buying the score")
        try:
            result = add_score(result, table, price, ledger=book or Ledger(), engine=engine)
        except SynthError as error:  # the release is written anyway
            failed = f"The release was written without a score. {error}"
    tell(table, options)
    progress("Writing files")
    paths = _write(result, options, book)
    summary: Document = {
        **_summarize(plan, result),
        "files": {name: str(path) for name, path in paths.items()},
        "repeated": result.repeated,
        "scores": write(result.scores),
        "ledger": None if book is None else ledger.ledger_summary(book, plan.dataset),
    }
    print_answer(options, summary, _lines(plan, result, paths, verbose=options.verbose))
    if failed:
        drop_spends()
        raise ReleaseError(failed)


def _summarize(plan: Plan, result: "Result | PartedResult") -> Document:
    return {
        "rows": result.rows,
        "cells": plan.domain.size,
        "epsilon": str(plan.epsilon),
        "neighbors": plan.neighbors.value,
        **result.record.summary(),
        "rows_fit": result.certificate.rows_fit,
        "mostly_noise": result.is_noise,
        "pairs_measured": measured_pairs(result.record),
    }


def _lines(
    plan: Plan, result: "Result | PartedResult", paths: dict[str, Path], *, verbose: bool
) -> list[str]:
    said = result.certificate.rows_fit
    return [
        *([said] if result.is_doubtful else []),
        f"{result.rows:,} rows, epsilon {plain(plan.epsilon)}.{_say_error(result.record)}",
        *([] if result.is_doubtful else [said]),
        *(_details(plan, result) if verbose else []),
        *(f"  {path}" for path in paths.values()),
        *(
            f"Bought score: error of pairs {score.error:.4f} ± {score.reach:.4f}."
            for score in result.scores
        ),
        *(["This release was made before: nothing was spent."] if result.repeated else []),
    ]


def _write(
    result: "Result | PartedResult", options: argparse.Namespace, book: Ledger | None
) -> dict[str, Path]:
    tables, wanted = export.chosen_output(options.output)
    if not isinstance(result, Result):
        return result.write(options.parts, tables, book)
    formats = export.formats_with_room(result, wanted)
    bundle = result.write_archive(options.bundle, book, formats) if options.bundle else None
    paths = {}
    if options.out:
        paths = result.write(options.out, tables, bundle=bundle, formats=formats)
    return paths | ({"bundle": bundle} if bundle else {})


def _prepare(options: argparse.Namespace, plan: Plan) -> "RowStore | None":
    # Before anything is spent. Returns the place of rows in parts.
    if options.parts:
        if options.out or options.bundle or options.score is not None:
            raise ArgumentError(
                "--parts does not go with --out, --bundle or --score: they need all rows on this "
                "machine."
            )
        if export.chosen_output(options.output)[1]:
            raise ArgumentError(
                "Parts are written as csv, parquet or both; leave other formats out of --output."
            )
        refuse_one_piece(plan)
        folder = free_folder(options.parts).absolute().parent
        return place_of(options.engine, options.master, folder)
    if not options.out and not options.bundle:
        raise ArgumentError(
            "Choose where to write the results: --out DIR, --bundle FILE.zip, or both; or --parts "
            "DIR."
        )
    for kind in export.chosen_output(options.output)[1]:
        kind.check(plan.domain, plan.rows or 0)
    prepare_places(options)
    return None


def _say_error(record: Record) -> str:
    told = []
    for what, width in (("columns", 1), ("pairs", 2)):
        errors = [one.error for one in relations(record, width)]
        if errors and math.isfinite(mean := sum(errors) / len(errors)):
            told.append(f"{what} {write_share(mean)}")
    return f" Expected error: {', '.join(told)}." if told else ""


def _details(plan: Plan, result: "Result | PartedResult") -> list[str]:
    return [
        f"Neighbours: {plan.neighbors.value}; {plan.domain.size:,} cells; {plan.unit}.",
        "Error: the share of rows you would have to change; expected from the noise.",
        *_method_lines(plan, result),
    ]


def _method_lines(plan: Plan, result: "Result | PartedResult") -> list[str]:
    strategy = result.record.strategy
    if strategy is None or plan.method == strategy or RECIPES[plan.method].chooses:
        return [f"Strategy: {strategy}."] if strategy else []
    return [
        f"Strategy: {strategy}; '{plan.method}' found no pair of columns that stood out from the "
        "noise, so the columns got all of the budget."
    ]
